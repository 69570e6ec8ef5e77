"""Derivatives of small programs by arithmetic, without a gradient function anywhere.

A jet is a number with its change along some directions: x + a e + b d + c e d, where e²
and d² are 0. Computing with jets in place of numbers gives first derivatives along
every element of an x at once (a), along one direction (b), and the second derivatives
of both (c). That is forward differentiation: it shares nothing with the sweep backwards
that labs are about.

A program is a list of steps, each the call of an op, as a driver gets it:

    {"op": "Mul", "inputs": ["x", "y"], "attrs": {}, "outputs": ["z"]}
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

Step = dict[str, Any]


@dataclass
class Jet:
    """Attributes: value [...], a [n,...], b [...], and c [n,...], as above.

    Where nobody asks for second derivatives, c is of no directions, and costs nothing.
    """

    value: np.ndarray
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray

    @staticmethod
    def constant(value: np.ndarray, n: int, n_second: int | None = None) -> "Jet":
        """A value that nothing changes, along n directions, and so many for c."""
        value = np.asarray(value)
        a, c = (
            np.zeros((count, *value.shape), value.dtype)
            for count in (n, n if n_second is None else n_second)
        )
        return Jet(value, a, np.zeros_like(value), c)

    def like_constant(self, value: np.ndarray) -> "Jet":
        """A constant with as many directions as this one has."""
        return Jet.constant(value, len(self.a), len(self.c))


def _each(f: Callable, *many: np.ndarray) -> np.ndarray:
    """``f`` of every direction's part; of none if one has none."""
    return np.array([f(*parts) for parts in zip(*many, strict=False)])


def linear(f: Callable[[np.ndarray], np.ndarray], x: Jet) -> Jet:
    """A linear function of one jet."""
    return Jet(f(x.value), _each(f, x.a), f(x.b), _each(f, x.c))


def bilinear(f: Callable, x: Jet, y: Jet) -> Jet:
    """A function that is linear in each of two jets."""
    return Jet(
        f(x.value, y.value),
        _each(lambda p, q: f(p, y.value) + f(x.value, q), x.a, y.a),
        f(x.b, y.value) + f(x.value, y.b),
        _each(
            lambda xa, ya, xc, yc: f(xc, y.value) + f(xa, y.b) + f(x.b, ya)
            + f(x.value, yc),
            *(x.a, y.a, x.c, y.c),
        ),
    )  # fmt: skip


def smooth(f: Callable, first: Callable, second: Callable) -> Callable[[Jet], Jet]:
    """A function of each element, by its first two derivatives."""

    def apply(x: Jet) -> Jet:
        slope = first(x.value)
        c = slope * x.c + second(x.value) * x.a * x.b if len(x.c) else x.c
        return Jet(f(x.value), slope * x.a, slope * x.b, c)

    return apply


def _axes(attrs_axes: Any, rank: int) -> tuple[int, ...]:
    return tuple({int(axis) % rank for axis in np.ravel(attrs_axes)}) if rank else ()


def _reduce(x: Jet, axes: Jet, attrs: dict, mean: bool) -> Jet:
    chosen = _axes(axes.value, x.value.ndim)
    count = int(np.prod([x.value.shape[axis] for axis in chosen]))

    def f(part: np.ndarray) -> np.ndarray:
        total = np.sum(part, axis=chosen, keepdims=attrs.get("keep_dims", False))
        return total / count if mean else total

    return linear(f, x)


def _matmul(x: Jet, y: Jet, attrs: dict) -> Jet:
    def f(p: np.ndarray, q: np.ndarray) -> np.ndarray:
        p = p.T if attrs.get("transpose_a") else p
        return p @ (q.T if attrs.get("transpose_b") else q)

    return bilinear(f, x, y)


def _add(x: Jet, y: Jet, sign: int = 1) -> Jet:
    return Jet(
        x.value + sign * y.value,
        _each(lambda p, q: p + sign * q, x.a, y.a),
        x.b + sign * y.b,
        _each(lambda p, q: p + sign * q, x.c, y.c),
    )


def _select(condition: Jet, x: Jet, y: Jet) -> Jet:
    chosen = condition.value
    missing = x.value.ndim - chosen.ndim
    chosen = chosen.reshape(chosen.shape + (1,) * missing)

    def f(p: np.ndarray, q: np.ndarray) -> np.ndarray:
        return np.where(chosen, p, q)

    return Jet(f(x.value, y.value), _each(f, x.a, y.a), f(x.b, y.b), _each(f, x.c, y.c))


def _bias_add(x: Jet, bias: Jet, attrs: dict) -> Jet:
    rank = x.value.ndim
    after = rank - 2 if attrs.get("data_format") == "NCHW" and rank > 2 else 0
    spread = linear(lambda part: part.reshape(part.shape + (1,) * after), bias)
    return _add(x, spread)


def _split(x: Jet, attrs: dict, axis: Jet) -> list[Jet]:
    count, at = attrs["num_split"], int(axis.value)
    size = x.value.shape[at] // count

    def part(i: int) -> Jet:
        return linear(lambda p: np.take(p, range(i * size, (i + 1) * size), axis=at), x)

    return [part(i) for i in range(count)]


_reciprocal = smooth(lambda x: 1 / x, lambda x: -1 / x**2, lambda x: 2 / x**3)
_mul = np.multiply

