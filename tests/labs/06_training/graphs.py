"""What cases of lab 06 call to look at the nodes of a step: order, places, attributes.

Nothing here knows what is expected.
"""

from contextlib import nullcontext
from typing import Any

import numpy as np
from lab_06_training.steps import Gradient, as_slices, mode_of, optimizer_of

import minitf as tf

READS = ("ReadVariableOp", "ResourceGather", "VarIsInitializedOp", "VariableShape")
CHANGES = ("AssignSubVariableOp", "AssignVariableOp")


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


def _pairs(
    forms: list[str], devices: list[str] | None = None, **options: Any
) -> list[tuple[Any, Any]]:
    """Gradients that are tensors or rows, and variables w0, w1 and so on for them."""
    pairs = []
    for i, form in enumerate(forms):
        with tf.device(devices[i] if devices else None):
            variable = tf.Variable(np.ones([3, 2], "f"), name=f"w{i}", **options)
        gradient: Gradient = None if form == "none" else np.ones([3, 2], "f")
        if form == "rows":
            gradient = (np.ones([2, 2], "f"), np.array([0, 2]))
        pairs.append((as_slices(gradient, [3, 2]), variable))
    return pairs


def _all_set() -> list[Any]:
    """Nodes that set all variables there are."""
    return [
        variable.assign(tf.zeros(variable.shape, variable.dtype), read_value=False)
        for variable in tf.global_variables()
    ]


def _unordered_if_set(step: Any) -> list[list[str]]:
    """As ``_unordered``, for three steps, each of which waits for the one before.

    Before each, all variables are set. ``step`` makes the node of a step.
    """
    last = tf.no_op()
    for _ in range(3):
        with tf.control_dependencies([last]):
            given = _all_set()
        with tf.control_dependencies(given):
            last = step()
    return _unordered(last)


def order_of_several_steps(
    kind: str, options: dict[str, Any], forms: list[str], as_what: str, constrained: bool
) -> list[list[str]]:
    """Uses of a variable in several steps of an optimizer that no order is asked for.

    Gradients are ``dense`` or of ``rows``, and settings of any kind. Each step waits for
    the one before, and for nodes that set all variables. Variables have a copy on a
    caching device, slots and settings have none.
    """
    with tf.Graph().as_default():
        constraint = tf.abs if constrained else None
        pairs = _pairs(forms, constraint=constraint, caching_device="/cpu:0")
        count = tf.train.get_or_create_global_step()
        optimizer = optimizer_of(kind, options, as_what)
        return _unordered_if_set(
            lambda: optimizer.apply_gradients(pairs, global_step=count)
        )


def nodes_of_a_step(
    kind: str,
    options: dict[str, Any],
    forms: list[str],
    *,
    counts: bool = True,
    name: str | None = None,
    scope: str = "",
    devices: list[str] | None = None,
    turn: list[int] | None = None,
    as_what: str = "number",
) -> dict[str, Any]:
    """What apply_gradients adds to a graph.

    Args:
        kind: Of the optimizer.
        options: Its settings.
        forms: Of the gradients of the variables w0, w1 and so on: ``dense``, ``rows`` or
            ``none``.
        counts: Whether there is a count of steps, on /cpu:7.
        name: Of the step.
        scope: A name scope around it.
        devices: Of the variables.
        turn: The order in which apply_gradients gets the variables.
        as_what: What settings are.

    Returns:
        Of the last node the name (``step``), ``type``, ``device`` and all that runs
        ``before``; the nodes that were ``added`` with their types, ``devices`` and
        attributes (``attrs``); those that are ``collected``; the ``places`` of the
        optimizer's variables.
    """
    with tf.Graph().as_default() as graph:
        pairs = _pairs(forms, devices)
        with tf.device("/cpu:7"):
            count = tf.train.get_or_create_global_step() if counts else None
        optimizer = optimizer_of(kind, options, as_what)
        before = {node.name for node in graph.get_operations()}
        with tf.name_scope(scope) if scope else nullcontext():
            step = optimizer.apply_gradients(
                [pairs[i] for i in turn or range(len(pairs))],
                global_step=count,
                name=name,
            )
        added = {n.name: n for n in graph.get_operations() if n.name not in before}
        return {
            "step": step.name,
            "type": step.type,
            "device": step.device,
            "before": sorted(_all_before(step)),
            "added": {name: node.type for name, node in added.items()},
            "devices": {name: node.device for name, node in added.items()},
            "attrs": {
                name: {
                    key: node.get_attr(key)
                    for key in ("use_locking", "use_nesterov")
                    if key in node.node_def.attr
                }
                for name, node in added.items()
            },
            "collected": [n.name for n in graph.get_collection("train_op")],
            "places": {v.op.name: v.op.device for v in optimizer.variables()},
        }


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

    The shape is given as a ``list``, ``tuple``, ``TensorShape``, ``dimensions``, or, of a
    vector, as a ``number``.
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


