"""``./lab bench``: how fast minitf is, beside TensorFlow and PyTorch.

A time says little, since machines differ; a ratio taken in one run says what it claims.
So there is one process for each framework, all bound to the same core, and they take
turns in rounds while the others are stopped: every framework sees the same machine in
the same minute. Each process also times a fixed piece of arithmetic in every round; a
round in which that took much longer than in the best one is reported as disturbed. It
does nothing but multiply and add in registers, so it also says what a core can do.

With ``--before`` the minitf of another checkout, such as that of a change's parent, takes
its turns as one of them. With ``--tiers`` minitf's ways to do the same thing do so.

The peers live in an environment of their own (``./lab bench --peers``) and are optional.
Read next: ``tests/bench/tf_cases.py``.
"""

import argparse
import contextlib
import json
import os
import platform
import signal
import statistics
import subprocess
import sys
import time
import venv
from dataclasses import dataclass, field
from pathlib import Path

import bench_picture

from minitf_lab import project
from minitf_lab.labs import report

SAMPLES = 5
IMPORTS = 9
DISTURBED = 1.1
SLOW = {"import_graph"}  # one sample a round is enough
TIERS = {
    "gemm": ("naive", "reordered", "tiled", "eigen", "packed"),
    "conv": ("naive", "eigen", "im2col", "implicit", "direct", "winograd"),
}
BENCH = project.ROOT / "tests" / "bench"
PEERS = project.ROOT / ".lab" / "peers"
TALKATIVE = ("tensorflow", "torch", "TensorFlow, C")  # on their error stream


@dataclass
class Worker:
    """One framework's process. It is stopped except while it is being asked."""

    framework: str
    process: subprocess.Popen
    version: str = ""
    cases: list[str] = field(default_factory=list)
    groups: dict[str, dict[str, str]] = field(default_factory=dict)  # case to title
    operations: dict[str, int] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)  # bytes
    times: dict[str, list[float]] = field(default_factory=dict)

    def ask(self, case: str, samples: int) -> list[float]:
        """Wakes the process for ``samples`` samples of ``case``, seconds per unit."""
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.write(f"{case} {samples}\n")
        self.process.stdin.flush()
        answer = self._read()
        self.process.send_signal(signal.SIGSTOP)
        return answer

    def hello(self) -> None:
        """Reads what the process says of itself when it starts, and stops it."""
        answer = self._read()
        self.version, self.cases = answer["version"], answer["cases"]
        self.groups = answer["groups"]
        self.operations, self.sizes = answer["operations"], answer["bytes"]
        self.process.send_signal(signal.SIGSTOP)

    def close(self) -> None:
        """Ends the process."""
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.close()
        self.process.wait()

    def _read(self) -> dict | list:
        line = self.process.stdout.readline()
        if not line:
            raise project.LabError(f"the benchmark of {self.framework} has ended early")
        return json.loads(line)


def peer_python() -> Path | None:
    """The interpreter that has the peers, if there is one."""
    python = Path(os.environ.get("MINITF_PEERS", PEERS / "bin" / "python"))
    return python if python.exists() else None


