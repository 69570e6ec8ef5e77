"""``./lab test``: every test of minitf, and one closing line. ``./lab lint`` is like it.

A part is a function that yields outcomes: a name, whether it is fine, and what to say if
it is not. A part that itself breaks counts as one failure; the others still run.

What has nothing to do with a change is not asked again (``verdicts.py``). What a kernel
computes is tested in C++ and by the tests of the framework in Python, which always run.
Tests of the lab tool, most labs, and documents that compute nothing need *that* it
computes: a source of a kernel that no lab hands out does not change their verdicts.
"""

import re
import subprocess
import sys
import tempfile
import time
import traceback
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from minitf_lab import contents, project
from minitf_lab.dev.checks import google_test
from minitf_lab.dev.quality import faults
from minitf_lab.labs import builds, grade, labgen
from minitf_lab.labs.answers import Answer
from minitf_lab.processes import shared_out
from minitf_lab.results import Limits, Result
from minitf_lab.verdicts import Verdicts

CASE_LIMITS = Limits(seconds=300)


@dataclass
class Outcome:
    """One test, or one check.

    Attributes:
        status: ``passed``, ``failed`` or ``skipped``.
        message: What there is to say if it did not pass.
        is_kept: Whether this is the verdict of an earlier run on the same contents.
    """

    name: str
    status: str
    message: str = ""
    is_kept: bool = False


Part = Callable[[], Iterable[Outcome]]


def verdict(name: str, problem: str, *, is_kept: bool = False) -> Outcome:
    """An outcome that is fine if there is no ``problem``."""
    return Outcome(name, "failed" if problem else "passed", problem, is_kept)


# Tests of ops with thousands of small steps, which take minutes in check mode.
LONG_ON_CARDS = (
    "tests/python/gradients/test_flow_gradients.py",
    "tests/python/gradients/test_numeric_gradients.py",
    "tests/python/ops/test_composites.py",
)
EMULATOR_TESTS = (
    "simt_fast_test",
    "simt_check_test",
    "gpu_fast_test",
    "gpu_check_test",
    "gpu_vendor_test",
)


def compiled() -> Iterator[Outcome]:
    """All that the other parts run."""
    targets = ["minitf_test", "minitf_core_test", "minitf", "_minitf", "minitf_stub"]
    targets += ["minitf_c", "minitf_c_tests", "minitf_wrapped", *EMULATOR_TESTS]
    targets += ["simt_check", "minitf_gpu", "minitf_gpu_checked"]
    drivers = [name for lab in project.all_labs() for name in builds.drivers_of(lab)]
    project.build(*targets, *drivers, is_shown=True)
    yield Outcome("everything compiles", "passed")


def _by_suite(program: Path) -> list[list[str]]:
    """The cases of a GoogleTest program, suite by suite."""
    suites: dict[str, list[str]] = {}
    for name in google_test.list_cases(program):
        suites.setdefault(name.rpartition(".")[0], []).append(name)
    return list(suites.values())


def _cpp_outcomes(program: Path, groups: list[list[str]]) -> Iterator[Outcome]:
    """Runs cases, each group in one process, so that a crash costs one group only."""

    def run_group(names: list[str]) -> list[Result]:
        return google_test.run_cases(program, names, CASE_LIMITS)

    with ThreadPoolExecutor(project.num_cores()) as pool:
        for results in pool.map(run_group, groups):
            for result in results:
                fine = result.status in {"passed", "skipped"}
                status = result.status if fine else "failed"
                yield Outcome(result.name, status, f"{result.status}: {result.message}")


def cpp_tests(preset: str) -> Iterator[Outcome]:
    """GoogleTest: one process for each suite."""
    # The emulator's hooks are those of a sanitizer: it is not built with another one.
    names = ["minitf_test", *(EMULATOR_TESTS if preset == "release" else ())]
    project.build(*names, preset=preset, is_shown=True)
    for name in names:
        program = project.build_folder(preset) / "tests" / name
        yield from _cpp_outcomes(program, _by_suite(program))


