"""Lab 13, tasks 7 and 8: what is cut, what travels, and what the parts compute."""

from typing import Any

import numpy as np
from lab_13_placement.trials import (
    FOUR,
    PROCESS,
    Device,
    Node,
    check_step,
    const,
    differs,
    feed,
    graph_text,
    local,
    node,
    num_outputs,
    random_graph,
    request_text,
    requests,
    run_set,
    values_of,
)

from minitf_lab.judge.case import Call, Mismatch, Trial, case
from minitf_lab.judge.draw import Draw

TWO = local("CPU:0", "CPU:1")
THREE = local("CPU:0", "CPU:1", "CPU:2")
SENDS, RECEIVES = {"_Send", "_HostSend"}, {"_Recv", "_HostRecv"}
COUNT = {"CPU": 2, "GPU": 2}


class Joined:
    """The parts of a step, put together again.

    Attributes:
        where: The device of each node.
        sources: What each node takes, as names of outputs of the whole.
        waits: What each node waits for.
        travels: What is sent to each device: an output, or ("ran", a node).
        problem: What is wrong with the parts by themselves.
        num_constants: How many say that a node has run.
    """

    def __init__(self, parts: list[dict]) -> None:
        self.problem = ""
        names = [one["name"] for part in parts for one in part["nodes"]]
        self.num_constants = sum(name.startswith("ran/") for name in names)
        self.where: dict[str, str] = {}
        self._nodes: dict[str, dict] = {}
        self._senders: dict[tuple, dict] = {}
        self.travels: list[tuple[Any, str]] = []
        for part in parts:
            for one in part["nodes"]:
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
        if unheard := set(self._senders) - receivers:
            self.problem = f"nobody receives what is sent under {min(unheard)}"
        for name, one in self._nodes.items():
            if one["op"] in SENDS | RECEIVES or name.startswith("ran/"):
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

    def num_sends(self) -> int:
        """How many nodes send."""
        return len(self._senders)

    def incarnations(self) -> set[tuple[str, int]]:
        """Which numbers devices have."""
        return {(key[1], key[2]) for key in self._senders}


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
        sources[name] = [reach(tuple(edge)) for edge in one["inputs"]]
        waits[name] = sorted(
            {nodes[c]["name"] for c in one.get("control", []) if c in running}
        )
    for i, edge in enumerate(request.get("fetches", [])):
        sources[i] = [reach(tuple(edge))]
        waits[i] = []
        where[i] = host
    for name, taken in sources.items():
        for text in taken:
            if where[text.rpartition(":")[0]] != where[name]:
                travels.add((text, where[name]))
        for before in waits[name]:
            if where[before] != where[name]:
                travels.add((("ran", before), where[name]))
    return where, sources, waits, travels


def _cut(nodes: list[Node], request: dict, devices: list[Device]) -> Trial:
    """A graph of which every node asks for a device in full, but for a feed."""
    where, sources, waits, travels = _expected(nodes, request)
    num_ran = len({what for what, _ in travels if isinstance(what, tuple)})

    def check(values: list[Any]) -> Mismatch | str | None:
        parts = values[0]
        joined = Joined(parts)
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
            t for part in parts for t in part["targets"] if not t.startswith("send/")
        )
        wanted = sorted(nodes[n]["name"] for n in request.get("targets", []))
        return (
            differs("the targets", targets, wanted)
            or differs("the number of transfers", joined.num_sends(), len(travels))
            or differs(
                "the number of constants that say that a node has run",
                sum(
                    one["name"].startswith("ran/")
                    for part in parts
                    for one in part["nodes"]
                ),
                num_ran,
            )
        )

    title = f"{graph_text(nodes)}; {request_text(nodes, request)}"
    arguments = {"nodes": nodes, "request": request, "devices": devices}
    return Trial(title, [Call("cut", arguments)], check)


def _on(device: str) -> str:
    return PROCESS + device


CPUS = [_on("CPU:0"), _on("CPU:1"), _on("CPU:2")]


def _ran(
    nodes: list[Node], request: dict, fed: list[float], transfers: int | None = None
) -> Trial:
    """Steps on four devices, which give what arithmetic gives."""
    expected = [values_of(nodes, request, [value]) for value in fed]

    def check(values: list[Any]) -> Mismatch | None:
        for i, (result, wanted) in enumerate(zip(values[0], expected, strict=True)):
            if wrong := check_step(f"step {i + 1}", result, wanted):
                return wrong
            if transfers is not None and (
                wrong := differs(
                    "the number of transfers", result["num_transfers"], transfers
                )
            ):
                return wrong
        return None

    arguments = {"nodes": nodes, "request": request, "device_count": COUNT}
    arguments["steps"] = [[np.float64(value)] for value in fed]
    title = (
        f"{graph_text(nodes)}; {request_text(nodes, request)}; run on 2 CPUs and 2 GPUs"
    )
    return Trial(title, [Call("run", arguments)], check)


