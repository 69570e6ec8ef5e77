"""Lab 05, tasks 9 and 11: tf.GradientTape, in eager mode and over graphs."""

import numpy as np
from lab_05_eager.python_scripts import (
    PERSISTENT,
    lives,
    mul,
    square,
    whole,
)
from lab_05_eager.tape_model import results_trial, script_trial
from lab_05_eager.trials import (
    MODES,
    Event,
    known,
)
from lab_common.programs import step

from minitf_lab.judge.case import case

# ---- 05.9 -----------------------------------------------------------------------------


@case("05.9", over=MODES)
def variables_while_it_stops(draw, mode):
    """A tape that is stopped does not watch what is read meanwhile; others do."""
    program = [square("v", "p"), square("w", "q"), mul("p", "q", "z")]
    variables = {"v": (draw.array(()), True), "w": (draw.array(()), True)}
    for stop, go_on in ((["stop"], ["go on"]), (["pause", "a"], ["resume", "a"])):
        script: list[Event] = [["new", "a", PERSISTENT], ["new", "b", PERSISTENT]]
        script += [["enter", "a"], stop, ["enter", "b"], ["steps", 0, 1], ["leave", "b"]]
        script += [go_on, ["steps", 1, 3]]
        for name in "ab":
            script.append(["variables of", name])
            script.append(["ask", name, ["z", "p"], ["v", "w"]])
        yield script_trial(mode, script, program, {}, variables)


@case("05.9", over=MODES)
def variables_of_every_tape(draw, mode):
    """All tapes that record and want to have a variable that is read, not one of them."""
    program = [square("v", "p"), mul("p", "w", "q"), mul("q", "u", "z")]
    variables = {name: (draw.array(()), True) for name in "vwu"}
    deaf = {**PERSISTENT, "watch_accessed_variables": False}
    for count, unwilling in ((2, 9), (3, 9), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)):
        names = [f"t{i}" for i in range(count)]
        script: list[Event] = [
            ["new", name, deaf if i == unwilling else PERSISTENT]
            for i, name in enumerate(names)
        ]
        script += [["enter", name] for name in names] + [["steps", 0, 1]]
        for i, name in enumerate(draw.shuffled(names)):
            script += [["leave", name], ["steps", 1 + i, 2 + i]] if i < 2 else []
        for name in names:
            script.append(["variables of", name])
            script.append(["ask", name, ["z", "q", "p"], ["v", "w", "u"]])
        yield script_trial(mode, script, program, {}, variables)


@case("05.9", over=("recorded", "stopped", "without tapes"))
def lists_of_variables(draw, how):
    """A list has each trainable variable once, in the order in which they were read.

    So has one that is opened later, whatever the lists around it have.
    """
    variables = {name: (np.float64(1), name != "n") for name in "uvwn"}
    for reads in ("", "u", "n", "vu", "uvu", "nwnvvw", "wnvuwvu"):
        for depth in (1, 3):
            listed = list(dict.fromkeys(name for name in reads if name != "n"))
            late = len(reads) // 2
            watched = sorted(set(reads[late:]) - {"n"})
            arguments = {
                "variables": variables, "reads": list(reads), "depth": depth,
                "how": how, "late": late,
            }  # fmt: skip
            title = (
                f"{depth} lists of variables, {', '.join(reads) or 'none'} read, {how}; "
                f"one more list, and a tape, begin after {late} reads"
            )
            inner = list(dict.fromkeys(name for name in reads[late:] if name != "n"))
            expected = [listed] * depth + [inner]
            expected.append([] if how == "without tapes" else watched)
            yield known("variables_listed", arguments, expected, title)


@case("05.9")
def a_variable_that_changes(draw):
    """A gradient is that of the values that were read, not of what was assigned since."""
    for shape in [(), (3,), (2, 2)]:
        for is_added in (False, True):
            program = [square("v", "p"), mul("p", "x", "z")]
            inputs = {"x": draw.array(shape)}
            variables = {"v": (draw.array(shape), True)}
            assign = ["assign", "v", draw.array(shape), is_added]
            ask = ["ask", "t", "z", ["v", "x"]]
            for at in (3, 4, 5):
                script = whole(ask, watch=["x"], end=2)
                script.insert(at + 1, assign)
                if at + 1 <= 3:
                    continue
                yield script_trial(
                    "eager", [*script, ["read", "p"]], program, inputs, variables
                )


# ---- 05.11 ----------------------------------------------------------------------------


