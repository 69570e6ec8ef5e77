"""Branches and loops under construction: what their nodes take from outside.

A tensor that a branch takes from outside comes in through a Switch, one that a loop takes
comes in through an Enter that hands it to every iteration. A node without inputs would
run at once, wherever it stands, and one whose inputs all come from outside once more than
there are iterations, as they are there before the condition is known. Such a node gets a
control edge from the pivot of its branch or loop, so that it runs when, and as often as,
the rest does.

``Graph.add_node`` asks the innermost context; ``control_flow_ops.py`` makes contexts.

Compare: tensorflow/python/ops/control_flow_ops.py, CondContext and WhileContext.
Read next: ``eager/graph_tape.py``.
"""

from typing import Any

from minitf import _minitf
from minitf.framework.constant_op import constant
from minitf.framework.tensor import GraphTensor


class FlowContext:
    """A branch or a loop that is being built.

    Attributes:
        graph: the graph in which it is built.
        outer: the context around it, or None.
        name: its name, for messages.
    """

    kind = ""
    pivot: Any = None

    def __init__(self, graph: Any, name: str):
        self.graph = graph
        self.outer: FlowContext | None = graph._flow
        self.name = name
        self._brought: dict[Any, GraphTensor] = {}

    def __enter__(self) -> "FlowContext":
        self._former = self.graph._flow, self.graph._controls
        self.graph._flow = self
        self.graph._controls = []
        return self

    def __exit__(self, *error: object) -> None:
        self.graph._flow, self.graph._controls = self._former

    def is_within(self, other: "FlowContext | None") -> bool:
        """Whether this context is ``other``, or lies in it."""
        context: FlowContext | None = self
        while context is not None and context is not other:
            context = context.outer
        return context is other

    def bring_in(self, tensor: GraphTensor, scope: str) -> GraphTensor:
        """``tensor`` as nodes of this context may take it.

        Args:
            tensor: a tensor of this context, or of one outside of it.
            scope: the name of the node that takes it; new nodes are named below it.

        Raises:
            ValueError: the tensor is inside of another loop.
        """
        home = self.graph._flow_of(tensor.op)
        if home is not None and home is not self:
            home.refuse_escape(tensor, scope, self)
        if home is not None and home.is_within(self):
            return tensor
        if tensor in self._brought:
            return self._brought[tensor]
        outside = self.outer.bring_in(tensor, scope) if self.outer else tensor
        self._brought[tensor] = result = self._make_entry(outside, scope)
        return result

    def refuse_escape(
        self, tensor: GraphTensor, user: str, user_context: "FlowContext | None" = None
    ) -> None:
        """Raises ValueError if ``tensor`` is inside of a loop that ``user`` is not in."""
        loop: FlowContext | None = self
        while loop is not None and loop.kind != "while":
            loop = loop.outer
        if loop is None or (user_context is not None and user_context.is_within(loop)):
            return
        raise ValueError(
            f"Cannot use '{tensor.op.name}' as input to '{user}' because "
            f"'{tensor.op.name}' is in a while loop."
        )

    def _make_entry(self, tensor: GraphTensor, scope: str) -> GraphTensor:
        raise NotImplementedError

    def _add_entry(
        self, op_type: str, tensors: list[GraphTensor], scope: str, attrs: Any = None
    ) -> Any:
        """Adds a node that belongs to this context; its inputs come as they are."""
        op = self.graph._insert_node(op_type, f"{scope}/{op_type}", tensors, attrs)
        self.graph._set_flow(op, self)
        return op

    def control_inputs(self, controls: list[int], inputs: list[GraphTensor]) -> list[int]:
        """The control inputs of a new node of ``inputs`` that asks for ``controls``."""
        raise NotImplementedError

    def pivot_node(self) -> int:
        """The number of a node that runs whenever what is in this context does."""
        return self.pivot.op._id


class CondContext(FlowContext):
    """One branch of a ``tf.cond``.

    Args:
        graph: the graph.
        name: of the branch.
        pred: the condition, a scalar bool.
        pivot: is there if the branch is taken, and dead if it is not.
        branch: 1 if the branch is taken when pred is true, else 0.
    """

    kind = "cond"

    def __init__(self, graph: Any, name: str, pred: Any, pivot: Any, branch: int):
        super().__init__(graph, name)
        self.pred = pred
        self.pivot = pivot
        self.branch = branch
        self._brought[pred] = pred
        graph._set_flow(pivot.op, self)

    def _make_entry(self, tensor: GraphTensor, scope: str) -> GraphTensor:
        op = self._add_entry("Switch", [tensor, self.pred], scope)
        return op.outputs[self.branch]

    def control_inputs(self, controls: list[int], inputs: list[GraphTensor]) -> list[int]:
        """See FlowContext: what has no input waits for the branch."""
        return controls if inputs else [*controls, self.pivot.op._id]