def _somewhere(draw: Draw, size: int, devices: list[str]) -> list[Node]:
    nodes = random_graph(draw, size, devices)
    for one in nodes[1:]:
        one["device"] = one.get("device") or devices[0]
    return nodes


# ---- 13.7 -----------------------------------------------------------------------------


@case("13.7")
def one_transfer_for_many(draw):
    """A tensor travels once to each device, however many nodes take it there."""
    for count in (1, 2, 5, 20):
        for others in (CPUS[1:2], CPUS[1:3]):
            nodes = [const("a", 1, device=CPUS[0])]
            for device in others:
                for i in range(count):
                    name = f"n{i}_{device[-1]}"
                    nodes.append(node("Mul", name, [(0, 0), (0, 0)], device=device))
            yield _cut(nodes, {"targets": list(range(len(nodes)))}, THREE)


@case("13.7")
def outputs_travel_alone(draw):
    """Each output of a node is a tensor of its own, with a transfer of its own."""
    nodes = [const("a", 1, device=CPUS[0])]
    nodes.append(node("IdentityN", "n", [(0, 0)] * 3, device=CPUS[0]))
    nodes.append(node("Sub", "b", [(1, 0), (1, 2)], device=CPUS[1]))
    nodes.append(node("Sub", "c", [(1, 2), (1, 2)], device=CPUS[1]))
    nodes.append(node("Sub", "d", [(1, 1), (2, 0)], device=CPUS[0]))
    for targets in ([2], [3], [2, 3], [4], [2, 3, 4]):
        yield _cut(nodes, {"targets": targets, "fetches": [(1, 1)]}, THREE)


@case("13.7")
def nothing_travels_at_home(draw):
    """What is on the device of its consumer is taken as it is."""
    for device in CPUS:
        nodes = [const("a", 1, device=device), node("Neg", "b", [(0, 0)], device=device)]
        nodes.append(node("Sub", "c", [(1, 0), (0, 0)], device=device, control=[0, 1]))
        yield _cut(nodes, {"targets": [2]}, THREE)
        yield _cut(nodes, {"fetches": [(2, 0), (0, 0)], "targets": [1]}, THREE)


@case("13.7")
def there_and_back(draw):
    """A tensor that goes from device to device, and comes back."""
    for length in (1, 2, 3, 8):
        nodes = [feed("x"), const("one", 1, device=CPUS[0])]
        for i in range(length):
            last = (len(nodes) - 1, 0) if i else (0, 0)
            nodes.append(node("Add", f"n{i}", [last, (1, 0)], device=CPUS[(i + 1) % 3]))
        request = {"feeds": [(0, 0)], "fetches": [(length + 1, 0), (0, 0)]}
        yield _cut(nodes, request, THREE)


@case("13.7", over=range(2))
def random_cuts(draw, _part):
    """Random graphs on three devices: every edge leads where it led before."""
    for size in range(1, 45):
        nodes = _somewhere(draw, size, CPUS)
        yield _cut(nodes, requests(draw, nodes), THREE)


@case("13.7")
def transfers_of_a_step(draw):
    """A step counts one transfer for each tensor and device."""
    nodes = [feed("x"), node("Neg", "a", [(0, 0)], device="/cpu:0")]
    nodes += [node("Mul", f"b{i}", [(1, 0), (1, 0)], device="/gpu:0") for i in range(3)]
    nodes += [node("Mul", f"c{i}", [(1, 0), (1, 0)], device="/cpu:1") for i in range(3)]
    targets = list(range(2, 8))
    yield _ran(nodes, {"feeds": [(0, 0)], "targets": targets}, [1, 2, 3], 2)
    request = {"feeds": [(0, 0)], "targets": targets, "fetches": [(2, 0), (5, 0)]}
    yield _ran(nodes, request, [1, 2, 3], 4)
    yield _ran(nodes, {"feeds": [(0, 0)], "fetches": [(1, 0)]}, [5], 0)


@case("13.7", hidden=True, over=range(2))
def more_random_cuts(draw, _part):
    """Larger random graphs on two and on four devices."""
    for size in range(10, 70, 3):
        devices = [device[0] for device in FOUR[:2]]
        nodes = _somewhere(draw, size, devices)
        yield _cut(nodes, requests(draw, nodes), TWO)


# ---- 13.8 -----------------------------------------------------------------------------


