"""Lab 13, tasks 3 to 5: where nodes go."""

import itertools
from typing import Any

from lab_13_placement.places import (
    CLUSTER,
    ONE,
    PREFER_GPU,
    PREFER_OTHER,
    QUEUE,
    all_of,
    placed,
)
from lab_13_placement.trials import (
    FOUR,
    Node,
    assign,
    const,
    feed,
    local,
    node,
    random_graph,
    read,
    requests,
    together,
    variable,
)

from minitf_lab.judge.case import case
from minitf_lab.judge.draw import Draw

# ---- 13.3 -----------------------------------------------------------------------------


@case("13.3")
def nodes_of_a_class(draw):
    """Nodes that name each other share the device that any one of them asks for."""
    for where in ("", "/gpu:1", "/cpu:1", "/gpu", "/job:localhost"):
        for asker in range(4):
            nodes = [const("a", 1), together(const("b", 2), "a"), const("lonely", 3)]
            nodes += [together(const("c", 3), "b"), together(const("d", 4), "a", "c")]
            nodes[asker] = nodes[asker] | {"device": where}
            yield placed(nodes, all_of(nodes))
    nodes = [const("a", 1, device="/gpu:0"), together(node("Neg", "n", [(0, 0)]), "a")]
    yield placed(nodes, {"targets": [1]})


@case("13.3")
def classes_in_any_order(draw):
    """Who is named may come later; each class of a node counts."""
    for asked in ("/gpu:1", "/cpu:1", "/gpu:0"):
        nodes = [together(const("b", 2), "a"), const("a", 1, device=asked)]
        yield placed(nodes, all_of(nodes))
        names = ["a", "b", "c"]
        for asker in names:
            for order in itertools.permutations(["a", "b", "c", "d"]):
                nodes = [const(name, 1) for name in order]
                for one in nodes:
                    if one["name"] == asker:
                        one["device"] = asked
                at = order.index("d")
                nodes[at] = together(nodes[at], *draw.shuffled(names))
                nodes.append(const("lonely", 1))
                yield placed(nodes, all_of(nodes))
        nodes = [together(const("b", 2), "x", "y"), together(const("c", 2), "y", "z")]
        nodes.append(together(const("d", 2, device=asked), "z"))
        yield placed(nodes, all_of(nodes))


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
        yield placed(nodes, {"targets": [1, 2, 3, 4]})
        yield placed(nodes, {"targets": [3]})
        yield placed(nodes, {"targets": [0, 1, 3]})


@case("13.3")
def what_else_stands_in_a_class(draw):
    """Only loc:@ at the beginning says where to go, and all that follows is the name."""
    texts = ["a", "@a", "loc:a", "Loc:@a", "my_loc:@a", " loc:@a", "loc:@ a", "loc:@a:0"]
    texts += ["loc:@A", "loc:@", "", "loc:@loc:@a", "locate:@a", "loc:@a/b"]
    for text in texts:
        for others in ([], ["loc:@c"]):
            nodes = [const("a", 1, device="/gpu:1"), const("b", 2), const("d", 4)]
            for one in nodes[1:]:
                one["attrs"] = {"_class": draw.shuffled([text, *others])}
            nodes.append(const("c", 3, device="/cpu:1"))
            yield placed(nodes, all_of(nodes))


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
            yield placed(nodes, all_of(nodes), soft=soft)


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
            yield placed(nodes, {"fetches": [(4, 0)], "targets": [3]})
    for where in ("/gpu:0", "/cpu:1"):  # the maker asks for nothing: it follows
        nodes = _variables("", [where, where, ""])
        yield placed(nodes, {"fetches": [(4, 0)], "targets": [3]})


@case("13.3")
def makers_and_takers(draw):
    """What fits is merged, softly or not; if it does not, the maker decides."""
    wishes = ["", "/gpu:1", "/gpu:0", "/gpu", "/cpu:1", "/task:0", "/device:*:1"]
    for soft in (False, True):
        for maker, taker in itertools.product([*wishes, "/job:localhost"], wishes):
            nodes = [variable("v", device=maker), read("r", 0, device=taker)]
            yield placed(nodes, {"targets": [1]}, soft=soft)
            yield placed(nodes, {"targets": [1]}, PREFER_GPU, soft=soft)


