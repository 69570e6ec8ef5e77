"""What a worker does whose calls are timed: one script after another, in one process.

The judge has it stand still (SIGSTOP) but for a call. The script lies in a file of memory
only when a call begins; the values must lie in another one when the worker says that it
is done. The clock, and whether the values are right, is the judge's affair
(``stopwatch.py``).
"""

import ctypes
import os
import signal
from collections.abc import Callable
from typing import Any

from minitf_lab.judge import packed
from minitf_lab.judge.wire import unsent

PR_SET_PDEATHSIG = 1
GO, DONE = b"g", b"done\n"


def serve(
    run: Callable[[list[dict[str, Any]]], dict[str, Any]],
    requests: int,
    out: int,
    inputs: int,
    outputs: int,
) -> None:
    """Makes calls until there is nobody to ask for one.

    Args:
        run: Makes the calls of a script; what comes of it.
        requests: The judge writes here that a call may begin.
        out: The judge reads here that a call is done.
        inputs: A file of memory, with the script.
        outputs: Another one, for what comes of it.
    """
    # A judge that is killed cannot continue what it has stopped.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    while os.read(requests, 1) == GO:
        answer = run(packed.read_mapped(inputs))
        try:
            packed.write(outputs, answer)
        except BaseException as error:  # of no type that is sent, or too much
            packed.write(outputs, {"raised": unsent(error)})
        os.write(out, DONE)
