"""``tf.make_template``: a function whose variables are made once and then shared.

The first call makes the function's variables in a variable scope of their own. Further
calls open that scope again with ``reuse``, so that they find them.

Compare: tensorflow/python/ops/template.py. Read next: ``variables/init_ops.py``.
"""

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

from minitf.eager import context
from minitf.framework.collections_ import GraphKeys, get_collection
from minitf.variables.shared_variables import (
    AUTO_REUSE,
    VariableScope,
    default_store,
    open_scopes,
    with_store,
)
from minitf.variables.variable_scope import PureScope, variable_scope
from minitf.variables.variable_store import VariableStore
from minitf.variables.variables import Variable


class Template:
    """A function with a variable scope of its own; see ``make_template``.

    In eager mode, where variables belong to no graph, the template keeps its own; those
    that are made within another template belong to the outer one, too.

    Attributes:
        name: the name that was given.
    """

    def __init__(
        self,
        name: str,
        function: Callable,
        create_scope_now: bool,
        unique_name: str | None,
        custom_getter: Any,
    ):
        self.name = name
        self._function = function
        self._scope: VariableScope | None = None
        self._was_called = False
        self._custom_getter = custom_getter
        self._unique_name = unique_name
        self._store = None
        if context.executing_eagerly():
            outer = default_store()
            self._store = outer if outer.keeps_eager else VariableStore(keeps_eager=True)
        if create_scope_now:
            # The name scope of a call is opened by the call.
            name = unique_name or open_scopes().unique(name)
            given = {} if custom_getter is None else {"custom_getter": custom_getter}
            with PureScope(name, None, None, given) as self._scope:
                pass

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function returns.

        Raises:
            ValueError: a call that is not the first makes a trainable variable.
        """
        if self._scope is None:
            scope = variable_scope(
                self._unique_name, self.name, custom_getter=self._custom_getter
            )
        elif self._store is not None:
            scope = variable_scope(self._scope, reuse=AUTO_REUSE)
        else:
            scope = variable_scope(self._scope, reuse=self._was_called)
        with scope as opened:
            self._scope = self._scope or opened
            with nullcontext() if self._store is None else with_store(self._store):
                return self._call(args, kwargs)

    def _call(self, args: Any, kwargs: Any) -> Any:
        known = self._all(GraphKeys.TRAINABLE_VARIABLES)
        result = self._function(*args, **kwargs)
        made = self._all(GraphKeys.TRAINABLE_VARIABLES)[len(known) :]
        if made and self._was_called:
            raise ValueError(
                "Trainable variable created when calling a template after the first "
                "time, perhaps you used tf.Variable when you meant tf.get_variable: "
                f"{self.name!r}, {[variable.name for variable in made]}"
            )
        self._was_called = True
        return result

    def _all(self, key: str) -> list[Variable]:
        """The variables of a collection: of the graph, or of the eager store."""
        if self._store is None:
            return get_collection(key)
        if key == GraphKeys.LOCAL_VARIABLES:
            return []
        trained = key == GraphKeys.TRAINABLE_VARIABLES
        variables = self._store.variables.values()
        return [item for item in variables if item.trainable or not trained]

    def _own(self, key: str) -> list[Variable]:
        """Those of a collection whose names are below the template's scope."""
        if self._scope is None:
            return []
        prefix = f"{self._scope.name}/" if self._scope.name else ""
        return [item for item in self._all(key) if item.name.startswith(prefix)]

    @property
    def variable_scope(self) -> VariableScope | None:
        """The scope of the variables; None before the first call has made it."""
        return self._scope

    @property
    def var_scope(self) -> VariableScope | None:
        """A former name of ``variable_scope``."""
        return self._scope

    @property
    def global_variables(self) -> list[Variable]:
        """The global variables of the function; none before the first call."""
        return self._own(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self) -> list[Variable]:
        """The local variables of the function; none before the first call."""
        return self._own(GraphKeys.LOCAL_VARIABLES)

    @property
    def trainable_variables(self) -> list[Variable]:
        """The trainable variables of the function; none before the first call."""
        return self._own(GraphKeys.TRAINABLE_VARIABLES)

    @property
    def variables(self) -> list[Variable]:
        """The global and the local variables of the function."""
        return self.global_variables + self.local_variables

    @property
    def non_trainable_variables(self) -> list[Variable]:
        """The variables of the function that optimizers leave as they are."""
        return [item for item in self.variables if not item.trainable]

    weights = variables
    trainable_weights = trainable_variables
    non_trainable_weights = non_trainable_variables


def make_template(
    name_: str,
    func_: Callable,
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> Template:
    """``func_``, all calls of which share the variables that its first call makes.

    Args:
        name_: of the variable scope, with a number if there is one of that name.
        func_: a function that gets its variables by ``tf.get_variable``.
        create_scope_now_: take the name of the scope now, and not at the first call.
        unique_name_: the name of the scope as it is, even if there is one of that name.
            Not in eager mode.
        custom_getter_: called in place of get_variable.
        kwargs: given to func_ in every call.

    Raises:
        ValueError: name_ is None, or there is a unique_name_ in eager mode.
        TypeError: func_ cannot be called.

    >>> import minitf as tf
    >>> def scaled(x):
    ...     return x * tf.get_variable("scale", [], initializer=tf.ones_initializer())
    >>> with tf.Graph().as_default():
    ...     layer = tf.make_template("layer", scaled)
    ...     y = layer(1.0) + layer(2.0)
    ...     print([v.name for v in tf.global_variables()])
    ['layer/scale:0']
    """
    if name_ is None:
        raise ValueError("make_template: name cannot be None.")
    if not callable(func_):
        raise TypeError(f"make_template: func_ must be callable, got {func_!r}")
    if unique_name_ is not None and context.executing_eagerly():
        raise ValueError(
            f"unique_name_={unique_name_!r} cannot be used when eager execution is "
            "enabled."
        )
    function = partial(func_, **kwargs) if kwargs else func_
    return Template(name_, function, create_scope_now_, unique_name_, custom_getter_)
