"""Lab 13, task 10: how what waits is cancelled, or ended with its step."""

from typing import Any

from lab_13_placement.table import (
    ABORTED,
    CANCELLED,
    OUT_OF_RANGE,
    Table,
    random_table,
    value_trial,
)
from lab_13_placement.trials import differs

from minitf_lab.judge.case import Call, Mismatch, Trial, case

LOOK = [{"do": "look"}]

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


def _ended(inside: list[dict[str, Any]], how: str) -> Table:
    """Two Recvs with a manager, the first of which does something when it is ended."""
    table = Table()
    table.send("sent", 1)
    table.recv("k", "first", manager="m", inside=inside)
    table.recv("w", "second", manager="n")
    table.recv("other step", "third", manager="m" if how == "abort" else "n", step=1)
    if how == "abort":
        table.abort(OUT_OF_RANGE, "all is over")
    else:
        table.cancel("m")
    table.look()
    table.send("w", 5)
    table.cancel("m")
    table.cancel("n")
    return table


@case("13.10")
def a_callback_at_the_end(draw):
    """No lock is held while a Recv is ended: its callback may do all that others may."""
    again = {"do": "recv", "key": "k", "tag": "again", "manager": "n", "inside": LOOK}
    late = again | {"manager": "m"}
    for how in ("abort", "cancel"):
        for inside in (
            LOOK,
            [{"do": "send", "key": "x", "value": 7.0}],
            [again],
            [late],
            [again, {"do": "send", "key": "k", "value": 2.0}],
        ):
            yield _ended(inside, how).trial(f"in the callback of a Recv, {how}: {inside}")


@case("13.10")
def a_cancellation_that_aborts(draw):
    """Who is cancelled may abort the step, whose Recvs have the same manager."""
    abort = {"do": "abort", "code": OUT_OF_RANGE, "message": "all is over"}
    for step in (0, 1):
        table = Table()
        table.recv("k", "first", manager="m", inside=[abort | {"step": step}])
        table.recv("w", "second", manager="n", step=step)
        table.recv("w", "third", manager="n", step=step)
        table.cancel("m")
        table.recv("w", "fourth", step=step)
        table.cancel("n")
        yield table.trial(f"the callback of a cancelled Recv aborts step {step}")
    title = "all Recvs have one manager; the first that is cancelled drops the step"
    for count in (2, 3, 9):
        codes = [[CANCELLED]] * count
        arguments = {"how": "cancel", "count": count}
        yield value_trial(title, "last_reference", arguments, (codes, 0))


@case("13.10")
def sent_while_others_are_cancelled(draw):
    """What is sent meanwhile, by the same manager, waits for those who come later."""
    for count in (2, 3, 8):

        def check(values: list[Any], count: int = count) -> Mismatch | None:
            expected = [[], *[[1.0, 2.0]] * (count - 1)]
            return differs("what comes under the keys", sorted(values[0]), expected)

        title = f"{count} Recvs are cancelled; the first one sends twice to each other"
        yield Trial(title, [Call("sent_while_cancelled", {"count": count})], check)


@case("13.10")
def one_at_a_time_to_end(draw):
    """Who looks at the table holds its lock, and waits for whoever else holds it."""
    for how in ("cancel", "abort"):
        title = f"a Recv is being registered, and holds the lock; then a {how}"
        arguments = {"how": how}
        yield value_trial(title, "waits_for_the_lock", arguments, (True, True))


@case("13.10")
def a_rendezvous_that_goes(draw):
    """The manager does not hold it: what waits is ended at once, and each Recv once."""
    for how in ("gone", "abort"):
        for count in (1, 2, 9):
            codes = [[OUT_OF_RANGE if how == "abort" else CANCELLED]] * count
            title = f"{count} Recvs wait; the rendezvous is dropped ({how})"
            arguments = {"how": how, "count": count}
            yield value_trial(title, "last_reference", arguments, (codes, 0))
    for how in ("cancel", "abort"):
        for count in (1, 2, 5):
            codes = [[OUT_OF_RANGE if how == "abort" else CANCELLED]] * count
            title = f"{count} Recvs wait, whose callbacks hold the rendezvous; then {how}"
            arguments = {"how": how, "count": count}
            yield value_trial(title, "held_by_callbacks", arguments, (codes, True))


@case("13.10")
def forgotten_by_its_manager(draw):
    """A Recv that has ended is forgotten by its manager, before its callback runs."""
    title = "the callback ends the manager, and the next step has one at the same place"
    arguments = {"how": "abort"}
    yield value_trial(title, "next_manager", arguments, [[OUT_OF_RANGE], [CANCELLED]])
    title = "while the manager lets StartAbort wait, others use the rendezvous"
    yield value_trial(title, "is_free_while_it_forgets", arguments, True)
    for how in ("sent before", "sent later", "abort"):

        def check(values: list[Any]) -> str | None:
            left = values[0]
            return f"{left:.0f} bytes stay for each Recv" if left > 16 else None

        arguments = {"how": how, "count": 1000}
        title = f"1000 Recvs of one manager, one after the other; {how}"
        yield Trial(title, [Call("bytes_left", arguments)], check)


@case("13.10")
def what_was_sent_is_dropped(draw):
    """After an abort the rendezvous holds no tensor any more."""
    title = "tensors are sent, and the step is aborted"
    yield value_trial(title, "is_let_go", {"how": "aborted"}, True)


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
        yield random_table(draw, length, ends=True).trial()


@case("13.10")
def races(draw):
    """Each callback is called once, whoever comes first."""
    for aborts in (False, True):
        for _ in range(10):
            arguments = {"count": 200, "aborts": aborts}
            title = (
                f"200 wait; one thread sends, another {'aborts' if aborts else 'cancels'}"
            )
            yield value_trial(title, "race", arguments, [1] * 200)


@case("13.10")
def ended_at_the_same_moment(draw):
    """A Recv that comes when its manager is cancelled, or its step ended, ends once."""
    for how in ("cancel", "abort", "abort a send"):
        title = f"a Recv, or a Send, and {how} come at the same moment, often"
        yield value_trial(title, "num_missed", {"how": how, "count": 1000}, 0)


@case("13.10")
def ended_one_after_the_other(draw):
    """What an end finds and what it leaves is one act, under one lock."""
    for first, second in [
        ("abort", "receive"),
        ("abort", "send"),
        ("cancel", "receive"),
        ("cancel a recv", "send"),
    ]:
        title = f"{first} has the lock, and {second} comes as soon as it gives it up"
        arguments = {"first": first, "second": second, "count": 3}
        yield value_trial(title, "num_lost", arguments, 0)


@case("13.10", hidden=True)
def more_races(draw):
    """More of them."""
    for i in range(30):
        arguments = {"count": 500, "aborts": i % 2 == 0}
        yield value_trial("500 wait", "race", arguments, [1] * 500)


@case("13.10", hidden=True)
def more_random_ends(draw):
    """Longer scripts."""
    for length in range(60, 300, 10):
        yield random_table(draw, length, ends=True).trial(f"{length} actions")
