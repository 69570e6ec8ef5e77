"""Lab 13, tasks 7 and 8: what is cut, what travels, and what the parts compute."""

import itertools
from typing import Any

import numpy as np
from lab_13_placement.parts import RECEIVES, Joined, cut
from lab_13_placement.trials import (
    FOUR,
    PROCESS,
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
    values_of,
)

from minitf_lab.judge.case import Call, Mismatch, Raised, Trial, case
from minitf_lab.judge.draw import Draw

TWO = local("CPU:0", "CPU:1")
THREE = local("CPU:0", "CPU:1", "CPU:2")
COUNT = {"CPU": 2, "GPU": 2}


def _on(device: str) -> str:
    return PROCESS + device


CPUS = [_on("CPU:0"), _on("CPU:1"), _on("CPU:2")]
REMOTE = "/job:localhost/replica:0/task:1/device:CPU:0"
TWO_PROCESSES = [*TWO, (REMOTE, "CPU", 70)]


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
    for n, one in enumerate(nodes[1:]):
        one["device"] = one.get("device") or devices[0]
        one["origin"] = draw.one_of(["", f"train.py:{n}"])
    return nodes


FOUR_NAMES = [device[0] for device in FOUR]


def _whole(name: str, value: np.ndarray, device: str) -> Node:
    """A constant of int32, which lies in host memory."""
    return node("Const", name, value=value, device=device, is_int32=True)


def _plain(name: str, value: np.ndarray, device: str) -> Node:
    return node("Const", name, value=value, device=device)


IN_MEMORIES = ["Neg", "Reshape", "Shape", "TopKV2", "Identity", "GatherV2"]
IN_MEMORIES += ["TestTwoMemories"]


def _in_memories(draw: Draw, size: int) -> list[Node]:
    """Vectors of 6 numbers, their shapes, and whole numbers, on CPUs and GPUs."""
    home = draw.one_of(FOUR_NAMES)
    nodes = [_plain("v", draw.array((6,)), home)]
    nodes.append(_whole("n", np.full(1, 6, np.int32), draw.one_of(FOUR_NAMES)))
    nodes.append(_whole("k", np.array(6, np.int32), draw.one_of(FOUR_NAMES)))
    nodes.append(_whole("axis", np.array(0, np.int32), draw.one_of(FOUR_NAMES)))
    vectors, shapes, places = [(0, 0)], [(1, 0)], [(1, 0)]
    for i in range(size):
        op = draw.one_of(IN_MEMORIES)
        more: dict[str, Any] = {"device": draw.one_of(FOUR_NAMES)}
        at, vector, shape = len(nodes), draw.one_of(vectors), draw.one_of(shapes)
        inputs = {
            "Reshape": [vector, shape],
            "TopKV2": [vector, (2, 0)],
            "TestTwoMemories": [vector, draw.one_of(vectors)],
            "GatherV2": [vector, draw.one_of(places + shapes), (3, 0)],
        }.get(op, [vector])
        if op == "Identity" or (op == "Neg" and draw.coin(0.3)):
            inputs = [draw.one_of(places if op == "Neg" else shapes)]
            more["is_int32"] = True
        nodes.append(node(op, f"{op.lower()}{i}", inputs, **more))
        if op in ("Shape", "Identity"):
            shapes.append((at, 0))
        elif op != "GatherV2" and "is_int32" not in more:
            vectors.append((at, 0))
        if op == "TopKV2":
            places.append((at, 1))
        if op == "TestTwoMemories":
            vectors.append((at, 1))
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
            yield cut(nodes, {"targets": list(range(len(nodes)))}, THREE)


@case("13.7")
def outputs_travel_alone(draw):
    """Each output of a node is a tensor of its own, with a transfer of its own."""
    nodes = [const("a", 1, device=CPUS[0])]
    nodes.append(node("IdentityN", "n", [(0, 0)] * 3, device=CPUS[0]))
    nodes.append(node("Sub", "b", [(1, 0), (1, 2)], device=CPUS[1]))
    nodes.append(node("Sub", "c", [(1, 2), (1, 2)], device=CPUS[1]))
    nodes.append(node("Sub", "d", [(1, 1), (2, 0)], device=CPUS[0]))
    for targets in ([2], [3], [2, 3], [4], [2, 3, 4]):
        yield cut(nodes, {"targets": targets, "fetches": [(1, 1)]}, THREE)


