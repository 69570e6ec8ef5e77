"""Graphs as data, built by the cases of lab 07."""

from typing import Any

import numpy as np

from minitf_lab.judge.case import describe
from minitf_lab.judge.draw import Draw

Place = tuple[str, int]

# Types that a constant of a graph may have, and that numpy knows.
FLOATS = ("float16", "float32", "float64")
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "int64")
COMPLEX = ("complex64", "complex128")
NUMBERS = (*FLOATS, *INTEGERS, *COMPLEX)


class Net:
    """A graph, what is fed and fetched, and values for what is fed.

    Nodes have names: ``call`` and its kind return the name of a new node, and take names
    for first outputs or pairs of a name and a number for others.
    """

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.feeds: list[str] = []
        self.values: list[np.ndarray] = []
        self.fetches: list[Place] = []
        self.targets: list[str] = []

    def call(
        self,
        op: str,
        *inputs: str | Place,
        name: str = "",
        waits: list[str] | tuple[str, ...] = (),
        device: str = "",
        **attrs: Any,
    ) -> str:
        """A new node; ``waits`` are the nodes that it waits for."""
        taken = {node["name"] for node in self.nodes}
        base, number = name or op.strip("_").lower(), 0
        name = base
        while name in taken:
            number += 1
            name = f"{base}_{number}"
        self.nodes.append(
            {
                "name": name,
                "op": op,
                "inputs": [place(one) for one in inputs],
                "waits": list(waits),
                "attrs": attrs,
                "device": device,
            }
        )
        return name

    def const(self, value: Any, dtype: str = "", **others: Any) -> str:
        """A constant."""
        array = np.asarray(value, dtype or None)
        others.setdefault("name", "c")
        return self.call("Const", value=array, dtype=array.dtype.name, **others)

    def feed(self, value: np.ndarray, known: Any = "all", **others: Any) -> str:
        """A placeholder that is fed ``value``.

        Args:
            value: What is fed.
            known: Its shape as the graph knows it, -1 for a size that is unknown and
                None for a rank; all of it if not given.
            others: As of ``call``.
        """
        shape = list(value.shape) if known == "all" else known
        others.setdefault("name", "x")
        name = self.call("Placeholder", dtype=value.dtype.name, shape=shape, **others)
        self.feeds.append(name)
        self.values.append(value)
        return name

    def effect(self, x: str | Place, **others: Any) -> str:
        """A node that prints, and hands ``x`` on."""
        return self.call("Print", x, message="", **others)

    def random(self, shape: tuple[int, ...], seed: int = 7, **others: Any) -> str:
        """Random numbers; all with the same seed, so that nodes look alike."""
        sizes = self.const(list(shape), "int32")
        kind = {"dtype": "float32", "seed": seed, "seed2": 9}
        return self.call("RandomUniform", sizes, **kind, **others)

    def fetch(self, *places: str | Place) -> "Net":
        """Adds fetches; returns itself."""
        self.fetches += [place(one) for one in places]
        return self

    def spec(self) -> dict[str, Any]:
        """What goes to the driver: the net as it is now."""
        return {
            "nodes": [dict(node) for node in self.nodes],
            "feeds": list(self.feeds),
            "fetches": list(self.fetches),
            "targets": list(self.targets),
        }

    def node(self, name: str) -> dict[str, Any]:
        """The node called ``name``."""
        return next(node for node in self.nodes if node["name"] == name)

    def text(self) -> str:
        """The graph as a report shows it."""
        fed = dict(zip(self.feeds, self.values, strict=True))
        lines = [_line(node, fed) for node in self.nodes]
        fetched = ", ".join(_shown(*one) for one in self.fetches)
        targets = f"; target {', '.join(self.targets)}" if self.targets else ""
        return f"{'; '.join(lines)}; fetch {fetched}{targets}"


def place(one: str | Place) -> Place:
    """An output, of which the number may be left out."""
    return (one, 0) if isinstance(one, str) else (one[0], one[1])


def _shown(name: str, index: int) -> str:
    return f"{name}:{index}" if index else name


def _line(node: dict[str, Any], fed: dict[str, np.ndarray]) -> str:
    name, op = node["name"], node["op"]
    extra = f" on {node['device']}" if node["device"] else ""
    if node["waits"]:
        extra += f" after {', '.join(node['waits'])}"
    if op == "Const":
        value = node["attrs"]["value"]
        small = np.array2string(value, separator=",", precision=4).replace("\n", "")
        return (
            f"{name} = {small if value.size <= 8 else 'Const'} {describe(value)}{extra}"
        )
    if name in fed:
        known = node["attrs"]["shape"]
        as_known = "" if known == list(fed[name].shape) else f", known as {known}"
        return f"{name} is fed {describe(fed[name])}{as_known}{extra}"
    arguments = [_shown(*one) for one in node["inputs"]]
    arguments += [
        f"{key}={describe(value) if isinstance(value, np.ndarray) else value}"
        for key, value in node["attrs"].items()
        if key not in {"T", "message"}
    ]
    return f"{name} = {op}({', '.join(arguments)}){extra}"


def extreme(draw: Draw, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Numbers among which are the ones for which rules of arithmetic fail."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return draw.array(shape, "bool")
    if kind == "c":
        part = "float32" if dtype == "complex64" else "float64"
        real, imaginary = (extreme(draw, shape, part) for _ in range(2))
        made = np.empty(shape, dtype)
        made.real, made.imag = real, imaginary
        return made
    if kind == "f":
        limits = np.finfo(dtype)
        numbers = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.5, limits.max, limits.tiny]
    else:
        limits = np.iinfo(dtype)
        numbers = [0, 1, 2, 3, limits.max, limits.min, limits.max - 1]
    count = int(np.prod(shape))
    return np.array([draw.one_of(numbers) for _ in range(count)], dtype).reshape(shape)


def sizes_text(shape: Any) -> str:
    """As minitf prints a shape."""
    if shape is None:
        return "<unknown>"
    return f"[{','.join('?' if n in (None, -1) else str(n) for n in shape)}]"
