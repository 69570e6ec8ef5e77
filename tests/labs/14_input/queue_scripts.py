"""Scripts of calls of queues: by chance, or step by step."""

from collections.abc import Iterator

from lab_14_input.queue_model import Script, script_trial

from minitf_lab.judge.case import Trial
from minitf_lab.judge.draw import Draw

KINDS = ("FIFOQueue", "PriorityQueue", "RandomShuffleQueue")
MANY, FEWER, CANCELLING = {"many": True}, {"fewer": True}, {"cancelling": True}


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
        script = Script(draw)
        kind = draw.one_of(kinds)
        kept = draw.whole(0, 3) if kind == "RandomShuffleQueue" and keeps else 0
        capacity = draw.one_of([-1, kept + 1, kept + 2, kept + 4])
        for _ in range(3 + i * longest // count):
            if reacting and draw.coin(0.3):
                script.react(weights)
            else:
                script.add(weights)
        yield script_trial(
            kind, capacity, script.events, kept, 1 + draw.whole(0, 99), script.reactions,
            is_watched=reacting,
        )  # fmt: skip


def told(
    *steps: tuple,
    kind: str = "FIFOQueue",
    capacity: int = 2,
    kept: int = 0,
    reactions: dict[int, list[tuple]] | None = None,
    is_watched: bool = False,
) -> Trial:
    """A script of steps such as ("put", 2), by their names and arguments.

    ("cancel", -1) gives up the last call, ("cancel", -2) the one before. ``reactions``
    are steps that happen in the callback of the call of that number, from 0.
    """
    script = Script()
    numbers: list[int] = []

    def add(step: tuple) -> None:
        name, *arguments = step
        options = arguments.pop() if arguments and isinstance(arguments[-1], dict) else {}
        if name == "cancel":
            script.cancel(numbers[arguments[0]])
        else:
            numbers.append(getattr(script, name)(*arguments, **options))

    for step in steps:
        add(step)
    events, found = [*script.events], {}
    for number, many in (reactions or {}).items():
        before = len(script.events)
        for step in many:
            add(step)
        found[numbers[number]] = script.events[before:]
    return script_trial(kind, capacity, events, kept, 7, found, is_watched)
