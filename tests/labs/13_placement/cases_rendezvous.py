"""Lab 13, tasks 9 and 10: where tensors wait for who receives them."""

import itertools
from typing import Any

from lab_13_placement.trials import differs

from minitf_lab.judge.case import Call, Mismatch, Trial, case
from minitf_lab.judge.draw import Draw

CANCELLED, ABORTED, OUT_OF_RANGE = 1, 10, 11

Event = tuple[str, int, str, float | None, bool]


class Table:
    """A script, and what must come of it: for each key what was sent, or who waits.

    An event is expected with a word of its message only.
    """

    def __init__(self) -> None:
        self.actions: list[dict[str, Any]] = []
        self.expected: list[list[Event]] = []
        self._sent: dict[tuple[int, str], list] = {}
        self._waiting: dict[tuple[int, str], list] = {}
        self._aborted: dict[int, tuple[int, str]] = {}
        self._cancelled: set[str] = set()
        self._num_events: dict[int, int] = {}

    def _events(self, action: dict, *events: Event) -> None:
        self.actions.append(action)
        self.expected.append(list(events))

    def send(self, key: str, value: float, *, dead: bool = False, step: int = 0) -> None:
        """Sends a number, or that it is dead."""
        action = {
            "do": "send",
            "key": key,
            "value": float(value),
            "dead": dead,
            "step": step,
        }
        self._events(action, *self._send(key, value, dead, step))

    def _send(self, key: str, value: float, dead: bool, step: int) -> list[Event]:
        if step in self._aborted:
            return [("send", *self._aborted[step], None, False)]
        self._num_events[step] = self._num_events.get(step, 0) + 1
        if waiting := self._waiting.get((step, key)):
            tag, _, then = waiting.pop(0)
            return [
                *self._received(tag, then, value, dead, step),
                ("send", 0, "", None, False),
            ]
        self._sent.setdefault((step, key), []).append((value, dead))
        return [("send", 0, "", None, False)]

    def _received(
        self, tag: str, then: str, value: float, dead: bool, step: int
    ) -> list[Event]:
        number = None if dead else float(value)
        events: list[Event] = [(tag, 0, "", number, dead)]
        return events + (self._send(then, value, dead, step) if then else [])

    def recv(
        self, key: str, tag: str, *, manager: str = "", then: str = "", step: int = 0
    ) -> None:
        """Receives; with ``then``, the callback sends what came under another key."""
        action = {"do": "recv", "key": key, "tag": tag, "manager": manager, "then": then}
        action["step"] = step
        if step in self._aborted:
            self._events(action, (tag, *self._aborted[step], None, False))
            return
        self._num_events[step] = self._num_events.get(step, 0) + 1
        if sent := self._sent.get((step, key)):
            value, dead = sent.pop(0)
            self._events(action, *self._received(tag, then, value, dead, step))
        elif manager in self._cancelled:
            self._events(action, (tag, CANCELLED, "", None, False))
        else:
            self._waiting.setdefault((step, key), []).append((tag, manager, then))
            self._events(action)

    def cancel(self, manager: str) -> None:
        """Cancels what waits by this manager."""
        self._cancelled.add(manager)
        events = []
        for queue in self._waiting.values():
            for one in [one for one in queue if one[1] == manager]:
                queue.remove(one)
                events.append((one[0], CANCELLED, "", None, False))
        self._events({"do": "cancel", "manager": manager}, *events)

    def abort(self, code: int, message: str, step: int = 0) -> None:
        """Ends a step."""
        action = {"do": "abort", "code": code, "message": message, "step": step}
        events = []
        if step not in self._aborted:
            self._aborted[step] = (code, message)
            for (number, _), queue in self._waiting.items():
                if number == step:
                    events += [(tag, code, message, None, False) for tag, *_ in queue]
                    queue.clear()
            for key in [key for key in self._sent if key[0] == step]:
                del self._sent[key]
        self._events(action, *events)

    def look(self, step: int = 0) -> None:
        """Who waits."""
        names = [k for (n, k), queue in self._waiting.items() if n == step and queue]
        keys = sorted(names, key=lambda name: f"{name};")  # as a whole key has it
        count = self._num_events.get(step, 0)
        waiting = [(key, 0, "", None, False) for key in keys]
        self._events(
            {"do": "look", "step": step}, *waiting, ("events", count, "", None, False)
        )

    def trial(self, title: str = "") -> Trial:
        """All of it."""
        actions, expected = self.actions, self.expected

        def check(values: list[Any]) -> Mismatch | str | None:
            for action, got, wanted in zip(actions, values[0], expected, strict=True):
                what = ", ".join(
                    str(v) for k, v in action.items() if v not in ("", 0) or k == "value"
                )
                # What one action ends, it may end in any order.
                is_one_end = action["do"] in ("cancel", "abort")
                order = sorted if is_one_end else list
                bare = order((t, c, v, d) for t, c, _, v, d in map(tuple, got))
                if wrong := differs(
                    f"what comes of ({what})",
                    bare,
                    order((t, c, v, d) for t, c, _, v, d in wanted),
                ):
                    return wrong
                for event in got:
                    word = next(m for t, _, m, _, _ in wanted if t == event[0])
                    if word not in event[2]:
                        return Mismatch(
                            f"the message of ({what})", expected=word, got=event[2]
                        )
            return None

        calls = [f"{a['do']} {a.get('key', '')}".strip() for a in actions[:12]]
        return Trial(
            title or ", ".join(calls), [Call("rendezvous", {"actions": actions})], check
        )


