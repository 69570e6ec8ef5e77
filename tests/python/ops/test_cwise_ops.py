"""Ops that work element by element, against numpy, for every type that has a kernel."""

import math

import numpy as np
import pytest
from numbers_for_ops import TOLERANCES, as_array, check, numbers, types_of, wide

import minitf as tf
from minitf.framework import op_def_library as ops

pytestmark = pytest.mark.usefixtures("eager")

_erf = np.vectorize(math.erf, otypes=[float])
_erfc = np.vectorize(math.erfc, otypes=[float])
_lgamma = np.vectorize(math.lgamma, otypes=[float])


def _sign(x):
    if np.iscomplexobj(x):
        return np.where(x == 0, 0, x / np.where(x == 0, 1, np.abs(x)))
    return np.sign(x)


def _reciprocal(x):
    return (
        np.trunc(1 / x.astype(float)).astype(x.dtype) if x.dtype.kind in "iu" else 1 / x
    )


# What numpy calls it, and the range of its input.
UNARY = {
    "Abs": (np.abs, -3, 3),
    "Acos": (np.arccos, -0.9, 0.9),
    "Acosh": (np.arccosh, 1.1, 3),
    "Asin": (np.arcsin, -0.9, 0.9),
    "Asinh": (np.arcsinh, -3, 3),
    "Atan": (np.arctan, -3, 3),
    "Atanh": (np.arctanh, -0.9, 0.9),
    "Ceil": (np.ceil, -3, 3),
    "Conj": (np.conj, -3, 3),
    "Cos": (np.cos, -3, 3),
    "Cosh": (np.cosh, -3, 3),
    "Erf": (_erf, -3, 3),
    "Erfc": (_erfc, -3, 3),
    "Exp": (np.exp, -3, 3),
    "Expm1": (np.expm1, -3, 3),
    "Floor": (np.floor, -3, 3),
    "Inv": (_reciprocal, 1, 3),
    "Invert": (np.invert, -3, 3),
    "Lgamma": (_lgamma, 0.5, 4),
    "Log": (np.log, 0.3, 4),
    "Log1p": (np.log1p, -0.6, 3),
    "LogicalNot": (np.logical_not, 0, 1),
    "Neg": (np.negative, -3, 3),
    "Reciprocal": (_reciprocal, 1, 3),
    "Rint": (np.rint, -3, 3),
    "Round": (np.round, -3, 3),
    "Rsqrt": (lambda x: 1 / np.sqrt(x), 0.3, 4),
    "Sigmoid": (lambda x: 1 / (1 + np.exp(-x)), -4, 4),
    "Sign": (_sign, -2, 2),
    "Sin": (np.sin, -3, 3),
    "Sinh": (np.sinh, -3, 3),
    "Sqrt": (np.sqrt, 0, 4),
    "Square": (np.square, -3, 3),
    "Tan": (np.tan, -1.2, 1.2),
    "Tanh": (np.tanh, -3, 3),
}
SHAPES = [(), (5,), (2, 3), (0,), (2, 0, 3), (4099,)]


def types_or_bool(op):
    return types_of(op) if op != "LogicalNot" else ["bool"]


@pytest.mark.parametrize("op", UNARY)
def test_one_input(op):
    function, low, high = UNARY[op]
    for name in types_or_bool(op):
        for shape in SHAPES:
            x, array = numbers(len(shape) + 1, name, shape, low, high)
            expected = function(wide(array))
            check(ops.call(op, [x]), expected, name, 4, f"{op}, {name}, {shape}")


def test_infinities_and_what_is_not_a_number():
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e300, -1e300])
    for op in sorted(UNARY.keys() - {"Invert", "LogicalNot", "Sign", "Lgamma", "Conj"}):
        with np.errstate(all="ignore"):
            expected = UNARY[op][0](special)
        found = ops.call(op, [tf.constant(special)]).numpy()
        np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=op)
    for name in ("float32", "float64"):
        assert not tf.exp(np.full(9, -800, name)).numpy().any()
    for op, function in [
        ("IsNan", np.isnan),
        ("IsInf", np.isinf),
        ("IsFinite", np.isfinite),
    ]:
        for name in types_of(op):
            x = tf.cast(tf.constant(special), name)
            assert (ops.call(op, [x]).numpy() == function(as_array(x))).all(), (op, name)
    assert np.isposinf(ops.call("Lgamma", [[0.0, -1.0, -2.0]]).numpy()).all()


