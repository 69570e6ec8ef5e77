"""``./lab test``: every test and check of minitf, and one closing line.

A part is a function that yields outcomes: a name, whether it is fine, and what to say if
it is not. A part that itself breaks counts as one failure; the others still run.
"""

import subprocess
import sys
import tempfile
import time
import traceback
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from minitf_lab import cases, faults, grade, labgen, project, static_checks

CASE_LIMITS = cases.Limits(seconds=300)


@dataclass
class Outcome:
    """One test, or one check: ``passed``, ``failed`` or ``skipped``."""

    name: str
    status: str
    message: str = ""


Part = Callable[[], Iterator[Outcome]]


def _verdict(name: str, problem: str) -> Outcome:
    return Outcome(name, "failed" if problem else "passed", problem)


def cpp_tests(preset: str) -> Iterator[Outcome]:
    """GoogleTest: one process for each suite, so that a crash costs one suite only.

    In another preset than release, the cases of the labs too, on the reference.
    """
    folder = project.build_folder(preset)
    programs = [folder / "tests" / "minitf_test"]
    if preset != "release":
        names = [
            grade.VERSIONS["reference"].format(lab.number) for lab in project.all_labs()
        ]
        programs += [folder / "labs" / name for name in names]
    project.build(*(program.name for program in programs), preset=preset)
    for program in programs:
        suites: dict[str, list[str]] = {}
        for name in cases.list_cases(program):
            suites.setdefault(name.rpartition(".")[0], []).append(name)
        for names in suites.values():
            for result in cases.run_cases(program, names, CASE_LIMITS):
                fine = result.status in {"passed", "skipped"}
                status = result.status if fine else "failed"
                yield Outcome(result.name, status, f"{result.status}: {result.message}")


def python_tests() -> Iterator[Outcome]:
    """Pytest: tests/python, and every example in a docstring."""
    project.build("minitf", "_minitf")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [
            str(project.ROOT / "lab"),
            "python",
            "-m",
            "pytest",
            "-q",
            "--tb=short",
        ]
        done = subprocess.run(
            [*command, f"--junitxml={report}"],
            cwd=project.ROOT,
            capture_output=True,
            text=True,
        )
        if not report.exists():
            yield Outcome("pytest", "failed", done.stdout[-5000:] + done.stderr[-5000:])
            return
        for case in ElementTree.parse(report).iter("testcase"):
            name = f"{case.get('classname')}.{case.get('name')}"
            bad = [part for part in case if part.tag in {"failure", "error"}]
            if bad:
                yield Outcome(name, "failed", bad[0].text or "")
            else:
                skipped = case.find("skipped")
                status = "passed" if skipped is None else "skipped"
                message = "" if skipped is None else skipped.get("message", "")
                yield Outcome(name, status, message)
        # Pytest can fail without a failing test, for instance when one does not load.
        if done.returncode not in {0, 1}:
            yield Outcome("pytest", "failed", done.stdout[-5000:] + done.stderr[-2000:])


def source_checks() -> Iterator[Outcome]:
    """What tools say of the source: style, format, lint, documents, exercises."""
    for name, check in static_checks.CHECKS.items():
        try:
            yield _verdict(name, check())
        except static_checks.ToolError as reason:
            yield Outcome(name, "skipped", str(reason))
    yield _verdict("labgen --check", "\n".join(labgen.findings()))


def lab_gates() -> Iterator[Outcome]:
    """For every lab: its starter, its reference and its planted faults."""
    for lab in project.all_labs():
        name = f"lab {lab.number}"
        try:
            program = grade.build_program(lab, "starter")  # a warning is an error here
            starter = grade.grade_program(lab, program)
        except project.BuildError as error:
            yield Outcome(f"{name}: the starter compiles", "failed", str(error))
        else:
            other = [r.name for _, r in starter.failures if r.status != "not written"]
            counts = [
                g.task.number for g in starter.tasks if len(g.results) != g.task.cases
            ]
            yield _verdict(
                f"{name}: the starter has no points",
                "" if not starter.points else str(starter),
            )
            yield _verdict(f"{name}: all is 'not written yet'", "\n".join(other))
            yield _verdict(f"{name}: lab.json counts the cases", ", ".join(counts))

        reference = grade.grade_program(lab, grade.build_program(lab, "reference"))
        wrong = "\n".join(f"{r.name}: {r.message}" for _, r in reference.failures)
        full = reference.points == lab.points
        yield _verdict(
            f"{name}: the reference has all points", "" if full else wrong or "?"
        )

        named = tried = 0
        for patch in faults.patches(lab):
            fault = faults.try_fault(lab, patch)
            tried += 1
            named += fault.named == fault.task
            problem = "" if fault.is_killed else fault.problem or "no test finds it"
            yield _verdict(f"{name}: fault {fault.name}", problem)
        few = "" if named >= 0.9 * tried else f"only {named} of {tried}"
        yield _verdict(f"{name}: reports name the faulty task", few)


def _run_part(title: str, part: Part, counts: dict[str, int]) -> None:
    """Runs one part, prints what fails, and adds to ``counts``."""
    start = time.monotonic()
    before = dict(counts)
    try:
        for outcome in part():
            counts[outcome.status] += 1
            if outcome.status != "passed":
                print(
                    f"{outcome.status.upper()}  {outcome.name}\n{outcome.message}",
                    flush=True,
                )
    except project.LabError as error:
        counts["failed"] += 1
        print(f"FAILED  {title}\n{error}", flush=True)
    except Exception:
        counts["failed"] += 1
        print(f"FAILED  {title}\n{traceback.format_exc()}", flush=True)
    passed, failed, skipped = (
        counts[key] - before[key] for key in ("passed", "failed", "skipped")
    )
    took = time.monotonic() - start
    print(
        f"{title}: {passed} passed, {failed} failed, {skipped} skipped ({took:.0f} s)",
        flush=True,
    )


def run(preset: str = "release") -> int:
    """Runs everything; with another preset than release, only the tests in C++.

    Returns:
        The exit status: 0 if nothing failed.
    """
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    parts: dict[str, Part] = {f"C++ tests ({preset})": lambda: cpp_tests(preset)}
    if preset == "release":
        parts |= {
            "Python tests": python_tests,
            "labs": lab_gates,
            "source": source_checks,
        }
    for title, part in parts.items():
        print(f"== {title}", flush=True)
        _run_part(title, part, counts)
    if not counts["passed"]:
        print("nothing was tested", file=sys.stderr)
    print(", ".join(f"{count} {status}" for status, count in counts.items()), flush=True)
    return 1 if counts["failed"] or not counts["passed"] else 0
