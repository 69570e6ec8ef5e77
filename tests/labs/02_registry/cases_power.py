"""Lab 02, task 8: PowerDifference, from its definition to its values."""

import itertools
from typing import Any

import numpy as np
from lab_02_registry.trials import (
    UNKNOWN,
    Sizes,
    hidden_in_part,
    plain_arg,
    plain_attr,
    refused_naming,
)

from minitf_lab.judge.case import Call, Mismatch, Trial, case, close, describe
from minitf_lab.judge.draw import Draw
from minitf_lab.judge.trials import text_of, value_trial

TYPES = ("float32", "float64", "int32", "int64")
PLACES = ("eager", "graph", "unknown")
RTOL = {"float32": 1e-5, "float64": 1e-12, "int32": 0, "int64": 0}


def _power(x: np.ndarray, y: np.ndarray, power: Any) -> np.ndarray:
    """As ``np.power``, but integers wrap around, as exact numbers do modulo 2^64."""
    if x.dtype.kind == "f":
        with np.errstate(all="ignore"):
            return np.asarray(np.power(x - y, np.asarray(power, x.dtype)))
    bits = 8 * x.dtype.itemsize
    differences = np.asarray(x.astype(object) - y.astype(object), object)

    def one(base: int) -> int:
        value = pow(base, int(power), 1 << bits)
        return value - (1 << bits) if value >> (bits - 1) else value

    powers = [one(base) for base in differences.ravel()]
    return np.array(powers, x.dtype).reshape(differences.shape)


def _trial(x: np.ndarray, y: np.ndarray, power: Any, place: str = "eager") -> Trial:
    """One call of the op."""
    pow_ = np.asarray(power, x.dtype)
    with np.errstate(all="ignore"):
        expected = np.asarray(_power(x, y, power))
    shown = f"x {describe(x)}, y {describe(y)}"
    if x.size + y.size <= 12:
        shown = f"x = {x.tolist()}, y = {y.tolist()}, {x.dtype}"

    def check(values: list[Any]) -> Mismatch | None:
        got = values[0]
        if wrong := close(got["value"], expected, rtol=RTOL[x.dtype.name]):
            return wrong
        for name, one, was in zip("xyp", got["inputs"], [x, y, pow_], strict=True):
            if wrong := close(one, was, what=f"the input {name} afterwards"):
                return wrong
        if place == "graph" and got["shape"] != list(expected.shape):
            return Mismatch(
                "the shape that the graph knows",
                expected=text_of(expected.shape),
                got=text_of(got["shape"]),
            )
        return None

    title = f"(x - y)^{power}, {shown}, {place}"
    arguments = {"x": x, "y": y, "pow": pow_, "place": place}
    return Trial(title, [Call("power", arguments)], check)


@case("02.8")
def definition(draw):
    """Inputs x, y and pow, output z, all of type T; what is no fact is not claimed."""
    expected = {
        "name": "PowerDifference",
        "inputs": [plain_arg(name, type_attr="T") for name in ("x", "y", "pow")],
        "outputs": [plain_arg("z", type_attr="T")],
        "attrs": [plain_attr("T", "type", types=sorted(TYPES))],
        "claims": [],
    }

    def check(values: list[Any]) -> Mismatch | None:
        got = values[0]
        for attr in got["attrs"]:
            attr["types"] = sorted(attr["types"])
        for part, one in expected.items():
            if got[part] != one:
                return Mismatch(f"the {part}", expected=str(one), got=str(got[part]))
        return None

    yield Trial("the definition", [Call("power_def", {})], check)


@case("02.8", over=TYPES)
def powers_by_heart(draw, dtype):
    """The powers 0, 1, 2, 3: the power 0 gives 1, even of 0."""
    x, y = np.array([5, 2, 3, 1], dtype), np.array([3, 2, 7, 2], dtype)
    for power in (1, 2, 0, 3):
        yield _trial(x, y, power)
        yield _trial(x[:1], y[:1], power)
        yield _trial(x[0], y[0], power)
    for power in (2, 0, 1):
        yield _trial(x, y[:1], power)
        yield _trial(x[:1], y, power)


@case("02.8", over=TYPES[:2])
def negative_and_broken_powers(draw, dtype):
    """Of real numbers: -1, one half, roots of what has none, infinities."""
    x = np.array([3, 2, 2, 0, 10, -8], dtype)
    y = np.array([1, 2, 6, 2, 0, 0], dtype)
    for power in (-1, -2, 0.5, 1.5, -0.5, 1 / 3, 300, -300):
        yield _trial(x, y, power)
    special = np.array([np.inf, -np.inf, np.nan, 0, 1], dtype)
    for power in (0, 1, 2, -1, np.inf, -np.inf, np.nan):
        yield _trial(special, np.zeros_like(special), power)


@case("02.8", over=TYPES[2:])
def negative_powers_of_integers(draw, dtype):
    """They are refused, even where there is nothing to compute."""
    for power, size, place in itertools.product((-1, -7), (2, 1, 0), PLACES):
        x = np.arange(size).astype(dtype)
        title = f"(x - 1)^{power}, {describe(x)}, {place}"
        arguments = {
            "x": x, "y": np.ones(1, dtype), "pow": np.asarray(power, dtype),
            "place": place,
        }  # fmt: skip
        yield refused_naming(title, "power", arguments, names=[str(power)])


