"""Gradient descent, momentum, Adam, Adagrad and RMSProp.

Each is one op in C++ that changes the variable and its slots in one go.

Compare: tensorflow/python/training/adam.py and its neighbours. Read next:
``learning_rate.py``.
"""

from typing import Any

from minitf import context
from minitf.ops import call
from minitf.scopes import group
from minitf.tensor import Tensor
from minitf.train.optimizer import Optimizer
from minitf.variables import Variable


class GradientDescentOptimizer(Optimizer):
    """w -= learning_rate * gradient."""

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _prepare(self) -> None:
        self._prepared["lr"] = self._setting(self._learning_rate, "learning_rate")

    def _apply(self, grad: Tensor, var: Variable) -> Any:
        return call(
            "ResourceApplyGradientDescent", [var.handle, self._typed("lr", var), grad]
        )


class MomentumOptimizer(Optimizer):
    """m = momentum * m + gradient; w -= learning_rate * m.

    With Nesterov's variant, w -= learning_rate * (gradient + momentum * m).
    """

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
            self._slot(var, 0, "momentum", self._name)

    def _prepare(self) -> None:
        self._prepared["lr"] = self._setting(self._learning_rate, "learning_rate")
        self._prepared["momentum"] = self._setting(self._momentum, "momentum")

    def _apply(self, grad: Tensor, var: Variable) -> Any:
        slot = self.get_slot(var, "momentum")
        inputs = [
            var.handle,
            slot.handle,
            self._typed("lr", var),
            grad,
            self._typed("momentum", var),
        ]
        return call("ResourceApplyMomentum", inputs, {"use_nesterov": self._use_nesterov})


class AdagradOptimizer(Optimizer):
    """a += gradient^2; w -= learning_rate * gradient / sqrt(a)."""

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
        self._initial = initial_accumulator_value

    def _create_slots(self, var_list: list[Variable]) -> None:
        for var in var_list:
            self._slot(var, self._initial, "accumulator", self._name)

    def _prepare(self) -> None:
        self._prepared["lr"] = self._setting(self._learning_rate, "learning_rate")

    def _apply(self, grad: Tensor, var: Variable) -> Any:
        slot = self.get_slot(var, "accumulator")
        return call(
            "ResourceApplyAdagrad",
            [var.handle, slot.handle, self._typed("lr", var), grad],
        )


class RMSPropOptimizer(Optimizer):
    """s = decay * s + (1 - decay) * gradient^2; w -= learning_rate * gradient / sqrt(s).

    ``centered`` divides by the deviation in place of the root mean square.
    """

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
        self._settings = {
            "lr": learning_rate,
            "decay": decay,
            "momentum": momentum,
            "epsilon": epsilon,
        }
        self._centered = centered

    def _create_slots(self, var_list: list[Variable]) -> None:
        for var in var_list:
            self._slot(var, 1.0, "rms", self._name)
            if self._centered:
                self._slot(var, 0, "mg", self._name)
            self._slot(var, 0, "momentum", self._name)

    def _prepare(self) -> None:
        for name, value in self._settings.items():
            self._prepared[name] = self._setting(value, name)

    def _apply(self, grad: Tensor, var: Variable) -> Any:
        names = ["mg", "rms", "momentum"] if self._centered else ["rms", "momentum"]
        slots = [self.get_slot(var, name).handle for name in names]
        settings = [
            self._typed(name, var) for name in ("lr", "decay", "momentum", "epsilon")
        ]
        op_type = (
            "ResourceApplyCenteredRMSProp" if self._centered else "ResourceApplyRMSProp"
        )
        return call(op_type, [var.handle, *slots, *settings, grad])


class AdamOptimizer(Optimizer):
    """Steps of about one size, whatever that of gradients (Kingma and Ba, 2015).

    m and v are moving means of the gradient and its square; beta1_power and beta2_power
    are how much of them is still their first value, 0::

        lr_t = learning_rate * sqrt(1 - beta2^t) / (1 - beta1^t)
        m = beta1 * m + (1 - beta1) * gradient
        v = beta2 * v + (1 - beta2) * gradient^2
        w -= lr_t * m / (sqrt(v) + epsilon)
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ):
        super().__init__(use_locking, name)
        self._settings = {
            "lr": learning_rate,
            "beta1": beta1,
            "beta2": beta2,
            "epsilon": epsilon,
        }

    def _create_slots(self, var_list: list[Variable]) -> None:
        first = min(var_list, key=lambda var: var.name)
        self._first = first
        for name in ("beta1", "beta2"):
            value = self._settings[name]
            self._other_variable(
                value() if callable(value) else value, f"{name}_power", first
            )
        for var in var_list:
            self._slot(var, 0, "m", self._name)
            self._slot(var, 0, "v", self._name)

    def _prepare(self) -> None:
        for name, value in self._settings.items():
            self._prepared[name] = self._setting(value, name)
        for name in ("beta1_power", "beta2_power"):
            self._prepared[name] = self._get_other(name, self._first).value()

    def _apply(self, grad: Tensor, var: Variable) -> Any:
        slots = [self.get_slot(var, name).handle for name in ("m", "v")]
        names = ("beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon")
        settings = [self._typed(name, var) for name in names]
        return call("ResourceApplyAdam", [var.handle, *slots, *settings, grad])

    def _finish(self, update_ops: list[Any], name: str) -> Any:
        """Takes the powers one step further, after they have been used."""
        if context.executing_eagerly():
            self._advance()
            return None
        with context.get_default_graph().control_dependencies(update_ops):
            return group(*update_ops, *self._advance(), name=name)

    def _advance(self) -> list[Any]:
        assigned = []
        for name in ("beta1", "beta2"):
            power = self._get_other(f"{name}_power", self._first)
            assigned.append(
                power.assign(power.value() * self._prepared[name], read_value=False)
            )
        return assigned
