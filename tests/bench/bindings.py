"""``./lab bench bindings``: what a call of C++ costs through each binding.

The calls build a graph, run an op, and run a step. They go through pybind11, the modules
that SWIG and minitf_wrap generate, ctypes, and a program in C. The program in C also
calls TensorFlow's C library where the peers are installed. SWIG and minitf_wrap call a
module of small functions, too.

The bindings take turns as the frameworks of ``./lab bench`` do: one process for each, all
on the same core, the others stopped.

Read next: ``tests/bench/binding_worker.py``.
"""

import argparse
import contextlib
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

import bench
from bench import Worker

from minitf_lab import project
from minitf_lab.labs import report

TENSORFLOW, C, SWIG, OURS = "TensorFlow, C", "C", "SWIG", "minitf_wrap"
# Medians that are divided by each other.
RATIOS = ((C, TENSORFLOW), (OURS, SWIG))


def _tensorflow() -> Path | None:
    """TensorFlow's C library among the peers, if there is one."""
    python = bench.peer_python()
    place = "lib/python*/site-packages/tensorflow/libtensorflow_cc.so.*"
    return next(python.parent.parent.glob(place), None) if python else None


def _kit(folder: Path, *, swig: bool) -> Path:
    """Generates and compiles the module of small functions; returns its folder."""
    tests = str(project.ROOT / "tests" / "python" / "wrap")
    if tests not in sys.path:
        sys.path.append(tests)
    import oracle

    interface = Path(tests) / "kit.i"
    try:
        source = oracle.generate(interface, folder, swig=swig)
        oracle.compile_(source, "kit", "-O2", "-w")
    except AssertionError as error:
        raise project.LabError(f"kit.i does not compile: {error}") from None
    return folder


def _commands(folder: Path) -> dict[str, list[Path]]:
    """The bindings that can be measured here, with the arguments of their processes."""
    project.build("minitf_c", "_minitf", "minitf_wrapped", "minitf_c_calls")
    build = project.build_folder()
    library = build / "python" / "minitf" / "libminitf_c.so"
    program = build / "tests" / "libminitf_c_calls.so"
    wrapped = build / "python" / "wrapped"
    commands: dict[str, list[Path]] = {C: [program, library]}
    if tensorflow := _tensorflow():
        commands[TENSORFLOW] = [program, tensorflow]
    commands |= {"pybind11": [], "ctypes": [library]}
    if shutil.which("swig"):
        commands[SWIG] = [wrapped / "swig", _kit(folder / "swig", swig=True)]
    commands[OURS] = [wrapped / "minitf_wrap", _kit(folder / "ours", swig=False)]
    return commands


def _start(stack: contextlib.ExitStack) -> list[Worker]:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    more = bench.peak()
    workers = []
    for name, paths in _commands(folder).items():
        command = [sys.executable, bench.BENCH / "binding_worker.py", name, *paths]
        worker = bench.start_worker(name, command, 1, more)
        stack.callback(worker.close)
        workers.append(worker)
    return workers


def _rows(workers: list[Worker], titles: dict[str, str]) -> list[list[str]]:
    """One row a case: a median for each binding, and the ratios; then their means."""
    rows = []
    ratios: list[list[float]] = [[] for _ in RATIOS]
    for case, title in titles.items():
        medians = {
            worker.framework: statistics.median(worker.times[case]) * 1e9
            for worker in workers
            if case in worker.times
        }
        cells = [medians.get(worker.framework) for worker in workers]
        row = [title, *(f"{cell:.0f}" if cell else "" for cell in cells)]
        for (above, below), found in zip(RATIOS, ratios, strict=True):
            is_known = above in medians and below in medians
            if is_known:
                found.append(medians[above] / medians[below])
            row.append(f"{found[-1]:.2f}" if is_known else "")
        rows.append(row)
    means = [
        f"{statistics.geometric_mean(found):.2f}" if found else "" for found in ratios
    ]
    return [*rows, ["geometric mean", *[""] * len(workers), *means]]


def main(args: argparse.Namespace) -> int:
    """Measures the bindings and prints a table in nanoseconds a call.

    Raises:
        LabError: the arguments make no sense, or a process ends early.
    """
    others = (args.tiers, args.before, args.picture, args.json, args.threads != 1)
    if args.what != ["bindings"] or any(others):
        raise project.LabError("bindings: takes -k, --rounds and --peers alone")
    if args.rounds < 1:
        raise project.LabError(f"--rounds {args.rounds}: at least 1")
    if args.peers:
        bench.install_peers()
    with contextlib.ExitStack() as stack:
        workers = _start(stack)
        titles = bench.choose(workers[0], args)
        disturbed = bench.measure(workers, list(titles), args.rounds)
    heads = ["call, ns", *(worker.framework for worker in workers)]
    heads += [" / ".join(pair) for pair in RATIOS]
    print_ = report.console().print
    head = bench.describe(len(workers), disturbed, args)
    text = f"{head}\n\n{bench.table(heads, _rows(workers, titles))}"
    print_(text, markup=False, soft_wrap=True)
    return 0
