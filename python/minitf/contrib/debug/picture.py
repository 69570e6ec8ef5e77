"""A picture of a step: its nodes, what has run, and what came out.

Compare: Eric Jang's tdb. Read next: ``docs/runtime.md``.
"""

from typing import Any

from minitf.contrib.debug.debugger import Debugger
from minitf.contrib.debug.filters import has_inf_or_nan, summary
from minitf.framework.operation import Operation
from minitf.platform.graphviz import quoted, run_dot

HAS_RUN = "#d7f0d7"
STANDS_HERE = "#ffd27f"
IS_BAD = "#f6b3b3"
WAITS = "#ffffff"


def _needed(graph: Any, fetches: Any) -> list[Operation]:
    """The nodes that ``fetches`` need, themselves included, in order of making."""
    found: dict[int, Operation] = {}
    waiting = []
    for fetch in fetches if isinstance(fetches, (list, tuple)) else [fetches]:
        element = graph.as_graph_element(fetch)
        waiting.append(element if isinstance(element, Operation) else element.op)
    while waiting:
        op = waiting.pop()
        if op._id in found:
            continue
        found[op._id] = op
        waiting += [tensor.op for tensor in op.inputs] + op.control_inputs
    return [found[i] for i in sorted(found)]


def step_dot(debugger: Debugger, fetches: Any) -> str:
    """The nodes that ``fetches`` need, in the language of Graphviz.

    Nodes that have run are green and show their values; where the step stands is orange;
    a value with infinities or what is no number is red.
    """
    graph = debugger._session.graph
    here = debugger.stop.node if debugger.stop else ""
    lines = [
        "digraph step {",
        '  node [shape=box style="rounded,filled" fontname="Helvetica"]',
    ]
    for op in _needed(graph, fetches):
        label, colour = f"{op.name}\n{op.type}", WAITS
        for tensor in op.outputs:
            if tensor.name not in debugger.values:
                continue
            value = debugger.values[tensor.name]
            label += f"\n{summary(value)}"
            is_bad = has_inf_or_nan(tensor.name, value)
            colour = IS_BAD if is_bad or colour == IS_BAD else HAS_RUN
        if op.name == here:
            colour = STANDS_HERE
        lines.append(
            f"  {quoted(op.name)} [label={quoted(label)} fillcolor={quoted(colour)}]"
        )
        for tensor in op.inputs:
            style = "" if tensor.value_index == 0 else f' [label=":{tensor.value_index}"]'
            lines.append(f"  {quoted(tensor.op.name)} -> {quoted(op.name)}{style}")
        for control in op.control_inputs:
            lines.append(f"  {quoted(control.name)} -> {quoted(op.name)} [style=dashed]")
    return "\n".join([*lines, "}"])


class Svg(str):
    """A drawing that a notebook shows as one."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def step_svg(debugger: Debugger, fetches: Any) -> Svg:
    """As ``step_dot``, drawn. A notebook shows it.

    Raises:
        errors.FailedPreconditionError: Graphviz is not installed.
    """
    return Svg(run_dot(step_dot(debugger, fetches), "svg"))
