"""Lab 13, task 11: tensors on their way from one memory to another."""

import itertools
import re
from typing import Any

import numpy as np
from lab_13_placement.trials import INVALID_ARGUMENT, differs

from minitf_lab.judge.case import Call, Mismatch, Trial, case, close

RESOURCE_EXHAUSTED = 8

# ---- 13.11 ----------------------------------------------------------------------------


def _transfer(source: str, target: str, value: np.ndarray, **how: bool) -> Trial:
    is_dead = how.get("is_dead", False)
    memory = [
        "CPU" if kind.startswith("CPU") or how.get(host) else kind
        for kind, host in ((source, "from_host"), (target, "to_host"))
    ]
    is_same = memory[0] == memory[1]

    def check(values: list[Any]) -> Mismatch | str | None:
        (got,) = values
        if wrong := differs("the code of the status", got["code"], 0):
            return wrong
        if wrong := differs("whether it is dead", got["is_dead"], is_dead):
            return wrong
        expected = None if is_dead else value
        if wrong := close(got["value"], expected, what="what is received"):
            return wrong
        count = 0 if is_dead else 1
        size = count * value.nbytes
        for what, wanted in (
            ("num_transfers", count),
            ("bytes", size),
            ("bytes_copied", 0 if is_same else size),
        ):
            if wrong := differs(what, got[what], wanted):
                return wrong
        for end in ("send", "recv"):
            if not got[f"has_{end}_args"]:
                return f"`done` does not get the {end}_args that were given"
        if not is_dead and value.size:
            return differs("whether it is in the same memory", got["is_same"], is_same)
        return None

    arguments = {"source": source, "target": target, "value": value, **how}
    what = f"{value.dtype} {list(value.shape)}"
    title = f"{what} from {source} to {target}, {how or 'as it is'}"
    return Trial(title, [Call("transfer", arguments)], check)


DEVICES = ("CPU:0", "CPU:1", "GPU:0", "GPU:1")


@case("13.11")
def from_each_to_each(draw):
    """A tensor is copied to another memory, and handed on within one."""
    for source, target in itertools.product(DEVICES, DEVICES):
        for shape in ((), (3,), (0,), (2, 3)):
            for first in (False, True):
                value = draw.array(shape, "float64")
                yield _transfer(source, target, value, recv_first=first)


@case("13.11")
def in_host_memory(draw):
    """What lies in the memory of the host, or is wanted there, is not the card's."""
    for source, target in itertools.product(DEVICES, DEVICES):
        for from_host, to_host in itertools.product((False, True), repeat=2):
            value = draw.array((5,), "float32")
            how = {"from_host": from_host, "to_host": to_host}
            yield _transfer(source, target, value, **how, recv_first=draw.coin())


@case("13.11")
def dead_tensors(draw):
    """Of what is dead nothing is copied or counted."""
    for source, target in itertools.product(DEVICES, DEVICES):
        for first in (False, True):
            value = draw.array((4,), "float64")
            yield _transfer(source, target, value, is_dead=True, recv_first=first)


@case("13.11")
def transfers_to_nowhere(draw):
    """The error names the device that is missing; of two either."""
    for source, target, *missing in [
        ("CPU:0", "GPU:7", "GPU:7"),
        ("GPU:9", "CPU:0", "GPU:9"),
        ("CPU:5", "GPU:8", "CPU:5", "GPU:8"),
    ]:

        def check(values: list[Any], missing: list[str] = missing) -> Mismatch | None:
            (got,) = values
            if wrong := differs("the code", got["code"], INVALID_ARGUMENT):
                return wrong
            bare = re.sub(r"(?<!\S)\S+;\S+", "", got["message"])  # without the key
            if not any(device in bare for device in missing):
                named = " or ".join(missing)
                return Mismatch(f"the error does not name {named}", got=got["message"])
            return (
                differs("whether it is dead", got["is_dead"], False)
                or differs("whether send_args are empty", got["has_no_send_args"], True)
                or differs("whether `done` gets recv_args", got["has_recv_args"], True)
            )

        for first, *host in itertools.product((False, True), repeat=3):
            arguments = {"source": source, "target": target, "value": np.float64(1)}
            arguments |= {"recv_first": first, "from_host": host[0], "to_host": host[1]}
            title = f"from {source} to {target}, host memory at its ends: {host}"
            yield Trial(title, [Call("transfer", arguments)], check)


@case("13.11")
def where_there_is_no_room(draw):
    """A copy that fails gives its error, no tensor, and is not counted."""
    value = draw.array((1000,), "float64")
    for source, target in itertools.product(DEVICES, DEVICES):
        is_same = source == target or {source[:3], target[:3]} == {"CPU"}
        if is_same or target.startswith("CPU"):
            continue

        def check(values: list[Any]) -> Mismatch | None:
            (got,) = values
            return (
                differs("the code", got["code"], RESOURCE_EXHAUSTED)
                or close(got["value"], None, what="what is received")
                or differs("num_transfers", got["num_transfers"], 0)
                or differs("bytes", got["bytes"], 0)
                or differs("whether it is dead", got["is_dead"], False)
                or differs("whether `done` gets send_args", got["has_send_args"], True)
                or differs("whether `done` gets recv_args", got["has_recv_args"], True)
            )

        arguments = {"source": source, "target": target, "value": value, "room": 1e-14}
        title = f"8000 bytes from {source} to {target}, which has no room"
        yield Trial(title, [Call("transfer", arguments)], check)


@case("13.11")
def ends_without_a_tensor(draw):
    """An error goes on as it is, and nothing is copied or counted."""
    codes = {"aborted": 11, "aborted before": 11, "cancelled": 1, "gone": 1}
    for source, target in itertools.product(DEVICES, ("CPU:1", "GPU:0")):
        for how, code in codes.items():

            def check(values: list[Any], code: int = code) -> Mismatch | None:
                wanted = {"has_value": False, "is_dead": False, "has_send_args": False}
                wanted |= {"has_recv_args": True, "codes": [code], "num_transfers": 0}
                return differs("what `done` gets", dict(values[0]), wanted)

            arguments = {"source": source, "target": target, "how": how}
            title = f"a Recv from {source} to {target} is {how}"
            yield Trial(title, [Call("ended_without_tensor", arguments)], check)


@case("13.11", hidden=True, over=["int64", "bool", "float32", "complex128"])
def types_and_sizes(draw, dtype):
    """Elements of every size, and none."""
    for source, target in itertools.product(DEVICES, DEVICES):
        for shape in ((1000,), (0,), (1, 1)):
            kind = "whole" if dtype == "int64" else "signed"
            yield _transfer(source, target, draw.array(shape, dtype, kind))