# Op -> its jet from jets and attributes.
OPS: dict[str, Callable[..., Any]] = {
    "Add": lambda x, y, **_: _add(x, y),
    "Sub": lambda x, y, **_: _add(x, y, -1),
    "Mul": lambda x, y, **_: bilinear(_mul, x, y),
    "RealDiv": lambda x, y, **_: bilinear(_mul, x, _reciprocal(y)),
    "Div": lambda x, y, **_: bilinear(_mul, x, _reciprocal(y)),
    "Neg": lambda x, **_: linear(np.negative, x),
    "Identity": lambda x, **_: x,
    "Square": lambda x, **_: bilinear(_mul, x, x),
    "Sin": lambda x, **_: smooth(np.sin, np.cos, lambda v: -np.sin(v))(x),
    "Exp": lambda x, **_: smooth(np.exp, np.exp, np.exp)(x),
    "Log": lambda x, **_: smooth(np.log, lambda v: 1 / v, lambda v: -1 / v**2)(x),
    "MatMul": lambda x, y, **attrs: _matmul(x, y, attrs),
    "Sum": lambda x, axes, **attrs: _reduce(x, axes, attrs, mean=False),
    "Mean": lambda x, axes, **attrs: _reduce(x, axes, attrs, mean=True),
    "Reshape": lambda x, shape, **_: linear(
        lambda part: part.reshape([int(size) for size in shape.value]), x
    ),
    "Select": lambda c, x, y, **_: _select(c, x, y),
    "BiasAdd": lambda x, bias, **attrs: _bias_add(x, bias, attrs),
    "Cast": lambda x, DstT: x.like_constant(x.value.astype(DstT)),  # noqa: N803
    "Floor": lambda x, **_: x.like_constant(np.floor(x.value)),
    "Split": lambda axis, x, **attrs: _split(x, attrs, axis),
}
# Inputs through which no gradient goes.
NOT_SMOOTH = {"Sum": {1}, "Mean": {1}, "Reshape": {1}, "Select": {0}, "Split": {0}}


def run(
    program: Iterable[Step],
    inputs: dict[str, np.ndarray],
    x: str = "",
    along: tuple[str, np.ndarray] | None = None,
    stopped: Iterable[str] = (),
) -> dict[str, Jet]:
    """Every value of a program, with its change.

    Args:
        program: Its steps.
        inputs: Values that no step makes.
        x: The value along whose elements ``a`` is; none if empty.
        along: A value, and the change of it that ``b`` is along; nothing if None.
        stopped: Values that count as constants, unless one is ``x``.
    """
    values: dict[str, Jet] = {}
    n, n_second = 1, None if along else 0
    if x:
        like = inputs[x] if x in inputs else run(program, inputs)[x].value
        n = max(np.size(like), 1)

    def put(name: str, jet: Jet) -> None:
        value = jet.value
        jet = Jet(value, jet.a, jet.b, jet.c)  # Identity has handed on the same one
        if name in stopped and name != x:
            jet = Jet.constant(value, n, n_second)
        if name == x and value.size:
            jet.a = np.eye(n, dtype=value.dtype).reshape((n, *value.shape))
        if along and name == along[0]:
            jet.b = np.asarray(along[1], value.dtype)
        values[name] = jet

    for name, value in inputs.items():
        put(name, Jet.constant(value, n, n_second))
    for step in program:
        jets = [values[name] for name in step["inputs"]]
        with np.errstate(all="ignore"):
            made = OPS[step["op"]](*jets, **step["attrs"])
        for name, jet in zip(
            step["outputs"], made if isinstance(made, list) else [made], strict=True
        ):
            put(name, jet)
    return values


def reached(program: Iterable[Step], x: str, stopped: Iterable[str] = ()) -> set[str]:
    """The values that depend on ``x`` through inputs that have gradients."""
    found = {x}
    for step in program:
        smooth_inputs = [
            name
            for i, name in enumerate(step["inputs"])
            if i not in NOT_SMOOTH.get(step["op"], ())
        ]
        if found & set(smooth_inputs) and step["op"] not in {"Cast", "Floor"}:
            found |= {name for name in step["outputs"] if name not in stopped}
    return found


def gradient(
    program: list[Step],
    inputs: dict[str, np.ndarray],
    x: str,
    dys: dict[str, np.ndarray],
    stopped: Iterable[str] = (),
) -> np.ndarray | None:
    """dL/dx, where dL/dy is given for every y; None if no y depends on x.

    For complex values it is TensorFlow's: the conjugate of dy/dx counts.
    """
    if not reached(program, x, stopped) & set(dys):
        return None
    values = run(program, inputs, x, stopped=stopped)
    like = values[x].value
    total = np.zeros(like.shape, like.dtype)
    if not like.size:
        return total
    for y, dy in dys.items():
        with np.errstate(all="ignore"):
            parts = np.conj(values[y].a) * dy
        total = total + parts.reshape(like.size, -1).sum(1).reshape(like.shape)
    return total


def second(
    program: list[Step],
    inputs: dict[str, np.ndarray],
    x: str,
    dys: dict[str, np.ndarray],
    weights: dict[str, np.ndarray],
) -> np.ndarray:
    """The gradient with respect to ``x`` of a sum of first gradients, for real values.

    ``dys`` has dL/dy for every y. ``weights`` has what dL/dv is multiplied by, for each v
    whose gradient counts.
    """
    total = np.zeros_like(run(program, inputs)[x].value)
    for along in weights.items():
        values = run(program, inputs, x, along)
        for y, dy in dys.items():
            if total.size:
                parts = (values[y].c * dy).reshape(total.size, -1)
                total = total + parts.sum(1).reshape(total.shape)
    return total