def core_tests() -> Iterator[Outcome]:
    """The core without any family: it links, and passes its tests in C++."""
    program = project.build_folder() / "tests" / "minitf_core_test"
    project.build(program.name)
    suites, count = _by_suite(program), project.num_cores()
    groups = [[*chain.from_iterable(suites[i::count])] for i in range(count)]
    outcomes = [*_cpp_outcomes(program, groups)]
    wrong = [f"{o.name}: {o.message}" for o in outcomes if o.status == "failed"]
    if not any(outcome.status == "passed" for outcome in outcomes):
        wrong.append("no test passed")
    yield verdict("the core alone passes its tests", "\n".join(wrong)[-5000:])


# Files of tests, or single ones, that import nothing of minitf, but run programs that do,
# link with it, or need a fixture of tests/conftest.py, which does.
BY_COMMAND = (
    *("project/test_adding_a_pass.py", "labs/test_bare.py", "course/test_course.py"),
    *("project/test_fuzz_api.py", "course/test_judging.py", "labs/test_lab_folders.py"),
    *("project/test_op_fuzz.py", "course/test_packs.py", "labs/test_together.py"),
    *("project/test_gpu_hostile.py", "project/test_kernel_walk.py"),
    *("project/test_c_api.py", "project/test_c_api_peer.py", "project/test_examples.py"),
    *("project/test_op_libraries.py", "project/test_ops_in_c.py"),
    "course/test_course_release.py::"
    "test_bytecode_is_imported_as_its_source_and_is_the_same_anywhere",
    "judge/test_judge_jets.py::test_jets_agree_with_tensorflow",
    "course/test_signed_records.py::"
    "test_a_write_that_fails_on_its_way_leaves_what_was_there",
)
SINGLE = [f"tests/python/{name}" for name in BY_COMMAND if "::" in name]
# What in these rooms is no test of the tool alone runs labs, courses and guides.
PROGRAMS = (
    *("labs/test_*", "course/test_*"),
    *("project/test_adding_*", "project/test_fuzz_*"),
)


def tests_of_tool() -> list[Path]:
    """The files in tests/python that do without minitf's library.

    They are about the lab tool, the judge, courses and the checks of style.
    """
    imports = re.compile(r"^(?:import|from) minitf\b", re.MULTILINE)
    folder = project.ROOT / "tests" / "python"
    return [
        path
        for path in sorted(folder.glob("*/test_*.py"))
        if path.relative_to(folder).as_posix() not in BY_COMMAND
        and not imports.search(path.read_text())
    ]


def tests_of_programs() -> list[Path]:
    """The files in tests/python that run labs and guides with minitf's library."""
    folder = project.ROOT / "tests" / "python"
    found = {path for names in PROGRAMS for path in folder.glob(f"{names}.py")}
    return sorted(found - set(tests_of_tool()))


def key_of_all() -> str:
    """The key of a verdict on the whole project."""
    return contents.digest(contents.tree(), contents.tools())


def key_of_programs() -> str:
    """The key of a verdict on the whole project but its documents."""
    return contents.digest(contents.tree(without=".md"), contents.tools())


def unless_kept(
    known: Verdicts, question: str, key_now: Callable[[], str], part: Part
) -> Iterator[Outcome]:
    """Yields the outcomes of ``part``, or those that were kept under the same key."""
    key = key_now()
    if (kept := known.find(question, key)) is not None:
        yield from (Outcome(name, "passed", is_kept=True) for name in kept["passed"])
        return
    outcomes = []
    for outcome in part():
        outcomes.append(outcome)
        yield outcome
    # Not if a file has changed meanwhile, nor what was skipped.
    if all(one.status == "passed" for one in outcomes) and key == key_now():
        known.keep(question, key, {"passed": [one.name for one in outcomes]})


