"""A rendezvous as a list for each key, and scripts of what is done with it."""

from typing import Any

from lab_13_placement.trials import differs

from minitf_lab.judge.case import Call, Mismatch, Trial
from minitf_lab.judge.draw import Draw

CANCELLED, ABORTED, OUT_OF_RANGE = 1, 10, 11

# Tag, code, message, value, whether it is dead; the numbers of the Send and of the Recv
# whose arguments the callback gets, 0 for none.
Event = tuple[str, int, str, float | None, bool, int, int]


class Table:
    """A script, and what must come of it: for each key what was sent, or who waits.

    An event is expected with a word of its message only.
    """

    def __init__(self) -> None:
        self.actions: list[dict[str, Any]] = []
        self.expected: list[list[Event]] = []
        self._sent: dict[tuple[int, str], list] = {}
        self._waiting: dict[tuple[int, str], list[dict]] = {}
        self._aborted: dict[int, tuple[int, str]] = {}
        self._cancelled: set[str] = set()
        self._num_events: dict[int, int] = {}

    def _do(self, action: dict[str, Any]) -> list[Event]:
        return {
            "send": self._send,
            "recv": self._recv,
            "cancel": self._cancel,
            "abort": self._abort,
            "look": self._look,
        }[action["do"]](**{k: v for k, v in action.items() if k != "do"})

    def _add(self, do: str, **more: Any) -> None:
        action = {"do": do, **more}
        if do in ("send", "recv"):
            action["number"] = len(self.actions) + 1
        self.actions.append(action)
        self.expected.append(self._do(action))

    def send(
        self, key: str, value: float | None, *, dead: bool = False, **more: Any
    ) -> None:
        """Sends a number, a tensor without a value, or that it is dead.

        Args:
            key: Under which.
            value: The number; None for a tensor without a value.
            dead: Whether it is dead.
            more: ``manager`` and ``step``.
        """
        number = None if value is None else float(value)
        self._add("send", key=key, value=number, dead=dead, **more)

    def recv(self, key: str, tag: str, **more: Any) -> None:
        """Receives.

        Args:
            key: Under which.
            tag: What events call it.
            more: ``manager``, ``step``; ``then``, under which key the callback sends
                what came; and actions ``inside``, which it does whatever came.
        """
        self._add("recv", key=key, tag=tag, **more)

    def cancel(self, manager: str) -> None:
        """Cancels what waits by this manager."""
        self._add("cancel", manager=manager)

    def abort(self, code: int, message: str, step: int = 0) -> None:
        """Ends a step."""
        self._add("abort", code=code, message=message, step=step)

    def look(self, step: int = 0) -> None:
        """Who waits."""
        self._add("look", step=step)

    def _send(
        self,
        key: str,
        value: float | None,
        dead: bool = False,
        step: int = 0,
        **more: Any,
    ) -> list[Event]:
        if step in self._aborted:
            return [("send", *self._aborted[step], None, False, 0, 0)]
        self._num_events[step] = self._num_events.get(step, 0) + 1
        sent = (value, dead, more.get("number", 0))
        done: list[Event] = [("send", 0, "", None, False, 0, 0)]
        if waiting := self._waiting.get((step, key)):
            return self._end(waiting.pop(0), step, 0, "", *sent) + done
        self._sent.setdefault((step, key), []).append(sent)
        return done

    def _end(
        self,
        recv: dict,
        step: int,
        code: int,
        message: str,
        value: float | None = 0,
        dead: bool = False,
        sender: int = 0,
    ) -> list[Event]:
        """What the callback of a Recv leads to."""
        number = None if dead or code or value is None else float(value)
        ends = (sender, recv.get("number", 0))
        events: list[Event] = [(recv["tag"], code, message, number, dead, *ends)]
        if recv.get("then") and not code:
            events += self._send(recv["then"], value, dead, step)
        for action in recv.get("inside", []):
            events += self._do(action)
        return events

    def _recv(self, step: int = 0, **recv: Any) -> list[Event]:
        if step in self._aborted:
            return self._end(recv, step, *self._aborted[step])
        self._num_events[step] = self._num_events.get(step, 0) + 1
        if sent := self._sent.get((step, recv["key"])):
            return self._end(recv, step, 0, "", *sent.pop(0))
        if recv.get("manager") in self._cancelled:
            return self._end(recv, step, CANCELLED, "")
        self._waiting.setdefault((step, recv["key"]), []).append(recv)
        return []

    def _cancel(self, manager: str) -> list[Event]:
        self._cancelled.add(manager)
        events = []
        for (step, _), queue in list(self._waiting.items()):
            for recv in [one for one in queue if one.get("manager") == manager]:
                if any(recv is one for one in queue):  # no callback has ended it
                    queue[:] = [one for one in queue if one is not recv]
                    events += self._end(recv, step, CANCELLED, "")
        return events

    def _abort(self, code: int, message: str, step: int = 0) -> list[Event]:
        if step in self._aborted:
            return []
        self._aborted[step] = (code, message)
        ended = []
        for (number, _), queue in self._waiting.items():
            if number == step:
                ended += queue
                queue.clear()
        for key in [key for key in self._sent if key[0] == step]:
            del self._sent[key]
        return [event for one in ended for event in self._end(one, step, code, message)]

    def _look(self, step: int = 0) -> list[Event]:
        names = [k for (n, k), queue in self._waiting.items() if n == step and queue]
        keys = sorted(names, key=lambda name: f"{name};")  # as a whole key has it
        count = self._num_events.get(step, 0)
        waiting: list[Event] = [(key, 0, "", None, False, 0, 0) for key in keys]
        return [*waiting, ("events", count, "", None, False, 0, 0)]

    def trial(self, title: str = "") -> Trial:
        """All of it."""
        actions, expected = self.actions, self.expected

        def check(values: list[Any]) -> Mismatch | str | None:
            for action, got, wanted in zip(actions, values[0], expected, strict=True):
                what = ", ".join(
                    str(v)
                    for k, v in action.items()
                    if (v not in ("", 0) or k == "value") and k != "number"
                )
                # What one action ends, it may end in any order.
                is_one_end = action["do"] in ("cancel", "abort")
                order = sorted if is_one_end else list
                for title, members in (
                    ("what comes of", (0, 1, 3, 4)),
                    ("numbers of the Send and Recv whose arguments come of", (0, 5, 6)),
                ):
                    bare, right = (
                        order(tuple(event[m] for m in members) for event in events)
                        for events in (got, wanted)
                    )
                    if wrong := differs(f"{title} ({what})", bare, right):
                        return wrong
                for event in got:
                    word = next(m for t, c, m, *_ in wanted if (t, c) == tuple(event[:2]))
                    if word not in event[2]:
                        return Mismatch(
                            f"the message of ({what})", expected=word, got=event[2]
                        )
            return None

        calls = [f"{a['do']} {a.get('key', '')}".strip() for a in actions[:12]]
        return Trial(
            title or ", ".join(calls), [Call("rendezvous", {"actions": actions})], check
        )


