"""Runs test cases of a GoogleTest program, so that one bad case costs only itself.

What counts is the report that GoogleTest writes after the last case: a case passes only
if that report says that it ran to its end and found no failure. What the program prints,
and its exit status, say nothing.

``run_cases`` runs all cases in one process. If that process does not come to its end,
because a case crashed, hung, or left the program, every case is run once more by itself.
"""

import contextlib
import json
import os
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from minitf_lab import project
from minitf_lab.results import MAX_TEXT, SIGNALS, Limits, Result

LIST_LIMIT_S = 10


@dataclass
class _Run:
    """One run of a program.

    Attributes:
        returncode: None if it did not end in time.
        report: What GoogleTest wrote; None if it did not come to that.
    """

    returncode: int | None
    output: str
    report: dict | None


def _run(program: Path, flags: list[str], limits: Limits) -> _Run:
    """Runs ``program``, and ends with it whatever it has started."""
    with tempfile.TemporaryDirectory() as folder:
        report, printed = Path(folder) / "report.json", Path(folder) / "printed"
        with printed.open("wb") as output:
            process = subprocess.Popen(
                [program, *flags, f"--gtest_output=json:{report}"],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            returncode = process.wait(limits.seconds)
        except subprocess.TimeoutExpired:
            returncode = None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        with printed.open("rb") as file:
            file.seek(-min(printed.stat().st_size, MAX_TEXT), os.SEEK_END)
            text = file.read().decode(errors="replace")
        try:
            return _Run(returncode, text, json.loads(report.read_text(errors="replace")))
        except (OSError, ValueError):
            return _Run(returncode, text, None)


def _end_of(run: _Run, limits: Limits) -> tuple[str, str]:
    """How a run without a report ended: a status, and a sentence."""
    if run.returncode is None:
        return "timeout", f"still running after {limits.seconds:g} s: an endless loop?"
    if run.returncode < 0:
        name = signal.Signals(-run.returncode).name
        return "crashed", f"{name}: {SIGNALS.get(name, 'a signal ended it')}"
    return "left", f"it ended the program, with exit status {run.returncode}"


def list_cases(program: Path) -> list[str]:
    """Names of the program's test cases.

    Raises:
        LabError: the program does not even list its cases.
    """
    limits = Limits(LIST_LIMIT_S)
    listed = _run(program, ["--gtest_list_tests"], limits)
    if listed.report is None:
        _, sentence = _end_of(listed, limits)
        raise project.LabError(
            f"the tests do not start: {sentence}\n{listed.output}".strip()
        )
    return [
        f"{suite['name']}.{case['name']}"
        for suite in listed.report["testsuites"]
        for case in suite["testsuite"]
    ]


def _result(case: dict) -> Result:
    """One case out of GoogleTest's report."""
    name = f"{case['classname']}.{case['name']}"
    if case.get("result") == "SKIPPED":
        return Result(name, "skipped", str(case.get("skipped", "")))
    if case.get("status") != "RUN" or case.get("result") != "COMPLETED":
        return Result(name, "left", "the case did not run to its end")
    failures = [failure["failure"] for failure in case.get("failures", [])]
    if not failures:
        return Result(name, "passed")
    message = "\n".join(failures)[:MAX_TEXT]
    return Result(name, "failed", message)


def _run_together(
    program: Path, cases: list[str], limits: Limits
) -> tuple[list[Result], _Run]:
    """Runs ``cases`` in one process; no Results if it does not come to its end."""
    with tempfile.NamedTemporaryFile("w") as flags:
        flags.write(f"--gtest_filter={':'.join(cases)}\n")
        flags.flush()
        done = _run(program, [f"--gtest_flagfile={flags.name}"], limits)
    # A signal, or no end at all, after the report was written is still no end.
    if done.report is None or done.returncode not in {0, 1}:
        return [], done
    reported = [
        _result(case)
        for suite in done.report["testsuites"]
        for case in suite["testsuite"]
    ]
    found = {result.name: result for result in reported}
    return [found.get(name, Result(name, "left", "was not run")) for name in cases], done


def run_cases(program: Path, cases: list[str], limits: Limits) -> list[Result]:
    """Runs ``cases`` together, or each alone if that comes to no end."""
    if not cases:
        return []
    return _run_together(program, cases, limits)[0] or _run_alone(program, cases, limits)


def _run_alone(program: Path, cases: list[str], limits: Limits) -> list[Result]:
    """Runs each of ``cases`` by itself."""
    results: list[Result] = []
    for name in cases:
        found, done = _run_together(program, [name], limits)
        result = found[0] if found else Result(name, *_end_of(done, limits))
        if not result.passed:
            result.printed = done.output
        results.append(result)
    return results