def _key_without(leave_out: Callable[[], Collection[Path]], *more: str) -> str:
    """A key of the whole project but some sources."""
    leaves = leave_out()
    return contents.digest(contents.tree(leave_out=leaves), contents.tools(), *more)


def pytest(python: list[str], *arguments: str) -> Iterator[Outcome]:
    """Runs pytest on every processor; ``python`` is the command that runs Python."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [*python, "-m", "pytest", "-q", "--tb=short"]
        command += [f"--numprocesses={project.num_cores()}", "--dist=worksteal"]
        done = subprocess.run(
            [*command, f"--junitxml={report}", *arguments],
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


def python_tests(known: Verdicts) -> Iterator[Outcome]:
    """Pytest: tests of minitf in Python, and every example in a docstring."""
    project.build("minitf", "_minitf")
    python = [str(project.ROOT / "lab"), "python"]
    programs = tests_of_programs()
    others = [f"--ignore={file}" for file in (*tests_of_tool(), *programs)]
    yield from pytest(python, *others)
    # Whoever names cards computes on them: the same tests, by the kernels of cards.
    rooms = ("tests/python/ops", "tests/python/gradients")
    long = [f"--ignore={file}" for file in LONG_ON_CARDS]
    for kind, which, left_out in (
        ("emulate", "an emulated card", []),
        ("check", "a checked card", long),
    ):
        on_cards = ["env", f"MINITF_GPU={kind}", "CUDA_VISIBLE_DEVICES=0", *python]
        for case in pytest(on_cards, "-m", "not cpu_kernels", *left_out, *rooms):
            yield Outcome(f"{case.name} (on {which})", case.status, case.message)

    def run_programs() -> Iterator[Outcome]:
        yield from pytest(python, *map(str, programs))
        yield from pytest(python, *SINGLE)

    def key() -> str:
        return _key_without(contents.kernel_sources)

    yield from unless_kept(known, "program-tests", key, run_programs)


def tool_tests(known: Verdicts) -> Iterator[Outcome]:
    """Pytest: what does without minitf's library, which is not there for these tests.

    So sources of it that no lab hands out do not change what they say.
    """
    python = ["env", f"PYTHONPATH={project.ROOT / 'python'}", sys.executable]
    # Without tests/conftest.py, which imports minitf.
    options = ["--confcutdir=tests/python", "-o", "pythonpath=python tests/python"]
    options += [f"--deselect={name}" for name in SINGLE]

    def key() -> str:
        return _key_without(contents.library_sources)

    def run() -> Iterator[Outcome]:
        return pytest(python, *options, *map(str, tests_of_tool()))

    yield from unless_kept(known, "tool-tests", key, run)


def _starter(lab: project.Lab) -> Iterator[Outcome]:
    """What is handed out compiles, and says that nothing is written yet."""
    name = f"lab {lab.number}"
    try:
        with builds.alone(lab, "starter"):
            answer = builds.build_version(lab, "starter")
            starter = grade.grade_answer(lab, answer)
    except project.BuildError as error:
        yield Outcome(f"{name}: the starter compiles", "failed", str(error))
        return
    yield verdict(f"{name}: the starter compiles without a warning", answer.warnings)
    other = [
        f"{r.name}: {r.message}" for _, r in starter.failures if r.status != "not written"
    ]
    counts = [g.task.number for g in starter.tasks if len(g.results) != g.task.cases]
    yield verdict(
        f"{name}: the starter has no points", str(starter) if starter.points else ""
    )
    yield verdict(f"{name}: all is 'not written yet'", "\n".join(other))
    yield verdict(f"{name}: lab.json counts the cases", ", ".join(counts))


def _starter_if_changed(lab: project.Lab, known: Verdicts) -> Iterator[Outcome]:
    """``_starter``, or what it found before, which is kept as for faults (``faults.py``).

    The rest of the framework is left out here too: a starter ends where a region begins.
    """
    files = [*builds.files_of(lab, "starter").values()]
    files += [project.ROOT / file for file in lab.files]  # stand beside the student's

    def key() -> str:
        return faults.key_of(lab, Path(__file__).read_bytes(), files)

    yield from unless_kept(known, "starter", key, lambda: _starter(lab))


def _framework(lab: project.Lab, known: Verdicts) -> Iterator[Outcome]:
    """Minitf itself passes every case, the hidden ones too."""

    def run() -> Iterator[Outcome]:
        cases = grade.cases_of(lab, with_hidden=True)
        own = [*grade.run_cases(lab, Answer(None, {}), cases)]
        wrong = [f"{r.name}: {r.message}" for r in own if not r.passed]
        problem = "\n".join(wrong) if own else "there are no cases"
        yield verdict(f"lab {lab.number}: minitf itself passes every case", problem)

    is_of_kernels = any(file.startswith("kernels/") for file in lab.files)
    left_out = set if is_of_kernels else contents.kernel_sources

    def key() -> str:
        return _key_without(left_out, lab.folder)

    yield from unless_kept(known, "framework", key, run)


def of_each_lab(*checks: Callable[[project.Lab], Iterable[Outcome]]) -> Iterator[Outcome]:
    """What each of ``checks`` says of each lab; one that breaks counts as one failure.

    Processes, one more than there are cores, take one lab after the other, and then the
    next check's. What is long begins first.
    """

    def size(lab: project.Lab) -> int:
        seeded = lab.solution / faults.PLANTED
        return seeded.stat().st_size if seeded.exists() else 0

    labs = sorted(project.all_labs(), key=size, reverse=True)
    work = [(check, lab) for check in checks for lab in labs]

    def of_some(numbers: Iterator[int]) -> Iterator[Outcome]:
        for check, lab in (work[number] for number in numbers):
            try:
                yield from check(lab)
            except project.LabError as error:
                yield Outcome(f"lab {lab.number}", "failed", str(error))

    # An answer is waited for, and some sleep or hang.
    yield from shared_out(of_some, len(work), more=1)


def lab_gates(known: Verdicts) -> Iterator[Outcome]:
    """For every lab: what is handed out, and minitf itself."""

    def gates(lab: project.Lab) -> Iterator[Outcome]:
        builds.build_framework(lab)
        yield from _starter_if_changed(lab, known)
        yield from _framework(lab, known)

    yield verdict("exercises are those of the marks", "\n".join(labgen.findings()))
    yield from of_each_lab(gates)


# In a document: what minitf's kernels compute is shown.
def _run_part(title: str, part: Part, counts: dict[str, int]) -> None:
    """Runs one part, prints what fails, and adds to ``counts``."""
    start = time.monotonic()
    before = dict(counts)
    kept = 0
    try:
        for outcome in part():
            counts[outcome.status] += 1
            kept += outcome.is_kept
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
    known = f", {kept} known from before" if kept else ""
    print(
        f"{title}: {passed} passed, {failed} failed, {skipped} skipped "
        f"({took:.0f} s{known})",
        flush=True,
    )


def begun(part: Part) -> Part:
    """A part that is begun now, in a thread, and says in its turn what it has found."""
    return ThreadPoolExecutor(1).submit(lambda: list(part())).result


def run_parts(parts: dict[str, Part]) -> int:
    """Runs ``parts`` one after another and prints the sum as the last line.

    Returns:
        The exit status: 0 if something passed and nothing failed.
    """
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for title, part in parts.items():
        print(f"== {title}", flush=True)
        _run_part(title, part, counts)
    if not counts["passed"]:
        print("nothing was tested", file=sys.stderr)
    print(", ".join(f"{count} {status}" for status, count in counts.items()), flush=True)
    return 1 if counts["failed"] or not counts["passed"] else 0
