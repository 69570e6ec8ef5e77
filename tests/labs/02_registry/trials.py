"""What trials of lab 02 are made of: texts from definitions, and models in plain Python.

A definition is drawn as data, written as the text of REGISTER_OP with blanks by chance,
and what the parser makes of it must be the data again. Shapes are lists of sizes, -1 for
one that is not known, None if the rank is not.
"""

import itertools
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from minitf_lab.judge.case import Call, Mismatch, Trial
from minitf_lab.judge.draw import Draw
from minitf_lab.judge.trials import refused, value_trial

Sizes = list[int] | None

UNKNOWN = -1
TYPES = {
    "float": "float32", "double": "float64", "half": "float16", "int32": "int32",
    "int64": "int64", "uint8": "uint8", "int8": "int8", "bool": "bool",
    "string": "string", "complex64": "complex64", "bfloat16": "bfloat16",
    "float32": "float32", "resource": "resource",
}  # fmt: skip
SIMPLE = ("bool", "int", "float", "string", "type", "shape")
KINDS = (*SIMPLE, *(f"list({kind})" for kind in SIMPLE))
LETTERS = "abcdefghXYZ_019"


def refused_naming(
    title: str, function: str, arguments: dict[str, Any], *, names: list[str]
) -> Trial:
    """As ``refused``; a number counts as named if no other digits run into it."""
    trial = refused(title, function, arguments, names=names)

    def check(values: list[Any]) -> Mismatch | str | None:
        if wrong := trial.check(values):
            return wrong
        for name in names:
            end = r"(?!\d)" if name[-1:].isdigit() else ""
            if not re.search(rf"(?<!\d){re.escape(name)}{end}", values[0].message):
                return f"the error {values[0].message!r} does not name {name}"
        return None

    return Trial(title, trial.calls, check)


# ---- Texts ----------------------------------------------------------------------------


def word(draw: Draw, least: int = 1, most: int = 6) -> str:
    """A name: it begins with a letter."""
    rest = (draw.one_of(LETTERS) for _ in range(draw.whole(least, most) - 1))
    return draw.one_of(LETTERS[:11]) + "".join(rest)


def different_words(draw: Draw, count: int) -> list[str]:
    """So many names, all different."""
    found: dict[str, None] = {}
    while len(found) < count:
        name = word(draw)
        if name not in TYPES:
            found[name] = None
    return list(found)


def blank(draw: Draw) -> str:
    """Nothing, or blanks of several kinds."""
    return draw.one_of(["", "", " ", " ", "  ", "\t", "\n", " \n\t "])


def listed(draw: Draw, texts: list[str], brackets: str = "[]") -> str:
    """``[a, b]`` with blanks where blanks may be."""
    inner = ",".join(f"{blank(draw)}{text}{blank(draw)}" for text in texts)
    return brackets[0] + (inner or blank(draw)) + brackets[1]


def text_in_quotes(draw: Draw, quotes: str = "") -> tuple[str, str]:
    """A text as it is written, and what it says; the other kind of quote may be in it."""
    quote, other = quotes or draw.one_of(["'\"", "\"'"])
    said = "".join(
        draw.one_of(["a", "B", " ", "  ", other, ",", "]", "=", "{", ":", ">=", "\\"])
        for _ in range(draw.whole(0, 5))
    )
    return f"{quote}{said}{quote}", said


def value_of(draw: Draw, kind: str) -> tuple[str, Any]:
    """A value of a kind as it is written, and as the driver gives it."""
    if kind.startswith("list("):
        pairs = [value_of(draw, kind[5:-1]) for _ in range(draw.whole(0, 4))]
        return listed(draw, [text for text, _ in pairs]), [value for _, value in pairs]
    if kind == "bool":
        value = draw.coin()
        return str(value).lower(), value
    if kind == "int":
        value = draw.one_of(
            [0, 1, 7, -1, -30, 2**31, -(2**63), 2**63 - 1, draw.whole(-99, 99)]
        )
        return str(value), value
    if kind == "float":
        text = draw.one_of(["0", "1", "-2.5", "1e-3", "0.5", "3e10", "-1", "2.0", "1e30"])
        return text, as_float32(text)
    if kind == "string":
        return text_in_quotes(draw)
    if kind == "type":
        text = draw.one_of(list(TYPES))
        return text, TYPES[text]
    if kind == "shape":
        if draw.coin(0.2):
            return "<unknown>", None
        sizes = [draw.one_of([UNKNOWN, 0, 1, 2, 128]) for _ in range(draw.whole(0, 5))]
        texts = ["?" if n == UNKNOWN and draw.coin() else str(n) for n in sizes]
        return listed(draw, texts), sizes
    raise ValueError(kind)


def as_float32(text: str) -> float:
    """The number of 32 bits that is nearest."""
    return float(np.float32(text))


