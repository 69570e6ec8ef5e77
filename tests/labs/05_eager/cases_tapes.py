"""Lab 05, tasks 5 to 8: the tapes of threads, what they record, and gradients."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_05_eager.tape_scripts import LOOK, begun, call, random_scripts, value
from lab_05_eager.trials import (
    dense,
    events_trial,
    inputs_of,
    known,
    programs,
    questions_of,
    tape_trial,
    wrong_gradient,
)

from minitf_lab.judge import jets
from minitf_lab.judge.case import Call, Mismatch, Trial, case, close, describe
from minitf_lab.judge.draw import FLOATING, Draw
from minitf_lab.judge.programs import describe_program


def memory_trials(ask: str) -> Iterator[Trial]:
    """Chains on a tape that lets go of them in a way, or does not."""
    for length in (2, 30):
        keeps = ask != "unwatched"
        # x, dy and y, and besides them what a tape keeps.
        limits = {"forward": (length + 2 if keeps else 3), "after": 4}
        if ask == "persistent":
            limits["after"] = length + 3

        def check(values: list[Any], limits: dict = limits) -> Mismatch | None:
            for when, limit in limits.items():
                got = values[0][when]
                if got > limit + 0.5:
                    return Mismatch(
                        f"{when}: too many tensors are alive",
                        expected=f"at most {limit}",
                        got=f"{got:.1f}",
                    )
            return None

        title = f"a chain of {length} Sin, {ask}"
        yield Trial(title, [Call("memory", {"length": length, "ask": ask})], check)


# ---- 05.5 -----------------------------------------------------------------------------


@case("05.5")
def from_start_to_stop(draw):
    """A tape records from its start to its stop, and once more if started again."""
    use = call("Neg", "x", "y")
    a = ["main", "start", "a"], ["main", "stop", "a"]
    first = [value("x"), ["main", "tape", "a"], ["main", "watch", "a", "x"]]
    for middle in (
        [use],
        [a[0], use],
        [use, a[0], use],
        [a[0], use, a[1], use],
        [a[0], use, a[1], use, a[0], use, use],
        [a[0], a[0], use, a[1], use],
        [a[0], a[0], use, LOOK, a[0], use, a[1], a[1], use],
        [a[1], use, a[0], use],
    ):
        yield events_trial([*first, *middle, LOOK])


@case("05.5")
def tapes_side_by_side(draw):
    """Each tape has its own beginning and end; the first started may stop first."""
    use = call("Neg", "x", "y")
    names = ("a", "b", "c")
    for _ in range(12):
        events = begun(*names)
        for name in draw.shuffled(names * 2):
            kind = draw.one_of(["start", "stop", "stop"])
            events += [["main", kind, name], use, LOOK]
        yield events_trial(events)


@case("05.5")
def tapes_of_threads(draw):
    """A tape records its own thread, and any thread may stop it."""
    x = [value("x"), ["main", "tape", "a"], ["main", "watch", "a", "x"]]
    here, there = call("Neg", "x", "y"), call("Neg", "x", "z", "one")
    yield events_trial([*x, ["main", "start", "a"], there, LOOK, here, LOOK])
    yield events_trial([*x, ["one", "start", "a"], here, LOOK, there, LOOK])
    start, stop = ["main", "start", "a"], ["one", "stop", "a"]
    yield events_trial([*x, start, here, stop, here, there, LOOK])
    yield events_trial([*x, start, stop, start, here, there, LOOK])
    yield events_trial([*x, start, stop, ["one", "start", "a"], here, there, LOOK])
    yield events_trial([*x, start, ["one", "start", "a"], here, there, LOOK])
    kinds = ["call", "call", "call", "start", "stop", "stop", "watch"]
    yield from random_scripts(draw, 8, kinds, ("main", "one", "two"))


@case("05.5")
def tapes_that_go(draw):
    """A tape that is destroyed while it records is forgotten, by whichever thread."""
    use = call("Neg", "x", "y")
    for thread in ("main", "one"):
        drop = [thread, "drop", "b"]
        yield events_trial([*begun("a", "b"), drop, use, LOOK])
        yield events_trial([*begun("b", "a"), use, drop, use, use, LOOK])
    kinds = ["call", "call", "start", "stop", "tape", "drop", "watch"]
    yield from random_scripts(draw, 8, kinds)


@case("05.5")
def started_within_a_stop(draw):
    """A tape that is started while a StopRecording lives records all the same."""
    use, pause, go_on = call("Neg", "x", "y"), ["main", "pause"], ["main", "go on"]
    a = ["main", "start", "a"]
    first = [value("x"), ["main", "tape", "a"], ["main", "watch", "a", "x"]]
    yield events_trial([*first, pause, a, use, LOOK])
    yield events_trial([*first, pause, pause, a, use, LOOK])
    yield events_trial([*first, pause, a, pause, use, LOOK, go_on, use, LOOK])
    yield events_trial([*first, ["one", "pause"], a, use, LOOK])
    yield events_trial([*first, a, pause, ["main", "stop", "a"], a, use, LOOK])


@case("05.5", hidden=True)
def starts_and_stops_by_chance(draw):
    """Any order of starts and stops, in several threads."""
    kinds = ["call", "call", "start", "stop", "tape", "drop", "watch", "pause", "go on"]
    yield from random_scripts(draw, 24, kinds, ("main", "one"), 60)


# ---- 05.6 -----------------------------------------------------------------------------


@case("05.6")
def nothing_unwatched(draw):
    """A call of which no input is watched leaves no record."""
    first = [value("x"), value("y"), ["main", "tape", "a"], ["main", "start", "a"]]
    calls = [call("Mul", "x y", "z"), call("Neg", "z", "u"), call("Add", "u y", "w")]
    for count in range(4):
        yield events_trial([*first, *calls[:count], LOOK])
        watch = ["main", "watch", "a", "z"]
        if count:
            yield events_trial([*first, *calls[:count], watch, *calls[count:], LOOK])


@case("05.6")
def what_depends(draw):
    """One watched input is enough, whichever; outputs are watched from then on."""
    for inputs in ("x y", "y x", "x x"):
        one = call("Mul", inputs, "z")
        yield events_trial([*begun("a"), one, LOOK])
        yield events_trial([*begun("a"), one, call("Neg", "z", "u"), LOOK])
        after = [call("Neg", "z", "u"), call("Neg", "y", "w"), call("Add", "u w", "v")]
        yield events_trial([*begun("a"), one, *after, LOOK])
    parts = [
        ["main", "value", "axis", np.int32(0)],
        ["main", "value", "x", np.ones((6, 2))],
        ["main", "watch", "a", "x"],
        call("Split", "axis x", "u v w", num_split=3),
        call("Neg", "w", "n"),
    ]
    yield events_trial([*begun("a"), *parts, LOOK])


@case("05.6")
def types_without_gradients(draw):
    """A call is recorded, and its output is not watched if its type has no gradients."""
    for dst, kind in ((3, "int32"), (9, "int64"), (10, "bool"), (1, "float32")):
        whole = call("Cast", "x", "n", DstT=dst)
        after = [call("Cast", "n", "back", DstT=2), call("Add", "x back", "z")]
        assert kind
        yield events_trial([*begun("a"), whole, LOOK])
        yield events_trial([*begun("a"), whole, *after, LOOK])
    shape = call("Shape", "x", "n")
    yield events_trial([*begun("a"), shape, call("Add", "n n", "m"), LOOK])


@case("05.6")
def each_tape_for_itself(draw):
    """Every tape that watches an input has a record; the others have none."""
    for count in (1, 2, 4):
        names = [f"t{i}" for i in range(count)]
        first = [*begun(*names), value("u")]
        for name in draw.some_of(names):
            first.append(["main", "watch", name, "y"])
        later = [call("Mul", "x x", "v"), call("Neg", "y", "w"), call("Add", "v w", "z")]
        yield events_trial([*first, *later, call("Neg", "u", "n"), LOOK])


@case("05.6")
def stopped_tapes(draw):
    """While a StopRecording lives nothing is recorded, and outputs are not watched."""
    pause, go_on = ["main", "pause"], ["main", "go on"]
    one, two = call("Neg", "x", "u"), call("Neg", "u", "v")
    for names in (("a",), ("a", "b")):
        first = begun(*names)
        yield events_trial([*first, pause, one, two, LOOK])
        yield events_trial([*first, pause, one, go_on, two, LOOK])
        yield events_trial([*first, one, pause, two, go_on, one, LOOK])
    other = [["one", "pause"], one, two, LOOK]
    yield events_trial([*begun("a"), *other])


@case("05.6", over=("unwatched", "reset", "dropped"))
def memory_of_records(draw, ask):
    """A tape keeps alive what it watches, until it is reset or goes; and nothing else."""
    yield from memory_trials(ask)


@case("05.6", over=range(2))
def records_by_chance(draw, _part):
    """Any program, with tapes that watch this and that."""
    kinds = ["call"] * 5 + ["watch", "reset", "start", "stop"]
    yield from random_scripts(draw, 12, kinds)


@case("05.6", over=range(2), hidden=True)
def records_in_long_scripts(draw, _part):
    """Longer scripts with all that there is."""
    kinds = ["call"] * 5 + ["watch", "watch", "start", "stop", "pause", "go on", "tape"]
    yield from random_scripts(draw, 12, kinds, ("main", "one"), 90)


# ---- 05.7 -----------------------------------------------------------------------------


@case("05.7")
def stops_within_stops(draw):
    """A tape goes on when the last of several has ended."""
    use, pause, go_on = call("Neg", "x", "y"), ["main", "pause"], ["main", "go on"]
    for depth in (1, 2, 3):
        middle = []
        for _ in range(depth):
            middle += [pause, use]
        for _ in range(depth):
            middle += [go_on, use, LOOK]
        yield events_trial([*begun("a"), use, *middle, *middle])


@case("05.7")
def after_the_stop_around_it(draw):
    """A tape that was started within a stop is paused by the next one."""
    use, pause, go_on = call("Neg", "x", "y"), ["main", "pause"], ["main", "go on"]
    first = [value("x"), ["main", "tape", "a"], ["main", "watch", "a", "x"]]
    start = ["main", "start", "a"]
    yield events_trial([*first, pause, start, use, go_on, use, LOOK])
    yield events_trial([*first, pause, start, use, go_on, pause, use, LOOK])
    twice = [*first, pause, pause, start, go_on, use, LOOK]
    yield events_trial([*twice, pause, use, LOOK])
    yield events_trial([*twice, go_on, pause, use, LOOK, pause, use, LOOK])
    yield events_trial([*twice, go_on, pause, use, go_on, use, LOOK])


@case("05.7")
def stops_of_threads(draw):
    """A StopRecording is one of its thread."""
    use, there = call("Neg", "x", "y"), call("Neg", "x", "z", "one")
    first = [*begun("a"), ["main", "tape", "b"], ["one", "start", "b"]]
    first.append(["main", "watch", "b", "x"])
    for thread in ("main", "one"):
        pause, go_on = [thread, "pause"], [thread, "go on"]
        yield events_trial([*first, pause, use, there, LOOK, go_on, use, there, LOOK])


@case("05.7", over=range(2))
def stops_by_chance(draw, _part):
    """Any order of stops, ends and starts."""
    kinds = ["call", "call", "pause", "go on", "go on", "start", "stop"]
    yield from random_scripts(draw, 14, kinds)


@case("05.7", hidden=True)
def stops_in_threads_by_chance(draw):
    """The same in two threads."""
    kinds = ["call", "call", "pause", "go on", "go on", "start", "stop", "tape"]
    yield from random_scripts(draw, 20, kinds, ("main", "one"), 70)


# ---- 05.8 -----------------------------------------------------------------------------


@case("05.8", over=FLOATING)
def gradients_of_programs(draw, dtype):
    """What a tape gives is the derivative, for any ys, xs and weights."""
    for program in programs(draw, 12, dtype):
        watched = inputs_of(program)
        yield tape_trial(program, questions_of(draw, program, 1), watched=watched)


@case("05.8", over=("float64",), hidden=True)
def gradients_of_longer_programs(draw, dtype):
    """And so for other programs, of which some inputs are watched."""
    for program in programs(draw, 24, dtype):
        watched = draw.some_of(inputs_of(program), 1)
        questions = questions_of(draw, program, 1)
        questions[0]["xs"] = [x for x in questions[0]["xs"] if x in watched] or watched
        yield tape_trial(program, questions, watched=watched)


@case("05.8")
def asked_again(draw):
    """A tape that is not persistent refuses the second question; one that is answers."""
    for program in programs(draw, 6):
        watched = inputs_of(program)
        for is_persistent in (False, True):
            questions = questions_of(draw, program, 3)
            yield tape_trial(
                program, questions, watched=watched, is_persistent=is_persistent
            )


@case("05.8")
def asked_while_it_records(draw):
    """A tape may be asked while it records; what that calls changes no answer."""
    for program in programs(draw, 6):
        watched = inputs_of(program)
        for is_persistent in (False, True):
            count = 3 if is_persistent else 1
            yield tape_trial(
                program, questions_of(draw, program, count), watched=watched,
                is_persistent=is_persistent, asks_within=True,
            )  # fmt: skip


def _nested_trial(draw: Draw, program: Any, is_persistent: bool) -> Trial:
    y = program.steps[-1]["outputs"][0]
    ys = {y: draw.array(program.shapes[y])}
    weights = {x: draw.array(program.inputs[x].shape) for x in inputs_of(program)}
    reached = {
        x: jets.gradient(program.steps, program.inputs, x, ys) is not None
        for x in weights
    }
    used = {x: w for x, w in weights.items() if reached[x]}
    arguments = {
        "program": program.steps, "inputs": program.inputs, "ys": ys,
        "weights": weights, "is_persistent": is_persistent,
    }  # fmt: skip

    def check(values: list[Any]) -> Mismatch | str | None:
        (got,) = values
        if isinstance(got, dict):
            return f"it raised {got['raised']}: {got['text']}"
        for x, parts in zip(weights, got, strict=True):
            expected = jets.second(program.steps, program.inputs, x, ys, used)
            one = dense(parts)
            if one is None and not np.any(expected):
                continue
            if wrong := wrong_gradient(one, expected, "float64", f"the second d/d{x}"):
                return wrong
        return None

    kinds = ", ".join(f"{n} {describe(v)}" for n, v in program.inputs.items())
    how = "by one persistent tape" if is_persistent else "by two tapes"
    title = f"{describe_program(program.steps)}, with {kinds}, twice, {how}"
    return Trial(title, [Call("by_nested_tapes", arguments)], check)


@case("05.8", over=("nested", "persistent"))
def second_derivatives(draw, how):
    """The calls of one tape's question are recorded by another, or by itself."""
    for program in programs(draw, 14):
        yield _nested_trial(draw, program, how == "persistent")


