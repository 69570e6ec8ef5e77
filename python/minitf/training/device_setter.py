"""``tf.train.replica_device_setter``: variables here, everything else there.

A device function that a program puts around its whole model. Variables go to the tasks
of the job ``ps``, by default in turn; everything else goes to the job ``worker``. What
the program has asked for itself is kept, part by part.

Compare: tensorflow/python/training/device_setter.py. Read next: ``training_util.py``.
"""

from collections.abc import Callable
from typing import Any

from minitf.framework import devices
from minitf.framework.dtypes import as_dtype
from minitf.framework.tensor_shape import as_shape
from minitf.platform import tf_logging

# The types of nodes that hold what training changes, and so belong on parameter servers.
STANDARD_PS_OPS = (
    "Variable",
    "VariableV2",
    "AutoReloadVariable",
    "MutableHashTable",
    "MutableHashTableV2",
    "MutableHashTableOfTensors",
    "MutableHashTableOfTensorsV2",
    "MutableDenseHashTable",
    "MutableDenseHashTableV2",
    "VarHandleOp",
)


class _RoundRobin:
    """One task after another, and again from the first."""

    def __init__(self, num_tasks: int):
        self._num_tasks = num_tasks
        self._next = 0

    def __call__(self, op: Any) -> int:
        task = self._next
        self._next = (task + 1) % self._num_tasks
        return task


class GreedyLoadBalancingStrategy:
    """The task that has the least to carry so far.

    Args:
        num_tasks: how many tasks there are.
        load_fn: what an Operation adds to the load of its task, such as
            ``byte_size_load_fn``.
    """

    def __init__(self, num_tasks: int, load_fn: Callable[[Any], float]):
        self._loads = [0.0] * num_tasks
        self._load_fn = load_fn

    def __call__(self, op: Any) -> int:
        """The number of the task for ``op``."""
        task = self._loads.index(min(self._loads))
        self._loads[task] += self._load_fn(op)
        return task


def byte_size_load_fn(op: Any) -> int:
    """How many bytes a variable's value has. Raises ValueError if that is not known."""
    shape = as_shape(op.get_attr("shape"))
    if not shape.is_fully_defined():
        raise ValueError(f"'{op.name}' has shape {shape}, whose size is not known")
    return as_dtype(op.get_attr("dtype")).size * int(shape.num_elements())


class _ReplicaDeviceChooser:
    """What ``replica_device_setter`` returns."""

    def __init__(
        self,
        ps_device: str,
        worker_device: str,
        merge_devices: bool,
        ps_ops: Any,
        ps_strategy: Callable[[Any], int],
    ):
        self._ps_device = ps_device
        self._worker_device = worker_device
        self._merge_devices = merge_devices
        self._ps_ops = frozenset(ps_ops)
        self._ps_strategy = ps_strategy

    def __call__(self, op: Any) -> str:
        asked = op.device
        if asked and not self._merge_devices:
            return asked
        if op.type not in self._ps_ops or not self._ps_device:
            return devices.merge(self._worker_device or "", asked)
        device = self._ps_device
        ps_job = devices.parse(device).get("job")
        # A job that is asked for keeps its own tasks.
        if ps_job and devices.parse(asked).get("job", ps_job) == ps_job:
            device = devices.merge(device, f"/task:{self._ps_strategy(op)}")
        return devices.merge(device, asked)


def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Any = None,
    ps_strategy: Callable[[Any], int] | None = None,
) -> Callable[[Any], str] | None:
    """A device function for ``tf.device``: variables to ``ps_device``, others elsewhere.

    Args:
        ps_tasks: how many tasks the job of ``ps_device`` has; 0 for no parameter servers.
        ps_device: where variables go; their task is chosen by ``ps_strategy``.
        worker_device: where everything else goes.
        merge_devices: complete what an op asks for itself; if False, an op that asks for
            anything is left alone.
        cluster: a dict from job to addresses, or an object whose ``as_dict`` gives it;
            ``ps_tasks`` is counted from it.
        ps_ops: the types of ops that go to ``ps_device``; ``STANDARD_PS_OPS`` if None.
        ps_strategy: a function from an Operation to a task; in turn if None.

    Returns:
        The function; None if there are no parameter servers.

    Raises:
        TypeError: ``cluster`` is none, or ``ps_strategy`` cannot be called.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(2)):
    ...     v, w = tf.Variable(1.0), tf.Variable(2.0)
    ...     (v.device, w.device, (v + w).device)
    ('/job:ps/task:0', '/job:ps/task:1', '/job:worker')
    """
    if cluster is not None:
        jobs = cluster if isinstance(cluster, dict) else _jobs_of(cluster)
        ps_tasks = len(jobs.get(devices.DeviceSpec.from_string(ps_device).job) or ())
    if ps_tasks == 0:
        return None
    if not merge_devices:
        tf_logging.warning(
            "DEPRECATION: It is recommended to set merge_devices=true in "
            "replica_device_setter"
        )
    strategy = _RoundRobin(ps_tasks) if ps_strategy is None else ps_strategy
    if not callable(strategy):
        raise TypeError("ps_strategy must be callable")
    return _ReplicaDeviceChooser(
        ps_device,
        worker_device,
        merge_devices,
        STANDARD_PS_OPS if ps_ops is None else ps_ops,
        strategy,
    )


def _jobs_of(cluster: Any) -> dict:
    if not hasattr(cluster, "as_dict"):
        raise TypeError(
            f"cluster must be a dict or have a method as_dict, got {type(cluster)}"
        )
    return cluster.as_dict()
