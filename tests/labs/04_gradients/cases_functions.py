"""Lab 04, tasks 1 to 6: the gradient function of each op."""

from typing import Any

import numpy as np
from lab_04_gradients.trials import (
    ROLES,
    Arrays,
    axes_of,
    by_hand,
    count,
    gradient_trial,
    none_trial,
    op_trials,
    pairs,
    shapes,
    special_trials,
)

from minitf_lab.judge import jets
from minitf_lab.judge.case import Mismatch, Trial, case, close
from minitf_lab.judge.draw import FLOATING, REAL, Draw
from minitf_lab.judge.programs import step

# ---- 04.1 -----------------------------------------------------------------------------


ROWS = [[1.0, 2, 3], [10, 20, 30]]


@case("04.1")
def rows_that_share_an_input(draw):
    """An input that every row shares collects the gradients of all rows."""
    yield by_hand("Add", np.ones((2, 3)), np.ones(3), ROWS, [ROWS, [11, 22, 33]])
    yield by_hand("Add", np.ones((2, 3)), np.ones((2, 1)), ROWS, [ROWS, [[6], [60]]])
    yield by_hand("Add", 1.0, np.ones((2, 3)), ROWS, [66, ROWS])
    yield by_hand("Add", np.ones((2, 3)), np.ones((2, 3)), ROWS, [ROWS, ROWS])


@case("04.1", over=FLOATING)
def broadcast_of_every_rank(draw, dtype):
    """Inputs of all ranks that broadcast get gradients of their own shapes and type."""
    for a, b in pairs(draw):
        inputs = {"x": draw.array(a, dtype), "y": draw.array(b, dtype)}
        yield from op_trials(
            draw, draw.one_of(["Add", "Sub"]), inputs, ["x", "y"], dtype,
            roles=("graph", draw.one_of(ROLES[1:])),
        )  # fmt: skip


