"""Lab 05, tasks 5 to 8: the tapes of threads, what they record, and gradients."""

import numpy as np
from lab_05_eager.tape_model import script_trial
from lab_05_eager.tape_scripts import LOOK, begun, call, handle, random_scripts, value
from lab_05_eager.trials import (
    answers_trial,
    events_trial,
    inputs_of,
    known,
    programs,
    questions_of,
    tape_trial,
)
from lab_common.programs import step

from minitf_lab.judge.case import case, describe

# ---- 05.5 -----------------------------------------------------------------------------


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
def started_within_a_stop(draw):
    """A tape that is started while a StopRecording lives records all the same."""
    use, pause, go_on = call("Neg", "x", "y"), ["main", "pause"], ["main", "go on"]
    a = ["main", "start", "a"]
    first = [value("x"), ["main", "tape", "a"], ["main", "watch", "a", "x"]]
    yield events_trial([*first, pause, a, use, LOOK])
    yield events_trial([*first, pause, pause, a, use, LOOK])
    yield events_trial([*first, pause, a, pause, use, LOOK, go_on, use, LOOK])
    yield events_trial([*first, ["one", "pause"], a, use, LOOK])
    stop = ["main", "stop", "a"]
    yield events_trial([*first, a, pause, stop, a, use, LOOK])
    yield events_trial([*first, pause, a, stop, go_on, a, pause, use, LOOK])
    yield events_trial([*first, pause, pause, a, stop, go_on, a, pause, use, LOOK])


@case("05.5")
def threads_that_end(draw):
    """A thread may end before its tapes are stopped, or destroyed; others go on."""
    for kind in ("stop", "drop"):
        for count in (1, 3, 6):
            events = [value("x")]
            for i in range(count):
                former, later = (["main", "tape", f"{name}{i}"] for name in "ab")
                one, two = f"one{i}", f"two{i}"
                events += [former, later, ["main", "watch", f"b{i}", "x"]]
                events += [[one, "start", f"a{i}"], [one, "end"]]
                events += [[two, "start", f"b{i}"], ["main", kind, f"a{i}"]]
                events += [call("Neg", "x", f"y{i}", two), LOOK]
            yield events_trial(events)
        for count in (1, 3):
            events = begun("b")
            for i in range(count):
                events += [["main", "tape", f"a{i}"], ["one", "start", f"a{i}"]]
            events.append(["one", "end"])
            events += [["main", kind, f"a{i}"] for i in range(count)]
            yield events_trial([*events, call("Neg", "x", "y"), LOOK])


@case("05.5")
def starts_of_used_up_tapes(draw):
    """A tape that has answered once answers no more, though it is started again."""
    for program in programs(draw, 3):
        watched = inputs_of(program)
        for is_persistent in (False, True):
            yield tape_trial(
                program, questions_of(draw, program, 2), watched=watched,
                is_persistent=is_persistent, restarts=True,
            )  # fmt: skip


@case("05.5", over=("starts", "calls"), hidden=True)
def stops_by_another_thread(draw, meanwhile):
    """While another thread stops tapes of this one, no other tape misses anything."""
    for count in (50, 2000, 10_000):
        arguments = {"meanwhile": meanwhile, "count": count}
        title = f"{meanwhile} while another thread stops {count} tapes: tapes that err"
        yield known("stopped_meanwhile", arguments, 0, title)


# ---- 05.6 -----------------------------------------------------------------------------


@case("05.6")
def outputs_of_several_types(draw):
    """Of the outputs of a call those of types with gradients are watched, no others."""
    first = [*begun("a"), ["main", "value", "n", np.int32(3)]]
    first.append(["main", "value", "b", np.array(True)])
    for inputs in ("n x", "x n", "n x y b", "b n x", "n b", "x n y"):
        outputs = " ".join(f"z{i}" for i in range(len(inputs.split())))
        use = call("IdentityN", inputs, outputs)
        yield events_trial([*first, use, LOOK])
        after = [call("Identity", name, f"{name}_") for name in outputs.split()]
        yield events_trial([*first, use, *after, LOOK])


@case("05.6", over=("float16", "float32", "complex64", "complex128"))
def types_with_gradients(draw, dtype):
    """Outputs of all floating and complex types are watched, also without elements."""
    calls = [call("Neg", "c", "u"), call("Mul", "u u", "v"), call("Add", "c v", "w")]
    for shape in [2, (), 0, (3, 0)]:
        first = [*begun("a"), ["main", "value", "c", np.ones(shape, dtype)]]
        first.append(["main", "watch", "a", "c"])
        for count in (1, 2, 3):
            yield events_trial([*first, *calls[:count], LOOK])


@case("05.6")
def whole_numbers_that_are_watched(draw):
    """Whoever watches a tensor of whole numbers has the calls that use it."""
    for kind in ("int32", "int64", "bool"):
        first = [*begun("a", "b"), ["main", "value", "n", np.ones(2, kind)]]
        first.append(["main", "watch", "b", "n"])
        to_float = call("Cast", "n", "f", DstT=2)
        yield events_trial([*first, call("Identity", "n", "m"), LOOK])
        yield events_trial([*first, to_float, call("Neg", "f", "g"), LOOK])


