"""``tf.graph_util``: taking graphs apart that stand in messages.

Compare: tensorflow/python/framework/graph_util_impl.py. Read next: ``client/session.py``.
"""

from typing import Any

from minitf.framework import messages
from minitf.framework.tensor_util import make_tensor_proto

__all__ = [
    "convert_variables_to_constants",
    "extract_sub_graph",
    "remove_training_nodes",
]


def _node_of(input_name: str) -> str:
    """``"a"``, of ``"a:1"`` and of ``"^a"``."""
    return input_name.removeprefix("^").partition(":")[0]


def extract_sub_graph(graph_def: Any, dest_nodes: list[str]) -> Any:
    """The part of a ``GraphDef`` that the nodes ``dest_nodes`` need.

    Raises:
        TypeError: ``dest_nodes`` is a string, not a list.
        AssertionError: a node is not in the graph, as in TensorFlow.

    >>> import minitf as tf
    >>> with tf.Graph().as_default() as graph:
    ...     y = tf.square(tf.constant(1.0, name="x"), name="y")
    ...     z = tf.exp(y)
    >>> part = extract_sub_graph(graph.as_graph_def(), ["y"])
    >>> [node.name for node in part.node]
    ['x', 'y']
    """
    if not isinstance(graph_def, messages.get("GraphDef")):
        raise TypeError("graph_def must be a graph_pb2.GraphDef proto.")
    if isinstance(dest_nodes, str):
        raise TypeError("dest_nodes must be a list.")
    nodes = {node.name: node for node in graph_def.node}
    for name in dest_nodes:
        assert name in nodes, f"{name} is not in graph"
    wanted: set[str] = set()
    waiting = list(dest_nodes)
    while waiting:
        name = waiting.pop()
        if name not in wanted and name in nodes:
            wanted.add(name)
            waiting.extend(map(_node_of, nodes[name].input))
    part = type(graph_def)()
    part.node.extend(node for node in graph_def.node if node.name in wanted)
    part.library.CopyFrom(graph_def.library)
    part.versions.CopyFrom(graph_def.versions)
    return part


def remove_training_nodes(
    input_graph: Any, protected_nodes: list[str] | None = None
) -> Any:
    """A ``GraphDef`` without the checks and identities that only training needs.

    An ``Identity`` goes if nothing waits for it by a control input, and its user takes
    its input instead; ``CheckNumerics`` goes too. Nodes in ``protected_nodes`` stay.
    """
    kept = set(protected_nodes or ())
    kept |= {
        _node_of(name)
        for node in input_graph.node
        for name in node.input
        if name.startswith("^")
    }
    # What stands in the place of a node that goes.
    replacement = {
        node.name: node.input[0]
        for node in input_graph.node
        if node.op in ("Identity", "CheckNumerics")
        and node.name not in kept
        and len(node.input) == 1
    }
    slim = type(input_graph)()
    for node in input_graph.node:
        if node.name in replacement:
            continue
        copy = slim.node.add()
        copy.CopyFrom(node)
        for i, name in enumerate(copy.input):
            seen = set()
            while _node_of(name) in replacement and name not in seen:
                seen.add(name)
                name = replacement[_node_of(name)]
            copy.input[i] = name
    slim.library.CopyFrom(input_graph.library)
    slim.versions.CopyFrom(input_graph.versions)
    return slim


def convert_variables_to_constants(
    sess: Any,
    input_graph_def: Any,
    output_node_names: list[str],
    variable_names_whitelist: list[str] | None = None,
    variable_names_blacklist: list[str] | None = None,
) -> Any:
    """A ``GraphDef`` that computes the same with the present values of variables in it.

    Args:
        sess: the session that has the values.
        input_graph_def: the graph, such as ``sess.graph.as_graph_def()``.
        output_node_names: the nodes that are wanted; the others go, unless needed.
        variable_names_whitelist: the only variables to convert, if given.
        variable_names_blacklist: variables to leave as they are.

    Raises:
        ValueError: a node uses a variable in another way than to read it.

    >>> import minitf as tf
    >>> with tf.Graph().as_default() as graph, tf.Session() as session:
    ...     y = tf.square(tf.Variable(3.0, name="w"), name="y")
    ...     session.run(tf.global_variables_initializer())
    ...     frozen = convert_variables_to_constants(session, graph.as_graph_def(), ["y"])
    >>> sorted(node.op for node in frozen.node)
    ['Const', 'Identity', 'Square']
    """
    graph_def = extract_sub_graph(input_graph_def, output_node_names)
    variables = {
        node.name: node
        for node in graph_def.node
        if node.op == "VarHandleOp"
        and (variable_names_whitelist is None or node.name in variable_names_whitelist)
        and node.name not in (variable_names_blacklist or ())
    }
    readers = {}  # of each variable, one
    for node in graph_def.node:
        used = [_node_of(name) for name in node.input if not name.startswith("^")]
        for name in variables.keys() & set(used):
            if node.op != "ReadVariableOp":
                raise ValueError(
                    f"Cannot find the variable that is an input to the {node.op} "
                    f"'{node.name}': only a ReadVariableOp of '{name}' can be converted"
                )
            readers[name] = f"{node.name}:0"
    values = sess.run(readers)
    frozen = type(graph_def)()
    for node in graph_def.node:
        _add_converted(frozen, node, values)
    frozen.library.CopyFrom(graph_def.library)
    frozen.versions.CopyFrom(graph_def.versions)
    return frozen


def _add_converted(frozen: Any, node: Any, values: dict[str, Any]) -> None:
    """``node``, or what stands in its place where the variables are ``values``."""
    copy = frozen.node.add()
    if node.name in values:
        value = make_tensor_proto(values[node.name])
        copy.name, copy.op = node.name, "Const"
        copy.attr["dtype"].type = value.dtype
        copy.attr["value"].tensor.CopyFrom(value)
    elif node.op == "ReadVariableOp" and _node_of(node.input[0]) in values:
        copy.name, copy.op, copy.device = node.name, "Identity", node.device
        copy.input.extend(node.input)
        copy.attr["T"].CopyFrom(node.attr["dtype"])
    else:
        copy.CopyFrom(node)


def __dir__() -> list[str]:
    return __all__
