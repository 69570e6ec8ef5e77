"""How a case or a worker ended, in words."""

import signal
from dataclasses import dataclass

from minitf_lab.results import SIGNALS, Limits, Result


@dataclass
class Replies:
    """The replies for one case.

    Attributes:
        num_answers: How many trials came to their end.
        found: What is wrong with the last of them, if that is so.
        is_done: Whether the case says that all is over.
        status: The exit status of the child; None if it was stopped.
        is_in_time: Whether that was before the deadline.
        is_odd: Whether there was a message where none belongs.
        is_too_large: Whether it used more memory than it may.
        has_strangers: Whether something else ran in the box when it had ended.
        memory_mb: How much it had, as the worker says; 0 if it does not.
    """

    num_answers: int = 0
    found: Result | None = None
    is_done: bool = False
    status: int | None = None
    is_in_time: bool = False
    is_odd: bool = False
    is_too_large: bool = False
    has_strangers: bool = False
    memory_mb: int = 0


def sentence_of(number: int) -> str:
    """The name and the meaning of a signal that ended a process."""
    known = {one.value: one.name for one in signal.Signals}
    name = known.get(number, f"signal {number}")
    return f"{name}: {SIGNALS.get(name, 'a signal ended it')}"


KILLED = sentence_of(signal.SIGKILL)
STRANGERS = "it starts another process, which an answer must not"


def how_it_ended(replies: Replies, limits: Limits) -> tuple[str, str, str]:
    """How a case without all its answers ended: a status, a sentence, and the cause."""
    if replies.is_too_large:
        sentence = "it uses more memory than it may, in all its processes together"
        return "crashed", sentence, "memory_limit"
    if replies.is_odd:
        sentence = "it sent messages of its own in place of values, or after them"
        return "left", sentence, "protocol_error"
    if not replies.is_in_time:
        sentence = (
            f"still running after {limits.seconds:g} s: an endless loop, or a wait "
        )
        return "timeout", sentence + "that nothing ends?", ""
    if replies.status is not None and replies.status < 0:
        cause = "output_limit" if replies.status == -signal.SIGXFSZ else ""
        return "crashed", sentence_of(-replies.status), cause
    return "left", "it ended the process before the case was over", ""
