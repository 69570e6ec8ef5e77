"""Lab 05, task 10: a tape for graphs."""

import numpy as np
from lab_05_eager.python_scripts import (
    PERSISTENT,
    lives,
    loop_trial,
    mul,
    square,
)
from lab_05_eager.tape_model import script_trial
from lab_05_eager.trials import Event, inputs_of, known, programs
from lab_common.programs import step

from minitf_lab.judge.case import case


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


@case("05.10", over=range(2))
def two_tapes_in_a_graph(draw, _part):
    """Each tape of a graph has its own ranges, and its own watched tensors."""
    yield from lives(draw, 40, "graph")


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
