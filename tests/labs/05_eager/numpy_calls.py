"""Calls of ops, with their answers in numpy."""

from collections.abc import Callable
from typing import Any

import numpy as np
from lab_05_eager.trials import Request

from minitf_lab.judge.draw import FLOATING, Draw

WHOLE = ("int32", "int64")
NUMBERS = (*FLOATING, *WHOLE)


def numbers(draw: Draw, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Numbers of both signs of any type."""
    return draw.array(shape, dtype, "whole" if dtype in WHOLE else "signed")


def cwise(draw: Draw, op: str, dtype: str, shape: tuple[int, ...] = (2, 3)) -> Request:
    """A call that works element by element."""
    functions: dict[str, Callable] = {
        "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Neg": np.negative,
        "Square": np.square, "Maximum": np.maximum,
    }  # fmt: skip
    count = 1 if op in {"Neg", "Square"} else 2
    inputs = [numbers(draw, shape, dtype) for _ in range(count)]
    return Request(op, inputs, [np.asarray(functions[op](*inputs), dtype)])


def sum_over(x: np.ndarray, axes: Any, **attrs: Any) -> Request:
    """A Sum; ``keep_dims`` is an attribute, or left out."""
    total = np.sum(x, tuple(np.ravel(axes)), keepdims=attrs.get("keep_dims", False))
    return Request("Sum", [x, axes], [np.asarray(total, x.dtype)], attrs)


def matmul(x: np.ndarray, y: np.ndarray, **attrs: bool) -> Request:
    """A MatMul; flags that are not given are left out."""
    left = x.T if attrs.get("transpose_a") else x
    right = y.T if attrs.get("transpose_b") else y
    return Request("MatMul", [x, y], [left @ right], attrs)


def split(x: np.ndarray, axis: int, count: int) -> Request:
    """A Split."""
    parts = np.split(x, count, axis)
    return Request("Split", [np.int32(axis), x], parts, {"num_split": count})


def pack(values: list[np.ndarray], axis: int | None) -> Request:
    """A Pack; an axis that is none is left out."""
    attrs = {} if axis is None else {"axis": axis}
    return Request("Pack", values, [np.stack(values, axis or 0)], attrs)


def bias_add(x: np.ndarray, bias: np.ndarray, data_format: str | None) -> Request:
    """A BiasAdd; a format that is none is left out."""
    attrs = {} if data_format is None else {"data_format": data_format}
    spread = bias.reshape(-1, *[1] * (x.ndim - 2)) if data_format == "NCHW" else bias
    return Request("BiasAdd", [x, bias], [x + spread], attrs)


def leaky(x: np.ndarray, alpha: float | None) -> Request:
    """A LeakyRelu; a slope that is none is left out."""
    slope = np.float32(0.2 if alpha is None else alpha).astype(x.dtype)
    attrs = {} if alpha is None else {"alpha": alpha}
    return Request("LeakyRelu", [x], [np.where(x > 0, x, x * slope)], attrs)


def squeeze(x: np.ndarray, axes: list[int] | None) -> Request:
    """A Squeeze; axes that are none are left out."""
    attrs = {} if axes is None else {"squeeze_dims": axes}
    return Request("Squeeze", [x], [np.squeeze(x, tuple(axes) if axes else None)], attrs)


def cast(x: np.ndarray, to: str) -> Request:
    """A Cast."""
    return Request("Cast", [x], [x.astype(to)], {"DstT": to})


def constant(value: np.ndarray) -> Request:
    """A Const, whose attribute is a tensor."""
    return Request("Const", [], [value], {"value": value, "dtype": value.dtype.name})
