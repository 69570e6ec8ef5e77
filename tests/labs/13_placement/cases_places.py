"""Lab 13, tasks 3 to 6: where nodes go, and why they cannot."""

from typing import Any

from lab_13_placement.trials import (
    FOUR,
    INVALID_ARGUMENT,
    Device,
    Node,
    Placement,
    assign,
    const,
    differs,
    feed,
    graph_text,
    local,
    node,
    parts_of,
    random_graph,
    read,
    request_text,
    requests,
    together,
    variable,
)

from minitf_lab.judge.case import Call, Mismatch, Trial, case
from minitf_lab.judge.draw import Draw

PREFER_GPU = local("CPU:0", "CPU:1", "GPU:0", "GPU:1", gpu_first=True)
ONE = local("CPU:0")
QUEUE = {"component_types": [2]}  # of float64


def _error_fault(what: str, result: dict, words: tuple[str, ...], nodes: Any) -> Any:
    if "code" not in result:
        return Mismatch(
            f"{what} goes well, expected an error", got=str(result["devices"])
        )
    if wrong := differs(
        f"{what}: the code of its error", result["code"], INVALID_ARGUMENT
    ):
        return wrong
    for word in words:
        if word not in result["message"]:
            return Mismatch(
                f"{what}: its error does not say {word!r}", got=result["message"]
            )
    if result["node"] not in nodes:
        return Mismatch(
            f"{what}: the node in its error",
            expected=" or ".join(nodes),
            got=result["node"],
        )
    return None


def _placed(
    nodes: list[Node],
    request: dict,
    devices: list[Device] | None = None,
    *,
    soft: bool = False,
    words: tuple[str, ...] = (),
) -> Trial:
    devices = devices or FOUR
    model = Placement(nodes, request, devices, soft)

    def check(values: list[Any]) -> Mismatch | None:
        (result,) = values
        if model.error:
            names = getattr(model, "askers", [one["name"] for one in nodes])
            return _error_fault("it", result, (*model.error, *words), names)
        if "code" in result:
            return Mismatch(f"it failed: {result['message']}")
        for name, device in model.devices.items():
            if wrong := differs(
                f"where {name} goes", result["devices"].get(name), device
            ):
                return wrong
        ends = {
            name: result["devices"][name] for name in result["devices"] if "/" in name
        }
        for name, device in ends.items():
            if name.startswith(("feed/", "fetch/")) and device != devices[0][0]:
                return Mismatch(f"{name} is on {device}, and not on the host")
        is_host = set(result["devices"].values()) <= {devices[0][0]}
        return differs("whether all is on the host", result["all_on_host"], is_host)

    title = f"{graph_text(nodes)}; {request_text(nodes, request)}; "
    title += f"devices {', '.join(device[0][37:] for device in devices)}"
    arguments = {"nodes": nodes, "request": request, "devices": devices, "soft": soft}
    return Trial(title + (", soft" if soft else ""), [Call("place", arguments)], check)


def _all(nodes: list[Node], *first: int) -> dict:
    return {"targets": [*first, *(n for n in range(len(nodes)) if n not in first)]}


# ---- 13.3 -----------------------------------------------------------------------------


@case("13.3")
def nodes_of_a_class(draw):
    """Nodes that name each other share the device that any one of them asks for."""
    for where in ("", "/gpu:1", "/cpu:1", "/gpu", "/job:localhost"):
        for asker in range(4):
            nodes = [const("a", 1), together(const("b", 2), "a"), const("lonely", 3)]
            nodes += [together(const("c", 3), "b"), together(const("d", 4), "a", "c")]
            nodes[asker] = nodes[asker] | {"device": where}
            yield _placed(nodes, _all(nodes))
    nodes = [const("a", 1, device="/gpu:0"), together(node("Neg", "n", [(0, 0)]), "a")]
    yield _placed(nodes, {"targets": [1]})


@case("13.3")
def classes_of_nodes_that_do_not_run(draw):
    """A class holds even if the node that it is named after is not part of the step."""
    for where in ("/gpu:1", "/cpu:1", ""):
        nodes = [const("gone", 1), together(const("b", 2, device=where), "gone")]
        nodes += [
            const("x", 3),
            together(const("c", 3), "gone"),
            together(const("d", 3), "other"),
        ]
        yield _placed(nodes, {"targets": [1, 2, 3, 4]})
        yield _placed(nodes, {"targets": [3]})
        yield _placed(nodes, {"targets": [0, 1, 3]})


@case("13.3")
def what_else_stands_in_a_class(draw):
    """Only loc:@ says where to go."""
    nodes = [const("a", 1, device="/gpu:1"), const("b", 2)]
    nodes[1]["attrs"] = {"_class": ["a"]}
    yield _placed(nodes, _all(nodes))