@case("05.11", over=MODES)
def targets_that_are_sources(draw, mode):
    """dx/dx is what x weighs among the targets, also if no tape watches x."""
    program = [mul("x", "w", "y")]
    inputs = {name: draw.array((2,)) for name in "xw"}
    one, two = draw.array((2,)), draw.array((2,))
    for ys, dys in (
        (["w"], None),
        (["w"], [one]),
        (["w", "w"], [one, two]),
        (["w", "y", "w"], [one, two, None]),
        (["y", "x"], [one, two]),
        (["w", "x", "w"], None),
        (["w"] * 3, [one, two, one]),
        (["w", "w", "y", "w", "w"], [one, None, two, two, None]),
    ):
        for options in ({}, {"unconnected_gradients": "zero"}):
            ask = ["ask", "t", ys, ["w", "x", "y"], dys, options]
            yield script_trial(mode, whole(ask, watch=["x"], end=1), program, inputs)


@case("05.11", over=(*MODES, "graph of unknown shapes"))
def zeros_of_every_type(draw, mode):
    """Zeros have the type of the source, and are zero whatever its value is."""
    program = [square("x", "y")]
    for dtype in ("float32", "complex64", "float64", "int32"):
        kind = "special" if dtype.startswith("float") else "whole"
        for shape in [(), (3,), (2, 2)]:
            inputs = {"x": draw.array((2,)), "far": draw.array(shape, dtype, kind)}
            script = whole(
                ["ask", "t", "y", ["far", "x"], None, {"unconnected_gradients": "zero"}],
                watch="x",
                end=1,
            )
            expected = [np.zeros(shape, dtype), 2 * inputs["x"]]
            yield results_trial(mode, script, program, inputs, [expected])


@case("05.11", over=MODES)
def gradients_in_slices_of_variables(draw, mode):
    """Rows that are looked up have gradients, and all others zeros."""
    program = [step("Gather", ["x", "rows"], "y"), square("x", "z")]
    for rows in ([0], [2, 2], [1, 3, 1]):
        inputs = {"x": draw.array((4, 2)), "rows": np.int32(rows)}
        dy = draw.array((len(rows), 2))
        expected = np.zeros((4, 2))
        np.add.at(expected, rows, dy)
        for ys, dys, one in (
            (["y"], [dy], expected),
            (["y", "z"], [dy, None], expected + 2 * inputs["x"]),
        ):
            script = whole(["ask", "t", ys, ["x"], dys], watch="x", end=2)
            yield results_trial(mode, script, program, inputs, [[one]])


@case("05.11", over=MODES)
def ops_that_have_no_gradient(draw, mode):
    """It is a LookupError, from an eager tape as from a graph."""
    program = [square("x", "y"), step("Unique", ["y"], ["u", "i"]), square("u", "z")]
    inputs = {"x": draw.array((3,))}
    for options in ({}, PERSISTENT):
        script = whole(["ask", "t", "z", "x"], watch="x", options=options, end=3)
        expected = [("raised", "LookupError", "Unique")]
        yield results_trial(mode, script, program, inputs, expected)


@case("05.11", over=MODES)
def what_else_is_not_found(draw, mode):
    """Other errors of a gradient function stay as they are, such as that of a file."""
    known = [
        ("Raising", "ZeroDivisionError", "zero"),
        ("NotFound", "NotFoundError", "gone"),
    ]
    if mode == "eager":  # a graph reads no file before it runs
        known.append(("Read", "NotFoundError", "/gone/file"))
    for op, *error in known:
        script = whole(["ask", "t", "z", "x"], watch="x", end=2)
        program = [square("x", "y"), step(op, ["y"], "z")]
        inputs = {"x": draw.array((3,))}
        yield results_trial(mode, script, program, inputs, [("raised", *error)])


@case("05.11")
def one_tensor_in_two_objects(draw):
    """Two objects with one identity are the same tensor, whichever is asked for."""
    for dys in ([None], [draw.array((2,))]):
        inputs = {name: draw.array((2,)) for name in "xw"}
        script = whole(["ask", "t", "x", ["x"], ["w"], {}, ["g"]], watch="x",
                       options=PERSISTENT, end=0)  # fmt: skip
        script += [["ask", "t", "g", "w", dys], ["ask", "t", ["w", "g"], "g"]]
        one = np.ones(2) if dys[0] is None else dys[0]
        # g is dL/dx of L = x weighted by w: so it is w.
        expected = [[inputs["w"]], one, np.full(2, 2.0)]
        yield results_trial("eager", script, [], inputs, expected)


@case("05.11", over=MODES)
def questions_by_chance(draw, mode):
    """Any targets and sources, watched or not."""
    yield from lives(draw, 24, mode)
