"""``tf.name_scope``, and groups of nodes.

Compare: tensorflow/python/framework/ops.py, name_scope; ops/control_flow_ops.py.
Read next: ``variable_scopes.py``.
"""

from typing import Any

from minitf import context
from minitf.constant_op import convert_to_tensor
from minitf.graph import control_dependencies
from minitf.nest import flatten
from minitf.operation import Operation
from minitf.ops import call, graph_of
from minitf.tensor import Tensor


class name_scope:  # noqa: N801
    """Within it, the names of new nodes start with ``name`` and a slash.

    Args:
        name: the scope; if None, default_name.
        default_name: the scope if there is no name.
        values: tensors; nodes are added to the graph of the first of them.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.name_scope("Replica1") as scope:
    ...     print(scope, tf.constant(1).name)
    Replica1/ Replica1/Const:0
    """

    def __init__(
        self, name: str | None, default_name: str | None = None, values: Any = None
    ):
        self._name = default_name if name is None else name
        if self._name is not None and not isinstance(self._name, str):
            raise TypeError(f"A scope's name is a string, not {self._name!r}")
        self._values = values

    @property
    def name(self) -> str | None:
        """The scope's name as it was given."""
        return self._name

    def __enter__(self) -> str:
        self._scope = self._graph = None
        if context.executing_eagerly():
            name = self._name or ""
            return name if name.endswith("/") or not name else name + "/"
        graph = graph_of(self._values)
        if graph is not context.get_default_graph():
            self._graph = graph.as_default()
            self._graph.__enter__()
        self._scope = graph.name_scope(self._name)
        return self._scope.__enter__()

    def __exit__(self, *error: object) -> None:
        for entered in (self._scope, self._graph):
            if entered is not None:
                entered.__exit__(*error)


def no_op(name: str | None = None) -> Operation | None:
    """A node that does nothing. Useful as something to wait for."""
    return call("NoOp", [], None, name)


def group(*inputs: Any, **kwargs: Any) -> Operation | None:
    """A node that does nothing and runs after all of ``inputs``; None in eager mode."""
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unknown keyword arguments: {', '.join(kwargs)}")
    if context.executing_eagerly():
        return None
    leaves = [leaf for leaf in flatten(inputs) if leaf is not None]
    for leaf in leaves:
        if not isinstance(leaf, (Tensor, Operation)) and not hasattr(
            leaf, "_as_graph_element"
        ):
            raise TypeError(
                f"Expected tf.group() expected Tensor objects not None, or "
                f"nodes, got {leaf!r}"
            )
    with control_dependencies(leaves):
        return no_op(name or "group_deps")


def tuple(
    tensors: list[Any], name: str | None = None, control_inputs: list[Any] | None = None
) -> list[Any]:
    """The same tensors, none of which is there before all of them are."""
    if context.executing_eagerly():
        return list(tensors)
    with name_scope(name, "tuple", tensors):
        waited = [tensor for tensor in tensors if tensor is not None]
        if not waited:
            raise ValueError("Must have at least one Tensor")
        gate = group(*waited, *(control_inputs or []))
        with control_dependencies([gate]):
            return [
                None
                if tensor is None
                else call("Identity", [tensor], None, "control_dependency")
                for tensor in tensors
            ]


def with_dependencies(
    dependencies: list[Any], output_tensor: Any, name: str | None = None
) -> Any:
    """The same tensor, which is not there before ``dependencies`` are."""
    if context.executing_eagerly():
        return output_tensor
    with control_dependencies(dependencies):
        return call(
            "Identity",
            [convert_to_tensor(output_tensor)],
            None,
            name or "control_dependency",
        )
