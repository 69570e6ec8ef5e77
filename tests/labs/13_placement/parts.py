"""The parts of a cut graph: what they must be, and how they are put together again."""

import re
from typing import Any

from lab_13_placement.trials import (
    PROCESS,
    Device,
    Node,
    differs,
    graph_text,
    request_text,
    run_set,
)

from minitf_lab.judge.case import Call, Mismatch, Trial

SENDS, RECEIVES = {"_Send", "_HostSend"}, {"_Recv", "_HostRecv"}


class Joined:
    """The parts of a step, put together again.

    Attributes:
        where: The device of each node.
        sources: What each node takes, as names of outputs of the whole.
        waits: What each node waits for.
        problem: What is wrong with the parts by themselves.
    """

    def __init__(self, parts: list[dict], nodes: list[Node]) -> None:
        self.problem = ""
        self._by_name = {one["name"]: one for one in nodes}
        self._received: list[tuple[str, str, str]] = []
        self.where: dict[str, str] = {}
        self._nodes: dict[str, dict] = {}
        self._senders: dict[tuple, dict] = {}
        for part in parts:
            for one in part["nodes"]:
                if one["name"] in self.where:
                    self.problem = f"two nodes are called {one['name']}"
                self.where[one["name"]] = part["device"]
                self._nodes[one["name"]] = one
                if one["device"] != part["device"]:
                    self.problem = f"{one['name']} is in the part of {part['device']}"
                if one["op"] in SENDS:
                    self._note_send(one, part)
        self.sources: dict[str, list[str]] = {}
        self.waits: dict[str, list[str]] = {}
        receivers: set[tuple] = set()
        for part in parts:
            for one in part["nodes"]:
                if one["op"] in RECEIVES:
                    key = self._key(one)
                    if key not in self._senders:
                        self.problem = (
                            f"nothing is sent under {key}, which {one['name']} receives"
                        )
                        return
                    if key in receivers:
                        self.problem = f"{key} is received twice"
                    if one["recv_device"] != part["device"]:
                        self.problem = f"{one['name']} receives for {one['recv_device']}"
                    receivers.add(key)
                    self._note_recv(one, part)
        if unheard := set(self._senders) - receivers:
            self.problem = f"nobody receives what is sent under {min(unheard)}"
        for name, one in self._nodes.items():
            if one["op"] in SENDS | RECEIVES or self._is_ran(name):
                continue
            try:
                self.sources[name] = [
                    self._origin(i, part=self.where[name]) for i in one["inputs"]
                ]
                waits = [self._origin_of_wait(c) for c in one["control"]]
            except KeyError as error:
                self.problem = (
                    self.problem or f"{name} takes {error}, which is not in its part"
                )
                return
            self.waits[name] = sorted(set(waits))

    def _is_ran(self, name: str) -> bool:
        """Whether it is a constant that says that a node has run."""
        return name.startswith("ran/") and name not in self._by_name

    def sends(self, name: str) -> bool:
        """Whether the node is an end that sends."""
        return self._nodes[name]["op"] in SENDS

    def num_ran(self) -> int:
        """How many of these there are."""
        return sum(map(self._is_ran, self._nodes))

    def _key(self, one: dict) -> tuple:
        keys = ("tensor_name", "send_device", "incarnation", "recv_device")
        return tuple(one[key] for key in keys)

    def _note_send(self, one: dict, part: dict) -> None:
        key = self._key(one)
        if key in self._senders:
            self.problem = f"two nodes send under {key}"
        self._senders[key] = one
        if one["send_device"] != part["device"]:
            self.problem = f"{one['name']} sends for {one['send_device']}"
        if one["name"] not in part["targets"]:
            self.problem = f"{one['name']} is no target of its part"

    def _origin(self, text: str, part: str = "") -> str:
        """An output of the whole, for one of a part."""
        name = text.rpartition(":")[0]
        one = self._nodes[name]
        if part and self.where[name] != part:
            raise KeyError(name)
        if one["op"] in RECEIVES:
            if not text.endswith(":0"):
                self.problem = f"{text} is taken, and {name} has one output"
            sender = self._senders[self._key(one)]
            return self._origin(sender["inputs"][0], self.where[sender["name"]])
        return text

    def _origin_of_wait(self, name: str) -> str:
        """The node of the whole for which one of a part waits."""
        one = self._nodes[name]
        if one["op"] not in RECEIVES:
            return name
        sender = self._senders[self._key(one)]
        constant = self._nodes[sender["inputs"][0].rpartition(":")[0]]
        waits = constant["control"]
        return (
            waits[0] if len(waits) == 1 else f"{constant['name']} that waits for {waits}"
        )

    def received(self) -> list[tuple[str, str, str]]:
        """What is received, on which device, and in which memory."""
        return sorted(self._received)

    def _note_recv(self, one: dict, part: dict) -> None:
        """Looks at the two ends of an edge: their ops, and what they send."""
        sender = self._senders[self._key(one)]
        text = sender["inputs"][0]
        name, _, output = text.rpartition(":")
        source = self._nodes[name]
        if one["types"] != source["types"][int(output) :][:1]:
            self.problem = f"{one['name']} gives {one['types']}, and {text} is sent"
        is_ran = self._is_ran(name)
        if is_ran and source["types"] != ["int32 [0]"]:
            self.problem = f"{name} is {source['types']}, expected an empty int32"
        for end in (sender, one, *[source] * is_ran):
            before = source["control"][0] if is_ran and source["control"] else name
            origin = self._by_name.get(before, {}).get("origin", "")
            if before in self._by_name and end["origin"] != origin:
                self.problem = f"the origin of {end['name']} is {end['origin']!r}"
        if is_ran and source["control"]:
            self._check_ran(name, f"ran/{source['control'][0]}")
        what = str(("ran", *source["control"])) if is_ran else text
        known = None if is_ran else self._by_name.get(name)
        lies = _memory(known, self.where[name], "outputs", int(output))
        self._check_end(sender, self.where[name], "Send", lies)
        memory = "host" if one["op"] == "_HostRecv" else "device"
        if ":CPU:" in part["device"]:
            memory = "host"
            self._check_end(one, part["device"], "Recv", memory)
        self._received.append((what, part["device"], memory))

    def _check_ran(self, name: str, plain: str) -> None:
        """Looks at the name of a constant: a number follows only if it has to."""
        others = [other for other in self._nodes if self._is_ran(other) and other != name]
        is_taken = plain in self._by_name or any(
            other.lower().startswith(plain.lower()) for other in others
        )
        if name != plain and not (
            is_taken and re.fullmatch(re.escape(plain) + r"_\d+", name)
        ):
            self.problem = f"the constant for {plain[4:]} is called {name}"

    def _check_end(self, one: dict, device: str, end: str, memory: str) -> None:
        is_host = memory == "host" and ":CPU:" not in device
        if one["op"] != (op := f"_{'Host' if is_host else ''}{end}"):
            self.problem = f"{one['name']} is a {one['op']}, expected {op}"

    def incarnations(self) -> set[tuple[str, int]]:
        """Which numbers devices have."""
        return {(key[1], key[2]) for key in self._senders}


