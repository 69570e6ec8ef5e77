"""A queue in plain Python: two lines of calls, and who is served when.

The model has no attempts that are half done: a call that takes or puts in several
elements is a list that grows or shrinks by one element at a time, as often as anything
can be done.
"""

import itertools
from dataclasses import dataclass, field
from typing import Any

from lab_common.checks import call_trial, within

from minitf_lab.judge.case import Mismatch, Trial

OK, CANCELLED, OUT_OF_RANGE = 0, 1, 11

Pair = tuple[int, int]
Event = list[Any]  # kind, number, count, flag, elements
Reactions = dict[int, list[Event]]


def _refusal(kind: str) -> str:
    """What a call of a kind is told that is given up."""
    names = {"put": "Enqueue", "take": "Dequeue", "close": "Close"}
    names |= {"enqueue": "Enqueue", "enqueue_many": "Enqueue"}
    return f"{names.get(kind, 'Dequeue')} operation was cancelled"


@dataclass
class _Waiting:
    """A call that waits."""

    number: int
    kind: str
    wants: int = 0
    may_be_fewer: bool = False
    inside: list[Pair] = field(default_factory=list)  # not yet put in
    taken: list[Pair] = field(default_factory=list)


# In which order lines are served is free, as long as they are served in turn: which one
# is first, and whether one is served again and again before the other has its turn.
ORDERS = [*itertools.product((True, False), repeat=3)]


class QueueModel:
    """FIFOQueue, PriorityQueue, or RandomShuffleQueue up to the order of elements.

    A negative capacity is any number; ``kept`` are elements that a RandomShuffleQueue
    keeps. Reactions are events that happen in the callback of a call.
    """

    def __init__(
        self, kind: str, capacity: int, kept: int, order: tuple, reactions: Reactions
    ) -> None:
        self._puts_first, self._puts_again, self._takes_again = order
        self.kind, self.capacity = kind, capacity
        self.kept = kept if kind == "RandomShuffleQueue" else 0
        self.elements: list[Pair] = []
        self.is_closed = False
        self.putting: list[_Waiting] = []
        self.taking: list[_Waiting] = []
        # Number, code, elements; what another thread sees: size, whether it is closed;
        # what the error says.
        self.told: list[tuple[int, int, list[Pair], tuple[int, bool], str]] = []
        self._reactions = dict(reactions)
        self._ended: list[tuple[int, int, list[Pair], str]] = []  # to be told
        self.cancelled: set[int] = set()

    def do(self, event: Event) -> None:
        """One event, and all that it makes possible."""
        kind, number, count, flag, pairs = event
        if kind == "cancel":
            self._cancel(number)
        elif number in self.cancelled and not (kind == "close" and flag):
            done = kind == "enqueue_many" and not pairs
            done = done or (kind == "dequeue_many" and not count)
            code = OK if done else CANCELLED
            self._tell(number, code, text="" if done else _refusal(kind))
        elif kind in {"enqueue", "enqueue_many"}:
            self._stand(self.putting, _Waiting(number, "put", inside=list(pairs)))
        elif kind == "dequeue":
            self._stand(self.taking, _Waiting(number, "take", wants=1))
        elif kind == "dequeue_many":
            one = _Waiting(number, "take", wants=count, may_be_fewer=flag)
            self._stand(self.taking, one)
        elif flag:
            self._close_at_once()
            self._serve()
            self._tell(number, OK)
        else:
            self._stand(self.putting, _Waiting(number, "close"))

    def _close_at_once(self) -> None:
        self.is_closed = True
        waiting, self.putting = self.putting, []
        for one in waiting:
            self._tell(one.number, CANCELLED, text=_refusal(one.kind))

    def _tell(
        self, number: int, code: int, pairs: list[Pair] = (), text: str = ""
    ) -> None:
        seen = (len(self.elements), self.is_closed)
        self.told.append((number, code, list(pairs), seen, text))
        for event in self._reactions.pop(number, []):
            self.do(event)

    def _end(
        self, number: int, code: int, pairs: list[Pair] = (), text: str = ""
    ) -> None:
        self._ended.append((number, code, list(pairs), text))

    def _stand(self, line: list[_Waiting], one: _Waiting) -> None:
        if (one.kind == "put" and not one.inside) or (
            one.kind == "take" and not one.wants
        ):
            self._tell(one.number, OK)
            return
        line.append(one)
        self._serve()

    def _cancel(self, number: int) -> None:
        self.cancelled.add(number)
        for line in (self.putting, self.taking):
            for one in [one for one in line if one.number == number]:
                line.remove(one)
                self._put_back(one)
                self._tell(number, CANCELLED, text=_refusal(one.kind))
                self._serve()

    def _put_back(self, one: _Waiting) -> None:
        self.elements = one.taken + self.elements
        one.taken = []
        self._sort()

    def _sort(self) -> None:
        if self.kind == "PriorityQueue":
            self.elements.sort(key=lambda pair: pair[0])  # stable

    def _serve(self) -> None:
        lines = [
            (self._serve_putting, self._puts_again),
            (self._serve_taking, self._takes_again),
        ]
        moved = True
        while moved:
            moved = False
            for serve, again in lines if self._puts_first else lines[::-1]:
                while serve():
                    moved = True
                    if not again:
                        break
        ended, self._ended = self._ended, []
        for one in ended:
            self._tell(*one)

    def _serve_putting(self) -> bool:
        if not self.putting:
            return False
        one = self.putting[0]
        if one.kind == "close" or self.is_closed:
            was_closed, self.is_closed = self.is_closed, True
            self.putting.pop(0)
            code, text = (CANCELLED, "closed") if was_closed else (OK, "")
            self._end(one.number, code, text=text)
            return True
        moved = False
        while one.inside and not 0 <= self.capacity <= len(self.elements):
            self.elements.append(one.inside.pop(0))
            self._sort()
            moved = True
        if not one.inside:
            self.putting.pop(0)
            self._end(one.number, OK)
        return moved

    def _serve_taking(self) -> bool:
        if not self.taking:
            return False
        one = self.taking[0]
        missing = one.wants - len(one.taken)
        if self.is_closed and len(self.elements) < missing:
            if not one.may_be_fewer or not self.elements + one.taken:
                self._put_back(one)
                self.taking.pop(0)
                self._end(one.number, OUT_OF_RANGE, text="insufficient")
                return True
            one.wants = len(one.taken) + len(self.elements)
            missing = len(self.elements)
        moved = False
        limit = 0 if self.is_closed else self.kept
        while missing and len(self.elements) > limit:
            one.taken.append(self.elements.pop(0))
            missing -= 1
            moved = True
        if not missing:
            self.taking.pop(0)
            self._end(one.number, OK, one.taken)
        return moved or not missing


