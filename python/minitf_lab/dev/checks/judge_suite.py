"""The tests of the judge for ``./lab lint``, which are run for every kind of judge.

All of them with the best box that there is; the hostile and the honest answers once more
in the weaker box, Landlock's, and with a judge that is not root.
"""

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from minitf_lab import project
from minitf_lab.dev.checks import suite
from minitf_lab.dev.checks.suite import Outcome
from minitf_lab.verdicts import Verdicts

ANSWERS = (
    *("tests/judge/test_attacks.py", "tests/judge/test_honest.py"),
    *("tests/judge/test_speed_attacks.py", "tests/judge/test_helpers.py"),
    *("tests/judge/test_bytecode.py", "tests/judge/test_verdict_words.py"),
)
LONGEST = "tests/judge/test_bulk.py"  # so it begins first
ORDINARY_USER = 1000


@dataclass(frozen=True)
class Judge:
    """Who runs which tests.

    Attributes:
        name: What the report calls it.
        tests: For pytest.
        command: What goes in front of the command.
        skipped: Why it cannot be tried; empty if it can.
    """

    name: str
    tests: tuple[str, ...]
    command: list[str] = field(default_factory=list)
    skipped: str = ""


def _run(command: list[str]) -> str:
    """What a command says if it fails."""
    done = subprocess.run(command, cwd=project.ROOT, capture_output=True, text=True)
    said = f"{done.stdout}{done.stderr}".strip()
    return "" if done.returncode == 0 else said or "failed"


def _opened(paths: list[Path], folder: Path) -> list[str]:
    """What runs a command where others reach ``paths`` too, such as a Python in /root.

    In name spaces of its own it sees, in place of a folder that others may not enter, one
    in which there are these alone.

    Args:
        paths: None of them in another one.
        folder: For names of mounts.
    """
    closed = {
        next((p for p in reversed(path.parents) if not p.stat().st_mode & 1), None)
        for path in paths
    } - {None}
    before, after = [], []
    for number, path in enumerate(paths):
        if not closed & set(path.parents):
            continue
        kept = folder / f"mount{number}"
        before.append(["mkdir", "-p", kept])
        before.append(["mount", "--bind", path, kept])
        after.append(["mkdir", "-p", path])
        after.append(["mount", "--bind", kept, path])
    hidden = [["mount", "-t", "tmpfs", "-o", "mode=755", "none", p] for p in closed]
    steps = [shlex.join(map(str, step)) for step in (*before, *hidden, *after)]
    script = " && ".join([*steps, 'exec "$@"'])
    return ["unshare", "--mount", "sh", "-c", script, "sh"]


def _as_ordinary_user(folder: Path) -> Judge:
    """A judge that is not root, whose home is ``folder``."""
    name = "judge of an ordinary user"
    if os.geteuid() != 0:
        return Judge(name, ANSWERS, skipped="that is who runs all of this")
    os.chown(folder, ORDINARY_USER, ORDINARY_USER)
    user = str(ORDINARY_USER)
    paths = [Path(sys.base_prefix), project.ROOT]
    command = _opened([p for p in paths if not p.is_relative_to("/usr")], folder)
    command += ["setpriv", "--reuid", user, "--regid", user, "--clear-groups"]
    command += ["env", f"HOME={folder}", f"TMPDIR={folder}"]
    fault = _run([*command, sys.executable, "-c", "import minitf_lab"])
    return Judge(name, ANSWERS, command, fault.split("\n")[-1])


def judges(folder: Path, more: bool) -> list[Judge]:
    """The best one; if ``more``, all that can be tried, and what cannot.

    Args:
        folder: For one that is not root.
        more: See above.
    """
    best = Judge("judge", (LONGEST, "tests/judge"))
    if not more:
        return [best]
    landlock = ["env", "MINITF_BOX=landlock"]
    return [
        best,
        Judge("judge with Landlock's box", ANSWERS, landlock),
        _as_ordinary_user(folder),
    ]


def _test(title: str, command: list[str]) -> Iterator[Outcome]:
    yield suite.verdict(title, _run(command)[-5000:])


def run(known: Verdicts, more: bool) -> Iterator[Outcome]:
    """Hostile answers, honest ones, and what each wall of the box is good for.

    They take minutes, and wait in many of them: for a case that hangs, for a compiler.
    """
    project.build("minitf", "_minitf", "lab_guard", "lab_00_driver")
    jobs = str(project.num_cores() + 1)
    # Nothing in the checkout is another user's to write to.
    options = ["-q", "--tb=short", "-p", "no:cacheprovider", "-n", jobs]
    with tempfile.TemporaryDirectory(prefix="minitf-user-") as name:
        for judge in judges(Path(name), more):
            title = f"tests of the {judge.name}"
            question = judge.name.replace(" ", "-").replace("'", "")
            if judge.skipped:
                yield Outcome(title, "skipped", judge.skipped)
                continue
            pytest = [sys.executable, "-m", "pytest", *options, *judge.tests]
            test = partial(_test, title, [*judge.command, *pytest])
            yield from suite.unless_kept(known, question, suite.key_of_all, test)