# Which inputs and outputs lie in host memory on a GPU.
ON_HOST = {
    "Reshape": {"inputs": {1}},
    "Tile": {"inputs": {1}},
    "TopKV2": {"inputs": {1}},
    "GatherV2": {"inputs": {2}},
    "Shape": {"outputs": {0}},
    "Size": {"outputs": {0}},
    "TestTwoMemories": {"inputs": {1}, "outputs": {1}},
}
ON_HOST_IF_INT32 = {"Const", "Identity", "Neg"}


def _memory(one: Node | None, device: str, end: str, number: int) -> str:
    """Where an input or output of a node lies: "host", or on the "device"."""
    if one is None or ":CPU:" in device:
        return "host"
    if one["op"] in ON_HOST_IF_INT32:
        return "host" if one.get("is_int32") else "device"
    return "host" if number in ON_HOST.get(one["op"], {}).get(end, ()) else "device"


def _expected(nodes: list[Node], request: dict) -> tuple[dict, dict, dict, set]:
    """Devices, sources and waits of a step, and what has to travel to which device."""
    host = PROCESS + "CPU:0"
    fed = {
        tuple(e): f"feed/{nodes[e[0]]['name']}_{e[1]}" for e in request.get("feeds", [])
    }
    where = dict.fromkeys(fed.values(), host)
    sources: dict[str, list[str]] = {name: [] for name in where}
    waits: dict[str, list[str]] = {name: [] for name in where}
    travels = set()
    running = run_set(nodes, request)

    def reach(edge: Any) -> str:
        n, i = edge
        return f"{fed[(n, i)]}:0" if (n, i) in fed else f"{nodes[n]['name']}:{i}"

    for n in running:
        one = nodes[n]
        name = one["name"]
        where[name] = one["device"] or host
        late = {i: (m, k) for i, m, k in one.get("late_inputs", [])}
        edges = [late.get(i, tuple(edge)) for i, edge in enumerate(one["inputs"])]
        sources[name] = [reach(edge) for edge in edges]
        waits[name] = sorted(
            {nodes[c]["name"] for c in one.get("control", []) if c in running}
        )
    for i, edge in enumerate(request.get("fetches", [])):
        sources[i] = [reach(tuple(edge))]
        waits[i] = []
        where[i] = host
    by_name = {one["name"]: one for one in nodes}
    for name, taken in sources.items():
        for i, text in enumerate(taken):
            source, _, output = text.rpartition(":")
            lies = _memory(by_name.get(source), where[source], "outputs", int(output))
            wanted = _memory(by_name.get(name), where[name], "inputs", i)
            if (where[source], lies) != (where[name], wanted):
                travels.add((text, where[name], wanted))
        for before in waits[name]:
            if where[before] != where[name]:
                travels.add((("ran", before), where[name], "host"))
    return where, sources, waits, travels


