"""Checks that run in a step: ``tf.Assert`` and its kin.

In a graph a check is a node. Nobody waits for it unless told to, by
``tf.control_dependencies``.

Compare: tensorflow/python/ops/control_flow_ops.py (Assert), numerics.py. Read next:
``printing.py``.
"""

from typing import Any

from minitf.constant_op import convert_to_tensor
from minitf.ops import call
from minitf.tensor import Tensor


def Assert(  # noqa: N802
    condition: Any, data: list[Any], summarize: int | None = None, name: str | None = None
) -> Any:
    """Fails, and prints ``data``, unless ``condition`` is true.

    Args:
        condition: a scalar bool.
        data: tensors that are printed.
        summarize: how many elements of each are printed; 3 if None.
        name: of the node.

    Returns:
        The Operation; None in eager mode.

    Raises:
        errors.InvalidArgumentError: in the step, or at once in eager mode.
    """
    if not isinstance(data, (list, tuple)):
        raise TypeError(f"data must be a list of tensors, not {data!r}")
    attrs = {"summarize": 3 if summarize is None else summarize}
    return call("Assert", [condition, list(data)], attrs, name)


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
    return call("CheckNumerics", [tensor], {"message": text}, name)
