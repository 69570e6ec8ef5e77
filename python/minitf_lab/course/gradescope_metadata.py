"""Gradescope's ``submission_metadata.yml``: the submitters and time of each folder.

The file is YAML of one form, so it is read line by line.
"""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from minitf_lab.course import clock
from minitf_lab.labs.handin import archives
from minitf_lab.project import LabError

NAME = "submission_metadata.yml"
MAX_BYTES = 64 << 20
HEAD = re.compile(r"(submission_\d+):\s*")
SECTION = re.compile(r"  :(\w+):\s*(.*)")
ITEM = re.compile(r"  (?P<begin>- |  ):(?P<key>\w+):\s*(?P<value>.*)")
TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)? ?(Z|[+-]\d\d:?\d\d)")


@dataclass
class Submitter:
    """A member of a group, or somebody who works alone."""

    known_as: dict[str, str] = field(default_factory=dict)

    @property
    def identity(self) -> str:
        """The address, else the student's number, else the name."""
        said = (self.known_as.get(key, "") for key in ("email", "sid", "name"))
        return next(filter(None, said), "")


@dataclass
class Submission:
    """A folder of the download.

    Attributes:
        submitters: Everybody in the group.
        time: In seconds since 1970; 0 if the file does not say it.
    """

    submitters: list[Submitter] = field(default_factory=list)
    time: float = 0


def scalar(text: str) -> str:
    r"""A value of YAML as a text.

    >>> scalar("'O''Brien'"), scalar('"Zo\\xEB"'), scalar("~")
    ("O'Brien", 'Zoë', '')
    """
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'").strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        # JSON knows most of YAML's escapes.
        inner = re.sub(r"\\x([0-9a-fA-F]{2})", r"\\u00\1", text)
        inner = re.sub(r"\\U([0-9a-fA-F]{8})", lambda m: chr(int(m[1], 16)), inner)
        try:
            return str(json.loads(inner)).strip()
        except (ValueError, OverflowError):
            return text[1:-1].strip()
    return "" if text in {"~", "null", "!!null"} else text


def _time_of(text: str) -> float:
    """Parses ``2026-10-01 21:05:09.123456000 Z``; 0 for invalid text."""
    found = TIME.match(text)
    try:
        return clock.seconds_of(f"{found[1]}T{found[2]}{found[3]}") if found else 0
    except LabError:
        return 0


def read(path: Path) -> dict[str, Submission]:
    """The submissions, by their folders.

    Raises:
        Rejected: the file is a link or too long.
    """
    data = archives.read_regular(path, MAX_BYTES, NAME)
    found: dict[str, Submission] = {}
    current, section = Submission(), ""
    for line in data.decode(errors="replace").lstrip("\ufeff").split("\n"):
        line = line.rstrip("\r")
        if head := HEAD.fullmatch(line):
            current, section = found.setdefault(head[1], Submission()), ""
        elif part := SECTION.fullmatch(line):
            section = part[1]
            if section == "created_at":
                current.time = _time_of(scalar(part[2]))
        elif section == "submitters" and (item := ITEM.fullmatch(line)):
            if item["begin"] == "- " or not current.submitters:
                current.submitters.append(Submitter())
            value = scalar(item["value"])
            if item["key"] in {"name", "sid", "email"} and value:
                current.submitters[-1].known_as[item["key"]] = value
    return found
