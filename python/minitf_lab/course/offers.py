"""Reads folders, archives and commits of students."""

from dataclasses import dataclass, field
from datetime import tzinfo
from pathlib import Path

from minitf_lab import project
from minitf_lab.course import clock, identity, layouts, repositories
from minitf_lab.course.choice import Candidate
from minitf_lab.course.layouts import Given, Offer
from minitf_lab.labs.handin import intake
from minitf_lab.labs.handin.archives import Rejected


@dataclass(frozen=True)
class Terms:
    """The due date, and which submissions are taken.

    Attributes:
        due: Any time if None.
        takes_late: Whether a student with nothing in time may be late.
        accepts: Whether these count before all others, as after an appeal.
        extensions: Days that students have besides, by what people call them.
        zone: Of times without one; the machine's if None.
    """

    due: clock.Deadline | None = None
    takes_late: bool = False
    accepts: bool = False
    extensions: dict[str, float] = field(default_factory=dict)
    zone: tzinfo | None = None

    @property
    def takes_all(self) -> bool:
        """Whether a late submission may count."""
        return self.takes_late or self.due is None


class Reader:
    """Reads the offers of students into folders of their own.

    Attributes:
        strangers: Words for students with an extension and without a submission.
    """

    def __init__(
        self, lab: project.Lab, terms: Terms, given: list[Given], scratch: Path
    ) -> None:
        self._lab, self._terms, self._scratch = lab, terms, scratch
        self._count = 0
        directory = identity.Directory({one.student: one.known_as for one in given})
        self._extensions, self.strangers = identity.by_student(
            terms.extensions, directory
        )

    def new_folder(self) -> Path:
        """An empty folder."""
        self._count += 1
        folder = self._scratch / f"{self._count}"
        folder.mkdir()
        return folder

    def late_s(self, student: str, time: float) -> float:
        """How many seconds after the student's due date; 0 for an unknown time."""
        due = self._terms.due
        return due.late_s(time, self._extensions.get(student, 0)) if due and time else 0

    def read(self, given: Given) -> list[Candidate]:
        """All offers of a student."""
        found: list[Candidate] = []
        for offer in given.offers:
            if not _is_git(offer):
                found.append(self._read(given, offer, offer.path, offer.time))
                continue
            commits = self._read_git(given, offer)
            if any(one.hand_in for one in commits):
                return found + commits  # what lies beside commits is no hand-in
            found += commits
        # A folder that only holds archives is no submission itself.
        is_around = len(found) > 1 and found[0].reason and _holds_second(given)
        return found[1:] if is_around else found

    def _read(
        self, given: Given, offer: Offer, source: Path, time: float | None
    ) -> Candidate:
        """Reads a folder or an archive; ``time`` is None if its files say it."""
        has_more_days = bool(self._extensions.get(given.student))
        found = Candidate(
            offer.source or offer.path.name,
            time or 0,
            is_marked_late=offer.is_marked_late and not has_more_days,
            is_archive=layouts.is_archive(offer.path),
        )
        try:
            found.folder = self.new_folder()
            found.hand_in = intake.take(self._lab, source, found.folder)
            found.time = found.hand_in.time if time is None else time
        except Rejected as error:
            found.reason = f"{error}"
        found.late_s = self.late_s(given.student, found.time)
        return found

    def _read_git(self, given: Given, offer: Offer) -> list[Candidate]:
        """The last commit, and the last one in time if that is another."""
        last = self._read_commit(given, offer, 0)
        due = self._terms.due
        if not due or not last.is_late:
            return [last]
        bound = due.at(self._extensions.get(given.student, 0)) + due.grace_s
        in_time = self._read_commit(given, offer, bound)
        if in_time.reason:
            return [last if self._terms.takes_all and last.hand_in else in_time]
        return [last, in_time] if last.hand_in else [in_time]

    def _read_commit(self, given: Given, offer: Offer, bound: float) -> Candidate:
        """The last commit before ``bound``; the last of all if 0."""
        source = self.new_folder()
        name = f"{offer.source or offer.path.name}, "
        name += "the last commit in time" if bound else "the last commit"
        try:
            time = repositories.check_out(offer.path, self._lab, bound, source)
        except Rejected as error:
            return Candidate(name, reason=f"{error}", is_commit=True)
        found = self._read(given, offer, source, time)
        found.source, found.is_commit = name, True
        return found


def _is_git(offer: Offer) -> bool:
    path = offer.path
    return offer.may_be_git and path.is_dir() and repositories.is_repository(path)


def _holds_second(given: Given) -> bool:
    """Whether the second offer lies in the first."""
    first, second = given.offers[:2]
    return second.path.parent == first.path
