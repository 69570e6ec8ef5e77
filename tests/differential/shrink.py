"""Makes a case that two frameworks disagree about smaller, as long as they still do."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from programs import Case, replace_tensors
from values import TensorArg

MAX_TRIES = 60


def _without_line(case: Case) -> Iterator[Case]:
    lines = case.text.splitlines()
    for i in reversed(range(len(lines))):
        yield replace(case, text="\n".join(lines[:i] + lines[i + 1 :]) + "\n")


def _simpler_tensor(arg: TensorArg) -> Iterator[TensorArg]:
    if arg.how == "tensor" and arg.known != "constant":
        yield replace(arg, known="constant")
    array = arg.array
    for place in range(array.ndim):
        if array.shape[place] > 1:
            yield replace(arg, array=np.take(array, [0], place), known="constant")
            yield replace(arg, array=np.take(array, range(array.shape[place] - 1), place))
        if array.shape[place] == 1:
            yield replace(arg, array=np.squeeze(array, place), known="constant")
    if array.dtype.kind in "fciu" and array.size:
        for simple in (1, 0):
            for where in range(min(array.size, 6)):
                if array.reshape(-1)[where] != simple:
                    other = array.copy()
                    other.reshape(-1)[where] = simple
                    yield replace(arg, array=other)


def simpler(case: Case) -> Iterator[Case]:
    """Cases that are a little simpler than ``case``, the simplest first."""
    if case.text:
        yield from _without_line(case)
        return
    if case.order:
        yield replace(case, order=case.order - 1)
    if case.weights != "none":
        yield replace(case, weights="none")
    for key in case.kwargs:
        rest = {name: value for name, value in case.kwargs.items() if name != key}
        yield replace(case, kwargs=rest)
    if case.mode == "graph" and "eager" in case.entry.modes:
        yield replace(case, mode="eager")
    for arg in case.tensors():
        for other in _simpler_tensor(arg):
            if other.known not in ("constant", None):
                other = replace(other, known=list(other.array.shape))
            others = {id(arg): other}
            args = replace_tensors(case.args, others)
            yield replace(case, args=args, kwargs=replace_tensors(case.kwargs, others))


def shrink(case: Case, still_fails: Callable[[Case], bool]) -> Case:
    """The smallest case near ``case`` of which ``still_fails`` says true."""
    tries = 0
    progress = True
    while progress and tries < MAX_TRIES:
        progress = False
        for candidate in simpler(case):
            tries += 1
            if still_fails(candidate):
                case, progress = candidate, True
                break
            if tries >= MAX_TRIES:
                break
    return case
