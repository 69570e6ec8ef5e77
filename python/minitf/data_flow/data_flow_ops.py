"""``tf.FIFOQueue`` and its kin: where threads that read leave what a step takes.

A queue is state, as a variable is: a node gives a handle to it, and each of the methods
makes a node that takes the handle. An element is a tuple of tensors; who dequeues gets a
list of them, one tensor if there is but one, or a dict if the components have names.

Compare: tensorflow/python/ops/data_flow_ops.py. Read next: ``io_ops.py``.
"""

from collections.abc import Callable
from typing import Any

from minitf.eager import context
from minitf.framework.constant_op import constant_value, convert_to_tensor
from minitf.framework.dtypes import DType, as_dtype, int64
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import Dimension, TensorShape, as_shape
from minitf.ops import array_ops, random_ops

# ---- Arguments -------------------------------------------------------------------------


def _as_dtypes(dtypes: Any) -> list[DType]:
    listed = dtypes if isinstance(dtypes, (list, tuple)) else [dtypes]
    return [as_dtype(dtype) for dtype in listed]


def _as_shapes(shapes: Any, are_known: Callable[[TensorShape], bool], which: str) -> Any:
    """``shapes`` as a list, or None; raises ValueError unless ``are_known`` of each."""
    if shapes is None:
        return None
    if isinstance(shapes, TensorShape):
        shapes = [shapes]
    if not isinstance(shapes, (list, tuple)):
        raise TypeError(
            "shapes must be a TensorShape or a list or tuple of TensorShapes."
        )
    if all(size is None or isinstance(size, int) for size in shapes):
        shapes = [shapes]  # the sizes of one shape
    listed = [as_shape(shape) for shape in shapes]
    if not all(are_known(shape) for shape in listed):
        raise ValueError(f"All shapes must {which}: {listed}")
    return listed


def _as_full_shapes(shapes: Any) -> Any:
    return _as_shapes(shapes, lambda shape: shape.is_fully_defined(), "be fully defined")


def _as_names(names: Any) -> list[str] | None:
    if names is None:
        return None
    return [names] if isinstance(names, str) else list(names)


def _attrs(
    dtypes: list, shapes: Any, capacity: int, shared_name: Any, **more: Any
) -> Any:
    return {
        "component_types": dtypes,
        "shapes": shapes or [],
        "capacity": capacity,
        "shared_name": shared_name,
        **more,
    }


# ---- All queues ------------------------------------------------------------------------


