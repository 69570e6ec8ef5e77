"""``./lab fuzz ops``: every op, called with arguments that were spoilt at random.

``tests/python/op_fuzz.py`` makes the calls, in a process for each mode: eager, in a graph
of constants, and in a graph that is fed. The tests make two calls of each op, this makes
a hundred, or as many as it is told to.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from minitf_lab import project
from minitf_lab.labs import report

PROGRAM = project.ROOT / "tests" / "python" / "op_fuzz.py"
MODES = ("eager", "constants", "fed")
CALLS_OF_AN_OP = 100


def run_mode(mode: str, count: int, limit_s: float | None = None) -> str:
    """What went wrong in ``count`` calls of each op; empty if nothing did.

    Args:
        mode: ``eager``, ``constants`` or ``fed``.
        count: How many calls of each op.
        limit_s: How long it may take; any time if None.
    """
    with tempfile.TemporaryDirectory() as folder:
        progress = Path(folder) / "call"
        try:
            done = subprocess.run(
                [sys.executable, PROGRAM, mode, str(count), progress],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=limit_s,
                cwd=folder,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            )
        except subprocess.TimeoutExpired:
            end = f"not finished after {limit_s:g} s"
        else:
            if done.returncode == 0:
                return done.stdout
            end = f"exit status {done.returncode}\n{done.stderr[-2000:]}"
        call = progress.read_text(errors="replace") if progress.exists() else "no call"
    return f"{end}\n    in {call}"


def main(args: argparse.Namespace) -> int:
    """Makes ``args.cases`` calls of each op in each mode."""
    out = report.console()
    count = CALLS_OF_AN_OP if args.cases is None else args.cases
    if count < 1:
        raise project.LabError(f"--cases {count}: each op is called at least once")
    num_failed = 0
    for mode in MODES:
        problem = run_mode(mode, count)
        num_failed += bool(problem)
        text = f"FAILED\n{problem}" if problem else f"stood {count} calls of each op"
        out.print(f"{mode}: {text}", markup=False, highlight=False, soft_wrap=True)
    out.print(f"{len(MODES) - num_failed} passed, {num_failed} failed")
    return int(num_failed > 0)
