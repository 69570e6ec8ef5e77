"""A case whose instructions are counted: ``python counted.py CASE`` under callgrind.

The work is done before the count, so that steps are compiled and Python's code is
specialized, and then again while callgrind counts: two functions of peak.cc begin and end
that.

Read next: ``tests/bench/instructions.py``.
"""

import ctypes
import gc
import sys

import options
import tf_cases

# A call of these takes so few instructions that a single one tells little.
CALLS = {"session_run": 100, "feed_fetch": 100}
# A tenth of what is timed: callgrind takes 50 times as long.
IMPORTED_NODES = 10_000


def main(name: str) -> None:
    """Does the work of a case."""
    library = ctypes.CDLL(options.PEAK)
    # ctypes makes a function when it is first looked up, which must not be counted.
    begin, end = library.CountingBegins, library.CountingEnds
    tf_cases.IMPORTED_NODES = IMPORTED_NODES
    work = tf_cases.CASES[name](tf_cases.load("minitf"))
    calls = range(CALLS.get(name, 1))
    for _ in calls:
        work()
    gc.collect()  # no collection falls into the count by chance
    begin()
    for _ in calls:
        work()
    end()


if __name__ == "__main__":
    main(sys.argv[1])
