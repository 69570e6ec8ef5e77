"""The best of a class, by names that only their owners know.

A name is made of a hash of the hand-in and its student; so it says nothing to classmates,
and is the same in each report of the same hand-in.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

from minitf_lab.course import class_records, text
from minitf_lab.course.class_records import ClassRecords, Record

MOST = 10  # shown; and the reader's own place
COLOURS = (
    *("amber", "azure", "black", "blue", "bronze", "brown", "copper", "coral"),
    *("cream", "crimson", "cyan", "golden", "green", "grey", "indigo", "ivory"),
    *("jade", "lilac", "maroon", "ochre", "olive", "orange", "pearl", "pink", "plum"),
    *("purple", "red", "ruby", "scarlet", "silver", "teal", "violet"),
)
ANIMALS = (
    *("badger", "beaver", "bison", "buzzard", "crane", "crow", "deer", "dolphin"),
    *("eagle", "falcon", "ferret", "finch", "fox", "goose", "hare", "hawk", "heron"),
    *("jackal", "lark", "lynx", "marten", "mole", "newt", "otter", "owl", "puffin"),
    *("raven", "robin", "seal", "stork", "swan", "wren"),
)


@dataclass(frozen=True)
class Place:
    """A line of a board."""

    rank: int
    student: str
    alias: str
    value: float


@dataclass(frozen=True)
class Board:
    """All of a class that have a value, the best first."""

    name: str
    order: str
    places: list[Place]


def aliases(records: list[Record]) -> dict[str, str]:
    """A name for each student, no two the same."""
    taken: set[str] = set()
    found = {}
    hashes = {}
    for record in records:
        sent = record["submission"]
        said = f"{record['lab']['id']}\n{sent['id']}\n{sent['sha256']}"
        hashes[sent["id"]] = hashlib.sha256(said.encode(errors="replace")).digest()
    for student, digest in sorted(hashes.items(), key=lambda item: item[1]):
        colour, animal = COLOURS[digest[0] % 32], ANIMALS[digest[1] % 32]
        alias, number = f"{colour} {animal}", 1
        while alias in taken:
            number += 1
            alias = f"{colour} {animal} {number}"
        taken.add(alias)
        found[student] = alias
    return found


def _values(record: Record) -> dict[str, dict[str, Any]]:
    """The boards of a record that have a value, by name."""
    return {
        text.one_line(entry.get("name", "")): entry
        for entry in record["board"]
        if class_records.is_number(entry.get("value"))
    }


def boards(found: ClassRecords) -> list[Board]:
    """The boards of a class."""
    graded = [one for one in found.records if one["status"] == "graded"]
    names = aliases(graded)
    tables: dict[str, list[tuple[float, str]]] = {}
    orders: dict[str, str] = {}
    for record in graded:
        for name, entry in _values(record).items():
            orders[name] = "asc" if entry.get("order") == "asc" else "desc"
            tables.setdefault(name, []).append(
                (entry["value"], class_records.student(record))
            )
    made = []
    for name, values in tables.items():
        is_falling = orders[name] == "desc"
        values.sort(key=lambda one: (-one[0] if is_falling else one[0], one[1]))
        ordered = [value for value, _ in values]
        places = [
            # Equal values have equal ranks.
            Place(ordered.index(value) + 1, student, names[student], value)
            for value, student in values
        ]
        made.append(Board(name, orders[name], places))
    return made


def shown(board: Board, student: str) -> list[dict[str, Any]]:
    """What a student sees of a board: the best, and his or her own line."""
    return [
        {
            "rank": place.rank,
            "name": "you, " + place.alias if place.student == student else place.alias,
            "value": f"{place.value:g}",
        }
        for number, place in enumerate(board.places)
        if number < MOST or place.student == student
    ]