@case("13.8")
def the_ends_of_an_edge(draw):
    """Send and receive agree on name, devices and incarnation, and on nothing else's."""
    for pair in [(0, 1), (1, 0), (1, 2), (2, 0)]:
        nodes = [const("a", 1, device=CPUS[pair[0]])]
        nodes.append(node("Neg", "b", [(0, 0)], device=CPUS[pair[1]]))
        trial = _cut(nodes, {"targets": [1]}, THREE)
        sender = (CPUS[pair[0]], 101 + pair[0])

        def check(values: list, trial: Trial = trial, sender: tuple = sender) -> Any:
            if wrong := trial.check(values):
                return wrong
            members = [one for part in values[0] for one in part["nodes"]]
            types = [one["type"] for one in members if one["op"] in RECEIVES]
            return differs(
                "who sends", Joined(values[0]).incarnations(), {sender}
            ) or differs("the type and shape of what is received", types, ["float64 []"])

        yield Trial(trial.title, trial.calls, check)


@case("13.8")
def waiting_for_another_device(draw):
    """To wait is to receive a constant that waits, one for all who wait there."""
    for ops in (["Const", "Const"], ["NoOp", "NoOp"], ["Const", "NoOp"]):
        for count in (1, 3):
            nodes = []
            first, second = ops
            one = {"device": CPUS[0]}
            nodes.append(
                const("a", 1, **one) if first == "Const" else node("NoOp", "a", **one)
            )
            for device in CPUS[1:]:
                for i in range(count):
                    more = {"device": device, "control": [0]}
                    name = f"b{i}_{device[-1]}"
                    nodes.append(
                        const(name, 2, **more)
                        if second == "Const"
                        else node("NoOp", name, **more)
                    )
            yield _cut(nodes, {"targets": list(range(1, len(nodes)))}, THREE)


@case("13.8")
def tensor_and_wait(draw):
    """Who takes a tensor and waits for the same node gets both."""
    nodes = [const("a", 1, device=CPUS[0]), const("z", 1, device=CPUS[1])]
    nodes.append(node("Neg", "b", [(0, 0)], device=CPUS[1], control=[0]))
    nodes.append(node("Neg", "c", [(1, 0)], device=CPUS[1], control=[0, 1]))
    yield _cut(nodes, {"targets": [2]}, THREE)
    yield _cut(nodes, {"targets": [3, 2]}, THREE)
    yield _cut(nodes, {"targets": [3], "fetches": [(2, 0)]}, THREE)


@case("13.8")
def random_waits(draw):
    """Random graphs with many waits."""
    for size in range(2, 40):
        nodes = _somewhere(draw, size, CPUS)
        for n in range(2, len(nodes)):
            nodes[n]["control"] = draw.shuffled(range(1, n))[: draw.whole(0, 3)]
        yield _cut(nodes, requests(draw, nodes), THREE)


@case("13.8", over=range(2))
def values_of_many_devices(draw, _part):
    """Steps on two CPUs and two GPUs give the values of one device."""
    asked = ["", "/cpu:0", "/cpu:1", "/gpu:0", "/gpu:1"]
    for size in range(1, 30, 2):
        nodes = random_graph(draw, size, asked)
        yield _ran(nodes, requests(draw, nodes), [1, 2, -3])


def _at_once(nodes: list[Node], fetch: int, threads: int, times: int) -> Trial:
    request = {"feeds": [(0, 0)], "fetches": [(fetch, 0)]}
    expected = [
        [values_of(nodes, request, [t + step / 1024])[0] for step in range(times)]
        for t in range(threads)
    ]

    def check(values: list[Any]) -> Mismatch | None:
        for number, (got, wanted) in enumerate(zip(values[0], expected, strict=True)):
            if wrong := differs(f"what thread {number} has fetched", got, wanted):
                return wrong
        return None

    arguments = {"nodes": nodes, "request": request, "device_count": COUNT}
    arguments |= {"num_threads": threads, "times": times}
    title = f"{threads} threads run {graph_text(nodes)} at the same time"
    return Trial(title, [Call("run_at_once", arguments)], check)


@case("13.8")
def steps_do_not_mix(draw):
    """Steps that run at the same time send each other nothing."""
    nodes = [feed("x"), node("Neg", "a", [(0, 0)], device="/cpu:1")]
    nodes += [node("Mul", "b", [(1, 0), (1, 0)], device="/gpu:0")]
    nodes += [node("Sub", "c", [(2, 0), (1, 0)], device="/cpu:1")]
    for threads in (1, 2, 4):
        yield _at_once(nodes, 3, threads, 20)


@case("13.8", hidden=True)
def more_steps_at_once(draw):
    """The same with random graphs."""
    for size in (5, 10, 15):
        ops = ("Add", "Sub", "Neg")
        nodes = random_graph(draw, size, ["/cpu:1", "/gpu:0", "/gpu:1", ""], ops=ops)
        last = max(n for n in range(len(nodes)) if num_outputs(nodes[n]))
        yield _at_once(nodes, last, 4, 10)


@case("13.8", hidden=True)
def more_values(draw):
    """Larger graphs on four devices."""
    for size in range(20, 60, 8):
        nodes = random_graph(draw, size, ["", "/cpu:1", "/gpu:0", "/gpu:1"])
        yield _ran(nodes, requests(draw, nodes), [1, 2])
