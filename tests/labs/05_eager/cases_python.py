"""Lab 05, tasks 9 to 12: tf.GradientTape, in eager mode and over graphs."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_05_eager.tape_model import script_trial
from lab_05_eager.trials import (
    MODES,
    Event,
    inputs_of,
    known,
    programs,
    questions_of,
)

from minitf_lab.judge import jets
from minitf_lab.judge.case import Call, Mismatch, Trial, case, close
from minitf_lab.judge.draw import FLOATING, Draw
from minitf_lab.judge.programs import Program, describe_program, step

PERSISTENT = {"persistent": True}


def _square(x: str, y: str) -> dict[str, Any]:
    return step("Square", [x], y)


def _mul(x: str, y: str, z: str) -> dict[str, Any]:
    return step("Mul", [x, y], z)


# ---- Scripts by chance ----------------------------------------------------------------


def random_script(
    draw: Draw, program: Program, tapes: int, variables: dict[str, Any], *, stops: float
) -> list[Event]:
    """Tapes that watch, pause and are asked between the steps of a program."""
    names = [f"t{i}" for i in range(tapes)]
    script: list[Event] = [["new", name, PERSISTENT] for name in names]
    open_pauses: list[str] = []
    is_stopped = False
    known = inputs_of(program)
    for name in names:
        script.append(["enter", name])
        script.append(["watch", name, draw.some_of([*known, *variables], 1)])
    for i, one in enumerate(program.steps):
        if draw.coin(stops):
            name = draw.one_of(names)
            if name in open_pauses:
                script.append(["resume", name])
                open_pauses.remove(name)
            elif not is_stopped:
                script.append(["pause", name])
                open_pauses.append(name)
        if draw.coin(stops / 2) and not open_pauses:
            script.append(["go on" if is_stopped else "stop"])
            is_stopped = not is_stopped
        script.append(["steps", i, i + 1])
        known += [o for o in one["outputs"] if o in program.shapes]
        if draw.coin(0.25):
            script.append(["watch", draw.one_of(names), draw.one_of(known)])
    script += [["resume", name] for name in open_pauses]
    script += [["go on"]] if is_stopped else []
    for name in names:
        (question,) = questions_of(draw, program, 1)
        if draw.coin():
            script.append(["leave", name])
        xs = draw.shuffled(draw.some_of([*known, *variables], 1))
        options = {"unconnected_gradients": draw.one_of(["none", "zero"])}
        script.append(["ask", name, question["ys"], xs, question["dys"], options])
    return script


def random_scripts(
    draw: Draw, count: int, mode: str, *, tapes: int = 1, stops: float = 0.0
) -> Iterator[Trial]:
    """Scripts of programs, from short to long, some of whose inputs are variables."""
    for program in programs(draw, count):
        chosen = [x for x in inputs_of(program) if draw.coin(0.4)]
        variables = {x: (program.inputs[x], draw.coin(0.7)) for x in chosen}
        inputs = {n: v for n, v in program.inputs.items() if n not in chosen}
        script = random_script(draw, program, tapes, variables, stops=stops)
        yield script_trial(mode, script, program.steps, inputs, variables)


def whole(
    ask: Event, *, watch: Any, options: dict | None = None, end: int
) -> list[Event]:
    """One tape t around all steps, and a question."""
    script = [["new", "t", options or {}], ["enter", "t"]]
    if watch:
        script.append(["watch", "t", watch])
    return [*script, ["steps", 0, end], ["leave", "t"], ask]


# ---- 05.9 -----------------------------------------------------------------------------


@case("05.9", over=MODES)
def variables_that_are_read(draw, mode):
    """Trainable variables are watched when they are read; others not, nor unread ones."""
    program = [_mul("v", "w", "p"), _mul("p", "n", "z")]
    for shape in [(), (2,)]:
        values = [draw.array(shape) for _ in range(4)]
        variables = {
            "v": (values[0], True), "unread": (values[1], True), "w": (values[2], True),
            "n": (values[3], False),
        }  # fmt: skip
        ask = ["ask", "t", "z", ["v", "w", "n", "unread"]]
        for options in ({}, {"watch_accessed_variables": False}, PERSISTENT):
            script = whole(ask, watch=None, options=options, end=2)
            script.insert(-1, ["variables of", "t"])
            yield script_trial(mode, script, program, {}, variables)
        script = whole(
            ask, watch=["n"], options={"watch_accessed_variables": False}, end=2
        )
        script.insert(-1, ["variables of", "t"])
        yield script_trial(mode, script, program, {}, variables)


@case("05.9", over=MODES)
def variables_read_twice(draw, mode):
    """All uses of a variable count, and it is watched once."""
    for count in (1, 2, 5):
        program = [_square("v", "p0")]
        program += [_mul(f"p{i}", "v", f"p{i + 1}") for i in range(count)]
        ask = ["ask", "t", f"p{count}", "v"]
        script = whole(ask, watch=None, end=len(program))
        script.insert(-1, ["variables of", "t"])
        variables = {"v": (draw.array((2,)) / 2, True)}
        yield script_trial(mode, script, program, {}, variables)


@case("05.9", over=MODES)
def variables_while_it_stops(draw, mode):
    """A tape that is stopped does not watch what is read meanwhile; others do."""
    program = [_square("v", "p"), _square("w", "q"), _mul("p", "q", "z")]
    variables = {"v": (draw.array(()), True), "w": (draw.array(()), True)}
    for stop, go_on in ((["stop"], ["go on"]), (["pause", "a"], ["resume", "a"])):
        script: list[Event] = [["new", "a", PERSISTENT], ["new", "b", PERSISTENT]]
        script += [["enter", "a"], stop, ["enter", "b"], ["steps", 0, 1], ["leave", "b"]]
        script += [go_on, ["steps", 1, 3]]
        for name in "ab":
            script.append(["variables of", name])
            script.append(["ask", name, ["z", "p"], ["v", "w"]])
        yield script_trial(mode, script, program, {}, variables)


@case("05.9")
def lists_of_variables(draw):
    """A list has each trainable variable once, in the order in which they were read."""
    variables = {name: (np.float64(1), name != "n") for name in "uvwn"}
    for reads in ("", "u", "n", "vu", "uvu", "nwnvvw", "wnvuwvu"):
        for depth in (1, 3):
            listed = list(dict.fromkeys(name for name in reads if name != "n"))
            arguments = {"variables": variables, "reads": list(reads), "depth": depth}
            title = f"{depth} lists of variables, {', '.join(reads) or 'none'} read"
            yield known("variables_listed", arguments, [listed] * depth, title)


@case("05.9")
def a_variable_that_changes(draw):
    """A gradient is that of the values that were read, not of what was assigned since."""
    for shape in [(), (3,), (2, 2)]:
        for is_added in (False, True):
            program = [_square("v", "p"), _mul("p", "x", "z")]
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


# ---- 05.10 ----------------------------------------------------------------------------


@case("05.10", over=FLOATING)
def programs_in_a_graph(draw, dtype):
    """The gradients of what was added while the tape was recording."""
    for program in programs(draw, 10, dtype):
        watched = inputs_of(program)
        (question,) = questions_of(draw, program, 1)
        ask = ["ask", "t", question["ys"], watched, question["dys"]]
        script = whole(ask, watch=watched, end=len(program.steps))
        yield script_trial("graph", script, program.steps, program.inputs)


@case("05.10")
def ranges_of_nodes(draw):
    """What was added before, between and after counts as constant."""
    program = [_square("x", "a"), _mul("a", "x", "b"), _mul("b", "a", "c")]
    program += [_mul("c", "x", "d"), _mul("d", "b", "e")]
    inputs = {"x": np.float64(1.5)}
    for _ in range(20):
        script: list[Event] = [["new", "t", PERSISTENT]]
        is_open, is_watched = False, False
        for i in range(len(program)):
            if draw.coin():
                script.append(["leave" if is_open else "enter", "t"])
                is_open = not is_open
            if is_open and not is_watched:
                script.append(["watch", "t", "x"])
                is_watched = True
            script.append(["steps", i, i + 1])
        script += [["enter", "t"], ["watch", "t", "x"]] if not is_open else []
        for y in "abcde":
            script.append(["ask", "t", y, ["x", "a", "c"]])
        yield script_trial("graph", script, program, inputs)


@case("05.10")
def watched_from_then_on(draw):
    """Nodes that used a tensor before it was watched do not count by it."""
    program = [_square("x", "a"), _mul("x", "w", "b"), _mul("a", "b", "c")]
    program.append(_mul("c", "x", "d"))
    inputs = {"x": np.float64(1.5), "w": np.float64(-0.5)}
    for at in range(len(program) + 1):
        for first in ("x", "w"):
            other = "w" if first == "x" else "x"
            script = [["new", "t", PERSISTENT], ["enter", "t"], ["watch", "t", first]]
            script += [["steps", 0, at], ["watch", "t", [other, other, first]]]
            script += [["steps", at, len(program)]]
            script += [["ask", "t", y, ["x", "w", "a"]] for y in "abcd"]
            yield script_trial("graph", script, program, inputs)


@case("05.10")
def two_tapes_in_a_graph(draw):
    """Each tape of a graph has its own ranges, and its own watched tensors."""
    yield from random_scripts(draw, 14, "graph", tapes=2, stops=0.2)


def second_trial(draw: Draw, mode: str, program: Program, is_persistent: bool) -> Trial:
    """Second derivatives: by two tapes, or by one that is asked while it records."""
    xs = inputs_of(program)
    y = program.steps[-1]["outputs"][0]
    dy = draw.array(program.shapes[y])
    reached = [
        x
        for x in xs
        if jets.gradient(program.steps, program.inputs, x, {y: dy}) is not None
    ]
    weights = {x: draw.array(program.inputs[x].shape) for x in reached}
    tapes = ["t"] if is_persistent else ["t", "inner"]
    script: list[Event] = []
    for name in tapes:
        script += [["new", name, {"persistent": is_persistent}], ["enter", name]]
        script.append(["watch", name, xs])
    names = [f"d{x}" for x in reached]
    script += [
        ["steps", 0, len(program.steps)],
        ["ask", tapes[-1], [y], reached, [dy], {}, names],
        ["leave", "t"],
        [
            "ask",
            "t",
            names,
            xs,
            list(weights.values()),
            {"unconnected_gradients": "zero"},
        ],
    ]

    def check(values: list[Any]) -> Mismatch | str | None:
        got = values[0][-1]
        if isinstance(got, dict):
            return f"it raised {got['raised']}: {got['text']}"
        for x, one in zip(xs, got, strict=True):
            expected = jets.second(program.steps, program.inputs, x, {y: dy}, weights)
            wrong = close(one, expected, rtol=1e-8, atol=1e-8, what=f"the second d/d{x}")
            if wrong:
                return wrong
        return None

    arguments = {
        "mode": mode, "script": script, "program": program.steps,
        "inputs": program.inputs, "variables": {},
    }  # fmt: skip
    how = "one persistent tape" if is_persistent else "two tapes"
    title = f"{mode}: {describe_program(program.steps)}, twice by {how}"
    return Trial(title, [Call("tapes", arguments)], check)


@case("05.10", over=("nested", "persistent"))
def second_derivatives_in_a_graph(draw, how):
    """What one tape adds to the graph is recorded by another, or by itself."""
    for program in programs(draw, 8):
        trial = second_trial(draw, "graph", program, how == "persistent")
        if trial.calls[0].arguments["script"][-1][1:2] and trial:
            yield trial


@case("05.10", over=range(2), hidden=True)
def scripts_in_a_graph(draw, _part):
    """Programs of which some parts are not recorded."""
    yield from random_scripts(draw, 14, "graph", stops=0.4)


# ---- 05.11 ----------------------------------------------------------------------------


@case("05.11", over=MODES)
def sources_that_are_not_watched(draw, mode):
    """They have no gradient, and do not disturb the others, in any order."""
    program = [_mul("x", "w", "y"), _mul("y", "u", "z")]
    inputs = {name: draw.array((2,)) for name in "xwu"}
    for watch in (["x"], ["w"], ["x", "u"], ["x", "w", "u"], ["u"]):
        for _ in range(2):
            xs = draw.shuffled(["x", "w", "u", "x"])
            ask = ["ask", "t", "z", xs]
            yield script_trial(mode, whole(ask, watch=watch, end=2), program, inputs)


@case("05.11", over=MODES)
def targets_that_are_sources(draw, mode):
    """dx/dx is what x weighs among the targets, also if no tape watches x."""
    program = [_mul("x", "w", "y")]
    inputs = {name: draw.array((2,)) for name in "xw"}
    one, two = draw.array((2,)), draw.array((2,))
    for ys, dys in (
        (["w"], None),
        (["w"], [one]),
        (["w", "w"], [one, two]),
        (["w", "y", "w"], [one, two, None]),
        (["y", "x"], [one, two]),
        (["w", "x", "w"], None),
    ):
        for options in ({}, {"unconnected_gradients": "zero"}):
            ask = ["ask", "t", ys, ["w", "x", "y"], dys, options]
            yield script_trial(mode, whole(ask, watch=["x"], end=1), program, inputs)


@case("05.11", over=MODES)
def zeros_where_they_are_wanted(draw, mode):
    """With zeros asked for, an x without a gradient has zeros of its own shape."""
    program = [_square("x", "y"), _square("v", "z")]
    for shape in [(), (3,), (2, 0), (2, 3)]:
        dtype = draw.one_of(["float64"])
        inputs = {"x": draw.array((2,), dtype), "far": draw.array(shape, dtype)}
        variables = {"v": (draw.array(shape, dtype), True)}
        for options in (None, {"unconnected_gradients": "none"},
                        {"unconnected_gradients": "zero"}):  # fmt: skip
            ask = ["ask", "t", "y", ["x", "far", "v"], None, options]
            script = whole(ask, watch=["x"], end=2)
            yield script_trial(mode, script, program, inputs, variables)


@case("05.11", over=MODES)
def structures(draw, mode):
    """Gradients come in the structure of the sources."""
    program = [_mul("x", "w", "y"), _mul("y", "v", "z")]
    inputs = {name: draw.array((2,)) for name in "xw"}
    variables = {"v": (draw.array((2,)), True)}
    for xs in ("x", ["x"], {"a": "x", "b": ["w", "v"]}, [["x"], ["w", "x"]], [], ["v"]):
        for ys in ("z", ["z", "y"]):
            ask = ["ask", "t", ys, xs]
            script = whole(ask, watch=["x", "w"], end=2)
            yield script_trial(mode, script, program, inputs, variables)


@case("05.11", over=MODES)
def questions_by_chance(draw, mode):
    """Any targets and sources, watched or not."""
    yield from random_scripts(draw, 14, mode)


@case("05.11", over=MODES, hidden=True)
def questions_of_several_tapes(draw, mode):
    """The same with several tapes, whose recording stops now and then."""
    yield from random_scripts(draw, 14, mode, tapes=2, stops=0.3)


# ---- 05.12 ----------------------------------------------------------------------------


@case("05.12", over=MODES)
def once_unless_persistent(draw, mode):
    """The second question of a tape is answered if it is persistent."""
    program = [_square("x", "y"), _mul("y", "x", "z")]
    inputs = {"x": draw.array((2,))}
    for options in ({}, PERSISTENT):
        for is_within in (False, True):
            script = whole(["ask", "t", "z", "x"], watch="x", options=options, end=2)
            if is_within:
                script.remove(["leave", "t"])
            script += [["ask", "t", "y", ["x", "y"]], ["ask", "t", "z", "y"]]
            yield script_trial(mode, script, program, inputs)


@case("05.12", over=MODES)
def started_again(draw, mode):
    """A tape that is entered again goes on; one that was asked begins anew."""
    program = [_square("x", "a"), _mul("a", "x", "b"), _mul("b", "a", "c")]
    inputs = {"x": np.float64(1.5)}
    enter, leave = ["enter", "t"], ["leave", "t"]
    watch = ["watch", "t", "x"]
    asks = [["ask", "t", y, ["x", "a"]] for y in "abc"]
    for options in ({}, PERSISTENT):
        first = [["new", "t", options], enter, watch, ["steps", 0, 1], leave]
        for last in asks:
            again = [enter, ["steps", 1, 3], leave, last]
            yield script_trial(mode, [*first, *again], program, inputs)
            asked = [asks[0], enter, watch, ["steps", 1, 3], leave, last]
            yield script_trial(mode, [*first, *asked], program, inputs)
        twice = [*first, enter, enter, ["steps", 1, 3], leave, asks[2]]
        yield script_trial(mode, twice, program, inputs)


@case("05.12", over=MODES)
def pauses(draw, mode):
    """A tape that is paused records nothing, and goes on afterwards."""
    program = [_square("x", "a"), _mul("a", "x", "b"), _mul("b", "a", "c")]
    inputs = {"x": np.float64(1.5)}
    for first in range(3):
        for last in range(first, 4):
            script = [["new", "t", PERSISTENT], ["enter", "t"], ["watch", "t", "x"]]
            script += [["steps", 0, first], ["pause", "t"], ["steps", first, last]]
            script += [["resume", "t"], ["steps", last, 3]]
            script += [["ask", "t", y, ["x", "a"]] for y in "abc"]
            yield script_trial(mode, script, program, inputs)


@case("05.12", over=MODES)
def resets(draw, mode):
    """A tape that is reset goes on recording, and knows nothing of before."""
    program = [_square("x", "a"), _mul("a", "v", "b"), _mul("b", "a", "c")]
    inputs = {"x": np.float64(1.5)}
    variables = {"v": (np.float64(0.5), True)}
    for options in ({}, PERSISTENT):
        for at in range(4):
            for is_watched in (False, True):
                script = [["new", "t", options], ["enter", "t"], ["watch", "t", "x"]]
                script += [["steps", 0, at], ["reset", "t"]]
                script += [["watch", "t", "x"]] if is_watched else []
                script += [["variables of", "t"], ["steps", at, 3], ["leave", "t"]]
                script += [["ask", "t", "c", ["x", "v", "a"]]]
                yield script_trial(mode, script, program, inputs, variables)
    outside = [["new", "t", {}], ["enter", "t"], ["leave", "t"], ["reset", "t"]]
    yield script_trial(mode, outside, program, inputs, variables)


@case("05.12", over=MODES)
def tapes_within_tapes(draw, mode):
    """Tapes are entered and left in any order; each knows what it saw."""
    program = [_square("x", "a"), _mul("a", "x", "b"), _mul("b", "a", "c")]
    inputs = {"x": np.float64(1.5)}
    for _ in range(6):
        script: list[Event] = [["new", name, PERSISTENT] for name in "st"]
        where = {name: sorted(draw.whole(0, 3) for _ in range(2)) for name in "st"}
        for i in range(4):
            for name in draw.shuffled("st"):
                if where[name][0] == i:
                    script += [["enter", name], ["watch", name, "x"]]
                if where[name][1] == i:
                    script.append(["leave", name])
            script += [["steps", i, i + 1]] if i < 3 else []
        script += [["ask", name, y, ["x", "a"]] for name in "st" for y in "bc"]
        yield script_trial(mode, script, program, inputs)


@case("05.12", over=MODES)
def after_a_tape_was_left(draw, mode):
    """A tape that was left, or asked, sees no variable that is read later."""
    program = [_square("v", "a"), _mul("w", "a", "b"), _mul("u", "b", "c")]
    variables = {name: (draw.array(()), True) for name in "vwu"}
    for options in ({}, PERSISTENT):
        for end in (["leave", "t"], ["ask", "t", "a", ["v", "w"]]):
            script = [["new", "t", options], ["enter", "t"], ["steps", 0, 1], end]
            script += [["leave", "t"]] if end[0] == "ask" else []
            script += [["steps", 1, 2], ["variables of", "t"]]
            script += [["new", "s", {}], ["enter", "s"], ["steps", 2, 3], ["leave", "s"]]
            script += [["variables of", "t"], ["variables of", "s"]]
            script += [["ask", "s", "c", ["v", "w", "u"]]]
            yield script_trial(mode, script, program, {}, variables)


@case("05.12", over=MODES, hidden=True)
def pauses_by_chance(draw, mode):
    """Tapes that pause and stop between any steps."""
    yield from random_scripts(draw, 14, mode, tapes=2, stops=0.6)


@case("05.12", over=MODES, hidden=True)
def second_derivatives_by_tapes(draw, mode):
    """A question that is asked while a tape records is a part of what it records."""
    for program in programs(draw, 6):
        for is_persistent in (False, True):
            yield second_trial(draw, mode, program, is_persistent)
