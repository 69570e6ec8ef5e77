"""Optimizers whose whole step is one op, such as ResourceApplyMomentum.

The op's definition says which inputs it has and in which order; a class says what each
is: the variable, the gradient, a slot or a setting. ResourceSparseApplyMomentum, which
changes some rows only, has the same inputs and the indices of the rows.

Compare: tensorflow/python/training/momentum.py. Read next: ``optimizers.py``.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from minitf.framework import op_def_registry
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.tensor import Tensor
from minitf.ops import math_ops
from minitf.training.optimizer import Optimizer
from minitf.variables.variables import Variable


class Setting(NamedTuple):
    """A setting of an optimizer, such as its learning rate.

    Attributes:
        value: the attribute of the optimizer that has it as the user gave it.
        tensor: the attribute that has it as a tensor while an update is made.
        name: of the node.
    """

    value: str
    tensor: str
    name: str


class RuleOptimizer(Optimizer):
    """An optimizer whose step is ``ResourceApply<_RULE>``.

    A derived class says what the inputs of the op are: ``_SLOTS`` and ``_SETTINGS`` have
    the names of inputs as keys.
    """

    _RULE: str
    _SLOTS: ClassVar[Mapping[str, str]] = {}
    _SETTINGS: ClassVar[Mapping[str, Setting]] = {}

    def _rule_attrs(self) -> dict[str, Any]:
        """Further attributes of the op."""
        return {}

    def _prepare(self) -> None:
        """Makes a tensor of each setting, which may be a function that gives it."""
        # TODO(06.8) begin: set the attribute of each Setting
        for setting in self._SETTINGS.values():
            value = self._call_if_callable(getattr(self, setting.value))
            setattr(self, setting.tensor, convert_to_tensor(value, name=setting.name))
        # TODO(06.8) end

    def _typed(self, name: str, grad: Tensor) -> Tensor:
        """The setting for the input ``name`` in the type of ``grad``."""
        return math_ops.cast(getattr(self, self._SETTINGS[name].tensor), grad.dtype)

    def _input(self, name: str, grad: Tensor) -> Any:
        """The input ``name`` of the op, if it is neither a variable nor the gradient."""
        return self._typed(name, grad)

    def _apply_rule(self, op_type: str, var: Variable, given: dict[str, Any]) -> Any:
        """Calls the op.

        Args:
            op_type: what is called.
            var: what is changed.
            given: inputs by their names, such as the gradient. All others are the
                variable, one of its slots, or a setting (``_input``).
        """
        # TODO(06.8) begin: the inputs as the op's definition lists them
        inputs = []
        for arg in op_def_registry.get(op_type).inputs:
            slot = None
            if arg.name in self._SLOTS:
                slot = self.get_slot(var, self._SLOTS[arg.name])
            if arg.name == "var":
                inputs.append(var.handle)
            elif arg.name in given:
                inputs.append(given[arg.name])
            elif slot is not None:
                inputs.append(slot.handle)
            else:
                inputs.append(self._input(arg.name, given["grad"]))
        attrs = {"use_locking": self._use_locking, **self._rule_attrs()}
        return call(op_type, inputs, attrs)
        # TODO(06.8) end

    def _resource_apply_dense(self, grad: Tensor, handle: Variable) -> Any:
        given = {"grad": grad, "delta": grad}
        return self._apply_rule(f"ResourceApply{self._RULE}", handle, given)

    def _resource_apply_sparse(
        self, grad: Tensor, handle: Variable, indices: Tensor
    ) -> Any:
        given = {"grad": grad, "indices": indices}
        return self._apply_rule(f"ResourceSparseApply{self._RULE}", handle, given)
