"""Lab 14, tasks 13 and 14: coordinators, and queue runners."""

from typing import Any

from minitf_lab.judge.case import Call, Mismatch, Trial, case

Event = list[Any]
SECOND = 1.0


def _wrong_error(got: Any, expected: tuple | None) -> str | None:
    """What is wrong with an error; ``expected`` is a kind and a word, or None."""
    if expected is None:
        return f"it raised {got['raised']}: {got['text']}" if got else None
    if not got:
        return f"nothing is raised, expected {expected[0]}"
    if got["raised"] != expected[0] or expected[1] not in got["text"]:
        return f"it raised {got['raised']} ({got['text']}), expected {expected}"
    return None


# ---- 14.13 ----------------------------------------------------------------------------


class CoordinatorModel:
    """Whether to stop, and why, without threads."""

    def __init__(self, clean: list[str] | None) -> None:
        self.clean = ["OutOfRangeError"] if clean is None else clean
        self.stops = self.joined = False
        self.reason: tuple[str, str] | None = None
        self.threads: list[tuple[str, float, str | None]] = []

    def request(self, kind: str | None, text: str) -> tuple[str, str] | None:
        """A request to stop; the error that it must raise."""
        reason = None if kind is None or kind in self.clean else (kind, text)
        if self.joined:
            return reason
        if not self.stops:
            self.stops, self.reason = True, reason
        return None

    def do(self, event: Event) -> tuple[str, str] | None:
        """One event; the error that it must raise."""
        name, *arguments = event
        if name in {"request", "raise"}:
            return self.request(*arguments)
        if name == "clear":
            self.stops = self.joined = False
            self.reason = None
        elif name in {"thread", "deaf"}:
            self.threads.append((name, arguments[0], arguments[1]))
        elif name == "join":
            return self._join(*arguments)
        return None

    def _join(self, grace: float, ignores: bool) -> tuple[str, str] | None:
        # Threads that end by themselves do so in the order of their times.
        for name, seconds, kind in sorted(self.threads, key=lambda one: abs(one[1])):
            if name == "thread" and self.stops:
                continue
            if kind and seconds >= 0:
                self.request(kind, "from a thread")
        late = [s for name, s, _ in self.threads if name == "deaf" and s > grace]
        self.joined = True
        if self.reason is not None:
            return self.reason
        if late and self.stops and not ignores:
            return ("RuntimeError", "still running")
        return None


def coordinator_trial(
    events: list[Event], clean: list[str] | None = None, join_s: tuple = (0, SECOND)
) -> Trial:
    """Events, compared with the model; a join takes between so many seconds."""
    model = CoordinatorModel(clean)
    expected = []
    for event in events:
        error = model.do(event)
        expected.append((error, model.stops, model.joined))

    def check(values: list[Any]) -> str | None:
        for i, (got, (error, stops, joined)) in enumerate(
            zip(values[0], expected, strict=True)
        ):
            after = f"event {i + 1}, {events[i]}"
            if wrong := _wrong_error(got.get("error"), error):
                return f"{after}: {wrong}"
            ends_itself = events[i][0] in {"thread", "deaf"}
            if not ends_itself and got["stop"] != stops:
                return f"{after}: should_stop() is {got['stop']}, expected {stops}"
            if got["joined"] != joined:
                return f"{after}: joined is {got['joined']}, expected {joined}"
            if events[i][0] == "join" and not join_s[0] <= got["seconds"] <= join_s[1]:
                return f"{after}: it takes {got['seconds']:.2f} s, expected {join_s}"
        return None

    arguments: dict[str, Any] = {"events": events}
    if clean is not None:
        arguments["clean"] = clean
    title = f"a coordinator, clean: {clean}: {'; '.join(map(str, events))}"
    return Trial(title, [Call("coordinated", arguments)], check)


JOIN = ["join", 0.5, False]


@case("14.13")
def the_first_reason(draw):
    """The error that join raises is the first that a stop was requested with."""
    for first, second in (
        ((None, ""), (None, "")),
        (("ValueError", "one"), ("KeyError", "two")),
        ((None, ""), ("ValueError", "two")),
        (("ValueError", "one"), (None, "")),
        (("OutOfRangeError", "end"), ("ValueError", "two")),
        (("ValueError", "one"), ("OutOfRangeError", "end")),
        (("CancelledError", "one"), ("ValueError", "two")),
    ):
        yield coordinator_trial([["request", *first], ["request", *second], JOIN])
        if first[0]:
            yield coordinator_trial([["raise", *first], ["request", *second], JOIN])


@case("14.13")
def errors_that_are_none(draw):
    """Errors of the clean kinds stop the threads, and are not raised."""
    for clean in (None, ["CancelledError"], ["OutOfRangeError", "CancelledError"], []):
        for kind in ("OutOfRangeError", "CancelledError", "ValueError"):
            yield coordinator_trial([["request", kind, "why"], JOIN], clean)
            yield coordinator_trial([["raise", kind, "why"], JOIN], clean)


@case("14.13")
def after_the_join(draw):
    """An error after join is raised at once; clear_stop begins anew."""
    stop = ["request", None, ""]
    for kind in (None, "ValueError", "OutOfRangeError"):
        late = ["request", kind, "late"]
        yield coordinator_trial([stop, JOIN, late])
        yield coordinator_trial([stop, JOIN, ["clear"], late, JOIN])
        yield coordinator_trial([["request", "KeyError", "k"], ["clear"], late, JOIN])


