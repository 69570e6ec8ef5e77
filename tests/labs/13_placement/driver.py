"""What cases of lab 13 call: names of devices, placement, parts, steps, rendezvous.

Graphs are lists of nodes as ``tests/labs/graph_script.h`` says; types are written by
name. A device is its name, its type and its place in the order of preference. Nothing
here knows what is expected.
"""

from typing import Any

import lab_13_driver

import minitf as tf

Node = dict[str, Any]
Device = tuple[str, str, int]

# Attributes that are types, or lists of types.
TYPES = {"T", "dtype", "out_type", "Tin", "Tout"}


def _type(value: Any) -> Any:
    """The number of a type, or those of several."""
    if isinstance(value, list):
        return [_type(one) for one in value]
    return getattr(tf, value).as_datatype_enum


def _node(node: Node) -> Node:
    """A node with numbers in place of the names of types."""
    attrs = {
        key: _type(value) if key in TYPES else value
        for key, value in node.get("attrs", {}).items()
    }
    return node | {"attrs": attrs}


def _nodes(nodes: list[Node]) -> list[Node]:
    return [_node(node) for node in nodes]


def parse(texts: list[str]) -> list[Any]:
    """The parts of each name, or the text of the error."""
    return [_or_error(lab_13_driver.parse, text) for text in texts]


def canonical(texts: list[str]) -> list[Any]:
    """The canonical form of each."""
    return [_or_error(lab_13_driver.canonical, text) for text in texts]


def _or_error(function: Any, text: str) -> Any:
    try:
        return function(text)
    except tf.errors.OpError as error:
        return f"{type(error).__name__}: {error}"


def compare(pairs: list[tuple[str, str]]) -> list[tuple[bool, bool]]:
    """Of each pair, whether the first covers the second, and whether both may be one."""
    return [lab_13_driver.compare(a, b) for a, b in pairs]


def merge(pairs: list[tuple[str, str]], soft: bool) -> list[tuple]:
    """Of each pair the error, or "", and the parts of the first name afterwards."""
    return [lab_13_driver.merge(a, b, soft) for a, b in pairs]


def place(
    nodes: list[Node], request: dict[str, Any], devices: list[Device], soft: bool
) -> dict[str, Any]:
    """Where each node of a step goes, and whether all are on the host; or the error."""
    return lab_13_driver.place(_nodes(nodes), request, devices, soft)


def cut(
    nodes: list[Node],
    request: dict[str, Any],
    devices: list[Device],
    by_hand: bool = False,
) -> list[dict[str, Any]]:
    """The parts of a step, one for each device; ``by_hand``, nodes are where they ask."""
    return lab_13_driver.cut(_nodes(nodes), request, devices, by_hand)


def run(
    nodes: list[Node],
    request: dict[str, Any],
    device_count: dict[str, int],
    steps: list[list[Any]],
) -> list[dict[str, Any]]:
    """Steps of a session, each with what was fed; and what went from device to device."""
    return lab_13_driver.run(_nodes(nodes), request, device_count, steps)


def run_at_once(
    nodes: list[Node],
    request: dict[str, Any],
    device_count: dict[str, int],
    num_threads: int,
    times: int,
) -> list[list[float]]:
    """What each of some threads has fetched, that run steps at the same time."""
    return lab_13_driver.run_at_once(
        _nodes(nodes), request, device_count, num_threads, times
    )


def rendezvous(actions: list[dict[str, Any]]) -> list[list[tuple]]:
    """For each action the calls that it led to: tag, code, message, value, is dead."""
    return lab_13_driver.rendezvous(actions)


def ping_pong(num_keys: int, count: int, sends_first: bool) -> list[list[float]]:
    """What came under each key, where threads send and receive."""
    return lab_13_driver.ping_pong(num_keys, count, sends_first)


def wake(num_threads: int, how: str) -> tuple[list[int], float]:
    """The codes with which threads that wait are woken, and after how long."""
    return lab_13_driver.wake(num_threads, how)


def race(count: int, aborts: bool) -> list[int]:
    """How often each callback is called while others send and end."""
    return lab_13_driver.race(count, aborts)


def num_missed(how: str, count: int) -> int:
    """How often two threads missed each other that came at the same moment."""
    return lab_13_driver.num_missed(how, count)


def num_lost(first: str, second: str, count: int) -> int:
    """How often what comes in between two looks at a rendezvous is lost."""
    return lab_13_driver.num_lost(first, second, count)


def last_reference(how: str, count: int) -> tuple[list[list[int]], int]:
    """The codes of Recvs the first of which drops the rendezvous; how many came late."""
    return lab_13_driver.last_reference(how, count)


def held_by_callbacks(how: str, count: int) -> tuple[list[list[int]], bool]:
    """The codes of Recvs whose callbacks hold the rendezvous; whether it is gone."""
    return lab_13_driver.held_by_callbacks(how, count)


def sent_while_cancelled(count: int) -> list[list[float]]:
    """What comes under each key of a Recv; one that is cancelled sends to the others."""
    return lab_13_driver.sent_while_cancelled(count)


def ended_without_tensor(source: str, target: str, how: str) -> dict[str, Any]:
    """What a Recv between two devices gets that ends and gets no tensor."""
    return lab_13_driver.ended_without_tensor(source, target, how)


def next_manager(how: str) -> list[list[int]]:
    """The codes of two Recvs; the second has a manager where that of the first was."""
    return lab_13_driver.next_manager(how)


def is_free_while_it_forgets(how: str) -> bool:
    """Whether a rendezvous can be used while a manager has a Recv wait."""
    return lab_13_driver.is_free_while_it_forgets(how)


def waits_for_the_lock(how: str) -> tuple[bool, bool]:
    """Whether a Recv that is registered holds the lock, and others wait for it."""
    return lab_13_driver.waits_for_the_lock(how)


def is_let_go(how: str) -> bool:
    """Whether a tensor that was sent is held by nobody else in the end."""
    return lab_13_driver.is_let_go(how)


def bytes_left(how: str, count: int) -> float:
    """How many bytes stay in use for each Recv of a step."""
    return lab_13_driver.bytes_left(how, count)


def transfer(
    source: str, target: str, value: Any, room: float = 0.0, **how: bool
) -> dict[str, Any]:
    """A tensor that goes from one device to another."""
    return lab_13_driver.transfer(source, target, value, how, room)