@case("13.3")
def members_that_contradict(draw):
    """Two devices for one group are an error that names both nodes; not if it is soft."""
    pairs = [
        ("/cpu:0", "/gpu:1"),
        ("/gpu:0", "/gpu:1"),
        ("/gpu", "/cpu"),
        ("/cpu", "/cpu:1"),
    ]
    pairs += [("/job:ps", "/job:localhost"), ("/task:0", "/task:1"), ("/gpu:1", "/gpu:1")]
    for one, other in pairs:
        for soft in (False, True):
            nodes = [const("a", 1, device=one), together(const("b", 2), "a")]
            nodes.append(together(const("c", 3, device=other), "a"))
            yield _placed(nodes, _all(nodes), soft=soft)


def _variables(device: str, others: list[str]) -> list[Node]:
    nodes = [variable("v", device=device), const("one", 1)]
    nodes.append(read("read", 0, device=others[0]))
    nodes.append(assign("assign", 0, (1, 0), device=others[1]))
    return [*nodes, node("Neg", "y", [(2, 0)], device=others[2])]


@case("13.3")
def resources(draw):
    """What takes a handle goes where the handle is made, whatever it asks for."""
    for device in ("", "/gpu:1", "/cpu:1", "/gpu"):
        for others in (["", "", ""], ["/cpu:0", "", "/gpu:0"], ["/gpu:0", "/gpu:0", ""]):
            nodes = _variables(device, others)
            yield _placed(nodes, {"fetches": [(4, 0)], "targets": [3]})
    for where in ("/gpu:0", "/cpu:1"):  # the maker asks for nothing: it follows
        nodes = _variables("", [where, where, ""])
        yield _placed(nodes, {"fetches": [(4, 0)], "targets": [3]})


@case("13.3")
def two_variables(draw):
    """Two variables that are to be together, and their readers."""
    for first, second in [("/gpu:1", ""), ("", "/gpu:0"), ("/cpu:1", "/cpu:1"), ("", "")]:
        nodes = [variable("v", device=first), together(variable("w", device=second), "v")]
        nodes += [read("rv", 0), read("rw", 1, device="/cpu:0")]
        nodes.append(node("Add", "y", [(2, 0), (3, 0)]))
        yield _placed(nodes, {"fetches": [(4, 0)]})
        yield _placed(nodes, {"fetches": [(3, 0)]})


def _random_places(draw: Draw, times: int) -> Any:
    for size in range(2, times):
        asked = ["", "", "/gpu:0", "/gpu:1", "/cpu:1", "/gpu"]
        nodes = random_graph(
            draw, size, asked, ops=("Add", "Sub", "Neg", "Mul", "Const", "NoOp")
        )
        for n in range(2, len(nodes)):
            if draw.coin(0.3):
                names = [draw.one_of(nodes[1:])["name"] for _ in range(draw.whole(1, 2))]
                nodes[n] = together(nodes[n], *names)
        devices = draw.one_of([FOUR, PREFER_GPU, FOUR[:3]])
        yield _placed(nodes, requests(draw, nodes), devices, soft=draw.coin(0.7))


@case("13.3", hidden=True, over=range(2))
def random_groups(draw, _part):
    """Random graphs of which some nodes are to be together."""
    yield from _random_places(draw, 40)


# ---- 13.4 -----------------------------------------------------------------------------


@case("13.4")
def what_is_asked_for(draw):
    """The first device that fits, in the order of preference."""
    wishes = ["", "/gpu:1", "/gpu", "/device:GPU:*", "/cpu:1", "/cpu", "/job:localhost"]
    wishes += ["/job:localhost/replica:0/task:0/device:GPU:1", "gpu:0", "/task:0/cpu:1"]
    for asked in (*wishes, "/device:*:1", "/replica:0"):
        for devices in (FOUR, PREFER_GPU, local("CPU:0", "GPU:0", "GPU:1", "CPU:1")):
            nodes = [const("a", 1), node("Neg", "y", [(0, 0)], device=asked)]
            yield _placed(nodes, {"fetches": [(1, 0)]}, devices)
            yield _placed(nodes, {"targets": [1, 0]}, devices, soft=True)


@case("13.4")
def soft_placement(draw):
    """If it is allowed, type and number are forgotten; job, replica and task are not."""
    wishes = ["/gpu:9", "/gpu:0", "/device:TPU:0", "/cpu:7", "/job:ps", "/task:3/gpu:0"]
    for asked in (*wishes, "/job:localhost/gpu:5", "/replica:1"):
        for devices in (FOUR, ONE, PREFER_GPU):
            for soft in (False, True):
                nodes = [const("a", 1), node("Neg", "y", [(0, 0)], device=asked)]
                yield _placed(nodes, {"fetches": [(1, 0)]}, devices, soft=soft)


