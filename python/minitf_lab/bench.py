"""``./lab bench``: how fast minitf is, beside TensorFlow and PyTorch.

A time says little, since machines differ; a ratio taken in one run says what it claims.
So there is one process for each framework, all bound to the same core, and they take
turns in rounds while the others are stopped: every framework sees the same machine in
the same minute. Each process also times a fixed piece of arithmetic in every round; a
round in which that took much longer than in the best one is reported as disturbed.

With ``--before`` the minitf of another checkout, such as that of a change's parent, takes
its turns as one of them.

The peers live in an environment of their own (``./lab bench --peers``) and are optional.
Read next: ``tests/bench/tf_cases.py``.
"""

import argparse
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

from minitf_lab import project, report

ROUNDS = 5
SAMPLES = 5
IMPORTS = 9
DISTURBED = 1.1
SLOW = {"import_graph"}  # one sample a round is enough
GROUPS = {
    "runtime": [
        "session_run",
        "feed_fetch",
        "chain",
        "fan",
        "loop",
        "first_run",
        "build",
        "gradients",
        "import_graph",
        "eager_add",
        "tape_forward",
        "tape",
    ],
    "step": ["step_graph", "step_eager"],
    "gemm": [
        "gemm_64_64_64",
        "gemm_128_128_128",
        "gemm_256_256_256",
        "gemm_512_512_512",
        "gemm_1024_1024_1024",
        "gemm_2048_2048_2048",
        "gemm_32_784_256",
        "gemm_64_3136_1024",
    ],
    "conv": [
        f"conv_{part}_{shape}"
        for part in ("forward", "input", "filter")
        for shape in (
            *("lenet1", "lenet2", "cifar1", "vgg56", "vgg28", "vgg14", "vgg7", "one56"),
            "stem",
        )
    ],
}


def _sides(case: str) -> tuple[str, str, str, str]:
    """The sides of the two matrices of a case called gemm_m_k_n."""
    _, m, k, n = case.split("_")
    return m, k, k, n


TITLES = {
    "session_run": "smallest Session.run",
    "feed_fetch": "feed one array, fetch one",
    "chain": "chain of 1,000 scalar adds, per node",
    "fan": "1,000 scalar adds side by side, per node",
    "loop": "while_loop of 1,000 iterations, per iteration",
    "first_run": "first run of the chain in a new session, per node",
    "build": "building that graph, per node",
    "gradients": "tf.gradients of that chain, per node",
    "import_graph": "import_graph_def of 100,000 nodes",
    "eager_add": "eager add of two small tensors",
    "tape_forward": "eager product under a tape, per op",
    "tape": "the same, and its gradient, per op",
    "step_graph": "training step of the demo's CNN, session",
    "step_eager": "the same, eagerly",
    **{
        case: "product of {} x {} and {} x {}".format(*_sides(case))
        for case in GROUPS["gemm"]
    },
    **{
        case: "Conv2D {2}, {1}".format(*case.split("_"))
        if "forward" in case
        else "Conv2D {2}, gradient of the {1}".format(*case.split("_"))
        for case in GROUPS["conv"]
    },
}
BENCH = project.ROOT / "tests" / "bench"
PEERS = project.ROOT / ".lab" / "peers"


@dataclass
class Worker:
    """One framework's process. It is stopped except while it is being asked."""

    framework: str
    process: subprocess.Popen
    version: str = ""
    cases: list[str] = field(default_factory=list)
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


def _peer_python() -> Path | None:
    """The interpreter that has the peers, if there is one."""
    python = Path(os.environ.get("MINITF_PEERS", PEERS / "bin" / "python"))
    return python if python.exists() else None


