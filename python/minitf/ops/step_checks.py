"""Checks that run in a step: ``tf.Assert`` and its kin.

In a graph a check is a node, which runs only if it is fetched or other nodes wait for it
(``tf.control_dependencies``).

Compare: tensorflow/python/ops/control_flow_ops.py (Assert), numerics.py. Read next:
``logging_ops.py``.
"""

from typing import Any

from minitf.control_flow.control_flow_ops import cond
from minitf.eager import context
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.dtypes import float16, float32, float64, int32, string
from minitf.framework.graph import control_dependencies
from minitf.framework.op_def_library import call
from minitf.framework.operation import Operation
from minitf.framework.scopes import group, name_scope, no_op, with_dependencies
from minitf.framework.tensor import Tensor


def Assert(  # noqa: N802
    condition: Any, data: list[Any], summarize: int | None = None, name: str | None = None
) -> Any:
    """Fails, and prints ``data``, unless ``condition`` is true.

    In a graph the check is a branch: numbers are copied to it only if it fails. Data
    that are all strings or int32 are small, and need none.

    Args:
        condition: a scalar bool.
        data: tensors that are printed.
        summarize: how many elements of each are printed; 3 if None.
        name: of the scope, ``"Assert"`` by default.

    Returns:
        The Operation to wait for; None in eager mode.

    Raises:
        errors.InvalidArgumentError: in the step, or at once in eager mode.
    """
    if not isinstance(data, (list, tuple)):
        raise TypeError(f"data must be a list of tensors, not {data!r}")
    attrs = {"summarize": 3 if summarize is None else summarize}
    if context.executing_eagerly():
        return call("Assert", [condition, list(data)], attrs, name)
    with name_scope(name, "Assert", [condition, data]):
        tensors = [convert_to_tensor(item) for item in data]

        def check() -> Operation:
            return call("Assert", [condition, tensors], attrs, "Assert")

        if all(tensor.dtype in (string, int32) for tensor in tensors):
            return check()
        condition = convert_to_tensor(condition, name="Condition")
        return cond(condition, no_op, check, name="AssertGuard").op


def verify_tensor_all_finite(
    t: Any = None,
    msg: str | None = None,
    name: str | None = None,
    x: Any = None,
    message: str | None = None,
) -> Tensor:
    """``t``, or ``x``; the step fails with ``msg`` if it has NaN or infinity.

    Raises:
        ValueError: no tensor, or no message, is given, or two of them.
        errors.InvalidArgumentError: in the step.
    """
    if (t is None) == (x is None) or (msg is None) == (message is None):
        raise ValueError("give one of t and x, and one of msg and message")
    tensor = convert_to_tensor(x if t is None else t, name="x")
    text = message if msg is None else msg
    with name_scope(name, "VerifyFinite", [tensor]):
        check = call("CheckNumerics", [tensor], {"message": text})
        return with_dependencies([check], tensor)


def add_check_numerics_ops() -> Operation:
    """A node that fails if a tensor of the default graph has NaN or infinity.

    All tensors of float16, float32 and float64 are checked, one after another in the
    order of their nodes, so that the error names the first that went wrong.

    Raises:
        RuntimeError: in eager mode, where there is no graph.
        ValueError: one of the tensors is in a branch or a loop.
    """
    if context.executing_eagerly():
        raise RuntimeError("add_check_numerics_ops() has no graph in eager mode")
    graph = context.get_default_graph()
    check: list[Operation] = []
    for op in graph.get_operations():
        for output in op.outputs:
            if output.dtype not in (float16, float32, float64):
                continue
            if graph._flow_of(op) is not None:
                raise ValueError(
                    "add_check_numerics_ops() does not go with branches and loops, such "
                    f"as tf.cond() and tf.while_loop(): {output.name} is in one"
                )
            with control_dependencies(check):
                message = {"message": output.name}
                check = [call("CheckNumerics", [output], message, None).op]
    return group(*check)
