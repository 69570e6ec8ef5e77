"""What ``./lab bench`` asks of each process, in its environment.

Read next: ``tests/bench/worker.py``.
"""

import os
from contextlib import AbstractContextManager, nullcontext
from typing import Any

THREADS = int(os.environ.get("MINITF_BENCH_THREADS", "1"))
TIER = os.environ.get("MINITF_BENCH_TIER", "")  # of minitf's kernels; the usual if empty
PEAK = os.environ["MINITF_BENCH_PEAK"]  # a library that is made of peak.cc


def tier(graph: Any, *ops: str) -> AbstractContextManager:
    """Within it, new nodes of ``ops`` are computed by the tier that is asked for."""
    if not TIER:
        return nullcontext()
    return graph._kernel_label_map(dict.fromkeys(ops, TIER))