@case("13.4")
def kernels_count(draw):
    """A device without a kernel for one of the group is passed over."""
    for devices in (FOUR, PREFER_GPU):
        for asked in ("", "/gpu:1", "/cpu:1", "/job:localhost"):
            for soft in (False, True):
                queue = node("FIFOQueueV2", "q", attrs=QUEUE, device=asked)
                yield _placed([queue], {"targets": [0]}, devices, soft=soft)
                nodes = [queue, together(const("c", 1), "q"), const("d", 2)]
                nodes.append(together(node("Neg", "n", [(1, 0)]), "q"))
                yield _placed(nodes, {"targets": [0, 2, 3]}, devices, soft=soft)
                nodes = [const("c", 1), const("e", 3), together(queue, "c")]
                yield _placed(nodes, {"targets": [0, 1, 2]}, devices, soft=soft)


@case("13.4")
def feeds_and_fetches(draw):
    """What is fed and fetched comes and goes at the host."""
    for asked in ("", "/gpu:1", "/cpu:1"):
        nodes = [feed("x", device="/gpu:0"), node("Neg", "y", [(0, 0)], device=asked)]
        for devices in (FOUR, PREFER_GPU):
            yield _placed(
                nodes, {"feeds": [(0, 0)], "fetches": [(1, 0), (0, 0)]}, devices
            )


@case("13.4", hidden=True, over=range(2))
def random_places(draw, _part):
    """Random graphs with random wishes, some of which cannot be met."""
    asked = [
        "",
        "",
        "/gpu:0",
        "/gpu:3",
        "/cpu:1",
        "/gpu",
        "/device:*:1",
        "/job:localhost",
    ]
    for size in range(2, 40):
        nodes = random_graph(draw, size, asked)
        devices = draw.one_of([FOUR, PREFER_GPU, ONE])
        yield _placed(nodes, requests(draw, nodes), devices, soft=draw.coin(0.6))


# ---- 13.5 -----------------------------------------------------------------------------


@case("13.5")
def constants_beside_their_consumer(draw):
    """What has no input goes where all who take it are."""
    for first in ("/gpu:1", "/cpu:1", "/gpu:0", ""):
        for second in ("", "/gpu:1", "/cpu:0"):
            nodes = [const("c", 1), const("both", 2), const("nobody", 3, control=[0])]
            nodes.append(node("Add", "a", [(0, 0), (1, 0)], device=first))
            nodes.append(node("Neg", "b", [(1, 0)], device=second, control=[2, 0]))
            yield _placed(nodes, {"targets": [3, 4]})
            yield _placed(nodes, {"targets": [3, 4]}, PREFER_GPU)
            yield _placed(nodes, {"fetches": [(3, 0)]})


@case("13.5")
def constants_that_ask(draw):
    """One that asks for a device gets it, and one that asks for a process stays in it."""
    for asked in (
        "/cpu:1",
        "/gpu:0",
        "/job:localhost",
        "/replica:0",
        "/cpu",
        "/device:*:0",
    ):
        nodes = [const("c", 1, device=asked), node("Neg", "a", [(0, 0)], device="/gpu:1")]
        yield _placed(nodes, {"targets": [1]})
    nodes = [const("c", 1), together(const("d", 1), "c")]
    nodes.append(node("Add", "a", [(0, 0), (1, 0)], device="/gpu:1"))
    yield _placed(nodes, {"targets": [2]})  # a group of two is not moved


@case("13.5")
def shapes_beside_their_input(draw):
    """What needs no more than a shape stays where the tensor is."""
    for first in ("/gpu:1", "/cpu:1", ""):
        for asked in ("", "/cpu:0", "/gpu:0", "/job:localhost"):
            for op in ("Shape", "Size", "Rank"):
                nodes = [const("c", 1), node("Neg", "a", [(0, 0)], device=first)]
                nodes.append(node(op, "s", [(1, 0)], device=asked))
                nodes.append(node("Identity", "after", [(2, 0)], device="/cpu:1"))
                yield _placed(nodes, {"targets": [3]})
                yield _placed(nodes, {"fetches": [(2, 0)]}, PREFER_GPU)
    nodes = [
        feed("x"),
        node("Shape", "s", [(0, 0)]),
        node("Neg", "y", [(0, 0)], device="/gpu:1"),
    ]
    yield _placed(nodes, {"feeds": [(0, 0)], "fetches": [(1, 0), (2, 0)]}, PREFER_GPU)


@case("13.5")
def only_if_there_is_a_kernel(draw):
    """A device that cannot run the node is none to go to."""
    for where in ("/gpu:1", "/cpu:1"):
        nodes = [variable("v", device=where), read("r", 0), const("c", 2)]
        nodes.append(assign("a", 0, (2, 0)))
        yield _placed(nodes, {"fetches": [(1, 0)], "targets": [3]})
        yield _placed(nodes, {"fetches": [(1, 0)], "targets": [3]}, PREFER_GPU)


