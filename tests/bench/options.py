"""What ``./lab bench`` asks of each process, in its environment.

Read next: ``tests/bench/worker.py``.
"""

import os

THREADS = int(os.environ.get("MINITF_BENCH_THREADS", "1"))
TIER = os.environ.get("MINITF_BENCH_TIER", "")  # of minitf's kernels; the usual if empty
PEAK = os.environ.get("MINITF_BENCH_PEAK", "")  # a library that is made of peak.cc


def labels(*ops: str) -> dict[str, str]:
    """For each of ``ops`` the label of its kernel, if a tier is asked for."""
    return dict.fromkeys(ops, TIER) if TIER else {}
