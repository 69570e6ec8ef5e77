"""``tf.train.string_input_producer`` and its kin: the start of an input pipeline.

A pipeline is a row of queues, each filled by threads of its own::

    names of files  ->  queue  ->  reader, decoder  ->  queue  ->  batches  ->  training
       a producer                                        batch(), shuffle_batch()

A producer enqueues a list over and over, each time in another order unless told
otherwise, and says OutOfRangeError after ``num_epochs`` times. These are counted in a
local variable, so run ``tf.local_variables_initializer()`` before the threads start.

Compare: tensorflow/python/training/input.py. Read next: ``batching.py``.
"""

from typing import Any

from minitf.data_flow.data_flow_ops import FIFOQueue
from minitf.eager import context
from minitf.framework.collections_ import GraphKeys
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.graph import control_dependencies
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import GraphTensor, Tensor
from minitf.ops import array_ops, math_ops, random_ops
from minitf.training import queue_summary
from minitf.training.queue_runner_impl import NOT_EAGER, QueueRunner, add_queue_runner
from minitf.variables.variables import Variable


def require_graph_mode() -> None:
    """Raises RuntimeError in eager mode, which has no pipelines of queues."""
    if context.executing_eagerly():
        raise RuntimeError(f"Input pipelines based on Queues {NOT_EAGER}")


def match_filenames_once(pattern: Any, name: str | None = None) -> Variable:
    """The files that match ``pattern``, looked up once, when variables are initialized.

    Args:
        pattern: a pattern or several, a string tensor.
        name: of the variable.

    Returns:
        A local variable with the names.
    """
    with name_scope(name, "matching_filenames", [pattern]) as scope:
        return Variable(
            call("MatchingFiles", [pattern]),
            name=scope,
            trainable=False,
            validate_shape=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )


def limit_epochs(
    tensor: Any, num_epochs: int | None = None, name: str | None = None
) -> Tensor:
    """``tensor``, which can be computed ``num_epochs`` times; then OutOfRangeError.

    Args:
        tensor: any tensor.
        num_epochs: how often; None for no limit.
        name: of the node.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with name_scope(name, "limit_epochs", [tensor]) as scope:
        epochs = Variable(
            convert_to_tensor(0, "int64"),
            name="epochs",
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )
        with control_dependencies([epochs.count_up_to(num_epochs)]):
            return array_ops.identity(tensor, name=scope)


def input_producer(
    input_tensor: Any,
    element_shape: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> FIFOQueue:
    """A queue that gives the rows of ``input_tensor`` over and over.

    Args:
        input_tensor: ``[n, ...]``.
        element_shape: the shape of a row, if it is not known of ``input_tensor``.
        num_epochs: how often all rows are given; None for ever.
        shuffle: whether in another order each time.
        seed: of the orders.
        capacity: of the queue.
        shared_name: of the queue.
        summary_name: of the summary that says how full the queue is; None for none.
        name: of the queue.
        cancel_op: what is run when the threads are to stop.
    """
    require_graph_mode()
    with name_scope(name, "input_producer", [input_tensor]):
        rows = convert_to_tensor(input_tensor, name="input_tensor")
        shape = rows.shape[1:].merge_with(element_shape)
        if not shape.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or "
                "`element_shape` must be specified"
            )
        if num_epochs is None and rows.shape.ndims and rows.shape.as_list()[0] == 0:
            raise ValueError("input_producer needs at least one row to give for ever")
        if shuffle:
            rows = random_ops.random_shuffle(rows, seed=seed)
        rows = limit_epochs(rows, num_epochs)

        queue = FIFOQueue(
            capacity,
            [rows.dtype],
            [shape],
            shared_name=shared_name,
            name=name or "fifo_queue",
        )
        enqueue = queue.enqueue_many([rows])
        add_queue_runner(QueueRunner(queue, [enqueue], cancel_op=cancel_op))
        if summary_name is not None:
            size = math_ops.cast(queue.size(), "float32")
            queue_summary.add(summary_name, size * (1.0 / capacity))
        return queue


def string_input_producer(
    string_tensor: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> FIFOQueue:
    """A queue that gives strings, such as names of files, over and over.

    Args:
        string_tensor: ``[n]``, a list or a tensor.
        num_epochs: how often all are given; None for ever.
        shuffle: whether in another order each time.
        seed: of the orders.
        capacity: of the queue.
        shared_name: of the queue.
        name: of the queue.
        cancel_op: what is run when the threads are to stop.
    """
    require_graph_mode()
    not_null = "string_input_producer requires a non-null input tensor"
    is_tensor = isinstance(string_tensor, (GraphTensor, Variable))
    if not is_tensor and (string_tensor is None or len(string_tensor) == 0):
        raise ValueError(not_null)
    with name_scope(name, "input_producer", [string_tensor]) as scope:
        strings = convert_to_tensor(string_tensor, "string")
        is_there = call("Greater", [array_ops.size(strings), 0])
        with name_scope("Assert"):
            check = call("Assert", [is_there, [not_null]])
        with control_dependencies([check]):
            strings = array_ops.identity(strings)
        return input_producer(
            strings,
            [],
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            f"fraction_of_{capacity}_full",
            scope,
            cancel_op,
        )


def range_input_producer(
    limit: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> FIFOQueue:
    """A queue that gives the integers from 0 to ``limit - 1`` over and over.

    Args:
        limit: an int32 scalar.
        num_epochs: how often all are given; None for ever.
        shuffle: whether in another order each time.
        seed: of the orders.
        capacity: of the queue.
        shared_name: of the queue.
        name: of the queue.
    """
    require_graph_mode()
    with name_scope(name, "input_producer", [limit]) as scope:
        numbers = math_ops.range(limit)
        return input_producer(
            numbers,
            [],
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            f"fraction_of_{capacity}_full",
            scope,
        )


def slice_input_producer(
    tensor_list: list[Any],
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """One row of each of several tensors: the same row, another one in each step.

    Args:
        tensor_list: tensors ``[n, ...]`` of one n.
        num_epochs: how often all rows are given; None for ever.
        shuffle: whether in another order each time.
        seed: of the orders.
        capacity: of the queue of row numbers.
        shared_name: of that queue.
        name: of that queue.

    Returns:
        A list of tensors, without axis 0.
    """
    require_graph_mode()
    if len(tensor_list) == 0:
        raise ValueError("Expected at least one tensor in slice_input_producer().")
    with name_scope(name, "input_producer", list(tensor_list)):
        tensors = [convert_to_tensor(tensor) for tensor in tensor_list]
        rows = array_ops.shape(tensors[0])[0]
        queue = range_input_producer(
            rows, num_epochs, shuffle, seed, capacity, shared_name
        )
        index = queue.dequeue()
        return [array_ops.gather(tensor, index) for tensor in tensors]
