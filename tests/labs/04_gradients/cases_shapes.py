"""Lab 04, tasks 4 to 6: gradients of products of matrices, reductions and moves."""

from collections.abc import Callable

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
    rows_trial,
    shapes,
    special_trials,
    weighted_trials,
)
from lab_common import jets
from lab_common.programs import step

from minitf_lab.judge.case import case
from minitf_lab.judge.draw import FLOATING, REAL, Draw

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
    """Both gradients are one MatMul each, and no other op."""

    def two(ops: dict[str, int]) -> str | None:
        if count(ops, "Transpose", "ConjugateTranspose"):
            return "it adds a Transpose; the flags of MatMul do without"
        products = count(ops, "MatMul")
        if products != 2:
            return f"it adds {products} MatMul, expected 2"
        other = [op for op in ops if op not in {"MatMul", "Const"}]
        return f"it adds {other[0]}, expected nothing but MatMul" if other else None

    for sizes in [(1, 1, 1), (1, 2, 1), (2, 3, 4), (3, 3, 3)]:
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
            attrs=attrs, roles=("graph", "tape"), is_twice=True,
        )  # fmt: skip


@case("04.4", over=TRANSPOSES)
def matmul_of_one_matrix(draw, transpose_a, transpose_b):
    """A matrix that is both factors gets the sum of both gradients."""
    for size in (1, 2, 3):
        inputs = {"x": draw.array((size, size))}
        flags = {"transpose_a": transpose_a, "transpose_b": transpose_b}
        program = [step("MatMul", ["x", "x"], "z", **flags)]
        dys = {"z": draw.array((size, size))}
        for role in ("graph", "nothing", "tape"):
            yield gradient_trial(program, inputs, ["x"], dys, role=role)


@case("04.4", over=TRANSPOSES, hidden=True)
def matmul_where_dz_is_zero(draw, transpose_a, transpose_b):
    """Gradients that are 0 at places change with dL/dz; those in slices are right."""
    for sizes in [(1, 1, 1), (2, 3, 4), (3, 3, 3)]:
        inputs, attrs = _factors(draw, sizes, (transpose_a, transpose_b), "float64")
        yield from weighted_trials(draw, "MatMul", inputs, ["x", "y"], attrs=attrs)
        program = [step("MatMul", ["x", "y"], "z", **attrs)]
        yield rows_trial(draw, program, inputs, {"x": False, "y": False})


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


@case("04.5", over=REDUCTIONS, hidden=True)
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
            for role in ("graph", "shape", "nothing", "tape"):
                yield gradient_trial(
                    program, inputs, ["x"], dys, role=role, is_twice=True
                )


@case("04.5", over=REDUCTIONS, hidden=True)
def reduction_where_dz_is_zero(draw, op):
    """Gradients that are 0 at places change with dL/dz; those in slices are right."""
    for shape, axis in [((3,), 0), ((2, 3), 0), ((2, 3), 1), ((3, 2, 3), 1)]:
        for keep in (False, True):
            inputs = {"x": draw.array(shape), "axes": np.array([axis], np.int32)}
            attrs = {"keep_dims": keep}
            yield from weighted_trials(draw, op, inputs, ["x"], attrs=attrs)
            if len(shape) > 1 and axis:
                program = [step(op, ["x", "axes"], "z", **attrs)]
                yield rows_trial(draw, program, inputs, {"x": False})


@case("04.5", over=REDUCTIONS)
def reduction_of_nothing(draw, op):
    """Where x has no element, its gradient has none, and its shape."""
    for shape in [(0,), (0, 3), (3, 0), (2, 0, 3)]:
        for axes in ([], [draw.whole(-1, 0)], list(range(len(shape)))):
            inputs = {"x": draw.array(shape), "axes": np.array(axes, np.int32)}
            yield from op_trials(
                draw, op, inputs, ["x"], "float64",
                roles=("graph", "nothing", "tape"),
                attrs={"keep_dims": draw.coin()}, expected=[np.zeros(shape)],
            )  # fmt: skip


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
            kind = draw.one_of([np.int32, np.int64])
            inputs = {"x": draw.array(shape, dtype), "shape": np.array(to, kind)}
            yield from op_trials(
                draw, "Reshape", inputs, ["x"], dtype,
                roles=("graph", draw.one_of(ROLES[1:])),
            )  # fmt: skip