# ---- 13.9 -----------------------------------------------------------------------------


@case("13.9")
def send_and_receive(draw):
    """Whoever comes first leaves something; dead tensors travel as well."""
    for dead in (False, True):
        for order in (
            "sr",
            "rs",
            "srsr",
            "rsrs",
            "rrss",
            "ssrr",
            "srrs",
            "rssr",
            "sssrrr",
        ):
            table = Table()
            for i, what in enumerate(order):
                if what == "s":
                    table.send("k", i, dead=dead and i % 2 == 0)
                else:
                    table.recv("k", f"r{i}")
                table.look()
            yield table.trial(f"{order}, {'some dead' if dead else 'all alive'}")


@case("13.9")
def keys_apart(draw):
    """A tensor is for its key alone, and a step for itself."""
    for first, second in itertools.permutations(["a", "b", "a:1", "ab"], 2):
        table = Table()
        table.send(first, 1)
        table.recv(second, "one")
        table.look()
        table.recv(first, "two", step=1)
        table.recv(first, "three")
        table.send(second, 2, step=1)
        table.send(second, 3)
        table.send(first, 4, step=1)
        table.look()
        table.look(1)
        yield table.trial()


@case("13.9")
def a_callback_may_send(draw):
    """No lock is held while a callback runs: it may send, and so wake the next one."""
    for sends_first in (False, True):
        table = Table()
        if sends_first:
            table.send("a", 5)
        table.recv("b", "b", then="c")
        table.recv("c", "c", then="d")
        table.recv("a", "a", then="b")
        if not sends_first:
            table.send("a", 5)
        table.recv("d", "d")
        yield table.trial()


@case("13.9")
def after_an_abort(draw):
    """A step that has been aborted takes nothing, and gives the reason."""
    for before in ("", "s", "r"):
        table = Table()
        if before:
            table.send("k", 1) if before == "s" else table.recv("k", "waits")
        table.abort(OUT_OF_RANGE, "all is over")
        table.send("k", 2)
        table.recv("k", "late")
        table.look()
        table.send("k", 3, step=1)
        yield table.trial()


@case("13.9")
def thousands_that_nobody_receives(draw):
    """To send never waits."""
    table = Table()
    for i in range(1000):
        table.send(f"k{i % 7}", i)
    for i in range(1000):
        table.recv(f"k{i % 7}", f"r{i}")
    yield table.trial("1000 sends, and then as many receives")
    table = Table()
    for i in range(1000):
        table.recv(f"k{i % 5}", f"r{i}")
    for i in range(1000):
        table.send(f"k{i % 5}", i)
    yield table.trial("1000 receives, and then as many sends")


def _random_table(draw: Draw, length: int, *, ends: bool) -> Table:
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
            table.send(draw.one_of(keys), i, dead=draw.coin(0.2), step=step)
        else:
            table.recv(
                draw.one_of(keys), f"r{i}", manager=draw.one_of(managers), step=step
            )
    return table


@case("13.9", over=range(2))
def random_scripts(draw, _part):
    """Sends and receives in any order."""
    for length in range(1, 60):
        yield _random_table(draw, length, ends=False).trial()


def _value_trial(title: str, function: str, arguments: dict, expected: Any) -> Trial:
    def check(values: list[Any]) -> Mismatch | None:
        return differs(function, values[0], expected)

    return Trial(title, [Call(function, arguments)], check)


