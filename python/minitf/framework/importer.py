"""``tf.import_graph_def``: the nodes of a message become nodes of a graph.

The work is done in C++ (``minitf/graph/import_graph_def.h``); messages travel as bytes.

Compare: tensorflow/python/framework/importer.py. Read next: ``graph_io.py``.
"""

from typing import Any

from minitf import _minitf
from minitf.eager import context
from minitf.framework import messages, op_def_registry
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.tensor import GraphTensor, Tensor
from minitf.util.arguments import require

_CONTROL = -1  # the index that stands for a node as a control input


def import_graph_def(
    graph_def: Any,
    input_map: dict[str, Any] | None = None,
    return_elements: list[str] | None = None,
    name: str | None = None,
    op_dict: Any = None,
    producer_op_list: Any = None,
) -> list[Any] | None:
    """Adds the nodes of a ``GraphDef`` to the default graph.

    Args:
        graph_def: the message.
        input_map: tensors of this graph, by the name of the tensor of ``graph_def`` in
            whose place they are to be used.
        return_elements: names of the tensors (``"a:0"``) and nodes (``"a"``) wanted.
        name: a scope for the new nodes; ``"import"`` if None, none if empty.
        op_dict: None: the definitions of ops are those of this process.
        producer_op_list: an ``OpList`` with the definitions that the maker of
            ``graph_def`` had. An attribute that our own definition does not have is left
            out if it has the default value that it has there.

    Returns:
        What ``return_elements`` asks for, or None.

    Raises:
        ValueError: the message makes no sense, or a name in the arguments is not in it.
            The graph is as it was.
        TypeError: an argument is of the wrong kind.
        tf.errors.NotFoundError: there is no such op.

    >>> import minitf as tf
    >>> with tf.Graph().as_default() as graph:
    ...     y = tf.square(3.0, name="y")
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     (y,) = tf.import_graph_def(graph.as_graph_def(), return_elements=["y:0"])
    ...     print(y.name, session.run(y))
    import/y:0 9.0
    """
    if op_dict is not None:
        raise ValueError(
            "op_dict must be None: the definitions of ops are those of this process"
        )
    graph_def = _checked(graph_def)
    if producer_op_list is not None:
        graph_def = _without_new_attrs(graph_def, producer_op_list)
    if name is not None and not isinstance(name, str):
        raise TypeError(f"name must be a string, is {name!r}")
    _check_map(input_map, name)
    wanted = _checked_elements(return_elements)
    graph = context.get_default_graph()
    graph._require_not_finalized()
    stack = context.users_stack()
    with graph.name_scope("import" if name is None else name) as scope:
        mapped = _tensors_to_map(input_map or {}, graph)
        first, tensors, nodes, missing = _minitf.import_graph_def(
            graph._core,
            graph_def.SerializeToString(),
            scope[:-1],
            [(*_parse(key), tensor._handle) for key, tensor in mapped.items()],
            [_parse(element) for element in wanted if ":" in element],
            [element for element in wanted if ":" not in element],
            context.line_of(stack),
        )
    graph._stacks[first] = stack
    _merge_versions(graph, graph_def.versions, is_first=first == 0 and not scope)
    if graph._devices or graph._controls:
        _apply_scopes(graph, range(first, graph.num_operations))
    unused = [key for key in mapped if _parse(key) in missing]
    if unused:
        raise ValueError(
            "Attempted to map inputs that were not found in graph_def: "
            f"[{', '.join(unused)}]"
        )
    if return_elements is None:
        return None
    return _found(graph, wanted, tensors, nodes)


def _checked(graph_def: Any) -> Any:
    GraphDef = messages.get("GraphDef")  # noqa: N806
    if not isinstance(graph_def, GraphDef):
        descriptor = getattr(graph_def, "DESCRIPTOR", None)
        if getattr(descriptor, "name", "") != "GraphDef":
            raise TypeError("graph_def must be a GraphDef proto.")
        graph_def = GraphDef.FromString(graph_def.SerializeToString())
    return graph_def


