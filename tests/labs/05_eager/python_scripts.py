"""Scripts of tf.GradientTape that cases of several tasks are made of."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_05_eager.tape_model import TapeModel, script_trial
from lab_05_eager.trials import Event, inputs_of, programs, questions_of
from lab_common.checks import call_trial
from lab_common.programs import Program, step

from minitf_lab.judge.case import Mismatch, Trial, close
from minitf_lab.judge.draw import Draw

PERSISTENT = {"persistent": True}
EVENTS = ["enter", "leave", "pause", "stop", "end", "end", "reset", "watch", "watch"]
EVENTS += ["variables of"]


def square(x: str, y: str) -> dict[str, Any]:
    """Y is the square of x."""
    return step("Square", [x], y)


def mul(x: str, y: str, z: str) -> dict[str, Any]:
    """Z is x y."""
    return step("Mul", [x, y], z)


def whole(
    ask: Event, *, watch: Any, options: dict | None = None, end: int
) -> list[Event]:
    """One tape t around all steps, and a question."""
    script = [["new", "t", options or {}], ["enter", "t"]]
    if watch:
        script.append(["watch", "t", watch])
    return [*script, ["steps", 0, end], ["leave", "t"], ask]


# ---- Lives by chance ------------------------------------------------------------------


class Life:
    """What happens to tapes, by chance: each event makes sense when it comes.

    Scopes, in which a tape or all are stopped, are left in the reverse of their order.
    """

    def __init__(self, draw: Draw, program: Program, variables: dict[str, Any]) -> None:
        self._draw, self._program = draw, program
        inputs = {n: v for n, v in program.inputs.items() if n not in variables}
        self.model = TapeModel(program.steps, inputs, variables)
        self.script: list[Event] = []
        self._scopes: list[str] = []  # of a tape, by its name; "" is one of all
        self._known = inputs_of(program)
        for name in ("s", "t"):
            self._add("new", name, PERSISTENT if draw.coin(0.7) else {})
            if draw.coin(0.7):
                self._add("enter", name)
                self._add("watch", name, draw.one_of(self._known))

    def _add(self, *event: Any) -> None:
        self.script.append(list(event))
        self.model.do(list(event))

    def _something(self) -> None:
        """One event, if it makes sense."""
        name = self._draw.one_of(["s", "t"])
        tape, is_paused = self.model.tapes[name], name in self._scopes
        kind = self._draw.one_of(EVENTS)
        if kind == "enter" and not tape.is_recording and not is_paused:
            self._add("enter", name)
        elif kind in {"leave", "reset", "pause"} and tape.is_recording and not is_paused:
            self._add(kind, name)
            self._scopes += [name] if kind == "pause" else []
        elif kind == "stop":
            self._add("stop")
            self._scopes.append("")
        elif kind == "end" and self._scopes:
            self._end()
        elif kind == "watch" and tape.is_there:
            self._add("watch", name, self._draw.one_of(self._known))
        elif kind == "variables of":
            self._add("variables of", name)

    def _end(self) -> None:
        name = self._scopes.pop()
        self._add(*(["resume", name] if name else ["go on"]))

    def run(self, events: int) -> list[Event]:
        """The script: so many events, or less, between the steps; then all questions."""
        draw, program = self._draw, self._program
        for i, one in enumerate(program.steps):
            for _ in range(events):
                self._something()
            self._add("steps", i, i + 1)
            self._known += [o for o in one["outputs"] if o in program.shapes]
        while self._scopes:
            self._end()
        for name in ("s", "t"):
            self._add("variables of", name)
        for name in ("s", "t"):
            (question,) = questions_of(draw, program, 1)
            xs = draw.shuffled(draw.some_of(self._known, 1))
            xs += [xs[0]] if draw.coin(0.3) else []
            options = {"unconnected_gradients": draw.one_of(["none", "zero"])}
            self._add("ask", name, question["ys"], xs, question["dys"], options)
        return self.script


def lives(draw: Draw, count: int, mode: str) -> Iterator[Trial]:
    """Lives of tapes, from short to long."""
    for i, program in enumerate(programs(draw, count)):
        chosen = [x for x in inputs_of(program) if draw.coin(0.4)]
        variables = {x: (program.inputs[x], draw.coin(0.7)) for x in chosen}
        inputs = {n: v for n, v in program.inputs.items() if n not in chosen}
        script = Life(draw, program, variables).run(1 + i % 4)
        yield script_trial(mode, script, program.steps, inputs, variables)


# ---- Loops ----------------------------------------------------------------------------


def loop_trial(kind: str, x: float, times: int) -> Trial:
    """A loop of Mul in a graph; its value y, and y x, differentiated."""
    late = max(times - 3, 0)  # a factor takes so long to the first of four values
    y, dy = {
        "times x": (x**times, times * x ** (times - 1)),
        "from x": (x * 2.0**times, 2.0**times),
        "both": (x ** (times + 1), (times + 1) * x**times),
        "paused": (x**times, 0.0),
        "after a loop": (x ** (2 * times), 2 * times * x ** (2 * times - 1)),
        "within a loop": (x ** (2 * times), 2 * times * x ** (2 * times - 1)),
        "paused within": (x**times, times * x ** (times - 1)),
        "passed on": (x**late, late * x ** (late - 1)),
    }[kind]
    expected = [dy, dy * x + y]

    def check(got: Any) -> Mismatch | str | None:
        for one, other, what in zip(got, expected, ("y", "y x"), strict=True):
            if one is None and not other:
                continue
            wrong = close(
                one, np.float64(other), rtol=1e-9, what=f"the gradient of {what}"
            )
            if wrong:
                return wrong
        return None

    return call_trial(
        f"a loop, {kind}, {times} times", check, "loops", kind=kind, x=np.float64(x),
        times=times,
    )  # fmt: skip


# ---- Second derivatives ---------------------------------------------------------------
