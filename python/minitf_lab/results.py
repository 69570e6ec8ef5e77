"""What became of a test case, in GoogleTest or in a lab."""

import re
from dataclasses import dataclass, field

# The name of a lambda is "operator()".
NOT_WRITTEN = re.compile(r"task [\d.]+(?: \((?:[^()]|\(\))*\))? is not written yet")
MAX_TEXT = 20_000  # characters of a failure, or of what is printed, that are kept
MAX_PRINTED = 12  # lines of what a case has printed

SIGNALS = {
    "SIGSEGV": "it used memory that is not its own: a pointer that is null or dangling, "
    "an index past the end, or a function that calls itself without end",
    "SIGABRT": "it called std::abort: a failed assertion, or an exception that was not "
    "caught",
    "SIGFPE": "it divided an integer by zero",
    "SIGXFSZ": "it printed too much",
    "SIGKILL": "it was killed from outside; perhaps there was no memory left",
}

# What a record calls a status. Besides these there are raised, memory_limit,
# process_limit, output_limit, out_of_bounds, protocol_error and policy, which have a
# cause of their own.
VERDICTS = {
    "passed": "ok",
    "failed": "wrong_answer",
    "skipped": "skipped",
    "not written": "not_written",
    "crashed": "crashed",
    "timeout": "timeout",
    "left": "exited",
}


@dataclass(frozen=True)
class Limits:
    """What the process of a case may use.

    Attributes:
        seconds: Wall-clock time.
        memory_mb: Memory; any amount if 0, as the sanitizers need.
        threads: How many, if fewer than a box allows.
        output_kb: What it may print, if less than the worker allows.
    """

    seconds: float
    memory_mb: int = 0
    threads: int = 0
    output_kb: int = 0


@dataclass
class Result:
    """What became of one test case.

    Attributes:
        status: ``passed``, ``failed``, ``skipped``, ``not written``, ``crashed``,
            ``timeout`` or ``left``, for a case that ended the program.
        message: What the test has to say, for a person.
        details: What is to be shown in a table: ``case``, ``index``, ``expected``,
            ``got``, ``differ``, ``max_abs``, ``max_rel``, ``around``, ``see``.
        printed: What the code under test printed.
        symptom: A word for what came back, equal for answers that err alike.
        cause: One of ``VERDICTS`` where the status does not say enough.
        charged_from: The task of the case, if another task is charged with the case.
        seconds: How long it took.
        memory_mb: How much memory its process had, 0 if that is not known.
    """

    name: str
    status: str
    message: str = ""
    details: dict[str, str] = field(default_factory=dict)
    printed: str = ""
    symptom: str = ""
    cause: str = ""
    charged_from: str = ""
    seconds: float = field(default=0, compare=False)
    memory_mb: int = field(default=0, compare=False)

    @property
    def verdict(self) -> str:
        """The one word of a record."""
        return self.cause or VERDICTS[self.status]

    @property
    def passed(self) -> bool:
        """Whether it counts."""
        return self.status == "passed"


# Marks that turn the direction of text or end lines, halves of pairs, and private ones.
_ODD = "\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\uf8ff\ufeff\ufff0-\uffff"


def plain(text: str) -> str:
    r"""``text`` without what a terminal would obey, or no file can hold.

    >>> plain("a\x1b[2Jb\u202ec\ud800")
    'a?[2Jb?c?'
    """
    return re.sub(f"[^\\n\\t -~\u00a0-\uffff]|[{_ODD}]", "?", text)


def own_lines(output: str) -> str:
    """The last lines of what a case has printed, without what a terminal would obey."""
    lines = plain(output).strip().split("\n")
    cut = ["..."] if len(lines) > MAX_PRINTED else []
    return "\n".join(cut + lines[-MAX_PRINTED:])
