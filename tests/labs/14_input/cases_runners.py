"""Lab 14, task 14: queue runners."""

from typing import Any

from lab_14_input.cases_threads import SECOND, wrong_error
from lab_14_input.trials import value_trial
from lab_common.checks import call_trial

from minitf_lab.judge.case import Mismatch, Trial, case


def runner_trial(count: int, threads: int, take: int = -1, **options: Any) -> Trial:
    """A runner fills a queue; what comes out of it, and how it ends."""
    kind = options.get("kind", "OutOfRangeError")
    closing = options.get("closing")
    is_end = kind in (["OutOfRangeError"] if closing is None else closing)
    has_coordinator = options.get("has_coordinator", True)

    def check(got: Any) -> Mismatch | str | None:
        taken = got["taken"]
        if len(set(taken)) != len(taken) or not set(taken) <= set(range(count)):
            return f"elements are wrong or come twice: {taken}"
        if threads == 1 and taken != sorted(taken):
            return f"one thread gives {taken}"
        if got["first"] != threads + has_coordinator:
            return f"{got['first']} threads are made, expected {threads}, and one more"
        if got["alive"]:
            return f"{got['alive']} threads have not ended"
        if got["seconds"] > SECOND:
            return f"stopping takes {got['seconds']:.2f} s"
        return _wrong_end(got)

    def _wrong_end(got: dict[str, Any]) -> str | None:
        if take >= 0:
            if len(got["taken"]) != take:
                return f"{len(got['taken'])} of {take} elements come: {got['end']}"
            if got.get("again"):
                return f"{got['again']} threads are made while the first still run"
            return wrong_error(got["error"], None) or (
                None if got["closed"] else "the queue is not closed after the stop"
            )
        if is_end and len(got["taken"]) != count:
            return f"{len(got['taken'])} of {count} elements come, then {got['end']}"
        if wrong := wrong_error(got["end"], ("OutOfRangeError", "")):
            return f"the last take: {wrong}"
        if is_end or not has_coordinator:
            return wrong_error(got["error"], None)
        return wrong_error(got["error"], (kind, "no more"))

    title = (
        f"{threads} threads, {count} elements, then {kind}; {take} are taken {options}"
    )
    return call_trial(
        title, check, "runners", count=count, threads=threads, take=take, **options
    )


@case("14.14", over=(1, 3))
def all_that_there_is(draw, threads):
    """At the end of the data the last thread closes the queue, and all in it comes."""
    for count in (0, 1, 4, 20):
        for capacity in (1, 30):
            yield runner_trial(count, threads, capacity=capacity)


@case("14.14", over=(1, 3))
def stopped_while_they_fill(draw, threads):
    """A stop ends threads that wait for room, and the queue is closed."""
    for take in (0, 1, 5):
        for capacity in (1, 4):
            yield runner_trial(
                1 << 20, threads, take, capacity=capacity, kind="InvalidArgumentError"
            )


@case("14.14")
def without_a_coordinator(draw):
    """Without one, threads end with the data."""
    for count in (0, 5):
        for threads in (1, 2):
            yield runner_trial(count, threads, has_coordinator=False)


@case("14.14")
def errors_that_end_the_data(draw):
    """Which errors mean that there is no more can be chosen."""
    for closing in (["InvalidArgumentError"], ["CancelledError", "InvalidArgumentError"]):
        for count in (0, 6):
            for threads in (1, 2):
                yield runner_trial(
                    count, threads, kind="InvalidArgumentError", closing=closing
                )


@case("14.14")
def the_last_thread_closes(draw):
    """A thread that has no more leaves the queue open for those that have."""
    for count in (1, 3, 6):

        def check(got: Any, count: int = count) -> str | None:
            if got["taken"] != list(range(count)):
                return f"{got['taken']} come, expected 0 to {count - 1}; {got['error']}"
            return wrong_error(got["error"], None)

        title = f"one thread has nothing, the other {count} elements, slowly"
        yield call_trial(title, check, "uneven", count=count)


def failing_trial(count: int, threads: int, has_coordinator: bool) -> Trial:
    """A thread fails: who hears of it."""

    def check(got: Any) -> str | None:
        if got["alive"]:
            return f"{got['alive']} threads have not ended"
        if has_coordinator:
            if got["raised"]:
                return "the runner keeps an error that the coordinator was told"
            error = got["error"]
        else:
            if len(got["raised"]) != threads:
                return f"the runner has {len(got['raised'])} errors of {threads} threads"
            if got["closed"]:
                return "the queue is closed, though the data have not ended"
            error = got["raised"][0]
        if not error or "no more of the source" not in error["text"]:
            return f"the error is {error}, expected the one of the source"
        return None

    who = "a coordinator" if has_coordinator else "no coordinator"
    title = f"{threads} threads fail after {count} elements, with {who}"
    return call_trial(
        title, check, "runners", count=count, threads=threads,
        kind="InvalidArgumentError", has_coordinator=has_coordinator,
        take=0 if not has_coordinator else -1, capacity=50,
    )  # fmt: skip


@case("14.14", over=(True, False))
def threads_that_fail(draw, has_coordinator):
    """The coordinator is told of an error, and stops all; else the runner keeps it."""
    for count in (0, 4):
        for threads in (1, 3):
            yield failing_trial(count, threads, has_coordinator)


