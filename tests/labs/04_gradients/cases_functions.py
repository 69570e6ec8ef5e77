"""Lab 04, tasks 1 to 3: gradients of what is done element by element."""

from collections.abc import Callable
from typing import Any

import numpy as np
from lab_04_gradients.trials import (
    ROLES,
    by_hand,
    count,
    gradient_trial,
    op_trials,
    pairs,
    rows_trial,
    shapes,
    special_trials,
    weighted_trials,
)
from lab_common.programs import step

from minitf_lab.judge.case import Mismatch, Trial, case, close
from minitf_lab.judge.draw import FLOATING, REAL

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


def _stretched(whole: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The axes of ``whole`` that an input of ``shape`` lacks or has with another size."""
    front = len(whole) - len(shape)
    return tuple(
        i for i, size in enumerate(whole) if i < front or shape[i - front] != size
    )


def _summed_to(dz: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return dz.sum(_stretched(dz.shape, shape)).reshape(shape)


@case("04.1", hidden=True)
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

    def only_sums(stretched: int) -> Callable[[dict[str, int]], str | None]:
        """Checks for no more calls of Sum and of Reshape than axes were stretched."""

        def check(ops: dict[str, int]) -> str | None:
            other = {op for op in ops if op not in {"Sum", "Reshape", "Const"}}
            if other:
                return f"sizes are known, yet it adds {', '.join(sorted(other))}"
            if max(count(ops, "Sum"), count(ops, "Reshape")) <= stretched:
                return None
            return (
                f"it adds {count(ops, 'Sum')} Sum and {count(ops, 'Reshape')} Reshape, "
                f"expected at most {stretched} of each: so many axes were stretched"
            )

        return check

    for a, b in [
        *[
            ((2, 3), (3,)),
            ((3,), (2, 1)),
            ((), (2,)),
            ((2, 1, 4), (3, 1)),
            ((1, 3), (3,)),
        ],
        *[((), ()), ((3,), (3,)), ((2, 1, 3), (2, 1, 3))],
    ]:
        inputs = {"x": draw.array(a), "y": draw.array(b)}
        whole = np.broadcast_shapes(a, b)
        check = only_sums(len(_stretched(whole, a)) + len(_stretched(whole, b)))
        yield from op_trials(
            draw, "Add", inputs, ["x", "y"], "float64", roles=("shape",), ops=check
        )


@case("04.1")
def slices_where_nothing_was_stretched(draw):
    """A gradient in slices is returned as it is too, and summed where it must be."""
    for op in ("Add", "Sub"):
        program = [step(op, ["x", "y"], "z")]
        for a, b in [((4,), (4,)), ((3, 2), (3, 2)), ((3, 2), (2,)), ((1, 2), (3, 1))]:
            inputs = {"x": draw.array(a), "y": draw.array(b)}
            whole = np.broadcast_shapes(a, b)
            yield rows_trial(draw, program, inputs, {"x": a == whole, "y": b == whole})


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
            draw, op, inputs, ["x"], "float64",
            roles=("graph", "nothing", "tape"), is_twice=True,
        )  # fmt: skip


@case("04.2", over=UNARY, hidden=True)
def unary_where_dz_is_zero(draw, op):
    """A gradient that is 0 changes with dL/dz: its own derivative is not 0."""
    for shape in shapes(draw, times=1):
        inputs = {"x": draw.array(shape, "float64", "plain")}
        yield from weighted_trials(draw, op, inputs, ["x"])


@case("04.2", over=UNARY)
def unary_in_slices(draw, op):
    """The gradients are right where dL/dz comes in slices."""
    for shape in [(3,), (4, 2), (2, 1, 3)]:
        inputs = {"x": draw.array(shape, "float64", "plain")}
        yield rows_trial(draw, [step(op, ["x"], "z")], inputs, {"x": False})


@case("04.2", over=UNARY, hidden=True)
def unary_of_special_numbers(draw, op):
    """Zeros, infinities, huge and tiny numbers give what the formula gives."""
    slope = {"Sin": np.cos, "Exp": np.exp, "Log": lambda x: 1 / x}[op]
    for kind in ("whole", "tiny", "huge", "special"):
        x = draw.array((80,), "float64", kind)
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
        roles = (draw.one_of(["graph", *ROLES]),)
        yield from op_trials(draw, op, inputs, ["x", "y"], dtype, roles=roles)


@case("04.3", over=BINARY)
def binary_twice(draw, op):
    """Second derivatives, the mixed ones too."""
    for a, b in pairs(draw):
        inputs = {"x": draw.array(a), "y": draw.array(b)}
        roles = (draw.one_of([*ROLES, "tape"]),)
        yield from op_trials(
            draw, op, inputs, ["x", "y"], "float64", roles=roles, is_twice=True
        )


@case("04.3", over=BINARY, hidden=True)
def binary_where_dz_is_zero(draw, op):
    """A gradient that is 0 changes with dL/dz: its own derivative is not 0."""
    for a, b in [((), ()), ((3,), (3,)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((), (4,))]:
        inputs = {"x": draw.array(a), "y": draw.array(b)}
        yield from weighted_trials(draw, op, inputs, ["x", "y"])


@case("04.3", over=[(op, dtype) for op in BINARY for dtype in REAL])
def binary_of_whole_numbers_twice(draw, op, dtype):
    """Second derivatives where a value is 1 or 0: it may vary all the same."""
    program = [step("Mul", ["x", "y"], "v"), step(op, ["v", "w"], "z")]
    for shape in [(), (), (1,), (3,), (2, 2)]:
        inputs = {name: draw.array(shape, dtype, "whole") for name in "xy"}
        inputs["w"] = np.ones(shape, dtype)
        dys = {"z": np.ones(shape, dtype)}
        for role in ("graph", "tape"):
            yield gradient_trial(
                program, inputs, ["x", "y", "w"], dys, role=role, is_twice=True
            )


def _quotient_gradients(x, y, dz):
    return [dz / y, dz * (-x / y / y)]


@case("04.3", over=BINARY, hidden=True)
def binary_of_special_numbers(draw, op):
    """Zeros, infinities and NaN give what the formula gives."""
    for kind in ("whole", "special"):
        for other in ("signed", kind):
            x = draw.array((80,), "float64", kind)
            y = draw.array((80,), "float64", other)
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


@case("04.3", over=[(op, d) for op in BINARY for d in REAL], hidden=True)
def binary_of_huge_and_tiny_numbers(draw, op, dtype):
    """Where the gradients are neither too large nor too small, nothing between is."""
    size = 1e25 if dtype == "float32" else 1e200
    for scale in (size, 1 / size):
        other = scale if op == "RealDiv" else 1 / scale
        x = (draw.array((8,), dtype) * scale).astype(dtype)
        y = (draw.array((8,), dtype) * other).astype(dtype)
        inputs = {"x": x, "y": y}
        for size_of_dz in (1, scale):
            dz = (draw.array((8,), dtype) * size_of_dz).astype(dtype)
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


@case("04.3", over=BINARY)
def both_inputs_are_one_value(draw, op):
    """A value that is both inputs gets the sum of both gradients."""
    for shape in [(), (3,), (2, 2)]:
        inputs = {"x": draw.array(shape)}
        dys = {"z": draw.array(shape)}
        program = [step(op, ["x", "x"], "y"), step("Mul", ["y", "x"], "z")]
        for role in ("graph", "nothing", "tape"):
            yield gradient_trial(program, inputs, ["x"], dys, role=role)


@case("04.3", over=BINARY)
def gradients_in_slices(draw, op):
    """The gradients are right where dL/dz comes in slices."""
    for a, b in [((4,), (4,)), ((3, 2), (2,)), ((3, 1), (3, 2)), ((2,), (3, 2))]:
        inputs = {"x": draw.array(a), "y": draw.array(b)}
        program = [step(op, ["x", "y"], "z")]
        yield rows_trial(draw, program, inputs, {"x": False, "y": False})


@case("04.3", over=BINARY)
def one_input_is_a_constant(draw, op):
    """The gradient of one input is right where nobody asks for the other's."""
    for a, b in [((2, 3), (3,)), ((3,), (2, 3)), ((), (2,)), ((2,), (2,))]:
        inputs = {"x": draw.array(a), "y": draw.array(b)}
        for x in ("x", "y"):
            yield from op_trials(draw, op, inputs, [x], "float64")
