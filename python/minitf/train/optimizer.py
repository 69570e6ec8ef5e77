"""The base of all optimizers: gradients, and what is done with them.

An optimizer differs from others in one thing: the op that changes a variable by its
gradient. All that is around it is here: which variables, their gradients in both modes,
the slots, which are variables such as a momentum that an optimizer keeps beside each
variable, and the count of steps.

Compare: tensorflow/python/training/optimizer.py. Read next: ``optimizers.py``.
"""

from collections.abc import Callable
from typing import Any

from minitf import context, eager, state_ops
from minitf import gradients_impl as gradients_module
from minitf.arguments import require
from minitf.collections_ import GraphKeys, get_collection
from minitf.constant_op import convert_to_tensor
from minitf.scopes import group, name_scope
from minitf.scopes import tuple as tuple_
from minitf.tensor import Tensor
from minitf.train.slots import create_slot, create_slot_filled
from minitf.variables import Variable


class Optimizer:
    """Changes variables so that a loss becomes smaller.

    Args:
        use_locking: accepted: updates are always one at a time.
        name: of the scope of the nodes.
    """

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(self, use_locking: bool, name: str):
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking = use_locking
        self._name = name
        self._slots: dict[str, dict[Any, Variable]] = {}
        self._other: dict[Any, Variable] = {}
        self._prepared: dict[str, Tensor] = {}

    # ---- For derived classes -----------------------------------------------------------

    def _create_slots(self, var_list: list[Variable]) -> None:
        """Makes the variables that are kept beside ``var_list``."""

    def _prepare(self) -> None:
        """Makes tensors of the settings, such as the learning rate."""

    def _apply(self, grad: Tensor, var: Variable) -> Any:
        """Changes ``var`` by its gradient; in a graph, returns the node that does it."""
        raise NotImplementedError

    def _finish(self, update_ops: list[Any], name: str) -> Any:
        """What runs after all updates; in a graph, returns a node."""
        return group(*update_ops, name=name)

    def _setting(self, value: Any, name: str) -> Tensor:
        """A setting as a tensor; a function is called at every step, in eager mode."""
        value = value() if callable(value) else value
        return convert_to_tensor(value, name=name)

    def _typed(self, name: str, var: Variable) -> Tensor:
        """The prepared setting ``name`` in the type of ``var``."""
        from minitf.math_ops import cast

        return cast(self._prepared[name], var.dtype)

    # ---- Slots -------------------------------------------------------------------------

    def get_name(self) -> str:
        """The name of the optimizer."""
        return self._name

    def get_slot(self, var: Variable, name: str) -> Variable | None:
        """The variable ``name`` that is kept beside ``var``, or None."""
        return self._slots.get(name, {}).get(_key(var))

    def get_slot_names(self) -> list[str]:
        """The names of the slots."""
        return sorted(self._slots)

    def _slot(self, var: Variable, value: Any, slot: str, name: str) -> Variable:
        """The slot beside ``var``, made with ``value`` if there is none."""
        kept = self._slots.setdefault(slot, {})
        if _key(var) not in kept:
            if isinstance(value, (int, float)):
                kept[_key(var)] = create_slot_filled(var, value, name)
            else:
                kept[_key(var)] = create_slot(var, value, name)
        return kept[_key(var)]

    def _other_variable(
        self, initial_value: float, name: str, like: Variable
    ) -> Variable:
        """A variable of the optimizer that belongs to no single variable."""
        key = (name, like.graph)
        if key not in self._other:
            self._other[key] = Variable(initial_value, trainable=False, name=name)
        return self._other[key]

    def _get_other(self, name: str, like: Variable) -> Variable:
        return self._other[(name, like.graph)]

    def variables(self) -> list[Variable]:
        """All variables that the optimizer has made."""
        slots = [variable for kept in self._slots.values() for variable in kept.values()]
        return sorted([*self._other.values(), *slots], key=lambda variable: variable.name)

    # ---- Gradients ---------------------------------------------------------------------

    def minimize(
        self,
        loss: Any,
        global_step: Variable | None = None,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """One step: gradients of ``loss``, and the change of the variables.

        Args:
            loss: a tensor; in eager mode, a function that returns one.
            global_step: a variable to count up.
            var_list: what to change; the trainable variables if None.
            gate_gradients: GATE_GRAPH lets no gradient be used before all are there. The
                gates for single ops need nothing: see ``tf.gradients``.
            aggregation_method: an AggregationMethod; see ``tf.gradients``.
            colocate_gradients_with_ops: put gradients on the devices of their ops.
            name: of the node.
            grad_loss: the weight of the loss.

        Raises:
            ValueError: the loss depends on none of the variables.
        """
        pairs = self.compute_gradients(
            loss,
            var_list,
            gate_gradients,
            aggregation_method,
            colocate_gradients_with_ops,
            grad_loss,
        )
        if all(gradient is None for gradient, _ in pairs):
            names = [str(variable) for _, variable in pairs]
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops "
                f"that do not support gradients, between variables {names} and "
                f"loss {loss}."
            )
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Variable]]:
        """Pairs of a gradient, or None, and its variable."""
        if callable(loss):
            return self._from_tape(loss, var_list, grad_loss)
        if context.executing_eagerly():
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a "
                "function when eager execution is enabled."
            )
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise ValueError(
                "gate_gradients must be one of: Optimizer.GATE_NONE, "
                "Optimizer.GATE_OP, Optimizer.GATE_GRAPH. Not "
                f"{gate_gradients}"
            )
        if var_list is None:
            var_list = state_ops.trainable_variables() + get_collection(
                "trainable_resource_variables"
            )
        var_list = [var_list] if isinstance(var_list, Variable) else list(var_list)
        if not var_list:
            raise ValueError("No variables to optimize.")
        for variable in var_list:
            if not isinstance(variable, (Variable, Tensor)):
                raise TypeError(f"Argument is not a tf.Variable: {variable}")
        found = gradients_module.gradients(
            loss,
            var_list,
            grad_loss,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            aggregation_method=aggregation_method,
        )
        if gate_gradients == self.GATE_GRAPH:
            found = tuple_(found)
        return list(zip(found, var_list, strict=True))

    def _from_tape(self, loss: Callable, var_list: Any, grad_loss: Any) -> list:
        with eager.GradientTape() as tape:
            if var_list is not None:
                tape.watch(var_list)
            value = loss()
        if var_list is None:
            var_list = tape.watched_variables()
        var_list = [var_list] if isinstance(var_list, Variable) else list(var_list)
        weights = None if grad_loss is None else [grad_loss]
        return list(zip(tape.gradient(value, var_list, weights), var_list, strict=True))

    # ---- Changing variables ------------------------------------------------------------

    def apply_gradients(
        self,
        grads_and_vars: Any,
        global_step: Variable | None = None,
        name: str | None = None,
    ) -> Any:
        """Changes variables by their gradients; in a graph, returns the node.

        Args:
            grads_and_vars: pairs, as from ``compute_gradients``. Those without a gradient
                are left as they are.
            global_step: a variable to count up.
            name: of the node.
        """
        pairs = tuple(grads_and_vars)
        if not pairs:
            raise ValueError("No variables provided.")
        for pair in pairs:
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                raise ValueError(f"pairs of gradient and variable are needed: {pair!r}")
            require(pair[1], "dtype", "apply_gradients", "a variable")
        pairs = [
            (None if grad is None else convert_to_tensor(grad), var)
            for grad, var in pairs
        ]
        changed = [var for grad, var in pairs if grad is not None]
        if not changed:
            raise ValueError(
                f"No gradients provided for any variable: "
                f"{[var.name for _, var in pairs]}."
            )
        with context.init_scope():
            self._create_slots(changed)
        with name_scope(name, self._name) as scope:
            self._prepared = {}
            self._prepare()
            updates = []
            for grad, var in pairs:
                if grad is None:
                    continue
                update_name = "" if context.executing_eagerly() else var.op.name
                with name_scope("update_" + update_name):
                    updates.append(self._updated(grad, var))
            return self._finished(updates, global_step, scope)

    def _updated(self, grad: Tensor, var: Variable) -> Any:
        update = self._apply(grad, var)
        if var.constraint is None:
            return update
        if context.executing_eagerly():
            return var.assign(var.constraint(var))
        with context.get_default_graph().control_dependencies([update]):
            return var.assign(var.constraint(var.value()), read_value=False)

    def _finished(
        self, updates: list[Any], global_step: Variable | None, scope: str
    ) -> Any:
        if context.executing_eagerly():
            self._finish(updates, scope)
            if global_step is not None:
                global_step.assign_add(1)
            return None
        if global_step is None:
            train_op = self._finish(updates, scope)
        else:
            graph = context.get_default_graph()
            with graph.control_dependencies([self._finish(updates, "update")]):
                train_op = global_step.assign_add(1, name=scope, read_value=False)
        collection = context.get_default_graph().get_collection_ref(GraphKeys.TRAIN_OP)
        if train_op not in collection:
            collection.append(train_op)
        return train_op


def _key(var: Variable) -> Any:
    return var


def _base(var: Variable) -> str:
    return var.name.rsplit(":", 1)[0]
