"""Gradient descent, momentum, Adagrad, RMSProp and Adam.

All but Adam's are one op for a whole variable and one for some rows of it
(``rule_optimizer.py``).

Compare: tensorflow/python/training/adam.py and its neighbours. Read next:
``more_optimizers.py``.
"""

from typing import Any, ClassVar

from minitf.eager import context
from minitf.framework.op_def_library import call
from minitf.framework.scopes import group
from minitf.framework.tensor import Tensor
from minitf.ops import math_ops
from minitf.training.rule_optimizer import RuleOptimizer, Setting
from minitf.variables.variables import Variable


class GradientDescentOptimizer(RuleOptimizer):
    """w -= learning_rate * gradient.

    Args:
        learning_rate: a number, a scalar tensor, or a function that gives one.
        use_locking: handed to the op; updates are always one at a time.
        name: of the scope of the nodes.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     w = tf.Variable(3.0)
    ...     step = tf.train.GradientDescentOptimizer(0.5).minimize(w * w)
    ...     session.run(w.initializer)
    ...     session.run(step)
    ...     float(session.run(w))
    0.0
    """

    _RULE = "GradientDescent"
    _SETTINGS: ClassVar = {
        "alpha": Setting("_learning_rate", "_learning_rate_tensor", "learning_rate")
    }

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, handle: Variable, indices: Tensor
    ) -> Any:
        # TODO(06.7) begin: change some rows; an index may come twice
        raise NotImplementedError("task 06.7 is not written yet")
        # TODO(06.7) end

    _resource_apply_sparse = _resource_apply_sparse_duplicate_indices


class MomentumOptimizer(RuleOptimizer):
    """m = momentum * m + gradient; w -= learning_rate * m.

    With Nesterov's variant, w -= learning_rate * (gradient + momentum * m). Of a variable
    that was only looked up, the other rows keep their w and m.

    Args:
        learning_rate: a number, a scalar tensor, or a function that gives one.
        momentum: the same.
        use_locking: handed to the op; updates are always one at a time.
        name: of the scope of the nodes, and of the slots.
        use_nesterov: whether to take Nesterov's variant.
    """

    _RULE = "Momentum"
    _SLOTS: ClassVar = {"accum": "momentum"}
    _SETTINGS: ClassVar = {
        "lr": Setting("_learning_rate", "_learning_rate_tensor", "learning_rate"),
        "momentum": Setting("_momentum", "_momentum_tensor", "momentum"),
    }

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list: list[Variable]) -> None:
        for var in var_list:
            self._zeros_slot(var, "momentum", self._name)

    def _rule_attrs(self) -> dict[str, Any]:
        return {"use_nesterov": self._use_nesterov}


class AdagradOptimizer(RuleOptimizer):
    """a += gradient^2; w -= learning_rate * gradient / sqrt(a).

    Of a variable that was only looked up, the rows that were not looked up stay as they
    are.

    Args:
        learning_rate: a number, a scalar tensor, or a function that gives one.
        initial_accumulator_value: the first a, above 0.
        use_locking: handed to the op; updates are always one at a time.
        name: of the scope of the nodes, and of the slots.

    Raises:
        ValueError: initial_accumulator_value is not above 0.
    """

    _RULE = "Adagrad"
    _SLOTS: ClassVar = {"accum": "accumulator"}
    _SETTINGS: ClassVar = {
        "lr": Setting("_learning_rate", "_learning_rate_tensor", "learning_rate")
    }

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ):
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list: list[Variable]) -> None:
        for var in var_list:
            self._filled_slot(
                var, self._initial_accumulator_value, "accumulator", self._name
            )


class RMSPropOptimizer(RuleOptimizer):
    """s = decay * s + (1 - decay) * gradient^2; w -= learning_rate * gradient / sqrt(s).

    Of a variable that was only looked up, the rows that were not looked up stay as they
    are.

    Args:
        learning_rate: a number, a scalar tensor, or a function that gives one.
        decay: the same, of the mean square.
        momentum: the same; of what is subtracted from w, this much is kept.
        epsilon: the same; is added to s under the root.
        use_locking: handed to the op; updates are always one at a time.
        centered: whether to divide by the deviation in place of the root mean square.
        name: of the scope of the nodes, and of the slots.
    """

    _SETTINGS: ClassVar = {
        "lr": Setting("_learning_rate", "_learning_rate_tensor", "learning_rate"),
        "rho": Setting("_decay", "_decay_tensor", "decay"),
        "momentum": Setting("_momentum", "_momentum_tensor", "momentum"),
        "epsilon": Setting("_epsilon", "_epsilon_tensor", "epsilon"),
    }
    _SLOTS: ClassVar = {"ms": "rms", "mom": "momentum", "mg": "mg"}

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._decay = decay
        self._momentum = momentum
        self._epsilon = epsilon
        self._centered = centered

    @property
    def _RULE(self) -> str:  # noqa: N802
        return "CenteredRMSProp" if self._centered else "RMSProp"

    def _create_slots(self, var_list: list[Variable]) -> None:
        for var in var_list:
            self._filled_slot(var, 1.0, "rms", self._name)
            if self._centered:
                self._zeros_slot(var, "mg", self._name)
            self._zeros_slot(var, "momentum", self._name)