class QueueBase:
    """What all queues can do. Make one of the classes below.

    Args:
        dtypes: the types of the components.
        shapes: their shapes, or None if they are not known.
        names: their names; then elements are dicts. Or None.
        queue_ref: the handle.
    """

    def __init__(self, dtypes: Any, shapes: Any, names: Any, queue_ref: Tensor):
        self._dtypes = _as_dtypes(dtypes)
        count = len(self._dtypes)
        if shapes is not None and len(shapes) != count:
            raise ValueError(
                "Queue shapes must have the same length as dtypes, received "
                f"len(shapes)={len(shapes)}, len(dtypes)={count}"
            )
        if names is not None and len(names) != count:
            raise ValueError(
                "List of names must have the same length as the list of dtypes, received "
                f"len(names)={len(names)},len(dtypes)={count}"
            )
        shapes = [None] * count if shapes is None else shapes
        self._shapes = [as_shape(shape) for shape in shapes]
        self._names = names
        self._queue_ref = queue_ref
        self._name = "queue"
        if not context.executing_eagerly():
            self._name = queue_ref.op.name.split("/")[-1]

    @staticmethod
    def from_list(index: Any, queues: "list[QueueBase]") -> "QueueBase":
        """The queue ``queues[index]``, where ``index`` is a tensor."""
        if not queues or not isinstance(queues, (list, tuple)):
            raise TypeError("A list of queues expected")
        if not all(isinstance(queue, QueueBase) for queue in queues):
            raise TypeError("A list of queues expected")
        first = queues[0]
        if any(queue.dtypes != first.dtypes for queue in queues):
            raise TypeError("Queues do not have matching component dtypes.")
        if any(queue.names != first.names for queue in queues):
            raise TypeError("Queues do not have matching component names.")
        shapes = [
            _common_shape([queue.shapes[i] for queue in queues])
            for i in range(len(first.dtypes))
        ]
        refs = array_ops.stack([queue.queue_ref for queue in queues])
        ref = array_ops.gather(refs, index)
        return QueueBase(first.dtypes, shapes, first.names, ref)

    @property
    def queue_ref(self) -> Tensor:
        """The handle, a tensor of type resource."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of the queue's node; in eager mode a name for all."""
        return "queue" if context.executing_eagerly() else self._queue_ref.op.name

    @property
    def dtypes(self) -> list[DType]:
        """The types of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of the components, as far as they are known."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of the components, or None."""
        return self._names

    # ---- Putting in --------------------------------------------------------------------

    def enqueue(self, vals: Any, name: str | None = None) -> Any:
        """Puts one element in; waits until there is room.

        Args:
            vals: a tensor, a list of them, or a dict if the components have names.
            name: of the node.

        Returns:
            The Operation. It fails with CancelledError if the queue is closed.
        """
        with name_scope(name, f"{self._name}_enqueue") as scope:
            tensors = self._components(vals)
            for tensor, shape in zip(tensors, self._shapes, strict=True):
                tensor.shape.assert_is_compatible_with(shape)
            return call("QueueEnqueueV2", [self._queue_ref, tensors], None, scope)

    def enqueue_many(self, vals: Any, name: str | None = None) -> Any:
        """Puts the slices of ``vals`` along axis 0 in, one after another.

        Waits until all are in; some may be in, and even out again, before.
        """
        with name_scope(name, f"{self._name}_EnqueueMany") as scope:
            tensors = self._components(vals)
            batch = Dimension(None)
            for tensor, shape in zip(tensors, self._shapes, strict=True):
                rows = tensor.shape.with_rank_at_least(1)
                batch = batch.merge_with(rows[0])
                rows[1:].assert_is_compatible_with(shape)
            return call("QueueEnqueueManyV2", [self._queue_ref, tensors], None, scope)

    def _components(self, vals: Any) -> list[Tensor]:
        """``vals`` as tensors of the types of the components."""
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names) != sorted(vals.keys()):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  "
                    f"Dictionary: {sorted(vals.keys())},Queue: {sorted(self._names)}"
                )
            vals = [vals[name] for name in self._names]
        else:
            if self._names:
                raise ValueError("You must enqueue a dictionary in a Queue with names")
            if not isinstance(vals, (list, tuple)):
                vals = [vals]
            if len(vals) != len(self._dtypes):
                raise ValueError(
                    f"An element of queue '{self.name}' has {len(self._dtypes)} "
                    f"components, got {vals!r}"
                )
        return [
            convert_to_tensor(value, dtype, name=f"component_{i}")
            for i, (value, dtype) in enumerate(zip(vals, self._dtypes, strict=True))
        ]

    # ---- Taking out --------------------------------------------------------------------

    def dequeue(self, name: str | None = None) -> Any:
        """Takes one element; waits until there is one.

        Returns:
            A list of tensors, one tensor, or a dict. They fail with OutOfRangeError if
            the queue is closed and empty.
        """
        return self._dequeued("QueueDequeueV2", [], name, "Dequeue", None)

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """Takes ``n`` elements and stacks each component to ``[n, ...]``.

        They fail with OutOfRangeError if the queue is closed and has fewer; those stay.
        """
        n = convert_to_tensor(n, "int32", name="n")
        rows = None if context.executing_eagerly() else constant_value(n)
        if rows is not None and rows < 0:
            raise ValueError(f"'n' of a dequeue must be >= 0, got {rows}")
        return self._dequeued(
            "QueueDequeueManyV2", [n], name, "DequeueMany", TensorShape([rows])
        )

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """As ``dequeue_many``; a closed queue with fewer elements gives what it has."""
        n = convert_to_tensor(n, "int32", name="n")
        return self._dequeued(
            "QueueDequeueUpToV2", [n], name, "DequeueUpTo", TensorShape([None])
        )

    def _dequeued(
        self, op_type: str, inputs: list, name: Any, suffix: str, rows: TensorShape | None
    ) -> Any:
        tensors = call(
            op_type,
            [self._queue_ref, *inputs],
            {"component_types": self._dtypes},
            name or f"{self._name}_{suffix}",
        )
        if not context.executing_eagerly():
            for tensor, shape in zip(tensors, self._shapes, strict=True):
                tensor.set_shape(shape if rows is None else rows.concatenate(shape))
        if self._names:
            return dict(zip(self._names, tensors, strict=True))
        return tensors[0] if len(tensors) == 1 else tensors

    # ---- Closing and asking ------------------------------------------------------------

    def close(
        self, cancel_pending_enqueues: bool = False, name: str | None = None
    ) -> Any:
        """Refuses what is enqueued later; what is in the queue may still be taken.

        Enqueues that wait come first, unless ``cancel_pending_enqueues``: then they fail
        with CancelledError.
        """
        attrs = {"cancel_pending_enqueues": bool(cancel_pending_enqueues)}
        name = name or f"{self._name}_Close"
        return call("QueueCloseV2", [self._queue_ref], attrs, name)

    def is_closed(self, name: str | None = None) -> Tensor:
        """Whether the queue is closed."""
        name = name or f"{self._name}_Is_Closed"
        return call("QueueIsClosedV2", [self._queue_ref], None, name)

    def size(self, name: str | None = None) -> Tensor:
        """How many elements the queue holds."""
        name = name or f"{self._name}_Size"
        return call("QueueSizeV2", [self._queue_ref], None, name)


