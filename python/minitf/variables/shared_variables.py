"""``tf.get_variable``: variables that are shared by name, as the open scope says.

Every graph has a store of its variables (``variable_store.py``). Which variable scope is
open, and how often each was opened, is known for each thread of each graph.

Compare: tensorflow/python/ops/variable_scope.py. Read next: ``variable_scope.py``.
"""

import threading
from typing import Any

from minitf.eager import context
from minitf.framework import dtypes
from minitf.framework.collections_ import GraphKeys
from minitf.framework.constant_op import make_array
from minitf.framework.dtypes import as_dtype
from minitf.framework.scopes import name_scope
from minitf.util.arguments import require
from minitf.variables.variable_store import AUTO_REUSE, VariableStore
from minitf.variables.variables import Variable, require_resources


class VariableScope:
    """What ``get_variable`` needs to know of the scopes around it.

    Attributes:
        name: the prefix of variable names, without a slash at its end.
        original_name_scope: the name scope that was opened with it, with a slash.
        reuse: True, False or AUTO_REUSE; in eager mode always AUTO_REUSE.
        initializer, regularizer, caching_device, partitioner, custom_getter, dtype,
            use_resource, constraint: for variables that are not told otherwise.

    Raises:
        NotImplementedError: a caching device in eager mode.
        ValueError: use_resource is False; all variables are resources.
    """

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        name_scope: str = "",
        dtype: Any = dtypes.float32,
        use_resource: bool | None = None,
        constraint: Any = None,
    ):
        self.name = name
        self.reuse = AUTO_REUSE if context.executing_eagerly() else reuse
        self.original_name_scope = name_scope
        self.initializer = initializer
        self.regularizer = regularizer
        self.partitioner = partitioner
        self.custom_getter = custom_getter
        self.constraint = constraint
        self.dtype = None if dtype is None else as_dtype(dtype)
        self.set_caching_device(caching_device)
        self.set_use_resource(use_resource)

    def reuse_variables(self) -> None:
        """From now on variables are found, not made."""
        self.reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Sets what variables are initialized with unless told otherwise."""
        self.initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        """Sets the regularizer of new variables."""
        self.regularizer = regularizer

    def set_dtype(self, dtype: Any) -> None:
        """Sets the type of new variables."""
        self.dtype = as_dtype(dtype)

    def set_use_resource(self, use_resource: bool | None) -> None:
        """Takes True and None: all variables are resources. ValueError for False."""
        require_resources(use_resource)
        self.use_resource = use_resource

    def set_caching_device(self, caching_device: Any) -> None:
        """Sets the device on which values of new variables are kept for a step."""
        if caching_device is not None and context.executing_eagerly():
            raise NotImplementedError(
                "Caching devices are not supported when eager execution is enabled: "
                f"{caching_device!r}"
            )
        self.caching_device = caching_device

    def set_partitioner(self, partitioner: Any) -> None:
        """Sets the function that cuts new variables into parts."""
        self.partitioner = partitioner

    def set_custom_getter(self, custom_getter: Any) -> None:
        """Sets what is called in place of get_variable."""
        self.custom_getter = custom_getter

    def get_collection(self, name: str) -> list[Any]:
        """What a collection of the graph holds below this scope."""
        prefix = self.name + "/" if self.name else ""
        return context.get_default_graph().get_collection(name, prefix)

    def global_variables(self) -> list[Variable]:
        """The global variables below this scope."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list[Variable]:
        """The local variables below this scope."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def trainable_variables(self) -> list[Variable]:
        """The trainable variables below this scope."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def get_variable(
        self, store: VariableStore, name: str, dtype: Any = None, **options: Any
    ) -> Any:
        """The variable ``name`` of ``store`` below this scope; see ``get_variable``."""
        require(store, "get_variable", "get_variable of a scope", "a store of variables")
        for setting in ("regularizer", "caching_device", "partitioner", "custom_getter"):
            if options.get(setting) is None:
                options[setting] = getattr(self, setting)
        if options.get("use_resource") is None:
            options["use_resource"] = self.use_resource
        if options.get("reuse") is None:
            options["reuse"] = self.reuse
        full_name = f"{self.name}/{name}" if self.name and name is not None else name
        full_name = self.name if full_name is None else full_name
        _require_one_type(full_name, options.get("initializer"), dtype)
        # The name is the variable scope's, whatever name scope is open.
        with name_scope(None):
            for setting in ("initializer", "constraint"):
                if options.get(setting) is None:
                    options[setting] = getattr(self, setting)
            return store.get_variable(
                full_name, dtype=self.dtype if dtype is None else dtype, **options
            )


