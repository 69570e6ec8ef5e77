"""FTRL, Adadelta, and gradient descent and Adagrad with proximal steps.

Of a variable that was only looked up, they leave the rows that were not looked up as they
are, and so their slots.

Compare: tensorflow/python/training/ftrl.py and its neighbours. Read next:
``learning_rate_decay.py``.
"""

from typing import Any, ClassVar

from minitf.training.optimizers import AdagradOptimizer
from minitf.training.rule_optimizer import RuleOptimizer, Setting
from minitf.variables.variables import Variable

_LEARNING_RATE = Setting("_learning_rate", "_learning_rate_tensor", "learning_rate")
_L1 = Setting(
    "_l1_regularization_strength",
    "_l1_regularization_strength_tensor",
    "l1_regularization_strength",
)
_L2 = Setting(
    "_l2_regularization_strength",
    "_l2_regularization_strength_tensor",
    "l2_regularization_strength",
)


class FtrlOptimizer(RuleOptimizer):
    """Follows the regularized leader (McMahan et al., 2013): many weights are exactly 0.

    The op ResourceApplyFtrl says the formulas.

    Args:
        learning_rate: a number or a scalar tensor.
        learning_rate_power: how fast it falls; at most 0, which keeps it as it is.
        initial_accumulator_value: the first sum of squares of gradients, at least 0.
        l1_regularization_strength: at least 0.
        l2_regularization_strength: at least 0.
        use_locking: handed to the op; updates are always one at a time.
        name: of the scope of the nodes.
        accum_name: of the first slot; ``name`` if None.
        linear_name: of the second slot; ``name`` if None.
        l2_shrinkage_regularization_strength: at least 0; twice this times the variable is
            added to the gradient.
        beta: makes the second strength larger by ``beta / (2 * learning_rate)``.

    Raises:
        ValueError: a number is on the wrong side of 0.
    """

    _SLOTS: ClassVar = {"accum": "accum", "linear": "linear"}
    _SETTINGS: ClassVar = {
        "lr": _LEARNING_RATE,
        "l1": _L1,
        "l2": Setting(
            "_adjusted_l2_regularization_strength",
            "_adjusted_l2_regularization_strength_tensor",
            "adjusted_l2_regularization_strength",
        ),
        "l2_shrinkage": Setting(
            "_l2_shrinkage_regularization_strength",
            "_l2_shrinkage_regularization_strength_tensor",
            "l2_shrinkage_regularization_strength",
        ),
        "lr_power": Setting(
            "_learning_rate_power", "_learning_rate_power_tensor", "learning_rate_power"
        ),
    }

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ):
        super().__init__(use_locking, name)
        for what, number in {
            "initial_accumulator_value": initial_accumulator_value,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength,
        }.items():
            if number < 0.0:
                raise ValueError(f"{what} {number} needs to be positive or zero")
        if learning_rate_power > 0.0:
            raise ValueError(
                f"learning_rate_power {learning_rate_power} needs to be negative or zero"
            )
        self._learning_rate = learning_rate
        self._learning_rate_power = learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self._beta = 0.0 if beta is None else beta
        self._accum_name = accum_name
        self._linear_name = linear_name

    @property
    def _RULE(self) -> str:  # noqa: N802
        return "Ftrl" if self._l2_shrinkage_regularization_strength <= 0.0 else "FtrlV2"

    @property
    def _adjusted_l2_regularization_strength(self) -> Any:
        strength = self._l2_regularization_strength
        return (
            strength + self._beta / (2.0 * self._learning_rate)
            if self._beta
            else strength
        )

    def _create_slots(self, var_list: list[Variable]) -> None:
        for var in var_list:
            self._filled_slot(
                var,
                self._initial_accumulator_value,
                "accum",
                self._accum_name or self._name,
            )
            self._zeros_slot(var, "linear", self._linear_name or self._name)


class AdadeltaOptimizer(RuleOptimizer):
    """Steps whose size is that of the former steps (Zeiler, 2012).

    The op ResourceApplyAdadelta says the formulas.

    Args:
        learning_rate: a number, a scalar tensor, or a function that gives one.
        rho: the same; how much of the moving means is kept.
        epsilon: the same; is added under the roots.
        use_locking: handed to the op; updates are always one at a time.
        name: of the scope of the nodes, and of the slots.
    """

    _RULE = "Adadelta"
    _SLOTS: ClassVar = {"accum": "accum", "accum_update": "accum_update"}
    _SETTINGS: ClassVar = {
        "lr": Setting("_lr", "_lr_t", "lr"),
        "rho": Setting("_rho", "_rho_t", "rho"),
        "epsilon": Setting("_epsilon", "_epsilon_t", "epsilon"),
    }

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ):
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._rho = rho
        self._epsilon = epsilon

    def _create_slots(self, var_list: list[Variable]) -> None:
        for var in var_list:
            self._zeros_slot(var, "accum", self._name)
            self._zeros_slot(var, "accum_update", self._name)


class ProximalGradientDescentOptimizer(RuleOptimizer):
    """Gradient descent, after which every weight goes towards 0 (Duchi et al., 2009).

    Args:
        learning_rate: a number or a scalar tensor.
        l1_regularization_strength: how far; what comes to the other side of 0 is 0.
        l2_regularization_strength: divides by 1 + learning_rate times this.
        use_locking: handed to the op; updates are always one at a time.
        name: of the scope of the nodes.
    """

    _RULE = "ProximalGradientDescent"
    _SETTINGS: ClassVar = {"alpha": _LEARNING_RATE, "l1": _L1, "l2": _L2}

    def __init__(
        self,
        learning_rate: Any,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength


class ProximalAdagradOptimizer(AdagradOptimizer):
    """Adagrad, after which every weight goes towards 0 (Duchi et al., 2009).

    Args:
        learning_rate: a number or a scalar tensor.
        initial_accumulator_value: the first sum of squares of gradients, above 0.
        l1_regularization_strength: how far; what comes to the other side of 0 is 0.
        l2_regularization_strength: divides by 1 + the rate times this.
        use_locking: handed to the op; updates are always one at a time.
        name: of the scope of the nodes, and of the slots.

    Raises:
        ValueError: initial_accumulator_value is not above 0.
    """

    _RULE = "ProximalAdagrad"
    _SETTINGS: ClassVar = {"lr": _LEARNING_RATE, "l1": _L1, "l2": _L2}

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ):
        super().__init__(learning_rate, initial_accumulator_value, use_locking, name)
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
