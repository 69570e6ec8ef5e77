"""Inputs for the gradient functions of all ops: data, and nothing else.

``test_numeric_gradients.py`` goes through them. A case is a call of an op whose floating
and complex inputs are differentiated. Inputs keep away from kinks and from branch cuts,
so that central differences are exact to many digits. This file has the ops that work
element by element; the others are in the ``gradient_cases_*.py`` next to it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

_numbers = np.random.default_rng(20190614)


@dataclass(frozen=True, eq=False)
class Case:
    """A call of ``op``, and what a graph must know for its gradient.

    ``needs`` is "" if the gradient works for inputs of unknown rank that are all fed;
    "constants" if inputs that are no floats must be constants; "rank" if in addition the
    ranks must be known, "shapes" if all shapes. ``once`` tells that only the first
    derivative is right.
    """

    op: str
    inputs: list[Any]
    attrs: dict[str, Any]
    needs: str
    once: bool

    def __str__(self) -> str:
        shapes = [
            [np.shape(item) for item in x] if isinstance(x, list) else np.shape(x)
            for x in self.inputs
        ]
        types = {str(array.dtype) for array in flat(self.inputs)}
        return f"{self.op} of {shapes}, {sorted(types)}, {self.attrs}"


CASES: list[Case] = []


def flat(inputs: list[Any]) -> list[np.ndarray]:
    """All arrays of a nested list."""
    arrays = []
    for x in inputs:
        arrays.extend(x if isinstance(x, list) else [x])
    return arrays


def case(
    op: str, *inputs: Any, needs: str = "", once: bool = False, **attrs: Any
) -> None:
    """Adds to CASES. A list among the inputs is an argument that is a list of tensors."""
    inputs = [
        [np.asarray(item) for item in x] if isinstance(x, list) else np.asarray(x)
        for x in inputs
    ]
    CASES.append(Case(op, inputs, attrs, needs, once))


def ints(*values: Any) -> np.ndarray:
    """A vector of int32, or a matrix if the values are lists."""
    return np.array(values, np.int32)


def scalar(value: int) -> np.ndarray:
    return np.array(value, np.int32)


def between(low: float, high: float, *shape: int) -> np.ndarray:
    """Random float64 of [low, high)."""
    return np.asarray(_numbers.uniform(low, high, shape))


def real(*shape: int) -> np.ndarray:
    return between(-2, 2, *shape)


def away(*shape: int) -> np.ndarray:
    """Of both signs, none near 0."""
    return between(0.4, 2, *shape) * _numbers.choice([-1.0, 1.0], shape)


def distinct(*shape: int) -> np.ndarray:
    """No two nearer to each other than 0.1, so that a maximum is clear."""
    size = int(np.prod(shape))
    return _numbers.permutation(size).reshape(shape) * 0.1 - 0.07 * size + 0.013


def cplx(*shape: int) -> np.ndarray:
    """complex128, away from 0 and from the branch cuts of logarithms and roots."""
    return between(0.5, 1.3, *shape) + 1j * between(0.3, 0.9, *shape)


SHAPES = [(2, 3), (), (4,), (2, 1, 3), (0, 2)]

# ---- One input -------------------------------------------------------------------------

RANGES = {
    "Acos": (-0.9, 0.9),
    "Acosh": (1.2, 3),
    "Asin": (-0.9, 0.9),
    "Asinh": (-3, 3),
    "Atan": (-3, 3),
    "Atanh": (-0.8, 0.8),
    "Cos": (-3, 3),
    "Cosh": (-2, 2),
    "Digamma": (0.5, 4),
    "Erf": (-2, 2),
    "Erfc": (-2, 2),
    "Exp": (-2, 2),
    "Expm1": (-2, 2),
    "L2Loss": (-2, 2),
    "Lgamma": (0.5, 4),
    "Log": (0.3, 3),
    "Log1p": (-0.6, 3),
    "Neg": (-2, 2),
    "Rsqrt": (0.4, 3),
    "Sigmoid": (-4, 4),
    "Sin": (-3, 3),
    "Sinh": (-2, 2),
    "Softplus": (-4, 4),
    "Sqrt": (0.4, 3),
    "Square": (-2, 2),
    "Tan": (-1.1, 1.1),
    "Tanh": (-2, 2),
}
AWAY_FROM_0 = ["Abs", "Elu", "Inv", "LeakyRelu", "Reciprocal", "Relu", "Selu", "Sign"]
AWAY_FROM_0 += ["Softsign", "Relu6"]
COMPLEX_TOO = {"Inv", "Reciprocal", *RANGES}
COMPLEX_TOO -= {"Digamma", "Erf", "Erfc", "L2Loss", "Lgamma", "Softplus"}

for _op, (_low, _high) in RANGES.items():
    for _shape in SHAPES:
        case(_op, between(_low, _high, *_shape))
for _op in AWAY_FROM_0:
    for _shape in SHAPES:
        case(_op, away(*_shape))
for _op in sorted(COMPLEX_TOO):
    case(_op, cplx(2, 3))
    case(_op, cplx())

case("Lgamma", between(-0.8, -0.2, 3))
case("Lgamma", between(-3.7, -3.3, 3))
case("Relu6", between(6.5, 9, 4))
case("LeakyRelu", away(3, 2), alpha=0.5)
case("Expm1", between(-1e-8, 1e-8, 3))
case("Log1p", between(-1e-8, 1e-8, 3))
case("Sigmoid", ints(-40, 40).astype(float))
case("Softplus", ints(-40, 40).astype(float))
case("Tanh", ints(-20, 20).astype(float))

for _op in ("Softmax", "LogSoftmax"):
    for _shape in [(2, 3), (4,), (2, 2, 3), (2, 1), (0, 3)]:
        case(_op, real(*_shape))

for _x in (cplx(2, 2), cplx(), -cplx(3), cplx(0, 2)):
    case("Conj", _x)
    case("Real", _x, Tout="float64")
    case("Imag", _x, Tout="float64")
    case("ComplexAbs", _x, Tout="float64")
    case("Angle", _x, Tout="float64")

# ---- Two inputs that broadcast ---------------------------------------------------------

PAIRS = [
    ((2, 3), (2, 3)),
    ((2, 3), (2, 1)),
    ((3,), (2, 3)),
    ((2, 1, 3), (4, 1)),
    ((), (2, 3)),
    ((1,), ()),
    ((1, 1), (3,)),
    ((0, 3), (1, 3)),
    ((2, 1), (2, 0)),
]
ANY = ["Add", "AddV2", "Sub", "Mul", "MulNoNan", "SquaredDifference"]
BY_Y = ["Div", "RealDiv", "DivNoNan", "Xdivy"]
for _x, _y in PAIRS:
    for _op in ANY:
        case(_op, real(*_x), real(*_y))
    for _op in BY_Y:
        case(_op, real(*_x), away(*_y))
    case("Xlogy", real(*_x), between(0.4, 3, *_y))
    case("Pow", between(0.4, 2, *_x), real(*_y))
    case("PowerDifference", between(2, 3, *_x), between(0, 1, *_y), real())
    case("Atan2", away(*_x), away(*_y))
    case("Igamma", between(0.5, 3, *_x), between(0.4, 3, *_y), once=True)
    case("Igammac", between(0.5, 3, *_x), between(0.4, 3, *_y), once=True)
    case("Complex", real(*_x), real(*_y), Tout="complex128")
    for _op in ("Maximum", "Minimum"):
        case(_op, between(-1, -0.1, *_x), between(0, 1, *_y))
        case(_op, between(0, 1, *_x), between(-1, -0.1, *_y))
    for _op in ("FloorMod", "Mod", "TruncateMod"):
        case(_op, away(*_x), between(2.1, 2.2, *_y))
        case(_op, between(4.5, 6, *_x), -between(2.1, 2.2, *_y))
        case(_op, between(-6, -4.5, *_x), between(2.1, 2.2, *_y))
for _op in [*ANY, *BY_Y, "Xlogy", "Pow"]:
    for _x, _y in [((2, 3), (2, 3)), ((2, 1), (3,)), ((), (2,))]:
        case(_op, cplx(*_x), cplx(*_y))
case("Complex", np.float32(0.5), np.float32([1, 2]), Tout="complex64")

# ---- The helpers of gradients ----------------------------------------------------------

for _shape in SHAPES:
    for _op in ("InvGrad", "ReciprocalGrad", "RsqrtGrad", "SqrtGrad"):
        case(_op, away(*_shape), real(*_shape))
    case("SigmoidGrad", between(0.1, 0.9, *_shape), real(*_shape))
    case("TanhGrad", between(-0.9, 0.9, *_shape), real(*_shape))
    for _op in ("ReluGrad", "Relu6Grad", "LeakyReluGrad", "SoftsignGrad"):
        case(_op, real(*_shape), away(*_shape))
    case("SoftplusGrad", real(*_shape), real(*_shape))
    for _op in ("EluGrad", "SeluGrad"):
        case(_op, real(*_shape), between(-0.9, -0.1, *_shape))
        case(_op, real(*_shape), between(0.1, 3, *_shape))
for _op in ("InvGrad", "ReciprocalGrad", "RsqrtGrad", "SqrtGrad", "SigmoidGrad"):
    case(_op, cplx(2, 3), cplx(2, 3))
case("TanhGrad", cplx(2), -cplx(2))
case("LeakyReluGrad", real(3), away(3), alpha=0.5)
case("Relu6Grad", real(2), np.array([5.0, 7]))

# ---- Choosing, adding, converting ------------------------------------------------------

for _shape in SHAPES:
    case("AddN", [real(*_shape), real(*_shape), real(*_shape)])
    case("Select", real(*_shape) > 0, real(*_shape), real(*_shape))
    case("Select", np.True_, real(*_shape), real(*_shape))
    case("Cast", real(*_shape), DstT="float64")
case("AddN", [real(2, 3)])
case("AddN", [cplx(2), cplx(2)])
case("Select", np.array([True, False]), real(2, 3), real(2, 3))
case("Select", np.array([True, False]), cplx(2, 3), cplx(2, 3))
case("Cast", real(3), DstT="complex128")
case("Cast", cplx(3), DstT="complex128")
case("Cast", cplx(3), DstT="float64")

TRIPLES = [
    ((2, 3), (2, 3), (2, 3)),
    ((3,), (2, 1), (2, 3)),
    ((2, 3), (), (1, 3)),
    ((), (2, 1), (1, 3)),
    ((2, 1, 1), (3,), (2, 1)),
    ((), (), ()),
    ((1, 3), (0, 3), ()),
]
for _c, _t, _e in TRIPLES:
    case("SelectV2", real(*_c) > 0, real(*_t), real(*_e))
case("SelectV2", np.array([True, False]), cplx(3, 1), cplx())

# Some below, some inside, some above.
_t = np.array([[-3.0, -2, 0], [0.5, 2, 3]])
case("ClipByValue", _t, np.array(-1.0), np.array(1.0))
case("ClipByValue", _t, np.array(-9.0), np.array(9.0))
case("ClipByValue", _t, between(-1.5, -1, 2, 3), between(1, 1.5, 2, 3))
case("ClipByValue", real(), np.array(2.5), np.array(3.5))
case("ClipByValue", real(0, 2), np.array(-1.0), np.array(1.0))
