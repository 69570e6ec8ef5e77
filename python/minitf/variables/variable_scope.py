"""``tf.variable_scope``: what ``get_variable`` is told by the scopes around it.

``get_variable("kernel")`` in the scope "Layer" makes the variable "Layer/kernel", or
finds it again if the scope says ``reuse``. Name scopes do not matter to it: that is what
lets two replicas, each in a name scope of its own, share their variables. A variable
scope opens a name scope of the same name for ops, too.

Compare: tensorflow/python/ops/variable_scope.py.
Read next: ``contrib/legacy/template.py``.
"""

import functools
from collections.abc import Callable
from typing import Any

from minitf.eager import context
from minitf.framework.op_def_library import graph_of
from minitf.framework.scopes import name_scope
from minitf.variables.shared_variables import (
    AUTO_REUSE,
    VariableScope,
    open_scopes,
)

_INHERITED = (
    "initializer",
    "regularizer",
    "caching_device",
    "partitioner",
    "custom_getter",
    "dtype",
    "use_resource",
)


class PureScope:
    """A variable scope without its name scope.

    Entered a second time, it remembers what it was the first time, as TensorFlow's does:
    a scope below one that reuses goes on to reuse; and one that was given as an object
    stays the same object.
    """

    def __init__(self, of: Any, reuse: Any, name_scope: str | None, given: dict):
        self._of = of
        self._reuse = reuse
        self._name_scope = name_scope
        self._given = given
        self._jump = self._made_for_jump() if isinstance(of, VariableScope) else None

    def _made_for_jump(self) -> VariableScope:
        return self._scope(self._of, self._of.name, self._of.original_name_scope)

    def _scope(self, base: VariableScope, name: str, name_scope: str) -> VariableScope:
        settings = {key: getattr(base, key) for key in _INHERITED}
        settings |= self._given
        if "custom_getter" in self._given and base.custom_getter is not None:
            settings["custom_getter"] = _nested(
                self._given["custom_getter"], base.custom_getter
            )
        return VariableScope(
            self._reuse or base.reuse, name, name_scope=name_scope, **settings
        )

    def __enter__(self) -> VariableScope:
        self._open = open_scopes()
        self._former = former = self._open.scope
        if self._jump is not None:
            scope = self._jump
            self._open.opened(scope.name)
            self._counts = dict(self._open.counts)
        else:
            name = f"{former.name}/{self._of}" if former.name else self._of
            self._reuse = self._reuse or former.reuse
            scope = self._scope(
                former, name, self._of if self._name_scope is None else self._name_scope
            )
            self._open.opened(name)
        self._entered = self._open.scope = scope
        return scope

    def __exit__(self, *_: object) -> None:
        if self._open.scope is not self._entered:
            raise RuntimeError(
                "Improper nesting of variable_scope: "
                f"{self._open.scope.name!r} is open, {self._entered.name!r} is left"
            )
        if self._jump is not None:
            self._open.counts = self._counts
        else:
            self._open.forget_below(self._entered.name)
        self._open.scope = self._former


def _nested(inner: Callable, outer: Callable) -> Callable:
    def getter(original: Callable, *args: Any, **kwargs: Any) -> Any:
        return inner(functools.partial(outer, original), *args, **kwargs)

    return getter


class variable_scope:  # noqa: N801
    """Within it, names of variables start with the scope's name.

    Args:
        name_or_scope: a name, which goes below the present scope; or a VariableScope,
            which is entered again under the name it has.
        default_name: made unique and used if there is no name.
        values: tensors; variables and ops are added to the graph of the first of them.
        initializer: what variables are initialized with unless told otherwise.
        regularizer: called for each new variable; what it returns is a loss.
        caching_device: where values of variables are kept for a step. Not in eager mode.
        partitioner: cuts variables into parts (``partitioned_variables.py``).
        custom_getter: called in place of get_variable, with that as its first argument.
        reuse: True to find variables, AUTO_REUSE to find or make them; None and False as
            outside. In eager mode variables are always made.
        dtype: of variables, unless told otherwise.
        use_resource: True or None: all variables are resources.
        constraint: of variables that are made in this scope, and not in one below it.
        auxiliary_name_scope: whether to open a name scope, too.

    Raises:
        TypeError: there is no name, or it is no string.
        ValueError: ``reuse`` is none of its values, or given without a name.
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
        if name_or_scope is None and default_name is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if reuse not in (True, False, None, AUTO_REUSE):
            raise ValueError(
                f"The reuse parameter must be True or False or None, not {reuse!r}"
            )
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(
                "The auxiliary_name_scope must be `True` or `False`, while get "
                f"{auxiliary_name_scope}"
            )
        self._name_or_scope = name_or_scope
        self._default_name = default_name
        self._reuse = reuse or None
        self._auxiliary = auxiliary_name_scope
        settings = {
            "initializer": initializer,
            "regularizer": regularizer,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "custom_getter": custom_getter,
            "dtype": dtype,
            "use_resource": use_resource,
            "constraint": constraint,
        }
        self._given = {key: value for key, value in settings.items() if value is not None}
        self._graph = None if context.executing_eagerly() else graph_of(values)
        self._pure: PureScope | None = None
        self._names: Any = None
        self._graphs: list[Any] = []

    def __enter__(self) -> VariableScope:
        as_default = context.entered(self._graph) if self._graph is not None else None
        if as_default is not None:
            as_default.__enter__()
        try:
            entered = self._enter()
        except BaseException:
            if as_default is not None:
                as_default.__exit__(None, None, None)
            raise
        self._graphs.append(as_default)
        return entered

    def _enter(self) -> VariableScope:
        if self._pure is not None:
            if self._names is not None:
                self._names.__enter__()
            return self._pure.__enter__()
        of = self._name_or_scope
        if of is not None and not isinstance(of, (str, VariableScope)):
            raise TypeError(
                f"VariableScope: name_or_scope must be a string or VariableScope: {of!r}"
            )
        if of is None and self._reuse:
            raise ValueError("reuse=True cannot be used without a name_or_scope")
        names, opened = self._name_scope_of(of), None
        if names is not None:
            opened = names.__enter__()
        try:
            if of is None:
                of = open_scopes().unique(self._default_name)
            pure = PureScope(of, self._reuse, opened, self._given)
            entered = pure.__enter__()
        except BaseException:
            if names is not None:
                names.__exit__(None, None, None)
            raise
        self._pure, self._names = pure, names
        return entered

    def _name_scope_of(self, of: Any) -> name_scope | None:
        """The name scope that is opened; None for that of the scope without a name."""
        if not self._auxiliary:
            present = context.present_name_scope()
            return name_scope(f"{present}/" if present else present)
        if of is None:
            return name_scope(self._default_name)
        name = of if isinstance(of, str) else of.name.split("/")[-1]
        return name_scope(name) if name else None

    def __exit__(self, *error: object) -> None:
        try:
            self._pure.__exit__(*error)
        finally:
            if self._names is not None:
                self._names.__exit__(*error)
            as_default = self._graphs.pop()
            if as_default is not None:
                as_default.__exit__(*error)