def test_small_numbers_keep_their_digits():
    x = np.array([1e-12, -3e-13])
    np.testing.assert_allclose(tf.expm1(x), x, rtol=1e-11)
    np.testing.assert_allclose(tf.log1p(x), x, rtol=1e-11)
    z = x + 1j * x[::-1]
    np.testing.assert_allclose(tf.expm1(z), z, rtol=1e-6)
    np.testing.assert_allclose(tf.log1p(z), z, rtol=1e-6)


def test_digamma():
    euler = 0.5772156649015329
    x = np.array([1.0, 2, 0.5, 10, -0.5])
    expected = [
        -euler,
        1 - euler,
        -euler - 2 * np.log(2),
        sum(1 / k for k in range(1, 10)) - euler,
        -euler - 2 * np.log(2) + 2,
    ]
    for name in types_of("Digamma"):
        check(ops.call("Digamma", [tf.cast(x, name)]), expected, name, 4)


def test_half_way_cases_go_to_the_even_number():
    x = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5])
    for op in ("Round", "Rint"):
        assert ops.call(op, [x]).numpy().tolist() == [-2, -2, 0, 0, 2, 2]


@pytest.mark.parametrize(
    ("op", "function"),
    [
        ("Real", np.real),
        ("Imag", np.imag),
        ("Angle", np.angle),
        ("ComplexAbs", np.abs),
    ],
)
def test_parts_of_complex_numbers(op, function):
    for name, part in [("complex64", "float32"), ("complex128", "float64")]:
        x, array = numbers(1, name, (3, 5))
        result = ops.call(op, [x], {"Tout": part})
        check(result, function(wide(array)), part, 2)


def test_the_grid_of_requirement_m184():
    grid = np.linspace(-10, 10, 401)
    for name in ("float32", "float64"):
        for op, function in [
            ("Abs", np.abs),
            ("Exp", np.exp),
            ("Sin", np.sin),
            ("Cos", np.cos),
        ]:
            x = grid.astype(name)
            check(ops.call(op, [x]), function(wide(x)), name, 2, op)
        x = np.abs(grid).astype(name)
        check(tf.sqrt(x), np.sqrt(wide(x)), name)
    assert tf.conj([1 + 2j]).numpy().tolist() == [1 - 2j]


# ---- Two inputs ------------------------------------------------------------------------


def _truncate_div(x, y):
    if x.dtype.kind in "iu":
        quotient = np.abs(x.astype(object)) // np.abs(y.astype(object))
        signs = np.sign(x.astype(object)) * np.sign(y.astype(object))
        return np.asarray(quotient * signs).astype(x.dtype)
    return x / y


def _float_truncate_div(x, y):
    return np.trunc(x / y) if x.dtype.kind == "f" else _truncate_div(x, y)


def _squared_difference(x, y):
    return (x - y) * np.conj(x - y)


# The range of y where not all numbers will do, and how much less exact it may be.
BINARY = {
    "Add": (np.add, None),
    "AddV2": (np.add, None),
    "Sub": (np.subtract, None),
    "Mul": (np.multiply, None),
    "MulNoNan": (np.multiply, None),
    "SquaredDifference": (_squared_difference, None),
    "Maximum": (np.maximum, None),
    "Minimum": (np.minimum, None),
    "Div": (_truncate_div, (1, 3)),
    "RealDiv": (np.divide, (1, 3)),
    "DivNoNan": (np.divide, (1, 3)),
    "Xdivy": (np.divide, (1, 3)),
    "FloorDiv": (np.floor_divide, (1, 3)),
    "FloorMod": (np.mod, (1, 3)),
    "Mod": (np.fmod, (1, 3)),
    "TruncateMod": (np.fmod, (1, 3)),
    "Xlogy": (lambda x, y: x * np.log(y), (0.5, 3)),
    "Atan2": (np.arctan2, None),
    "Less": (np.less, None),
    "LessEqual": (np.less_equal, None),
    "Greater": (np.greater, None),
    "GreaterEqual": (np.greater_equal, None),
    "Equal": (np.equal, None),
    "NotEqual": (np.not_equal, None),
    "LogicalAnd": (np.logical_and, None),
    "LogicalOr": (np.logical_or, None),
    "BitwiseAnd": (np.bitwise_and, None),
    "BitwiseOr": (np.bitwise_or, None),
    "BitwiseXor": (np.bitwise_xor, None),
    "LeftShift": (np.left_shift, (0, 6)),
    "RightShift": (np.right_shift, (0, 6)),
}
PAIRS = [
    ((2, 3), (2, 3)),
    ((2, 3), (2, 1)),
    ((3,), (2, 3)),
    ((2, 1, 3), (4, 1)),
    ((), (2, 3)),
    ((4,), ()),
    ((1, 1), (3,)),
    ((0, 3), (1, 3)),
    ((2, 1), (2, 0)),
    ((1, 2, 1, 3), (2, 1, 4, 1)),
    ((3, 1001), (1001,)),
    ((1500, 1), (1, 3)),
]
COMPARISONS = {"Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual"}


