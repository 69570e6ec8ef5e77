"""Runs test cases of a GoogleTest program, so that one bad case costs only itself.

Cases in Python are in a program with the same flags and the same report
(``pytest_program.py``).

What counts is the report that GoogleTest writes after the last case: a case passes only
if that report says that it ran to its end and found no failure. What the program prints,
and its exit status, say nothing.

``run_cases`` runs all cases in one process. If that process does not come to its end,
because a case crashed, hung, or left the program, every case is run once more by itself.
``run_alone`` runs every case by itself at once, and keeps what a case that fails has
printed.
"""

import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from minitf_lab import project

NOT_WRITTEN = re.compile(r"task [\d.]+( \([^)]*\))? is not written yet")
MAX_TEXT = 20_000  # characters of a failure that are kept
MAX_PRINTED = 12  # lines of what a case has printed
MAX_OUTPUT_MB = 64  # what a program may print, or write to one file
LIST_LIMIT_S = 10
MAX_TIMEOUTS = 2  # after so many, the other cases of a task are not tried

SIGNALS = {
    "SIGSEGV": "it used memory that is not its own: a pointer that is null or dangling, "
    "an index past the end, or a function that calls itself without end",
    "SIGABRT": "it called std::abort: a failed assertion, or an exception that was not "
    "caught",
    "SIGFPE": "it divided an integer by zero",
    "SIGXFSZ": f"it printed more than {MAX_OUTPUT_MB} MB",
    "SIGKILL": "it was killed from outside; perhaps there was no memory left",
}


@dataclass(frozen=True)
class Limits:
    """What a process of a test program may use.

    Attributes:
        seconds: Wall-clock time.
        memory_mb: Memory; any amount if 0, as the sanitizers need.
    """

    seconds: float
    memory_mb: int = 0


@dataclass
class Result:
    """What became of one test case.

    Attributes:
        status: ``passed``, ``failed``, ``skipped``, ``not written``, ``crashed``,
            ``timeout`` or ``left``, for a case that ended the program.
        message: What the test has to say, for a person.
        details: What it left to be shown in a table: ``index``, ``expected``, ``got``
            and ``shape`` (tests/testing.h).
        printed: What the code under test printed; known if the case ran alone.
    """

    name: str
    status: str
    message: str = ""
    details: dict[str, str] = field(default_factory=dict)
    printed: str = ""

    @property
    def passed(self) -> bool:
        """Whether it counts."""
        return self.status == "passed"


@dataclass
class Run:
    """One run of a program.

    Attributes:
        returncode: None if it did not end in time.
        report: What GoogleTest wrote; None if it did not come to that.
    """

    returncode: int | None
    output: str
    report: dict | None


def _restrict(limits: Limits) -> Callable[[], None]:
    """What sets the limits, called in the new process."""

    def restrict() -> None:
        output = MAX_OUTPUT_MB << 20
        resource.setrlimit(resource.RLIMIT_FSIZE, (output, output))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if limits.memory_mb:
            memory = limits.memory_mb << 20
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))

    return restrict


def run(program: Path, flags: list[str], limits: Limits) -> Run:
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
                preexec_fn=_restrict(limits),
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
            return Run(returncode, text, json.loads(report.read_text(errors="replace")))
        except (OSError, ValueError):
            return Run(returncode, text, None)


def end_of(run: Run, limits: Limits) -> tuple[str, str]:
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
    listed = run(program, ["--gtest_list_tests"], limits)
    if listed.report is None:
        _, sentence = end_of(listed, limits)
        raise project.LabError(
            f"the tests do not start: {sentence}\n"
            "Does something in your files run before the tests do, such as the "
            f"constructor of a global variable?\n{_own_output(listed.output, '')}".strip()
        )
    return [
        f"{suite['name']}.{case['name']}"
        for suite in listed.report["testsuites"]
        for case in suite["testsuite"]
    ]


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
    message = "\n".join(failures)[:MAX_TEXT]
    only_missing = all(NOT_WRITTEN.search(failure) for failure in failures)
    return Result(name, "not written" if only_missing else "failed", message, details)


def _own_output(output: str, failures: str) -> str:
    r"""What is left of a program's output without what GoogleTest says.

    >>> _own_output("[ RUN      ] A.B\nx = 3\na.cc:1: Failure\nno\n", "a.cc:1\nno")
    'x = 3'
    """
    known = set(failures.split("\n"))
    known |= {f"{line}: Failure" for line in known}
    lines = [
        line
        for line in output.split("\n")
        if line not in known
        and not re.match(
            r"\[[-= A-Z]{10}\]|Note: Google Test filter|Running main\(\)", line
        )
        and not re.match(r"\s*\d+ FAILED TEST", line)
    ]
    lines = "\n".join(lines).strip().split("\n")
    cut = ["..."] if len(lines) > MAX_PRINTED else []
    return "\n".join(cut + lines[-MAX_PRINTED:])


def _run_together(
    program: Path, cases: list[str], limits: Limits
) -> tuple[list[Result], Run]:
    """Runs ``cases`` in one process; no Results if it does not come to its end."""
    with tempfile.NamedTemporaryFile("w") as flags:
        flags.write(f"--gtest_filter={':'.join(cases)}\n")
        flags.flush()
        done = run(program, [f"--gtest_flagfile={flags.name}"], limits)
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
    return _run_together(program, cases, limits)[0] or run_alone(program, cases, limits)


def run_alone(program: Path, cases: list[str], limits: Limits) -> list[Result]:
    """Runs each of ``cases`` by itself. After two that hang, the others are not tried."""
    results: list[Result] = []
    for name in cases:
        if sum(result.status == "timeout" for result in results) == MAX_TIMEOUTS:
            sentence = f"not tried, because {MAX_TIMEOUTS} others came to no end"
            results.append(Result(name, "timeout", sentence))
            continue
        found, done = _run_together(program, [name], limits)
        result = found[0] if found else Result(name, *end_of(done, limits))
        if not result.passed:
            result.printed = _own_output(done.output, result.message)
            result.message = result.message.replace(
                "std::bad_alloc", f"it needs more than {limits.memory_mb} MB of memory"
            )
        results.append(result)
    return results
