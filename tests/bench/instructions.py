"""``./lab bench --instructions``: how many instructions kernels take, and took before.

Seconds depend on what else the machine does, and so cannot fail a test. The number of
instructions does not: valgrind's callgrind counts the same ones each time, to a few in a
million. ``tests/bench/instructions.json`` has the number of each case. A change that
makes one larger by more than ``ALLOWED`` is found; it is taken back, or says so by
``--write``.

What this does not see: cache misses, and what is compiled for this processor alone.
minitf is built once more, for any x86-64, since valgrind knows no AVX-512; Highway's
kernels run as on a processor with AVX2.

Read next: ``tests/bench/counted.py``.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import bench

from minitf_lab import project
from minitf_lab.dev.checks import suite
from minitf_lab.dev.checks.suite import Outcome
from minitf_lab.labs import report
from minitf_lab.verdicts import Verdicts

KNOWN = bench.BENCH / "instructions.json"
PRESET = "counted"
ALLOWED = 1.03
VALGRIND = ("valgrind", "--tool=callgrind", "--instr-atstart=no")


def read() -> dict[str, int]:
    """The instructions of each case, as they were written down."""
    return json.loads(KNOWN.read_text())


def _environment() -> dict[str, str]:
    """That of a process with one thread, whose minitf is the one to count.

    Raises:
        LabError: it does not compile.
    """
    project.build("minitf", "_minitf", preset=PRESET)
    return {
        **os.environ,
        **project.environment_of(PRESET),
        **bench.peak(),
        "MINITF_BENCH_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }


def _count(case: str, environment: dict[str, str]) -> int:
    """The instructions of a case, in a process of its own: memory is as fresh each time.

    Raises:
        LabError: the process ends early.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [*VALGRIND, f"--callgrind-out-file={folder}/out", sys.executable]
        done = subprocess.run(
            [*command, str(bench.BENCH / "counted.py"), case],
            env=environment,
            capture_output=True,
            text=True,
        )
        # The first is what counted.py asks for, the other one about the process's end.
        counted = Path(folder, "out.1")
        text = counted.read_text(errors="replace") if counted.exists() else ""
    total = re.search(r"^(?:totals|summary): (\d+)", text, re.M)
    if done.returncode or not total:
        raise project.LabError(f"counting {case} has ended early:\n{done.stderr[-2000:]}")
    return int(total[1])


def count(cases: list[str]) -> dict[str, int]:
    """Counts the instructions of each case, on one thread.

    Raises:
        LabError: valgrind is not there, or a process ends early.
    """
    if shutil.which("valgrind") is None:
        raise project.LabError("valgrind is not installed: apt-get install valgrind")
    environment = _environment()
    with ThreadPoolExecutor(project.num_cores()) as pool:
        totals = pool.map(lambda case: _count(case, environment), cases)
        return dict(zip(cases, totals, strict=True))


def _problem(case: str, found: int, known: int) -> str:
    """What is wrong with a count; empty if nothing is."""
    if found <= ALLOWED * known:
        return ""
    return (
        f"{case} takes {found:,} instructions, {found / known - 1:.1%} more than "
        f"{known:,} ({KNOWN.relative_to(project.ROOT)}); if that is meant: "
        "./lab bench --instructions --write"
    )


def check(known: Verdicts) -> Iterator[Outcome]:
    """No case takes more instructions than is written down: ``./lab lint --more``."""
    if shutil.which("valgrind") is None:
        yield Outcome("instructions", "skipped", "valgrind is not installed")
        return

    def compare() -> Iterator[Outcome]:
        committed = read()
        found = count(list(committed))
        for name, before in committed.items():
            problem = _problem(name, found[name], before)
            yield suite.verdict(f"instructions of {name}", problem)

    yield from suite.unless_kept(known, "instructions", suite.key_of_programs, compare)


def main(word: str, *, write: bool) -> int:
    """Counts the cases with ``word`` in their names and prints them; 1 if one has grown.

    Args:
        word: A part of names; all cases have the empty one.
        write: Whether to write the numbers down.
    """
    committed = read()
    cases = [name for name in committed if word in name]
    if not cases:
        raise project.LabError(f"no case that is counted has '{word}' in it")
    found = count(cases)
    out = report.console()
    for name in cases:
        ratio = found[name] / committed[name]
        out.print(f"{name:28} {found[name]:>15,} {ratio:8.3f}", markup=False)
    if write:
        KNOWN.write_text(json.dumps(committed | found, indent=1) + "\n")
        return 0
    problems = [_problem(name, found[name], committed[name]) for name in cases]
    for problem in filter(None, problems):
        out.print(problem, markup=False, soft_wrap=True)
    return 1 if any(problems) else 0
