"""``tf.train.batch`` and its kin: single examples in, batches out, by way of a queue.

    batch           one example graph, run by ``num_threads`` threads; in order with one
    batch_join      several example graphs, a thread for each
    shuffle_batch   as batch, from a RandomShuffleQueue
    maybe_batch     as batch, without examples whose ``keep_input`` is False

Compare: tensorflow/python/training/input.py. Read next:
``shuffling.py``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from minitf.control_flow.control_flow_ops import smart_value
from minitf.data_flow.data_flow_ops import (
    FIFOQueue,
    PaddingFIFOQueue,
    QueueBase,
    RandomShuffleQueue,
)
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.dtypes import int64
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope, no_op
from minitf.framework.sparse_tensor import SparseTensor, SparseTensorValue
from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import as_shape
from minitf.ops import array_ops, math_ops
from minitf.training import queue_summary, waiting_rooms
from minitf.training.input import require_graph_mode
from minitf.training.queue_runner_impl import QueueRunner, add_queue_runner
from minitf.training.waiting_rooms import Rooms, chosen, taken
from minitf.util.signatures import without

# ---- Arguments -------------------------------------------------------------------------


def _as_list(tensors: Any, function: str) -> list[Tensor | SparseTensor]:
    """``tensors`` as a list; those of a dict in the order of its sorted keys."""
    if isinstance(tensors, Mapping):
        tensors = [tensors[key] for key in sorted(tensors)]
    elif not isinstance(tensors, (list, tuple)):
        tensors = [tensors]
    if not tensors:
        raise ValueError(f"Expected at least one tensor in {function}().")
    return [
        SparseTensor.from_value(tensor)
        if isinstance(tensor, (SparseTensor, SparseTensorValue))
        else convert_to_tensor(tensor)
        for tensor in tensors
    ]


def _check_keys(given: list[Any]) -> None:
    """Raises ValueError unless all of ``given`` have the keys of the first, or none."""
    keys = [sorted(x) if isinstance(x, Mapping) else None for x in given]
    if any(other is None for other in keys) and keys != [None] * len(keys):
        raise ValueError(
            "tensors_list must hold either dictionaries or lists of tensors, not both"
        )
    if any(other != keys[0] for other in keys):
        raise ValueError("All dictionaries in tensors_list must have the same keys")


def _as_given(tensors: Any, dequeued: Any) -> Any:
    """What a queue gave, in the form of ``tensors``."""
    if not isinstance(tensors, Mapping):
        return dequeued
    listed = dequeued if isinstance(dequeued, list) else [dequeued]
    return dict(zip(sorted(tensors), listed, strict=True))


def _common_dtypes(lists: list[list[Any]], rooms: Rooms) -> list[Any]:
    """The types of what is enqueued; raises TypeError if those of examples differ."""
    first = [tensor.dtype for tensor in lists[0]]
    for other in lists[1:]:
        dtypes = [tensor.dtype for tensor in other]
        if dtypes != first:
            names = [", ".join(x.name for x in types) for types in (first, dtypes)]
            raise TypeError(
                f"Expected types to be consistent: {names[0]} vs. {names[1]}."
            )
    return [int64 if home else dtype for dtype, home in zip(first, rooms, strict=True)]


def _common_shapes(
    lists: list[list[Any]], shapes: Any, enqueue_many: bool, rooms: Rooms
) -> Any:
    """``shapes``, or what is known of the shapes of one example; those of handles []."""
    if shapes is not None and not any(rooms):
        return shapes
    if shapes is not None:
        return [[] if home else shape for shape, home in zip(shapes, rooms, strict=True)]
    merged = []
    for same, home in zip(zip(*lists, strict=True), rooms, strict=True):
        if home:
            merged.append(as_shape([]))
            continue
        for tensor in same:
            if tensor.shape.ndims is None:
                raise ValueError(f"Cannot infer Tensor's rank: {tensor}")
        known = [as_shape(tensor.shape) for tensor in same]
        if enqueue_many:
            known = [shape.with_rank_at_least(1)[1:] for shape in known]
        shape = known[0]
        for other in known[1:]:
            # Sizes that differ are left open: a PaddingFIFOQueue takes them.
            shape = _in_common(shape, other)
        merged.append(shape)
    return merged


def _in_common(a: Any, b: Any) -> Any:
    """What two shapes of one rank agree on."""
    if a.ndims != b.ndims:
        raise ValueError(f"Shapes {a} and {b} must have the same rank")
    # TODO(14.15) begin: sizes that differ, or are not known, are None
    pairs = zip(a.as_list(), b.as_list(), strict=True)
    return as_shape([size if size == other else None for size, other in pairs])
    # TODO(14.15) end


def _keep(keep_input: Any, enqueue_many: bool) -> Tensor | bool:
    if keep_input is True:
        return True
    keep = convert_to_tensor(keep_input, "bool")
    if keep.shape.ndims is None:
        raise ValueError("`keep_input` dimensions must be known at graph construction.")
    if keep.shape.ndims > 1:
        raise ValueError("`keep_input` must be 0 or 1 dimensions.")
    if keep.shape.ndims == 1 and not enqueue_many:
        raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
    return keep


# ---- Enqueueing ------------------------------------------------------------------------


def _enqueue_op(
    queue: QueueBase,
    tensors: list[Tensor | SparseTensor],
    enqueue_many: bool,
    keep: Tensor | bool,
    rooms: Rooms,
) -> Any:
    """The op that puts ``tensors`` into the queue, as far as they are to be kept."""
    pairs = list(zip(tensors, rooms, strict=True))
    if keep is True or (keep.shape.ndims == 0 and smart_value(keep) is True):
        if enqueue_many:
            return queue.enqueue_many(
                [room.add_rows(x) if room else x for x, room in pairs]
            )
        return queue.enqueue([room.add(x) if room else x for x, room in pairs])
    if keep.shape.ndims == 0 and smart_value(keep) is False:
        return no_op()
    # TODO(14.15) begin: enqueue the rows that are kept; a single example is a row, too
    if not enqueue_many:
        pairs = [
            (room.as_row(x) if room else array_ops.expand_dims(x, 0), room)
            for x, room in pairs
        ]
    keep = math_ops.cast(keep, "int32")
    if keep.shape.ndims == 0:
        first, room = pairs[0]
        count = room.num_rows(first) if room else array_ops.shape(first)[:1]
        keep = array_ops.fill(count, keep)
    return queue.enqueue_many(
        [
            room.add_rows(room.kept_rows(x, keep)) if room else chosen(x, keep)
            for x, room in pairs
        ]
    )
    # TODO(14.15) end


def _batches(
    queue: QueueBase,
    enqueue_ops: list[Any],
    batch_size: Any,
    allow_smaller_final_batch: bool,
    name: str,
) -> Any:
    """What is dequeued of a queue that threads fill by ``enqueue_ops``."""
    add_queue_runner(QueueRunner(queue, enqueue_ops))
    if isinstance(queue, RandomShuffleQueue):
        least, most = _limits(queue)
        above = call("Maximum", [0, queue.size() - least])
        full = math_ops.cast(above, "float32") * (1.0 / (most - least))
        queue_summary.add(f"fraction_over_{least}_of_{most - least}_full", full)
    else:
        most = _limits(queue)[1]
        full = math_ops.cast(queue.size(), "float32") * (1.0 / most)
        queue_summary.add(f"fraction_of_{most}_full", full)
    # TODO(14.15) begin: the last batch may be smaller, or must not be
    if allow_smaller_final_batch:
        return queue.dequeue_up_to(batch_size, name=name)
    return queue.dequeue_many(batch_size, name=name)
    # TODO(14.15) end


def _limits(queue: QueueBase) -> tuple[int, int]:
    """How many elements stay in a queue, and how many it may hold."""
    node = queue.queue_ref.op
    least = 0
    if isinstance(queue, RandomShuffleQueue):
        least = node.get_attr("min_after_dequeue")
    return least, node.get_attr("capacity")


@dataclass(kw_only=True)
class Options:
    """The arguments that all functions for batches have in common."""

    batch_size: Any
    capacity: int
    keep_input: Any = True
    enqueue_many: bool = False
    shapes: Any = None
    dynamic_pad: bool = False
    allow_smaller_final_batch: bool = False
    shared_name: str | None = None
    name: str | None = None
    min_after_dequeue: int | None = None  # None: in order
    seed: int | None = None

    def make_queue(self, dtypes: list, shapes: Any) -> QueueBase:
        """The queue that batches come from."""
        if self.min_after_dequeue is not None:
            if self.capacity <= self.min_after_dequeue:
                raise ValueError(
                    f"capacity {self.capacity} must be bigger than min_after_dequeue "
                    f"{self.min_after_dequeue}."
                )
            return RandomShuffleQueue(
                self.capacity,
                self.min_after_dequeue,
                dtypes,
                shapes,
                seed=self.seed,
                shared_name=self.shared_name,
            )
        kind = PaddingFIFOQueue if self.dynamic_pad else FIFOQueue
        return kind(self.capacity, dtypes, shapes, shared_name=self.shared_name)


def pipeline(function: str, given: list[Any], num_threads: int, options: Options) -> Any:
    """Batches of the examples in ``given``; ``num_threads`` threads for each of them."""
    require_graph_mode()
    if not given:
        raise ValueError(f"Expected at least one input in {function}().")
    _check_keys(given)
    lists = [_as_list(tensors, "batch") for tensors in given]
    if any(len(tensors) != len(lists[0]) for tensors in lists):
        raise ValueError(
            f"All inputs of {function}() must have the same number of tensors, got "
            f"{[len(tensors) for tensors in lists]}"
        )
    flat = [tensor for tensors in lists for tensor in tensors]
    with name_scope(options.name, function, flat) as scope:
        keep = _keep(options.keep_input, options.enqueue_many)
        # Queues that share their elements share the rooms of their handles.
        prefix = options.shared_name or scope.rstrip("/")
        rooms = waiting_rooms.rooms_of(lists, options.enqueue_many, prefix)
        queue = options.make_queue(
            _common_dtypes(lists, rooms),
            _common_shapes(lists, options.shapes, options.enqueue_many, rooms),
        )
        ops = [
            _enqueue_op(queue, tensors, options.enqueue_many, keep, rooms)
            for tensors in lists
        ]
        dequeued = _batches(
            queue,
            [op for op in ops for _ in range(num_threads)],
            options.batch_size,
            options.allow_smaller_final_batch,
            scope,
        )
        dequeued = taken(dequeued, rooms)
    return _as_given(given[0], dequeued)


# ---- Batches in order ------------------------------------------------------------------


def maybe_batch(
    tensors: Any,
    keep_input: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of the examples that are to be kept, which threads compute beforehand.

    Args:
        tensors: one example, a list or a dict of tensors and SparseTensors.
        keep_input: whether the example is kept: a bool, or a Boolean tensor; with
            ``enqueue_many`` perhaps one for each ``[N]``.
        batch_size: examples in a batch.
        num_threads: threads that compute examples; with more than one the order varies.
        capacity: how many examples may wait.
        enqueue_many: whether ``tensors`` is several examples, along axis 0.
        shapes: of an example; what is known of ``tensors`` if None.
        dynamic_pad: whether shapes may differ; smaller ones are filled up with zeros.
        allow_smaller_final_batch: whether the last batch may have fewer examples;
            otherwise examples that do not fill a batch are left out.
        shared_name: of the queue.
        name: of the batches' node.

    Returns:
        Tensors ``[batch_size, ...]`` in the form of ``tensors``; of one, the tensor. For
        a SparseTensor one with an axis more (as many with ``enqueue_many``), each axis
        as long as the longest of the batch.

    Raises:
        ValueError: nothing is given, or a rank is not known; in ``batch_join`` and with
            SparseTensors also, if examples are not alike.
        TypeError: the types of examples differ.
    """
    options = Options(
        batch_size=batch_size,
        capacity=capacity,
        keep_input=keep_input,
        enqueue_many=enqueue_many,
        shapes=shapes,
        dynamic_pad=dynamic_pad,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )
    return pipeline("batch", [tensors], num_threads, options)


batch = without(
    maybe_batch,
    "keep_input",
    True,
    "batch",
    "As ``maybe_batch``, of all examples.",
)


def maybe_batch_join(
    tensors_list: list[Any],
    keep_input: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As ``batch_join``, without examples for which ``keep_input`` is False."""
    options = Options(
        batch_size=batch_size,
        capacity=capacity,
        keep_input=keep_input,
        enqueue_many=enqueue_many,
        shapes=shapes,
        dynamic_pad=dynamic_pad,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )
    return pipeline("batch_join", tensors_list, 1, options)


batch_join = without(
    maybe_batch_join,
    "keep_input",
    True,
    "batch_join",
    "As ``batch``, with one thread for each of several examples in ``tensors_list``.",
)