@pytest.mark.parametrize("op", BINARY)
def test_two_inputs_that_broadcast(op):
    function, y_range = BINARY[op]
    names = ["bool"] if op.startswith("Logical") else types_of(op)
    for name in names:
        for i, (x_shape, y_shape) in enumerate(PAIRS):
            if name == "string":
                continue
            x, x_array = numbers(i, name, x_shape, -5, 5)
            y, y_array = numbers(100 + i, name, y_shape, *(y_range or (-5, 5)))
            with np.errstate(all="ignore"):
                expected = function(wide(x_array), wide(y_array))
            result = ops.call(op, [x, y])
            message = f"{op}, {name}, {x_shape}, {y_shape}"
            out = "bool" if op in COMPARISONS else name
            if (
                op in ("FloorDiv", "FloorMod", "Mod", "TruncateMod")
                and name in TOLERANCES
            ):
                check_near_a_step(result, expected, wide(x_array), wide(y_array), message)
            else:
                check(result, expected, out, 8, message)


def check_near_a_step(result, expected, x, y, message):
    """As check, but where x / y is rounded to an integer either side of it will do."""
    quotient = np.broadcast_to(x / y, expected.shape)
    is_clear = np.abs(quotient - np.round(quotient)) > 0.05
    actual = wide(as_array(result))
    assert actual.shape == expected.shape, message
    tolerance = 10 * TOLERANCES[result.dtype.name]
    np.testing.assert_allclose(
        actual[is_clear],
        expected[is_clear],
        rtol=tolerance,
        atol=tolerance,
        err_msg=message,
    )


def test_powers():
    for name in types_of("Pow"):
        x, x_array = numbers(1, name, (4, 5), 1, 3)
        y, y_array = numbers(2, name, (5,), 0, 3)
        check(tf.pow(x, y), np.power(wide(x_array), wide(y_array)), name, 20, name)
    assert tf.pow([-2.0, 0, 0], [3.0, 0, 2]).numpy().tolist() == [-8, 1, 0]
    assert np.isnan(tf.pow([-2.0], [0.5]).numpy()).all()
    with pytest.raises(tf.errors.InvalidArgumentError, match="negative integer powers"):
        tf.pow([2], [-1])


def test_strings_are_compared():
    x, y = tf.constant(["a", "b"]), tf.constant(["a", "c"])
    assert tf.equal(x, y).numpy().tolist() == [True, False]
    assert tf.not_equal(x, y).numpy().tolist() == [False, True]


def test_shapes_that_do_not_fit_are_refused():
    for op in ("Add", "Less", "Pow", "Maximum"):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[2,3\].*\[4\]"):
            ops.call(op, [np.ones([2, 3]), np.ones(4)])
    with pytest.raises(tf.errors.InvalidArgumentError):
        ops.call("Add", [np.ones([0, 3]), np.ones([2, 3])])


# ---- Integers --------------------------------------------------------------------------

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
DIVISIONS = ["Div", "TruncateDiv", "FloorDiv", "FloorMod", "Mod", "TruncateMod"]


@pytest.mark.parametrize("op", DIVISIONS)
def test_integer_division_by_zero_is_an_error(op):
    for name in set(types_of(op)) & set(INTEGERS):
        x, zero = np.ones(3, name), np.array([1, 0, 1], name)
        with pytest.raises(tf.errors.InvalidArgumentError, match="[Dd]ivision by zero"):
            ops.call(op, [x, zero])
        with pytest.raises(tf.errors.InvalidArgumentError, match="[Dd]ivision by zero"):
            ops.call(op, [x, np.array(0, name)])
        empty = ops.call(op, [np.ones(0, name), np.array(0, name)])
        assert empty.shape == [0]