def random_table(draw: Draw, length: int, *, ends: bool) -> Table:
    """Sends and receives; if `ends`, also cancellations and aborts."""
    table = Table()
    keys = [f"k{i}" for i in range(draw.whole(1, 4))]
    managers = ["", "m", "n"] if ends else [""]
    for i in range(length):
        what = draw.whole(0, 19)
        step = draw.whole(0, 1)
        if ends and what == 0:
            table.cancel(draw.one_of(managers[1:]))
        elif ends and what == 1 and draw.coin(0.4):
            table.abort(draw.one_of([ABORTED, OUT_OF_RANGE]), f"end {i}", step)
        elif what == 2:
            table.look(step)
        elif what < 11:
            table.send(
                draw.one_of(keys),
                None if draw.coin(0.1) else i,
                dead=draw.coin(0.2),
                step=step,
                manager=draw.one_of(managers),
            )
        else:
            table.recv(
                draw.one_of(keys), f"r{i}", manager=draw.one_of(managers), step=step
            )
    return table


def value_trial(title: str, function: str, arguments: dict, expected: Any) -> Trial:
    """A call that gives one value."""

    def check(values: list[Any]) -> Mismatch | None:
        return differs(function, values[0], expected)

    return Trial(title, [Call(function, arguments)], check)