@case("05.8", over=("nested", "persistent"), hidden=True)
def more_second_derivatives(draw, how):
    """And so for other programs."""
    for program in programs(draw, 24):
        yield _nested_trial(draw, program, how == "persistent")


@case("05.8")
def gradients_in_slices(draw):
    """A gradient that comes in slices has three parts, any other has one."""
    for rows, num_dense in (([0], 0), ([1, 1, 3], 0), ([2, 0], 1), ([3], 2)):
        x = draw.array((4, 2))
        expected = num_dense * 2 * x
        np.add.at(expected, rows, 1.0)

        def check(
            values: list[Any], expected: np.ndarray = expected, count: int = num_dense
        ) -> Mismatch | str | None:
            parts = values[0]
            if len(parts) != (1 if count else 3):
                return f"the gradient has {len(parts)} parts"
            return close(dense(parts), expected, rtol=1e-9, what="dL/dx")

        arguments = {"x": x, "rows": rows, "num_dense": num_dense}
        title = f"rows {rows} of x, and {num_dense} squares of all of it"
        yield Trial(title, [Call("lookups", arguments)], check)


@case("05.8", over=("once", "persistent"))
def live_bytes(draw, ask):
    """A tape that was asked keeps nothing, unless it is persistent."""
    yield from memory_trials(ask)


@case("05.8")
def long_chains(draw):
    """A chain of thousands of calls needs no recursion."""
    for length in (10, 10_000):
        arguments = {"length": length}
        yield known("long_chain", arguments, 1.0, f"a chain of {length} Neg")
