"""The timeline of a step, for chrome://tracing and https://ui.perfetto.dev.

>>> import json
>>> import minitf as tf
>>> from minitf.client.timeline import Timeline
>>> with tf.Graph().as_default(), tf.Session() as session:
...     x = tf.constant([[1.0, 2.0]])
...     options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
...     metadata = tf.RunMetadata()
...     _ = session.run(tf.matmul(x, x, transpose_b=True), None, options, metadata)
...     trace = json.loads(Timeline(metadata.step_stats).generate_chrome_trace_format())
>>> sorted(trace)
['traceEvents']

Compare: tensorflow/python/client/timeline.py. Read next: ``contrib/debug/debugger.py``.
"""

import json
import re
from typing import Any

# "y = MatMul[packed](a, b)"; most have nothing in square brackets.
_LABEL = re.compile(
    r"(?P<name>.*?) = (?P<op>[^(\[]*)(\[(?P<tier>[^\]]*)\])?\((?P<inputs>.*)\)$",
    re.DOTALL,
)


class Timeline:
    """What a StepStats message says, as events of the Trace Event format.

    Every device is a process, every thread of it a row. An event is a node; its arguments
    are its name, its op, the tier if it has several, its inputs, and the sizes of its
    outputs in bytes.

    Args:
        step_stats: of a RunMetadata that ``Session.run`` has filled.
        graph: accepted; labels name op and inputs already.
    """

    def __init__(self, step_stats: Any, graph: Any = None):
        del graph
        self._stats = step_stats

    def generate_chrome_trace_format(
        self, show_dataflow: bool = True, show_memory: bool = False
    ) -> str:
        """The events as JSON.

        Args:
            show_dataflow: draw an arrow from each node to those that use it.
            show_memory: count the bytes of outputs that are in use, per device. A tensor
                counts from the end of its node to the end of its last user.
        """
        events: list[dict[str, Any]] = []
        ends: dict[str, tuple[int, int, float]] = {}
        flows: list[tuple[str, int, int, float]] = []
        for pid, device in enumerate(self._stats.dev_stats):
            events.append(_named("process_name", pid, 0, f"{device.device} Compute"))
            for thread in sorted({stats.thread_id for stats in device.node_stats}):
                text = "caller" if thread == 0 else f"helper {thread}"
                events.append(_named("thread_name", pid, thread, text))
            for stats in device.node_stats:
                event, inputs = _event(stats, pid)
                events.append(event)
                end = event["ts"] + event["dur"]
                ends[stats.node_name] = (pid, stats.thread_id, end)
                flows += [(name, pid, stats.thread_id, event["ts"]) for name in inputs]
            if show_memory:
                events += _memory(device, pid)
        if show_dataflow:
            events += _arrows(ends, flows)
        return json.dumps({"traceEvents": events}, indent=1)


def _named(what: str, pid: int, tid: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {"name": name}}


def label_parts(stats: Any) -> tuple[str, str | None, list[str]]:
    """The op, its tier and the names of the input nodes, as far as the label tells."""
    label = _LABEL.match(stats.timeline_label)
    if label is None:
        return stats.timeline_label or stats.node_name, None, []
    names = [name.partition(":")[0].lstrip("^") for name in label["inputs"].split(", ")]
    return label["op"], label["tier"], [name for name in names if name]


def _event(stats: Any, pid: int) -> tuple[dict[str, Any], list[str]]:
    op, tier, inputs = label_parts(stats)
    args: dict[str, Any] = {"name": stats.node_name, "op": op}
    if tier is not None:
        args["tier"] = tier
    args.update((f"input{i}", name) for i, name in enumerate(inputs))
    sizes = [
        output.tensor_description.allocation_description.requested_bytes
        for output in stats.output
    ]
    if sizes:
        args["output bytes"] = sizes
    event = {
        "ph": "X",
        "cat": "Op",
        "name": op,
        "pid": pid,
        "tid": stats.thread_id,
        "ts": stats.all_start_nanos / 1000,
        "dur": stats.all_end_rel_nanos / 1000,
        "args": args,
    }
    return event, inputs


def _arrows(ends: dict, flows: list) -> list[dict[str, Any]]:
    arrows = []
    for number, (source, pid, tid, start) in enumerate(flows):
        if source not in ends:
            continue
        shared = {"cat": "DataFlow", "name": source, "id": number}
        from_pid, from_tid, end = ends[source]
        end = min(end, start)
        arrows.append({"ph": "s", "pid": from_pid, "tid": from_tid, "ts": end, **shared})
        arrows.append({"ph": "t", "pid": pid, "tid": tid, "ts": start, **shared})
    return arrows


def _memory(device: Any, pid: int) -> list[dict[str, Any]]:
    """How many bytes of outputs are in use, whenever that changes."""
    last_use: dict[str, float] = {}
    for stats in device.node_stats:
        end = (stats.all_start_nanos + stats.all_end_rel_nanos) / 1000
        for name in label_parts(stats)[2]:
            last_use[name] = max(last_use.get(name, 0.0), end)
    changes = []
    for stats in device.node_stats:
        size = sum(
            output.tensor_description.allocation_description.requested_bytes
            for output in stats.output
        )
        end = (stats.all_start_nanos + stats.all_end_rel_nanos) / 1000
        changes.append((end, size))
        if stats.node_name in last_use:
            changes.append((max(last_use[stats.node_name], end), -size))
    events, in_use = [], 0
    for time, change in sorted(changes):
        in_use += change
        events.append(
            {
                "ph": "C",
                "cat": "Memory",
                "name": "bytes in use",
                "pid": pid,
                "tid": 0,
                "ts": time,
                "args": {"bytes": in_use},
            }
        )
    return events