def _start(
    framework: str, python: Path | str, core: int, path: str | None = None
) -> Worker:
    """Starts a process; ``path`` is its PYTHONPATH, if not that of this one."""
    errors = None if framework == "minitf" else subprocess.DEVNULL
    process = subprocess.Popen(
        [str(python), str(BENCH / "worker.py"), framework],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        env={**os.environ, **({"PYTHONPATH": path} if path else {})},
        preexec_fn=lambda: os.sched_setaffinity(0, {core}),
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


def _start_all(before: str) -> list[Worker]:
    core = max(os.sched_getaffinity(0))
    path = _path_of(Path(before).resolve()) if before else ""
    workers = [_start("minitf", sys.executable, core)]
    if before:
        workers.append(_start("minitf", sys.executable, core, path))
        workers[-1].version += " before"
    python = _peer_python()
    for framework in ("tensorflow", "torch") if python else ():
        try:
            workers.append(_start(framework, python, core))
        except project.LabError:
            print(f"{framework} does not start; it is left out", file=sys.stderr)
    return workers


def _measure(workers: list[Worker], cases: list[str]) -> int:
    """Fills in the workers' times; returns how many rounds were disturbed."""
    spins = []
    for round_number in range(ROUNDS + 1):
        for worker in workers:
            spins.append(min(worker.ask("spin", SAMPLES)))
            for case in cases:
                if case not in worker.cases:
                    continue
                times = worker.ask(case, 1 if case in SLOW else SAMPLES)
                if round_number > 0:  # the first one is for warming up
                    worker.times.setdefault(case, []).extend(times)
    return sum(spin > DISTURBED * min(spins) for spin in spins[len(workers) :])


def _format_time(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.3g} us"
    return f"{seconds * 1e3:.3g} ms"


def _rows(workers: list[Worker], cases: list[str]) -> list[list[str]]:
    """One row a case: medians, and minitf's ratio to every peer."""
    rows = []
    for case in cases:
        row = [TITLES[case]]
        own = statistics.median(workers[0].times[case])
        for worker in workers:
            times = worker.times.get(case)
            if times is None:
                row.append("")
                continue
            median = statistics.median(times)
            cell = _format_time(median)
            if worker is not workers[0]:
                cell += f" ({own / median:.3g}x)"
            else:
                cell += f" ({min(times) / median:.2f} to {max(times) / median:.2f})"
            row.append(cell)
        rows.append(row)
    return rows


def _markdown(workers: list[Worker], rows: list[list[str]], disturbed: int) -> str:
    names = [f"{w.framework} {w.version}" for w in workers]
    lines = [
        f"Measured on {_processor()}, one core, Linux {platform.release()}; "
        f"medians of {ROUNDS} rounds of {SAMPLES} samples, {disturbed} of "
        f"{ROUNDS * len(workers)} turns disturbed. In brackets: minitf's smallest and "
        "largest sample over its median; for the others, minitf's time over theirs.",
        "",
        "| case | " + " | ".join(names) + " |",
        "| --- |" + " --- |" * len(names),
        *("| " + " | ".join(row) + " |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


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


def _install_peers() -> None:
    venv.create(PEERS, with_pip=True)
    pip = [str(PEERS / "bin" / "python"), "-m", "pip", "install"]
    subprocess.run([*pip, "-r", str(BENCH / "requirements.txt")], check=True)


def main(args: argparse.Namespace) -> int:
    """Measures the groups in ``args.what`` and prints a table."""
    if args.peers:
        _install_peers()
    unknown = [what for what in args.what if what not in GROUPS]
    if unknown:
        raise project.LabError(
            f"no benchmark is called '{unknown[0]}'; there are {', '.join(GROUPS)}"
        )
    cases = [case for what in args.what for case in GROUPS[what]]
    workers = _start_all(args.before)
    try:
        disturbed = _measure(workers, cases)
    finally:
        for worker in workers:
            worker.close()
    rows = _rows(workers, cases)
    out = report.console()
    out.print(_markdown(workers, rows, disturbed), markup=False, soft_wrap=True)
    if "runtime" in args.what:
        out.print(_import_line())
    if len(workers) == 1:
        out.print("No peers are installed; ./lab bench --peers installs them.")
    return 0
