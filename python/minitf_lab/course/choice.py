"""The rule that chooses one submission of a student.

1. A broken submission does not count.
2. A submission in time counts before a late one.
3. The latest counts.
4. At equal times an archive counts before loose files, then the browser's copy with the
   higher number, then the last name.

The others are printed and recorded, each with the reason.
"""

import re
from dataclasses import dataclass, field
from datetime import tzinfo
from pathlib import Path
from typing import Any

from minitf_lab.course import clock
from minitf_lab.course.identity import shown
from minitf_lab.labs.handin import intake

COPY = re.compile(r" \((\d+)\)(?:\.\w+)*$")
MOST = 50  # of those set aside, that a note lists
BEFORE = " (collected before)"  # behind the name of a submission in the course


@dataclass
class Candidate:
    """One offer of a student, read into a folder; or why it was not.

    Attributes:
        source: The name for messages.
        time: In seconds since 1970; 0 if it is not known.
        late_s: Seconds after the due date; 0 if it is in time.
        is_marked_late: Whether the gradebook says that it is late.
    """

    source: str
    time: float = 0
    late_s: float = 0
    is_marked_late: bool = False
    is_archive: bool = False
    is_commit: bool = False
    folder: Path | None = None
    hand_in: intake.HandIn | None = None
    reason: str = ""

    @property
    def is_late(self) -> bool:
        """Whether it came after the due date."""
        return self.late_s > 0 or self.is_marked_late

    @property
    def lateness(self) -> str:
        """How late it is, in words."""
        if self.late_s > 0:
            return f"{clock.in_words(self.late_s)} late"
        return "late, as the gradebook says"

    @property
    def rank(self) -> tuple:
        """The larger one counts."""
        copy = COPY.search(self.source)
        number = int(copy[1]) if copy else 0
        return not self.is_late, int(self.time), self.is_archive, number

    def note(self, why: str) -> dict[str, Any]:
        """The entry in a note if another candidate counts."""
        return {
            "source": shown(self.source.removesuffix(BEFORE)),
            "submitted_at": clock.moment(self.time),
            "sha256": self.hand_in.sha256 if self.hand_in else "",
            "why": why,
        }


@dataclass
class Choice:
    """The candidate that counts, if there is one, and the others with reasons."""

    counts: Candidate | None
    aside: list[tuple[Candidate, str]] = field(default_factory=list)


def choose(candidates: list[Candidate], *, takes_late: bool) -> Choice:
    """Applies the rule of this module."""
    taken = [one for one in candidates if one.hand_in and (takes_late or not one.is_late)]
    ranked = sorted(enumerate(taken), key=lambda one: (one[1].rank, one[0]))
    counts = ranked[-1][1] if ranked else None
    aside = [(one, _why(one, counts)) for one in candidates if one is not counts]
    return Choice(counts, aside)


def _why(one: Candidate, counts: Candidate | None) -> str:
    if one.reason:
        return f"not taken: {one.reason}"
    if one.is_late and not (counts and counts.is_late):
        return one.lateness
    if counts and one.hand_in.sha256 == counts.hand_in.sha256:
        return "the same files"
    if counts and int(one.time) == int(counts.time):
        return "of the same time; " + (
            "the archive counts"
            if counts.is_archive != one.is_archive
            else "the higher number or the last name counts"
        )
    return "earlier"


def sentence(student: str, choice: Choice, zone: tzinfo | None) -> str:
    """A sentence about the choice; empty if there is a single candidate."""
    if not choice.aside:
        return ""
    aside = "; ".join(
        f"{shown(one.source)} of {clock.clock_time(one.time, zone)} ({why})"
        for one, why in choice.aside
    )
    if choice.counts is None:
        return f"{shown(student)}: nothing counts; set aside: {aside}"
    counts = choice.counts
    when = clock.clock_time(counts.time, zone)
    late = f" ({counts.lateness})" if counts.is_late else ""
    return (
        f"{shown(student)}: {shown(counts.source)} of {when}{late} counts; "
        f"set aside: {aside}"
    )
