"""Where components of examples wait that a queue cannot hold, such as SparseTensors.

A queue holds tensors of known shapes. A component that is no tensor is put into a waiting
room, and its handle, an int64 scalar, goes through the queue. Which rooms there are is up
to families: the core has none.

Compare: tensorflow/python/training/input.py, _store_sparse_tensors.
Read next: ``batching.py``.
"""

from collections.abc import Callable
from typing import Any, Protocol

from minitf.framework.composite_tensor import has_parts, parts_of
from minitf.framework.graph import control_dependencies
from minitf.framework.op_def_library import call
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops


class WaitingRoom(Protocol):
    """Where one component of all examples waits: what a family's has to have."""

    def add(self, component: Any) -> Tensor:
        """Puts in what belongs to one example. Returns a handle, a scalar."""

    def add_rows(self, component: Any) -> Tensor:
        """Puts in n rows, each of an example. Returns a handle for each: ``[n]``."""

    def as_row(self, component: Any) -> Any:
        """What belongs to one example, as the only row."""

    def kept_rows(self, component: Any, keep: Tensor) -> Any:
        """The rows for which ``keep``, int32 ``[rows]``, is 1 and not 0."""

    def num_rows(self, component: Any) -> Tensor:
        """How many rows there are, ``[1]``."""

    def take(self, handles: Tensor) -> Any:
        """What handles ``[n]`` stand for, stacked; it is in the room no more."""


Rooms = list[WaitingRoom | None]


def _no_rooms(lists: list[list[Any]], enqueue_many: bool, prefix: str) -> Rooms:
    """The core's answer: every component must be a tensor."""
    del enqueue_many, prefix
    for component in (component for example in lists for component in example):
        if has_parts(component):
            raise ValueError(
                f"a queue holds tensors only, got {component}: batches of SparseTensors "
                "need the family 'sparse', which is not here"
            )
    return [None] * len(lists[0])


# Makes the waiting rooms of the components of examples; None for those that are tensors.
rooms_of: Callable[[list[list[Any]], bool, str], Rooms] = _no_rooms


def set_rooms(function: Callable[[list[list[Any]], bool, str], Rooms]) -> None:
    """``function`` makes waiting rooms from now on; a family registers its own."""
    global rooms_of
    rooms_of = function


def chosen(tensor: Tensor, keep: Tensor) -> Tensor:
    """The slices of ``tensor`` along axis 0 for which ``keep``, int32, is 1 and not 0.

    An error of the step if there are more or fewer slices than elements of ``keep``.
    """
    return call("DynamicPartition", [tensor, keep], {"num_partitions": 2})[1]


def taken(dequeued: Any, rooms: Rooms) -> Any:
    """What a queue gave, with components for their handles.

    A step that asks for some of the components takes all out of their rooms, as no later
    step gets their handles.
    """
    if not any(rooms):
        return dequeued
    listed = dequeued if isinstance(dequeued, list) else [dequeued]
    batch = [
        tensor if room is None else room.take(tensor)
        for tensor, room in zip(listed, rooms, strict=True)
    ]
    takes = [parts_of(item)[1].op for item in batch if has_parts(item)]
    with control_dependencies(takes):
        batch = [array_ops.identity(item) for item in batch]
    return batch if isinstance(dequeued, list) else batch[0]