def start_worker(
    framework: str, command: list[Path | str], threads: int, more: dict[str, str]
) -> Worker:
    """Starts a process on as many cores as threads, with ``more`` in its environment.

    Raises:
        LabError: the process ends early.
    """
    errors = subprocess.DEVNULL if framework in TALKATIVE else None
    cores = sorted(os.sched_getaffinity(0))[-threads:]
    process = subprocess.Popen(
        [*map(str, command)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        env={**os.environ, "MINITF_BENCH_THREADS": f"{threads}", **more},
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
    )
    worker = Worker(framework, process)
    worker.hello()
    return worker


def _path_of(checkout: Path) -> str:
    """The PYTHONPATH of another checkout, which has been built.

    Raises:
        LabError: it has not.
    """
    folders = [checkout / "python", checkout / "build" / "release" / "python"]
    if not all((folder / "minitf").is_dir() for folder in folders):
        raise project.LabError(f"{checkout} holds no minitf that has been built")
    return os.pathsep.join(map(str, folders))


def peak() -> dict[str, str]:
    """The environment of processes that shall find out what a core can do at most."""
    project.build("minitf_peak")
    library = project.build_folder() / "tests" / "libminitf_peak.so"
    return {"MINITF_BENCH_PEAK": str(library)}


def _start_all(args: argparse.Namespace, stack: contextlib.ExitStack) -> list[Worker]:
    """Starts minitf, or each of its tiers, and what it is compared with.

    ``stack`` ends them, also those that were started before one that does not start.
    """
    more = peak()
    workers: list[Worker] = []

    def start(framework: str, python: Path | str, added: dict[str, str]) -> Worker:
        command = [python, BENCH / "worker.py", framework]
        worker = start_worker(framework, command, args.threads, {**more, **added})
        stack.callback(worker.close)
        workers.append(worker)
        return worker

    own = sys.executable
    if args.tiers:
        for tier in dict.fromkeys(tier for what in args.what for tier in TIERS[what]):
            worker = start("minitf", own, {"MINITF_BENCH_TIER": tier})
            worker.framework, worker.version = "", tier
        return workers
    start("minitf", own, {})
    if args.before:
        path = _path_of(Path(args.before).resolve())
        start("minitf", own, {"PYTHONPATH": path}).version += " before"
    python = peer_python()
    for framework in ("tensorflow", "torch") if python else ():
        try:
            start(framework, python, {})
        except project.LabError:
            print(f"{framework} does not start; it is left out", file=sys.stderr)
    return workers


def measure(workers: list[Worker], cases: list[str], rounds: int) -> int:
    """Fills in the workers' times; returns how many turns were disturbed."""
    for round_number in range(rounds + 1):
        for worker in workers:
            spins = [min(worker.ask("spin", SAMPLES))]
            times = {
                case: worker.ask(case, 1 if case in SLOW else SAMPLES)
                for case in cases
                if case in worker.cases
            }
            if round_number > 0:  # the first one is for warming up
                for case, found in {**times, "spin": spins}.items():
                    worker.times.setdefault(case, []).extend(found)
    spins = [spin for worker in workers for spin in worker.times["spin"]]
    return sum(spin > DISTURBED * min(spins) for spin in spins)


def _format_time(seconds: float) -> str:
    for unit, size in (("us", 1e-6), ("ms", 1e-3)):
        if seconds < 999.5 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def _median(worker: Worker, case: str) -> float | None:
    times = worker.times.get(case)
    return statistics.median(times) if times else None


def _peak_rate(workers: list[Worker]) -> float:
    """Operations in a second that a core can do at most."""
    best = min(min(worker.times["spin"]) for worker in workers)
    return workers[0].operations["spin"] / best


def _rows(workers: list[Worker], titles: dict[str, str], threads: int) -> list[list[str]]:
    """One row a case: medians, and minitf's ratio to every peer."""
    rows = []
    for case in titles:
        own, operations = _median(workers[0], case), workers[0].operations.get(case, 0)
        first = workers[0].times[case]
        cell = f"{_format_time(own)} ({min(first) / own:.2f} to {max(first) / own:.2f})"
        if operations:
            share = operations / own / (threads * _peak_rate(workers))
            cell += f", {operations / own / 1e9:.3g} GFLOP/s, {share:.0%}"
        elif size := workers[0].sizes.get(case):
            cell += f", {size / own / 1e9:.3g} GB/s"
        row = [titles[case], cell]
        for worker in workers[1:]:
            median = _median(worker, case)
            row.append(f"{_format_time(median)} ({own / median:.3g}x)" if median else "")
        rows.append(row)
    return rows


def _rates(workers: list[Worker], titles: dict[str, str]) -> list[list[str]]:
    """One row a case: what each tier does in a second, in GFLOP/s."""
    rows = []
    for case in titles:
        medians = [_median(worker, case) for worker in workers]
        operations = workers[0].operations[case] / 1e9
        rows.append(
            [titles[case], *(f"{operations / m:.3g}" if m else "" for m in medians)]
        )
    return rows


def _markdown(
    workers: list[Worker], rows: list[list[str]], disturbed: int, args: argparse.Namespace
) -> str:
    """The table, and how it came about."""
    names = [f"{w.framework} {w.version}".strip() for w in workers]
    if args.tiers:
        meaning = "GFLOP/s by the formula's operations."
    else:
        meaning = (
            "In brackets: minitf's smallest and largest sample over its median; for the "
            "others, minitf's time over theirs."
        )
    peak = args.threads * _peak_rate(workers) / 1e9
    meaning += f" Peak: {peak:.3g} GFLOP/s."
    head = describe(len(workers), disturbed, args)
    return f"{head} {meaning}\n\n" + table(["case", *names], rows)


def describe(num_workers: int, disturbed: int, args: argparse.Namespace) -> str:
    """Says on what machine, and how often, a table was measured."""
    cores = "one core" if args.threads == 1 else f"{args.threads} cores"
    return (
        f"Measured on {_processor()}, {cores}, Linux {platform.release()}; "
        f"medians of {args.rounds} rounds of {SAMPLES} samples, {disturbed} of "
        f"{args.rounds * num_workers} turns disturbed."
    )


def table(heads: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    rule = ["---"] * len(heads)
    return "".join(f"| {' | '.join(row)} |\n" for row in (heads, rule, *rows))


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def _import_line() -> str:
    """How much longer ``import minitf`` takes than ``import numpy`` alone."""
    times: dict[str, list[float]] = {"numpy": [], "minitf": []}
    for _ in range(IMPORTS):
        for module, found in times.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
            found.append(time.perf_counter() - start)
    numpy, own = (statistics.median(found) for found in times.values())
    return (
        f"Import, medians of {IMPORTS} processes: numpy {_format_time(numpy)}, minitf "
        f"{_format_time(own)}, so {_format_time(own - numpy)} beyond numpy."
    )


def install_peers() -> None:
    """Installs TensorFlow and PyTorch in an environment of their own."""
    venv.create(PEERS, with_pip=True)
    pip = [str(PEERS / "bin" / "python"), "-m", "pip", "install"]
    subprocess.run([*pip, "-r", str(BENCH / "requirements.txt")], check=True)


def _check(args: argparse.Namespace) -> None:
    """Raises LabError unless what is asked for makes sense together."""
    for what in args.what:
        if args.tiers and what not in TIERS:
            raise project.LabError(
                f"--tiers: '{what}' has none; {' and '.join(TIERS)} have some"
            )
    if args.picture and not set(args.what) <= TIERS.keys():
        raise project.LabError(f"--picture: of {' and '.join(TIERS)} alone")
    if args.picture and args.threads > 1:
        raise project.LabError("--picture: of one core, so without --threads")
    if args.picture and not Path(args.picture).parent.is_dir():
        raise project.LabError(f"--picture {args.picture}: there is no such folder")
    if args.tiers and args.before:
        raise project.LabError("--tiers and --before cannot be had together")
    cores = len(os.sched_getaffinity(0))
    if not 1 <= args.threads <= cores:
        raise project.LabError(
            f"--threads {args.threads}: from 1 to {cores}, the cores that there are"
        )
    if args.rounds < 1:
        raise project.LabError(f"--rounds {args.rounds}: at least 1")


def choose(worker: Worker, args: argparse.Namespace) -> dict[str, str]:
    """The cases that are asked for, with their titles."""
    for what in args.what:
        if what not in worker.groups:
            known = ", ".join(worker.groups)
            raise project.LabError(f"no benchmark is called '{what}'; there are {known}")
    titles = {
        case: title
        for what in args.what
        for case, title in worker.groups[what].items()
        if args.k in case
    }
    if not titles:
        raise project.LabError(f"no case of {', '.join(args.what)} has '{args.k}' in it")
    return titles


def _write(path: str, workers: list[Worker], args: argparse.Namespace) -> None:
    """Writes all times, seconds per unit, as JSON."""
    found = {
        "processor": _processor(),
        "threads": args.threads,
        "operations": workers[0].operations,
        "times": {f"{w.framework} {w.version}".strip(): w.times for w in workers},
    }
    try:
        Path(path).write_text(json.dumps(found, indent=1) + "\n")
    except OSError as error:
        raise project.LabError(f"--json {path}: {error.strerror}") from error


def _draw(workers: list[Worker], titles: dict[str, str], path: Path) -> None:
    """Draws tiers side by side, or the cases under the roof of the machine."""
    operations, sizes = workers[0].operations, workers[0].sizes
    peak = _peak_rate(workers) / 1e9
    rates = {
        worker.version: {
            titles[case]: operations[case] / _median(worker, case) / 1e9
            for case in titles
            if worker.times.get(case) and case in operations
        }
        for worker in workers
    }
    if len(workers) > 1 and not workers[0].framework:
        return bench_picture.bars(rates, peak, path)
    points = {
        case: (operations[case] / sizes[case], rates[workers[0].version][titles[case]])
        for case in titles
        if case in operations
    }
    bandwidth = sizes["triad"] / min(workers[0].ask("triad", SAMPLES)) / 1e9
    return bench_picture.roof(points, peak, bandwidth, path)


def main(args: argparse.Namespace) -> int:
    """Measures the groups in ``args.what`` and prints a table.

    Raises:
        LabError: the arguments make no sense, or a process ends early.
    """
    _check(args)
    if args.peers:
        install_peers()
    with contextlib.ExitStack() as stack:
        workers = _start_all(args, stack)
        titles = choose(workers[0], args)
        disturbed = measure(workers, list(titles), args.rounds)
        if args.picture:
            _draw(workers, titles, Path(args.picture))
    rows = _rates(workers, titles) if args.tiers else _rows(workers, titles, args.threads)
    out = report.console()
    out.print(_markdown(workers, rows, disturbed, args), markup=False, soft_wrap=True)
    if args.json:
        _write(args.json, workers, args)
    if "runtime" in args.what:
        out.print(_import_line())
    if not args.tiers and len(workers) == 1:
        out.print("No peers are installed; ./lab bench --peers installs them.")
    return 0