def _require_one_type(name: str, initializer: Any, dtype: Any) -> None:
    """Raises ValueError if the initializer is a value of another type than ``dtype``."""
    if dtype is None or initializer is None or callable(initializer):
        return
    own = getattr(initializer, "dtype", None)
    own = as_dtype(make_array(initializer).dtype if own is None else own)
    if own is not as_dtype(dtype):
        raise ValueError(
            f"variable {name}: Initializer type '{own}' and explicit dtype "
            f"'{as_dtype(dtype)}' don't match."
        )


# ---- Which scope is open ---------------------------------------------------------------


class _OpenScopes(threading.local):
    """Of one graph, for each thread: the open scope, and how often each was opened."""

    def __init__(self) -> None:
        self.scope = VariableScope(False)
        self.counts: dict[str, int] = {}

    def opened(self, name: str) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1

    def forget_below(self, name: str) -> None:
        """Numbers of scopes below ``name`` start anew when it is opened again."""
        for key in self.counts:
            if key.startswith(f"{name}/"):
                self.counts[key] = 0

    def unique(self, name: str) -> str:
        """``name``, with a number if such a scope was opened before in this one."""
        prefix = f"{self.scope.name}/" if self.scope.name else ""
        if not self.counts.get(prefix + name):
            return name
        number = 1
        while self.counts.get(f"{prefix}{name}_{number}"):
            number += 1
        return f"{name}_{number}"


class _VariablesOfGraph:
    def __init__(self) -> None:
        self.store = VariableStore()
        self.open = _OpenScopes()


_creation = threading.Lock()


def _of_graph() -> _VariablesOfGraph:
    graph = context.get_default_graph()
    if graph._variable_store is None:
        with _creation:
            if graph._variable_store is None:
                graph._variable_store = _VariablesOfGraph()
    return graph._variable_store


def default_store() -> VariableStore:
    """The variables of the default graph, by name."""
    return _of_graph().store


class with_store:  # noqa: N801
    """Within it, get_variable finds and makes variables in ``store``."""

    def __init__(self, store: VariableStore):
        self._store = store

    def __enter__(self) -> None:
        self._of_graph = _of_graph()
        self._former, self._of_graph.store = self._of_graph.store, self._store

    def __exit__(self, *_: object) -> None:
        self._of_graph.store = self._former


def open_scopes() -> _OpenScopes:
    """The scopes that this thread has opened in the default graph."""
    return _of_graph().open


def get_variable_scope() -> VariableScope:
    """The innermost scope that this thread has open."""
    return open_scopes().scope


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
) -> Any:
    """The variable of that name in the present scope, found or made as the scope says.

    Args:
        name: below the present variable scope.
        shape: of the value; not needed if the initializer is a tensor.
        dtype: of the value.
        initializer: a function of shape and dtype, a function without arguments, a
            tensor, or an array. If None, that of the scope, or glorot_uniform for
            floating-point numbers and zeros for others.
        regularizer: a function of the new variable that gives a loss, or None.
        trainable: whether optimizers change it.
        collections: the collections it goes into.
        caching_device: where the value is kept for a step; see ``tf.Variable``.
        partitioner: a function of shape and dtype that says into how many parts each axis
            is cut; the result is a PartitionedVariable then.
        validate_shape: whether the shape must be known.
        use_resource: True or None: all variables are resources.
        custom_getter: called with the function that would be called, and its arguments.
        constraint: a function that optimizers apply to the new value.
        synchronization: a VariableSynchronization; ON_READ is not trained unless told.
        aggregation: a VariableAggregation. There is one copy, so nothing is added up.

    Raises:
        ValueError: the variable exists and is not to be reused, or does not exist and is
            to be; or shape or dtype differ from what they were.
    """
    of_graph = _of_graph()
    return of_graph.open.scope.get_variable(
        of_graph.store,
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=collections,
        caching_device=caching_device,
        partitioner=partitioner,
        validate_shape=validate_shape,
        use_resource=use_resource,
        custom_getter=custom_getter,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def get_local_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = False,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Any:
    """As ``get_variable``, for one that is neither saved nor trained.

    Raises:
        ValueError: it is to be trained; or see ``get_variable``.
    """
    if trainable:
        raise ValueError(f"variable {name}: a local variable is not trained")
    return get_variable(
        name,
        shape,
        dtype,
        initializer,
        regularizer,
        False,
        [*(collections or []), GraphKeys.LOCAL_VARIABLES],
        caching_device,
        partitioner,
        validate_shape,
        use_resource,
        custom_getter,
        constraint,
        synchronization,
        aggregation,
    )
