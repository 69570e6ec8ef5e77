"""Lab 13, task 9: where tensors wait for who receives them."""

import itertools
from typing import Any

from lab_13_placement.table import (
    CANCELLED,
    OUT_OF_RANGE,
    Table,
    random_table,
    value_trial,
)

from minitf_lab.judge.case import Call, Trial, case

LOOK = [{"do": "look"}]

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
                    table.send("k", i if i % 3 else None, dead=dead and i % 2 == 0)
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
        table.recv("k", "late", inside=LOOK)
        table.cancel("m")
        table.recv("k", "late and cancelled", manager="m", inside=LOOK)
        table.look()
        table.send("k", 3, step=1)
        yield table.trial()


@case("13.9")
def a_callback_may_do_all(draw):
    """No lock is held while a callback runs: it may send, receive and abort."""
    receive = {"do": "recv", "key": "k", "tag": "inside", "inside": LOOK}
    for order in ("sr", "rs"):
        for inside in (
            LOOK,
            [{"do": "send", "key": "k", "value": 7.0}, *LOOK],
            [receive, {"do": "send", "key": "k", "value": 7.0}, *LOOK],
            [{"do": "abort", "code": OUT_OF_RANGE, "message": "all is over"}, *LOOK],
        ):
            table = Table()
            table.recv("other", "waits")
            for what in order:
                if what == "s":
                    table.send("k", 3)
                else:
                    table.recv("k", "r", inside=inside)
            table.look()
            table.send("k", 4)
            table.recv("k", "last")
            yield table.trial()


@case("13.9")
def of_a_cancelled_manager(draw):
    """A tensor that is there is received; if there is none, the Recv ends at once."""
    for keys in (("k",), ("k", "k"), ("k", "l"), ("k", "l", "k")):
        for dead in (False, True):
            table = Table()
            table.cancel("m")
            for i, key in enumerate(keys):
                table.send(key, i, dead=dead, manager="m")
            for i, key in enumerate([*keys, *keys]):
                table.recv(key, f"r{i}", manager="m", inside=LOOK)
            table.look()
            table.recv("k", "waits", manager="n")
            table.recv("k", "ends", manager="m", inside=LOOK)
            table.send("k", 7)
            yield table.trial()


@case("13.9")
def one_at_a_time(draw):
    """Who looks at the table holds its lock, and waits for whoever else holds it."""
    for how in ("send", "receive"):
        title = f"a Recv is being registered, and holds the lock; then a {how}"
        arguments = {"how": how}
        yield value_trial(title, "waits_for_the_lock", arguments, (True, True))


@case("13.9")
def a_long_step(draw):
    """The manager keeps nothing of a Recv that has its tensor."""

    def check(values: list[Any]) -> str | None:
        left = values[0]
        return f"{left:.0f} bytes stay for each Recv" if left > 16 else None

    title = "1000 Recvs of one manager, one after the other, for each of which one sends"
    arguments = {"how": "sent later", "count": 1000}
    yield Trial(title, [Call("bytes_left", arguments)], check)


@case("13.9")
def forgotten_before(draw):
    """Of a Recv that gets its tensor the cancellation is forgotten first, unlocked."""
    title = "the callback ends the manager, and the next step has one at the same place"
    arguments = {"how": "send"}
    yield value_trial(title, "next_manager", arguments, [[0], [CANCELLED]])
    title = "while the manager lets a Send wait, others use the rendezvous"
    for _ in range(3):
        yield value_trial(title, "is_free_while_it_forgets", arguments, True)


@case("13.9")
def dropped_by_a_callback(draw):
    """A callback may drop the last reference to the rendezvous; nothing is looked at."""
    for how in ("send", "receive"):
        for count in (1, 2, 9):
            own = count - 1 if how == "receive" else 0
            codes = [[0] if i == own else [CANCELLED] for i in range(count)]
            title = f"{count} Recvs; the callback of one drops the rendezvous ({how})"
            arguments = {"how": how, "count": count}
            yield value_trial(title, "last_reference", arguments, (codes, 0))


@case("13.9")
def held_by_its_callbacks(draw):
    """A callback that has been called may hold the rendezvous, and take it along."""
    for count in (1, 2, 5):
        title = (
            f"{count} Recvs wait, whose callbacks hold the rendezvous, and get a tensor"
        )
        arguments = {"how": "send", "count": count}
        yield value_trial(title, "held_by_callbacks", arguments, ([[0]] * count, True))


@case("13.9")
def what_was_received_is_let_go(draw):
    """When a tensor has been received, the table holds it no more."""
    for how in ("received", "received later"):
        yield value_trial(f"a tensor is {how}", "is_let_go", {"how": how}, True)


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


@case("13.9", over=range(2))
def random_scripts(draw, _part):
    """Sends and receives in any order."""
    for length in range(1, 60):
        yield random_table(draw, length, ends=False).trial()


@case("13.9")
def threads_send_and_receive(draw):
    """Under one key tensors arrive in the order in which they were sent."""
    for num_keys in (1, 2, 4):
        for sends_first in (False, True):
            arguments = {"num_keys": num_keys, "count": 300, "sends_first": sends_first}
            expected = [[float(i) for i in range(300)]] * num_keys
            title = f"{num_keys} threads send, and as many receive"
            yield value_trial(title, "ping_pong", arguments, expected)


@case("13.9")
def at_the_same_moment(draw):
    """A Send and a Recv that come at the same moment find each other."""
    title = "one thread sends and one receives at the same moment, often"
    arguments = {"how": "send", "count": 8000}
    yield value_trial(title, "num_missed", arguments, 0)


@case("13.9")
def one_after_the_other(draw):
    """What a Send or a Recv finds and what it leaves is one act, under one lock."""
    for first, second in [
        ("receive", "send"),
        ("send", "receive"),
        ("receive", "abort"),
        ("send", "abort"),
    ]:
        title = f"{first} has the lock, and {second} comes as soon as it gives it up"
        arguments = {"first": first, "second": second, "count": 3}
        yield value_trial(title, "num_lost", arguments, 0)


@case("13.9", hidden=True)
def more_threads(draw):
    """More of them, for longer."""
    arguments = {"num_keys": 8, "count": 1000, "sends_first": False}
    expected = [[float(i) for i in range(1000)]] * 8
    title = "8 threads send, and as many receive"
    yield value_trial(title, "ping_pong", arguments, expected)


@case("13.9", hidden=True)
def longer_scripts(draw):
    """Longer ones."""
    for length in range(100, 400, 20):
        yield random_table(draw, length, ends=False).trial(f"{length} sends and receives")