@case("13.5", hidden=True)
def random_small_rules(draw):
    """Random graphs of many constants."""
    asked = ["", "", "", "/gpu:0", "/gpu:1", "/cpu:1", "/job:localhost"]
    for size in range(2, 50):
        ops = ("Const", "Const", "Add", "Neg", "Sub")
        nodes = random_graph(draw, size, asked, ops=ops)
        yield _placed(
            nodes, requests(draw, nodes), draw.one_of([FOUR, PREFER_GPU]), soft=True
        )


# ---- 13.6 -----------------------------------------------------------------------------


def _refused(
    nodes: list[Node],
    request: dict,
    who: str,
    words: list[str],
    devices: list | None = None,
) -> Trial:
    devices = devices or FOUR

    def check(values: list[Any]) -> Mismatch | None:
        return _error_fault("it", values[0], tuple(words), [who])

    arguments = {"nodes": nodes, "request": request, "devices": devices, "soft": False}
    return Trial(graph_text(nodes), [Call("place", arguments)], check)


@case("13.6")
def devices_that_there_are_not(draw):
    """The error says which node, what it asked for, and what there is."""
    for asked in ("/gpu:9", "/device:TPU:0", "/job:ps", "/cpu:2", "/replica:3/gpu:0"):
        for devices in (FOUR, ONE):
            nodes = [const("a", 1), node("Neg", "y", [(0, 0)], device=asked)]
            nodes.append(node("Neg", "z", [(1, 0)]))
            words = ["Cannot assign a device for operation y: node y was explicitly"]
            words += [f"to {asked} but available devices are"]
            words += [device[0] for device in devices]
            yield _refused(nodes, {"fetches": [(2, 0)]}, "y", words, devices)


@case("13.6")
def kernels_that_there_are_not(draw):
    """The error says which node, what it asked for, and that there is no kernel."""
    for asked in ("/gpu:0", "/gpu", "/device:GPU:1", "/job:localhost/gpu:1"):
        nodes = [const("a", 1), node("FIFOQueueV2", "q", attrs=QUEUE, device=asked)]
        words = [
            "Cannot assign a device for operation q",
            f"device specification '{asked}'",
        ]
        words.append("no supported kernel for GPU devices")
        yield _refused(nodes, {"targets": [0, 1]}, "q", words)


@case("13.6")
def groups_that_have_no_place(draw):
    """Of a group, one who asked is named, what all together ask for, and every member."""
    for asker in ("c", "d"):
        nodes = [node("FIFOQueueV2", "q", attrs=QUEUE), together(const("c", 1), "q")]
        nodes.append(together(const("d", 1), "q"))
        number = 1 if asker == "c" else 2
        nodes[number]["device"] = "/gpu:1"
        words = [f"Cannot assign a device for operation {asker}", "'/device:GPU:1'"]
        words += [
            "no supported kernel for GPU devices",
            "Colocation group",
            "q (FIFOQueueV2)",
        ]
        yield _refused(nodes, {"targets": [0, 1, 2]}, asker, words)
    nodes = [const("a", 1), together(const("b", 2, device="/gpu"), "a")]
    nodes.append(together(const("c", 3, device="/device:*:7"), "a"))
    words = ["Cannot assign a device for operation b", "assigned to /device:GPU:7"]
    words += ["available devices are", "c (Const)", "'/device:*:7'"]
    yield _refused(nodes, {"targets": [0, 1, 2]}, "b", words)


@case("13.6", hidden=True)
def any_type_without_a_kernel(draw):
    """Where no type was asked for the error does not name one."""
    gpus = local("CPU:0", "GPU:0", "GPU:1")
    nodes = [node("FIFOQueueV2", "q", attrs=QUEUE, device="/device:*:1")]
    words = [
        "operation q",
        "'/device:*:1'",
        "no supported kernel",
        "devices is available",
    ]
    yield _refused(nodes, {"targets": [0]}, "q", words, gpus)


@case("13.6", hidden=True)
def random_refusals(draw):
    """Random graphs of which one node cannot be placed."""
    for size in range(2, 30):
        nodes = random_graph(draw, size, ["", "/gpu:0", "/cpu:1"])
        at = draw.whole(2, len(nodes) - 1)
        asked = draw.one_of(["/gpu:7", "/job:ps", "/cpu:4"])
        nodes[at]["device"] = asked
        name = nodes[at]["name"]
        assert parts_of(asked)
        words = [f"Cannot assign a device for operation {name}: node {name} was", asked]
        yield _refused(nodes, {"feeds": [(0, 0)], "targets": [at]}, name, words)