def random_attr(draw: Draw, name: str) -> tuple[str, dict[str, Any]]:
    """An attribute as it is written, and its definition."""
    made: dict[str, Any] = {
        "name": name, "default": None, "types": [], "strings": [], "minimum": None,
    }  # fmt: skip
    form = draw.one_of(["plain", "plain", "types", "strings", "list of types"])
    text = ""
    if form == "plain":
        kind = text = draw.one_of(KINDS)
        if kind.startswith("list("):
            text = f"list{blank(draw)}({blank(draw)}{kind[5:-1]}{blank(draw)})"
        default_text, default = value_of(draw, kind)
    elif form == "strings":
        kind = "string"
        more = [text_in_quotes(draw) for _ in range(draw.whole(0, 2))]
        pairs = [text_in_quotes(draw), *more]
        text = listed(draw, [one for one, _ in pairs], "{}")
        made["strings"] = [said for _, said in pairs]
        default_text, default = draw.one_of(pairs)
    else:
        kind = "type" if form == "types" else "list(type)"
        names = draw.some_of(list(TYPES), 1)
        text = listed(draw, names, "{}")
        made["types"] = [TYPES[one] for one in names]
        default_text, default = names[0], TYPES[names[0]]
        if form == "list of types":
            text = f"list{blank(draw)}({blank(draw)}{text}{blank(draw)})"
            chosen = draw.some_of(names)
            default_text = listed(draw, chosen)
            default = [TYPES[one] for one in chosen]
    made["kind"] = kind
    size = len(default) if isinstance(default, list) else default
    if kind != "shape" and (kind == "int" or kind.startswith("list(")) and draw.coin():
        made["minimum"] = draw.one_of([0, 1, 4, size - 1 if size > 0 else size])
        text += f"{blank(draw)}>={blank(draw)}{made['minimum']}"
    fits = made["minimum"] is None or size >= made["minimum"]
    if fits and draw.coin(0.6):
        text += f"{blank(draw)}={blank(draw)}{default_text}"
        made["default"] = (kind, default)
    spec = f"{blank(draw)}{name}{blank(draw)}:{blank(draw)}{text}{blank(draw)}"
    return spec, made


def attr_trial(spec: str, expected: dict[str, Any]) -> Trial:
    """What an attribute's text means."""
    return value_trial(f"the attribute {spec!r}", "attr", {"spec": spec}, expected)


def plain_attr(name: str, kind: str, **facts: Any) -> dict[str, Any]:
    """A definition of an attribute."""
    nothing = {"default": None, "types": [], "strings": [], "minimum": None}
    return {**nothing, "name": name, "kind": kind, **facts}


def refused_attr(spec: str, *names: str) -> Trial:
    """An attribute that makes no sense; the error shows its text."""
    title = f"the attribute {spec!r}"
    return refused(title, "attr", {"spec": spec}, names=list(names))


def plain_arg(name: str, **facts: str) -> dict[str, str]:
    """A definition of an input or output."""
    nothing = {"type": "", "type_attr": "", "number_attr": "", "type_list_attr": ""}
    return {**nothing, "name": name, **facts}


def op_trial(name: str, calls: list[tuple[str, str]], expected: dict[str, Any]) -> Trial:
    """What REGISTER_OP makes of its calls."""
    title = f"REGISTER_OP({name!r}) with {calls}"
    return value_trial(title, "op", {"name": name, "calls": calls}, expected)


def refused_op(name: str, calls: list[tuple[str, str]], *names: str) -> Trial:
    """A definition that makes no sense."""
    title = f"REGISTER_OP({name!r}) with {calls}"
    return refused(title, "op", {"name": name, "calls": calls}, names=list(names))


# ---- Tables ---------------------------------------------------------------------------


def edit_distance(a: str, b: str) -> int:
    """By the definition, a row of the table of all pairs of beginnings at a time."""
    row = [*range(len(b) + 1)]
    for i, letter in enumerate(a, start=1):
        above, row = row, [i]
        for j, other in enumerate(b):
            row.append(min(above[j] + (letter != other), above[j + 1] + 1, row[j] + 1))
    return row[-1]


def nearest(name: str, candidates: list[str]) -> str:
    """The first of the nearest names that are near enough."""
    most = max(1, len(name) // 3)
    near = [one for one in candidates if edit_distance(name, one) <= most]
    return min(near, key=lambda one: edit_distance(name, one)) if near else ""


def hint(name: str, candidates: list[str]) -> str:
    """What an error says of the nearest name."""
    found = nearest(name, candidates)
    return f"; did you mean '{found}'?" if found else ""


def changed(draw: Draw, name: str, edits: int) -> str:
    """A name with so many letters put in, taken out or replaced."""
    for _ in range(edits):
        at = draw.whole(0, len(name))
        kind = draw.one_of(["in", "out", "other"])
        letter = draw.one_of("xyzQ")
        name = name[:at] + ("" if kind == "out" else letter) + name[at + (kind != "in") :]
    return name


def table_trial(title: str, kind: str, script: list[tuple], expected: list) -> Trial:
    """Calls of a table. An error is expected as a pair, its type and its text."""
    calls = [*script, ("alive",)]

    def check(values: list[Any]) -> Mismatch | None:
        for call, got, one in zip(calls, values[0], expected, strict=True):
            what = f"{call[0]}({', '.join(map(repr, call[1:]))})"
            is_error = isinstance(got, dict)
            if isinstance(one, tuple):
                fits = is_error and got["error"] == one[0]
                if fits and got["message"] == one[1]:
                    continue
            elif not is_error and got == one:
                continue
            shown = f"{got['error']}: {got['message']}" if is_error else str(got)
            wanted = f"{one[0]}: {one[1]}" if isinstance(one, tuple) else str(one)
            return Mismatch(f"after {title}, {what}", expected=wanted, got=shown)
        return None

    arguments = {"kind": kind, "script": [list(call) for call in script]}
    return Trial(title, [Call("table", arguments)], check)


# ---- Shapes ---------------------------------------------------------------------------


def all_shapes(most_rank: int, sizes: tuple[int, ...]) -> Iterator[Sizes]:
    """Nothing known, and all lists of such sizes."""
    yield None
    for rank in range(most_rank + 1):
        yield from map(list, itertools.product(sizes, repeat=rank))


def hidden_in_part(draw: Draw, shape: tuple[int, ...], chance: float = 0.3) -> Sizes:
    """What is known of a shape: some sizes, or not even the rank."""
    if draw.coin(chance / 3):
        return None
    return [UNKNOWN if draw.coin(chance) else size for size in shape]


def product(sizes: Any) -> int:
    """How many elements there are."""
    total = 1
    for size in sizes:
        total *= size
    return total
