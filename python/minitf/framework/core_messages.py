"""Messages of what C++ holds: a graph, a node, a tensor.

Compare: tensorflow/python/framework/ops.py, Graph.as_graph_def. Read next: ``graph.py``.
"""

from typing import Any

from minitf import _minitf
from minitf.framework import messages


def graph_def_of(graph: Any, first_node: int = 0, add_shapes: bool = False) -> Any:
    """The ``GraphDef`` of a graph, without the nodes before number ``first_node``."""
    data = _minitf.graph_def(graph._core, first_node, bool(add_shapes))
    message = messages.get("GraphDef").FromString(data)
    message.versions.CopyFrom(graph.graph_def_versions)
    return message


def node_def_of(op: Any) -> Any:
    """The ``NodeDef`` of a node."""
    data = _minitf.node_def(op.graph._core, op._id)
    return messages.get("NodeDef").FromString(data)


def message_of(tensor: Any) -> Any:
    """The ``TensorProto`` of a tensor that has a value."""
    return messages.get("TensorProto").FromString(_minitf.tensor_proto(tensor))
