"""One framework, waiting to be asked for times: ``python worker.py minitf``.

A line on standard input is the name of a case and a number of samples; the answer is a
line of JSON, seconds per unit for each sample; none if the tier that is asked for cannot
do the case. The first line that it prints says which version it is, which cases it has,
and how many operations and bytes a unit of them takes.

Read next: ``tests/bench/bench.py``.
"""

import ctypes
import json
import os
import sys
import time
from collections.abc import Callable

import conv_cases
import gemm_cases
import io_cases
import numpy as np
import op_cases
import options
import tf_cases

MIN_SAMPLE_S = 0.02
WARM_UP_S = 0.3
SLOW_S = 1.0
STEPS_OF_SPIN = 100_000
COUNT_OF_TRIAD = 1 << 25
BYTES_OF_TRIAD = 3 * 4 * COUNT_OF_TRIAD


def _calibrated(work: Callable[[], object]) -> int:
    """Warms ``work`` up; returns how many calls make a sample worth timing."""
    calls, start = 0, time.perf_counter()
    elapsed = 0.0
    while elapsed < WARM_UP_S or (calls < 3 and elapsed < SLOW_S):
        work()
        calls += 1
        elapsed = time.perf_counter() - start
    return max(1, round(MIN_SAMPLE_S * calls / (time.perf_counter() - start)))


def _sample(work: Callable[[], object], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        work()
    return (time.perf_counter() - start) / calls


def _peak_cases() -> dict[str, Callable[[], Callable]]:
    """What a core can do at most (peak.cc).

    ``spin`` is a fixed piece of arithmetic, which also tells when the machine was busy
    with others; ``triad`` streams through memory.
    """
    library = ctypes.CDLL(options.PEAK)
    library.Spin.argtypes, library.Spin.restype = (
        (ctypes.c_int64, ctypes.c_float),
        ctypes.c_float,
    )
    pointer = np.ctypeslib.ndpointer(np.float32)
    library.Triad.argtypes = (ctypes.c_int64, ctypes.c_float, pointer, pointer, pointer)

    def triad() -> Callable[[], object]:
        x, y, z = (np.ones(COUNT_OF_TRIAD, np.float32) for _ in range(3))
        return lambda: library.Triad(COUNT_OF_TRIAD, 0.5, x, y, z)

    return {"spin": lambda: lambda: library.Spin(STEPS_OF_SPIN, 0.5), "triad": triad}


def _load(framework: str) -> tuple[str, dict[str, Callable[[], Callable]], dict]:
    """The version, the cases as functions without arguments, and units per case."""
    if framework == "torch":
        import torch
        import torch_cases

        torch_cases.load()
        return torch.__version__, torch_cases.CASES, tf_cases.UNITS
    tf = tf_cases.load(framework)
    cases = {name: (lambda case=case: case(tf)) for name, case in tf_cases.CASES.items()}
    name = "GIT_VERSION" if framework == "minitf" else "__version__"
    return getattr(tf, name, tf.__version__), cases, tf_cases.UNITS


def main() -> None:
    """Serves until standard input ends."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    version, cases, units = _load(sys.argv[1])
    cases = {**cases, **_peak_cases()}
    operations = {
        **conv_cases.OPERATIONS,
        **gemm_cases.OPERATIONS,
        "spin": STEPS_OF_SPIN * ctypes.CDLL(options.PEAK).OperationsOfStep(),
    }
    hello = {
        "version": version,
        "cases": list(cases),
        "groups": tf_cases.GROUPS,
        "operations": operations,
        "bytes": {
            **conv_cases.BYTES,
            **gemm_cases.BYTES,
            **op_cases.BYTES,
            **io_cases.BYTES,
            "triad": BYTES_OF_TRIAD,
        },
    }
    print(json.dumps(hello), flush=True)

    ready: dict[str, tuple[Callable[[], object], int]] = {}
    for line in sys.stdin:
        name, samples = line.split()
        if name not in ready:
            work = cases[name]()
            try:
                ready[name] = work, _calibrated(work)
            except Exception as error:
                refusals = ("InvalidArgumentError", "NotFoundError")
                is_refused = type(error).__name__ in refusals
                if not (options.TIER and is_refused):
                    raise
                ready[name] = work, 0
        work, calls = ready[name]
        if not calls:
            samples = 0
        times = [_sample(work, calls) / units.get(name, 1) for _ in range(int(samples))]
        print(json.dumps(times), flush=True)


if __name__ == "__main__":
    main()
