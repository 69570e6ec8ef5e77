"""``tf.name_scope``, and groups of nodes.

Compare: tensorflow/python/framework/ops.py, name_scope; ops/control_flow_ops.py.
Read next: ``variables/variable_scope.py``.
"""

import builtins
from contextlib import ExitStack
from typing import Any

from minitf.eager import context
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.graph import colocate_with, control_dependencies
from minitf.framework.op_def_library import call, graph_of
from minitf.framework.operation import Operation
from minitf.framework.tensor import GraphTensor, Tensor
from minitf.util.nest import flatten

_IN_GRAPH = (GraphTensor, Operation)


class name_scope:  # noqa: N801
    """Within it, the names of new nodes start with ``name`` and a slash.

    In eager mode it is for the names of variables. It may be entered again: that opens
    another scope of the same name.

    Args:
        name: the scope; if None, default_name. None and ``""`` mean the outermost scope,
            and a name that ends in a slash is one in full.
        default_name: the scope if there is no name.
        values: tensors; nodes are added to the graph of the first of them.

    Raises:
        TypeError: the name is no string, or values are no list.
        ValueError: there are values and no name, or they are of several graphs.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.name_scope("Replica1") as scope:
    ...     print(scope, tf.constant(1).name)
    Replica1/ Replica1/Const:0
    """

    def __init__(
        self, name: str | None, default_name: str | None = None, values: Any = None
    ):
        if default_name is not None and not isinstance(default_name, str):
            raise TypeError(
                f"`default_name` is no string but {default_name!r}; perhaps it was meant "
                "as `values`"
            )
        self._name = default_name if name is None else name
        if self._name is not None and not isinstance(self._name, str):
            raise TypeError(f"A scope's name is a string, not {self._name!r}")
        if values is not None and not isinstance(values, (list, builtins.tuple)):
            raise TypeError(f"values must be a list of tensors, got {values!r}")
        if self._name is None and values is not None:
            raise ValueError(
                f"At least one of name ({name}) and default_name ({default_name}) must "
                "be provided."
            )
        self._values = values
        self._entered: list[Any] = []

    @property
    def name(self) -> str | None:
        """The scope's name as it was given."""
        return self._name

    def __enter__(self) -> str:
        stack = ExitStack()
        if context.executing_eagerly():
            opened = stack.enter_context(context.eager_name_scope(self._name))
        else:
            graph = graph_of(self._values)
            for value in self._values or ():
                if isinstance(value, _IN_GRAPH) and value.graph is not graph:
                    raise ValueError(f"{value} must be from the same graph as the first")
            opened = stack.enter_context(graph.name_scope(self._name))
            if graph is not context.get_default_graph():
                stack.enter_context(graph.as_default())
        self._entered.append(stack)
        return opened

    def __exit__(self, *error: object) -> None:
        self._entered.pop().__exit__(*error)


def no_op(name: str | None = None) -> Operation | None:
    """A node that does nothing. Useful as something to wait for."""
    return call("NoOp", [], None, name)


def group(*inputs: Any, **kwargs: Any) -> Operation | None:
    """A node that does nothing and runs after all of ``inputs``; None in eager mode.

    It is for the device of the inputs. If they are for several, there is such a node on
    each of these devices, and the result runs after those: what crosses from one device
    to another is one signal for each device.

    Args:
        inputs: tensors and Operations, in lists, tuples and dicts nested at will.
        kwargs: ``name``, ``"group_deps"`` by default.

    Raises:
        TypeError: an input is neither a tensor nor an Operation.
        ValueError: there is another keyword than ``name``.
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unknown keyword arguments: {', '.join(kwargs)}")
    if context.executing_eagerly():
        return None
    leaves = []
    for leaf in flatten(inputs):
        leaves += leaf._fetch_parts()[1] if hasattr(leaf, "_fetch_parts") else [leaf]
    with name_scope(name, "group_deps", leaves) as scope:
        by_device: dict[str, list[Any]] = {}
        for leaf in leaves:
            element = _element(leaf, "'inputs' of tf.group")
            by_device.setdefault(element.device, []).append(element)
        if len(by_device) == 1:
            ((device, waited),) = by_device.items()
            return _wait_on(device, waited, scope)
        gates = [_wait_on(device, by_device[device]) for device in sorted(by_device)]
        return _wait_on("", gates, scope)


def _element(leaf: Any, argument: str) -> Any:
    """The tensor or node that ``leaf`` is or stands for; it is one of ``argument``."""
    is_element = isinstance(leaf, (Tensor, Operation))
    if not is_element and not hasattr(leaf, "_as_graph_element"):
        raise TypeError(
            f"{argument} should be zero or more (nested) Tensors. Received '{leaf}' with "
            f"type '{type(leaf)}'."
        )
    return context.get_default_graph().as_graph_element(leaf)


def _wait_on(device: str, waited: list[Any], name: str | None = None) -> Operation:
    """A node on ``device`` that runs after ``waited``."""
    with context.get_default_graph().device(device), control_dependencies(waited):
        return no_op(name)


def tuple(
    tensors: list[Any], name: str | None = None, control_inputs: list[Any] | None = None
) -> list[Any]:
    """The same tensors, none of which is there before all of them are.

    Args:
        tensors: tensors, IndexedSlices, Operations and None. In the result a tensor is on
            the device where it was, an Operation stands for itself, and None stays None.
        name: of the scope, ``"tuple"`` by default.
        control_inputs: what else is waited for: tensors and Operations.

    Raises:
        ValueError: there is nothing to wait for.
        TypeError: one of control_inputs is neither a tensor nor an Operation.
    """
    if context.executing_eagerly():
        return list(tensors)
    with name_scope(name, "tuple", tensors):
        tensors = [_tensor_or_node(item) for item in tensors]
        waited = [item for item in tensors if item is not None]
        for item in control_inputs or []:
            waited.append(_element(item, "'control_inputs' of tf.tuple"))
        if not waited:
            raise ValueError(
                f"'tensors' must have at least one Tensor. Received: {tensors}."
            )
        gate = group(*waited)
        return [_behind(gate, item) for item in tensors]


def _tensor_or_node(item: Any) -> Any:
    if item is None or isinstance(item, Operation) or hasattr(item, "_of_parts"):
        return item
    return convert_to_tensor(item)


def _behind(gate: Operation, item: Any) -> Any:
    """``item``, which is not there before ``gate`` has run."""
    if item is None:
        return None
    if isinstance(item, Operation):
        with control_dependencies([gate]):
            return group(item)
    if hasattr(item, "_with_values"):
        return item._with_values(with_dependencies([gate], item.values))
    return with_dependencies([gate], item)


def with_dependencies(
    dependencies: list[Any], output_tensor: Any, name: str | None = None
) -> Any:
    """The same tensor on the same device, not there before ``dependencies`` are."""
    if context.executing_eagerly():
        return output_tensor
    tensor = convert_to_tensor(output_tensor)
    with control_dependencies(dependencies), colocate_with(tensor):
        return call("Identity", [tensor], None, name or "control_dependency")