@case("13.3")
def makers_and_takers_of_processes(draw):
    """The maker decides alone: of what does not fit nothing is added to its wish."""
    wishes = ["/gpu:1", "/gpu:0", "/cpu:1", "/device:*:1", "/gpu", "/cpu"]
    processes = ["", "/task:0", "/job:worker", "/job:worker/task:1", "/job:localhost"]
    for maker, taker in itertools.permutations(wishes, 2):
        for soft in (False, True):
            one, other = draw.one_of(processes), draw.one_of(processes)
            nodes = [variable("v", device=one + maker)]
            nodes.append(read("r", 0, device=other + taker))
            yield placed(nodes, {"targets": [1]}, CLUSTER, soft=soft)


@case("13.3")
def two_handles(draw):
    """Who takes two handles goes where both are made, if that is one device."""
    wishes = ["", "/gpu:1", "/gpu:0", "/cpu:1"]
    for first, second, taker in itertools.product(wishes, repeat=3):
        for soft in (False, True):
            nodes = [variable("v", device=first), variable("w", device=second)]
            handles = draw.shuffled([(0, 0), (1, 0)])
            nodes.append(node("TestTwoHandles", "t", handles, device=taker))
            nodes += [read("rv", 0), read("rw", 1)]
            yield placed(nodes, {"targets": [2]}, soft=soft)
            yield placed(nodes, {"targets": [2, 3, 4]}, soft=soft)


@case("13.3")
def groups_that_take(draw):
    """What a group asks for counts, not what one of its nodes does."""
    for soft in (False, True):
        for maker, other in itertools.permutations(["/gpu:1", "/cpu:1", "/gpu", ""], 2):
            nodes = [variable("v", device=maker), const("o", 1, device=other)]
            nodes.append(together(read("r", 0), "o"))
            yield placed(nodes, {"targets": [1, 2]}, soft=soft)
            nodes = [variable("v"), const("o", 1, device=maker)]
            nodes[0] = together(nodes[0], "o")
            nodes.append(read("r", 0, device=other))
            yield placed(nodes, {"targets": [1, 2]}, soft=soft)


@case("13.3")
def takers_that_make(draw):
    """Takers that make a resource themselves, and contradict the maker, are an error."""
    for soft in (False, True):
        for first, second in [
            ("/gpu:1", "/cpu:1"),
            ("/gpu:1", "/gpu:0"),
            ("/gpu:1", "/gpu"),
            ("", "/gpu:0"),
            ("/cpu:1", ""),
            ("/gpu", "/gpu:1"),
        ]:
            nodes = [variable("v", device=first), variable("w", device=second)]
            nodes.append(together(read("rv", 0), "w"))
            yield placed(nodes, {"targets": [1, 2]}, soft=soft)


@case("13.3")
def two_variables(draw):
    """Two variables that are to be together, and their readers."""
    for first, second in [("/gpu:1", ""), ("", "/gpu:0"), ("/cpu:1", "/cpu:1"), ("", "")]:
        nodes = [variable("v", device=first), together(variable("w", device=second), "v")]
        nodes += [read("rv", 0), read("rw", 1, device="/cpu:0")]
        nodes.append(node("Add", "y", [(2, 0), (3, 0)]))
        yield placed(nodes, {"fetches": [(4, 0)]})
        yield placed(nodes, {"fetches": [(3, 0)]})


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
        yield placed(nodes, requests(draw, nodes), devices, soft=draw.coin(0.7))


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
        others = local("CPU:0", "GPU:0", "GPU:1", "CPU:1")
        for devices in (FOUR, PREFER_GPU, PREFER_OTHER, others):
            nodes = [const("a", 1), node("Neg", "y", [(0, 0)], device=asked)]
            yield placed(nodes, {"fetches": [(1, 0)]}, devices)
            yield placed(nodes, {"targets": [1, 0]}, devices, soft=True)


@case("13.4")
def soft_placement(draw):
    """If it is allowed, type and number are forgotten; job, replica and task are not."""
    wishes = ["/gpu:9", "/gpu:0", "/device:TPU:0", "/cpu:7", "/job:ps", "/task:3/gpu:0"]
    for asked in (*wishes, "/job:localhost/gpu:5", "/replica:1", "/device:*:9"):
        for devices in (FOUR, ONE, PREFER_GPU, PREFER_OTHER):
            for soft in (False, True):
                nodes = [const("a", 1), node("Neg", "y", [(0, 0)], device=asked)]
                yield placed(nodes, {"fetches": [(1, 0)]}, devices, soft=soft)


