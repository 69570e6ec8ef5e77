"""Lab 05, task 12: a tape's life, in eager mode and over graphs."""

from typing import Any

import numpy as np
from lab_05_eager.python_scripts import (
    PERSISTENT,
    lives,
    mul,
    square,
    whole,
)
from lab_05_eager.tape_model import places_trial, results_trial, script_trial
from lab_05_eager.trials import MODES, Event
from lab_common.checks import call_trial
from lab_common.programs import step

from minitf_lab.judge.case import Mismatch, case

# ---- 05.12 ----------------------------------------------------------------------------


@case("05.12", over=MODES)
def started_again(draw, mode):
    """A tape that is entered again goes on; one that was asked begins anew."""
    program = [square("x", "a"), mul("a", "x", "b"), mul("b", "a", "c")]
    inputs = {"x": np.float64(1.5)}
    enter, leave = ["enter", "t"], ["leave", "t"]
    watch = ["watch", "t", "x"]
    asks = [["ask", "t", y, ["x", "a"]] for y in "abc"]
    for options in ({}, PERSISTENT):
        first = [["new", "t", options], enter, watch, ["steps", 0, 1], leave]
        for last in asks:
            again = [enter, ["steps", 1, 3], leave, last]
            seen = [["variables of", "t"], enter, ["variables of", "t"]]
            of_v = {"v": (np.float64(0.5), True)}
            read = [["new", "t", options], enter, ["steps", 0, 1], leave, *seen]
            yield script_trial(mode, read, [square("v", "a")], {}, of_v)
            read = [*read[:4], ["ask", "t", "a", "v"], *seen]
            yield script_trial(mode, read, [square("v", "a")], {}, of_v)
            yield script_trial(mode, [*first, *again], program, inputs)
            asked = [asks[0], enter, watch, ["steps", 1, 3], leave, last]
            yield script_trial(mode, [*first, *asked], program, inputs)
        twice = [*first, enter, enter, ["steps", 1, 3], leave, asks[2]]
        yield script_trial(mode, twice, program, inputs)


# ---- Stops, threads and graphs --------------------------------------------------------


@case("05.12", over=MODES)
def started_anew_within_a_stop(draw, mode):
    """What had stopped a tape stops it still when it goes on, or is reset."""
    program = [square("x", "a"), mul("a", "x", "b"), mul("b", "v", "c")]
    inputs, variables = {"x": np.float64(1.5)}, {"v": (np.float64(0.5), True)}
    stop, go_on, watch = ["stop"], ["go on"], ["watch", "t", "x"]
    pause = [["pause", "t"], ["resume", "t"]]
    again = [["leave", "t"], ["enter", "t"]]
    for within in (
        [watch], pause, [["reset", "t"], watch], again, [stop, *pause, go_on],
        [["jacobian", "t", "a", "x"]], [stop, *again, go_on], [["leave", "t"]],
    ):  # fmt: skip
        for first in (0, 1):
            begin = [["new", "t", PERSISTENT], ["enter", "t"]]
            begin += [watch, ["steps", 0, 1]] if first or "jacobian" in within[0] else []
            first = 1 if len(begin) > 2 else 0
            middle = [stop, *within, ["steps", first, 2], go_on]
            for last in ([], [stop, ["steps", 2, 3], go_on]):
                asks = [["ask", "t", y, ["x", "a", "b", "v"]] for y in "abc"]
                script = [*begin, *middle, *(last or [["steps", 2, 3]])]
                script += [["variables of", "t"], *asks]
                yield script_trial(mode, script, program, inputs, variables)


@case("05.12", over=MODES)
def started_again_within_other_stops(draw, mode):
    """A tape ignores the stops that were there when it started the last time, no more."""
    program = [square("v", "a"), mul("a", "w", "b"), mul("b", "u", "c")]
    variables = {name: (draw.array(()), True) for name in "vwu"}
    stop, go_on, steps = ["stop"], ["go on"], [["steps", i, i + 1] for i in range(3)]
    for first in range(3):
        for second in range(first + 1):
            script: list[Event] = [["new", "t", PERSISTENT], *[stop] * first]
            script += [["enter", "t"], steps[0], ["leave", "t"]]
            script += [go_on] * (first - second) + [["enter", "t"], stop, steps[1]]
            script += [go_on, steps[2], *[go_on] * second, ["variables of", "t"]]
            script += [["ask", "t", y, ["v", "w", "u", "a", "b"]] for y in "abc"]
            yield script_trial(mode, script, program, {}, variables)
    for first in range(3):
        for second in range(first, 3):
            script = [["new", "t", PERSISTENT], *[stop] * first]
            script += [["enter", "t"], steps[0], ["leave", "t"], *[stop] * second]
            script += [["enter", "t"], steps[1], *[go_on] * (first + second), stop]
            script += [steps[2], go_on, ["variables of", "t"]]
            script += [["ask", "t", y, ["v", "w", "u", "a", "b"]] for y in "abc"]
            yield script_trial(mode, script, program, {}, variables)


