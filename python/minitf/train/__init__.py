"""``tf.train``: optimizers, learning rates and the count of steps.

Compare: tensorflow/python/training/training.py. Read next: ``optimizer.py``.
"""

from minitf import messages as _messages
from minitf.graph_io import write_graph
from minitf.summary.writer import summary_iterator
from minitf.train.device_setter import replica_device_setter
from minitf.train.learning_rate import (
    cosine_decay,
    cosine_decay_restarts,
    exponential_decay,
    inverse_time_decay,
    linear_cosine_decay,
    natural_exp_decay,
    noam_decay,
    piecewise_constant,
    piecewise_constant_decay,
    polynomial_decay,
)
from minitf.train.moving_averages import ExponentialMovingAverage
from minitf.train.optimizer import Optimizer
from minitf.train.optimizers import (
    AdagradOptimizer,
    AdamOptimizer,
    GradientDescentOptimizer,
    MomentumOptimizer,
    RMSPropOptimizer,
)
from minitf.train.step import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)

__all__ = [
    "AdagradOptimizer",
    "AdamOptimizer",
    "ExponentialMovingAverage",
    "GradientDescentOptimizer",
    "MomentumOptimizer",
    "Optimizer",
    "RMSPropOptimizer",
    "assert_global_step",
    "cosine_decay",
    "cosine_decay_restarts",
    "create_global_step",
    "exponential_decay",
    "get_global_step",
    "get_or_create_global_step",
    "global_step",
    "inverse_time_decay",
    "linear_cosine_decay",
    "natural_exp_decay",
    "noam_decay",
    "piecewise_constant",
    "piecewise_constant_decay",
    "polynomial_decay",
    "replica_device_setter",
    "summary_iterator",
    "write_graph",
]


def __getattr__(name: str):
    if name not in _messages.IN_TRAIN:
        raise AttributeError(f"module 'minitf.train' has no attribute {name!r}")
    found = globals()[name] = _messages.get(name)
    return found
