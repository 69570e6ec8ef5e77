"""mypy and pyright, which read the examples, the stubs and the generator of bindings.

Four questions to each: do the examples in ``docs/examples`` have the right types, does
every public name exist, do ``minitf_wrap`` and the stubs that it writes have the right
types, and are the calls of ``WRONG`` reported, each in its line. The stubs are that of
minitf's own interface and those of the small interfaces in ``tests/python/wrap``.

pyright comes as basedpyright, a build of it that brings its own Node.js in a package. The
package called pyright downloads one when it runs.

Read next: ``lint.py``.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from minitf_lab import project
from minitf_lab.dev.checks import suite
from minitf_lab.dev.checks.suite import Outcome
from minitf_lab.verdicts import Verdicts

WRONG = project.ROOT / "tests" / "type_checkers" / "wrong_calls.py"
EXAMPLES = project.ROOT / "docs" / "examples"
GENERATOR = project.ROOT / "python" / "minitf_wrap"
INTERFACES = project.ROOT / "tests" / "python" / "wrap"
MARK = "# wrong:"
_USES = "from minitf_lab.dev.stubs import modules; print(modules.uses())"

# Says which lines of a file have errors, and the errors.
Checker = Callable[[list[Path]], dict[tuple[str, int], str]]


def _output(*command: str) -> str:
    """The output of a type checker. Its exit status is 1 if the code has errors.

    Raises:
        LabError: it did not get as far as that.
    """
    done = subprocess.run(command, cwd=project.ROOT, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise project.LabError(f"{command[0]} failed: {done.stdout}{done.stderr}")
    return done.stdout


def _python(*arguments: str) -> str:
    """Returns what a Python program prints that can import minitf.

    Raises:
        LabError: the program failed.
    """
    environment = project.environment_of("release")
    command = [sys.executable, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise project.LabError(f"{' '.join(command)} failed: {done.stderr}")
    return done.stdout


def _program(name: str) -> str:
    return str(Path(sys.executable).with_name(name))


def mypy(files: list[Path]) -> dict[tuple[str, int], str]:
    """The errors that mypy finds, by file and line."""
    text = _output(_program("mypy"), "--output=json", *map(str, files))
    rows = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return {
        (Path(row["file"]).name, row["line"]): row["message"]
        for row in rows
        if row["severity"] == "error"
    }


def pyright(files: list[Path]) -> dict[tuple[str, int], str]:
    """The errors that pyright finds, by file and line."""
    options = ["--outputjson", "--pythonpath", sys.executable]
    text = _output(_program("basedpyright"), *options, *map(str, files))
    return {
        (Path(row["file"]).name, row["range"]["start"]["line"] + 1): row["message"]
        for row in json.loads(text)["generalDiagnostics"]
        if row["severity"] == "error"
    }


CHECKERS: dict[str, tuple[str, Checker]] = {
    "mypy": ("mypy", mypy),
    "pyright": ("basedpyright", pyright),
}


def marked_lines(text: str) -> set[int]:
    """The lines of a file that a type checker must report.

    >>> marked_lines("f('a')  # wrong: a str for an int")
    {1}
    """
    lines = enumerate(text.splitlines(), start=1)
    return {number for number, line in lines if MARK in line}


def wrong_calls(checker: Checker) -> str:
    """The differences between the marked and the reported lines of ``WRONG``."""
    marked = marked_lines(WRONG.read_text())
    found = {line: message for (_, line), message in checker([WRONG]).items()}
    missed = [f"{WRONG.name}:{n}: not reported" for n in sorted(marked - found.keys())]
    others = sorted(found.keys() - marked)
    return "\n".join(missed + [f"{WRONG.name}:{n}: {found[n]}" for n in others])


def _errors(checker: Checker, files: list[Path]) -> str:
    found = sorted(checker(files).items())[:20]
    return "\n".join(f"{name}:{line}: {message}" for (name, line), message in found)


def answers(name: str) -> Iterator[Outcome]:
    """The answers of one checker to the four questions."""
    program, checker = CHECKERS[name]
    if not Path(_program(program)).exists():
        yield Outcome(
            name, "skipped", f"{program} is not installed (./lab lint brings it)"
        )
        return
    project.build("minitf_stub", "minitf_by_minitf_wrap")
    examples = _errors(checker, sorted(EXAMPLES.glob("*.py")))
    yield suite.verdict(f"{name}: types of docs/examples", examples)
    yield suite.verdict(
        f"{name}: types of the generator of bindings", _generator(checker)
    )
    yield suite.verdict(f"{name}: wrong calls are reported", wrong_calls(checker))
    yield suite.verdict(f"{name}: every public name is known", _unknown_names(checker))


def _generator(checker: Checker) -> str:
    """The errors in the generator and in the stubs that it writes."""
    wrapped = project.build_folder() / "python" / "wrapped" / GENERATOR.name
    files = [*sorted(GENERATOR.glob("*.py")), wrapped / "minitf_swig.pyi"]
    with tempfile.TemporaryDirectory() as folder:
        return _errors(checker, [*files, *_small_stubs(Path(folder))])


def _small_stubs(folder: Path) -> Iterator[Path]:
    """Writes the stubs of the small interfaces, with the names of their interfaces.

    Raises:
        LabError: the generator failed.
    """
    for interface in sorted(INTERFACES.glob("*.i")):
        if "%module" not in interface.read_text():
            continue  # other interfaces include it
        own = folder / interface.stem
        own.mkdir()
        paths = [str(interface), "-I", str(INTERFACES), "--outdir", str(own)]
        _python("-m", GENERATOR.name, *paths)
        (stub,) = own.glob("*.pyi")
        yield stub.rename(folder / f"{interface.stem}_stub.pyi")


def _unknown_names(checker: Checker) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "every_name.py"
        path.write_text(_python("-c", _USES))
        return _errors(checker, [path])


def run(known: Verdicts) -> Iterator[Outcome]:
    """Runs mypy and pyright, unless nothing has changed since they found nothing."""
    for name in CHECKERS:
        check = partial(answers, name)
        yield from suite.unless_kept(known, name, suite.key_of_all, check)