@case("14.14", over=("full", "empty", "working", "ended"))
def shut_down(draw, state):
    """From every state all threads end within a second."""
    for threads in (1, 3):

        def check(got: Any) -> str | None:
            if got["alive"] or got["seconds"] > SECOND:
                return f"after {got['seconds']:.2f} s {got['alive']} threads still run"
            return wrong_error(got["error"], None)

        title = f"two queues with {threads} threads each, {state}, are stopped"
        yield call_trial(title, check, "shutdown", state=state, threads=threads)


@case("14.14")
def elements_in_hand(draw):
    """Threads that run one op close the queue when none holds an element any more."""
    for count, threads, failing in (
        (3, 1, ""), (6, 2, ""), (7, 3, ""), (5, 2, "close"), (5, 2, "cancel"),
    ):  # fmt: skip

        def check(got: Any, count: int = count) -> str | None:
            if wrong := wrong_error(got["error"], None):
                return wrong
            if got["failed"]:
                return f"a thread ends by {got['failed'][0]}"
            if got["stops"]:
                return "the end of the data stops the coordinator"
            if got["taken"] == list(range(count)):
                return None
            return f"{got['taken']} come, expected 0 to {count - 1}"

        title = f"{threads} threads hold {count} elements for a while"
        title += f"; the op that is to {failing} the queue fails" if failing else ""
        yield call_trial(
            title, check, "in_hand", count=count, threads=threads, failing=failing
        )


@case("14.14")
def threads_look_by_themselves(draw):
    """A thread that does not wait ends at a stop, though nothing is cancelled."""
    for threads in (1, 3):
        title = f"{threads} threads of a runner whose op that cancels does nothing"
        yield value_trial(title, "looking", {"threads": threads}, 0)


@case("14.14", over=(True, False))
def errors_of_all_kinds(draw, has_coordinator):
    """An error that is none of an op, such as that of a closed session, is one, too."""
    for threads in (1, 3):

        def check(got: Any, threads: int = threads) -> Mismatch | str | None:
            if has_coordinator:
                return wrong_error(got["error"], ("RuntimeError", "closed"))
            wanted = {"kept": threads, "failed": threads}
            found = {name: got[name] for name in wanted}
            same = found == wanted
            return (
                None if same else Mismatch("errors", expected=f"{wanted}", got=f"{found}")
            )

        title = f"{threads} threads in a session that is closed"
        yield call_trial(
            title, check, "in_closed_session", threads=threads,
            has_coordinator=has_coordinator,
        )  # fmt: skip


@case("14.14")
def stopped_before_they_begin(draw):
    """A thread looks before it enqueues for the first time."""
    for threads in (1, 3):
        title = f"{threads} threads of a coordinator that stops already"
        yield value_trial(title, "stopped_before", {"threads": threads}, 0)


@case("14.14")
def nothing_is_cancelled_before_the_stop(draw):
    """Whoever cancels waits for the stop as long as that takes."""
    for threads in (1, 2):
        wanted = {"closed": False, "alive": 0}
        title = f"{threads} threads wait for room, then the stop comes"
        yield value_trial(title, "in_haste", {"threads": threads}, wanted)


@case("14.14", over=("data", "error", "stop"))
def ops_that_are_run(draw, how):
    """One thread closes the queue, at the end of the data; one cancels, at the stop."""
    for threads in (1, 3):
        wanted = {"close": int(how == "data"), "cancel": 1}
        arguments = {"threads": threads, "how": how}
        title = f"how often {threads} threads end by {how}, and run either op"
        yield value_trial(title, "ops_run", arguments, wanted)


@case("14.14")
def closed_while_they_fill(draw):
    """That others close the queue is an error, which the coordinator is told."""
    for threads in (1, 2):

        def check(got: Any) -> str | None:
            if not got["stops"]:
                return "the coordinator does not stop"
            return wrong_error(got["error"], ("CancelledError", ""))

        title = f"a queue that {threads} threads fill is closed at once"
        yield call_trial(title, check, "closed_by_others", threads=threads)


@case("14.14", over=("data", "error", "stop"))
def threads_made_again(draw, how):
    """Threads of a session end, close its queue, and are made anew as if in no other."""
    for threads in (1, 3):
        with_coordinator = how == "stop"
        wanted = {
            "first": threads + with_coordinator, "while": 0, "another": threads,
            "alive": 0, "closed": how != "error",
            "kept": threads if how == "error" else 0, "after": threads,
            "then": 0, "failed": threads if how == "error" else 0,
        }  # fmt: skip

        def check(got: Any, wanted: dict = wanted) -> Mismatch | None:
            if got == wanted:
                return None
            name = next(name for name in wanted if got[name] != wanted[name])
            return Mismatch(
                f"threads, or errors: {name!r} is wrong",
                expected=str(wanted),
                got=str(got),
            )

        title = f"{threads} threads end by: {how}; others are made before and after"
        yield call_trial(title, check, "made_again", how=how, threads=threads)


@case("14.14")
def asked_for_while_some_run(draw):
    """Where some still run none are made, and the errors of others are kept."""
    for threads in (2, 3):
        wanted = {"made": 0, "then": 1, "end": threads, "failed": threads}
        title = f"one of {threads} threads has failed, and others are asked for"
        yield value_trial(title, "asked_for_again", {"threads": threads}, wanted)


@case("14.14", hidden=True)
def more_runners(draw):
    """Other numbers of threads and elements."""
    for _ in range(6):
        yield runner_trial(draw.whole(0, 30), draw.whole(1, 5), capacity=draw.whole(1, 9))
    for _ in range(4):
        take = draw.whole(0, 9)
        yield runner_trial(1 << 20, draw.whole(1, 5), take, kind="InvalidArgumentError")