@case("05.6")
def handles(draw):
    """A handle of a variable is of a type that has gradients, too."""
    read = call("ReadVariableOp", "k", "r", dtype=2)
    write = ["main", "call", "AssignVariableOp", ["h", "x"], [], {}]
    for names in ("h", "x"):
        first = [*begun("a"), handle("h"), ["main", "watch", "a", names], write]
        yield events_trial([*first, call("Identity", "h", "k"), LOOK])
        yield events_trial([*first, call("Identity", "h", "k"), read, LOOK])


@case("05.6")
def ops_without_gradients(draw):
    """A call of an op that has no gradient is recorded like any other."""
    use = call("Bitcast", "x", "u", type=2)
    yield events_trial([*begun("a"), use, LOOK])
    yield events_trial([*begun("a", "b"), use, call("Neg", "u", "v"), LOOK])


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
    # Of two tapes one is stopped, the other was started since.
    for names in ("ab", "ba"):
        inner = [
            ["main", "tape", "t"],
            ["main", "start", "t"],
            ["main", "watch", "t", "x"],
        ]
        first = [*begun(names[0]), pause, *inner, one, two, LOOK, go_on, one, LOOK]
        yield events_trial(first)
        again = [pause, one, ["main", "start", names[0]], two, LOOK]
        restart = [["main", "stop", names[0]], ["main", "start", names[0]], two, LOOK]
        yield events_trial([*first, *again, *restart])


@case("05.6")
def outputs_that_gradients_need(draw):
    """A record has all outputs: a gradient function may ask for whole numbers, too."""
    for rows, size, k in ((1, 3, 1), (2, 4, 2), (3, 5, 5)):
        x, dy = draw.array((rows, size)), draw.array((rows, k))
        places = np.argsort(-x, axis=1)[:, :k]
        expected = np.zeros_like(x)
        np.put_along_axis(expected, places, dy, axis=1)

        program = [step("TopKV2", ["x", "k"], ["y", "i"])]
        question = {"ys": ["y"], "xs": ["x"], "dys": [dy]}
        title = f"the gradient of TopKV2({describe(x)}, {k})"
        inputs = {"x": x, "k": np.int32(k)}
        yield answers_trial(title, program, inputs, [question], [[expected]])


@case("05.6")
def records_of_several_tapes(draw):
    """Each tape has a whole record of a call, and gives gradients of its own."""
    for count in (2, 3):
        names = [f"t{i}" for i in range(count)]
        for program in programs(draw, 3):
            inputs = inputs_of(program)
            script: list = [["new", name, {"persistent": True}] for name in names]
            for name in names:
                watched = draw.some_of(inputs, 1)
                script += [["enter", name], ["watch", name, watched]]
            script.append(["steps", 0, len(program.steps)])
            for name in draw.shuffled(names):
                (question,) = questions_of(draw, program, 1)
                script.append(["ask", name, question["ys"], inputs, question["dys"]])
            yield script_trial("eager", script, program.steps, program.inputs)


@case("05.6", over=range(2))
def records_by_chance(draw, _part):
    """Any program, with tapes that watch this and that."""
    kinds = ["call"] * 5 + ["watch", "reset", "start", "stop"]
    yield from random_scripts(draw, 12, kinds)


# ---- 05.7 -----------------------------------------------------------------------------


@case("05.7")
def stops_without_tapes(draw):
    """A stop counts, and its end too, while the thread has no tape."""
    use, pause, go_on = call("Neg", "x", "y"), ["main", "pause"], ["main", "go on"]
    first = [value("x"), ["main", "tape", "a"], ["main", "watch", "a", "x"]]
    start, stop = ["main", "start", "a"], ["main", "stop", "a"]
    for before in ([pause, go_on], [pause, pause, go_on, go_on], [pause, go_on] * 3):
        yield events_trial([*first, *before, start, use, pause, use, go_on, use, LOOK])
        for most in (0, 1, 2):
            ignore = [stop, start, ["main", "ignore", "a", most], use, LOOK]
            yield events_trial([*first, *before, start, use, *ignore])
            yield events_trial([*first, *before, start, pause, *ignore, go_on, use, LOOK])
            again = [start, stop, *before, start, pause, *ignore, go_on, use, LOOK]
            yield events_trial([*first, *again])


@case("05.7")
def tapes_that_ignore_fewer(draw):
    """A tape that was told to ignore fewer stops hides none of the others."""
    use, pause, go_on = call("Neg", "x", "y"), ["main", "pause"], ["main", "go on"]
    for names in ("a", "ba", "ab", "bca", "cab"):
        for most in (0, 1, 2):
            for depth in (1, 2):
                script = [*begun("a"), *[pause] * depth]
                for name in names:
                    script.append(["main", "stop" if name == "a" else "tape", name])
                    script.append(["main", "start", name])
                    script.append(["main", "watch", name, "x"])
                script += [["main", "ignore", "a", most], use, LOOK]
                script += [go_on, pause, use, LOOK, go_on] * depth
                yield events_trial([*script, use, pause, use, LOOK])
    kinds = ["call", "call", "pause", "go on", "go on", "start", "stop", "tape", "ignore"]
    yield from random_scripts(draw, 10, kinds)


@case("05.7", over=range(2))
def stops_by_chance(draw, _part):
    """Any order of stops, ends and starts."""
    kinds = ["call", "call", "pause", "go on", "go on", "start", "stop"]
    yield from random_scripts(draw, 14, kinds)