@case("13.4")
def kernels_count(draw):
    """A device without a kernel for one of the group is passed over."""
    for devices in (FOUR, PREFER_GPU):
        for asked in ("", "/gpu:1", "/cpu:1", "/job:localhost"):
            for soft in (False, True):
                queue = node("FIFOQueueV2", "q", attrs=QUEUE, device=asked)
                yield placed([queue], {"targets": [0]}, devices, soft=soft)
                nodes = [queue, together(const("c", 1), "q"), const("d", 2)]
                nodes.append(together(node("Neg", "n", [(1, 0)]), "q"))
                yield placed(nodes, {"targets": [0, 2, 3]}, devices, soft=soft)
                nodes = [const("c", 1), const("e", 3), together(queue, "c")]
                yield placed(nodes, {"targets": [0, 1, 2]}, devices, soft=soft)


@case("13.4")
def kernels_of_each_type(draw):
    """Of two nodes of one op a GPU may run one alone; what none runs may go to any."""
    for devices in (FOUR, PREFER_GPU):
        for asked in ("", "/gpu:1", "/cpu:1", "/gpu:9"):
            for types in itertools.product(("float64", "string"), repeat=3):
                nodes = [
                    together(node("Placeholder", f"p{i}", attrs={"dtype": dtype}), "p0")
                    for i, dtype in enumerate(types)
                ]
                nodes[draw.whole(0, 2)]["device"] = asked
                yield placed(nodes, all_of(nodes), devices, soft=draw.coin())
            nodes = [const("c", 1), node("TestNoKernel", "n", [(0, 0)], device=asked)]
            yield placed(nodes, {"targets": [1]}, devices, soft=draw.coin())
            nodes.append(together(node("Neg", "m", [(0, 0)]), "n"))
            yield placed(nodes, {"targets": [1, 2]}, devices, soft=draw.coin())


@case("13.4")
def several_processes(draw):
    """What is asked of a process stays there, softly or not."""
    wishes = [
        "/job:worker",
        "/job:worker/gpu:9",
        "/job:worker/cpu:1",
        "/task:1",
        "/gpu:1",
    ]
    wishes += ["/job:worker/task:1/cpu:0", "/task:1/gpu:3", "/job:worker/task:0/gpu:4"]
    wishes += ["/job:localhost/gpu:4", "/job:ps/gpu:0", "/job:worker/task:2", "/task:0"]
    for asked in wishes:
        for devices in (CLUSTER, [CLUSTER[0], *reversed(CLUSTER[1:])]):
            for soft in (False, True):
                nodes = [const("a", 1), node("Neg", "y", [(0, 0)], device=asked)]
                yield placed(nodes, {"targets": [1]}, devices, soft=soft)
                queue = node("FIFOQueueV2", "q", attrs=QUEUE, device=asked)
                yield placed([queue], {"targets": [0]}, devices, soft=soft)


@case("13.4")
def feeds_and_fetches(draw):
    """What is fed and fetched comes and goes at the host."""
    for asked in ("", "/gpu:1", "/cpu:1"):
        nodes = [feed("x", device="/gpu:0"), node("Neg", "y", [(0, 0)], device=asked)]
        for devices in (FOUR, PREFER_GPU):
            yield placed(nodes, {"feeds": [(0, 0)], "fetches": [(1, 0), (0, 0)]}, devices)


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
        devices = draw.one_of([FOUR, PREFER_GPU, ONE, CLUSTER])
        yield placed(nodes, requests(draw, nodes), devices, soft=draw.coin(0.6))


# ---- 13.5 -----------------------------------------------------------------------------


@case("13.5")
def constants_beside_their_consumer(draw):
    """What has no input goes where all who take it are."""
    for first in ("/gpu:1", "/cpu:1", "/gpu:0", ""):
        for second in ("", "/gpu:1", "/cpu:0"):
            nodes = [const("c", 1), const("both", 2), const("nobody", 3, control=[0])]
            nodes.append(node("Add", "a", [(0, 0), (1, 0)], device=first))
            nodes.append(node("Neg", "b", [(1, 0)], device=second, control=[2, 0]))
            yield placed(nodes, {"targets": [3, 4]})
            yield placed(nodes, {"targets": [3, 4]}, PREFER_GPU)
            yield placed(nodes, {"fetches": [(3, 0)]})
            yield placed(nodes, {"fetches": [(1, 0)], "targets": [3, 4]})
            yield placed(nodes, {"fetches": [(0, 0), (3, 0)], "targets": [2]})
            nodes = [const("z", 1, device=second), const("waits", 1, control=[0])]
            nodes.append(node("Neg", "a", [(1, 0)], device=first))
            for devices in (FOUR, PREFER_GPU, PREFER_OTHER):
                yield placed(nodes, {"targets": [2]}, devices)
                yield placed(nodes, {"targets": [1, 0]}, devices)


