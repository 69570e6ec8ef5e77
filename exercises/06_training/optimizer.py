"""The base of all optimizers: gradients, and what is done with them.

An optimizer differs from others in one thing: how it changes a variable by its gradient,
for a gradient that is a tensor and for one that is IndexedSlices. All that is around it
is here: which variables, their gradients in both modes, slices of the same row added up,
and the count of steps.

Compare: tensorflow/python/training/optimizer.py. Read next:
``optimizers.py``.
"""

from collections.abc import Callable
from typing import Any

from minitf.eager import backprop, context
from minitf.framework import dtypes
from minitf.framework.collections_ import GraphKeys, get_collection
from minitf.framework.graph import colocate_with
from minitf.framework.indexed_slices import (
    IndexedSlices,
    convert_to_tensor_or_indexed_slices,
)
from minitf.framework.op_def_library import call
from minitf.framework.scopes import group, name_scope
from minitf.framework.scopes import tuple as gated_tuple
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops
from minitf.ops import gradients_impl as gradients_module
from minitf.training.optimizer_slots import Slots
from minitf.util.nest import flatten
from minitf.variables import state_ops
from minitf.variables.variables import Variable


class Optimizer(Slots):
    """Changes variables so that a loss becomes smaller.

    A derived class has ``_resource_apply_dense`` and ``_resource_apply_sparse``, or their
    older forms ``_apply_dense`` and ``_apply_sparse``; of both forms, that counts which
    the most derived class has.

    Args:
        use_locking: handed to the ops; updates are always one at a time.
        name: of the scope of the nodes.
        use_own_namescope_for_non_slot_vars: whether variables of the optimizer that are
            no slots are in a variable scope ``name``, not in the name scope that is open.
    """

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(
        self,
        use_locking: bool,
        name: str,
        use_own_namescope_for_non_slot_vars: bool = False,
    ):
        if not name:
            raise ValueError("Must specify the optimizer name")
        super().__init__(name if use_own_namescope_for_non_slot_vars else None)
        self._use_locking = use_locking
        self._name = name

    # ---- For derived classes -----------------------------------------------------------

    def _valid_dtypes(self) -> set[dtypes.DType]:
        """The types of losses and variables that can be trained."""
        return {dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64}

    def _create_slots(self, var_list: list[Variable]) -> None:
        """Makes the variables that are kept beside ``var_list``."""

    def _prepare(self) -> None:
        """Makes tensors of the settings, such as the learning rate."""

    def _apply_dense(self, grad: Tensor, var: Variable) -> Any:
        """As ``_resource_apply_dense``."""
        return self._resource_apply_dense(grad, var)

    def _resource_apply_dense(self, grad: Tensor, handle: Variable) -> Any:
        """Changes a variable by its gradient; in a graph, returns the node that does."""
        raise NotImplementedError

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Any:
        """As ``_resource_apply_sparse``, for both parts of ``grad`` in one."""
        return self._resource_apply_sparse(grad.values, var, grad.indices)

    def _resource_apply_sparse(
        self, grad: Tensor, handle: Variable, indices: Tensor
    ) -> Any:
        """Changes the rows ``indices`` of a variable, none of which comes twice."""
        raise NotImplementedError

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Variable) -> Any:
        """As ``_apply_sparse``; rows that come twice are added up for that."""
        values, indices = _added_up(grad.values, grad.indices)
        return self._apply_sparse(IndexedSlices(values, indices, grad.dense_shape), var)

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, handle: Variable, indices: Tensor
    ) -> Any:
        """As ``_resource_apply_sparse``; rows that come twice are added up for that."""
        values, unique = _added_up(grad, indices)
        return self._resource_apply_sparse(values, handle, unique)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        """What runs after all updates; in a graph, returns a node."""
        return group(*update_ops, name=name_scope)

    def _call_if_callable(self, param: Any) -> Any:
        """A setting, or what it gives if it is a function."""
        return param() if callable(param) else param

    def _assert_valid_dtypes(self, tensors: list[Any]) -> None:
        valid = self._valid_dtypes()
        for tensor in tensors:
            if tensor.dtype not in valid:
                expected = sorted(dtype.name for dtype in valid)
                raise ValueError(
                    f"Invalid type {tensor.dtype!r} for {tensor.name}, expected: "
                    f"{expected}."
                )

    # ---- Gradients ---------------------------------------------------------------------

    def get_name(self) -> str:
        """The name that it was given."""
        return self._name

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
        self._assert_valid_dtypes([loss])
        if grad_loss is not None:
            self._assert_valid_dtypes([grad_loss])
        if var_list is None:
            var_list = state_ops.trainable_variables() + get_collection(
                "trainable_resource_variables"
            )
        var_list = flatten(var_list)
        for variable in var_list:
            _require_variable(variable, allow_tensor=True)
        if not var_list:
            raise ValueError("No variables to optimize.")
        found = gradients_module.gradients(
            loss,
            var_list,
            grad_loss,
            gate_gradients=gate_gradients == self.GATE_OP,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            aggregation_method=aggregation_method,
        )
        if gate_gradients == self.GATE_GRAPH:
            found = gated_tuple(found)
        pairs = list(zip(found, var_list, strict=True))
        self._assert_valid_dtypes([var for grad, var in pairs if grad is not None])
        return pairs

    def _from_tape(self, loss: Callable, var_list: Any, grad_loss: Any) -> list:
        with backprop.GradientTape() as tape:
            if var_list is not None:
                tape.watch(var_list)
            value = loss()
        var_list = flatten(tape.watched_variables() if var_list is None else var_list)
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
        return self._applied(pairs, global_step, name)

    def _applied(self, given: Any, global_step: Variable | None, name: str | None) -> Any:
        """What ``apply_gradients`` does with pairs that are pairs.

        Slots are made under ``context.init_scope()``, and settings below the name scope.
        The change of the variable "w" is below the name scope "update_w", where w is; in
        eager mode a variable has no node, and the scope is "update_".

        Raises:
            ValueError: no variable has a gradient.
        """
        pairs = [(_as_gradient(grad), var) for grad, var in given]
        for _, var in pairs:
            _require_variable(var, allow_tensor=True)
        # TODO(06.5) begin: slots, settings, changes, and the end (_finished)
        raise NotImplementedError("task 06.5 is not written yet")
        # TODO(06.5) end

    def _updated(self, grad: Any, var: Variable) -> Any:
        """Changes ``var``, then applies its constraint, if it has one.

        Raises:
            RuntimeError: it has one, and ``grad`` is IndexedSlices.
        """
        _require_variable(var)
        if isinstance(grad, IndexedSlices):
            if var.constraint is not None:
                raise RuntimeError(
                    "Cannot use a constraint function on a sparse variable."
                )
            return self._update_rows(grad, var)
        older = self._overrides_last("_apply_dense", "_resource_apply_dense")
        apply = self._apply_dense if older else self._resource_apply_dense
        update = apply(grad, var)
        # TODO(06.5) begin: constrain the value after the update, in both modes
        raise NotImplementedError("task 06.5 is not written yet")
        # TODO(06.5) end

    def _update_rows(self, grad: IndexedSlices, var: Variable) -> Any:
        if self._overrides_last("_apply_sparse", "_resource_apply_sparse"):
            return self._apply_sparse_duplicate_indices(grad, var)
        return self._resource_apply_sparse_duplicate_indices(
            grad.values, var, grad.indices
        )

    def _overrides_last(self, older: str, newer: str) -> bool:
        """Whether the most derived class that has one of two hooks has only the older."""
        suffix = "_duplicate_indices"
        for cls in type(self).__mro__:
            own = vars(cls)
            if newer in own or newer + suffix in own:
                return False
            if older in own or older + suffix in own:
                return True
        return False

    def _finished(
        self, updates: list[Any], global_step: Variable | None, scope: str
    ) -> Any:
        """What runs last: ``_finish``, and after it the count of steps.

        The node is named by ``scope``; where steps are counted, that is the node that
        counts, where ``global_step`` is, and the other is "update" in the scope. In a
        graph the node is collected and returned; if ``_finish`` gives a tensor, its node.
        """
        # TODO(06.6) begin: finish, count the step after all updates, and collect the node
        raise NotImplementedError("task 06.6 is not written yet")
        # TODO(06.6) end


def _as_gradient(grad: Any) -> Any:
    if grad is None:
        return None
    try:
        found = convert_to_tensor_or_indexed_slices(grad)
    except TypeError:
        raise TypeError(
            f"Gradient must be convertible to a Tensor or IndexedSlices, or None: {grad}"
        ) from None
    if not isinstance(found, (Tensor, IndexedSlices)):
        raise TypeError(f"Gradient must be a Tensor, IndexedSlices, or None: {found}")
    return found


def _require_variable(var: Any, allow_tensor: bool = False) -> None:
    if isinstance(var, Tensor) and not allow_tensor:
        raise NotImplementedError("Trying to update a Tensor ", var)
    if not isinstance(var, Tensor) and not hasattr(var, "handle"):
        raise NotImplementedError("Trying to optimize unsupported type ", var)


def _added_up(values: Tensor, indices: Tensor) -> Any:
    """Rows of the same index as one, their sum; and the indices, each once."""
    # TODO(06.7) begin: Unique finds the indices, UnsortedSegmentSum adds
    raise NotImplementedError("task 06.7 is not written yet")
    # TODO(06.7) end
