"""Lab 14, task 13: coordinators."""

from typing import Any

from minitf_lab.judge.case import Call, Trial, case

Event = list[Any]
SECOND = 1.0


def wrong_error(got: Any, expected: tuple | None) -> str | None:
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
        self.stops = self.joined = self.late = False
        self.reason: tuple[str, str] | None = None
        self.threads: list[tuple[str, float, str | None]] = []

    def request(self, kind: str | None, text: str) -> tuple[str, str] | None:
        """A request to stop; the error that it must raise."""
        is_clean = kind is None or kind in self.clean
        is_clean = is_clean or (
            kind == "EndOfFileError" and "OutOfRangeError" in self.clean
        )
        reason = None if is_clean else (kind, text)
        if self.joined and reason is not None:
            return reason
        if not self.stops:
            self.stops, self.reason = True, reason
        return None

    def do(self, event: Event) -> tuple[str, str] | None:
        """One event; the error that it must raise."""
        name, *arguments = event
        if name in {"request", "request as tuple", "raise"}:
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
        stopped_at = 0.0
        for name, seconds, kind in sorted(self.threads, key=lambda one: abs(one[1])):
            if name == "thread" and self.stops:
                continue
            if kind and seconds >= 0:
                stopped_at = stopped_at if self.stops else seconds
                self.request(None if kind == "nothing" else kind, "from a thread")
        latest = stopped_at + grace
        late = [s for name, s, _ in self.threads if name == "deaf" and s > latest]
        self.late = bool(late)
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
        expected.append((error, model.stops, model.joined, model.late))

    def check(values: list[Any]) -> str | None:
        for i, (got, (error, stops, joined, late)) in enumerate(
            zip(values[0], expected, strict=True)
        ):
            after = f"event {i + 1}, {events[i]}"
            if wrong := wrong_error(got.get("error"), error):
                return f"{after}: {wrong}"
            ends_itself = events[i][0] in {"thread", "deaf", "never started"}
            if not ends_itself and got["stop"] != stops:
                return f"{after}: should_stop() is {got['stop']}, expected {stops}"
            if got["joined"] != joined:
                return f"{after}: joined is {got['joined']}, expected {joined}"
            if events[i][0] == "join" and not late and got["alive"]:
                return f"{after}: {got['alive']} threads still run"
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
        (("KeyboardInterrupt", "one"), ("ValueError", "two")),
        (("SystemExit", "one"), (None, "")),
    ):
        yield coordinator_trial([["request", *first], ["request", *second], JOIN])
        if first[0]:
            for how in ("raise", "request as tuple"):
                yield coordinator_trial([[how, *first], ["request", *second], JOIN])


@case("14.13")
def errors_that_are_none(draw):
    """Errors of the clean kinds stop the threads, and are not raised."""
    for clean in (None, ["CancelledError"], ["OutOfRangeError", "CancelledError"], []):
        for kind in ("OutOfRangeError", "EndOfFileError", "CancelledError", "ValueError"):
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
        ended = ["thread", 0.0, None, True]
        yield coordinator_trial([ended, JOIN, late, stop, ["clear"], late, JOIN])
        yield coordinator_trial([ended, JOIN, late, JOIN, late, JOIN])


@case("14.13")
def threads_that_end(draw):
    """All threads are waited for, registered or not; one that fails stops the others."""
    for is_registered in (True, False):
        for seconds in (0.0, 0.05):
            yield coordinator_trial([["thread", seconds, None, is_registered], JOIN])
            fails = ["thread", seconds, "ValueError", is_registered]
            endless = ["thread", -1.0, None, is_registered]
            yield coordinator_trial([fails, endless, JOIN])
    yield coordinator_trial([JOIN])  # there are none
    yield coordinator_trial([JOIN, ["request", "KeyError", "k"], ["clear"], JOIN])
    for is_registered in (True, False):
        never = ["never started", 0.0, None, is_registered]
        yield coordinator_trial([never, JOIN])
        yield coordinator_trial([never, ["thread", 0.0, "ValueError", True], JOIN])
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
    # One after the other they would have 0.72 s, and run longer.
    many = [*[["deaf", 1.2, None, True]] * 6, stop, ["join", 0.12, False]]
    yield coordinator_trial(many, join_s=(0.1, 0.4))
    for none in (0, -1):
        for ignores in (False, True):
            yield coordinator_trial(
                [deaf, stop, ["join", none, ignores]], join_s=(0, 0.3)
            )
    error = ["request", "ValueError", "why"]
    yield coordinator_trial([deaf, error, ["join", 0.05, False]], join_s=late)
    soon = ["deaf", 0.1, None, True]
    yield coordinator_trial([soon, stop, ["join", 1.0, False]], join_s=(0, 0.9))


@case("14.13")
def grace_begins_with_the_stop(draw):
    """Before a stop there is no limit, and the time of grace begins with it."""
    short, long = (["thread", seconds, None, draw.coin()] for seconds in (0.03, 0.15))
    # All end by themselves: nothing limits how long that takes.
    yield coordinator_trial([short, long, ["join", 0.02, False]])
    # After 0.15 s one asks for a stop; the other needs 0.1 s more, and has 0.22.
    for kind in ("nothing", "OutOfRangeError"):
        asks = ["thread", 0.15, kind, draw.coin()]
        deaf = ["deaf", 0.25, None, draw.coin()]
        yield coordinator_trial([deaf, asks, ["join", 0.22, False]])
