"""The variables of a graph by name, and how one is made when it is asked for.

Compare: tensorflow/python/ops/variable_scope.py, _VariableStore. Read next:
``partitioned_variables.py``.
"""

import enum
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from minitf.eager import context
from minitf.framework import dtypes
from minitf.framework.collections_ import GraphKeys
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.dtypes import as_dtype
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import as_shape
from minitf.variables import init_ops
from minitf.variables.partitioned_variables import PartitionedVariable, cut, partitions_of
from minitf.variables.variables import Variable


class _ReuseMode(enum.Enum):
    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE


class VariableStore:
    """Variables by name.

    Args:
        keeps_eager: whether variables of eager mode are kept, too. Otherwise they are
            objects that live as long as the program holds them; each call makes new ones.
    """

    def __init__(self, keeps_eager: bool = False):
        self.keeps_eager = keeps_eager
        self.variables: dict[str, Variable] = {}
        self._partitioned: dict[str, PartitionedVariable] = {}

    def get_variable(
        self, name: str, custom_getter: Any = None, constraint: Any = None, **options: Any
    ) -> Any:
        """The variable ``name``, from ``custom_getter`` if there is one.

        Raises:
            ValueError: custom_getter cannot be called; or see ``tf.get_variable``.
        """
        if context.executing_eagerly():
            options["reuse"] = self.keeps_eager and AUTO_REUSE
        options["dtype"] = as_dtype(options["dtype"])
        if custom_getter is None:
            return self._get(name, constraint=constraint, **options)
        if not callable(custom_getter):
            raise ValueError(
                f"Passed a custom_getter which is not callable: {custom_getter}"
            )
        if _takes(custom_getter, "constraint"):
            options["constraint"] = constraint
        return custom_getter(self._get, name=name, **options)

    def _get(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        initializer: Any = None,
        reuse: Any = None,
        partitioner: Any = None,
        **options: Any,
    ) -> Any:
        """What custom getters call: the variable of just this name."""
        dtype = as_dtype(dtype)
        is_scalar = isinstance(shape, (list, tuple)) and not shape
        options = {"initializer": initializer, "reuse": reuse, **options}
        found_again = reuse is True and partitioner is None and name in self._partitioned
        if found_again or (partitioner is not None and not is_scalar):
            with name_scope(None):
                return self._get_partitioned(name, shape, dtype, partitioner, **options)
        if f"{name}/part_0" in self.variables:
            raise ValueError(
                "No partitioner was provided, but a partitioned version of the variable "
                f"was found: {name}/part_0"
            )
        return self._get_single(name, shape, dtype, **options)

    # ---- One variable ------------------------------------------------------------------

    def _get_single(
        self,
        name: str,
        shape: Any,
        dtype: Any,
        initializer: Any = None,
        reuse: Any = None,
        regularizer: Any = None,
        part: Any = None,
        **options: Any,
    ) -> Variable:
        """The variable ``name``, found or made; ``_reused`` says which may be found.

        Raises:
            ValueError: reuse is True, and there is none; or there is a shape besides an
                initializer that is a value.
        """
        is_value = initializer is not None and not callable(initializer)
        if shape is not None and is_value:
            raise ValueError(
                f"variable {name}: If initializer is a constant, do not specify shape."
            )
        # TODO(06.2) begin: return one that is there, or refuse to make one
        raise NotImplementedError("task 06.2 is not written yet")
        # TODO(06.2) end
        if initializer is None:
            initializer = _default_initializer(name, dtype)
        if is_value:
            initial_value, dtype = initializer, None
        else:
            initial_value, dtype = _first_value(name, shape, dtype, initializer, part)
        if not is_value and as_shape(shape).is_fully_defined():
            options["shape"] = shape if options.get("validate_shape", True) else None
        variable = Variable(initial_value, name=name, dtype=dtype, **options)
        if self.keeps_eager or not context.executing_eagerly():
            self.variables[name] = variable
        if regularizer is not None:
            _add_regularizer(regularizer, variable, name)
        return variable

    # ---- One in parts ------------------------------------------------------------------

    def _get_partitioned(
        self,
        name: str,
        shape: Any,
        dtype: Any,
        partitioner: Any,
        initializer: Any = None,
        reuse: Any = None,
        **options: Any,
    ) -> PartitionedVariable:
        if name in self.variables:
            raise ValueError(
                "A partitioner was provided, but an unpartitioned version of the "
                f"variable was found: {name}"
            )
        shape = as_shape(shape)
        if isinstance(initializer, Tensor):
            shape = shape.merge_with(initializer.shape)
        partitions = None
        if partitioner is not None:
            partitions = partitions_of(name, partitioner, shape, dtype)
        found = self._partitioned.get(name)
        if found is not None:
            return _reused_in_parts(found, name, shape, dtype, partitions, reuse)
        if reuse is True:
            raise ValueError(
                f"PartitionedVariable {name} does not exist, or was not created with "
                "tf.get_variable(). Did you mean to set reuse=tf.AUTO_REUSE in VarScope?"
            )
        parts = []
        for i, part in enumerate(cut(shape.as_list(), partitions)):
            part_name = f"{name}/part_{i}"
            first, part_shape = initializer, part.var_shape
            if initializer is not None and not callable(initializer):
                with name_scope(f"{part_name}/PartitionedInitializer"):
                    value = convert_to_tensor(initializer, dtype)
                    first, part_shape = part.slice_of(value), None
            variable = self._get_single(
                part_name, part_shape, dtype, first, reuse, part=part, **options
            )
            variable._save_slice_info = part.named(name)
            parts.append(variable)
        made = PartitionedVariable(name, shape, dtype, parts, partitions)
        if not context.executing_eagerly():
            self._partitioned[name] = made
        return made


