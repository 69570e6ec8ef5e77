"""Lab 04, tasks 7 to 9: AddGradients."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_04_gradients.sweeps import make_fan, make_paths, make_sweep, sweep_trial
from lab_04_gradients.trials import (
    ROLES,
    WITHOUT_GRADIENT,
    gradient_trial,
    title_of,
    values_trial,
)
from lab_common import jets
from lab_common.programs import make_program, step

from minitf_lab.judge.case import Call, Mismatch, Trial, case, close, close_to, describe
from minitf_lab.judge.draw import FLOATING, REAL, Draw

# ---- 04.7 to 04.9 ---------------------------------------------------------------------


def _ys(draw: Draw, program: Any, count: int) -> dict[str, np.ndarray]:
    """Some values of a program, late ones first, each with its dL/dy."""
    names = [name for one in program.steps for name in one["outputs"]][::-1]
    chosen = [names[0], *draw.some_of(names[1:])][:count]
    dtype = next(iter(program.inputs.values())).dtype.name
    return {name: draw.array(program.shapes[name], dtype) for name in chosen}


def _programs(draw: Draw, count: int, dtype: str = "float64") -> Iterator[Any]:
    for i in range(count):
        yield make_program(draw, 1 + i * 10 // count, dtype)


def _inputs_of(program: Any) -> list[str]:
    return [name for name in program.inputs if name in program.shapes]


@case("04.7", over=FLOATING)
def who_depends_on_the_xs(draw, dtype):
    """An x that no y depends on has no gradient; the others have theirs."""
    for program in _programs(draw, 12, dtype):
        xs = draw.shuffled(_inputs_of(program))
        dys = _ys(draw, program, 1)
        yield gradient_trial(program.steps, program.inputs, xs, dys)
        some = draw.some_of(list(program.shapes), 1)
        yield gradient_trial(program.steps, program.inputs, some, dys)


def _sweeps(draw: Draw, stops: int) -> Iterator[Trial]:
    """Sweeps over calls that compute nothing, from small to large."""
    for i in range(150):
        num_stops = draw.whole(0, stops)
        yield sweep_trial(make_sweep(draw, i * 9 // 150, num_stops))


@case("04.7", over=range(2))
def who_is_asked(draw, _part):
    """Only calls that an x reaches are asked, through values that have gradients."""
    yield from _sweeps(draw, stops=2)


@case("04.7")
def what_stopped_values_make(draw):
    """What is made of stopped values alone counts no more than they do."""
    for i in range(100):
        yield sweep_trial(make_paths(draw, 1 + i // 20))


@case("04.8", over=range(2))
def what_is_in_a_total(draw, _part):
    """A total has every contribution once, by one sum, and is slices if all are."""
    for i in range(40):
        yield sweep_trial(make_fan(draw, 1 + i // 10))
    yield from _sweeps(draw, stops=0)


@case("04.9", over=range(2))
def what_is_asked(draw, _part):
    """Each call is asked once, with the totals of its outputs, and the others never."""
    yield from _sweeps(draw, stops=1)


def _stops(draw: Draw) -> Iterator[Trial]:
    """Any value may be stopped: an x, a y, an x made of another x, one of two outputs."""
    for program in _programs(draw, 25):
        names = list(program.shapes)
        stopped = tuple(draw.shuffled(draw.some_of(names, 1))[:2])
        dys = _ys(draw, program, 2)
        for xs in (_inputs_of(program), draw.some_of(names, 1)):
            yield gradient_trial(program.steps, program.inputs, xs, dys, stopped=stopped)
    x = {"x": np.array([[1.0, 2.0], [3.0, 5.0]]), "axis": np.int32(0)}
    doubled = [step("Add", ["x", "x"], "twice"), step("Add", ["x", "twice"], "z")]
    half = [
        step("Split", ["axis", "x"], ["a", "b"], num_split=2),
        step("Mul", ["a", "b"], "z"),
    ]
    for program, stopped in (
        (doubled, ("x", "twice")),
        (doubled, ("twice",)),
        (doubled, ("z",)),
        (half, ("a",)),
        (half, ("x", "b")),
    ):
        shape = jets.run(program, x)["z"].value.shape
        xs = ["x", *program[0]["outputs"]]
        dys = {"z": draw.array(shape)}
        yield gradient_trial(program, x, xs, dys, stopped=stopped)


@case("04.7")
def stopped_values(draw):
    """A stopped value counts as a constant on every path through it, but as an x."""
    yield from _stops(draw)


@case("04.9")
def stops_on_the_way_back(draw):
    """The sweep passes no stopped value, and gives an x its own gradient all the same."""
    yield from _stops(draw)


@case("04.7")
def integers_end_the_path(draw):
    """No gradient goes through a value whose type has none."""
    for dtype in REAL:
        x = np.array([2.0, 3.0], dtype)
        program = [
            step("Cast", ["x"], "whole", DstT="int32"),
            step("Cast", ["whole"], "number", DstT=dtype),
            step(WITHOUT_GRADIENT, ["number"], ["some", "i"]),
            step("Add", ["x", "some"], "z"),
        ]
        yield values_trial(program, {"x": x}, ["x"], [np.ones(2, dtype)], ["z"])
        yield values_trial(program, {"x": x}, ["x"], [None], ["number"])


@case("04.7")
def what_needs_no_gradient_function(draw):
    """An op without a gradient function does no harm where no x reaches it."""
    x, c = np.array([2.0, 3.0]), np.array([0.5, 0.25])
    program = [
        step("Square", ["x"], "square"),
        step(WITHOUT_GRADIENT, ["square"], ["far", "i"]),
        step(WITHOUT_GRADIENT, ["c"], ["constant", "j"]),
        step("Add", ["x", "constant"], "sum"),
        step("Mul", ["sum", "x"], "z"),
    ]
    arguments = {
        "program": program, "inputs": {"x": x, "c": c}, "ys": ["z"], "xs": ["x"],
    }  # fmt: skip

    def check(values: list[Any]) -> Mismatch | None:
        got = values[0]["gradients"][0]
        return None if got is not None and got.shape == (2,) else Mismatch("none")

    yield Trial(
        title_of(program, {"x": x}, "graph"), [Call("in_graph", arguments)], check
    )
    through = [*program[:2], step("Add", ["x", "far"], "z")]
    arguments = {**arguments, "program": through, "stopped": ["square"]}
    yield Trial(
        title_of(through, {"x": x}, "graph") + ", square stopped",
        [Call("in_graph", arguments)],
        check,
    )


@case("04.8", over=range(1, 10))
def uses_of_a_value(draw, uses):
    """All uses of a value are added up, by one AddN at most."""

    def one_sum(ops: dict[str, int]) -> str | None:
        expected = 1 if uses > 1 else 0
        count = ops.get("AddN", 0)
        return None if count == expected else f"it adds {count} AddN, expected {expected}"

    for shape in [(), (2,), (2, 3)]:
        dtype = draw.one_of(FLOATING)
        program = [step("Identity", ["x"], f"y{i}") for i in range(uses)]
        dys = {f"y{i}": draw.array(shape, dtype) for i in range(uses)}
        inputs = {"x": draw.array(shape, dtype)}
        yield gradient_trial(program, inputs, ["x"], dys, ops=one_sum)
        yield gradient_trial(program, inputs, ["x"], dys, role="tape")


@case("04.8")
def both_inputs_are_the_same(draw):
    """A call that uses a value twice adds to it twice."""
    for op in ("Mul", "Add", "Sub", "RealDiv"):
        for shape in [(), (3,), (2, 2)]:
            inputs = {"x": draw.array(shape)}
            program = [step(op, ["x", "x"], "y"), step("Mul", ["y", "x"], "z")]
            dys = {"z": draw.array(shape)}
            for role in ("graph", "nothing", "tape"):
                yield gradient_trial(program, inputs, ["x"], dys, role=role)


@case("04.8")
def totals_are_made_once(draw):
    """A total that is asked for twice is made once."""

    def one_sum(ops: dict[str, int]) -> str | None:
        count = ops.get("AddN", 0)
        return None if count == 1 else f"it adds {count} AddN, expected 1"

    for shape in [(), (2, 3)]:
        inputs = {"x": draw.array(shape)}
        program = [step("Sin", ["x"], "s"), step("Mul", ["s", "s"], "z")]
        dys = {"z": draw.array(shape)}
        yield gradient_trial(program, inputs, ["x", "s"], dys, ops=one_sum)
        yield gradient_trial(program, inputs, ["s", "s", "x"], dys, ops=one_sum)


@case("04.9", over=[(d, part) for d in (*FLOATING,) for part in range(2)])
def programs(draw, dtype, _part):
    """Programs of one to ten calls, with several xs and ys, in a graph and on a tape."""
    for program in _programs(draw, 12, dtype):
        dys = _ys(draw, program, draw.whole(1, 3))
        xs = draw.some_of(list(program.shapes), 1)
        yield gradient_trial(program.steps, program.inputs, xs, dys)
        xs = _inputs_of(program)
        role = draw.one_of(ROLES[1:])
        yield gradient_trial(program.steps, program.inputs, xs, dys, role=role)


@case("04.9", over=range(2))
def programs_twice(draw, _part):
    """Second derivatives of whole programs."""
    for program in _programs(draw, 8):
        dys = _ys(draw, program, draw.whole(1, 2))
        xs = _inputs_of(program)
        for role in ("graph", "tape"):
            yield gradient_trial(
                program.steps, program.inputs, xs, dys, role=role, is_twice=True
            )


def _slices_check(expected: np.ndarray, are_slices: bool) -> Any:
    """A check of a gradient that may have come in slices."""

    def check(values: list[Any]) -> Mismatch | str | None:
        got = values[0]
        if are_slices and got["num_rows"] is None:
            return "all contributions are slices, yet the gradient is dense"
        return close(got["dense"], expected, rtol=1e-9, what="dL/dx")

    return check


@case("04.8")
def contributions_in_slices(draw):
    """Slices and dense contributions are added up; slices alone stay slices."""
    for rows, dense in [([[0]], 0), ([[1, 1, 3], [0, 3]], 0), ([[2, 0]], 2), ([[3]], 1)]:
        x = draw.array((4, 2))
        expected = dense * np.ones((4, 2))
        for indices in rows:
            np.add.at(expected, indices, 1.0)
        arguments = {"x": x, "rows": rows, "num_dense": dense}
        title = f"lookups of rows {rows} of {describe(x)}, and {dense} uses of all of it"
        check = _slices_check(expected, are_slices=not dense)
        yield Trial(title, [Call("of_lookups", arguments)], check)


@case("04.9")
def gradients_that_a_function_leaves_out(draw):
    """A gradient that is none adds nothing to what comes on another path."""
    x = np.array([3.0, 5.0])
    program = [
        step("FloorDiv", ["x", "two"], "down"),
        step("Mul", ["x", "two"], "double"),
        step("Add", ["down", "double"], "z"),
    ]
    inputs = {"x": x, "two": np.array(2.0)}
    yield values_trial(program, inputs, ["x"], [2 * np.ones(2)], ["z"])


@case("04.9")
def what_lies_before_an_x(draw):
    """What made an x, or a y that no x reaches, is not asked for a gradient."""
    x = np.array([2.0, 3.0])
    unique = step(WITHOUT_GRADIENT, ["a"], ["x", "i"])
    program = [unique, step("Square", ["x"], "z")]
    yield values_trial(program, {"a": x}, ["x"], [2 * x], ["z"])
    other = step(WITHOUT_GRADIENT, ["c"], ["far", "j"])
    program = [step("Square", ["x"], "z"), other]
    inputs = {"x": x, "c": np.array([7.0])}
    yield values_trial(program, inputs, ["x"], [2 * x], ["z", "far"])


@case("04.9")
def loops(draw):
    """A loop brings gradient functions of its own, which count."""
    for turns in (1, 2, 5):
        x = np.array([0.5, 2.0])
        expected = (turns + 1) * x**turns
        check = close_to([expected], names=["dL/dx"], rtol=1e-9)
        call = Call("of_loop", {"x": x, "turns": turns})
        yield Trial(f"x multiplied by itself {turns} times in a loop", [call], check)


@case("04.9")
def an_x_that_is_a_y(draw):
    """dx/dx is one, also where x goes further."""
    for shape in [(), (2,), (0, 3)]:
        inputs = {"x": draw.array(shape)}
        ones = np.ones(shape)
        program = [step("Square", ["x"], "s")]
        yield values_trial(program, inputs, ["x"], [ones], ["x"])
        yield values_trial(program, inputs, ["x"], [2 * inputs["x"] + 1], ["x", "s"])
        yield values_trial(program, inputs, ["s", "x"], [ones, 2 * inputs["x"]], ["s"])


@case("04.9")
def the_turn_of_a_call_in_a_diamond(draw):
    """A call is differentiated once, after all calls that use it."""

    def once(ops: dict[str, int]) -> str | None:
        count = ops.get("Cos", 0)
        return None if count == 1 else f"it adds {count} Cos, expected 1"

    for levels in range(1, 9):
        inputs = {"x": draw.array((2,)) / 4}
        program = [step("Sin", ["x"], "v0")]
        for i in range(levels):
            program.append(step("Identity", [f"v{i}"], f"side{i}"))
            program.append(step("Add", [f"v{i}", f"side{i}"], f"v{i + 1}"))
        dys = {f"v{levels}": draw.array((2,))}
        yield gradient_trial(program, inputs, ["x"], dys, ops=once)


@case("04.9")
def calls_without_a_part_are_not_asked(draw):
    """A call whose outputs no y depends on, or that depends on no x, is left out."""
    x, c = np.array([2.0, 3.0]), np.array([0.5, 0.25])
    program = [
        step("Square", ["x"], "square"),
        step(WITHOUT_GRADIENT, ["square"], ["aside", "i"]),
        step(WITHOUT_GRADIENT, ["c"], ["constant", "j"]),
        step("Mul", ["square", "constant"], "z"),
    ]
    inputs = {"x": x, "c": c}
    # What Unique makes has a size that is known later, so z is compared by hand.
    yield values_trial(program, inputs, ["x"], [2 * x * c], ["z"])


@case("04.9")
def long_chains(draw):
    """A chain of thousands of calls needs no recursion."""
    for length in (10, 4000):
        program = [
            step("Neg", [f"v{i}" if i else "x"], f"v{i + 1}") for i in range(length)
        ]
        inputs = {"x": np.array([3.0])}
        one = np.ones(1)
        trial = values_trial(program, inputs, ["x"], [one], [f"v{length}"])
        yield Trial(f"a chain of {length} Neg", trial.calls, trial.check)


@case("04.9")
def an_op_without_a_gradient(draw):
    """The error names an op that has no gradient function."""

    def check(values: list[Any]) -> str | None:
        named = WITHOUT_GRADIENT in str(values[0])
        return None if named else f"the error is {values[0]!r}, without the op's name"

    yield Trial(WITHOUT_GRADIENT, [Call("error_of", {"op": WITHOUT_GRADIENT})], check)