@case("13.5")
def consumers_that_are_notplaced(draw):
    """A consumer that has no device yet is not where the others are."""
    for where in ("/gpu:1", "/cpu:1"):
        for order in itertools.permutations([("Shape", ""), ("Neg", where)]):
            nodes = [const("c", 1)]
            nodes += [node(op, op, [(0, 0)], device=place) for op, place in order]
            for devices in (FOUR, PREFER_GPU):
                yield placed(nodes, {"targets": [1, 2]}, devices)
                yield placed(nodes, {"targets": [1]}, devices)
                yield placed(nodes, {"targets": [2]}, devices)


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
        yield placed(nodes, {"targets": [1]})
    nodes = [const("c", 1), together(const("d", 1), "c")]
    nodes.append(node("Add", "a", [(0, 0), (1, 0)], device="/gpu:1"))
    yield placed(nodes, {"targets": [2]})  # a group of two is not moved


@case("13.5")
def shapes_beside_their_input(draw):
    """What needs no more than a shape stays where the tensor is."""
    for first in ("/gpu:1", "/cpu:1", ""):
        for asked in ("", "/cpu:0", "/gpu:0", "/job:localhost"):
            for op in ("Shape", "Size", "Rank"):
                nodes = [const("c", 1), node("Neg", "a", [(0, 0)], device=first)]
                nodes.append(node(op, "s", [(1, 0)], device=asked))
                nodes.append(node("Identity", "after", [(2, 0)], device="/cpu:1"))
                yield placed(nodes, {"targets": [3]})
                yield placed(nodes, {"fetches": [(2, 0)]}, PREFER_GPU)
    nodes = [
        feed("x"),
        node("Shape", "s", [(0, 0)]),
        node("Neg", "y", [(0, 0)], device="/gpu:1"),
    ]
    yield placed(nodes, {"feeds": [(0, 0)], "fetches": [(1, 0), (2, 0)]}, PREFER_GPU)


@case("13.5")
def the_first_input_counts(draw):
    """Of two inputs the first one says where; what has two outputs follows nobody."""
    for first, second in itertools.permutations(["/gpu:1", "/cpu:1", "/gpu:0", ""], 2):
        nodes = [const("c", 1), node("Neg", "a", [(0, 0)], device=first)]
        nodes.append(node("Neg", "b", [(0, 0)], device=second))
        nodes.append(node("TestTwoShapes", "s", [(1, 0), (2, 0)]))
        nodes.append(node("TestTwins", "t"))
        nodes.append(node("Neg", "n", [(4, 0)], device=first))
        nodes.append(node("Neg", "o", [(4, draw.whole(0, 1))], device=first))
        for devices in (FOUR, PREFER_GPU):
            yield placed(nodes, {"targets": [3]}, devices)
            yield placed(nodes, {"targets": [5]}, devices)
            yield placed(nodes, {"targets": [3, 5, 6]}, devices)


@case("13.5")
def only_if_there_is_a_kernel(draw):
    """A device that cannot run the node is none to go to."""
    for where in ("/gpu:1", "/cpu:1"):
        nodes = [variable("v", device=where), read("r", 0), const("c", 2)]
        nodes.append(assign("a", 0, (2, 0)))
        yield placed(nodes, {"fetches": [(1, 0)], "targets": [3]})
        yield placed(nodes, {"fetches": [(1, 0)], "targets": [3]}, PREFER_GPU)
        python = {"token": "f", "Tin": [], "Tout": ["float64"]}
        nodes = [node("PyFunc", "p", attrs=python)]
        nodes.append(node("Neg", "y", [(0, 0)], device=where))
        for devices in (FOUR, PREFER_GPU):
            yield placed(nodes, {"targets": [1]}, devices)
        nodes = [const("c", 1), node("Neg", "a", [(0, 0)], device=where)]
        nodes.append(node("TestHostShape", "s", [(1, 0)]))
        nodes.append(node("Neg", "z", [(2, 0)], device="/cpu:1"))
        for devices in (FOUR, PREFER_GPU, PREFER_OTHER):
            yield placed(nodes, {"targets": [2]}, devices)
            yield placed(nodes, {"targets": [3]}, devices)


@case("13.5", hidden=True)
def random_small_rules(draw):
    """Random graphs of many constants."""
    asked = ["", "", "", "/gpu:0", "/gpu:1", "/cpu:1", "/job:localhost"]
    for size in range(2, 50):
        ops = ("Const", "Const", "Add", "Neg", "Sub")
        nodes = random_graph(draw, size, asked, ops=ops)
        yield placed(
            nodes, requests(draw, nodes), draw.one_of([FOUR, PREFER_GPU]), soft=True
        )
