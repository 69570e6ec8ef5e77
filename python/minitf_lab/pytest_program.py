"""Runs a file of pytest cases, with the flags and the report of a GoogleTest program.

    python -m minitf_lab.pytest_program OVERLAY CASES [FLAG...]

    --import                 only import the modules of the overlay; 1 if that fails
    --gtest_list_tests       run nothing
    --gtest_flagfile=FILE    with a line --gtest_filter=NAME:NAME
    --gtest_output=json:FILE where the report is written

A case is called ``Class.function``, or ``file.function`` outside of a class, with its
parameters in brackets. What cases print is not kept back. ``expect.py`` leaves where two
arrays differ for the report.
"""

import argparse
import importlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from minitf_lab import overlay


def name_of(item: pytest.Item) -> tuple[str, str]:
    """The suite and the name of a case. A colon parts names in a filter."""
    suite = item.cls.__name__ if getattr(item, "cls", None) else item.path.stem
    return suite, item.name.replace(":", "_")


class Report:
    """A plugin of pytest: runs the chosen cases and notes what becomes of them."""

    def __init__(self, chosen: set[str] | None, is_list: bool) -> None:
        self._chosen = chosen
        self._is_list = is_list
        self.cases: dict[str, dict] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Has pytest print nothing of its own."""
        config.pluginmanager.unregister(name="terminalreporter")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leaves the chosen cases.

        Raises:
            UsageError: two have the same name.
        """
        kept = []
        for item in items:
            suite, name = name_of(item)
            full = f"{suite}.{name}"
            if self._chosen is not None and full not in self._chosen:
                continue
            if full in self.cases:
                raise pytest.UsageError(f"there are two cases {full}")
            case = {"classname": suite, "name": name, "status": "NOTRUN", "failures": []}
            self.cases[full] = case
            kept.append(item)
        items[:] = [] if self._is_list else kept

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Prints why the cases cannot be read."""
        if report.failed:
            print(report.longreprtext)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo
    ) -> Iterator[None]:
        """Takes what ``expect.py`` has left for the report."""
        report = yield
        case = self.cases[".".join(name_of(item))]
        error = call.excinfo.value if call.excinfo else None
        case.update(getattr(error, "details", {}))
        if report.when == "call":
            case["status"] = "RUN"
        if report.failed:
            text = str(error) if hasattr(error, "details") else report.longreprtext
            case["failures"].append({"failure": text})
        elif report.skipped:
            _, _, reason = report.longrepr
            case.update(status="RUN", result="SKIPPED", skipped=reason)
        if report.when == "teardown":
            # One that could not be set up has failed; it is in the report all the same.
            case.update(status="RUN", result=case.get("result", "COMPLETED"))
        return report

    def as_json(self) -> dict:
        """The report in the form of GoogleTest's."""
        suites: dict[str, list[dict]] = {}
        for case in self.cases.values():
            suites.setdefault(case["classname"], []).append(case)
        return {
            "testsuites": [{"name": n, "testsuite": found} for n, found in suites.items()]
        }


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="program", allow_abbrev=False)
    parser.add_argument("overlay")
    parser.add_argument("cases", type=Path)
    parser.add_argument("--import", dest="is_import", action="store_true")
    parser.add_argument("--gtest_list_tests", action="store_true")
    parser.add_argument("--gtest_flagfile", type=Path)
    parser.add_argument("--gtest_output", default="")
    return parser.parse_args(arguments)


def _import(units: list[overlay.Unit]) -> int:
    """Imports the package and the modules; if that fails, says why and returns 1."""
    try:
        for module in ["minitf", *(unit.module for unit in units)]:
            importlib.import_module(module)
    except BaseException as error:
        print(overlay.explain(error, units))
        return 1
    return 0


def main(arguments: list[str]) -> int:
    """Runs the program; returns its exit status."""
    args = _parse(arguments)
    status = _import(overlay.install(args.overlay))
    if status or args.is_import:
        return status
    chosen = None
    if args.gtest_flagfile:
        _, _, names = args.gtest_flagfile.read_text().strip().partition("=")
        chosen = set(names.split(":"))
    report = Report(chosen, args.gtest_list_tests)
    top = args.cases.parents[2]
    options = [
        *("-c", os.devnull, f"--rootdir={top}", f"--confcutdir={top / 'tests'}"),
        *("--tb=short", "-s", "-p", "no:cacheprovider", "--import-mode=importlib"),
    ]
    status = pytest.main([*options, str(args.cases)], plugins=[report])
    ends = {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}
    if not report.cases or args.gtest_list_tests:
        ends.add(pytest.ExitCode.NO_TESTS_COLLECTED)
    if status not in ends:
        return int(status)
    Path(args.gtest_output.removeprefix("json:")).write_text(json.dumps(report.as_json()))
    return int(status == pytest.ExitCode.TESTS_FAILED)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