def _common_shape(shapes: list[TensorShape]) -> TensorShape:
    """What all of ``shapes`` have in common."""
    if any(shape.ndims is None or shape.ndims != shapes[0].ndims for shape in shapes):
        return TensorShape(None)
    sizes = zip(*[shape.as_list() for shape in shapes], strict=True)
    return TensorShape([size[0] if len(set(size)) == 1 else None for size in sizes])


# ---- The kinds -------------------------------------------------------------------------


class FIFOQueue(QueueBase):
    """A queue whose elements come out in the order in which they went in.

    Args:
        capacity: how many elements it may hold; a negative number for any number.
        dtypes: the types of the components.
        shapes: their shapes, fully known; needed for ``dequeue_many``.
        names: their names; then elements are dicts.
        shared_name: queues of this name are one in all graphs of a session.
        name: of the node.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     queue = tf.FIFOQueue(3, tf.int32, shapes=[[]])
    ...     session.run(queue.enqueue_many([[10, 20, 30]]))
    ...     print(session.run(queue.dequeue()), session.run(queue.dequeue_many(2)))
    10 [20 30]
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ):
        dtypes, names = _as_dtypes(dtypes), _as_names(names)
        shapes = _as_full_shapes(shapes)
        attrs = _attrs(dtypes, shapes, capacity, shared_name)
        super().__init__(dtypes, shapes, names, call("FIFOQueueV2", [], attrs, name))


class PaddingFIFOQueue(QueueBase):
    """A FIFOQueue whose elements may differ in size.

    ``dequeue_many`` fills the smaller ones up with zeros, or with empty strings.

    Args:
        capacity: as for a FIFOQueue.
        dtypes: as for a FIFOQueue.
        shapes: of known rank; None stands for a size that differs.
        names: as for a FIFOQueue.
        shared_name: as for a FIFOQueue.
        name: of the node.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ):
        if shapes is None:
            raise ValueError(
                "When providing partial shapes, a list of shapes must be provided."
            )
        dtypes, names = _as_dtypes(dtypes), _as_names(names)
        shapes = _as_shapes(
            shapes, lambda shape: shape.ndims is not None, "have a defined rank"
        )
        if len(shapes) != len(dtypes):
            raise ValueError(
                f"Shapes must be provided for all components, but received {len(dtypes)} "
                f"dtypes and {len(shapes)} shapes."
            )
        attrs = _attrs(dtypes, shapes, capacity, shared_name)
        ref = call("PaddingFIFOQueueV2", [], attrs, name)
        super().__init__(dtypes, shapes, names, ref)


class RandomShuffleQueue(QueueBase):
    """A queue whose elements come out in random order.

    Args:
        capacity: as for a FIFOQueue.
        min_after_dequeue: so many elements stay while the queue is open; the more, the
            better they are mixed.
        dtypes: as for a FIFOQueue.
        shapes: as for a FIFOQueue.
        names: as for a FIFOQueue.
        seed: with the same seed the order is the same.
        shared_name: as for a FIFOQueue.
        name: of the node.
    """

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ):
        dtypes, names = _as_dtypes(dtypes), _as_names(names)
        shapes = _as_full_shapes(shapes)
        attrs = _attrs(
            dtypes,
            shapes,
            capacity,
            shared_name,
            min_after_dequeue=min_after_dequeue,
            **random_ops._seed_attrs(seed),
        )
        ref = call("RandomShuffleQueueV2", [], attrs, name)
        super().__init__(dtypes, shapes, names, ref)


class PriorityQueue(QueueBase):
    """A queue whose elements come out in order of their first component, an int64.

    Args:
        capacity: as for a FIFOQueue.
        types: the types of the components behind the priority.
        shapes: their shapes.
        names: of all components, that of the priority first.
        shared_name: as for a FIFOQueue.
        name: of the node.
    """

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ):
        types, names = _as_dtypes(types), _as_names(names)
        shapes = _as_full_shapes(shapes)
        attrs = _attrs(types, shapes, capacity, shared_name)
        ref = call("PriorityQueueV2", [], attrs, name)
        all_shapes = None if shapes is None else [TensorShape([]), *shapes]
        super().__init__([int64, *types], all_shapes, names, ref)
