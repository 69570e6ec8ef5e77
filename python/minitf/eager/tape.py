"""Who records what a thread does: tapes, and lists of variables that are read.

Variables and ops tell this module what happens; the tapes of ``backprop.py`` are told.

Compare: tensorflow/python/eager/tape.py. Read next: ``backprop.py``.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from minitf import _minitf


class _Recorders(threading.local):
    """Who is told of what one thread does."""

    def __init__(self):
        self.tapes: list[Any] = []
        self.stops = 0  # how many stop_recording() are open
        self.variable_lists: list[dict[int, Any]] = []


recorders = _Recorders()


def variable_accessed(variable: Any) -> None:
    """Told by a variable before it is read: tapes watch it if it is trainable.

    Those do that want to, and were not stopped since they were started. A list has it.
    """
    # LAB(05.9) begin: tell the tapes of this thread (_watch_variable), and the lists
    if not variable.trainable:
        return
    for tape in tuple(recorders.tapes):  # another thread may leave one meanwhile
        if tape._watch_variables and tape._records():
            tape._watch_variable(variable)
    for variables in recorders.variable_lists:
        variables.setdefault(id(variable), variable)
    # LAB(05.9) end


@contextmanager
def variables_read() -> Iterator[dict[int, Any]]:
    """Collects the trainable variables that this thread reads within it, by identity."""
    variables: dict[int, Any] = {}
    recorders.variable_lists.append(variables)
    try:
        yield variables
    finally:
        recorders.variable_lists.remove(variables)


@contextmanager
def stop_recording() -> Iterator[None]:
    """Within it, no tape records that this thread has started before."""
    scope = _minitf.StopRecording()
    scope.enter()
    recorders.stops += 1
    for tape in tuple(recorders.tapes):
        tape._follow_stops()
    try:
        yield
    finally:
        recorders.stops -= 1
        for tape in tuple(recorders.tapes):
            tape._stops_around = min(tape._stops_around, recorders.stops)
            tape._follow_stops()
        scope.exit()