@case("13.7")
def nothing_travels_at_home(draw):
    """What is on the device of its consumer is taken as it is."""
    for device in CPUS:
        nodes = [const("a", 1, device=device), node("Neg", "b", [(0, 0)], device=device)]
        nodes.append(node("Sub", "c", [(1, 0), (0, 0)], device=device, control=[0, 1]))
        yield cut(nodes, {"targets": [2]}, THREE)
        yield cut(nodes, {"fetches": [(2, 0), (0, 0)], "targets": [1]}, THREE)


@case("13.7")
def there_and_back(draw):
    """A tensor that goes from device to device, and comes back."""
    for length in (1, 2, 3, 8):
        nodes = [feed("x"), const("one", 1, device=CPUS[0])]
        for i in range(length):
            last = (len(nodes) - 1, 0) if i else (0, 0)
            nodes.append(node("Add", f"n{i}", [last, (1, 0)], device=CPUS[(i + 1) % 3]))
        request = {"feeds": [(0, 0)], "fetches": [(length + 1, 0), (0, 0)]}
        yield cut(nodes, request, THREE)


@case("13.7", over=range(2))
def random_cuts(draw, _part):
    """Random graphs on three devices: every edge leads where it led before."""
    for size in range(1, 45):
        nodes = _somewhere(draw, size, CPUS)
        yield cut(nodes, requests(draw, nodes), THREE)


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


@case("13.7")
def a_tensor_in_two_memories(draw):
    """A tensor is received once for each memory of a device in which it is wanted."""
    small, big = np.full(1, 6, np.int32), draw.array((6,))
    for home, other in itertools.product(FOUR_NAMES, FOUR_NAMES):
        nodes = [_whole("n", small, home), _plain("v", big, home)]
        nodes.append(node("Reshape", "r", [(1, 0), (0, 0)], device=other))
        nodes.append(node("Neg", "m", [(0, 0)], device=other, is_int32=True))
        nodes.append(node("Reshape", "s", [(1, 0), (0, 0)], device=other))
        nodes.append(_whole("axis", np.array(0, np.int32), other))
        nodes.append(node("GatherV2", "g", [(1, 0), (0, 0), (5, 0)], device=other))
        nodes.append(node("GatherV2", "h", [(1, 0), (0, 0), (5, 0)], device=home))
        for targets in ([2], [3], [6], [7], [2, 6], [6, 2], [3, 4, 2], [6, 3, 2, 7]):
            yield cut(nodes, {"targets": targets}, FOUR)


@case("13.7")
def random_memories(draw):
    """Random graphs whose shapes and counts lie in host memory, on CPUs and GPUs."""
    for size in range(1, 40):
        nodes = _in_memories(draw, size)
        _let_some_wait(draw, nodes, 0.15)
        yield cut(nodes, {"targets": list(range(len(nodes)))}, FOUR)


def _let_some_wait(draw: Draw, nodes: list[Node], chance: float) -> None:
    for n in range(2, len(nodes)):
        if draw.coin(chance):
            nodes[n]["control"] = [draw.whole(0, n - 1)]


def _loop(home: str, inside: str, after: str) -> list[Node]:
    """A loop on one device; what it starts with, and what comes after it, on others."""
    frame = {"frame_name": "w", "T": "float64"}
    nodes = [const("a", 1, device=home), const("limit", 3, device=home)]
    nodes.append(node("Enter", "enter", [(0, 0)], attrs=frame))
    constant = {**frame, "is_constant": True}
    nodes.append(node("Enter", "last", [(1, 0)], attrs=constant, control=[0, 1]))
    nodes.append(node("Merge", "merge", [(2, 0), (2, 0)], late_inputs=[(1, 9, 0)]))
    nodes.append(node("Less", "less", [(4, 0), (3, 0)]))
    nodes.append(node("LoopCond", "cond", [(5, 0)]))
    nodes.append(node("Switch", "switch", [(4, 0), (6, 0)]))
    nodes.append(node("Neg", "body", [(7, 1)]))
    nodes.append(node("NextIteration", "next", [(8, 0)]))
    nodes.append(node("Exit", "exit", [(7, 0)]))
    for one in nodes[2:]:
        one["device"] = inside
    nodes.append(node("Neg", "y", [(10, 0)], device=after))
    nodes.append(const("z", 2, device=after, control=[10]))
    return nodes


