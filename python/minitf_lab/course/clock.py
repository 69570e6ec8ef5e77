"""Due dates and lateness, in calendar days of the course's time zone.

A due date is a reading of the wall clock. One day later is the same reading on the next
day, also when daylight saving ends in between. The file ``time_zone`` in the course's
folder names the zone, such as ``Europe/Berlin``; without it the machine's zone counts.
"""

import argparse
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from minitf_lab.course.identity import shown
from minitf_lab.project import LabError

ZONE_FILE = "time_zone"
GRACE = "5m"  # by default
GRACE_FORM = re.compile(r"(\d{1,5})\s*(s|m|h|)")
UNIT_S = {"s": 1, "m": 60, "": 60, "h": 3600}
DAY_S = 86_400
UNITS = (("day", DAY_S), ("hour", 3600), ("minute", 60), ("second", 1))
ERRORS = (ValueError, OverflowError, OSError)


def zone_of(said: str, course: Path | None = None) -> tzinfo | None:
    """The time zone called ``said``, else the course's; None stands for the machine's.

    Raises:
        LabError: there is no such zone.
    """
    path = course / ZONE_FILE if course else None
    try:
        if not said and path and path.exists():
            said = path.read_text().strip()
        return ZoneInfo(said) if said else None
    except (*ERRORS, KeyError) as error:
        raise LabError(
            f"'{shown(said)}' is no time zone; write it like Europe/Berlin, with "
            f"--zone or in {path or ZONE_FILE}"
        ) from error


def grace_of(said: str) -> float:
    """Seconds that ``said`` stands for: ``90s``, ``5m``, ``1h``; minutes if no unit.

    Raises:
        LabError: it is something else.
    """
    found = GRACE_FORM.fullmatch(said.strip())
    if not found:
        raise LabError(f"'{shown(said)}' is no grace period; write 90s, 5m, 1h or 0")
    return float(int(found[1]) * UNIT_S[found[2]])


def seconds_of(said: str, zone: tzinfo | None = None) -> float:
    """A moment in seconds since 1970; a day alone means its end.

    Raises:
        LabError: it is no moment.

    >>> seconds_of("1970-01-02T00:00:00Z")
    86400.0
    """
    return Deadline.parse(said, zone).at()


@dataclass(frozen=True)
class Deadline:
    """When something is due.

    Attributes:
        moment: The reading of the wall clock, without a zone.
        zone: Whose wall clock; the machine's if None.
        grace_s: Seconds after each deadline that still count as in time.
    """

    moment: datetime
    zone: tzinfo | None = None
    grace_s: float = 0

    @classmethod
    def parse(
        cls, said: str, zone: tzinfo | None = None, grace_s: float = 0
    ) -> "Deadline":
        """The deadline that a text names.

        Raises:
            LabError: it names none.
        """
        try:
            try:
                moment = datetime.combine(date.fromisoformat(said), datetime.min.time())
                moment += timedelta(days=1)
            except ValueError:
                moment = datetime.fromisoformat(said)
            if moment.tzinfo:
                moment = moment.astimezone(zone).replace(tzinfo=None)
            found = cls(moment, zone, grace_s)
            found.at()
        except (*ERRORS, LabError) as error:
            raise LabError(
                f"{shown(said)} is no time; write it like 2026-10-01 (the end of that "
                "day), 2026-10-01T23:59 or, with a zone, 2026-10-01T23:59+02:00"
            ) from error
        return found

    def at(self, days: float = 0) -> float:
        """The deadline moved by calendar days, in seconds since 1970.

        If the clock shows that reading twice or never, the later moment counts.

        Raises:
            LabError: it lies beyond the calendar.
        """
        try:
            moved = self.moment + timedelta(days=days)
            both = [moved.replace(tzinfo=self.zone, fold=fold) for fold in (0, 1)]
            return max(one.timestamp() for one in both)
        except ERRORS as error:
            raise LabError(f"{self.moment} and {days:g} days: no such time") from error

    def late_s(self, time: float, extension: float = 0) -> float:
        """How many seconds after the deadline ``time`` is; 0 within the grace period."""
        late = time - self.at(extension)
        return late if late > self.grace_s else 0

    def days_late(self, time: float, extension: float = 0) -> int:
        """How many calendar days after the deadline have begun."""
        if not self.late_s(time, extension):
            return 0
        days = max(0, int((time - self.at(extension)) / DAY_S) - 1)
        while time > self.at(extension + days) + self.grace_s:
            days += 1
        return days


def deadline_of(args: argparse.Namespace) -> Deadline | None:
    """The deadline that ``--due``, ``--zone`` and ``--grace`` name, if there is one.

    Raises:
        LabError: one of them makes no sense.
    """
    zone = zone_of(args.zone, args.course)
    grace = grace_of(args.grace)
    return Deadline.parse(args.due, zone, grace) if args.due else None


def clock_time(seconds: float, zone: tzinfo | None = None) -> str:
    """The reading of the wall clock; ``an unknown time`` for 0.

    >>> clock_time(86400, ZoneInfo("Europe/Berlin"))
    '1970-01-02 01:00:00'
    """
    if not seconds:
        return "an unknown time"
    try:
        return f"{datetime.fromtimestamp(int(seconds), zone):%Y-%m-%d %H:%M:%S}"
    except ERRORS:
        return "an impossible time"


def moment(seconds: float) -> str:
    """A time as records have it; empty for 0 and for an impossible time.

    >>> moment(86400), moment(0)
    ('1970-01-02T00:00:00Z', '')
    """
    try:
        found = datetime.fromtimestamp(int(seconds), UTC)
    except ERRORS:
        return ""
    return found.strftime("%Y-%m-%dT%H:%M:%SZ") if seconds else ""


def in_words(seconds: float) -> str:
    """A length of time, by its two largest units.

    >>> in_words(30), in_words(7260), in_words(0.4)
    ('30 seconds', '2 hours 1 minute', 'less than a second')
    """
    left, parts = int(seconds), []
    for name, size in UNITS:
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {name}{'s' * (count > 1)}")
        elif parts:
            break
    return " ".join(parts[:2]) or "less than a second"
