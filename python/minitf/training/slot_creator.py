"""Variables that are kept beside another one, such as a momentum or an average.

The slot "Momentum" of the variable "w" is "w/Momentum", below the variable scope that is
open; a second one "w/Momentum_1". It is on the device of its variable.

Compare: tensorflow/python/training/slot_creator.py. Read next:
``optimizer_slots.py``.
"""

from typing import Any

from minitf.eager import context
from minitf.ops import array_ops
from minitf.ops.math_ops import cast
from minitf.util.arguments import require
from minitf.variables import init_ops
from minitf.variables.shared_variables import get_variable
from minitf.variables.variable_scope import variable_scope
from minitf.variables.variables import Variable


def name_of(primary: Any) -> str:
    """The name of a variable or a tensor, without the number of the output."""
    require(primary, "name", "an average or a slot", "a variable or a tensor")
    return primary.name.rsplit(":", 1)[0]


def create_slot(primary: Any, value: Any, name: str) -> Variable:
    """The slot ``name`` of a variable or a tensor, which starts at the tensor ``value``.

    Raises:
        ValueError: there is a variable of that name already, or the scope says reuse.
    """
    known = value.shape.is_fully_defined()
    return _create(primary, name, initializer=value, validate_shape=known)


def create_slot_filled(primary: Any, value: float, name: str) -> Variable:
    """The slot ``name`` of ``primary`` with its shape and type, full of ``value``."""
    if not primary.shape.is_fully_defined():
        whole = array_ops.fill(array_ops.shape(_initial(primary)), value)
        return create_slot(primary, _cast(whole, primary.dtype), name)
    if value == 0:
        initializer: Any = init_ops.zeros_initializer()
    elif value == 1:
        initializer = init_ops.ones_initializer()
    else:
        initializer = init_ops.constant_initializer(value)
    return _create(
        primary, name, primary.shape, initializer=initializer, dtype=primary.dtype
    )


def _create(primary: Any, name: str, shape: Any = None, **options: Any) -> Variable:
    full_name = f"{name_of(primary)}/{name}"
    graph = context.get_default_graph()
    with variable_scope(None, full_name) as scope, graph._on_device_of(primary):
        scope.set_partitioner(None)  # the slot of a part is no whole
        slot = get_variable("", shape, trainable=False, **options)
    if isinstance(primary, Variable) and primary._save_slice_info is not None:
        part = primary._save_slice_info
        slot._save_slice_info = part.named(f"{part.full_name}/{name}")
    return slot


def _initial(primary: Any) -> Any:
    return primary.initialized_value() if isinstance(primary, Variable) else primary


def _cast(tensor: Any, dtype: Any) -> Any:
    return cast(tensor, dtype)
