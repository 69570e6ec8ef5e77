"""Runs test cases of a GoogleTest program, so that one bad case costs only itself.

The cases are run in one process. If that process does not come to its end, because a
case crashed, hung, or left the program, every case is run once more in a process of its
own. What counts is the report that GoogleTest writes after the last case: a case passes
only if that report says that it ran to its end and found no failure. An exit status says
nothing.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

NOT_WRITTEN = re.compile(r"task [\d.]+ \([^)]*\) is not written yet")
MAX_OUTPUT = 20_000  # characters of a failure that are kept


@dataclass
class Result:
    """What became of one test case.

    Attributes:
        status: ``passed``, ``failed``, ``skipped``, ``not written``, ``crashed``,
            ``timeout`` or ``left``, for a case that ended the program.
        message: What the test has to say, for a person.
        details: What it left to be shown in a table: ``index``, ``expected``, ``got``
            and ``shape`` (tests/testing.h).
    """

    name: str
    status: str
    message: str = ""
    details: dict[str, str] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether it counts."""
        return self.status == "passed"


def list_cases(program: Path, pattern: str = "*") -> list[str]:
    """Names of the program's test cases that match ``pattern``.

    Raises:
        RuntimeError: the program does not even list its cases.
    """
    done = subprocess.run(
        [program, "--gtest_list_tests", f"--gtest_filter={pattern}"],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=60,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{program.name} does not start: {done.stderr[-2000:]}")
    cases, suite = [], ""
    for line in done.stdout.split("\n"):
        name = line.split("#")[0].rstrip()
        if re.match(r"\w[\w/]*\.$", name):
            suite = name
        elif name.startswith("  ") and suite:
            cases.append(suite + name.strip())
    return cases


def _result(case: dict) -> Result:
    """One case out of GoogleTest's report."""
    name = f"{case['classname']}.{case['name']}"
    details = {
        key: str(case[key])
        for key in ("index", "expected", "got", "shape", "task", "doc")
        if key in case
    }
    if case.get("result") == "SKIPPED":
        return Result(name, "skipped", str(case.get("skipped", "")))
    if case.get("status") != "RUN" or case.get("result") != "COMPLETED":
        return Result(name, "left", "the case did not run to its end")
    failures = [failure["failure"] for failure in case.get("failures", [])]
    if not failures:
        return Result(name, "passed")
    message = "\n".join(failures)[:MAX_OUTPUT]
    only_missing = all(NOT_WRITTEN.search(failure) for failure in failures)
    return Result(name, "not written" if only_missing else "failed", message, details)


def _run(program: Path, cases: list[str], limit_s: float) -> list[Result] | Result:
    """Runs ``cases`` in one process.

    Returns:
        What GoogleTest reports, or one Result that says why there is no report.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        filters = Path(folder) / "flags"
        filters.write_text(f"--gtest_filter={':'.join(cases)}\n")
        process = subprocess.Popen(
            [program, f"--gtest_flagfile={filters}", f"--gtest_output=json:{report}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            return Result("", "timeout", f"still running after {limit_s:g} s")
        finally:
            # Whatever the program has started ends with it.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if process.returncode < 0:
            name = signal.Signals(-process.returncode).name
            return Result("", "crashed", f"{name}\n{output[-2000:]}")
        try:
            suites = json.loads(report.read_text())["testsuites"]
            return [_result(case) for suite in suites for case in suite["testsuite"]]
        except (OSError, ValueError, KeyError):
            return Result("", "left", f"ended the program\n{output[-2000:]}")


def run_cases(program: Path, cases: list[str], limit_s: float) -> list[Result]:
    """Runs ``cases``, each at most ``limit_s`` seconds, and returns a Result for each."""
    if not cases:
        return []
    together = _run(program, cases, limit_s)
    if isinstance(together, list):
        found = {result.name: result for result in together}
        return [found.get(name, Result(name, "left", "was not run")) for name in cases]
    if len(cases) == 1:
        return [Result(cases[0], together.status, together.message)]
    return [run_cases(program, [case], limit_s)[0] for case in cases]
