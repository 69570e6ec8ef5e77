"""``tf.Operation``: a node of a graph, as Python sees it.

The node itself is C++ (``minitf/graph/graph.h``). An Operation knows the graph and the
node's number, and asks for everything else. It is made when it is first asked for, and is
then the same object for ever, so that ``is`` compares nodes.

Compare: tensorflow/python/framework/ops.py, Operation. Read next: ``op_def_library.py``.
"""

import linecache
from typing import Any

from minitf.framework import op_def_registry
from minitf.framework.core_messages import message_of, node_def_of
from minitf.framework.default_session import session_for
from minitf.framework.dtypes import BY_NUMBER
from minitf.framework.tensor import OUTPUT_BITS, GraphTensor
from minitf.framework.tensor_shape import TensorShape


def attr_from_core(kind: str, value: Any) -> Any:
    """A Python value for an attribute of ``kind`` that C++ gave out.

    It is a DType, a TensorShape or a TensorProto, or a list of these.
    """
    if kind == "type":
        return BY_NUMBER[value]
    if kind == "list(type)":
        return [BY_NUMBER[number] for number in value]
    if kind == "shape":
        return TensorShape(value)
    if kind == "list(shape)":
        return [TensorShape(shape) for shape in value]
    if kind == "tensor":
        return message_of(value)
    return value


class Operation:
    """A node of a graph: one call of an op that has not happened yet."""

    __slots__ = ("__weakref__", "_id", "_name", "_outputs", "_type", "graph")

    def __init__(self, graph: Any, node: int):
        if type(node) is not int or not hasattr(graph, "_core"):
            raise TypeError(
                f"nodes are made by calling ops; {node!r} in {graph!r} is none"
            )
        self.graph = graph
        self._id = node
        self._outputs = None
        self._name = None
        self._type = None

    @property
    def name(self) -> str:
        """The name, which no other node of the graph has."""
        if self._name is None:
            self._name = self.graph._core.name(self._id)
        return self._name

    @property
    def type(self) -> str:
        """The name of the op, such as ``"MatMul"``."""
        if self._type is None:
            self._type = self.graph._core.type(self._id)
        return self._type

    @property
    def outputs(self) -> list[GraphTensor]:
        """The tensors that the node makes."""
        if self._outputs is None:
            count = self.graph._core.num_outputs(self._id)
            self._outputs = [GraphTensor(self, i) for i in range(count)]
        return self._outputs

    @property
    def inputs(self) -> list[GraphTensor]:
        """The tensors that the node takes."""
        return [
            self.graph._tensor(handle) for handle in self.graph._core.inputs(self._id)
        ]

    @property
    def control_inputs(self) -> list["Operation"]:
        """The nodes after which this one runs without taking a tensor from them."""
        return [
            self.graph._operation(i) for i in self.graph._core.control_inputs(self._id)
        ]

    @property
    def device(self) -> str:
        """The device that was asked for, as it was given; '' for none."""
        return self.graph._core.device(self._id)

    @property
    def origin(self) -> str:
        """The user's line that made the node: ``"train.py:12"``."""
        return self.graph._core.origin(self._id)

    @property
    def traceback(self) -> list[tuple]:
        """The user's lines that were being run when the node was made.

        Each is a tuple ``(file, line number, function, text of the line)``, the innermost
        is last. Lines of minitf itself are left out.
        """
        return [entry[:4] for entry in self.traceback_with_start_lines]

    @property
    def traceback_with_start_lines(self) -> list[tuple]:
        """As ``traceback``; a fifth element is the line where the function starts."""
        stacks = self.graph._stacks
        first = max((node for node in stacks if node <= self._id), default=None)
        return [
            (
                code.co_filename,
                line,
                code.co_name,
                linecache.getline(code.co_filename, line).strip() or None,
                code.co_firstlineno,
            )
            for code, line in reversed(stacks.get(first, []))
        ]

    @property
    def node_def(self) -> Any:
        """Name, op, inputs, device and attributes in one message, a ``tf.NodeDef``."""
        return node_def_of(self)

    @property
    def op_def(self) -> Any:
        """The definition of the op."""
        return op_def_registry.get(self.type)

    def get_attr(self, name: str) -> Any:
        """The attribute ``name``: a DType, a TensorShape, a TensorProto and so on.

        Raises:
            ValueError: the node has no such attribute.
        """
        if not isinstance(name, str):
            raise TypeError(f"the name of an attribute is a string, not {name!r}")
        return attr_from_core(*self.graph._core.attr(self._id, name))

    def values(self) -> tuple[GraphTensor, ...]:
        """The outputs, as a tuple."""
        return tuple(self.outputs)

    def colocation_groups(self) -> list[bytes]:
        """The groups of nodes that must share a device with this one."""
        own = [b"loc:@" + self.name.encode()]
        try:
            classes = self.get_attr("_class")
        except ValueError:
            return own
        return [text for text in classes if text.startswith(b"loc:@")] or own

    def run(self, feed_dict: dict | None = None, session: Any = None) -> None:
        """Runs the node and what it needs, in ``session`` or the default one."""
        session_for(self, "execute operation", session).run(self, feed_dict)

    def _set_device(self, device: Any) -> None:
        self.graph._core.set_device(self._id, "" if device is None else str(device))

    def _set_attr(self, name: str, value: Any) -> None:
        """Sets an attribute to an ``AttrValue``, or a value as C++ takes it."""
        self.graph._core.set_attr(self._id, name, value)

    def _add_control_input(self, op: "Operation") -> None:
        self.graph._core.add_control_input(self._id, op._id)

    def _update_input(self, index: int, tensor: GraphTensor) -> None:
        self.graph._core.update_input(self._id, index, tensor._handle)

    def __str__(self) -> str:
        return str(self.node_def)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"


def split_handle(handle: int) -> tuple[int, int]:
    """The number of the node, and of the output, in a handle of C++."""
    return handle >> OUTPUT_BITS, handle & ((1 << OUTPUT_BITS) - 1)
