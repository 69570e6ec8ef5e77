"""The nodes of a picture and their inputs, read from a GraphDef.

Compare: tensorboard/plugins/graph/tf_graph_common/parser.ts. Read next: ``scopes.py``.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from minitf.framework.dtypes import as_dtype
from minitf.framework.graph import Graph

CONTROL = -1  # stands for the output of a control input
MAX_TEXT = 60  # characters of an attribute


@dataclass(frozen=True)
class Node:
    """A node of the graph.

    Attributes:
        inputs: For each input the index of its node, and the output or CONTROL.
        shapes: Of each output, as text; empty if the GraphDef has none.
    """

    name: str
    type: str
    device: str
    attrs: str
    inputs: tuple[tuple[int, int], ...]
    shapes: tuple[str, ...]

    def shape(self, output: int) -> str:
        """The shape of an output, as text; empty if it is unknown."""
        return self.shapes[output] if 0 <= output < len(self.shapes) else ""


def is_graph_def(source: Any) -> bool:
    """Whether ``source`` is a GraphDef, of minitf or of TensorFlow."""
    return getattr(getattr(source, "DESCRIPTOR", None), "name", "") == "GraphDef"


def graph_def_of(source: Any, argument: str) -> Any:
    """The GraphDef of a Graph, of a GraphDef, or of a function that adds nodes.

    Raises:
        TypeError: ``source`` has another type. The message names ``argument``.
    """
    if isinstance(source, Callable) and not isinstance(source, type):
        with Graph().as_default() as graph:
            source()
        source = graph
    if isinstance(source, Graph):
        return source.as_graph_def(add_shapes=True)
    if not is_graph_def(source):
        raise TypeError(
            f"{argument} must be a tf.Graph, a tf.GraphDef or a function without "
            f"arguments that adds nodes, not {type(source).__name__}"
        )
    return source


def _shape_text(shape: Any) -> str:
    if shape.unknown_rank:
        return "?"
    sizes = ("?" if dim.size < 0 else str(dim.size) for dim in shape.dim)
    return f"[{','.join(sizes)}]"


def _value_text(value: Any) -> str:
    """An AttrValue as short text."""
    kind = value.WhichOneof("value")
    if kind == "type":
        text = as_dtype(value.type).name
    elif kind == "shape":
        text = _shape_text(value.shape)
    elif kind == "tensor":
        text = as_dtype(value.tensor.dtype).name + _shape_text(value.tensor.tensor_shape)
    elif kind == "s":
        text = value.s.decode(errors="replace")
    elif kind == "func":
        text = value.func.name
    elif kind == "list":
        items = [item for _, items in value.list.ListFields() for item in items]
        text = "[" + ", ".join(str(item).strip() for item in items[:8]) + "]"
    else:
        text = str(getattr(value, kind)) if kind else ""
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"


def _attrs_text(node_def: Any) -> str:
    names = sorted(name for name in node_def.attr if not name.startswith("_"))
    return ", ".join(f"{name}={_value_text(node_def.attr[name])}" for name in names)


def _rows(graph_def: Any) -> Iterator[tuple[str, Any, list[str], str]]:
    """For each node its name, NodeDef, the names of its inputs, and its type.

    A function's nodes follow as those of a scope with the function's name.
    """
    for node_def in graph_def.node:
        yield node_def.name, node_def, list(node_def.input), node_def.op
    for function in graph_def.library.function:
        scope = f"function {function.signature.name}/"
        for arg in function.signature.input_arg:
            yield scope + arg.name, None, [], "Argument"
        for node_def in function.node_def:
            inputs = [
                "^" + scope + name[1:] if name.startswith("^") else scope + name
                for name in node_def.input
            ]
            yield scope + node_def.name, node_def, inputs, node_def.op
        for name, source in function.ret.items():
            yield f"{scope}return {name}", None, [scope + source], "Result"


def _input_of(text: str) -> tuple[str, int]:
    """The node and the output of an input.

    >>> _input_of("a"), _input_of("a:2"), _input_of("^a"), _input_of("a:out:1")
    (('a', 0), ('a', 2), ('a', -1), ('a', 1))
    """
    if text.startswith("^"):
        return text[1:], CONTROL
    name, *parts = text.split(":")
    return name, int(parts[-1]) if parts else 0


def _fetched_names(fetches: Any) -> list[str]:
    """The names of the nodes that ``fetches`` mean."""
    many = fetches if isinstance(fetches, (list, tuple)) else [fetches]
    for fetch in many:
        if not isinstance(getattr(fetch, "name", fetch), str):
            raise TypeError(
                "fetches must be tensors, operations or their names, "
                f"not {type(fetch).__name__}"
            )
    return [getattr(fetch, "name", fetch).partition(":")[0] for fetch in many]


def _needed(numbers: dict[str, int], inputs: list, fetches: Any) -> list[int]:
    """The indices of the nodes that ``fetches`` need, in the graph's order."""
    waiting = []
    for name in _fetched_names(fetches):
        if name not in numbers:
            raise ValueError(
                f"fetches: the graph has no node {name!r}{hint(name, numbers)}"
            )
        waiting.append(numbers[name])
    needed: set[int] = set()
    while waiting:
        node = waiting.pop()
        if node not in needed:
            needed.add(node)
            waiting += [source for source, _ in inputs[node]]
    return sorted(needed)


def hint(name: str, known: Any) -> str:
    """A question for the nearest of the known names, if there is one."""
    near = get_close_matches(name, known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def read_graph(graph_def: Any, fetches: Any = None) -> list[Node]:
    """Returns the nodes of a GraphDef. With ``fetches``, only the nodes that they need.

    Raises:
        ValueError: two nodes have one name, or an input or a fetch does not exist.
    """
    rows = list(_rows(graph_def))
    numbers = {row[0]: number for number, row in enumerate(rows)}
    if len(numbers) != len(rows):
        raise ValueError("two nodes of the graph have the same name")
    inputs = []
    for name, _, texts, _ in rows:
        sources = [_input_of(text) for text in texts]
        missing = [source for source, _ in sources if source not in numbers]
        if missing:
            raise ValueError(
                f"node {name!r} takes {missing[0]!r}, which the graph does not have"
            )
        inputs.append([(numbers[source], output) for source, output in sources])
    chosen = range(len(rows)) if fetches is None else _needed(numbers, inputs, fetches)
    new_numbers = {old: new for new, old in enumerate(chosen)}
    nodes = []
    for old in chosen:
        name, node_def, _, op = rows[old]
        shapes = (
            node_def.attr["_output_shapes"].list.shape
            if node_def is not None and ("_output_shapes" in node_def.attr)
            else ()
        )
        nodes.append(
            Node(
                name,
                op,
                node_def.device if node_def is not None else "",
                _attrs_text(node_def) if node_def is not None else "",
                tuple((new_numbers[source], output) for source, output in inputs[old]),
                tuple(_shape_text(shape) for shape in shapes),
            )
        )
    return nodes