@case("13.7")
def loops(draw):
    """What goes into a loop and comes out of it may travel."""
    for home, inside, after in itertools.permutations(CPUS):
        nodes = _loop(home, inside, after)
        for targets in ([11], [12], [11, 12]):
            yield cut(nodes, {"targets": targets}, THREE, by_hand=True)
            yield cut(nodes, {"targets": targets}, THREE)


@case("13.7")
def loops_in_two_processes(draw):
    """A value or a wait within a loop that leaves the process is an error."""
    for name, taker in [("body", "body"), ("next", "next"), ("switch", "switch")]:
        nodes = _loop(CPUS[0], CPUS[0], CPUS[0])
        nodes[_place_of(nodes, name)]["device"] = REMOTE
        yield _refused(nodes, [11], [taker, "exit", "body", "next", "merge"])
    for waits in ("body", "next"):
        nodes = _loop(CPUS[0], CPUS[0], CPUS[0])
        nodes.append(node("NoOp", "n", device=REMOTE, control=[_place_of(nodes, waits)]))
        yield _refused(nodes, [11, 13], ["n"])


def _place_of(nodes: list[Node], name: str) -> int:
    return [one["name"] for one in nodes].index(name)


def _refused(nodes: list[Node], targets: list[int], names: list[str]) -> Trial:
    arguments = {"nodes": nodes, "request": {"targets": targets}}
    arguments["devices"] = TWO_PROCESSES
    arguments["by_hand"] = True

    def check(values: list[Any]) -> str | None:
        got = values[0]
        if not isinstance(got, Raised):
            return "it is cut, expected Unimplemented"
        if got.type != "UnimplementedError":
            return f"it raised {got.type}: {got.message}, expected Unimplemented"
        if not any(f"'{name}'" in got.message for name in names):
            return f"the error {got.message!r} names none of {names}"
        return None

    return Trial(graph_text(nodes), [Call("cut", arguments, may_raise=True)], check)


@case("13.7", hidden=True, over=range(2))
def more_random_cuts(draw, _part):
    """Larger random graphs on two and on four devices."""
    for size in range(10, 70, 3):
        devices = [device[0] for device in FOUR[:2]]
        nodes = _somewhere(draw, size, devices)
        yield cut(nodes, requests(draw, nodes), TWO)


# ---- 13.8 -----------------------------------------------------------------------------


@case("13.8")
def the_ends_of_an_edge(draw):
    """Send and receive agree on name, devices and incarnation, and on nothing else's."""
    for pair in [(0, 1), (1, 0), (1, 2), (2, 0)]:
        nodes = [const("a", 1, device=CPUS[pair[0]])]
        nodes.append(node("Neg", "b", [(0, 0)], device=CPUS[pair[1]]))
        trial = cut(nodes, {"targets": [1]}, THREE)
        sender = (CPUS[pair[0]], 101 + pair[0])

        def check(
            values: list, trial: Trial = trial, sender: tuple = sender, nodes: Any = nodes
        ) -> Any:
            if wrong := trial.check(values):
                return wrong
            members = [one for part in values[0] for one in part["nodes"]]
            types = [one["types"][0] for one in members if one["op"] in RECEIVES]
            return differs(
                "who sends", Joined(values[0], nodes).incarnations(), {sender}
            ) or differs("the type and shape of what is received", types, ["float64 []"])

        yield Trial(trial.title, trial.calls, check)