def steps_in_one_run(
    kind: str, options: dict[str, Any], rates: list[float], pairs: list[Any]
) -> list[np.ndarray]:
    """The values of variables after several steps that are taken in one run.

    The rate is a variable, which is set before each step; all wait for one another. Each
    variable has its gradient, the same each time, and its first value.
    """
    with tf.Graph().as_default(), tf.Session() as session:
        rate = tf.Variable(0.0, trainable=False, name="rate")
        variables = [
            tf.Variable(start, name=f"w{i}") for i, (_, start) in enumerate(pairs)
        ]
        given = [
            (as_slices(gradient, start.shape), variable)
            for (gradient, start), variable in zip(pairs, variables, strict=True)
        ]
        optimizer = optimizer_of(kind, {**options, "learning_rate": rate})
        last = tf.no_op()
        for number in rates:
            with tf.control_dependencies([last]):
                given_rate = rate.assign(number, read_value=False)
            with tf.control_dependencies([given_rate]):
                last = optimizer.apply_gradients(given)
        session.run(tf.global_variables_initializer())
        session.run(last)
        return session.run(variables)


def _of_own_changes(kind: str, form: str) -> Any:
    """An optimizer whose changes subtract half of the gradient, and return a ``form``."""
    base = getattr(tf.train, f"{kind}Optimizer")

    def change(self: Any, grad: Any, handle: Any, *_: Any) -> Any:
        if kind == "Adam":  # a power that must not have changed by then
            grad += 0 * self._input("beta1_power", grad)
        changed = handle.assign_sub(grad * 0.5, read_value=form != "node")
        return tf.identity(changed) if form == "tensor" else changed

    return type(base.__name__, (base,), {"_resource_apply_dense": change})(0.5)


def own_changes(
    kind: str, form: str, gradients: list[float], constrained: bool, mode: str
) -> dict[str, Any]:
    """A step that changes each variable, which is 1, in its own way.

    Args:
        kind: Such as ``Adam``; only its settings, its slots and its end count.
        form: What a change returns in a graph: a ``node``, a ``tensor``, or what an
            assignment returns (``assigned``).
        gradients: Of each variable.
        constrained: Whether variables must not be below 0.
        mode: Graph or eager.

    Returns:
        The ``values`` of the variables and of the count, which is 3, after the step; in a
        graph, the uses of a variable in no order, and the changes that come too ``late``.
    """
    constraint = (lambda x: tf.maximum(x, 0.0)) if constrained else None
    with mode_of(mode) as graph:
        count = tf.Variable(3)
        variables = [tf.Variable(1.0, constraint=constraint) for _ in gradients]
        pairs = [(tf.constant(g), v) for g, v in zip(gradients, variables, strict=True)]
        step = _of_own_changes(kind, form).apply_gradients(pairs, global_step=count)
        if graph is None:
            return {"values": [float(v.numpy()) for v in [*variables, count]]}
        changes = [n.name for n in graph.get_operations() if n.type.startswith(CHANGES)]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(step)
            return {
                "values": [float(v) for v in session.run([*variables, count])],
                "unordered": _unordered(step),
                "late": [
                    name
                    for name in changes
                    if "/update_" in name and name not in _all_before(step)
                ],
            }
