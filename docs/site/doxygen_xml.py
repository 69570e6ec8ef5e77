"""Reads Doxygen's XML: the place of each definition, and the callers of each function."""

import re
import xml.etree.ElementTree as ET
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache

from repository import ROOT

XML = ROOT / "build/site/doxygen/xml"
OF_FILE = re.compile(r'<compound refid="([^"]*)" kind="file"><name>[^<]*</name>')
CLASSES = {"class", "struct", "union"}
# Doxygen parses calls of these macros as functions.
NO_FUNCTION = re.compile(r"^(REGISTER_\w+|LAB|TEST\w*|MINITF_\w+)$")


@dataclass
class Definition:
    """A class, function, type, macro or variable.

    Attributes:
        name: The name without namespaces and classes.
        path: The file, relative to the top folder. The declaration counts if a header
            has one.
        callers: The name, path and line of each caller.
    """

    name: str
    path: str
    line: int
    kind: str
    callers: list[tuple[str, str, int]] = field(default_factory=list)


def name_files_by_path() -> None:
    """Replaces file names in Doxygen's index by paths, since names are not unique."""
    index = XML / "index.xml"

    def with_path(match: re.Match) -> str:
        path = _places(ET.parse(XML / f"{match[1]}.xml").getroot()[0])[0]
        return f'<compound refid="{match[1]}" kind="file"><name>{path}</name>'

    index.write_text(OF_FILE.sub(with_path, index.read_text()))


def _places(element: ET.Element) -> tuple[str, int]:
    """Returns the file and the line of a class, file or member."""
    place = element.find("location")
    if place is None:
        return "", 0
    return place.get("declfile") or place.get("file", ""), int(
        place.get("declline") or place.get("line") or 0
    )


def _compounds() -> list[ET.Element]:
    """Returns each class, namespace and file. Only these have members."""
    index = ET.parse(XML / "index.xml").getroot()
    wanted = {*CLASSES, "namespace", "file"}
    ids = [entry.get("refid") for entry in index if entry.get("kind") in wanted]
    return [ET.parse(XML / f"{name}.xml").getroot()[0] for name in ids]


@cache
def definitions() -> list[Definition]:
    """Returns all definitions of the source, with callers."""
    by_id: dict[str, Definition] = {}
    uses: dict[str, list[str]] = defaultdict(list)
    for compound in _compounds():
        kind, scope = compound.get("kind", ""), compound.findtext("compoundname", "")
        if kind in CLASSES:
            place = _places(compound)
            by_id[compound.get("id")] = Definition(_short(scope), *place, kind)
        for member in compound.iter("memberdef"):
            name = member.findtext("name", "")
            if NO_FUNCTION.match(name):
                continue
            definition = Definition(name, *_places(member), member.get("kind", ""))
            by_id.setdefault(member.get("id"), definition)
            users = [use.get("refid") for use in member.iter("referencedby")]
            uses[member.get("id")] = users
    for key, users in uses.items():
        callers = [by_id[user] for user in users if user in by_id]
        by_id[key].callers = [(user.name, user.path, user.line) for user in callers]
    return list(by_id.values())


@cache
def included_by() -> dict[str, list[str]]:
    """Returns the files that include a file, by the path of that file."""
    users: dict[str, list[str]] = {}
    for compound in _compounds():
        if compound.get("kind") == "file":
            path = _places(compound)[0]
            names = (use.text or "" for use in compound.iter("includedby"))
            users[path] = sorted(name for name in names if name)
    return users


@cache
def bases() -> dict[str, list[str]]:
    """Returns the base classes of each class, without namespaces."""
    classes: dict[str, list[str]] = {}
    for compound in _compounds():
        names = [base.text or "" for base in compound.iter("basecompoundref")]
        if compound.get("kind") in CLASSES and names:
            name = compound.findtext("compoundname", "")
            classes[_short(name)] = [_short(base) for base in names]
    return classes


def _short(name: str) -> str:
    """Returns a class's name without namespaces and template arguments.

    >>> _short("minitf::Lane<std::vector<int> >")
    'Lane'
    """
    return re.sub(r"<.*", "", name).strip().split("::")[-1]
