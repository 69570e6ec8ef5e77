"""``tf.test``: numeric gradients, and a base for tests.

Compare: tensorflow/python/ops/gradient_checker.py, framework/test_util.py. Read next:
``layers/__init__.py``.
"""

import unittest
from typing import Any

import numpy as np

from minitf.client import device_lib
from minitf.framework import errors
from minitf.framework.default_session import get_default_session
from minitf.ops import array_ops, gradients_impl

__all__ = [
    "compute_gradient",
    "compute_gradient_error",
    "gpu_device_name",
    "is_gpu_available",
    "main",
]


def _value_of(x: Any, shape: Any, dtype: Any, given: Any) -> np.ndarray:
    if given is not None:
        return np.array(given, dtype.as_numpy_dtype)
    return np.random.default_rng(12345).random(tuple(shape)).astype(dtype.as_numpy_dtype)


def _parts(array: np.ndarray) -> np.ndarray:
    """The numbers of ``array`` one after another; of complex ones both parts."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(flat.real.dtype) if np.iscomplexobj(flat) else flat


def _jacobians(
    x: Any, x_value: np.ndarray, y: Any, y_shape: Any, delta: float, feed: dict
) -> tuple:
    session = get_default_session()
    y_size = int(np.prod(y_shape, dtype=np.int64))
    y_parts = y_size * (2 if y.dtype.is_complex else 1)
    numbers = _parts(x_value)
    symbolic = np.zeros((numbers.size, y_parts), numbers.dtype)
    numeric = np.zeros_like(symbolic)

    weights = array_ops.placeholder(y.dtype, y_shape)
    gradient = gradients_impl.gradients(y, x, weights)[0]
    for column in range(y_parts):
        weight = np.zeros(y_size, y.dtype.as_numpy_dtype)
        _parts(weight)[column] = 1
        if gradient is not None:
            fed = {**feed, x: x_value, weights: weight.reshape(tuple(y_shape))}
            symbolic[:, column] = _parts(np.asarray(session.run(gradient, fed)))
    for row in range(numbers.size):
        sides = []
        for sign in (1, -1):
            moved = x_value.copy()
            view = moved.reshape(-1)
            _parts_view(view)[row] += sign * delta
            result = session.run(y, {**feed, x: moved})
            sides.append(_parts(np.asarray(result)))
        numeric[row] = (sides[0] - sides[1]) / (2 * delta)
    return symbolic, numeric


def _parts_view(flat: np.ndarray) -> np.ndarray:
    return flat.view(flat.real.dtype) if np.iscomplexobj(flat) else flat


def compute_gradient(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: dict | None = None,
) -> Any:
    """dy/dx twice: by the registered gradients, and by finite differences.

    Args:
        x: a tensor, or a list of them.
        x_shape: its shape, or a list of shapes.
        y: a tensor that depends on x.
        y_shape: its shape.
        x_init_value: where; random numbers if None.
        delta: half the width of a difference.
        init_targets: nodes to run first.
        extra_feed_dict: further values to feed.

    Returns:
        A pair of matrices with a row for each number of x and a column for each of y; for
        a list of xs, a list of pairs. Runs in the default session.
    """
    session = get_default_session()
    if session is None:
        raise ValueError("compute_gradient needs a default session: with tf.Session():")
    for target in (
        init_targets if isinstance(init_targets, (list, tuple)) else [init_targets]
    ):
        if target is not None:
            session.run(target)
    is_list = isinstance(x, (list, tuple))
    xs = list(x) if is_list else [x]
    shapes = list(x_shape) if is_list else [x_shape]
    given = (
        list(x_init_value)
        if is_list and x_init_value is not None
        else ([x_init_value] * len(xs))
    )
    values = [
        _value_of(one, shape, one.dtype, value)
        for one, shape, value in zip(xs, shapes, given, strict=True)
    ]
    feed = dict(extra_feed_dict or {})
    with session.graph.as_default():
        results = [
            _jacobians(
                one,
                value,
                y,
                y_shape,
                delta,
                {
                    **feed,
                    **{
                        other: other_value
                        for other, other_value in zip(xs, values, strict=True)
                        if other is not one
                    },
                },
            )
            for one, value in zip(xs, values, strict=True)
        ]
    return results if is_list else results[0]


def compute_gradient_error(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: dict | None = None,
) -> float:
    """The largest difference between the two results of ``compute_gradient``."""
    found = compute_gradient(
        x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict
    )
    pairs = found if isinstance(found, list) else [found]
    return max(
        (
            float(np.abs(symbolic - numeric).max())
            for symbolic, numeric in pairs
            if symbolic.size
        ),
        default=0.0,
    )


def is_gpu_available(
    cuda_only: bool = False, min_cuda_compute_capability: Any = None
) -> bool:
    """Whether there is a GPU that computes faster than the CPU.

    One that is emulated does not count: it is there for programs that name it. Use
    ``device_lib.list_local_devices`` to see those, too.

    Args:
        cuda_only: whether only GPUs that CUDA knows count; there are no others.
        min_cuda_compute_capability: None: what a GPU can do is not known.

    Raises:
        errors.UnimplementedError: there is a GPU, and its capability is asked for.
    """
    del cuda_only
    is_there = gpu_device_name() != ""
    if is_there and min_cuda_compute_capability is not None:
        raise errors.UnimplementedError(
            None,
            None,
            "is_gpu_available does not know whether the GPU has the compute capability "
            f"{min_cuda_compute_capability}",
        )
    return is_there


def gpu_device_name() -> str:
    """The name of a GPU, as ``is_gpu_available`` counts them; ``""`` if there is none."""
    for device in device_lib.list_local_devices():
        is_emulated = "emulated" in device.physical_device_desc
        if device.device_type == "GPU" and not is_emulated:
            return device.name
    return ""


def main(argv: Any = None) -> None:
    """Runs the tests of the calling program."""
    unittest.main(argv=argv)


def __dir__() -> list[str]:
    return __all__