class AdamOptimizer(RuleOptimizer):
    """Steps of about one size, whatever that of gradients (Kingma and Ba, 2015).

    m and v are moving means of the gradient and its square; beta1_power and beta2_power
    are how much of them is still their first value, 0::

        lr_t = learning_rate * sqrt(1 - beta2^t) / (1 - beta1^t)
        m = beta1 * m + (1 - beta1) * gradient
        v = beta2 * v + (1 - beta2) * gradient^2
        w -= lr_t * m / (sqrt(v) + epsilon)

    Of a variable that was only looked up all rows change, as if the gradient of the
    others were zeros.

    Args:
        learning_rate: a number, a scalar tensor, or a function that gives one.
        beta1: the same.
        beta2: the same.
        epsilon: the same.
        use_locking: handed to the ops; updates are always one at a time.
        name: of the scope of the nodes, and of the slots.
        use_own_namescope_for_non_slot_vars: whether beta1_power and beta2_power are in a
            variable scope ``name``, not in the name scope that is open.
    """

    _RULE = "Adam"
    _SLOTS: ClassVar = {"m": "m", "v": "v"}
    _SETTINGS: ClassVar = {
        "lr": Setting("_lr", "_lr_t", "learning_rate"),
        "beta1": Setting("_beta1", "_beta1_t", "beta1"),
        "beta2": Setting("_beta2", "_beta2_t", "beta2"),
        "epsilon": Setting("_epsilon", "_epsilon_t", "epsilon"),
    }

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
        use_own_namescope_for_non_slot_vars: bool = False,
    ):
        super().__init__(use_locking, name, use_own_namescope_for_non_slot_vars)
        self._lr = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon

    def _get_beta_accumulators(self) -> tuple[Variable, Variable]:
        """The variables beta1_power and beta2_power."""
        graph = None if context.executing_eagerly() else context.get_default_graph()
        return (
            self._get_non_slot_variable("beta1_power", graph),
            self._get_non_slot_variable("beta2_power", graph),
        )

    def _create_slots(self, var_list: list[Variable]) -> None:
        # TODO(06.9) begin: the powers, once for all variables, and the slots
        raise NotImplementedError("task 06.9 is not written yet")
        # TODO(06.9) end

    def _input(self, name: str, grad: Tensor) -> Any:
        if name in ("beta1_power", "beta2_power"):
            powers = self._get_beta_accumulators()
            return math_ops.cast(powers[name == "beta2_power"]._read(), grad.dtype)
        return super()._input(name, grad)

    def _resource_apply_sparse(
        self, grad: Tensor, handle: Variable, indices: Tensor
    ) -> Any:
        # TODO(06.9) begin: change m, v and the variable; in a graph, return a node
        raise NotImplementedError("task 06.9 is not written yet")
        # TODO(06.9) end

    def _moved(
        self, var: Variable, slot: str, decay: Tensor, rows: Tensor, indices: Tensor
    ) -> Tensor:
        """Changes a slot: all of it times ``decay``, then ``rows`` added at ``indices``.

        Returns its value after both.
        """
        # TODO(06.9) begin: decay the slot, and only then add
        raise NotImplementedError("task 06.9 is not written yet")
        # TODO(06.9) end

    def _resource_scatter_add(self, x: Variable, i: Tensor, v: Tensor) -> Tensor:
        """The value of ``x`` after the rows ``v`` were added to it at ``i``.

        ``x.value()`` would not do: with a caching device that is a copy from before.
        """
        node = call("ResourceScatterAdd", [x.handle, i, v])
        if context.executing_eagerly():
            return x.value()
        with context.get_default_graph().control_dependencies([node]):
            return x.read_value()

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        """Takes the powers one step further, after they have been used."""
        # TODO(06.9) begin: once all updates are done, one step further with both powers
        raise NotImplementedError("task 06.9 is not written yet")
        # TODO(06.9) end

    def _advance(self) -> list[Any]:
        # TODO(06.9) begin: each power times its beta
        raise NotImplementedError("task 06.9 is not written yet")
        # TODO(06.9) end
