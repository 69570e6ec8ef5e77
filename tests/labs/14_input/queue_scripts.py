"""Scripts of calls of queues: by chance, or step by step.

A step is ("put", 2, MANY), ("take", 2, FEWER), ("close", CANCELLING), or shorter; of the
numbers 1 is left out. ("cancel", i) gives up call i, counted from 0, or from the last one
if negative.
"""

from collections.abc import Iterator
from typing import Any

from lab_14_input.queue_model import Event, Pair, Reactions, script_trial

from minitf_lab.judge.case import Trial
from minitf_lab.judge.draw import Draw

KINDS = ("FIFOQueue", "PriorityQueue", "RandomShuffleQueue")
MANY, FEWER, CANCELLING = {"many": True}, {"fewer": True}, {"cancelling": True}

Step = tuple[Any, ...]


class _Script:
    """Makes events of steps; every call has a number, every element another."""

    def __init__(self, draw: Draw | None = None) -> None:
        self._draw, self.num_calls, self._num_elements = draw, 0, 0

    def _pairs(self, count: int) -> list[Pair]:
        found = []
        for _ in range(count):
            self._num_elements += 1
            priority = self._draw.whole(-2, 2) if self._draw else self._num_elements
            found.append((priority, self._num_elements))
        return found

    def event(self, step: Step) -> Event:
        """The event of a step."""
        name, *arguments = step
        options = arguments.pop() if isinstance(step[-1], dict) else {}
        if name == "cancel":
            (which,) = arguments
            number = 1 + which + (self.num_calls if which < 0 else 0)
            return ["cancel", number, 0, False, []]
        self.num_calls += 1
        if name == "close":
            cancelling = options.get("cancelling", False)
            return ["close", self.num_calls, 0, cancelling, []]
        count, fewer = arguments[0] if arguments else 1, options.get("fewer", False)
        many = "_many" if count != 1 or fewer or options.get("many") else ""
        if name == "put":
            return [f"enqueue{many}", self.num_calls, 0, False, self._pairs(count)]
        return [f"dequeue{many}", self.num_calls, count if many else 0, fewer, []]


def _some_step(draw: Draw, weights: dict[str, int], num_calls: int) -> Step:
    """A step by chance; ``weights`` say how likely which kind is."""
    kind = draw.one_of([name for name, n in weights.items() for _ in range(n)])
    if kind == "cancel" and num_calls:
        return ("cancel", draw.whole(max(0, num_calls - 5), num_calls - 1))
    if kind == "close":
        return ("close", {"cancelling": draw.coin()})
    if kind == "take nothing":
        return ("take", 0, {"fewer": draw.coin()})
    if kind == "take":
        options = {"many": draw.coin(0.3), "fewer": draw.coin(0.3)}
        return ("take", draw.one_of([1, 1, 1, 2, 3, 5]), options)
    return ("put", draw.one_of([1, 1, 2, 3, 5]), {"many": draw.coin(0.3)})


def scripts(
    draw: Draw,
    count: int,
    weights: dict[str, int],
    kinds: tuple[str, ...] = KINDS,
    *,
    longest: int = 20,
    keeps: bool = False,
    reacting: bool = False,
) -> Iterator[Trial]:
    """Scripts by chance, from short to long, of queues of all kinds and capacities.

    With ``reacting`` callbacks call the queue, while another thread looks at it.
    """
    for i in range(count):
        script, events, reactions = _Script(draw), [], {}
        kind = draw.one_of(kinds)
        kept = draw.whole(0, 3) if kind == "RandomShuffleQueue" and keeps else 0
        capacity = draw.one_of([-1, kept + 1, kept + 2, kept + 4])
        for _ in range(3 + i * longest // count):
            calls = [event[1] for event in events if event[0] != "cancel"]
            event = script.event(_some_step(draw, weights, script.num_calls))
            if reacting and calls and draw.coin(0.3):
                reactions.setdefault(draw.one_of(calls), []).append(event)
            else:
                events.append(event)
        seed = 1 + draw.whole(0, 99)
        yield script_trial(kind, capacity, events, kept, seed, reactions, reacting)


def told(
    *steps: Step,
    kind: str = "FIFOQueue",
    capacity: int = 2,
    kept: int = 0,
    reactions: dict[int, list[Step]] | None = None,
    is_watched: bool = False,
) -> Trial:
    """A script of steps.

    ``reactions`` are steps that happen in the callback of the call of that number, from
    0.
    """
    script = _Script()
    events = [script.event(step) for step in steps]
    found: Reactions = {
        number + 1: [script.event(step) for step in many]
        for number, many in (reactions or {}).items()
    }
    return script_trial(kind, capacity, events, kept, 7, found, is_watched)
