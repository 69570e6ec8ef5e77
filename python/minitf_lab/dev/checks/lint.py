"""``./lab lint``: what tools say of the source, and cases of wrong and right answers.

It is for changes of minitf and of labs. What was fine is not read again until it
changes: a verdict is kept for each file of C++, for each wrong or right answer, and for
the whole project where the tool reads that in a second (``verdicts.py``).
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from minitf_lab import contents, project
from minitf_lab.dev.checks import judge_suite, programs, suite, tidy, type_checkers
from minitf_lab.dev.checks.suite import Outcome, Part
from minitf_lab.dev.quality import controls, faults, misbehaviour, sanitized
from minitf_lab.labs import builds
from minitf_lab.verdicts import Verdicts

ONE_OF = 8  # answers to labs
CPP_FOLDERS = ["minitf", "kernels", "tests", "python", "exercises"]


def _tool(name: str) -> str:
    """A program of the environment."""
    return str(Path(sys.executable).parent / name)


# Tests of what a program does with the core; those of single ops are the same as with
# families.
CORE_TESTS = """
    gradients/eager gradients/gradients graph/control_flow graph/graph graph/session
    ops/metrics project/families training/input_pipeline training/layers
    training/parsing training/queues training/readers training/training
    training/variables
"""

# Checks that read the whole project.
WHOLE: dict[str, list[str]] = {
    "style": [sys.executable, "tests/check_style.py"],
    "ruff check": [_tool("ruff"), "check", "--quiet", "."],
    "ruff format": [_tool("ruff"), "format", "--check", "."],
}


def _ask(*command: str, environment: dict[str, str] | None = None) -> str:
    """What ``command`` prints if it fails, with ``environment`` beside that of ./lab."""
    done = subprocess.run(
        command,
        cwd=project.ROOT,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
    )
    return (
        "" if done.returncode == 0 else f"{done.stdout}{done.stderr}".strip() or "failed"
    )


def cpp_files(*endings: str) -> list[str]:
    """Our sources with one of these endings, as paths from the top folder."""
    return [
        str(path.relative_to(project.ROOT))
        for folder in CPP_FOLDERS
        for path in sorted((project.ROOT / folder).rglob("*"))
        if path.suffix in endings
    ]


def _whole_check(name: str, command: list[str]) -> Iterator[Outcome]:
    yield suite.verdict(name, _ask(*command))


def whole_checks(known: Verdicts) -> Iterator[Outcome]:
    """The rules that no formatter knows, and Python: names, imports, layout."""
    for name, command in WHOLE.items():
        question = name.replace(" ", "-")
        check = partial(_whole_check, name, command)
        yield from suite.unless_kept(known, question, suite.key_of_all, check)


def _problems(names: list[str], ask: Callable[[list[str]], str]) -> dict[str, str]:
    """What is wrong with files, by name: those of a group with a finding are halved."""
    if not names or not (problem := ask(names)):
        return {}
    if len(names) == 1:
        return {names[0]: problem}
    half = len(names) // 2
    return _problems(names[:half], ask) | _problems(names[half:], ask)


def file_checks(
    question: str,
    names: list[str],
    key_of: Callable[[str], str],
    ask: Callable[[list[str]], str],
    known: Verdicts,
) -> Iterator[Outcome]:
    """The verdict on each of some files that a tool can read together.

    Args:
        question: The name of the check.
        names: The files.
        key_of: The key of the verdict on a file, as it is now.
        ask: What is wrong with these files; empty if nothing is.
        known: Verdicts of earlier runs.
    """
    keys = {name: key_of(name) for name in names}
    asked = [name for name, key in keys.items() if known.find(question, key) is None]
    problems = dict.fromkeys(names, "") | _problems(asked, ask)
    for name in asked:
        # Not if the file has changed meanwhile.
        if not problems[name] and key_of(name) == keys[name]:
            known.keep(question, keys[name], {})
    for name in names:
        title = f"{question} {name}"
        yield suite.verdict(title, problems[name], is_kept=name not in asked)


def layout_of_cpp(known: Verdicts) -> Iterator[Outcome]:
    """clang-format."""
    program, config = _tool("clang-format"), project.ROOT / ".clang-format"

    def key_of(name: str) -> str:
        text = contents.of_files([project.ROOT / name])
        return contents.digest(text, config.read_bytes(), contents.tools())

    def ask(names: list[str]) -> str:
        return _ask(program, "--dry-run", "-Werror", *names)

    names = cpp_files(".h", ".cc", ".cu")
    yield from file_checks("clang-format", names, key_of, ask, known)


def clang_tidy(known: Verdicts) -> Iterator[Outcome]:
    """clang-tidy: names, size of functions, likely bugs, in minitf/ and kernels/."""
    if not tidy.PROGRAM.exists() or shutil.which("clang++") is None:
        reason = "clang-tidy and clang are not installed (./lab doctor)"
        yield Outcome("clang-tidy", "skipped", reason)
        return
    project.build("minitf_protos_generated", preset="lint")

    def read(group: tidy.Group) -> list[Outcome]:
        def key_of(name: str) -> str:
            return tidy.key(name, group.flags)

        def ask(names: list[str]) -> str:
            return tidy.read_together(names, group.flags)

        return list(file_checks("clang-tidy", group.names, key_of, ask, known))

    with ThreadPoolExecutor(project.num_cores()) as pool:
        for outcomes in pool.map(read, tidy.groups()):
            yield from outcomes


def core_alone(known: Verdicts) -> Iterator[Outcome]:
    """The core, built without families: it trains the demo's network, and its tests pass.

    Of the demo it does the first steps, of the tests in Python those of CORE_TESTS.
    """
    yield from suite.unless_kept(known, "core-alone", suite.key_of_programs, _core_alone)


def _core_alone() -> Iterator[Outcome]:
    """``core_alone``, run now."""
    project.build("minitf", "_minitf", preset="core")
    environment = project.environment_of("core")
    problems = []
    for mode in ("static", "eager"):
        command = [sys.executable, "-m", "minitf_lab.dev.demo.train", mode]
        command += ["--steps", "10"]
        with tempfile.TemporaryDirectory() as out:
            problems.append(_ask(*command, "--folder", out, environment=environment))
    parts = [name.split("/") for name in CORE_TESTS.split()]
    tests = [f"tests/python/{room}/test_{name}.py" for room, name in parts]
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "--dist=worksteal"]
    command += ["-n", str(project.num_cores()), "-o", "pythonpath=tests/python"]
    problems.append(_ask(*command, *tests, environment=environment))
    problem = "\n".join(filter(None, problems))
    yield suite.verdict("the core alone", problem[-5000:])


def sample(more: bool) -> Callable[[str], bool]:
    """Says of the name of an answer whether it is tried: all with ``more``, else a part.

    The part is one answer of ``ONE_OF``, and every answer to a whole lab. It depends on
    the project's files, so that other answers are tried after each change.
    """
    tree = "" if more else suite.key_of_programs()

    def is_chosen(name: str) -> bool:
        number = int(contents.digest(name, tree)[:8], 16)
        return more or name in builds.HONEST or number % ONE_OF == 0

    return is_chosen


def wrong_answers(
    known: Verdicts,
    lab: project.Lab,
    is_chosen: Callable[[str], bool] = lambda name: True,
) -> Iterator[Outcome]:
    """Planted faults of a lab: its cases find them, and reports name their task."""
    name = f"lab {lab.number}"
    tried = []
    asked = faults.try_all(
        lab, faults.PLANTED, known, chosen=lambda entry: is_chosen(entry.name)
    )
    for fault in asked:
        tried.append(fault)
        problem = "" if fault.is_killed else fault.problem or "no test finds it"
        title = f"{name}: fault {fault.name}"
        yield suite.verdict(title, problem, is_kept=fault.is_kept)
    # Shares of a small sample vary, so there it may miss each bound by two.
    is_sample = len(tried) < len([*faults.answers(lab, faults.PLANTED)])
    spare = 2 if is_sample else 0
    named = sum(fault.named == fault.task for fault in tried)
    is_enough = named >= 0.9 * len(tried) - spare
    few = "" if is_enough else f"only {named} of {len(tried)}"
    yield suite.verdict(f"{name}: reports name the faulty task", few)
    silent = faults.undiagnosed(lab, tried)
    # One fault in eight of lab 08 reads memory that nobody wrote: with another build,
    # it errs in another way.
    is_enough = len(silent) <= 0.2 * len(tried) + spare
    few = "" if is_enough else f"run ./lab faults {lab.number}"
    yield suite.verdict(f"{name}: reports say what an answer looks like", few)


def tried_answers(
    title: str,
    try_all: Callable[[project.Lab, Verdicts], Iterable[tuple[str, str, bool]]],
    known: Verdicts,
    lab: project.Lab,
) -> Iterator[Outcome]:
    """Runs ``try_all``; yields the verdict on each answer, by the sentence ``title``."""
    for name, problem, is_kept in try_all(lab, known):
        said = f"lab {lab.number}: {title.format(name=name)}"
        yield suite.verdict(said, problem, is_kept=is_kept)


def run(known: Verdicts, more: bool) -> int:
    """Runs the checks; returns the exit status.

    Args:
        known: What was found good before.
        more: Whether to try all answers to labs, and to run the checks for which minitf
            is built once more, and the judge in weaker boxes.
    """

    def of_labs(*checks: Callable[[Verdicts, project.Lab], Iterator[Outcome]]) -> Part:
        return lambda: suite.of_each_lab(*(partial(check, known) for check in checks))

    is_chosen = sample(more)
    right_ones = partial(controls.try_all, is_chosen=is_chosen)
    right = partial(tried_answers, "right answer {name}", right_ones)
    wrong = partial(wrong_answers, is_chosen=is_chosen)
    title = "an answer with {name} costs its case alone"
    misbehaving = partial(tried_answers, title, misbehaviour.try_all)
    title = "minitf itself passes every case under {name}"
    watched = partial(tried_answers, title, sanitized.try_all)

    # It waits in half of its time, and clang-tidy never.
    the_judge = suite.begun(lambda: judge_suite.run(known, more))
    parts = {
        "style and Python": lambda: whole_checks(known),
        "types": lambda: type_checkers.run(known),
        "clang-format": lambda: layout_of_cpp(known),
        "clang-tidy": lambda: clang_tidy(known),
        "the judge": the_judge,
        "answers to labs": of_labs(right, wrong, misbehaving),
    }
    if more:
        parts |= {
            "the core alone": lambda: core_alone(known),
            "labs under sanitizers": of_labs(watched),
            "instructions": lambda: programs.load("bench", "instructions").check(known),
        }
    status = suite.run_parts(parts)
    known.forget_old()
    return status