# ---- What is found ---------------------------------------------------------------------


def _reused(found: Variable, name: str, shape: Any, dtype: Any, reuse: Any) -> Variable:
    """``found``, if it may be used again.

    Raises:
        ValueError: ``reuse`` is False; or ``_require_same``.
    """
    origin = found.op.origin if found.graph is not None else ""
    defined = f" Originally defined at:\n\n  {origin}" if origin else ""
    # TODO(06.2) begin: refuse unless it may be reused; then it must be what is asked for
    raise NotImplementedError("task 06.2 is not written yet")
    # TODO(06.2) end


def _reused_in_parts(
    found: PartitionedVariable,
    name: str,
    shape: Any,
    dtype: Any,
    partitions: Any,
    reuse: Any,
) -> PartitionedVariable:
    if reuse is False:
        raise ValueError(
            f"Partitioned variable with name {name} already exists. Did you mean to set "
            "reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
        )
    _require_same("partitioned variable", found, name, shape, dtype)
    if partitions is not None and partitions != found.partitions:
        raise ValueError(
            f"Trying to reuse partitioned variable {name}, but specified partitions "
            f"{partitions} and found partitions {found.partitions}."
        )
    return found


def _require_same(kind: str, found: Any, name: str, shape: Any, dtype: Any) -> None:
    """Raises ValueError if shape or dtype are not those of ``found``.

    The message has ``kind``, such as "variable", the name, what was given, and what there
    is, in this order. A shape need not be known as a whole: None is any shape, and a size
    that is None is any size.
    """
    # TODO(06.2) begin: compare the shapes, then the types
    raise NotImplementedError("task 06.2 is not written yet")
    # TODO(06.2) end


# ---- What is made ----------------------------------------------------------------------


def _takes(function: Callable, argument: str) -> bool:
    """Whether ``function`` may be called with ``argument`` as a keyword."""
    parameters = inspect.signature(function).parameters.values()
    return any(
        parameter.name == argument or parameter.kind is parameter.VAR_KEYWORD
        for parameter in parameters
    )


def _default_initializer(name: str, dtype: Any) -> Any:
    # TODO(06.3) begin: the initializer by the kind of the type
    raise NotImplementedError("task 06.3 is not written yet")
    # TODO(06.3) end


def _first_value(
    name: str, shape: Any, dtype: Any, initializer: Any, part: Any
) -> tuple[Callable, Any]:
    """A function that makes the initial value, and the type that it must have or None."""
    if inspect.isclass(initializer):
        initializer = initializer()
    # TODO(06.3) begin: a function of no arguments; refuse an unknown shape
    raise NotImplementedError("task 06.3 is not written yet")
    # TODO(06.3) end


def _needs_no_arguments(function: Callable) -> bool:
    parameters = inspect.signature(function).parameters.values()
    return all(
        parameter.default is not parameter.empty
        or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        for parameter in parameters
    )


def _add_regularizer(regularizer: Callable, variable: Variable, name: str) -> None:
    with name_scope(f"{name}/Regularizer/"):
        loss = regularizer(variable)
    if loss is not None and variable.graph is not None:
        variable.graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)


def no_regularizer(_: Any) -> None:
    """A regularizer that gives no loss."""
