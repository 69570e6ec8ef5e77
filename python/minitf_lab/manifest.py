"""The fields of a ``lab.json``: what each means, and what it may hold.

The tables here are the only list of them: ``check`` holds every manifest to it, and
``docs/writing_a_lab.md`` shows it.
"""

import difflib
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

LARGEST = 1_000_000  # a number in a manifest
# The box allows no more.
MOST_THREADS, MOST_MEMORY_MB, MOST_OUTPUT_KB = 64, 2000, 65_536
VISIBILITIES = ("visible", "after_due_date", "after_published", "hidden")
NEEDS = ("cuda", "minitf")
# Instructions, as /proc/cpuinfo names them.
FEATURES = ("avx2", "avx512f", "fma", "asimd")
REQUIRED = object()


@dataclass(frozen=True)
class Kind:
    """What a field may hold, in words, and whether a value is that."""

    words: str
    fits: Callable[[Any], bool]


@dataclass(frozen=True)
class Field:
    """A field of a manifest.

    Attributes:
        kind: What it may hold, or the fields of the table in it.
        text: What it is for.
        default: What holds if it is not there.
    """

    kind: "Kind | dict[str, Field]"
    text: str
    default: Any = REQUIRED


def _is_number(value: Any) -> bool:
    return type(value) in {int, float} and math.isfinite(value) and value <= LARGEST


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()


def _whole(low: int, high: int = LARGEST) -> Kind:
    words = f"a whole number from {low} to {high:,}"
    return Kind(words, lambda value: type(value) is int and low <= value <= high)


def _one_of(words: tuple[str, ...]) -> Kind:
    return Kind(f"one of {', '.join(words)}", lambda value: value in words)


def _list_of(kind: str, fits: Callable[[Any], bool], least: int = 0) -> Kind:
    def fits_all(value: Any) -> bool:
        return isinstance(value, list) and len(value) >= least and all(map(fits, value))

    return Kind(f"a list of {kind}", fits_all)


def _are_answers(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_text, [*value, *value.values()]))


def _are_lists(value: Any) -> bool:
    return isinstance(value, dict) and all(
        _is_text(name) and isinstance(texts, list) and all(map(_is_text, texts))
        for name, texts in value.items()
    )


TEXT = Kind("a text of one line", _is_text)
TEXTS = _list_of("texts", _is_text)
NUMBER = Kind("a number", lambda value: _is_number(value) and value >= 0)
SECONDS = Kind("a number above 0", lambda value: _is_number(value) and value > 0)
ANSWERS = Kind("texts by number", _are_answers)
LISTS = Kind("lists of names by file", _are_lists)
VISIBILITY = _one_of(VISIBILITIES)
MACHINE = _list_of(
    ", ".join((*FEATURES, "cuda")), lambda value: value in (*FEATURES, "cuda")
)
CUDA = _list_of("cuda", lambda value: value == "cuda")
NEED = _list_of(" and ".join(NEEDS), lambda value: value in NEEDS)

