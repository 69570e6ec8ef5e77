"""Moving averages of variables.

Compare: tensorflow/python/training/moving_averages.py. Read next: ``__init__.py`` of
minitf.
"""

from typing import Any

from minitf import array_ops, context, math_ops, state_ops
from minitf.collections_ import GraphKeys
from minitf.constant_op import convert_to_tensor
from minitf.scopes import group, name_scope
from minitf.variables import Variable


class ExponentialMovingAverage:
    """Keeps average = decay * average + (1 - decay) * value beside each variable.

    Args:
        decay: how much of the average stays at each step.
        num_updates: the count of steps; the decay is smaller while it is small.
        zero_debias: whether averages of tensors are made larger at first, which is not
            there yet. Those of variables never are.
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
        self._averages: dict[int, Variable] = {}

    @property
    def name(self) -> str:
        """The name of the averages."""
        return self._name

    def apply(self, var_list: Any = None) -> Any:
        """Makes the averages, and a node that takes them one step further."""
        var_list = state_ops.trainable_variables() if var_list is None else var_list
        graph = context.get_default_graph()
        for var in var_list:
            if id(var) in self._averages:
                continue
            with graph.name_scope(None):
                self._averages[id(var)] = self._new_average(var)
            if not context.executing_eagerly() and isinstance(var, Variable):
                graph.add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, var)
        with name_scope(self._name) as scope:
            decay = convert_to_tensor(self._decay)
            if self._num_updates is not None:
                steps = math_ops.cast(convert_to_tensor(self._num_updates), decay.dtype)
                decay = math_ops.minimum(decay, (1.0 + steps) / (10.0 + steps))
            updates = []
            for var in var_list:
                average = self._averages[id(var)]
                step = (average - var) * (1 - math_ops.cast(decay, var.dtype))
                updates.append(average.assign_sub(step, read_value=False))
            return group(*updates, name=scope)

    def _new_average(self, var: Any) -> Variable:
        """An average starts at the value of its variable; that of a tensor at 0."""
        is_variable = isinstance(var, Variable)
        if self._zero_debias and not is_variable:
            raise ValueError("zero_debias=True is not supported for tensors")
        return Variable(
            var.initialized_value() if is_variable else array_ops.zeros_like(var),
            trainable=False,
            name=self.average_name(var),
        )

    def average(self, var: Variable) -> Variable | None:
        """The average of ``var``, or None."""
        return self._averages.get(id(var))

    def average_name(self, var: Variable) -> str:
        """The name of the average of ``var``, a variable or a tensor."""
        return f"{var.name.rsplit(':', 1)[0]}/{self._name}"

    def variables_to_restore(
        self, moving_avg_variables: Any = None
    ) -> dict[str, Variable]:
        """From names of averages to the variables that should take their values."""
        chosen = moving_avg_variables or state_ops.trainable_variables()
        names = {self.average_name(var): var for var in chosen}
        rest = [var for var in state_ops.global_variables() if var not in chosen]
        averages = set(names)
        for var in rest:
            if var.op.name not in averages:
                names[var.op.name] = var
        return names