def cut(
    nodes: list[Node], request: dict, devices: list[Device], *, by_hand: bool = False
) -> Trial:
    """A graph of which every node asks for a device in full, but for a feed.

    ``by_hand``, nodes are put there, and not by the placer.
    """
    where, sources, waits, travels = _expected(nodes, request)
    running = [nodes[n] for n in run_set(nodes, request)]
    num_ran = len({what for what, *_ in travels if isinstance(what, tuple)})

    def check(values: list[Any]) -> Mismatch | str | None:
        parts = values[0]
        joined = Joined(parts, running)
        if joined.problem:
            return joined.problem
        host = parts[0]
        if host["device"] != devices[0][0]:
            return "the first part is not that of the host"
        retvals = {name: i for i, name in enumerate(host["retvals"])}
        for name, taken in joined.sources.items():
            key = retvals.get(name, name)
            if key not in where:
                return f"there is a node {name}"
            for what, got, wanted in (
                ("is on", joined.where[name], where[key]),
                ("takes", taken, sources[key]),
                ("waits for", joined.waits[name], waits[key]),
            ):
                if wrong := differs(f"what {name} {what}", got, wanted):
                    return wrong
        if missing := [
            n for n in where if not isinstance(n, int) and n not in joined.sources
        ]:
            return f"{missing[0]} is in no part"
        targets = sorted(
            t for part in parts for t in part["targets"] if not joined.sends(t)
        )
        wanted = sorted(nodes[n]["name"] for n in request.get("targets", []))
        return (
            differs("the targets", targets, wanted)
            or differs(
                "what is received, on which device and in which memory",
                joined.received(),
                sorted((str(what), *there) for what, *there in travels),
            )
            or differs(
                "the number of constants that say that a node has run",
                joined.num_ran(),
                num_ran,
            )
        )

    title = f"{graph_text(nodes)}; {request_text(nodes, request)}"
    arguments = {"nodes": nodes, "request": request, "devices": devices}
    arguments["by_hand"] = by_hand
    return Trial(title, [Call("cut", arguments)], check)
