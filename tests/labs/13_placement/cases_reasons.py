"""Lab 13, task 6: why nodes cannot go anywhere."""

from typing import Any

from lab_13_placement.places import (
    CLUSTER,
    ONE,
    QUEUE,
    all_of,
    error_fault,
    placed,
)
from lab_13_placement.trials import (
    FOUR,
    Node,
    const,
    graph_text,
    local,
    node,
    parts_of,
    random_graph,
    together,
)

from minitf_lab.judge.case import Call, Mismatch, Trial, case
from minitf_lab.judge.draw import Draw

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
        return error_fault("it", values[0], {who: words})

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


@case("13.6")
def the_first_of_its_members(draw):
    """Of several that asked, the first of `members` is named, not of the graph."""
    for count, asker in [(2, 0), (2, 1), (3, 0), (3, 2), (5, 1), (5, 4)]:
        nodes = [const("a", 1, device="/device:*:7"), const("b0", 2)]
        nodes += [together(const(f"b{i}", 2), "b0") for i in range(1, count)]
        nodes[1 + asker]["device"] = draw.one_of(["/gpu", "/gpu:7"])
        # The group of a is the smaller one, so it comes behind the members of the other.
        nodes.append(together(const("c", 3, device="/gpu"), *draw.shuffled(["a", "b0"])))
        words = [f"Cannot assign a device for operation b{asker}: node b{asker} was"]
        words += ["assigned to /device:GPU:7 but", "a (Const)", "c (Const)"]
        yield _refused(nodes, all_of(nodes), f"b{asker}", words)


@case("13.6")
def any_type_without_a_kernel(draw):
    """Where no type was asked for the error does not name one."""
    gpus = local("CPU:0", "GPU:0", "GPU:1")
    nodes = [node("FIFOQueueV2", "q", attrs=QUEUE, device="/device:*:1")]
    words = [
        "operation q",
        "'/device:*:1'",
        "no supported kernel for any one of the devices is available",
    ]
    yield _refused(nodes, {"targets": [0]}, "q", words, gpus)


def _random_group(draw: Draw, number: int, wishes: list[str]) -> list[Node]:
    """One to four nodes that are to be together, some of which only a CPU runs."""
    nodes = []
    for i in range(draw.whole(1, 4)):
        name = f"{'qc'[i % 2]}{number}_{i}"
        more = {"device": draw.one_of(wishes)}
        if draw.coin():
            more["origin"] = f"train.py:{draw.whole(1, 99)}"
        queue = draw.coin(0.4)
        one = node("FIFOQueueV2", name, attrs=QUEUE, **more)
        one = one if queue else const(name, i, **more)
        nodes.append(together(one, nodes[0]["name"]) if nodes else one)
    return nodes


@case("13.6", over=["hard", "soft"])
def groups_by_chance(draw, kind):
    """Both sentences in full, as the group asked, even if soft placement would forget."""
    gpus = local("CPU:0", "GPU:0", "GPU:1")
    for size in (1, 1, 1, 2, 3) * 16:
        wishes = ["", "/gpu:0", "/gpu", "/device:*:1", "/job:worker/task:1", "/gpu:7"]
        wishes += ["/job:worker/task:1/gpu", "/task:1/gpu:9", "/job:ps", "gpu:1"]
        wishes = draw.some_of(wishes, 1)
        nodes = [one for i in range(size) for one in _random_group(draw, i, wishes)]
        devices = draw.one_of([CLUSTER, FOUR, gpus])
        yield placed(nodes, all_of(nodes), devices, soft=kind == "soft")


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
