"""``viz.timeline``: when each node of a step ran, and ``viz.memory``: where it wrote.

Compare: chrome://tracing; TensorBoard's memory page. Read next: ``accesses.py``.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from minitf.client.timeline import label_parts
from minitf.contrib.viz.graph import device_name
from minitf.contrib.viz.layout import LETTER, shortened, text_width
from minitf.contrib.viz.picture import COLOURS, Canvas, Picture

WIDTH = 1000  # of the axis of time, in pixels
BAR = 22
MAX_HEIGHT = 600  # of a device's memory
HINT = "Rest on a bar for its name."


def _step_stats(run_metadata: Any) -> Any:
    """The StepStats of a RunMetadata.

    Raises:
        TypeError: ``run_metadata`` is something else.
        ValueError: it has no nodes.
    """
    descriptor = getattr(run_metadata, "DESCRIPTOR", None)
    if getattr(descriptor, "name", "") != "RunMetadata":
        raise TypeError(
            f"run_metadata must be a tf.RunMetadata, not {type(run_metadata).__name__}"
        )
    stats = run_metadata.step_stats
    if not any(device.node_stats for device in stats.dev_stats):
        raise ValueError(
            "run_metadata has no nodes; give Session.run "
            "options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)"
        )
    return stats


def timeline(run_metadata: Any, *, title: str | None = None) -> Picture:
    """When each node of a step ran: a row for each thread of each device.

    >>> import minitf as tf
    >>> from minitf import viz
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.constant([[1.0, 2.0]])
    ...     options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    ...     metadata = tf.RunMetadata()
    ...     _ = session.run(tf.matmul(x, x, transpose_b=True), None, options, metadata)
    >>> picture = viz.timeline(metadata, title="One product")
    >>> picture
    <Picture: One product>

    Args:
        run_metadata: Filled by ``Session.run`` with ``FULL_TRACE``.
        title: The line above the picture.

    Raises:
        TypeError: ``run_metadata`` is something else.
        ValueError: it has no nodes.
    """
    devices = _step_stats(run_metadata).dev_stats
    everything = [stats for device in devices for stats in device.node_stats]
    start = min(stats.all_start_nanos for stats in everything)
    end = max(stats.all_start_nanos + stats.all_end_rel_nanos for stats in everything)
    scale = WIDTH / max(end - start, 1)
    times: Counter[str] = Counter()
    for stats in everything:
        times[label_parts(stats)[0]] += stats.all_end_rel_nanos
    common = [op for op, _ in times.most_common(COLOURS - 1)]
    colours = {op: f"k{number}" for number, op in enumerate(common)}
    canvas = Canvas(title or f"{len(everything)} nodes in {(end - start) / 1e3:.0f} us")
    for device in devices:
        rows: dict[int, list[Any]] = {}
        for stats in device.node_stats:
            rows.setdefault(stats.thread_id, []).append(stats)
        for thread, row in sorted(rows.items()):
            who = "caller" if thread == 0 else f"helper {thread}"
            canvas.line(f"{device_name(device.device)}, {who}")
            for stats in row:
                op = label_parts(stats)[0]
                x = (stats.all_start_nanos - start) * scale
                width = max(stats.all_end_rel_nanos * scale, 0.5)
                about = (
                    f"{stats.node_name} ({op}): {stats.all_end_rel_nanos / 1e3:.1f} us"
                )
                texts = [op] if text_width(op) < width else []
                place = x, canvas.y, width, BAR
                canvas.box(place, colours.get(op, f"k{COLOURS - 1}"), *texts, about=about)
            canvas.y += BAR + 8
    for part in range(6):
        moment = f"{(end - start) / 1e3 * part / 5:.0f} us"
        anchor = ("start", "middle", "end")[(part > 0) + (part == 5)]
        canvas.text(WIDTH * part / 5, canvas.y + 10, moment, text_anchor=anchor)
    canvas.y += 22
    for op in common:
        canvas.box((0, canvas.y + 3, 14, 14), colours[op])
        canvas.text(20, canvas.y + 14, f"{op} {times[op] / 1e3:.0f} us")
        canvas.y += 20
    return canvas.picture(f"Bars from left to right are nodes over time. {HINT}")


@dataclass
class _Buffer:
    """Memory in use.

    Attributes:
        first: The number of the node that writes it; nodes are in the order of running.
        last: The number of the last node that reads it.
        names: The tensors that lie in it, one after another.
    """

    address: int
    size: int
    first: int
    last: int
    names: list[str]


def _buffers(nodes: list[Any]) -> list[_Buffer]:
    """The memory that the outputs of a device's nodes had.

    An output at the address of an input is in the same buffer: the node wrote over its
    input, or changed the dimensions only.
    """
    buffers: list[_Buffer] = []
    of_tensor: dict[str, dict[int, _Buffer]] = {}
    unread: set[int] = set()
    for number, stats in enumerate(nodes):
        _, _, inputs = label_parts(stats)
        read = [b for name in inputs for b in of_tensor.get(name, {}).values()]
        for buffer in read:
            buffer.last = number
            unread.discard(id(buffer))
        mine = of_tensor.setdefault(stats.node_name, {})
        for output in stats.output:
            memory = output.tensor_description.allocation_description
            if not memory.ptr or not memory.requested_bytes:
                continue
            name = f"{stats.node_name}:{output.slot}"
            buffer = next((b for b in read if b.address == memory.ptr), None)
            if buffer is None:
                size = memory.requested_bytes
                buffer = _Buffer(memory.ptr, size, number, number, [])
                buffers.append(buffer)
            buffer.size = max(buffer.size, memory.requested_bytes)
            buffer.names.append(name)
            mine[output.slot] = buffer
            unread.add(id(buffer))
    for buffer in buffers:
        if id(buffer) in unread:
            buffer.last = len(nodes) - 1
    return buffers


def _positions(buffers: list[_Buffer]) -> dict[int, int]:
    """A position for each address, without the gaps that no buffer uses."""
    positions: dict[int, int] = {}
    shift = end = min(buffer.address for buffer in buffers)
    for buffer in sorted(buffers, key=lambda buffer: buffer.address):
        shift += max(0, buffer.address - end)
        positions[buffer.address] = buffer.address - shift
        end = max(end, buffer.address + buffer.size)
    return positions


def memory(run_metadata: Any, *, title: str | None = None) -> Picture:
    """Where the tensors of a step lay in memory: nodes to the right, addresses down.

    The nodes stand in the order in which they began. A block lasts from the node that
    writes it to the last one that reads it; what no node reads lasts to the end. With
    ``minitf_memory_plan`` the blocks are those of the memory plan.

    >>> import minitf as tf
    >>> from minitf import viz
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.placeholder(tf.float32, [256], name="x")
    ...     y = tf.cumsum(tf.cumsum(x))
    ...     options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    ...     metadata = tf.RunMetadata()
    ...     _ = session.run(y, {x: [1.0] * 256}, options, metadata)
    >>> viz.memory(metadata, title="Two sums")
    <Picture: Two sums>

    Args:
        run_metadata: Filled by ``Session.run`` with ``FULL_TRACE``.
        title: The line above the picture.

    Raises:
        TypeError: ``run_metadata`` is something else.
        ValueError: it has no nodes.
    """
    stats = _step_stats(run_metadata)
    canvas = Canvas(title or "Memory of a step")
    for device in stats.dev_stats:
        nodes = sorted(device.node_stats, key=lambda node: node.all_start_nanos)
        buffers = _buffers(nodes)
        _draw_memory(canvas, device_name(device.device), nodes, buffers)
    return canvas.picture(f"Blocks of memory; nodes to the right, addresses down. {HINT}")


def _draw_memory(
    canvas: Canvas, device: str, nodes: list[Any], buffers: list[_Buffer]
) -> None:
    in_use = [
        sum(b.size for b in buffers if b.first <= number <= b.last)
        for number in range(len(nodes))
    ]
    most = max(range(len(nodes)), key=lambda number: in_use[number])
    canvas.line(
        f"{device}: at most {in_use[most]:,} bytes in use, "
        f"at node {most} ({nodes[most].node_name})"
    )
    if not buffers:
        return
    positions = _positions(buffers)
    total = max(positions[b.address] + b.size for b in buffers)
    across = min(WIDTH / len(nodes), 120)
    for number, buffer in enumerate(buffers):
        y = positions[buffer.address] / total * MAX_HEIGHT
        width = (buffer.last - buffer.first + 1) * across
        height = max(buffer.size / total * MAX_HEIGHT, 0.5)
        name = shortened(buffer.names[-1], int(width / LETTER))
        about = (
            f"{', '.join(buffer.names)}: {buffer.size:,} bytes at "
            f"{positions[buffer.address]:,}, nodes {buffer.first} to {buffer.last}"
        )
        place = buffer.first * across, canvas.y + y, width, height
        canvas.box(
            place,
            f"k{number % COLOURS}",
            *[name] * (height >= 14 and width >= 60),
            about=about,
        )
    canvas.y += MAX_HEIGHT + 4
    canvas.line(
        f"{len(nodes)} nodes from left to right, {total:,} bytes from top to bottom"
    )