def test_the_sign_of_a_remainder():
    x, y = [7, -7, 7, -7], [3, 3, -3, -3]
    for dtype in (np.int32, np.int64, np.float32):
        a, b = np.array(x, dtype), np.array(y, dtype)
        for op in ("Mod", "TruncateMod"):
            assert ops.call(op, [a, b]).numpy().tolist() == [1, -1, 1, -1], op
        assert ops.call("FloorMod", [a, b]).numpy().tolist() == [1, 2, -2, -1]
        assert ops.call("FloorDiv", [a, b]).numpy().tolist() == [2, -3, -3, 2]
    assert ops.call("TruncateDiv", [x, y]).numpy().tolist() == [2, -2, -2, 2]
    assert (tf.constant(-7) % 3).numpy() == 2


@pytest.mark.parametrize("op", DIVISIONS)
def test_the_lowest_number_divided_by_minus_1_does_not_crash(op):
    for name in set(types_of(op)) & {"int8", "int16", "int32", "int64"}:
        lowest = np.array([np.iinfo(name).min], name)
        found = ops.call(op, [lowest, np.array([-1], name)]).numpy()
        expected = 0 if "Mod" in op else lowest[0]
        assert found.tolist() == [expected], (op, name)


def test_integers_wrap_around():
    for name in set(types_of("Add")) & set(INTEGERS):
        limits = np.iinfo(name)
        highest, one = np.array(limits.max, name), np.array(1, name)
        assert tf.add(highest, one).numpy() == limits.min
        with np.errstate(over="ignore"):
            assert tf.multiply(highest, highest).numpy() == highest * highest
    for name in ("int8", "int32", "int64"):
        if name in types_of("Abs"):
            assert (
                tf.abs(np.array(np.iinfo(name).min, name)).numpy() == np.iinfo(name).min
            )


def test_shifts_by_too_much_or_too_little_do_not_crash():
    for name in INTEGERS:
        bits = np.iinfo(name).bits
        x = np.array([1, 1], name)
        by = np.array([bits, bits + 5], name)
        for op in ("LeftShift", "RightShift"):
            assert ops.call(op, [x, by]).shape == [2]
    assert ops.call("RightShift", [[-8], [1]]).numpy().tolist() == [-4]
    assert ops.call("LeftShift", [[3], [-1]]).shape == [1]


# ---- What is special about an op -------------------------------------------------------


def test_where_the_second_input_is_0():
    x, y = np.array([np.inf, np.nan, 1, 0]), np.zeros(4)
    assert ops.call("MulNoNan", [x, y]).numpy().tolist() == [0, 0, 0, 0]
    assert ops.call("DivNoNan", [x, y]).numpy().tolist() == [0, 0, 0, 0]
    zero, other = np.zeros(4), np.array([np.nan, 0, -1, 2])
    assert ops.call("Xdivy", [zero, other]).numpy().tolist() == [0, 0, 0, 0]
    assert ops.call("Xlogy", [zero, other]).numpy().tolist() == [0, 0, 0, 0]
    assert np.isnan(ops.call("Xlogy", [[1.0], [-1.0]]).numpy()).all()


def test_division_of_floats_by_zero():
    found = tf.divide(np.array([1.0, -1, 0]), np.zeros(3)).numpy()
    assert found[:2].tolist() == [np.inf, -np.inf] and np.isnan(found[2])
    assert np.isnan(ops.call("FloorMod", [[1.0], [0.0]]).numpy()).all()


def test_nan_equals_nothing():
    nan = np.array([np.nan])
    for op in COMPARISONS:
        assert ops.call(op, [nan, nan]).numpy().tolist() == [op == "NotEqual"]


def test_approximate_equality():
    x, y = np.array([1.0, 1, 1]), np.array([1.05, 1.2, np.nan])
    found = ops.call("ApproximateEqual", [x, y], {"tolerance": 0.1})
    assert found.numpy().tolist() == [True, False, False]
    with pytest.raises(tf.errors.InvalidArgumentError):
        ops.call("ApproximateEqual", [x, np.ones(2)])


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_integers_of_all_signs_are_not_approximately_equal(dtype):
    info = np.iinfo(dtype)
    x, y = np.array([info.max, info.max], dtype), np.array([info.min, -1], dtype)
    for tolerance in (-1.0, 0.5, float(info.max)):
        found = ops.call("ApproximateEqual", [x, y], {"tolerance": tolerance})
        assert found.numpy().tolist() == [False, False]


def test_complex_numbers_from_their_parts():
    for part, name in [("float32", "complex64"), ("float64", "complex128")]:
        re, im = tf.ones([2, 1], part), tf.constant([2, 3], part)
        result = ops.call("Complex", [re, im], {"Tout": name})
        check(result, [[1 + 2j, 1 + 3j]] * 2, name)
