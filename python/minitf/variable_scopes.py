"""``tf.get_variable`` and ``tf.variable_scope``: variables that are shared by name.

``get_variable("kernel")`` in the scope "Layer" makes the variable "Layer/kernel", or
finds it again if the scope says ``reuse``. Name scopes do not matter to it: that is what
lets two replicas, each in a name scope of its own, share their variables. A variable
scope opens a name scope of the same name for ops, too.

Compare: tensorflow/python/ops/variable_scope.py. Read next: ``initializers.py``.
"""

import enum
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from minitf import context, dtypes
from minitf.collections_ import GraphKeys
from minitf.dtypes import as_dtype
from minitf.scopes import name_scope
from minitf.tensor import Tensor
from minitf.tensor_shape import as_shape
from minitf.variables import Variable


class _ReuseMode(enum.Enum):
    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE

_SETTINGS = (
    "initializer",
    "regularizer",
    "custom_getter",
    "constraint",
    "dtype",
    "use_resource",
    "caching_device",
    "partitioner",
)


class VariableScope:
    """What ``get_variable`` needs to know of the scopes around it.

    Attributes:
        name: the prefix of variable names, without a slash at its end.
        original_name_scope: the name scope that was opened with it, with a slash.
        reuse: True, False or AUTO_REUSE.
    """

    def __init__(
        self, name: str, reuse: Any = False, name_scope: str = "", **settings: Any
    ):
        self.name = name
        self.reuse = reuse
        self.original_name_scope = name_scope
        self.initializer: Any = None
        self.regularizer: Any = None
        self.custom_getter: Any = None
        self.constraint: Any = None
        self.dtype: Any = dtypes.float32
        self.use_resource = True
        self.caching_device: Any = None
        self.partitioner: Any = None
        vars(self).update(settings)

    def reuse_variables(self) -> None:
        """From now on variables are found, not made."""
        self.reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Sets what variables are initialized with unless told otherwise."""
        self.initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        """Sets the regularizer of new variables."""
        self.regularizer = regularizer

    def global_variables(self) -> list[Variable]:
        """The global variables below this scope."""
        return self._in_collection(GraphKeys.GLOBAL_VARIABLES)

    def trainable_variables(self) -> list[Variable]:
        """The trainable variables below this scope."""
        return self._in_collection(GraphKeys.TRAINABLE_VARIABLES)

    def _in_collection(self, key: str) -> list[Variable]:
        prefix = self.name + "/" if self.name else ""
        items = context.get_default_graph().get_collection(key)
        return [variable for variable in items if variable.name.startswith(prefix)]

    def _settings(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _SETTINGS}


class _Store:
    """The variables of one graph, and how often each scope was opened."""

    def __init__(self):
        self.variables: dict[str, Variable] = {}
        self.counts: dict[str, int] = {}
        self.scope = VariableScope("")


_eager_store = _Store()


def _store() -> _Store:
    if context.executing_eagerly():
        return _eager_store
    graph = context.get_default_graph()
    if graph._variable_store is None:
        graph._variable_store = _Store()
    return graph._variable_store


def get_variable_scope() -> VariableScope:
    """The innermost scope that is open."""
    return _store().scope


# ---- Opening scopes --------------------------------------------------------------------


class variable_scope:  # noqa: N801
    """Within it, names of variables start with the scope's name.

    Args:
        name_or_scope: a name, which goes below the present scope; or a VariableScope,
            which is entered again under the name it has.
        default_name: made unique and used if there is no name.
        values: accepted; tensors say themselves to which graph they belong.
        initializer: what variables are initialized with unless told otherwise.
        regularizer: called for each new variable; what it returns is a loss.
        caching_device: accepted, and not used.
        partitioner: accepted, and not used.
        custom_getter: called in place of get_variable, with that as its first argument.
        reuse: True to find variables, AUTO_REUSE to find or make them; None as outside.
        dtype: of variables, unless told otherwise.
        use_resource: accepted: all variables are resources.
        constraint: of new variables.
        auxiliary_name_scope: whether to open a name scope, too.
    """

    def __init__(
        self,
        name_or_scope: Any,
        default_name: str | None = None,
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        reuse: Any = None,
        dtype: Any = None,
        use_resource: bool | None = None,
        constraint: Any = None,
        auxiliary_name_scope: bool = True,
    ):
        del values
        if name_or_scope is None and default_name is None:
            raise TypeError("If name_or_scope is None, default_name is required")
        if name_or_scope is not None and not isinstance(
            name_or_scope, (str, VariableScope)
        ):
            raise TypeError(
                "VariableScope: name_or_scope must be a string or VariableScope, "
                f"not {name_or_scope!r}"
            )
        if default_name is not None and name_or_scope is None and reuse is True:
            raise ValueError("reuse=True cannot be used without a name_or_scope")
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(
                "The auxiliary_name_scope must be `True` or `False`, while get "
                f"{auxiliary_name_scope}"
            )
        self._name_or_scope = name_or_scope
        self._default_name = default_name
        self._reuse = reuse
        self._auxiliary = auxiliary_name_scope
        self._given = {
            name: value
            for name, value in {
                "initializer": initializer,
                "regularizer": regularizer,
                "caching_device": caching_device,
                "partitioner": partitioner,
                "custom_getter": custom_getter,
                "dtype": dtype,
                "use_resource": use_resource,
                "constraint": constraint,
            }.items()
            if value is not None
        }
        self._entered: list[Any] = []

    def __enter__(self) -> VariableScope:
        manager = self._open()
        scope = manager.__enter__()
        self._entered.append(manager)
        return scope

    def __exit__(self, *error: object) -> None:
        self._entered.pop().__exit__(*error)

    @contextmanager
    def _open(self) -> Iterator[VariableScope]:
        store = _store()
        former = store.scope
        if isinstance(self._name_or_scope, VariableScope):
            base, name = self._name_or_scope, self._name_or_scope.name
            name_scope_name = name.split("/")[-1] if name else ""
        else:
            base = former
            short = name_scope_name = self._name_or_scope
            if short is None:
                name_scope_name = self._default_name
                short = _unique_name(store, former.name, self._default_name)
            name = (
                f"{former.name}/{short}" if former.name and short else former.name + short
            )
        scope = VariableScope(
            name,
            self._inherited_reuse(base, former),
            **{**base._settings(), **self._given},
        )
        if "custom_getter" in self._given and former.custom_getter is not None:
            scope.custom_getter = _nested_getters(
                self._given["custom_getter"], former.custom_getter
            )
        if "dtype" in self._given:
            scope.dtype = as_dtype(self._given["dtype"])
        store.counts[name] = store.counts.get(name, 0) + 1
        is_entered_again = isinstance(self._name_or_scope, VariableScope)
        saved_counts = dict(store.counts)
        store.scope = scope
        try:
            with self._name_scope(name_scope_name) as opened:
                scope.original_name_scope = opened
                if is_entered_again:
                    scope.original_name_scope = self._name_or_scope.original_name_scope
                yield scope
        finally:
            # Opened again, the scope counts the scopes in it from the start.
            for key in store.counts:
                if key.startswith(name + "/"):
                    store.counts[key] = (
                        saved_counts.get(key, 0) if is_entered_again else 0
                    )
            store.scope = former

    def _inherited_reuse(self, base: VariableScope, former: VariableScope) -> Any:
        if self._reuse is None:
            return former.reuse or base.reuse
        return (
            former.reuse if self._reuse is False and former.reuse is True else self._reuse
        )

    def _name_scope(self, name: str) -> Any:
        if not self._auxiliary or not name:
            graph = context.get_default_graph()
            return _same_name_scope(graph.get_name_scope())
        return name_scope(name)


@contextmanager
def _same_name_scope(name: str) -> Iterator[str]:
    yield name + "/" if name else ""


def _unique_name(store: _Store, prefix: str, name: str) -> str:
    """``name``, with a number if a scope of that name was opened before in ``prefix``."""
    full = f"{prefix}/{name}" if prefix else name
    if not store.counts.get(full):
        return name
    number = 1
    while store.counts.get(f"{full}_{number}"):
        number += 1
    return f"{name}_{number}"


def _nested_getters(inner: Callable, outer: Callable) -> Callable:
    def getter(original: Callable, *args: Any, **kwargs: Any) -> Any:
        def outer_first(*more: Any, **options: Any) -> Any:
            return outer(original, *more, **options)

        return inner(outer_first, *args, **kwargs)

    return getter


def variable_op_scope(
    values: Any, name_or_scope: Any, default_name: str | None = None, **options: Any
) -> Any:
    """A former form of ``variable_scope``."""
    return variable_scope(name_or_scope, default_name, values, **options)


# ---- Getting variables -----------------------------------------------------------------


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Variable:
    """The variable of that name in the present scope, found or made as the scope says.

    Args:
        name: below the present variable scope.
        shape: of the value; not needed if the initializer is a tensor.
        dtype: of the value.
        initializer: a function of shape and dtype, a tensor, or an array. If None, that
            of the scope, or glorot_uniform for floating-point numbers and zeros for
            others.
        regularizer: a function of the new variable that gives a loss, or None.
        trainable: whether optimizers change it.
        collections: the collections it goes into.
        caching_device: accepted, and not used.
        partitioner: accepted, and not used.
        validate_shape: whether the shape must be known.
        use_resource: accepted: all variables are resources.
        custom_getter: called with the function that would be called, and its arguments.
        constraint: a function that optimizers apply to the new value.
        synchronization: accepted: there is one copy.
        aggregation: the same.

    Raises:
        ValueError: the variable exists and is not to be reused, or does not exist and is
            to be; or shape or dtype differ from what they were.
    """
    del caching_device, partitioner, use_resource, synchronization, aggregation
    scope = get_variable_scope()
    arguments = {
        "name": f"{scope.name}/{name}" if scope.name else name,
        "shape": shape,
        "dtype": as_dtype(scope.dtype if dtype is None else dtype),
        "initializer": scope.initializer if initializer is None else initializer,
        "regularizer": scope.regularizer if regularizer is None else regularizer,
        "trainable": trainable,
        "collections": collections,
        "validate_shape": validate_shape,
        "constraint": scope.constraint if constraint is None else constraint,
        "reuse": scope.reuse,
    }
    getter = custom_getter or scope.custom_getter
    if custom_getter is not None and scope.custom_getter is not None:
        getter = _nested_getters(custom_getter, scope.custom_getter)
    if dtype is None and isinstance(initializer, (Tensor, Variable)):
        arguments["dtype"] = initializer.dtype
    return getter(_find_or_make, **arguments) if getter else _find_or_make(**arguments)


def get_local_variable(name: str, *args: Any, **kwargs: Any) -> Variable:
    """As ``get_variable``, for one that is neither saved nor trained."""
    kwargs["trainable"] = False
    kwargs["collections"] = [
        *(kwargs.get("collections") or []),
        GraphKeys.LOCAL_VARIABLES,
    ]
    return get_variable(name, *args, **kwargs)


def _find_or_make(
    name: str,
    shape: Any = None,
    dtype: Any = dtypes.float32,
    initializer: Any = None,
    reuse: Any = None,
    **options: Any,
) -> Variable:
    if context.executing_eagerly():
        # Eager variables are objects, shared by whoever holds them, and go with them.
        return _make(name, shape, as_dtype(dtype), initializer, options)
    store = _store()
    found = store.variables.get(name)
    if found is not None:
        return _reused(found, name, shape, as_dtype(dtype), reuse)
    if reuse is True:
        raise ValueError(
            f"Variable {name} does not exist, or was not created with tf.get_variable(). "
            "Did you mean to set reuse=tf.AUTO_REUSE in VarScope?"
        )
    variable = _make(name, shape, as_dtype(dtype), initializer, options)
    store.variables[name] = variable
    return variable


def _reused(found: Variable, name: str, shape: Any, dtype: Any, reuse: Any) -> Variable:
    if not reuse:
        origin = found.op.origin if found.graph is not None else ""
        defined = f" Originally defined at:\n\n  {origin}" if origin else ""
        raise ValueError(
            f"Variable {name} already exists, disallowed. Did you mean to set reuse=True "
            f"or reuse=tf.AUTO_REUSE in VarScope?{defined}"
        )
    if shape is not None and not as_shape(shape).is_compatible_with(found.shape):
        raise ValueError(
            f"Trying to share variable {name}, but specified shape "
            f"{as_shape(shape)} and found shape {found.shape}."
        )
    if dtype is not found.dtype:
        raise ValueError(
            f"Trying to share variable {name}, but specified dtype {dtype.name} "
            f"and found dtype {found.dtype.name}."
        )
    return found


def _default_initializer(name: str, dtype: Any) -> Any:
    from minitf import initializers

    if dtype.is_floating:
        return initializers.glorot_uniform_initializer()
    if dtype.is_integer or dtype.is_bool or dtype is dtypes.string:
        return initializers.zeros_initializer()
    raise ValueError(f"An initializer for variable {name} of {dtype!r} is required")


def _make(name: str, shape: Any, dtype: Any, initializer: Any, options: dict) -> Variable:
    if initializer is None:
        initializer = _default_initializer(name, dtype)
    if isinstance(initializer, type):
        initializer = initializer()
    if callable(initializer):
        known = as_shape(shape)
        if not known.is_fully_defined():
            raise ValueError(
                f"Shape of a new variable ({name}) must be fully defined, but "
                f"instead was {known}."
            )
        make = initializer

        def initial_value() -> Any:
            return make(known.as_list(), dtype=dtype)
    else:
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        initial_value = initializer
    regularizer = options.pop("regularizer", None)
    # The name is the variable scope's, whatever name scope is open.
    scope = context.get_default_graph()
    with scope.name_scope(None):
        variable = Variable(initial_value, name=name, dtype=dtype, **options)
        if regularizer is not None:
            _add_regularizer(regularizer, variable, name)
    return variable


def _add_regularizer(regularizer: Callable, variable: Variable, name: str) -> None:
    with name_scope(f"{name}/Regularizer/"):
        loss = regularizer(variable)
    if loss is not None and variable.graph is not None:
        variable.graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)


def no_regularizer(_: Any) -> None:
    """A regularizer that gives no loss."""
