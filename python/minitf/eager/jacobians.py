"""Jacobians, from one gradient for each element of what is differentiated.

Compare: tensorflow/python/eager/backprop.py, GradientTape.jacobian. Read next:
``ops/custom_gradient.py``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.framework.constant_op import constant
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops
from minitf.ops.unconnected_gradients import UnconnectedGradients
from minitf.util.nest import flatten, pack_like


def require_count(parallel_iterations: int | None) -> None:
    """Raises ValueError unless it is None or a number of at least 1."""
    if parallel_iterations is not None and parallel_iterations < 1:
        raise ValueError(
            f"parallel_iterations must be a positive integer, is {parallel_iterations}"
        )


def jacobian(gradient: Callable, target: Any, sources: Any, unconnected: Any) -> Any:
    """For each source ``[target's shape, source's shape]``, or None.

    Args:
        gradient: gives the gradients of a target for sources, with weights of its shape.
        target: a tensor or a variable.
        sources: tensors and variables, nested at will.
        unconnected: an UnconnectedGradients.
    """
    sizes = _known_sizes(target, "target")
    eye = np.eye(int(np.prod(sizes)), dtype=target.dtype.as_numpy_dtype)
    flat = flatten(sources)
    rows = [
        gradient(target, flat, _constant(row.reshape(sizes), target), unconnected)
        for row in eye
    ]
    columns = [[row[i] for row in rows] for i in range(len(flat))]
    joined = [
        None if not column or column[0] is None else _stacked(column, sizes, x)
        for column, x in zip(columns, flat, strict=True)
    ]
    return pack_like(sources, joined)


def _stacked(rows: list[Tensor], sizes: list[int], x: Any) -> Tensor:
    stacked = array_ops.stack(rows)
    if x.shape.is_fully_defined():
        return array_ops.reshape(stacked, sizes + x.shape.as_list())
    shape = array_ops.concat([sizes, array_ops.shape(x)], 0)
    return array_ops.reshape(stacked, shape)


def batch_jacobian(gradient: Callable, target: Any, source: Any) -> Tensor:
    """``[N, a row of target, a row of source]``: dtarget[i]/dsource[i] for every i.

    Args:
        gradient: as for ``jacobian``.
        target: ``[N, ...]``.
        source: ``[N, ...]``.
    """
    sizes = _known_sizes(target, "target")
    source_sizes = _known_sizes(source, "source")
    for shape in (sizes, source_sizes):
        if len(shape) < 2:
            raise ValueError(f"Shape {tuple(shape)} must have rank at least 2")
    if sizes[0] != source_sizes[0]:
        raise ValueError(
            f"Need first dimension of target shape ({target.shape}) and source shape "
            f"({source.shape}) to match."
        )
    eye = np.eye(int(np.prod(sizes[1:])), dtype=target.dtype.as_numpy_dtype)
    zero = UnconnectedGradients.ZERO
    columns = [
        gradient(
            target,
            source,
            _constant(np.broadcast_to(row.reshape(sizes[1:]), sizes), target),
            zero,
        )
        for row in eye
    ]
    stacked = array_ops.stack(columns, axis=1)
    return array_ops.reshape(stacked, sizes + source_sizes[1:])


def _known_sizes(tensor: Any, what: str) -> list[int]:
    if not tensor.shape.is_fully_defined():
        raise ValueError(
            f"the shape of the {what} of a Jacobian must be known, is {tensor.shape}"
        )
    return tensor.shape.as_list()


def _constant(weights: np.ndarray, like: Any) -> Tensor:
    return constant(weights, like.dtype)