def _summed_to(dz: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    missing = dz.ndim - len(shape)
    axes = [i for i in range(dz.ndim) if i < missing or shape[i - missing] != dz.shape[i]]
    return dz.sum(tuple(axes)).reshape(shape)


@case("04.1")
def broadcast_of_special_numbers(draw):
    """Infinities and NaN in dL/dz reach the elements that had a part in them."""
    for a, b in pairs(draw):
        inputs = {"x": draw.array(a), "y": draw.array(b)}
        yield from special_trials(
            draw, [step("Sub", ["x", "y"], "z")], inputs, ["x", "y"],
            lambda dz, a=a, b=b: [_summed_to(dz, a), -_summed_to(dz, b)],
        )  # fmt: skip


@case("04.1")
def sums_are_known_while_the_graph_is_built(draw):
    """Where sizes are known, a Sum and a Reshape are all there is, if they are needed."""
    helpers = ("Const", "OnesLike", "Identity", "Fill")

    def only_sum(ops: dict[str, int]) -> str | None:
        other = {op for op in ops if op not in {"Sum", "Reshape", *helpers}}
        return (
            f"sizes are known, yet it adds {', '.join(sorted(other))}" if other else None
        )

    def nothing(ops: dict[str, int]) -> str | None:
        added = count(ops, "Sum", "Reshape")
        return f"nothing was stretched, yet it adds {added} nodes" if added else None

    for a, b in [((2, 3), (3,)), ((3,), (2, 1)), ((), (2,)), ((2, 1, 4), (3, 1))]:
        inputs = {"x": draw.array(a), "y": draw.array(b)}
        yield from op_trials(
            draw, "Add", inputs, ["x", "y"], "float64", roles=("shape",), ops=only_sum
        )
    for shape in [(), (3,), (2, 1, 3)]:
        inputs = {"x": draw.array(shape), "y": draw.array(shape)}
        yield from op_trials(
            draw, "Add", inputs, ["x", "y"], "float64", roles=("shape",), ops=nothing
        )


# ---- 04.2 -----------------------------------------------------------------------------

UNARY = ("Sin", "Exp", "Log")
HALF_PI = np.pi / 2


@case("04.2")
def values_by_heart(draw):
    """Derivatives at places where everybody knows them."""
    dy = np.array([1.0, 10, 100])
    known = {
        "Sin": ([0, HALF_PI, 2 * HALF_PI], [1, 0, -100]),
        "Exp": ([0, np.log(2), np.log(5)], [1, 20, 500]),
        "Log": ([1, 2, 5], [1, 5, 20]),
    }
    for op, (x, expected) in known.items():
        program = [step(op, ["x"], "z")]
        inputs = {"x": np.array(x, np.float64)}
        trial = gradient_trial(program, inputs, ["x"], {"z": dy})

        def check(values: list[Any], expected: list = expected) -> Mismatch | None:
            wanted = np.array(expected, np.float64)
            got = values[0]["gradients"][0]
            return close(got, wanted, rtol=1e-9, atol=1e-9, what="dL/dx")

        yield Trial(trial.title, trial.calls, check)


@case("04.2", over=[(op, dtype) for op in UNARY for dtype in FLOATING])
def unary(draw, op, dtype):
    """The derivative at the input, for every rank, in its type."""
    for shape in shapes(draw):
        kind = "plain" if op == "Log" and dtype in REAL else "signed"
        inputs = {"x": draw.array(shape, dtype, kind)}
        roles = ("graph", draw.one_of(ROLES[1:]))
        yield from op_trials(draw, op, inputs, ["x"], dtype, roles=roles)


@case("04.2", over=UNARY)
def unary_twice(draw, op):
    """The second derivative, for every rank."""
    for shape in shapes(draw, times=1):
        inputs = {"x": draw.array(shape, "float64", "plain")}
        yield from op_trials(
            draw, op, inputs, ["x"], "float64", roles=("graph", "nothing"), is_twice=True
        )


@case("04.2", over=UNARY)
def unary_of_special_numbers(draw, op):
    """Zeros, infinities, huge and tiny numbers give what the formula gives."""
    slope = {"Sin": np.cos, "Exp": np.exp, "Log": lambda x: 1 / x}[op]
    for kind in ("whole", "tiny", "huge", "special"):
        x = draw.array((12,), "float64", kind)
        yield from special_trials(
            draw, [step(op, ["x"], "z")], {"x": x}, ["x"],
            lambda dz, x=x: [dz * slope(x)],
        )  # fmt: skip


# ---- 04.3 -----------------------------------------------------------------------------

BINARY = ("Mul", "RealDiv")


@case("04.3")
def products_and_quotients_by_hand(draw):
    """Numbers that can be checked in the head."""
    yield by_hand("Mul", [2.0, 3], [5.0, 7], [1, 10], [[5, 70], [2, 30]])
    yield by_hand("RealDiv", [6.0, 3], [2.0, 5], [1, 10], [[0.5, 2], [-1.5, -1.2]])
    yield by_hand("Div", [6.0, -3], [-2.0, 5], [1, 10], [[-0.5, 2], [-1.5, 1.2]])


@case("04.3", over=[(op, dtype) for op in BINARY for dtype in FLOATING])
def binary(draw, op, dtype):
    """Gradients of both inputs, broadcast or not, in their shapes and type."""
    for a, b in pairs(draw):
        inputs = {"x": draw.array(a, dtype), "y": draw.array(b, dtype)}
        roles = ("graph", draw.one_of(ROLES[1:]))
        yield from op_trials(draw, op, inputs, ["x", "y"], dtype, roles=roles)


@case("04.3", over=BINARY)
def binary_twice(draw, op):
    """Second derivatives, the mixed ones too."""
    for a, b in pairs(draw):
        inputs = {"x": draw.array(a), "y": draw.array(b)}
        role = draw.one_of(ROLES[:4])
        yield from op_trials(
            draw, op, inputs, ["x", "y"], "float64", roles=(role,), is_twice=True
        )


def _quotient_gradients(x, y, dz):
    return [dz / y, dz * (-x / y / y)]


@case("04.3", over=BINARY)
def binary_of_special_numbers(draw, op):
    """Zeros, infinities and NaN give what the formula gives."""
    for kind in ("whole", "special"):
        for other in ("signed", kind):
            x = draw.array((16,), "float64", kind)
            y = draw.array((16,), "float64", other)
            for one, two in ((x, y), (y, x)):
                yield from special_trials(
                    draw,
                    [step(op, ["x", "y"], "z")],
                    {"x": one, "y": two},
                    ["x", "y"],
                    lambda dz, one=one, two=two: (
                        [dz * two, dz * one]
                        if op == "Mul"
                        else _quotient_gradients(one, two, dz)
                    ),
                )


@case("04.3", over=[(op, d) for op in BINARY for d in REAL])
def binary_of_huge_and_tiny_numbers(draw, op, dtype):
    """Where the gradients are neither too large nor too small, nothing between is."""
    size = 1e25 if dtype == "float32" else 1e200
    for scale in (size, 1 / size):
        other = scale if op == "RealDiv" else 1 / scale
        x = (draw.array((8,), dtype) * scale).astype(dtype)
        y = (draw.array((8,), dtype) * other).astype(dtype)
        inputs = {"x": x, "y": y}
        dz = draw.array((8,), dtype)
        wide = [value.astype(np.longdouble) for value in (x, y, dz)]
        expected = (
            [wide[2] * wide[1], wide[2] * wide[0]]
            if op == "Mul"
            else _quotient_gradients(*wide)
        )
        program = [step(op, ["x", "y"], "z")]
        for role in ("graph", "tape"):
            yield gradient_trial(
                program, inputs, ["x", "y"], {"z": dz}, role=role, expected=expected
            )


@case("04.3")
def both_factors_are_one_value(draw):
    """A value that is both factors gets the sum of both gradients."""
    for shape in [(), (3,), (2, 2)]:
        inputs = {"x": draw.array(shape)}
        dys = {"z": draw.array(shape)}
        program = [step("Mul", ["x", "x"], "z")]
        for role in ("graph", "nothing", "tape"):
            yield gradient_trial(program, inputs, ["x"], dys, role=role)


@case("04.3", over=BINARY)
def one_input_is_a_constant(draw, op):
    """The gradient of one input is right where nobody asks for the other's."""
    for a, b in [((2, 3), (3,)), ((3,), (2, 3)), ((), (2,)), ((2,), (2,))]:
        inputs = {"x": draw.array(a), "y": draw.array(b)}
        for x in ("x", "y"):
            yield from op_trials(draw, op, inputs, [x], "float64")


# ---- 04.4 -----------------------------------------------------------------------------

TRANSPOSES = [(a, b) for a in (False, True) for b in (False, True)]
SIZES = [(1, 1, 1), (1, 2, 1), (2, 1, 3), (2, 3, 4), (3, 3, 3), (5, 2, 3), (4, 1, 1)]
EMPTY = [(0, 2, 3), (2, 0, 3), (2, 3, 0)]


def _factors(draw: Draw, sizes: tuple, flags: tuple, dtype: str) -> tuple[Arrays, dict]:
    m, k, n = sizes
    a = draw.array((k, m) if flags[0] else (m, k), dtype)
    b = draw.array((n, k) if flags[1] else (k, n), dtype)
    return {"x": a, "y": b}, {"transpose_a": flags[0], "transpose_b": flags[1]}


@case("04.4")
def a_product_by_hand(draw):
    """A product whose gradients can be found in the head."""
    x, y = [[2.0, 3]], [[5.0], [7]]
    yield by_hand("MatMul", x, y, [[10]], [[[50, 70]], [[20], [30]]])


@case("04.4", over=[(*flags, dtype) for flags in TRANSPOSES for dtype in FLOATING])
def matmul(draw, transpose_a, transpose_b, dtype):
    """Both gradients, for square, long, and empty matrices."""
    for sizes in SIZES + EMPTY:
        flags = (transpose_a, transpose_b)
        inputs, attrs = _factors(draw, sizes, flags, dtype)
        roles = ("graph", draw.one_of(ROLES[1:]))
        yield from op_trials(
            draw, "MatMul", inputs, ["x", "y"], dtype, attrs=attrs, roles=roles
        )


@case("04.4", over=TRANSPOSES)
def matmul_is_two_products(draw, transpose_a, transpose_b):
    """Both gradients are one MatMul each, and no transpose besides."""

    def two(ops: dict[str, int]) -> str | None:
        if count(ops, "Transpose", "ConjugateTranspose"):
            return "it adds a Transpose; the flags of MatMul do without"
        products = count(ops, "MatMul")
        return None if products == 2 else f"it adds {products} MatMul, expected 2"

    for sizes in [(2, 3, 4), (3, 3, 3)]:
        inputs, attrs = _factors(draw, sizes, (transpose_a, transpose_b), "float64")
        yield from op_trials(
            draw, "MatMul", inputs, ["x", "y"], "float64",
            attrs=attrs, roles=("graph", "nothing"), ops=two,
        )  # fmt: skip


@case("04.4", over=TRANSPOSES)
def matmul_twice(draw, transpose_a, transpose_b):
    """Second derivatives of a product."""
    for sizes in SIZES:
        inputs, attrs = _factors(draw, sizes, (transpose_a, transpose_b), "float64")
        yield from op_trials(
            draw, "MatMul", inputs, ["x", "y"], "float64",
            attrs=attrs, roles=("graph",), is_twice=True,
        )  # fmt: skip


# ---- 04.5 -----------------------------------------------------------------------------

REDUCTIONS = ("Sum", "Mean")


@case("04.5")
def reductions_by_hand(draw):
    """Numbers that can be checked in the head; the axes have no gradient."""
    three = [1.0, 10, 100]
    axes = np.array([0], np.int32)
    yield by_hand("Sum", np.ones((2, 3)), axes, three, [[three, three], None])
    axes = np.array([1], np.int32)
    parts = [[1.0] * 4, [10.0] * 4]
    yield by_hand("Mean", np.ones((2, 4)), axes, [4, 40], [parts, None])


@case("04.5", over=[(op, dtype) for op in REDUCTIONS for dtype in FLOATING])
def reduction(draw, op, dtype):
    """Every element gets the gradient of what it went into, for all ranks and axes."""
    for shape in shapes(draw, times=1):
        if op == "Mean" and 0 in shape:
            continue  # the mean of nothing
        for axes in axes_of(draw, len(shape)):
            kind = draw.one_of([np.int32, np.int64])
            inputs = {"x": draw.array(shape, dtype), "axes": np.array(axes, kind)}
            yield from op_trials(
                draw, op, inputs, ["x"], dtype,
                attrs={"keep_dims": draw.coin()}, roles=("graph", draw.one_of(ROLES[1:])),
            )  # fmt: skip


@case("04.5", over=REDUCTIONS)
def reduction_of_special_numbers(draw, op):
    """Infinities and NaN in dL/dz go to their elements; those in x go nowhere."""
    for shape in [(2, 3), (3, 1, 2), (4, 4)]:
        x = draw.array(shape, "float64", "special")
        inputs = {"x": x, "axes": np.array([1], np.int32)}
        count = shape[1] if op == "Mean" else 1
        yield from special_trials(
            draw,
            [step(op, ["x", "axes"], "z")],
            inputs,
            ["x"],
            lambda dz, shape=shape, count=count: [
                np.broadcast_to(np.expand_dims(dz, 1), shape) / count
            ],
        )


@case("04.5", over=REDUCTIONS)
def reduction_twice(draw, op):
    """Second derivatives of a reduction of squares."""
    for shape in [(3,), (2, 3), (2, 1, 3)]:
        for keep in (False, True):
            inputs = {"x": draw.array(shape), "axes": np.array([-1], np.int32)}
            program = [
                step("Square", ["x"], "s"),
                step(op, ["s", "axes"], "r", keep_dims=keep),
                step("Square", ["r"], "z"),
            ]
            dys = {"z": draw.array(jets.run(program, inputs)["z"].value.shape)}
            for role in ("graph", "shape", "nothing"):
                yield gradient_trial(
                    program, inputs, ["x"], dys, role=role, is_twice=True
                )


@case("04.5", over=REDUCTIONS)
def axes_have_no_gradient(draw, op):
    """The gradient function returns none for the axes."""
    for axes in ([0], [0, 1], []):
        x = draw.array((2, 3))
        dy = draw.array(np.sum(x, tuple(axes)).shape if axes else (2, 3))
        yield none_trial(op, [x, np.array(axes, np.int32)], dy, [True, False])


# ---- 04.6 -----------------------------------------------------------------------------


@case("04.6", over=FLOATING)
def reshape(draw, dtype):
    """The gradient in the shape of the input; the shape has none."""
    for shape in shapes(draw):
        size = int(np.prod(shape))
        for to in ([-1] if size else [0], [1, size], [size, 1, 1], list(shape)):
            inputs = {"x": draw.array(shape, dtype), "shape": np.array(to, np.int32)}
            yield from op_trials(
                draw, "Reshape", inputs, ["x"], dtype,
                roles=("graph", draw.one_of(ROLES[1:])),
            )  # fmt: skip


@case("04.6", over=FLOATING)
def select(draw, dtype):
    """Each gradient goes where the element came from; the condition has none."""
    for shape in shapes(draw):
        conditions = [shape]
        if len(shape) > 1:
            conditions.append(shape[:1])
        for condition in conditions:
            inputs = {
                "condition": draw.array(condition, "bool"),
                "x": draw.array(shape, dtype),
                "y": draw.array(shape, dtype),
            }
            roles = ("graph", draw.one_of(ROLES[1:]))
            yield from op_trials(draw, "Select", inputs, ["x", "y"], dtype, roles=roles)


@case("04.6")
def select_of_special_numbers(draw):
    """What was not chosen gets zeros, whatever dL/dz is."""
    for shape in [(8,), (4, 3)]:
        chosen = draw.array(shape[:1], "bool")
        inputs = {
            "condition": chosen,
            "x": draw.array(shape, "float64", "special"),
            "y": draw.array(shape, "float64", "special"),
        }
        spread = chosen.reshape(-1, *[1] * (len(shape) - 1))
        yield from special_trials(
            draw, [step("Select", ["condition", "x", "y"], "z")], inputs, ["x", "y"],
            lambda dz, spread=spread: [np.where(spread, dz, 0), np.where(spread, 0, dz)],
        )  # fmt: skip


@case("04.6")
def shapes_and_conditions_have_no_gradient(draw):
    """The gradient functions return none for a shape and for a condition."""
    x, y = draw.array((2, 3)), draw.array((2, 3))
    dy = draw.array((6,))
    yield none_trial("Reshape", [x, np.array([6], np.int32)], dy, [True, False])
    condition = draw.array((2, 3), "bool")
    dy = draw.array((2, 3))
    yield none_trial("Select", [condition, x, y], dy, [False, True, True])


@case("04.6", over=[(f, d) for f in ("NHWC", "NCHW") for d in REAL])
def bias_add(draw, data_format, dtype):
    """The bias gets the sum over all places, in both layouts."""
    for rank in range(2, 6):
        for shape in (draw.shape(rank, 5), draw.shape(rank, 3, empty=True)):
            if data_format == "NCHW" and rank == 2:
                continue  # it needs places
            channels = shape[1] if data_format == "NCHW" else shape[-1]
            inputs = {"x": draw.array(shape, dtype), "y": draw.array((channels,), dtype)}
            yield from op_trials(
                draw, "BiasAdd", inputs, ["x", "y"], dtype,
                attrs={"data_format": data_format},
                roles=("graph", draw.one_of(ROLES[1:])),
            )  # fmt: skip


@case("04.6")
def moved_and_chosen_twice(draw):
    """Second derivatives of what is squared, then moved, chosen and shifted."""
    for shape in [(2, 3), (4, 1)]:
        inputs = {
            "x": draw.array(shape),
            "y": draw.array(shape[1:]),
            "condition": draw.array(shape, "bool"),
            "shape": np.array([-1], np.int32),
        }
        program = [
            step("Square", ["x"], "s"),
            step("BiasAdd", ["s", "y"], "b", data_format="NHWC"),
            step("Select", ["condition", "b", "s"], "c"),
            step("Square", ["c"], "d"),
            step("Reshape", ["d", "shape"], "e"),
            step("Square", ["e"], "z"),
        ]
        dys = {"z": draw.array((shape[0] * shape[1],))}
        for role in ("graph", "shape"):
            yield gradient_trial(
                program, inputs, ["x", "y"], dys, role=role, is_twice=True
            )