class WhileContext(FlowContext):
    """A ``tf.while_loop``.

    Attributes:
        pivot: a tensor that every iteration has: of the condition, then of the body.
    """

    kind = "while"

    def __init__(self, graph: Any, name: str, parallel_iterations: int):
        super().__init__(graph, name)
        self.parallel_iterations = parallel_iterations
        self.pivot: GraphTensor | None = None
        self._constants: set[Any] = set()  # the nodes that hand in what lies outside

    def enter(self, tensor: GraphTensor, scope: str, is_constant: bool) -> GraphTensor:
        """``tensor``, which belongs outside, inside of the loop."""
        attrs = {
            "frame_name": self.name,
            "is_constant": is_constant,
            "parallel_iterations": self.parallel_iterations,
        }
        return self._add_entry("Enter", [tensor], scope, attrs).outputs[0]

    def _make_entry(self, tensor: GraphTensor, scope: str) -> GraphTensor:
        entered = self.enter(tensor, scope, is_constant=True)
        self._constants.add(entered.op)
        return entered

    def is_constant(self, tensor: GraphTensor) -> bool:
        """Whether ``tensor`` comes from outside: it is there before each iteration."""
        return tensor.op in self._constants

    def control_inputs(self, controls: list[int], inputs: list[GraphTensor]) -> list[int]:
        """See FlowContext: what lies outside is waited for where it comes in."""
        inside = []
        waits_for_iteration = not all(self.is_constant(tensor) for tensor in inputs)
        for node in controls:
            op = self.graph._operation(node)
            home = self.graph._flow_of(op)
            if home is not None and home.is_within(self):
                inside.append(node)
                waits_for_iteration = waits_for_iteration or op not in self._constants
            elif op.outputs:
                # What is waited for outside is waited for where it comes in.
                inside.append(self.bring_in(op.outputs[0], f"{self.name}/wait").op._id)
            else:
                inside.append(self._wait_for(op))
        if not waits_for_iteration and self.pivot is not None:
            inside.append(self.pivot.op._id)
        return list(dict.fromkeys(inside))

    def _wait_for(self, op: Any) -> int:
        """A node of every iteration, behind ``op``, an outer one without outputs."""
        graph = self.graph
        former = graph._flow, graph._controls
        graph._flow, graph._controls = self.outer, []
        try:
            with graph.control_dependencies([op]):
                done = constant(0, name="wait")
        finally:
            graph._flow, graph._controls = former
        return self.bring_in(done, f"{self.name}/wait").op._id


class EmitterContext(FlowContext):
    """Where C++ puts nodes while ``tf.gradients`` calls a gradient function of Python."""

    kind = "gradient"

    def __init__(self, graph: Any):
        super().__init__(graph, "gradient")

    def bring_in(self, tensor: GraphTensor, scope: str) -> GraphTensor:
        """See FlowContext: what a forward iteration made comes from a stack."""
        del scope
        return self.graph._tensor(_minitf.reach_in_present_flow(tensor._handle))

    def control_inputs(self, controls: list[int], inputs: list[GraphTensor]) -> list[int]:
        """See FlowContext."""
        handles = [tensor._handle for tensor in inputs]
        pivot = _minitf.pivot_of_present_flow(handles)
        return controls if pivot is None else [*controls, pivot]

    def pivot_node(self) -> int:
        """See FlowContext."""
        return _minitf.pivot_of_present_flow([])


class GradientLoop(FlowContext):
    """A loop that ``tf.gradients`` has made. Nothing can be added to it."""

    kind = "while"

    def __init__(self, graph: Any, name: str, outer: FlowContext | None):
        super().__init__(graph, name)
        self.outer = outer


def place_in_flows(graph: Any, first: int) -> None:
    """Notes the loops that the nodes from ``first`` on are in, which C++ has made."""
    present = graph._flow
    for node in [node for node in graph._flows if node >= first]:
        del graph._flows[node]
        graph._unfetchable.discard(node)
    if present is not None:
        for node in range(first, graph.num_operations):
            graph._set_flow(graph._operation(node), present)
    nodes, loops = _minitf.loops_of_nodes(graph._core, first)
    contexts: dict[int, FlowContext | None] = {-1: None}

    def context_of(enter: int) -> FlowContext | None:
        if enter not in contexts and enter < first:
            contexts[enter] = graph._flow_of(graph._operation(enter))
        elif enter not in contexts:
            name = graph._operation(enter).name
            contexts[enter] = GradientLoop(
                graph, name, context_of(loops[enter]) or present
            )
        return contexts[enter]

    for node, enter in nodes:
        context = context_of(enter)
        if context is not None:
            graph._set_flow(graph._operation(node), context)