def _without_new_attrs(graph_def: Any, producer_op_list: Any) -> Any:
    """A copy without the attributes that came later and have their default value."""
    require(producer_op_list, "SerializeToString", "producer_op_list", "an OpList")
    OpList = messages.get("OpList")  # noqa: N806
    producer = OpList.FromString(producer_op_list.SerializeToString())
    defaults = {
        op.name: {
            attr.name: attr.default_value
            for attr in op.attr
            if attr.HasField("default_value")
        }
        for op in producer.op
    }
    copy = type(graph_def)()
    copy.CopyFrom(graph_def)
    for node in copy.node:
        if node.op not in defaults or not _minitf.has_op(node.op):
            continue
        known = op_def_registry.get(node.op).attrs
        for name in [name for name in node.attr if name not in known]:
            if node.attr[name] == defaults[node.op].get(name):
                del node.attr[name]
    return copy


def _check_map(input_map: Any, name: str | None) -> None:
    if input_map is None:
        return
    if not isinstance(input_map, dict) or not all(
        isinstance(key, (str, bytes)) for key in input_map
    ):
        raise TypeError(
            "input_map must be a dictionary mapping strings to Tensor objects."
        )
    are_tensors = all(isinstance(value, Tensor) for value in input_map.values())
    if name == "" and not are_tensors:
        raise ValueError(
            "tf.import_graph_def() requires a non-empty `name` if `input_map` contains "
            "non-Tensor values. Try calling tf.convert_to_tensor() on `input_map` values "
            "before calling tf.import_graph_def()."
        )


def _checked_elements(elements: Any) -> list[str]:
    if elements is None:
        return []
    if not isinstance(elements, (list, tuple)) or not all(
        isinstance(element, (str, bytes)) for element in elements
    ):
        raise TypeError("return_elements must be a list of strings.")
    return [_text(element) for element in elements]


def _text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name


def _parse(name: str) -> tuple[str, int]:
    """``"a:1"``, ``"a"`` or ``"^a"``: the node and the index."""
    if name.startswith("^"):
        return name[1:], _CONTROL
    node, colon, index = name.partition(":")
    if not colon:
        return name, 0
    if not index.isdecimal() or int(index) >= 2**31:
        raise ValueError(f"Cannot convert {name!r} to a tensor name.")
    return node, int(index)


def _tensors_to_map(input_map: dict[Any, Any], graph: Any) -> dict[str, GraphTensor]:
    mapped = {_text(key): value for key, value in input_map.items()}
    if not all(isinstance(value, Tensor) for value in mapped.values()):
        with graph.name_scope("_inputs"):
            mapped = {key: convert_to_tensor(value) for key, value in mapped.items()}
    for tensor in mapped.values():
        if tensor.op.graph is not graph:
            raise ValueError(f"{tensor} must be from the graph that is imported into.")
    return mapped


def _found(graph: Any, wanted: list[str], tensors: list[int], nodes: list[int]) -> list:
    """Tensors and nodes, in the order in which they were asked for."""
    next_tensor, next_node = iter(tensors), iter(nodes)
    return [
        graph._tensor(next(next_tensor))
        if ":" in element
        else graph._operation(next(next_node))
        for element in wanted
    ]


def _merge_versions(graph: Any, versions: Any, is_first: bool) -> None:
    """Takes over what imported nodes ask for; all of it, if there were no others."""
    own = graph._versions
    producer, consumer = versions.producer, versions.min_consumer
    if not is_first:
        producer = min(own["producer"], producer)
        consumer = max(own["min_consumer"], consumer)
    bad = {*versions.bad_consumers, *own["bad_consumers"]}
    graph._versions = {
        "producer": producer,
        "min_consumer": consumer,
        "bad_consumers": sorted(bad),
    }


def _apply_scopes(graph: Any, nodes: range) -> None:
    """Devices and control dependencies of the present scopes, for nodes just imported.

    A node's own device counts as that of an innermost scope.
    """
    for op in map(graph._operation, nodes):
        if graph._devices:
            with graph.device(op.device or ""):
                graph._call_device_functions(op)
        if graph._controls:
            for node in graph._control_inputs(op.inputs):
                op._add_control_input(graph._operation(node))
            for controller in graph._controls:
                controller.inside.add(op)