@case("14.13")
def threads_that_end(draw):
    """All threads are waited for, registered or not; one that fails stops the others."""
    for is_registered in (True, False):
        for seconds in (0.0, 0.05):
            yield coordinator_trial([["thread", seconds, None, is_registered], JOIN])
            fails = ["thread", seconds, "ValueError", is_registered]
            endless = ["thread", -1.0, None, is_registered]
            yield coordinator_trial([fails, endless, JOIN])
    endless = ["thread", -1.0, None, True]
    yield coordinator_trial([endless, endless, ["request", None, ""], JOIN])
    yield coordinator_trial([endless, ["request", "KeyError", "k"], JOIN])


@case("14.13")
def threads_that_do_not_look(draw):
    """After a stop threads have a time of grace, and then they are named, or ignored."""
    stop = ["request", None, ""]
    deaf = ["deaf", 0.5, None, True]
    late = (0.04, 0.45)
    yield coordinator_trial([deaf, stop, ["join", 0.05, False]], join_s=late)
    yield coordinator_trial([deaf, stop, ["join", 0.05, True]], join_s=late)
    many = [deaf, deaf, deaf, deaf, stop, ["join", 0.12, False]]
    yield coordinator_trial(many, join_s=(0.1, 0.4))
    error = ["request", "ValueError", "why"]
    yield coordinator_trial([deaf, error, ["join", 0.05, False]], join_s=late)
    soon = ["deaf", 0.1, None, True]
    yield coordinator_trial([soon, stop, ["join", 1.0, False]], join_s=(0, 0.9))


@case("14.13", hidden=True)
def requests_by_chance(draw):
    """Any requests, ends and beginnings."""
    for _ in range(20):
        events: list[Event] = []
        for _ in range(draw.whole(2, 7)):
            kind = draw.one_of([None, "ValueError", "KeyError", "OutOfRangeError"])
            name = draw.one_of(["request", "request", "raise", "clear", "join"])
            if name == "raise" and kind:
                events.append(["raise", kind, f"text {len(events)}"])
            elif name == "join":
                events += [["request", None, ""], JOIN]
            elif name == "clear":
                events.append(["clear"])
            else:
                events.append(["request", kind, f"text {len(events)}"])
        # Within stop_on_exception nothing is raised unless join is over.
        clean = draw.one_of([None, ["KeyError"], []])
        if clean == ["KeyError"]:
            clean = ["CancelledError"]
        yield coordinator_trial([*events, ["request", None, ""], JOIN], clean)


# ---- 14.14 ----------------------------------------------------------------------------


def runner_trial(count: int, threads: int, take: int = -1, **options: Any) -> Trial:
    """A runner fills a queue; what comes out of it, and how it ends."""
    kind = options.get("kind", "OutOfRangeError")
    closing = options.get("closing")
    is_end = kind in (["OutOfRangeError"] if closing is None else closing)
    has_coordinator = options.get("has_coordinator", True)
    arguments = {"count": count, "threads": threads, "take": take, **options}

    def check(values: list[Any]) -> Mismatch | str | None:
        got = values[0]
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
            return _wrong_error(got["error"], None) or (
                None if got["closed"] else "the queue is not closed after the stop"
            )
        if is_end and len(got["taken"]) != count:
            return f"{len(got['taken'])} of {count} elements come, then {got['end']}"
        if wrong := _wrong_error(got["end"], ("OutOfRangeError", "")):
            return f"the last take: {wrong}"
        if is_end or not has_coordinator:
            return _wrong_error(got["error"], None)
        return _wrong_error(got["error"], (kind, "no more"))

    title = (
        f"{threads} threads, {count} elements, then {kind}; {take} are taken {options}"
    )
    return Trial(title, [Call("runners", arguments)], check)


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

        def check(values: list[Any], count: int = count) -> str | None:
            got = values[0]
            if got["taken"] != list(range(count)):
                return f"{got['taken']} come, expected 0 to {count - 1}; {got['error']}"
            return _wrong_error(got["error"], None)

        title = f"one thread has nothing, the other {count} elements, slowly"
        yield Trial(title, [Call("uneven", {"count": count})], check)


def failing_trial(count: int, threads: int, has_coordinator: bool) -> Trial:
    """A thread fails: who hears of it."""
    arguments = {
        "count": count, "threads": threads, "kind": "InvalidArgumentError",
        "has_coordinator": has_coordinator, "take": 0 if not has_coordinator else -1,
        "capacity": 50,
    }  # fmt: skip

    def check(values: list[Any]) -> str | None:
        got = values[0]
        if got["alive"]:
            return f"{got['alive']} threads have not ended"
        if has_coordinator:
            if got["raised"]:
                return "the runner keeps an error that the coordinator was told"
            error = got["error"]
        else:
            if len(got["raised"]) != threads:
                return f"the runner has {len(got['raised'])} errors of {threads} threads"
            error = got["raised"][0]
        if not error or "no more of the source" not in error["text"]:
            return f"the error is {error}, expected the one of the source"
        return None

    who = "a coordinator" if has_coordinator else "no coordinator"
    title = f"{threads} threads fail after {count} elements, with {who}"
    return Trial(title, [Call("runners", arguments)], check)


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

        def check(values: list[Any]) -> str | None:
            got = values[0]
            if got["alive"] or got["seconds"] > SECOND:
                return f"after {got['seconds']:.2f} s {got['alive']} threads still run"
            return _wrong_error(got["error"], None)

        arguments = {"state": state, "threads": threads}
        title = f"two queues with {threads} threads each, {state}, are stopped"
        yield Trial(title, [Call("shutdown", arguments)], check)


@case("14.14", hidden=True)
def more_runners(draw):
    """Other numbers of threads and elements."""
    for _ in range(6):
        yield runner_trial(draw.whole(0, 30), draw.whole(1, 5), capacity=draw.whole(1, 9))
    for _ in range(4):
        take = draw.whole(0, 9)
        yield runner_trial(1 << 20, draw.whole(1, 5), take, kind="InvalidArgumentError")