@case("05.12", over=MODES)
def lives_by_chance(draw, mode):
    """Tapes that start, stop, pause and are reset, within each other's scopes."""
    yield from lives(draw, 40, mode)


@case("05.12", over=(1, 2, 3))
def several_graphs(draw, graphs):
    """A tape knows several graphs, and eager mode, each for itself."""
    program = [square("x", "a"), mul("a", "x", "b"), mul("b", "a", "c")]
    for _ in range(4):
        events: list[Event] = [[0, "new", "t", PERSISTENT], [0, "enter", "t"]]
        left = {place: list(range(4)) for place in range(graphs + 1)}
        is_open = True
        while any(left.values()):
            place = draw.one_of([p for p, steps in left.items() if steps])
            i = left[place].pop(0)
            watch, run = [place, "watch", "t", "x"], [place, "steps", i - 1, i]
            events.append(run if i else watch)
            if draw.coin(0.3):
                events.append([place, "leave" if is_open else "enter", "t"])
                is_open = not is_open
        for place in range(graphs + 1):
            events += [[place, "ask", "t", y, ["x", "a"]] for y in "bc"]
        yield places_trial(events, program, [np.float64(1.5 + i) for i in left])


@case("05.12", over=("once", "vain", "reset"))
def graphs_are_let_go(draw, how):
    """A tape that was asked, or is reset, keeps neither tensors nor graphs alive."""
    for options in ({},) if how != "reset" else ({}, PERSISTENT):

        def check(got: Any) -> Mismatch | str | None:
            if got["graph"]:
                return "the graph is still alive"
            kept = got["tensors"]
            return f"{kept:.0f} tensors are still alive" if kept > 4.5 else None

        title = f"a tape with {options or 'no options'}, let go: {how}"
        yield call_trial(title, check, "let_go", options=options, how=how)


@case("05.12", over=MODES)
def asked_in_vain(draw, mode):
    """After a question that ends with an error a persistent tape goes on, others end."""
    program = [square("x", "y"), step("Unique", ["y"], ["u", "i"]), square("u", "z")]
    x = draw.array((3,))
    for options in ({}, PERSISTENT):
        for is_within in (False, True):
            script = whole(["ask", "t", "z", "x"], watch="x", options=options, end=3)
            if is_within:
                script.remove(["leave", "t"])
            script.append(["ask", "t", "y", "x"])
            second = 2 * x if options else ("raised", "RuntimeError", "persistent")
            expected = [("raised", "LookupError", "Unique"), second]
            yield results_trial(mode, script, program, {"x": x}, expected)


def _at(thread: str, *event: Any) -> Event:
    """An event in the thread m, the main one, or o, another."""
    return ["in", *event] if thread == "o" else [*event]


@case("05.12")
def goes_on_in_another_thread(draw):
    """A tape that one thread has left goes on in another, where it was."""
    for options in ({}, PERSISTENT):
        for threads in ("om", "mo", "omo", "mom", "oo", "momom"):
            program = [square(f"x{i}", f"x{i + 1}") for i in range(len(threads))]
            script = [["new", "t", options]]
            for i, thread in enumerate(threads):
                script.append(_at(thread, "enter", "t"))
                script += [] if i else [["watch", "t", "x0"]]
                script.append(_at(thread, "steps", i, i + 1))
                script.append(_at(thread, "leave", "t"))
            script.append(["ask", "t", f"x{len(threads)}", "x0"])
            yield script_trial("eager", script, program, {"x0": draw.array(())})


@case("05.12")
def moves_to_another_thread(draw):
    """A tape is told what the thread does that entered it the last time."""
    program = [square("v", "a"), square("w", "b")]
    variables = {name: (np.float64(2), True) for name in "vw"}
    for threads in ("mo", "om", "mom", "oomm"):
        for company in ("", "m", "o", "mo"):
            script = [["new", "t", PERSISTENT]]
            for thread in company:  # other tapes record there meanwhile
                script += [["new", thread, {}], _at(thread, "enter", thread)]
            for thread in threads:
                script += [_at(thread, "enter", "t"), ["steps", 0, 1]]
                script += [["in", "steps", 1, 2], _at(thread, "leave", "t")]
                script.append(["variables of", "t"])
            script += [["listed", "t"], ["in", "listed", "t"]]
            yield script_trial("eager", script, program, {}, variables)


@case("05.12")
def left_by_another_thread(draw):
    """Whichever thread leaves a tape, or asks it: the one that entered it is free."""
    program = [square("u", "y"), square("v", "a"), square("w", "b")]
    variables = {name: (np.float64(2), True) for name in "uvw"}
    for end in (["leave", "t"], ["ask", "t", "y", "u"]):
        for last in (2, 3):
            for one, other in ("mo", "om"):
                script = [["new", "t", {}], _at(one, "enter", "t")]
                script += [_at(one, "steps", 0, 1), _at(other, *end)]
                script += [_at(one, "steps", 1, last), _at(one, "listed", "t")]
                yield script_trial(
                    "eager", [*script, ["variables of", "t"]], program, {}, variables
                )
