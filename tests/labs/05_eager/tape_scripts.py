"""Scripts for the tapes of C++: events one by one, and by chance."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_05_eager.trials import Event, Recorder, events_trial

from minitf_lab.judge.case import Trial
from minitf_lab.judge.draw import Draw

LOOK: Event = ["main", "look"]


def value(name: str, number: float = 0.5) -> Event:
    """A new value."""
    return ["main", "value", name, np.float64(number)]


def call(op: str, inputs: str, output: str, thread: str = "main", **attrs: Any) -> Event:
    """A call, with the names of its inputs in one word."""
    return [thread, "call", op, inputs.split(), output.split(), attrs]


def handle(name: str) -> Event:
    """The handle of a new variable of one float64."""
    attrs = {"dtype": 2, "shape": [], "shared_name": ""}
    return ["main", "call", "VarHandleOp", [], [name], attrs]


def begun(*tapes: str) -> list[Event]:
    """Values x and y, and tapes that record and watch x."""
    events = [value("x"), value("y")]
    for name in tapes:
        events += [["main", "tape", name], ["main", "start", name]]
        events.append(["main", "watch", name, "x"])
    return events


# ---- Scripts by chance ----------------------------------------------------------------


class Script:
    """A script by chance, each of whose events makes sense when it comes.

    Kinds that are to come often are listed several times.
    """

    def __init__(self, draw: Draw, kinds: list[str], threads: tuple[str, ...]) -> None:
        self._draw, self._kinds, self._threads = draw, kinds, threads
        self._model = Recorder()
        self.events: list[Event] = []
        self._tapes: list[str] = []
        self._values: list[str] = []
        for name in ("x", "y"):
            self._values.append(name)
            self._add(value(name))
        for name in "ab":
            self._new(name)
            self._add([draw.one_of(threads), "start", name])
        self._add(["main", "watch", "a", "x"])

    def _add(self, event: Event) -> None:
        self.events.append(event)
        self._model.do(event)

    def _new(self, name: str) -> None:
        self._tapes.append(name)
        self._add(["main", "tape", name])

    def add(self) -> None:
        """One more event."""
        draw = self._draw
        kind, thread = draw.one_of(self._kinds), draw.one_of(self._threads)
        if kind == "call":
            self._call(thread)
        elif kind == "tape":
            self._new(f"t{len(self.events)}")
        elif kind == "watch":
            newest = self._values[-3:] if draw.coin() else self._values
            self._add([thread, "watch", draw.one_of(self._tapes), draw.one_of(newest)])
        elif kind == "go on" and not self._model.stops.get(thread):
            self._add([thread, "pause"])
        elif kind in {"pause", "go on"}:
            self._add([thread, kind])
        elif kind == "ignore":
            self._add([thread, kind, draw.one_of(self._tapes), draw.whole(0, 2)])
        elif kind in {"start", "stop", "reset"}:
            self._add([thread, kind, draw.one_of(self._tapes)])
        if self.events[-1][1] != "look" and draw.coin(0.4):
            self._add(["main", "look"])

    def _call(self, thread: str) -> None:
        draw = self._draw
        op, count = draw.one_of([("Neg", 1), ("Mul", 2), ("Add", 2), ("Square", 1)])
        smooth = [name for name in self._values if self._model.smooth[name]]
        inputs = [draw.one_of(smooth[-4:]) for _ in range(count)]
        attrs: dict[str, Any] = {}
        if draw.coin(0.1):
            op, inputs, attrs = "Cast", inputs[:1], {"DstT": 3}  # int32
        name = f"v{len(self.events)}"
        self._values.append(name)
        self._add([thread, "call", op, inputs, [name], attrs])


def random_scripts(
    draw: Draw,
    count: int,
    kinds: list[str],
    threads: tuple[str, ...] = ("main",),
) -> Iterator[Trial]:
    """Scripts, from short to long."""
    for i in range(count):
        script = Script(draw, kinds, threads)
        for _ in range(3 + i * 40 // count):
            script.add()
        yield events_trial([*script.events, LOOK])
