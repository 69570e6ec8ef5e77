"""Lab 03, tasks 5 and 6: which requests share an executor, and when it is made anew."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_03_session.graphs import (
    Node,
    chain,
    const,
    feed,
    node,
    num_outputs,
    random_graph,
)
from lab_03_session.sessions import Session
from lab_03_session.trials import check_values, differs, random_request

from minitf_lab.judge.case import Call, Mismatch, Trial, case

# ---- 03.5 -----------------------------------------------------------------------------


def _three() -> list[Node]:
    return [
        const("a", 3),
        node("IdentityN", "n", [(0, 0), (0, 0)]),
        node("Add", "y", [(1, 0), (1, 1)]),
    ]


@case("03.5")
def feeds_are_not_fetches(draw):
    """To feed, to fetch and to run as a target are three different things."""
    nodes = [
        const("a", 1),
        const("b", 2),
        const("c", 3),
        node("Sub", "y", [(0, 0), (1, 0)]),
    ]
    requests: list[dict] = [
        {},
        {"feeds": [(0, 0)]},
        {"fetches": [(0, 0)]},
        {"targets": [0]},
        {"feeds": [(0, 0), (1, 0)]},
        {"feeds": [(0, 0)], "fetches": [(1, 0)]},
        {"fetches": [(0, 0), (1, 0)]},
        {"fetches": [(0, 0)], "targets": [1]},
        {"feeds": [(0, 0)], "targets": [1]},
        {"targets": [0, 1]},
        {"feeds": [(0, 0), (1, 0)], "fetches": [(3, 0)]},
        {"feeds": [(0, 0)], "fetches": [(1, 0), (3, 0)]},
        {"fetches": [(0, 0), (1, 0), (3, 0)]},
        {"feeds": [(1, 0)], "fetches": [(3, 0)], "targets": [2]},
        {"feeds": [(1, 0)], "fetches": [(3, 0)], "targets": [3]},
    ]
    for first in requests:
        for second in requests:
            session = Session(nodes)
            for request in (first, second, first):
                session.run(request, [7, 8][: len(request.get("feeds", []))])
            yield session.trial()


@case("03.5")
def order_counts(draw):
    """Feeds and fetches in another order are another request; so is one fetched twice."""
    nodes = [feed("x"), feed("y"), node("Sub", "d", [(0, 0), (1, 0)]), const("c", 9)]
    session = Session(nodes)
    session.run({"feeds": [(0, 0), (1, 0)], "fetches": [(2, 0)]}, [5, 3])
    session.run({"feeds": [(1, 0), (0, 0)], "fetches": [(2, 0)]}, [5, 3])
    session.run({"feeds": [(0, 0), (1, 0)], "fetches": [(2, 0)]}, [1, 2])
    for fetches in ([(2, 0), (3, 0)], [(3, 0), (2, 0)], [(3, 0)], [(3, 0), (3, 0)]):
        for _ in range(2):
            session.run({"feeds": [(0, 0), (1, 0)], "fetches": fetches}, [4, 1])
    yield session.trial()


@case("03.5")
def outputs_of_a_node(draw):
    """Two outputs of a node are two things to ask for."""
    for fetches in ([(1, 0)], [(1, 1)], [(1, 1), (1, 0)], [(1, 0), (1, 1)]):
        session = Session(_three())
        session.run({"fetches": fetches})
        session.run({"fetches": [(1, 0)]})
        session.run({"feeds": [(1, 1)], "fetches": [(2, 0)]}, [5])
        session.run({"feeds": [(1, 0)], "fetches": [(1, 1), (2, 0)]}, [6])
        session.run({"feeds": [(1, 0)], "fetches": [(1, 0), (2, 0)]}, [6])
        yield session.trial()


@case("03.5")
def one_or_many_digits(draw):
    """1 and 23 are not 12 and 3: numbers of nodes and outputs do not run together."""
    nodes: list[Node] = [const("c0", 0.25)]
    for n in range(1, 280):
        if n in (1, 2, 11, 12, 21, 121):
            inputs = [(max(n - 1 - i, 0), 0) for i in range(13)]
            nodes.append(node("IdentityN", f"n{n}", inputs))
        else:
            nodes.append(const(f"c{n}", n))
    edges = [(n, i) for n in (1, 2, 11, 12, 21, 121) for i in (0, 1, 2, 10, 11, 12)]
    edges += [
        (n, 0) for n in (0, 3, 10, 13, 22, 23, 25, 111, 112, 122, 123, 255, 256, 257)
    ]
    for part in range(4):
        session = Session(nodes)
        for _ in range(60):
            count = draw.whole(1, 2 + part)
            session.run({"fetches": [draw.one_of(edges) for _ in range(count)]})
        yield session.trial(f"60 requests for up to {2 + part} of {len(edges)} outputs")
    session = Session(nodes)
    for edge in edges:
        session.run({"fetches": [edge]})
        session.run({"fetches": [edge, (0, 0)]})
    yield session.trial("each of many outputs alone, and with one more")


def _splits(numbers: list[int]) -> Iterator[dict]:
    """All requests whose feeds, fetches and targets have these numbers, one by one."""
    half = len(numbers) // 2
    for feeds in range(half + 1):
        for fetches in range(half + 1 - feeds):
            pairs = list(zip(numbers[::2], numbers[1::2], strict=False))
            fed, fetched = pairs[:feeds], pairs[feeds : feeds + fetches]
            if len(set(fed)) == len(fed):
                targets = numbers[2 * (feeds + fetches) :]
                yield {"feeds": fed, "fetches": fetched, "targets": targets}


@case("03.5")
def the_same_numbers(draw):
    """Requests with the same numbers, cut elsewhere, are not the same request."""
    nodes = [const("c", 3)]
    nodes += [node("IdentityN", f"n{n}", [(0, 0)] * 4) for n in range(1, 4)]
    for length in (2, 3, 4, 4, 6, 6, 7):
        session = Session(nodes)
        numbers = [draw.whole(1, 3) for _ in range(length)]
        for request in [*_splits(numbers)] * 2:
            session.run(request, [draw.whole(-9, 9) for _ in request["feeds"]])
        yield session.trial(f"feeds, fetches and targets of the numbers {numbers}")


@case("03.5")
def all_small_requests(draw):
    """No two of all requests for a few outputs and targets of three nodes are equal."""
    nodes = [const("c", 3)]
    nodes += [node("IdentityN", f"n{n}", [(0, 0)] * 3) for n in (1, 2)]
    edges = [(n, i) for n, one in enumerate(nodes) for i in range(num_outputs(one))]
    one_or_none = [[], *([edge] for edge in edges)]
    targets = [
        [],
        *([n] for n in range(3)),
        *([n, m] for n in range(3) for m in range(3)),
    ]
    requests = [
        {"feeds": feeds, "fetches": fetches, "targets": few}
        for feeds in one_or_none
        for fetches in one_or_none
        for few in targets
    ]
    for _ in range(100):
        fetches = [draw.one_of(edges) for _ in range(draw.whole(2, 3))]
        few = [draw.whole(0, 2) for _ in range(draw.whole(0, 5))]
        requests.append({"feeds": [], "fetches": fetches, "targets": few})
    session = Session(nodes)
    for request in requests:
        session.run(request, [5] * len(request["feeds"]))
    yield session.trial(f"{len(requests)} requests to three nodes")


@case("03.5")
def targets_side_by_side(draw):
    """Neither the names of targets nor their numbers run together."""
    names = ["a", "b", "ab", "ba", "aa", "abb", "a0", "0", "1", "11"]
    names += [f"c{n}" for n in range(len(names), 300)]
    nodes = [const(name, n) for n, name in enumerate(names)]
    few = [0, 1, 2, 3, 4, 5, 11, 12, 21, 111, 112, 121, 255, 256, 257]
    requests = [[n] for n in few] + [[n, m] for n in few for m in few]
    requests += [[draw.one_of(few) for _ in range(3)] for _ in range(60)]
    requests += [[], [0, 0, 0]]
    session = Session(nodes)
    for targets in requests:
        session.run({"targets": targets})
    yield session.trial(f"{len(requests)} requests for other targets")
    session = Session(nodes)
    for targets in requests[:120]:
        fed = list(dict.fromkeys((n, 0) for n in targets))
        session.run({"feeds": fed, "fetches": [(299, 0)]}, targets[: len(fed)])
    yield session.trial("120 requests that feed other nodes")


@case("03.5")
def nodes_with_large_numbers(draw):
    """Node 1 is not node 65537, whether it is fed, fetched or run."""
    row = (1 << 16) - 2
    nodes = [const("a", 1), const("b", 2), node("NoOp", "row", repeat=row)]
    nodes += [const("c", 3), const("d", 4)]
    known = {0: 1, 1: 2, row + 2: 3, row + 3: 4}
    requests: list[dict] = [{"fetches": [(n, 0)]} for n in known]
    requests += [
        {"fetches": [(n, 0), (0, 0)], "targets": [m]} for n in known for m in known
    ]
    requests += [{"feeds": [(n, 0)], "fetches": [(n, 0), (1, 0)]} for n in known]
    actions = [
        {**one, "do": "run", "values": [np.float64(9)] * len(one.get("feeds", []))}
        for one in requests
    ]

    def check_runs(values: list[Any]) -> Mismatch | None:
        for i, (request, (result, made, _)) in enumerate(
            zip(requests, values[0], strict=True)
        ):
            state = known | {n: 9 for n, _ in request.get("feeds", [])}
            wanted = [state[n] for n, _ in request["fetches"]]
            what = f"run {i + 1}, which is {request}"
            wrong = check_values(what, result, wanted)
            count = f"{what}: the number of executors made so far"
            if wrong := wrong or differs(count, made, i + 1):
                return wrong
        return None

    arguments = {"nodes": nodes, "actions": actions}
    title = f"{len(requests)} requests to a graph of {row + 4} nodes"
    yield Trial(title, [Call("session", arguments)], check_runs)


@case("03.5")
def outputs_with_large_numbers(draw):
    """Output 256 of a node is neither its output 0 nor an output of the next node."""
    width = 1030
    indices = [0, 1, 8, 10, 16, 32, 64, 100, 128, 255, 256, 257, 512, 1000, 1024]
    nodes = [const("c", 3)]
    nodes += [node("IdentityN", f"n{n}", [(0, 0)] * width) for n in (1, 2)]
    edges = [(0, 0), *((n, i) for n in (1, 2) for i in indices)]
    session = Session(nodes)
    for edge in draw.shuffled(edges):
        session.run({"fetches": [edge], "as_built": True})
    for edge in draw.shuffled(edges):  # nothing runs
        session.run({"feeds": [edge], "fetches": [edge]}, [5])
    yield session.trial(f"requests to two nodes of {width} outputs")


@case("03.5")
def steps_as_built(draw):
    """A step that runs the graph as it was built is not an optimised one."""
    nodes = [const("a", 1), feed("x"), node("Add", "y", [(1, 0), (0, 0)])]
    session = Session(nodes)
    requests: list[dict] = [
        {"feeds": [(1, 0)], "fetches": fetches, "targets": targets}
        for fetches in ([], [(0, 0)], [(1, 0)], [(2, 0)])
        for targets in ([], [0], [2], [0, 0], [2, 0])
    ]
    for as_built in (False, True, False, True):
        for request in requests:
            session.run({**request, "as_built": as_built}, [2])
    yield session.trial()


@case("03.5", over=["targets", "fetches", "both"])
def as_built_is_no_node(draw, which):
    """No number of a node or an output stands for a step as it was built."""
    nodes = [const(f"c{n}", n) for n in range(258)]
    nodes.append(node("IdentityN", "n", [(0, 0)] * 4))
    for first in ([], [3], [0, 1]):
        requests = [(first, [])] + [([*first, n], []) for n in range(len(nodes))]
        requests += [([n, *first], []) for n in range(5) if first]
        requests += [(first, [(258, i)]) for i in range(4)]
        session = Session(nodes)
        for as_built in (True, False):
            for few, fetches in requests:
                asked = [(n, 0) for n in few] + fetches
                request: dict[str, Any] = {
                    "targets": {"targets": few, "fetches": fetches},
                    "fetches": {"fetches": asked},
                    "both": {"targets": few, "fetches": asked},
                }[which]
                session.run({**request, "as_built": as_built})
        yield session.trial(f"{which} of {len(nodes)} nodes behind {first}, as built too")


@case("03.5", hidden=True, over=range(2))
def random_requests(draw, _part):
    """Random requests to random graphs, some of them again and again."""
    for size in range(2, 40, 3):
        nodes = random_graph(draw, size, feeds=draw.whole(0, 2))
        requests = [random_request(draw, nodes) for _ in range(6)]
        session = Session(nodes)
        for _ in range(15):
            request = draw.one_of(requests)
            session.run(request, [draw.whole(-9, 9) for _ in request["feeds"]])
        yield session.trial()


# ---- 03.6 -----------------------------------------------------------------------------


@case("03.6")
def a_thousand_runs(draw):
    """Runs of one request, and of the same one made again, need one executor."""
    session = Session(chain(2))
    for i in range(300):
        session.run({"feeds": [(0, 0)], "fetches": [(3, 0)]}, [i], keep=i % 2)
    yield session.trial("300 runs of one request")


@case("03.6")
def growing_graphs(draw):
    """Nodes that are added change nothing for those that are there."""
    session = Session(chain(2))
    request = {"feeds": [(0, 0)], "fetches": [(3, 0)]}
    session.run(request, [1], keep=1)
    for i in range(5):
        added = session.add(node("Add", f"more{i}", [(3, 0), (2, 0)]))
        session.run(request, [i], keep=1)
        session.run(request, [i])
        session.run({"feeds": [(0, 0)], "fetches": [(added, 0)]}, [i])
    yield session.trial()


@case("03.6")
def changed_nodes(draw):
    """A node that changes is seen by every request that runs it, and by no other."""
    nodes = [
        const("a", 1),
        const("b", 2),
        node("Sub", "y", [(0, 0), (1, 0)]),
        const("c", 5),
    ]
    wanted = [{"fetches": [(2, 0)]}, {"fetches": [(3, 0)]}, {"targets": [0]}]
    wanted.append({"feeds": [(0, 0)], "fetches": [(2, 0)]})
    for number in (0, 1, 3):
        session = Session(nodes)
        for keep in (0, 9):
            for i, request in enumerate(wanted):
                session.run(
                    request, [7] * len(request.get("feeds", [])), keep=keep and i + 1
                )
            for value in (10, 20):
                session.set(number, value)
                for i, request in enumerate(wanted):
                    values = [7] * len(request.get("feeds", []))
                    session.run(request, values, keep=keep and i + 1)
        yield session.trial()


@case("03.6")
def changed_edges(draw):
    """So is an input that comes from elsewhere, and a wait that is added."""
    nodes = [
        const("a", 1),
        const("b", 2),
        node("Sub", "y", [(0, 0), (1, 0)]),
        const("c", 5),
    ]
    nodes.append(node("Add", "z", [(2, 0), (0, 0)]))
    session = Session(nodes)
    for request in ({"fetches": [(4, 0)]}, {"feeds": [(2, 0)], "fetches": [(4, 0)]}):
        feeds = [8] * len(request.get("feeds", []))
        session.run(request, feeds)
        session.connect(2, 1, (3, 0))
        session.run(request, feeds)
        session.connect(2, 0, (1, 0))
        session.run(request, feeds)
        session.wait(2, 1 if feeds else 3)
        session.run(request, feeds)
        session.set(0, 6)
        session.run(request, feeds)
        session.set(3, 2)
        session.run(request, feeds)
    yield session.trial()


@case("03.6")
def changes_that_are_refused(draw):
    """An executor that cannot be made anew is not to be had, however often one asks."""
    for keep in (0, 1):
        nodes = [const("a", 1), node("Neg", "b", [(0, 0)]), node("Neg", "c", [(1, 0)])]
        nodes.append(const("d", 8))
        session = Session(nodes)
        request = {"fetches": [(2, 0)]}
        session.run(request, keep=keep)
        for _ in range(2):
            session.connect(1, 0, (2, 0))
            for _ in range(3):
                session.run(request, refused="the graph has a cycle", keep=keep)
            session.run({"fetches": [(3, 0)]})
            session.connect(1, 0, (3, 0))
            session.run(request, keep=keep)
            session.run(request, keep=keep)
        yield session.trial("an edge makes a cycle, and goes elsewhere later")


@case("03.6")
def what_is_fed_counts(draw):
    """A placeholder whose shape is learnt later refuses what does not fit, though fed."""
    nodes = [feed("x"), const("c", 2), node("Mul", "y", [(0, 0), (1, 0)]), feed("other")]
    ways: list[dict] = [
        {"fetches": fetches, "targets": targets}
        for fetches in ([(2, 0)], [(0, 0)], [(1, 0)], [])
        for targets in ([], [1])
    ]
    for keep, way in itertools.product((0, 1), ways):
        session = Session(nodes)
        request = {"feeds": [(0, 0)], **way}
        session.run(request, [3], keep=keep)
        session.know(3, [2])
        session.run(request, [4], keep=keep)
        session.know(0, [2])
        session.run(
            request, [5], fails="Cannot feed value of shape [] for Tensor", keep=keep
        )
        yield session.trial()


@case("03.6", hidden=True, over=range(2))
def random_changes(draw, _part):
    """Runs and changes in any order."""
    for size in range(3, 30, 2):
        nodes = random_graph(draw, size, feeds=draw.whole(0, 2), controls=0.1)
        requests = [random_request(draw, nodes) for _ in range(4)]
        constants = [n for n, one in enumerate(nodes) if one["op"] == "Const"]
        session = Session(nodes)
        for _ in range(12):
            what = draw.whole(0, 5)
            if what == 0:
                session.set(draw.one_of(constants), draw.whole(-9, 9))
            elif what == 1:
                source = draw.one_of([n for n in range(size) if num_outputs(nodes[n])])
                session.add(node("Identity", f"late{len(session.nodes)}", [(source, 0)]))
            number = draw.whole(0, 3)
            request = requests[number]
            values = [draw.whole(-9, 9) for _ in request["feeds"]]
            session.run(request, values, keep=draw.one_of([0, number + 1]))
        yield session.trial()
