"""Switches between the behaviours of TensorFlow 1 and 2, of which minitf has one.

Branches and loops are Switch and Merge nodes, and all variables are resources. A program
that asks for just that gets it; one that asks for the other behaviour gets an error.

Compare: tensorflow/python/compat/v2_compat.py, ops/control_flow_v2_toggles.py. Read next:
``control_flow/control_flow_ops.py``.
"""

from minitf.eager import context
from minitf.framework import errors


def disable_v2_behavior() -> None:
    """Leaves eager mode. Everything else is as in TensorFlow 1 already."""
    context.disable_eager_execution()


def control_flow_v2_enabled() -> bool:
    """False: ``tf.cond`` makes nodes such as Switch, and no functions."""
    return False


def disable_control_flow_v2() -> None:
    """Does nothing: see ``control_flow_v2_enabled``."""


def _refuse(name: str, instead: str) -> None:
    raise errors.UnimplementedError(None, None, f"{name}: {instead}")


def enable_control_flow_v2() -> None:
    """Raises UnimplementedError: see ``control_flow_v2_enabled``."""
    _refuse(
        "enable_control_flow_v2", "branches and loops are Switch and Merge nodes only"
    )


def enable_v2_behavior() -> None:
    """Raises UnimplementedError: minitf has the behaviour of TensorFlow 1."""
    _refuse("enable_v2_behavior", "minitf has the behaviour of TensorFlow 1 only")


def enable_tensor_equality() -> None:
    """Raises UnimplementedError: ``==`` compares tensors as objects."""
    _refuse("enable_tensor_equality", "== compares tensors as objects; use tf.equal")


def disable_tensor_equality() -> None:
    """Does nothing: ``==`` compares tensors as objects."""


def enable_v2_tensorshape() -> None:
    """Raises UnimplementedError: the elements of a TensorShape are Dimensions."""
    _refuse("enable_v2_tensorshape", "the elements of a tf.TensorShape are tf.Dimension")


def disable_v2_tensorshape() -> None:
    """Does nothing: the elements of a TensorShape are Dimensions."""


def resource_variables_enabled() -> bool:
    """True: all variables are resources."""
    return True


def enable_resource_variables() -> None:
    """Does nothing: all variables are resources."""


def disable_resource_variables() -> None:
    """Does nothing, as ``use_resource=False`` does: all variables stay resources."""
