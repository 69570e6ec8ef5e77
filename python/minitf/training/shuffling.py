"""``tf.train.shuffle_batch`` and its kin: batches of examples in random order.

Examples wait in a RandomShuffleQueue, so each batch is drawn from those that wait. How
well they are mixed is a matter of ``min_after_dequeue``, the least number that do.

Compare: tensorflow/python/training/input.py. Read next: ``../data/__init__.py``.
"""

from typing import Any

from minitf.training.batching import Options, pipeline
from minitf.util.signatures import without


def maybe_shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches in random order of the examples that are to be kept.

    Args:
        tensors: one example, a list or a dict of tensors and SparseTensors.
        batch_size: examples in a batch.
        capacity: how many examples may wait.
        min_after_dequeue: how many wait at least, until there are no more.
        keep_input: whether the example is kept: a bool, or a Boolean tensor; with
            ``enqueue_many`` perhaps one for each ``[N]``.
        num_threads: threads that compute examples.
        seed: with the same seed, and one thread, the order is the same.
        enqueue_many: whether ``tensors`` is several examples, along axis 0.
        shapes: of an example; what is known of ``tensors`` if None.
        allow_smaller_final_batch: whether the last batch may have fewer examples.
        shared_name: of the queue.
        name: of the batches' node.

    Returns:
        Tensors ``[batch_size, ...]`` in the form of ``tensors``; of one, the tensor. See
        ``batch`` for SparseTensors.
    """
    options = Options(
        batch_size=batch_size,
        capacity=capacity,
        min_after_dequeue=min_after_dequeue,
        keep_input=keep_input,
        seed=seed,
        enqueue_many=enqueue_many,
        shapes=shapes,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )
    return pipeline("shuffle_batch", [tensors], num_threads, options)


shuffle_batch = without(
    maybe_shuffle_batch,
    "keep_input",
    True,
    "shuffle_batch",
    "As ``maybe_shuffle_batch``, of all examples.",
)


def maybe_shuffle_batch_join(
    tensors_list: list[Any],
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As ``shuffle_batch_join``, without those for which ``keep_input`` is False."""
    options = Options(
        batch_size=batch_size,
        capacity=capacity,
        min_after_dequeue=min_after_dequeue,
        keep_input=keep_input,
        seed=seed,
        enqueue_many=enqueue_many,
        shapes=shapes,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )
    return pipeline("shuffle_batch_join", tensors_list, 1, options)


shuffle_batch_join = without(
    maybe_shuffle_batch_join,
    "keep_input",
    True,
    "shuffle_batch_join",
    "As ``shuffle_batch``, with one thread for each of several examples.",
)