BOARD = {
    "name": Field(TEXT, "what it is called"),
    "order": Field(
        _one_of(("desc", "asc")), "`desc` for the speed-up, `asc` for the ratio", "desc"
    ),
}
SPEED = {
    "case": Field(TEXT, "what is timed: a case of this task that students have", ""),
    "cases": Field(_list_of("texts, of at least one", _is_text, 1), "or several", []),
    "ratio_full": Field(
        SECONDS, "all points if it takes so many times the reference's time, or less"
    ),
    "ratio_zero": Field(
        SECONDS,
        "no points if it takes so many times, or more: 1.25 `ratio_full` at least",
    ),
    "curve": Field(
        _one_of(("log", "linear")),
        "in between; in `log` equal factors cost equally",
        "log",
    ),
    "reps": Field(_whole(5, 25), "how many pairs of calls are timed", 9),
    "depends": Field(TEXTS, "tasks that must be right before anything is timed", []),
    "needs": Field(MACHINE, "what a machine must have; else it does not count", []),
    "board": Field(BOARD, "a table of the class", {}),
}
TASK = {
    "title": Field(TEXT, "what it is called"),
    "points": Field(_whole(0), "what it is worth"),
    "cases": Field(_whole(0), "how many cases students have of it"),
    "doc": Field(TEXT, "where to read about it: a file, `#` and a heading"),
    "needs": Field(CUDA, "`cuda`: skipped where there is no GPU", []),
    "visibility": Field(VISIBILITY, "of its hidden cases, if not the lab's", ""),
    "uses": Field(
        TEXTS,
        "other tasks whose code its cases run; code of more tasks gets no points, and "
        "all are used if this is not said",
        None,
    ),
    "speed": Field(SPEED, "how its points depend on time, if they do", {}),
}
LIMITS = {
    "max_bytes": Field(_whole(1), "bytes of a file of a hand-in", 200_000),
    "compile_s": Field(_whole(1), "seconds of processor time of one compiler", 120),
    "compile_mem_mb": Field(_whole(100), "memory of one compiler", 4000),
    "mem_mb": Field(_whole(100, MOST_MEMORY_MB), "memory of a case", MOST_MEMORY_MB),
    "total_s": Field(_whole(1), "seconds for which its cases may hang in all", 600),
    "threads": Field(
        _whole(1, MOST_THREADS),
        "threads of a case, and the cores on which it is timed (then 1 if not said)",
        MOST_THREADS,
    ),
    "output_kb": Field(
        _whole(1, MOST_OUTPUT_KB),
        "what a case may print, or write to a file",
        MOST_OUTPUT_KB,
    ),
}
QA = {
    "starter_max": Field(_whole(0), "points that the starter may get", 0),
    "faults": Field(
        TEXT, "file of wrong answers, or folder of patches", "faults.txt and faults"
    ),
    "honest": Field(TEXT, "folder of right answers, each a folder", "honest"),
}
LAB = {
    "title": Field(TEXT, "what it is called"),
    "files": Field(
        _list_of("texts, of at least one", _is_text, 1),
        "what a hand-in holds: files of `reference/`, or files of minitf by their path",
    ),
    "tasks": Field(TASK, "by number, such as `50.1`: the folder's, a point, its own"),
    "version": Field(TEXT, "raise it if you change what is asked for", "1"),
    "needs": Field(
        NEED,
        "`minitf`: files in C++ are linked with it; `cuda`: all tasks need a GPU",
        [],
    ),
    "time_limit_s": Field(SECONDS, "seconds by the clock for one case", 10),
    "limits": Field(LIMITS, "what else a hand-in may use", {}),
    "visibility": Field(
        VISIBILITY, "when students see of hidden cases how many pass", "after_due_date"
    ),
    "forbid_imports": Field(
        LISTS, "what a file, or `*`, must not call: its tasks are worth nothing then", {}
    ),
    "forbid_words": Field(
        LISTS, "what must not stand in the text of a file, or of `*`: the same then", {}
    ),
    "flag_imports": Field(LISTS, "of what calls the instructor is told", {}),
    "qa": Field(QA, "what `./lab qa` expects", {}),
    "answers": Field(ANSWERS, "hashes of right answers to the questions", {}),
    "hours": Field(NUMBER, "how long it takes", 0),
    "aics": Field(TEXTS, "exercises of the AICS book that it covers", []),
}


def _check_table(table: dict[str, Field], values: Any, place: str) -> None:
    """Raises ValueError with the first thing that is wrong in a table."""
    if not isinstance(values, dict):
        raise ValueError(f"{place or 'the manifest'}: expected a table, it is {values!r}")
    prefix = f"{place}." if place else ""
    for name in values:
        if name not in table:
            near = difflib.get_close_matches(name, table, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(table)}"
            raise ValueError(f"unknown field {prefix}{name!s:.40}: {hint}")
    for name, field in table.items():
        if name in values:
            _check_value(field, values[name], f"{prefix}{name}")
        elif field.default is REQUIRED:
            raise ValueError(f"{prefix}{name} is missing: {field.text}")


def _check_value(field: Field, value: Any, place: str) -> None:
    """Raises ValueError if a field holds what it must not."""
    if field.kind is TASK:
        if not isinstance(value, dict) or not value:
            raise ValueError(f"{place}: expected a table with a task or more")
        for number, task in value.items():
            _check_table(TASK, task, f"{place}.{number!s:.40}")
    elif isinstance(field.kind, dict):
        _check_table(field.kind, value, place)
    elif not field.kind.fits(value):
        shown = repr(value)
        shown = shown if len(shown) <= 60 else f"{shown[:60]}..."
        raise ValueError(f"{place}: expected {field.kind.words}, it is {shown}")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A table of JSON, of which Python would take the last of two equal names."""
    names = [name for name, _ in pairs]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"{twice!s:.40} is there twice")
    return dict(pairs)


def read(text: str) -> dict[str, Any]:
    """The fields of a manifest.

    Raises:
        ValueError: it is no JSON, a field is unknown, is missing or holds what it must
            not; the text names it and says what was expected.

    >>> read('{"title": "Means", "files": [1], "tasks": {}}')
    Traceback (most recent call last):
    ValueError: files: expected a list of texts, of at least one, it is [1]
    """
    try:
        values = json.loads(text, object_pairs_hook=_unique)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    _check_table(LAB, values, "")
    return values


def _rows(table: dict[str, Field], prefix: str) -> list[str]:
    rows = []
    for name, field in table.items():
        kind, text = "a table", field.text
        if isinstance(field.kind, Kind):
            kind = field.kind.words
        if field.default is REQUIRED:
            text += "; required"
        elif field.default:
            text += f"; {field.default} if not said"
        rows.append(f"| `{prefix}{name}` | {kind} | {text} |")
        if field.kind is TASK:
            rows += _rows(TASK, f"{prefix}{name}.50.1.")
        elif isinstance(field.kind, dict):
            rows += _rows(field.kind, f"{prefix}{name}.")
    return rows


def as_table() -> str:
    """All fields, as ``docs/writing_a_lab.md`` shows them."""
    return "\n".join(
        ["| field | holds | what for |", "| --- | --- | --- |", *_rows(LAB, "")]
    )
