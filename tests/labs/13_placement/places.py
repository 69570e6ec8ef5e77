"""Trials of tasks 3 to 6: a graph, and the device of each node, or the error."""

from typing import Any

from lab_13_placement.placement import Placement
from lab_13_placement.trials import (
    FOUR,
    INVALID_ARGUMENT,
    PROCESS,
    Device,
    Node,
    differs,
    graph_text,
    in_process,
    local,
    request_text,
)

from minitf_lab.judge.case import Call, Mismatch, Trial

PREFER_GPU = local("CPU:0", "CPU:1", "GPU:0", "GPU:1", gpu_first=True)
ONE = local("CPU:0")
# The host is a CPU that is not the preferred one.
PREFER_OTHER = [FOUR[0], (PROCESS + "CPU:1", "CPU", 200), *FOUR[2:]]
# The last process has no CPU.
CLUSTER = [
    *local("CPU:0", "GPU:0"),
    *in_process("/job:worker/replica:0/task:0", "CPU:0", "CPU:1", "GPU:0"),
    *in_process("/job:worker/replica:0/task:1", "GPU:0", "GPU:1"),
]
QUEUE = {"component_types": [2]}  # of float64


def error_fault(what: str, result: dict, errors: dict[str, list[str]]) -> Any:
    """What is wrong with an error about one of these nodes, with the words of that."""
    if "code" not in result:
        return Mismatch(
            f"{what} goes well, expected an error", got=str(result["devices"])
        )
    if wrong := differs(
        f"{what}: the code of its error", result["code"], INVALID_ARGUMENT
    ):
        return wrong
    if result["node"] not in errors:
        return Mismatch(
            f"{what}: the node in its error, {result['message']!r}",
            expected=" or ".join(errors),
            got=result["node"],
        )
    for word in errors[result["node"]]:
        if word not in result["message"]:
            return Mismatch(
                f"{what}: its error does not say {word!r}", got=result["message"]
            )
    return None


def placed(
    nodes: list[Node],
    request: dict,
    devices: list[Device] | None = None,
    *,
    soft: bool = False,
) -> Trial:
    """A step whose nodes go where ``Placement`` says, or to an error like its own."""
    devices = devices or FOUR
    model = Placement(nodes, request, devices, soft)

    def check(values: list[Any]) -> Mismatch | None:
        (result,) = values
        if model.errors:
            return error_fault("it", result, model.errors)
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
    title += f"devices {', '.join(device[0].removeprefix(PROCESS) for device in devices)}"
    arguments = {"nodes": nodes, "request": request, "devices": devices, "soft": soft}
    return Trial(title + (", soft" if soft else ""), [Call("place", arguments)], check)


def all_of(nodes: list[Node], *first: int) -> dict:
    """All nodes as targets, some of them first."""
    return {"targets": [*first, *(n for n in range(len(nodes)) if n not in first)]}