@case("04.6", over=FLOATING)
def select(draw, dtype):
    """Each gradient goes where the element came from; the condition has none."""
    for shape in shapes(draw):
        for condition in dict.fromkeys([shape, shape[:1], ()]):
            inputs = {
                "condition": draw.array(condition, "bool"),
                "x": draw.array(shape, dtype),
                "y": draw.array(shape, dtype),
            }
            roles = ("graph", draw.one_of(ROLES[1:]))
            yield from op_trials(draw, "Select", inputs, ["x", "y"], dtype, roles=roles)


@case("04.6", hidden=True)
def select_of_special_numbers(draw):
    """What was not chosen gets zeros, whatever dL/dz is."""
    for shape, rank in [((8,), 1), ((4, 3), 1), ((4, 3), 0), ((4, 3), 2)]:
        chosen = draw.array(shape[:rank], "bool")
        inputs = {
            "condition": chosen,
            "x": draw.array(shape, "float64", "special"),
            "y": draw.array(shape, "float64", "special"),
        }
        spread = chosen.reshape(*chosen.shape, *[1] * (len(shape) - rank))
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


@case("04.6")
def both_choices_are_one_value(draw):
    """A value that is both t and e gets all of dL/dz, once."""
    for shape in [(), (3,), (2, 3)]:
        inputs = {"condition": draw.array(shape, "bool"), "x": draw.array(shape)}
        program = [step("Select", ["condition", "x", "x"], "z")]
        dys = {"z": draw.array(shape)}
        for role in ("graph", "nothing", "tape"):
            yield gradient_trial(program, inputs, ["x"], dys, role=role)


@case("04.6")
def moved_and_chosen_in_slices(draw):
    """Gradients are right where dL/dz is slices, which BiasAdd hands on as they are."""
    x, y = draw.array((3, 2)), draw.array((3, 2))
    program = [step("BiasAdd", ["x", "y"], "z", data_format="NHWC")]
    yield rows_trial(draw, program, {"x": x, "y": y[0]}, {"x": True, "y": False})
    inputs = {"condition": draw.array((3,), "bool"), "x": x, "y": y}
    program = [step("Select", ["condition", "x", "y"], "z")]
    yield rows_trial(draw, program, inputs, {"x": False, "y": False})
    inputs = {"x": x, "shape": np.array([2, 3], np.int32)}
    program = [step("Reshape", ["x", "shape"], "z")]
    yield rows_trial(draw, program, inputs, {"x": False})


@case("04.6")
def nothing_but_what_is_asked(draw):
    """What is handed on as it is needs no node, and an op that does all is one node."""

    def only(name: str) -> Callable[[dict[str, int]], str | None]:
        def wrong(ops: dict[str, int]) -> str | None:
            other = [op for op in ops if op not in {name, "Const"}]
            if other:
                return f"it adds {other[0]}, expected nothing but {name}"
            return None if ops[name] == 1 else f"it adds {ops[name]} {name}, expected 1"

        return wrong

    for data_format in ("NHWC", "NCHW"):
        inputs = {"x": draw.array((2, 3, 3)), "y": draw.array((3,))}
        yield from op_trials(
            draw, "BiasAdd", inputs, ["x", "y"], "float64", roles=("graph", "shape"),
            attrs={"data_format": data_format}, ops=only("BiasAddGrad"),
        )  # fmt: skip
    inputs = {"x": draw.array((2, 3)), "shape": np.array([6], np.int32)}
    yield from op_trials(
        draw, "Reshape", inputs, ["x"], "float64",
        roles=("graph", "shape"), ops=only("Reshape"),
    )  # fmt: skip


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
        for role in ("graph", "shape", "tape"):
            yield gradient_trial(
                program, inputs, ["x", "y"], dys, role=role, is_twice=True
            )
