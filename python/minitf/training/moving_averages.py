"""Moving averages of variables.

Compare: tensorflow/python/training/moving_averages.py. Read next: ``__init__.py`` of
minitf.
"""

from typing import Any

from minitf.eager import context
from minitf.framework import dtypes
from minitf.framework.collections_ import GraphKeys
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.scopes import group, name_scope
from minitf.ops import math_ops
from minitf.training.slot_creator import create_slot, create_slot_filled, name_of
from minitf.variables import init_ops, state_ops
from minitf.variables.shared_variables import get_variable, get_variable_scope
from minitf.variables.state_ops import uncached
from minitf.variables.variable_scope import variable_scope
from minitf.variables.variables import Variable


class ExponentialMovingAverage:
    """Keeps average = decay * average + (1 - decay) * value beside each variable.

    Args:
        decay: how much of the average stays at each step.
        num_updates: the count of steps; the decay is smaller while it is small.
        zero_debias: whether averages of tensors are made larger at first, to make up for
            their start at 0. Those of variables start at the variable's value, and are
            not.
        name: of the scope of the nodes, and of the averages.
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ):
        self._zero_debias = zero_debias
        self._decay = decay
        self._num_updates = num_updates
        self._name = name
        self._averages: dict[Any, Variable] = {}

    @property
    def name(self) -> str:
        """The name of the averages."""
        return self._name

    def apply(self, var_list: Any = None) -> Any:
        """Makes the averages, and a node that takes them one step further.

        Args:
            var_list: variables and tensors; the trainable variables if None.

        Raises:
            TypeError: one of them is not of float16, bfloat16, float32 or float64.
        """
        var_list = state_ops.trainable_variables() if var_list is None else var_list
        debiased = set()
        for var in var_list:
            name_of(var)  # refuses what is neither a variable nor a tensor
            if not var.dtype.is_floating:
                raise TypeError(
                    f"The variables must be half, float, or double: {var.name}"
                )
            if var in self._averages:
                continue
            with context.init_scope():
                self._averages[var] = self._new_average(var)
            if self._zero_debias and not isinstance(var, Variable):
                debiased.add(var)
        with name_scope(self._name) as scope:
            decay = self._present_decay()
            updates = [
                _update(self._averages[var], var, decay, var in debiased)
                for var in var_list
            ]
            return group(*updates, name=scope)

    def _present_decay(self) -> Any:
        """The decay; after n updates, if they are counted, at most (1 + n) / (10 + n)."""
        # LAB(06.13) begin: as said above
        decay = convert_to_tensor(self._decay, name="decay")
        if self._num_updates is None:
            return decay
        steps = math_ops.cast(self._num_updates, dtypes.float32, name="num_updates")
        return math_ops.minimum(decay, (1.0 + steps) / (10.0 + steps))
        # LAB(06.13) end

    def _new_average(self, var: Any) -> Variable:
        """An average starts at the value of its variable; that of a tensor at 0."""
        # LAB(06.13) begin: where an average starts, and what is added to the collection
        if not isinstance(var, Variable):
            return create_slot_filled(var, 0.0, self._name)
        average = create_slot(var, var.initialized_value(), self._name)
        if var.graph is not None:
            var.graph.add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, var)
        return average
        # LAB(06.13) end

    def average(self, var: Variable) -> Variable | None:
        """The average of ``var``, or None."""
        return self._averages.get(var)

    def average_name(self, var: Variable) -> str:
        """The name that the average of ``var``, a variable or a tensor, has or will have.

        Before ``apply`` that is a guess: other averages may take the name first.
        """
        if var in self._averages:
            return name_of(self._averages[var])
        name = f"{name_of(var)}/{self._name}"
        return context.get_default_graph().unique_name(name, mark_as_used=False)

    def variables_to_restore(
        self, moving_avg_variables: Any = None
    ) -> dict[str, Variable]:
        """From names of averages to the variables that should take their values.

        Args:
            moving_avg_variables: those that take averages; if None, the trainable ones
                and those of the collection of moving averages. All others take their own.
        """
        if moving_avg_variables is None:
            moving_avg_variables = (
                state_ops.trainable_variables() + state_ops.moving_average_variables()
            )
        chosen = dict.fromkeys(moving_avg_variables)
        names = {self.average_name(var): var for var in chosen}
        for var in state_ops.global_variables():
            if var not in chosen:
                names.setdefault(name_of(var), var)
        return names


def _update(average: Variable, value: Any, decay: Any, zero_debias: bool) -> Any:
    """Takes one average one step further."""
    with name_scope(None, "AssignMovingAvg", [value, decay]) as scope:
        change = math_ops.cast(1.0 - decay, average.dtype)
        if not zero_debias:
            return _moved(average, value, change)
        return average.assign(_debiased(average, value, change), name=scope)


def _moved(average: Variable, value: Any, change: Any) -> Any:
    """Takes an average, by the part ``change``, to ``value``."""
    # LAB(06.13) begin: one assignment
    return average.assign_sub((uncached(average) - uncached(value)) * change)
    # LAB(06.13) end


def _debiased(average: Variable, value: Any, change: Any) -> Any:
    """An average that started at 0, divided by what its weights have summed up to.

    Those are counted as if the decay had always been what it is now, 1 - ``change``.
    """
    with variable_scope(name_of(average), auxiliary_name_scope=False):
        zeros = init_ops.zeros_initializer()
        biased = get_variable(
            _new_name("biased"), average.shape, average.dtype, zeros, trainable=False
        )
        count = get_variable(
            _new_name("local_step"), [], average.dtype, zeros, trainable=False
        )
    # LAB(06.13) begin: move biased, count, and divide by the weights so far
    sums = _moved(biased, value, change)
    counts = count.assign_add(1.0)
    rest = math_ops.pow(1.0 - change, counts.value() if average._in_graph else count)
    return (sums.value() if average._in_graph else biased) / (1.0 - rest)
    # LAB(06.13) end


def _new_name(name: str) -> str:
    """``name``, with a number if the present variable scope has such a variable."""
    scope = get_variable_scope()
    if scope.reuse:
        return name
    taken = {name_of(variable) for variable in scope.global_variables()}
    candidate, number = name, 0
    while f"{scope.name}/{candidate}" in taken:
        number += 1
        candidate = f"{name}_{number}"
    return candidate