@case("13.9")
def threads_send_and_receive(draw):
    """Under one key tensors arrive in the order in which they were sent."""
    for num_keys in (1, 2, 4):
        for sends_first in (False, True):
            arguments = {"num_keys": num_keys, "count": 300, "sends_first": sends_first}
            expected = [[float(i) for i in range(300)]] * num_keys
            title = f"{num_keys} threads send, and as many receive"
            yield _value_trial(title, "ping_pong", arguments, expected)


@case("13.9", hidden=True)
def more_threads(draw):
    """More of them, for longer."""
    arguments = {"num_keys": 8, "count": 1000, "sends_first": False}
    expected = [[float(i) for i in range(1000)]] * 8
    title = "8 threads send, and as many receive"
    yield _value_trial(title, "ping_pong", arguments, expected)


@case("13.9", hidden=True)
def longer_scripts(draw):
    """Longer ones."""
    for length in range(100, 400, 20):
        yield _random_table(draw, length, ends=False).trial(
            f"{length} sends and receives"
        )


# ---- 13.10 ----------------------------------------------------------------------------


@case("13.10")
def aborted(draw):
    """An abort ends what waits and what comes, with its status; the first one counts."""
    for before in ("", "r", "s", "rr", "ss"):
        table = Table()
        for i, what in enumerate(before):
            if what == "s":
                table.send(f"k{i}", i)
            else:
                table.recv(f"w{i}", f"r{i}", manager="m" if i else "")
        table.recv("w0", "also")
        table.recv("w0", "other step", step=1)
        table.abort(OUT_OF_RANGE, "all is over")
        table.look()
        table.send("k0", 5)
        table.recv("k0", "late")
        table.abort(ABORTED, "another reason")
        table.recv("w0", "later")
        table.cancel("m")
        table.send("w0", 3, step=1)
        yield table.trial()


@case("13.10")
def cancelled(draw):
    """What is cancelled waits no more, and takes nothing from those who still wait."""
    for count in (1, 2, 3):
        for chosen in range(count):
            table = Table()
            for i in range(count):
                table.recv("k", f"r{i}", manager="m" if i == chosen else "other")
            table.recv("k2", "elsewhere", manager="m")
            table.look()
            table.cancel("m")
            table.look()
            for i in range(count):
                table.send("k", i)
            table.recv("k", "again", manager="m")
            table.recv("k3", "too late", manager="m")
            table.look()
            table.send("k2", 7)
            table.recv("k2", "fresh")
            yield table.trial()


@case("13.10")
def cancelled_when_it_is_over(draw):
    """What has its tensor already is not told that it is cancelled."""
    for order in ("rs", "sr"):
        table = Table()
        for what in order:
            if what == "r":
                table.recv("k", "r", manager="m")
            else:
                table.send("k", 3)
        table.recv("k", "waits", manager="n")
        table.cancel("m")
        table.send("k", 4)
        table.cancel("n")
        yield table.trial()


@case("13.10", over=["abort", "cancel", "send"])
def waiting_threads(draw, how):
    """Threads that wait are woken at once."""
    code = {"abort": OUT_OF_RANGE, "cancel": CANCELLED, "send": 0}[how]
    for threads in (1, 2, 6):

        def check(values: list[Any], threads: int = threads) -> Mismatch | str | None:
            codes, ms = values[0]
            if wrong := differs("the codes", codes, [code] * threads):
                return wrong
            return f"it takes {ms:.0f} ms until all are awake" if ms > 1500 else None

        title = f"{threads} threads wait, until there is a {how}"
        yield Trial(title, [Call("wake", {"num_threads": threads, "how": how})], check)


@case("13.10")
def random_ends(draw):
    """Sends, receives, cancellations and aborts in any order."""
    for length in range(3, 80):
        yield _random_table(draw, length, ends=True).trial()


@case("13.10")
def races(draw):
    """Each callback is called once, whoever comes first."""
    for aborts in (False, True):
        for _ in range(10):
            arguments = {"count": 200, "aborts": aborts}
            title = (
                f"200 wait; one thread sends, another {'aborts' if aborts else 'cancels'}"
            )
            yield _value_trial(title, "race", arguments, [1] * 200)


@case("13.10", hidden=True)
def more_races(draw):
    """More of them."""
    for i in range(30):
        arguments = {"count": 500, "aborts": i % 2 == 0}
        yield _value_trial("500 wait", "race", arguments, [1] * 500)


@case("13.10", hidden=True)
def more_random_ends(draw):
    """Longer scripts."""
    for length in range(60, 300, 10):
        yield _random_table(draw, length, ends=True).trial(f"{length} actions")
