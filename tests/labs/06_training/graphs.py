"""What cases of lab 06 call to look at the nodes of a step: order, places, attributes.

Nothing here knows what is expected.
"""

from typing import Any

import numpy as np
from lab_06_training.steps import Gradient, as_slices, optimizer_of

import minitf as tf

READS = ("ReadVariableOp", "ResourceGather", "VarIsInitializedOp", "VariableShape")


def _all_before(node: Any) -> dict[str, Any]:
    """All nodes that run before one, by their names."""
    seen: dict[str, Any] = {}
    stack = [node]
    while stack:
        one = stack.pop()
        for other in [*(tensor.op for tensor in one.inputs), *one.control_inputs]:
            if other.name not in seen:
                seen[other.name] = other
                stack.append(other)
    return seen


def _unordered(last: Any) -> list[list[str]]:
    """Pairs of nodes that use one variable in no order, and one of them changes it.

    Only what runs when ``last`` does counts.
    """
    nodes = {**_all_before(last), last.name: last}
    uses: dict[str, list[Any]] = {}
    for node in nodes.values():
        for tensor in node.inputs:
            if tensor.op.type == "VarHandleOp":
                uses.setdefault(tensor.op.name, []).append(node)
    found = []
    for variable, users in uses.items():
        before = {node.name: _all_before(node) for node in users}
        for i, one in enumerate(users):
            for other in users[:i]:
                is_ordered = one.name in before[other.name] or (
                    other.name in before[one.name]
                )
                changes = one.type not in READS or other.type not in READS
                if changes and not is_ordered:
                    found.append([variable, *sorted([one.name, other.name])])
    return sorted(found)


def _pairs(forms: list[str], constraint: Any = None) -> list[tuple[Any, Any]]:
    """Gradients that are tensors or rows, and variables w0, w1 and so on for them."""
    pairs = []
    for i, form in enumerate(forms):
        variable = tf.Variable(np.ones([3, 2], "f"), name=f"w{i}", constraint=constraint)
        gradient: Gradient = np.ones([3, 2], "f")
        if form == "rows":
            gradient = (gradient[:2], np.array([0, 2]))
        pairs.append((as_slices(gradient, [3, 2]), variable))
    return pairs


def order_of_a_step(
    kind: str, options: dict[str, Any], forms: list[str], constrained: bool = False
) -> list[list[str]]:
    """Uses of a variable in a step of an optimizer that no order is asked for.

    Args:
        kind: Such as ``Adam``.
        options: Of the optimizer.
        forms: For each variable, whether its gradient is ``dense`` or ``rows``.
        constrained: Whether the variables have a constraint.
    """
    with tf.Graph().as_default():
        pairs = _pairs(forms, tf.abs if constrained else None)
        count = tf.train.get_or_create_global_step()
        step = optimizer_of(kind, options).apply_gradients(pairs, global_step=count)
        return _unordered(step)


def order_of_an_average(of: str, zero_debias: bool) -> list[list[str]]:
    """The same in a step of a moving average of a ``variable`` or a ``tensor``."""
    with tf.Graph().as_default():
        source = tf.Variable([1.0, 2.0], name="w")
        averaged = tf.identity(source) if of == "tensor" else source
        ema = tf.train.ExponentialMovingAverage(0.5, zero_debias=zero_debias)
        return _unordered(ema.apply([averaged]))


def places_of_a_step(
    kind: str, options: dict[str, Any], devices: list[str], turn: list[int]
) -> dict[str, Any]:
    """Which devices are asked for by the variables and the last node of a step.

    Args:
        kind: Such as ``Adam``.
        options: Of the optimizer.
        devices: Of the variables w0, w1 and so on.
        turn: The order in which apply_gradients gets the variables.

    Returns:
        By the name of each variable its device; that of the count of steps is ``count``.
        ``step`` is the name of the variable that the last node is together with.
    """
    with tf.Graph().as_default():
        variables = []
        for i, device in enumerate(devices):
            with tf.device(device):
                variables.append(tf.Variable([1.0, 2.0], name=f"w{i}"))
        with tf.device("/cpu:7"):
            count = tf.Variable(0, name="count", trainable=False)
        gradient = tf.constant([1.0, 1.0])
        pairs = [(gradient, variables[i]) for i in turn]
        optimizer = optimizer_of(kind, options)
        step = optimizer.apply_gradients(pairs, global_step=count)
        found = {v.op.name: v.op.device for v in optimizer.variables()}
        return {**found, "step": step.device}


def attributes_of_changes(
    kind: str, options: dict[str, Any], forms: list[str], attribute: str
) -> list[list[Any]]:
    """The op and an attribute of each node ``ResourceApply...`` of a step."""
    with tf.Graph().as_default() as graph:
        optimizer_of(kind, options).apply_gradients(_pairs(forms))
        return sorted(
            [node.type, node.get_attr(attribute)]
            for node in graph.get_operations()
            if node.type.startswith(("ResourceApply", "ResourceSparseApply"))
        )


def names_of_a_step(
    kind: str, options: dict[str, Any], as_what: str, counts: bool
) -> list[str]:
    """The names of all nodes that apply_gradients adds to a graph, called ``step``."""
    with tf.Graph().as_default() as graph:
        pairs = _pairs(["dense", "rows"])
        count = tf.train.get_or_create_global_step() if counts else None
        optimizer = optimizer_of(kind, options, as_what)
        before = {node.name for node in graph.get_operations()}
        optimizer.apply_gradients(pairs, global_step=count, name="step")
        return [n.name for n in graph.get_operations() if n.name not in before]


class _Noted:
    """An initializer of zeros that notes where and how it was called."""

    def __init__(self):
        self.calls: list[dict[str, Any]] = []

    def __call__(self, shape: Any, **options: Any) -> Any:
        zeros = tf.fill(shape, tf.constant(0.0, name="zero"))
        self.calls.append(
            {
                "scope": tf.get_default_graph().get_name_scope(),
                "waits": len(zeros.op.control_inputs),
                "shape": repr(shape),
                "options": sorted(options),
            }
        )
        return zeros


def calls_of_an_initializer(shape: list[int], scope: str, form: str) -> list[Any]:
    """How the initializer of a variable is called that is made in a variable scope.

    Args:
        shape: Of the variable.
        scope: The variable scope.
        form: What the shape is given as: ``list``, ``tuple``, ``TensorShape``,
            ``dimensions``, or ``number`` for the size of a vector.
    """
    given = {
        "list": list,
        "tuple": tuple,
        "TensorShape": tf.TensorShape,
        "dimensions": lambda sizes: [tf.Dimension(size) for size in sizes],
        "number": lambda sizes: sizes[0],
    }[form](shape)
    with tf.Graph().as_default():
        noted = _Noted()
        gate = tf.placeholder("float32", [], "gate")
        with tf.variable_scope(scope), tf.control_dependencies([gate]):
            tf.get_variable("w", given, initializer=noted)
        return noted.calls


def slots_behind_a_gate(kind: str, options: dict[str, Any], as_what: str) -> list[Any]:
    """The first values of an optimizer's variables.

    The step is made under a control dependency that cannot be met while they are
    initialized, and the shape of the variable is not known.
    """
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.Variable([[1.0, 2.0]], validate_shape=False)
        gate = tf.placeholder("float32", [], "gate")
        optimizer = optimizer_of(kind, options, as_what)
        with tf.control_dependencies([gate]):
            optimizer.apply_gradients([(tf.constant([[1.0, 1.0]]), w)])
        session.run(tf.global_variables_initializer())
        return session.run(optimizer.variables())
