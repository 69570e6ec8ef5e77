"""``tf.train``: optimizers, learning rates, the count of steps, input pipelines.

Compare: tensorflow/python/training/training.py. Read next: ``training/optimizer.py``.
"""

from minitf.contrib.summary.writer import summary_iterator
from minitf.framework import messages as _messages
from minitf.framework.graph_io import write_graph
from minitf.training.batching import batch, batch_join, maybe_batch, maybe_batch_join
from minitf.training.coordinator import Coordinator, LooperThread
from minitf.training.device_setter import replica_device_setter
from minitf.training.input import (
    input_producer,
    limit_epochs,
    match_filenames_once,
    range_input_producer,
    slice_input_producer,
    string_input_producer,
)
from minitf.training.learning_rate_decay import (
    cosine_decay,
    cosine_decay_restarts,
    exponential_decay,
    inverse_time_decay,
    linear_cosine_decay,
    natural_exp_decay,
    noisy_linear_cosine_decay,
    piecewise_constant,
    piecewise_constant_decay,
    polynomial_decay,
)
from minitf.training.more_optimizers import (
    AdadeltaOptimizer,
    FtrlOptimizer,
    ProximalAdagradOptimizer,
    ProximalGradientDescentOptimizer,
)
from minitf.training.moving_averages import ExponentialMovingAverage
from minitf.training.optimizer import Optimizer
from minitf.training.optimizers import (
    AdagradOptimizer,
    AdamOptimizer,
    GradientDescentOptimizer,
    MomentumOptimizer,
    RMSPropOptimizer,
)
from minitf.training.queue_runner_impl import (
    QueueRunner,
    add_queue_runner,
    start_queue_runners,
)
from minitf.training.shuffling import (
    maybe_shuffle_batch,
    maybe_shuffle_batch_join,
    shuffle_batch,
    shuffle_batch_join,
)
from minitf.training.training_util import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)

__all__ = [
    "AdadeltaOptimizer",
    "AdagradOptimizer",
    "AdamOptimizer",
    "Coordinator",
    "ExponentialMovingAverage",
    "FtrlOptimizer",
    "GradientDescentOptimizer",
    "LooperThread",
    "MomentumOptimizer",
    "Optimizer",
    "ProximalAdagradOptimizer",
    "ProximalGradientDescentOptimizer",
    "QueueRunner",
    "RMSPropOptimizer",
    "add_queue_runner",
    "assert_global_step",
    "batch",
    "batch_join",
    "cosine_decay",
    "cosine_decay_restarts",
    "create_global_step",
    "exponential_decay",
    "get_global_step",
    "get_or_create_global_step",
    "global_step",
    "input_producer",
    "inverse_time_decay",
    "limit_epochs",
    "linear_cosine_decay",
    "match_filenames_once",
    "maybe_batch",
    "maybe_batch_join",
    "maybe_shuffle_batch",
    "maybe_shuffle_batch_join",
    "natural_exp_decay",
    "noisy_linear_cosine_decay",
    "piecewise_constant",
    "piecewise_constant_decay",
    "polynomial_decay",
    "range_input_producer",
    "replica_device_setter",
    "shuffle_batch",
    "shuffle_batch_join",
    "slice_input_producer",
    "start_queue_runners",
    "string_input_producer",
    "summary_iterator",
    "write_graph",
]


def __getattr__(name: str):
    if name not in _messages.IN_TRAIN:
        raise AttributeError(f"module 'minitf.train' has no attribute {name!r}")
    found = globals()[name] = _messages.get(name)
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, *_messages.IN_TRAIN})
