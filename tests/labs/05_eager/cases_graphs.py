"""Lab 05, task 10: a tape for graphs."""

import numpy as np
from lab_05_eager.python_scripts import (
    PERSISTENT,
    loop_trial,
    mul,
    random_scripts,
    second_trial,
    square,
    whole,
)
from lab_05_eager.tape_model import script_trial
from lab_05_eager.trials import Event, inputs_of, known, programs, questions_of
from lab_common.programs import step

from minitf_lab.judge.case import case
from minitf_lab.judge.draw import FLOATING


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
    program = [square("x", "a"), mul("a", "x", "b"), mul("b", "a", "c")]
    program += [mul("c", "x", "d"), mul("d", "b", "e")]
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
    program = [square("x", "a"), mul("x", "w", "b"), mul("a", "b", "c")]
    program.append(mul("c", "x", "d"))
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
def watched_results(draw):
    """A gradient ends at what no recorded node has made, watched or not."""
    program = [square("x", "a"), mul("a", "x", "b"), square("b", "c"), mul("c", "a", "d")]
    program += [square("c", "e"), mul("e", "d", "f")]
    inputs = {"x": np.float64(1.25)}
    for at in range(4):
        for watch in (["a"], ["x", "a"], ["a", "b"], ["x", "b"], ["x", "b", "c"]):
            known = ["x", *"abc"[:at]]
            chosen = [name for name in watch if name in known]
            script: list[Event] = [["new", "t", PERSISTENT], ["steps", 0, at]]
            script += [["enter", "t"], ["watch", "t", chosen], ["steps", at, 6]]
            script += [["ask", "t", y, ["x", *"abc"]] for y in "acdef"]
            yield script_trial("graph", script, program, inputs)


@case("05.10")
def nodes_that_do_not_count(draw):
    """What was recorded and depends on nothing that counts is constant like the rest."""
    program = [square("x", "a"), square("a", "b"), square("b", "c"), mul("c", "a", "d")]
    program += [square("d", "e"), mul("e", "b", "f")]
    inputs = {"x": np.float64(0.75)}
    for first in range(1, 6):
        for last in range(first + 1, 7):
            script: list[Event] = [["new", "t", PERSISTENT], ["enter", "t"]]
            script += [["watch", "t", "x"], ["steps", 0, first], ["leave", "t"]]
            script += [["steps", first, last], ["enter", "t"], ["steps", last, 6]]
            script += [["ask", "t", y, ["x", "a", "b"]] for y in "bcdef"]
            yield script_trial("graph", script, program, inputs)


@case("05.10")
def one_output_that_is_watched(draw):
    """Of a node with several outputs only the one that is watched counts."""
    program = [step("Split", ["axis", "x"], ["u", "v", "w"], num_split=3)]
    program += [mul("u", "v", "p"), square("w", "q"), mul("p", "q", "z")]
    inputs = {"axis": np.int32(0), "x": draw.array((3,))}
    for at in (0, 1):
        for watch in ("u", "v", "w", ["u", "w"]):
            script: list[Event] = [["new", "t", PERSISTENT], ["steps", 0, 1]]
            script += [["enter", "t"], ["watch", "t", watch], ["steps", 1, 2 + at]]
            script += [["watch", "t", "w"], ["steps", 2 + at, 4]]
            script += [["ask", "t", y, ["u", "v", "w"]] for y in "pqz"]
            yield script_trial("graph", script, program, inputs)


@case("05.10", over=("times x", "from x", "both", "paused", "after a loop",
                     "within a loop", "paused within", "passed on"))  # fmt: skip
def loops(draw, kind):
    """A loop is differentiated wherever x comes into it, if it was recorded."""
    for times in (0, 1, 3, 5):
        yield loop_trial(kind, float(draw.array(())), times)


@case("05.10")
def from_the_first_node(draw):
    """A range may begin with the first node of its graph, and end or not."""
    for length in (1, 2, 5):
        for seen in range(length + 1):
            for is_stopped in (False, True):
                signs = [(-1.0) ** (i + 1) if i < seen else None for i in range(length)]
                how = {"length": length, "seen": seen, "is_stopped": is_stopped}
                title = f"a GraphTape of an empty graph; of {length} Neg {seen} recorded"
                title += ", then stopped" * is_stopped
                yield known("from_the_first_node", how, signs, title)


@case("05.10")
def long_chains_in_a_graph(draw):
    """A chain longer than Python's stack needs no recursion."""
    for length in (10, 1_200):
        title = f"a chain of {length} Neg in a graph"
        yield known("long_graph", {"length": length}, 1.0, title)


@case("05.10")
def two_tapes_in_a_graph(draw):
    """Each tape of a graph has its own ranges, and its own watched tensors."""
    yield from random_scripts(draw, 14, "graph", tapes=2, stops=0.2)


@case("05.10")
def asked_between_steps(draw):
    """A tape that was asked goes on: the next answer has what was added since."""
    for program in programs(draw, 8):
        watched = inputs_of(program)
        script: list[Event] = [["new", "t", PERSISTENT], ["enter", "t"]]
        script.append(["watch", "t", watched])
        for i, one in enumerate(program.steps):
            script.append(["steps", i, i + 1])
            for y in one["outputs"]:
                if y in program.shapes:
                    dys = [draw.array(program.shapes[y])]
                    script.append(["ask", "t", y, watched, dys])
        yield script_trial("graph", script, program.steps, program.inputs)


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