@case("13.8")
def ends_in_each_memory(draw):
    """An end in host memory of a GPU is a _HostSend or _HostRecv, and each by itself."""
    values = draw.array((6,))
    for home, other in itertools.permutations(FOUR_NAMES, 2):
        nodes = [_plain("v", values, home), node("Shape", "s", [(0, 0)], device=home)]
        nodes.append(_whole("k", np.array(6, np.int32), home))
        nodes.append(node("TopKV2", "t", [(0, 0), (2, 0)], device=home))
        nodes.append(node("Reshape", "r", [(0, 0), (1, 0)], device=other))
        nodes.append(node("Neg", "i", [(3, 1)], device=other, is_int32=True))
        nodes.append(_whole("axis", np.array(0, np.int32), other))
        nodes.append(node("GatherV2", "n", [(0, 0), (1, 0), (6, 0)], device=other))
        nodes.append(node("GatherV2", "o", [(0, 0), (3, 1), (6, 0)], device=other))
        nodes.append(node("NoOp", "w", device=other, control=[1, 3]))
        nodes.append(node("TestTwoMemories", "m", [(0, 0), (0, 0)], device=home))
        nodes.append(node("Neg", "m0", [(10, 0)], device=other))
        nodes.append(node("Neg", "m1", [(10, 1)], device=other))
        nodes.append(node("TestTwoMemories", "mm", [(10, 1), (10, 0)], device=other))
        alone = [[n] for n in (4, 5, 7, 8, 9, 11, 12, 13)]
        for targets in (*alone, [4, 5, 7, 8, 9, 11, 13]):
            yield cut(nodes, {"targets": targets}, FOUR)


@case("13.8")
def random_ends_and_memories(draw):
    """Random graphs on CPUs and GPUs, of which each end fits its memory."""
    for size in range(1, 40):
        nodes = _in_memories(draw, size)
        _let_some_wait(draw, nodes, 0.3)
        yield cut(nodes, {"targets": list(range(len(nodes)))}, FOUR)


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
            yield cut(nodes, {"targets": list(range(1, len(nodes)))}, THREE)


@case("13.8")
def names_that_are_taken(draw):
    """The constant has a name of its own, even if the user has called a node so."""
    for prefix in ("ran/", "Ran/", "send/", "receive/"):
        for order in itertools.permutations(["a", f"{prefix}a", "b"]):
            nodes = [const(name, 1, device=CPUS[0]) for name in order]
            at = order.index("a")
            nodes.append(node("NoOp", "n", device=CPUS[1], control=[at]))
            nodes.append(node("Neg", "m", [(at, 0)], device=CPUS[1], control=[0, 1, 2]))
            late = node("Neg", f"{prefix}b", [(at, 0)], device=CPUS[0])
            nodes.append(late | {"control": [order.index("b")]})
            nodes.append(node("NoOp", "o", device=CPUS[2], control=[5, 0, 1, 2]))
            for targets in ([3], [4], [6], [3, 4, 5, 6]):
                yield cut(nodes, {"targets": targets}, THREE)


@case("13.8")
def tensor_and_wait(draw):
    """Who takes a tensor and waits for the same node gets both."""
    nodes = [const("a", 1, device=CPUS[0]), const("z", 1, device=CPUS[1])]
    nodes.append(node("Neg", "b", [(0, 0)], device=CPUS[1], control=[0]))
    nodes.append(node("Neg", "c", [(1, 0)], device=CPUS[1], control=[0, 1]))
    yield cut(nodes, {"targets": [2]}, THREE)
    yield cut(nodes, {"targets": [3, 2]}, THREE)
    yield cut(nodes, {"targets": [3], "fetches": [(2, 0)]}, THREE)


@case("13.8")
def random_waits(draw):
    """Random graphs with many waits."""
    for size in range(2, 40):
        nodes = _somewhere(draw, size, CPUS)
        for n in range(2, len(nodes)):
            nodes[n]["control"] = draw.shuffled(range(1, n))[: draw.whole(0, 3)]
        yield cut(nodes, requests(draw, nodes), THREE)


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
