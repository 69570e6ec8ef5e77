"""What trials of lab 13 are made of: names, placement and parts, without minitf.

``parts_of`` reads the name of a device by patterns, ``Placement`` (placement.py) places a
graph node by node, and ``Joined`` (parts.py) puts the parts of a cut graph together again
by the names of their edges. A rendezvous is a list for each key (``Table``, table.py).
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from minitf_lab.judge.case import Call, Mismatch, Raised, Trial
from minitf_lab.judge.draw import Draw

Node = dict[str, Any]
Edge = tuple[int, int]
Parts = tuple[str | None, int | None, int | None, str | None, int | None]
Device = tuple[str, str, int]

INVALID_ARGUMENT = 3
PROCESS = "/job:localhost/replica:0/task:0/device:"


def local(*names: str, gpu_first: bool = False) -> list[Device]:
    """Devices of this process, such as "CPU:0"; a GPU comes after all CPUs, or before."""
    return [
        (
            PROCESS + name,
            name[:3],
            100 if name.startswith("CPU") else 50 + 100 * gpu_first,
        )
        for name in names
    ]


FOUR = local("CPU:0", "CPU:1", "GPU:0", "GPU:1")


def in_process(process: str, *names: str) -> list[Device]:
    """Devices of another process, such as "/job:worker/replica:0/task:1"."""
    return [
        (f"{process}/device:{name}", kind, priority)
        for name, (_, kind, priority) in zip(names, local(*names), strict=True)
    ]


# ---- Names ----------------------------------------------------------------------------

NUMBER = r"(?P<{0}>\*|\d+)"
PATTERNS = {
    "job": r"job:(?P<job>\*|[A-Za-z]\w*)",
    "replica": "replica:" + NUMBER.format("replica"),
    "task": "task:" + NUMBER.format("task"),
    "device": r"device:(?P<type>\*|[A-Za-z_]\w*)(:" + NUMBER.format("index") + ")?",
    "short": r"(?P<short>cpu|gpu)(:" + NUMBER.format("index") + ")?",
}


def parts_of(text: str) -> Parts | None:
    """Job, replica, task, type and index of a name; None if it is none."""
    found: dict[str, Any] = dict.fromkeys(("job", "replica", "task", "type", "index"))
    if text in ("", "/"):
        return tuple(found.values())
    chosen = dict(PATTERNS)
    if text.startswith("/"):
        pieces = text[1:].split("/")
    else:
        pieces = [text]
        chosen = {key: PATTERNS[key] for key in ("device", "short")}
    for piece in pieces:
        match = next(
            (m for p in chosen.values() if (m := re.fullmatch(p, piece, re.I | re.A))),
            None,
        )
        if not match:
            return None
        groups = match.groupdict()
        if "short" in groups:
            groups["type"] = groups.pop("short")
        if "type" in groups:
            groups["type"] = groups["type"].upper()
        for key, value in groups.items():
            is_any = value in (None, "*")
            if key in ("replica", "task", "index") and not is_any:
                if int(value) > 2**31 - 1:
                    return None
                value = int(value)
            found[key] = None if is_any else value
    return tuple(found.values())


def text_of(parts: Parts) -> str:
    """The canonical form."""
    job, replica, task, kind, index = parts
    text = "" if job is None else f"/job:{job}"
    text += "" if replica is None else f"/replica:{replica}"
    text += "" if task is None else f"/task:{task}"
    if kind is None and index is None:
        return text
    return f"{text}/device:{kind or '*'}:{'*' if index is None else index}"


def covers(a: Parts, b: Parts) -> bool:
    """Whether all that ``b`` may mean, ``a`` may."""
    return all(one is None or one == other for one, other in zip(a, b, strict=True))


def agree(a: Parts, b: Parts) -> list[bool]:
    """Of each part, whether the two do not contradict each other."""
    return [
        one is None or other is None or one == other
        for one, other in zip(a, b, strict=True)
    ]


def merged(a: Parts, b: Parts, soft: bool) -> Parts | str:
    """Both together; what contradicts, if they do."""
    fits = agree(a, b)
    names = ("jobs", "replicas", "tasks", "types", "ids")
    whole = [other if one is None else one for one, other in zip(a, b, strict=True)]
    for name, fit in zip(names, fits, strict=True):
        if fit:
            continue
        if not soft or name not in ("types", "ids"):
            return name
        whole[4] = None
        if name == "types":
            whole[3] = None
    return tuple(whole)


# ---- Graphs ---------------------------------------------------------------------------


def node(op: str, name: str, inputs: Iterable[Edge] = (), **more: Any) -> Node:
    """A node; ``more`` are its other members, such as ``device``."""
    return {"op": op, "name": name, "inputs": list(inputs), **more}


def const(name: str, value: float, **more: Any) -> Node:
    """A constant."""
    return node("Const", name, value=np.float64(value), **more)


def feed(name: str, **more: Any) -> Node:
    """A placeholder."""
    return node("Placeholder", name, attrs={"dtype": "float64"}, **more)


def variable(name: str, **more: Any) -> Node:
    """A handle of a variable."""
    attrs = {"dtype": "float64", "shape": [], "shared_name": name}
    return node("VarHandleOp", name, attrs=attrs, **more)


def read(name: str, handle: int, **more: Any) -> Node:
    """The value of a variable."""
    return node("ReadVariableOp", name, [(handle, 0)], attrs={"dtype": "float64"}, **more)


def assign(name: str, handle: int, value: Edge, **more: Any) -> Node:
    """Gives a variable a value."""
    attrs = {"dtype": "float64"}
    return node("AssignVariableOp", name, [(handle, 0), value], attrs=attrs, **more)


def together(one: Node, *names: str) -> Node:
    """A node that is to be where nodes of these names are."""
    classes = [f"loc:@{name}" for name in names]
    return one | {"attrs": {**one.get("attrs", {}), "_class": classes}}


# The ops of test_ops.h have two shapes to read, none but at the host, two outputs, two
# handles, inputs and outputs in both memories, or no kernel at all.
HAS_NO_OUTPUT = {"NoOp", "AssignVariableOp", "TestTwoHandles"}
HOST_ONLY = {"FIFOQueueV2", "PyFunc", "TestHostShape"}
SHAPES_ONLY = {"Shape", "Size", "Rank", "TestTwoShapes", "TestHostShape"}


def num_outputs(one: Node) -> int:
    """How many outputs it has."""
    if one["op"] == "IdentityN":
        return len(one["inputs"])
    if one["op"] in ("TestTwins", "TestTwoMemories"):
        return 2
    return 0 if one["op"] in HAS_NO_OUTPUT else 1


def run_set(nodes: list[Node], request: dict[str, Any]) -> list[int]:
    """The nodes that a step runs; all but late edges come from nodes before."""
    fed = set(map(tuple, request.get("feeds", [])))
    fetched = {n for n, i in request.get("fetches", []) if (n, i) not in fed}
    needed = {*request.get("targets", []), *fetched}
    for n in [*reversed(range(len(nodes)))] * 2:  # a loop is gone round twice
        if n not in needed:
            continue
        needed |= {m for _, m, _ in nodes[n].get("late_inputs", [])}
        needed |= {m for m, i in nodes[n]["inputs"] if (m, i) not in fed}
        needed |= {
            c
            for c in nodes[n].get("control", [])
            if not (nodes[c]["op"] == "Placeholder" and (c, 0) in fed)
        }
    return sorted(needed)


def values_of(
    nodes: list[Node], request: dict[str, Any], values: Iterable[float]
) -> list[float]:
    """What a step gives."""
    known = dict(zip(map(tuple, request.get("feeds", [])), values, strict=True))
    for n in run_set(nodes, request):
        one = nodes[n]
        xs = [known[tuple(edge)] for edge in one["inputs"]]
        outputs = {
            "Const": lambda one=one: [float(one["value"])],
            "Add": lambda xs=xs: [xs[0] + xs[1]],
            "Sub": lambda xs=xs: [xs[0] - xs[1]],
            "Mul": lambda xs=xs: [xs[0] * xs[1]],
            "Neg": lambda xs=xs: [-xs[0]],
            "Identity": lambda xs=xs: xs,
            "IdentityN": lambda xs=xs: xs,
            "NoOp": list,
        }[one["op"]]()
        for i, value in enumerate(outputs):
            known.setdefault((n, i), value)
    return [known[tuple(edge)] for edge in request.get("fetches", [])]


def random_graph(
    draw: Draw, size: int, devices: list[str], *, ops: tuple[str, ...] = ()
) -> list[Node]:
    """A feed, constants, and nodes that take and wait for those before them."""
    ops = ops or ("Add", "Sub", "Mul", "Neg", "Identity", "IdentityN", "NoOp", "Const")
    nodes = [feed("x"), const("c", draw.whole(1, 3))]
    for n in range(2, size + 2):
        op = draw.one_of(ops)
        name = f"{op.lower()}{n}"
        edges = [(m, i) for m in range(n) for i in range(num_outputs(nodes[m]))]
        count = {"NoOp": 0, "Const": 0, "Neg": 1, "Identity": 1}.get(op, 2)
        device = draw.one_of(devices)
        control = draw.shuffled(range(1, n))[: draw.whole(1, 2)] if draw.coin(0.3) else []
        if op == "Const":
            nodes.append(const(name, draw.whole(-3, 3), device=device, control=control))
        else:
            inputs = [draw.one_of(edges[-8:]) for _ in range(count)]
            nodes.append(node(op, name, inputs, device=device, control=control))
    return nodes


# ---- Trials ---------------------------------------------------------------------------


def graph_text(nodes: list[Node]) -> str:
    """A graph as a report shows it, as far as it is small."""
    lines = []
    for one in nodes[:10]:
        sources = [f"{nodes[n]['name']}:{i}" for n, i in one["inputs"]]
        sources += [f"^{nodes[n]['name']}" for n in one.get("control", [])]
        where = f" on {one['device']}" if one.get("device") else ""
        beside = one.get("attrs", {}).get("_class")
        where += f" with {beside}" if beside else ""
        lines.append(f"{one['name']} = {one['op']}({', '.join(sources)}){where}")
    if len(nodes) > 10:
        lines.append(f"and {len(nodes) - 10} more nodes")
    return "; ".join(lines)


def request_text(nodes: list[Node], request: dict[str, Any]) -> str:
    """What is asked for."""
    edges = [f"{nodes[n]['name']}:{i}" for n, i in request.get("fetches", [])]
    targets = [nodes[n]["name"] for n in request.get("targets", [])]
    return (
        f"fetches {', '.join(edges) or 'nothing'}, targets {', '.join(targets) or 'none'}"
    )


def differs(what: str, got: Any, expected: Any) -> Mismatch | None:
    """A mismatch unless the two are equal."""
    if isinstance(got, Raised):
        return Mismatch(f"{what}: it raised {got.type}: {got.message}")
    if got == expected:
        return None
    return Mismatch(f"{what}: wrong", expected=str(expected)[:400], got=str(got)[:400])


def list_trial(
    title: str, function: str, arguments: dict, names: list, expected: list
) -> Trial:
    """A call that gives one value for each of ``names``."""

    def check(values: list[Any]) -> Mismatch | None:
        for name, got, wanted in zip(names, values[0], expected, strict=True):
            if wrong := differs(f"{function} of {name!r}", got, wanted):
                return wrong
        return None

    return Trial(title, [Call(function, arguments)], check)


def check_step(what: str, result: dict, expected: list[float]) -> Mismatch | None:
    """What is wrong with the fetches of a step."""
    if "values" not in result:
        return Mismatch(f"{what} failed: {result.get('message')}")
    got = [float(np.asarray(one)) for one in result["values"]]
    return differs(f"{what}: its fetches", got, [float(one) for one in expected])


def requests(draw: Draw, nodes: list[Node]) -> dict[str, Any]:
    """Feeds x, and asks for some outputs and nodes."""
    edges = [(n, i) for n, one in enumerate(nodes) for i in range(num_outputs(one))]
    fetches = [draw.one_of(edges[1:]) for _ in range(draw.whole(1, 3))]
    targets = [draw.whole(1, len(nodes) - 1) for _ in range(draw.whole(0, 2))]
    return {"feeds": [(0, 0)], "fetches": fetches, "targets": targets}


Check = Callable[[list[Any]], Mismatch | str | None]
Trials = Iterator[Trial]
