"""The variables of an optimizer: slots beside others, and those that serve all.

Compare: tensorflow/python/training/optimizer.py. Read next: ``optimizer.py``.
"""

from typing import Any

from minitf.eager import context
from minitf.framework.scopes import name_scope
from minitf.training.slot_creator import (
    create_slot_filled,
)
from minitf.variables.shared_variables import get_variable
from minitf.variables.variable_scope import variable_scope
from minitf.variables.variables import Variable


class Slots:
    """The slots of an optimizer, and its variables that belong to no other one.

    Args:
        scope: a variable scope of their own for the latter; None for the one that is open
            when they are made.
    """

    def __init__(self, scope: str | None = None):
        self._non_slot_scope = None
        if scope is not None:
            with variable_scope(None, scope) as self._non_slot_scope:
                pass
        self._slots: dict[str, dict[Any, Variable]] = {}
        self._non_slot_dict: dict[Any, Variable] = {}

    # ---- Slots -------------------------------------------------------------------------

    def get_slot(self, var: Variable, name: str) -> Variable | None:
        """The slot ``name`` beside ``var``, or None."""
        return self._slots.get(name, {}).get(_var_key(var))

    def get_slot_names(self) -> list[str]:
        """The names of the slots."""
        return sorted(self._slots)

    def _slot_dict(self, slot_name: str) -> dict[Any, Variable]:
        return self._slots.setdefault(slot_name, {})

    def _zeros_slot(self, var: Variable, slot_name: str, op_name: str) -> Variable:
        """The slot beside ``var``, made with zeros if there is none."""
        return self._filled_slot(var, 0.0, slot_name, op_name)

    def _filled_slot(
        self, var: Variable, value: float, slot_name: str, op_name: str
    ) -> Variable:
        """The slot beside ``var``, made full of ``value`` if there is none."""
        kept = self._slot_dict(slot_name)
        if _var_key(var) not in kept:
            kept[_var_key(var)] = create_slot_filled(var, value, op_name)
        return kept[_var_key(var)]

    # ---- Other variables ---------------------------------------------------------------

    def _create_non_slot_variable(
        self, initial_value: Any, name: str, colocate_with: Variable
    ) -> Variable:
        """A variable that serves all others; it is where ``colocate_with`` is."""
        key = (name, colocate_with.graph)
        if key not in self._non_slot_dict:
            initial_value = initial_value() if callable(initial_value) else initial_value
            with context.get_default_graph()._on_device_of(colocate_with):
                self._non_slot_dict[key] = self._new_non_slot(initial_value, name)
        return self._non_slot_dict[key]

    def _new_non_slot(self, initial_value: Any, name: str) -> Variable:
        if self._non_slot_scope is None:
            return Variable(initial_value, trainable=False, name=name)
        with name_scope(""), variable_scope(self._non_slot_scope):
            return get_variable(name, initializer=initial_value, trainable=False)

    def _get_non_slot_variable(self, name: str, graph: Any = None) -> Variable | None:
        return self._non_slot_dict.get((name, graph))

    def _non_slot_variables(self) -> Any:
        return self._non_slot_dict.values()

    def variables(self) -> list[Variable]:
        """All variables that the optimizer has made in the default graph, by name."""
        graph = None if context.executing_eagerly() else context.get_default_graph()
        found = list(self._non_slot_variables())
        for kept in self._slots.values():
            found += kept.values()
        return sorted(
            [variable for variable in found if variable.graph is graph],
            key=lambda variable: variable.name,
        )


def _var_key(var: Variable) -> Any:
    """What a variable is known by: in eager mode the number of its handle."""
    if var.graph is None:
        return var.handle._id
    return var.graph, var.op.name
