"""Functions on variables: lists of them, their initializers, and changes of their values.

Compare: tensorflow/python/ops/state_ops.py, variables.py. Read next:
``variable_scope.py``.
"""

from typing import Any

from minitf.eager import context
from minitf.framework.collections_ import GraphKeys, get_collection
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import group, name_scope, no_op
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, slicing
from minitf.util.arguments import require_variable
from minitf.variables.variables import Variable

# ---- Lists of variables -----------------------------------------------------------


def global_variables(scope: str | None = None) -> list[Variable]:
    """The variables that all devices share, in the order in which they were made."""
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def local_variables(scope: str | None = None) -> list[Variable]:
    """The variables of this process, which are not saved."""
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def trainable_variables(scope: str | None = None) -> list[Variable]:
    """The variables that optimizers change, in the order in which they were made."""
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Variable]:
    """The variables that a model needs for its results."""
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list[Variable]:
    """The variables that have a moving average."""
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def variables_initializer(var_list: Any, name: str = "init") -> Any:
    """A node that gives all variables of a list their initial values."""
    if var_list and not context.executing_eagerly():
        return group(
            *[
                require_variable(variable, "tf.variables_initializer").initializer
                for variable in var_list
            ],
            name=name,
        )
    return no_op(name)


def global_variables_initializer() -> Any:
    """A node that gives all global variables their initial values."""
    if context.executing_eagerly():
        return no_op("global_variables_initializer")
    return variables_initializer(global_variables())


def local_variables_initializer() -> Any:
    """A node that gives all local variables their initial values."""
    if context.executing_eagerly():
        return no_op("local_variables_initializer")
    return variables_initializer(local_variables())


def report_uninitialized_variables(
    var_list: Any = None, name: str = "report_uninitialized_variables"
) -> Tensor:
    """A tensor with the names of the variables that have no value yet."""
    if var_list is None:
        var_list = global_variables() + local_variables()
    with name_scope(name):
        if not var_list:
            return array_ops.zeros([0], "string")
        missing = call(
            "LogicalNot",
            [array_ops.stack([is_variable_initialized(v) for v in var_list])],
        )
        names = convert_to_tensor([variable.op.name for variable in var_list])
        return slicing.boolean_mask(names, missing)


def assert_variables_initialized(var_list: Any = None) -> Any:
    """A node that fails unless all variables have a value.

    Args:
        var_list: global and local variables if None.

    Returns:
        The Operation; None if there are no variables.

    Raises:
        errors.FailedPreconditionError: in the step.
    """
    if var_list is None:
        var_list = global_variables() + local_variables()
    if not var_list:
        return None
    # Reading fails if there is no value.
    return group(*(variable.read_value() for variable in var_list))


def is_variable_initialized(variable: Variable) -> Tensor:
    """Whether the variable has a value, as a tensor."""
    return require_variable(variable, "tf.is_variable_initialized").is_initialized()


def uncached(value: Any) -> Any:
    """Returns a new read of a variable that has a caching device, else ``value``.

    The copy on the caching device may be older than the last change of the variable.
    """
    if isinstance(value, Variable) and value._cached_value is not None:
        return value._read()
    return value


# ---- Functions on variables ------------------------------------------------------------


def assign(
    ref: Variable,
    value: Any,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Any:
    """Sets the value of a variable; see ``Variable.assign``.

    With ``validate_shape=False`` a variable of a graph takes a value of any shape. Its
    static shape stays as it is; the result has the static shape of ``value``.
    """
    variable = require_variable(ref, "tf.assign")
    if validate_shape in (None, True) or variable.graph is None:
        return variable.assign(value, use_locking, name)
    return variable._assign_any_shape(value, name)


def assign_add(
    ref: Variable, value: Any, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """Adds to the value of a variable."""
    variable = require_variable(ref, "tf.assign_add")
    return variable.assign_add(value, use_locking, name)


def assign_sub(
    ref: Variable, value: Any, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """Subtracts from the value of a variable."""
    variable = require_variable(ref, "tf.assign_sub")
    return variable.assign_sub(value, use_locking, name)


def count_up_to(ref: Variable, limit: int, name: str | None = None) -> Tensor:
    """The value of a scalar variable, which is then one more.

    Fails with OutOfRangeError once the value is ``limit``.
    """
    require_variable(ref, "tf.count_up_to")
    attrs = {"limit": limit, "T": ref.dtype}
    return call("ResourceCountUpTo", [ref.handle], attrs, name)


def _scatter(kind: str, locks: bool = False) -> Any:
    def scatter(
        ref: Variable,
        indices: Any,
        updates: Any,
        use_locking: bool = locks,
        name: str | None = None,
    ) -> Any:
        del use_locking  # minitf locks always
        require_variable(ref, f"tf.{scatter.__name__}")
        return ref._scattered(kind.capitalize(), indices, updates, name)

    scatter.__name__ = scatter.__qualname__ = f"scatter_{kind}"
    scatter.__doc__ = (
        f"The op ResourceScatter{kind.capitalize()}: changes the slices of a variable at "
        "``indices``. Returns as ``Variable.assign`` does."
    )
    return scatter


scatter_update = _scatter("update", locks=True)
scatter_add = _scatter("add")
scatter_sub = _scatter("sub")
scatter_mul = _scatter("mul")
scatter_div = _scatter("div")
scatter_min = _scatter("min")
scatter_max = _scatter("max")
