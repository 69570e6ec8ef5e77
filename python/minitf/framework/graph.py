"""``tf.Graph``: nodes under construction, and the scopes that new nodes are made in.

The nodes are C++ (``minitf/graph/graph.h``). What is here is what a scope decides about a
node before it is made: the prefix of its name, its device, its control inputs. Devices
and collections are in base classes: ``graph_scopes.py``, ``collections_.py``.

Compare: tensorflow/python/framework/ops.py, Graph. Read next: ``operation.py``.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from minitf import _minitf
from minitf.eager import context
from minitf.framework import devices, messages
from minitf.framework.collections_ import Collections, GraphKeys
from minitf.framework.core_messages import graph_def_of
from minitf.framework.create_op import CreateOp
from minitf.framework.graph_scopes import GraphScopes, name_as_string
from minitf.framework.operation import Operation, split_handle
from minitf.framework.tensor import GraphTensor, Tensor
from minitf.framework.thread_scopes import of_thread
from minitf.util.arguments import require

__all__ = ["Graph", "GraphKeys"]


class _Controls:
    """One ``with control_dependencies(...)``: the nodes to wait for, and those inside."""

    __slots__ = ("inside", "ops")

    def __init__(self, ops: list[Operation]):
        self.ops = ops
        self.inside: set[Operation] = set()


class Graph(GraphScopes, Collections, CreateOp):
    """A graph that is being built.

    Attributes:
        seed: what ``tf.set_random_seed`` has set for this graph; None at first.

    >>> import minitf as tf
    >>> graph = tf.Graph()
    >>> with graph.as_default():
    ...     print(tf.matmul([[3.0, 3.0]], [[2.0], [2.0]]))
    Tensor("MatMul:0", shape=(1, 1), dtype=float32)
    """

    def __init__(self) -> None:
        super().__init__()
        self._core = _minitf.GraphCore()
        self._operations: dict[int, Operation] = {}
        self._flows: dict[int, Any] = {}  # by node, for those in a branch or loop
        self._loop_results_without_gradient: list[GraphTensor] = []
        self._unfetchable: set[int] = set()
        self._unfeedable: set[GraphTensor] = set()
        self._stacks: dict[int, Any] = {}  # by the first node that a call has made
        self._variable_store: Any = None  # what shared_variables.py keeps of this graph
        self._versions: dict[str, Any] = {
            "producer": _minitf.GRAPH_DEF_VERSION,
            "min_consumer": _minitf.GRAPH_DEF_VERSION_MIN_CONSUMER,
            "bad_consumers": [],
        }
        self.seed: int | None = None
        self._seeds_given = 0  # to random ops without a seed of their own
        self._custom_gradients: list[Any] = []  # functions that must live as long

    _controls = of_thread("controls")
    _flow = of_thread("flow")

    # ---- Nodes ----------------------------------------------------------------------

    @property
    def num_operations(self) -> int:
        """How many nodes there are."""
        return self._core.num_nodes()

    @property
    def version(self) -> int:
        """Grows with every node: how many there are."""
        return self._core.num_nodes()

    def _operation(self, node: int) -> Operation:
        found = self._operations.get(node)
        if found is None:
            found = self._operations[node] = Operation(self, node)
        return found

    def _tensor(self, handle: int) -> GraphTensor:
        node, index = split_handle(handle)
        return self._operation(node).outputs[index]

    def add_node(
        self,
        op_type: str,
        name: str,
        inputs: list[GraphTensor],
        attrs: dict[str, Any] | None = None,
        input_lengths: list[int] | tuple = (),
    ) -> Operation:
        """Adds a node in the present scopes.

        Args:
            op_type: the op, such as ``"MatMul"``.
            name: below the present name scope; one that ends in ``/`` is taken as it is.
            inputs: the tensors, those of lists one after another.
            attrs: attributes in the form that C++ takes (``attr_bridge.h``).
            input_lengths: how many tensors make up each argument, if there are lists.

        Raises:
            TypeError: the name is no string.
            ValueError: inputs or attributes do not fit the op, or the name is empty.
            RuntimeError: the graph is finalized.
        """
        self._require_not_finalized()
        name = name_as_string(name)
        if not name:
            raise ValueError(f"'' is not a valid node name, in a call of {op_type}")
        if self._thread.name_stack and name[-1:] != "/":
            name = f"{self._thread.name_stack}/{name}"
        for tensor in inputs:
            if tensor.op.graph is not self:
                raise ValueError(f"{tensor} must be from the same graph as {inputs[0]}.")
        controls = self._control_inputs(inputs) if self._controls else ()
        flow = self._flow
        if flow is not None:
            scope = name.rstrip("/")
            inputs = [flow.bring_in(tensor, scope) for tensor in inputs]
            controls = flow.control_inputs(list(controls), inputs)
        elif self._flows:
            self._refuse_loop_tensors(inputs, name)
        if self._container:
            attrs = self._with_container(op_type, attrs)
        if op_type in self._thread.attrs:
            attrs = {**self._thread.attrs[op_type], **(attrs or {})}
        op = self._insert_node(op_type, name, inputs, attrs, input_lengths, controls)
        for controller in self._controls:
            controller.inside.add(op)
        if flow is not None:
            self._set_flow(op, flow)
        return op

    def _insert_node(
        self,
        op_type: str,
        name: str,
        inputs: list[GraphTensor],
        attrs: dict[str, Any] | None,
        input_lengths: Any = (),
        controls: Any = (),
    ) -> Operation:
        """Adds a node that takes just these inputs, under just this name."""
        stack = context.users_stack()
        node = self._core.add_node(
            op_type,
            name,
            [tensor._handle for tensor in inputs],
            input_lengths,
            controls,
            attrs,
            (self._device, context.line_of(stack)),
        )
        self._stacks[node] = stack
        op = self._operations[node] = Operation(self, node)
        if self._devices_depend_on_op:
            self._place(op)
        return op

    # ---- Branches and loops (flow_contexts.py) --------------------------------------

    def _flow_of(self, op: Operation) -> Any:
        """The branch or loop that ``op`` is in, or None."""
        return self._flows.get(op._id)

    def _set_flow(self, op: Operation, flow: Any) -> None:
        self._flows[op._id] = flow
        self._unfetchable.add(op._id)

    def _refuse_loop_tensors(self, inputs: list[GraphTensor], name: str) -> None:
        for tensor in inputs:
            home = self._flow_of(tensor.op)
            if home is not None:
                home.refuse_escape(tensor, name)

    def prevent_fetching(self, op: Operation) -> None:
        """From now on ``op`` and its tensors cannot be fetched."""
        require(op, "_id", "prevent_fetching", "an Operation")
        self._unfetchable.add(op._id)

    def _control_inputs(self, inputs: list[GraphTensor]) -> list[int]:
        """The nodes to wait for, without those that an input has waited for already."""
        direct = {tensor.op for tensor in inputs}
        nodes: dict[int, None] = {}
        for controller in self._controls:
            if direct.isdisjoint(controller.inside):
                nodes.update((op._id, None) for op in controller.ops if op not in direct)
        return list(nodes)

    def wait_from(self, first: int) -> None:
        """Has the nodes from ``first`` on, which C++ has made, wait as others would.

        A node of a loop that C++ has made does not: what comes into the loop does.
        """
        self._stacks.setdefault(first, context.users_stack())
        for node in range(first, self.num_operations) if self._controls else ():
            op = self._operation(node)
            flow = self._flow_of(op)
            if flow is self._flow:
                controls = self._control_inputs(op.inputs)
                if flow is not None:
                    controls = flow.control_inputs(controls, op.inputs)
                known = {control._id for control in op.control_inputs}
                for control in controls:
                    if control not in known:
                        self._core.add_control_input(node, control)
            for controller in self._controls:
                controller.inside.add(op)

    def get_operations(self) -> list[Operation]:
        """All nodes, in the order in which they were made."""
        return [self._operation(i) for i in range(self._core.num_nodes())]

    def get_operation_by_name(self, name: str) -> Operation:
        """The node called ``name``.

        Raises:
            KeyError: there is none.
        """
        if not isinstance(name, str):
            raise TypeError(
                f"Operation names are strings (or similar), not {type(name).__name__}."
            )
        return self.as_graph_element(name, allow_tensor=False)

    def get_tensor_by_name(self, name: str) -> GraphTensor:
        """The tensor called ``name``, such as ``"MatMul:0"``.

        Raises:
            KeyError: there is no such node or output.
            ValueError: this is no name of a tensor.
        """
        if not isinstance(name, str):
            raise TypeError(
                f"Tensor names are strings (or similar), not {type(name).__name__}."
            )
        return self.as_graph_element(name, allow_operation=False)

    def as_graph_element(
        self,
        obj: Any,
        allow_tensor: bool = True,
        allow_operation: bool = True,
    ) -> Any:
        """The tensor or node of this graph that ``obj`` is, names, or stands for.

        Raises:
            TypeError: ``obj`` is nothing of that kind.
            ValueError: it is of another graph, or a name that makes no sense; or neither
                tensors nor nodes are allowed.
            KeyError: no node has that name.
        """
        if not (allow_tensor or allow_operation):
            raise ValueError("allow_tensor and allow_operation can't both be False.")
        if hasattr(obj, "_as_graph_element"):
            obj = obj._as_graph_element()
        kinds = [
            kind
            for kind, allowed in (
                ("Tensor", allow_tensor),
                ("Operation", allow_operation),
            )
            if allowed
        ]
        if isinstance(obj, (str, bytes)):
            obj = name_as_string(obj)
            return self._element_by_name(obj, allow_tensor, allow_operation)
        allowed = (GraphTensor,) * allow_tensor + (Operation,) * allow_operation
        if not isinstance(obj, allowed):
            raise TypeError(
                f"Can not convert a {type(obj).__name__} into a {' or '.join(kinds)}."
            )
        if obj.graph is not self:
            kind = "Operation" if isinstance(obj, Operation) else "Tensor"
            raise ValueError(f"{kind} {obj!s} is not an element of this graph.")
        return obj

    def _element_by_name(self, name: str, allow_tensor: bool, allow_operation: bool):
        if ":" not in name:
            node = self._core.find(name)
            if node < 0 and allow_operation:
                raise KeyError(
                    f"The name '{name}' refers to an Operation not in the graph."
                )
            if node < 0:
                raise ValueError(
                    f"The name '{name}' looks like an (invalid) Operation name, not a "
                    'Tensor. Tensor names must be of the form "<op_name>:<output_index>".'
                )
            if allow_operation:
                return self._operation(node)
            raise ValueError(
                f"The name '{name}' refers to an Operation, not a Tensor. Perhaps you "
                f'meant to use "{name}:0"? Tensor names must be of the form '
                '"<op_name>:<output_index>".'
            )
        if not allow_tensor:
            raise ValueError(
                f"Name '{name}' appears to refer to a Tensor, not a Operation."
            )
        op_name, _, index = name.partition(":")
        if not index.isdecimal():
            raise ValueError(
                f"The name '{name}' looks a like a Tensor name, but is not a "
                "valid one. Tensor names must be of the form "
                '"<op_name>:<output_index>".'
            )
        node = self._core.find(op_name)
        if node < 0:
            raise KeyError(
                f"The name '{name}' refers to a Tensor which does not exist. The "
                f"operation, '{op_name}', does not exist in the graph."
            )
        outputs = self._operation(node).outputs
        if int(index) >= len(outputs):
            raise KeyError(
                f"The name '{name}' refers to a Tensor which does not exist. The "
                f"operation, '{op_name}', exists but only has {len(outputs)} "
                "outputs."
            )
        return outputs[int(index)]

    def finalize(self) -> None:
        """Allows no further nodes, and nothing more in collections."""
        self._core.finalize()

    @property
    def finalized(self) -> bool:
        """Whether no further nodes are allowed."""
        return self._core.finalized

    def _require_not_finalized(self) -> None:
        if self._core.finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    def is_feedable(self, tensor: Any) -> bool:
        """Whether a value may be fed for ``tensor``."""
        return isinstance(tensor, Tensor) and tensor not in self._unfeedable

    def prevent_feeding(self, tensor: Tensor) -> None:
        """From now on no value may be fed for ``tensor``."""
        require(tensor, "value_index", "prevent_feeding", "a Tensor of a graph")
        self._unfeedable.add(tensor)

    @property
    def building_function(self) -> bool:
        """False: no graph is the body of a function."""
        return False

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """Whether ``tensor_or_op`` may be fetched: not if it is in a branch or loop."""
        op = tensor_or_op.op if isinstance(tensor_or_op, Tensor) else tensor_or_op
        return isinstance(op, Operation) and op._id not in self._unfetchable

    # ---- Messages -----------------------------------------------------

    def as_graph_def(
        self, from_version: int | None = None, add_shapes: bool = False
    ) -> Any:
        """The graph as a ``tf.GraphDef``.

        Args:
            from_version: leave out the nodes that were there when ``version`` was this.
            add_shapes: list the shapes of outputs in the attribute ``_output_shapes``.
        """
        version = 0 if from_version is None else from_version
        if not isinstance(version, int):
            raise TypeError(f"from_version is a number of nodes, not {version!r}")
        return graph_def_of(self, version, bool(add_shapes))

    @property
    def graph_def_versions(self) -> Any:
        """Which version of the graph format the graph has, and who may read it."""
        return messages.get("VersionDef")(**self._versions)

    # ---- Control dependencies -------------------------------------------------------

    @contextmanager
    def control_dependencies(self, control_inputs: Any) -> Iterator[None]:
        """Within it, new nodes run after ``control_inputs``.

        None forgets all of them, and leaves branches and loops.
        """
        former = self._controls, self._flow
        if control_inputs is None:
            self._controls, self._flow = [], None
        else:
            ops = []
            for control in control_inputs:
                if hasattr(control, "_as_control_input"):
                    control = control._as_control_input()
                element = self.as_graph_element(control)
                ops.append(element if isinstance(element, Operation) else element.op)
            self._controls = [*self._controls, _Controls(ops)]
        try:
            yield
        finally:
            self._controls, self._flow = former

    # ---- Entering -------------------------------------------------------------------

    def as_default(self) -> Any:
        """Within it, this is the graph that ops are added to."""
        return context.entered(self)


context.process.make_graph = Graph


def scope_of_default_graph(method: str, *arguments: Any, in_eager: Any = None) -> Any:
    """A scope of the default graph; in eager mode, one that does nothing."""
    if context.executing_eagerly():
        return nullcontext(in_eager)
    return getattr(context.get_default_graph(), method)(*arguments)


def colocate_with(op: Any, ignore_existing: bool = False) -> Any:
    """See ``Graph.colocate_with``."""
    return scope_of_default_graph("colocate_with", op, ignore_existing)


def container(container_name: str) -> Any:
    """See ``Graph.container``."""
    return scope_of_default_graph("container", container_name)


def device(device_name_or_function: str | Callable[[Operation], str] | None) -> Any:
    """See ``Graph.device``. In eager mode it only checks the name: ops run on the CPU."""
    if context.executing_eagerly() and callable(device_name_or_function):
        raise RuntimeError(
            "tf.device does not support functions when eager execution is enabled."
        )
    if context.executing_eagerly() and device_name_or_function:
        devices.as_string(device_name_or_function)
    return scope_of_default_graph("device", device_name_or_function)


def control_dependencies(control_inputs: Any) -> Any:
    """See ``Graph.control_dependencies``. In eager mode it calls what can be called."""
    if context.executing_eagerly():
        for control in control_inputs or ():
            if callable(control):
                control()
    return scope_of_default_graph("control_dependencies", control_inputs)
