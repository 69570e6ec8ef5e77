"""A case whose instructions are counted: ``python counted.py CASE`` under callgrind.

It is warmed up, and then does its work once while callgrind counts: two functions of
peak.cc begin and end that.

Read next: ``python/minitf_lab/demo/instructions.py``.
"""

import ctypes
import sys

import options
import tf_cases


def main(name: str) -> None:
    """Does the work of a case."""
    library = ctypes.CDLL(options.PEAK)
    work = tf_cases.CASES[name](tf_cases.load("minitf"))
    work()  # compiles the step
    library.CountingBegins()
    work()
    library.CountingEnds()


if __name__ == "__main__":
    main(sys.argv[1])