@case("02.8", over=TYPES[2:])
def large_powers_of_integers(draw, dtype):
    """They wrap around, as products of integers do, and take few steps."""
    x, y = np.array([3, 0, 1, 7, -5], dtype), np.array([1, 0, 2, 10, -5], dtype)
    largest = np.iinfo(dtype).max
    for power in (10, 31, 33, 64, 100, 1000, 10**9, largest, largest - 1):
        yield _trial(x, y, power)
    ends = np.array([largest, np.iinfo(dtype).min, 0], dtype)
    for power in (0, 1, 2, 3):
        yield _trial(ends, ends[::-1].copy(), power)


def _pairs(draw: Draw, count: int) -> Any:
    for i in range(count):
        shape = draw.shape(draw.whole(0, 1 + i * 5 // count), 4, empty=draw.coin(0.1))
        one, other = draw.stretched(shape), draw.stretched(shape)
        yield draw.one_of([(shape, one), (one, shape), (shape, shape), (one, other)])


@case("02.8", over=TYPES)
def broadcast_values(draw, dtype):
    """Shapes of ranks 0 to 5 that broadcast; the inputs stay as they are."""
    kind = "whole" if dtype.startswith("int") else "signed"
    for x_shape, y_shape in _pairs(draw, 24):
        x, y = (draw.array(shape, dtype, kind) for shape in (x_shape, y_shape))
        yield _trial(x, y, draw.one_of([0, 1, 2, 3]), draw.one_of(PLACES))


@case("02.8")
def all_small_broadcasts(draw):
    """All pairs of shapes of ranks 0 to 3 whose sizes are 1 or one other."""
    sizes = (3, 2, 4)
    shapes = [
        shape
        for rank in range(4)
        for shape in itertools.product(*[(1, size) for size in sizes[3 - rank :]])
    ]
    for x_shape, y_shape in itertools.product(shapes, shapes):
        x, y = (draw.array(shape, "float64") for shape in (x_shape, y_shape))
        yield _trial(x, y, draw.one_of([1, 2]))


@case("02.8", hidden=True, over=TYPES)
def more_broadcast_values(draw, dtype):
    """Other shapes, also large ones."""
    kind = "whole" if dtype.startswith("int") else "plain"
    for x_shape, y_shape in _pairs(draw, 20):
        x, y = (draw.array(shape, dtype, kind) for shape in (x_shape, y_shape))
        yield _trial(x, y, draw.one_of([0, 1, 2, 5]), draw.one_of(PLACES))
    for shapes in [((300, 7), (7,)), ((40, 1, 9), (30, 1)), ((5000,), ())]:
        x, y = (draw.array(shape, dtype, kind) for shape in shapes)
        yield _trial(x, y, 2)


def _shape(x: Sizes, y: Sizes, power: Sizes, expected: Sizes) -> Trial:
    title = f"x {text_of(x)}, y {text_of(y)}, pow {text_of(power)}"
    return value_trial(title, "power_shape", {"shapes": [x, y, power]}, expected)


@case("02.8")
def shapes_of_the_result(draw):
    """What is known of x and y broadcasts; of pow nothing but its rank matters."""
    for power in ([], None):
        yield _shape([2, 3], [3], power, [2, 3])
        yield _shape([], [2, 1], power, [2, 1])
        yield _shape([2, 1], [1, 3], power, [2, 3])
        yield _shape([UNKNOWN, 3], [2, 1], power, [2, 3])
        yield _shape([UNKNOWN], [1], power, [UNKNOWN])
        yield _shape(None, [2], power, None)
        yield _shape([2], None, power, None)
        yield _shape([0, 1], [1, 4], power, [0, 4])


@case("02.8")
def what_does_not_fit(draw):
    """Shapes that do not broadcast, and a pow that is no scalar, are refused early."""
    for x, y in [([2], [3]), ([2, 3], [2]), ([4, 1, 2], [3, 5, 2])]:
        title = f"x {text_of(x)}, y {text_of(y)}"
        arguments = {"shapes": [x, y, []]}
        names = [text_of(x), text_of(y)]
        yield refused_naming(title, "power_shape", arguments, names=names)
    for power in ([1], [2], [UNKNOWN], [0], [1, 1], [2, 3]):
        title = f"x [2], y [2], pow {text_of(power)}"
        arguments = {"shapes": [[2], [2], power]}
        yield refused_naming(title, "power_shape", arguments, names=[text_of(power)])


@case("02.8", hidden=True)
def more_shapes_of_the_result(draw):
    """Shapes by chance, known in part."""
    for _ in range(150):
        shape = draw.shape(draw.whole(0, 5), 4)
        x, y = draw.stretched(shape), draw.stretched(shape)
        rank = max(len(x), len(y))
        padded = [(1,) * (rank - len(one)) + tuple(one) for one in (x, y)]
        known = [hidden_in_part(draw, one, 0.2) for one in (x, y)]
        if None in known:
            expected = None
        else:
            expected = []
            full = [[1] * (rank - len(one)) + one for one in known]
            for (a, b), real in zip(
                zip(*full, strict=True), zip(*padded, strict=True), strict=True
            ):
                # A size above 1 is that of the result; of 1 and an unknown one, nothing.
                sure = max(a, b) > 1 or UNKNOWN not in (a, b)
                expected.append(max(real) if sure else UNKNOWN)
                if sure and UNKNOWN in (a, b):
                    expected[-1] = max(a, b)
        yield _shape(*known, [], expected)