def expected_of(model: QueueModel, events: list[Event]) -> list[tuple[int, bool, list]]:
    """After each event the size, whether it is closed, and what callbacks were told."""
    found = []
    for event in events:
        model.do(event)
        found.append((len(model.elements), model.is_closed, model.told))
        model.told = []
    return found


def _words(events: list[Event], reactions: Reactions) -> str:
    """Events in words."""
    words = []
    for what, number, count, flag, pairs in events:
        word = f"{number}: {what}"
        word += f" {[list(pair) for pair in pairs]}" if pairs else ""
        word += f" {count}" if what == "dequeue_many" else ""
        if flag:
            word += " (cancelling)" if what == "close" else " (or fewer)"
        if what != "cancel" and number in reactions:
            word += f" {{in its callback: {_words(reactions[number], reactions)}}}"
        words.append(word)
    return "; ".join(words)


class _Mixed:
    """Which elements a RandomShuffleQueue has given and may yet give."""

    def __init__(self, put_in: list[Pair]) -> None:
        self._put_in, self._given = put_in, set()

    def wrong(self, pairs: list[Pair]) -> str | None:
        """What is wrong with elements that came out."""
        for pair in pairs:
            if pair in self._given:
                return f"element {pair} comes twice"
            if pair not in self._put_in:
                return f"element {pair} was never put in"
            self._given.add(pair)
        return None


def _wrong_event(
    kind: str, got: Any, other: Any, mixed: _Mixed, is_watched: bool
) -> Mismatch | str | None:
    """What is wrong with what one event brought about; ``other`` is what is expected."""
    size, is_closed, calls = got
    shown = [(n, code) for n, code, *_ in calls]
    wanted = [(n, code) for n, code, *_ in other[2]]
    if shown != wanted:
        texts = [text for _, _, text, *_ in calls]
        message = "calls end (call, code)"
        return Mismatch(message, expected=f"{wanted}", got=f"{shown} {texts}")
    if (size, bool(is_closed)) != other[:2]:
        seen = f"({size}, {bool(is_closed)})"
        return Mismatch("(size, closed)", expected=f"{other[:2]}", got=seen)
    for (number, code, text, pairs, seen), (_, _, right, sight, words) in zip(
        calls, other[2], strict=True
    ):
        if is_watched and seen[0] < 0:
            return f"the callback of call {number} is called under the lock"
        if is_watched and (seen[0], bool(seen[1])) != sight:
            message = f"in the callback of call {number}: (size, closed)"
            got = f"({seen[0]}, {bool(seen[1])})"
            return Mismatch(message, expected=f"{sight}", got=got)
        pairs = [tuple(pair) for pair in pairs]
        if code == OK and text:
            return f"call {number} gets elements of the shapes {text}"
        if words not in text:
            return f"the error of call {number} is {text!r}, expected {words!r}"
        if kind == "RandomShuffleQueue":
            if len(pairs) != len(right):
                return f"call {number} gets {len(pairs)} elements"
            if wrong := mixed.wrong(pairs):
                return wrong
        elif pairs != right:
            message = f"call {number} gets"
            return Mismatch(message, expected=f"{right}", got=f"{pairs}")
    return None


def script_trial(
    kind: str,
    capacity: int,
    events: list[Event],
    kept: int = 0,
    seed: int = 7,
    reactions: Reactions | None = None,
    is_watched: bool = False,
) -> Trial:
    """A script, compared with the model event by event, in one of the ORDERS."""
    reactions = reactions or {}
    everything = [*events, *(one for many in reactions.values() for one in many)]
    put_in = [tuple(pair) for event in everything for pair in event[4]]

    def first_wrong(found: list, order: tuple) -> tuple[int, Mismatch | str | None]:
        mixed, model = _Mixed(put_in), QueueModel(kind, capacity, kept, order, reactions)
        for i, (got, other) in enumerate(
            zip(found, expected_of(model, events), strict=True)
        ):
            if wrong := _wrong_event(kind, got, other, mixed, is_watched):
                return i, wrong
        return len(events), None

    def check(got: Any) -> Mismatch | str | None:
        furthest, wrong = -1, None
        for order in ORDERS:
            at, problem = first_wrong(got, order)
            if problem is None:
                return None
            if at > furthest:
                furthest, wrong = at, problem
        what, number = events[furthest][:2]
        return within(f"after event {furthest + 1}, {what} of call {number}", wrong)

    limits = f"capacity {capacity}" + (f", keeping {kept}" if kept else "")
    title = f"{kind}, {limits}: {_words(events, reactions)}"
    return call_trial(
        title, check, "queue_events", kind=kind, capacity=capacity, events=events,
        kept=kept, seed=seed, reactions=[*reactions.items()], is_watched=is_watched,
    )  # fmt: skip
