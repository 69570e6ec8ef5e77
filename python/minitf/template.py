"""``tf.make_template``: a function whose variables are made once and then shared.

The first call makes the function's variables in a variable scope of their own. Further
calls open that scope again with ``reuse``, so that they find them.

Compare: tensorflow/python/ops/template.py. Read next: ``initializers.py``.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from minitf.collections_ import GraphKeys, get_collection
from minitf.variable_scopes import VariableScope, variable_scope
from minitf.variables import Variable


class Template:
    """A function with a variable scope of its own; see ``make_template``.

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
        if create_scope_now:
            # The name scope of a call is opened by the call.
            with self._new_scope(auxiliary_name_scope=False) as self._scope:
                pass

    def _new_scope(self, **options: Any) -> variable_scope:
        return variable_scope(
            self._unique_name, self.name, custom_getter=self._custom_getter, **options
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function returns.

        Raises:
            ValueError: a call that is not the first makes a trainable variable.
        """
        if not self._was_called:
            scope = (
                self._new_scope() if self._scope is None else variable_scope(self._scope)
            )
            with scope as opened:
                self._scope = self._scope or opened
                result = self._function(*args, **kwargs)
            self._was_called = True
            return result
        with variable_scope(self._scope, reuse=True):
            known = len(get_collection(GraphKeys.TRAINABLE_VARIABLES))
            result = self._function(*args, **kwargs)
            made = get_collection(GraphKeys.TRAINABLE_VARIABLES)[known:]
        if made:
            raise ValueError(
                f"template {self.name!r}: a call after the first made the trainable "
                f"variables {[variable.name for variable in made]}; perhaps tf.Variable "
                "was used where tf.get_variable was meant"
            )
        return result

    @property
    def variable_scope(self) -> VariableScope | None:
        """The scope of the variables; None before the first call has made it."""
        return self._scope

    @property
    def var_scope(self) -> VariableScope | None:
        """A former name of ``variable_scope``."""
        return self._scope

    @property
    def variables(self) -> list[Variable]:
        """The global variables of the function; none before the first call."""
        return [] if self._scope is None else self._scope.global_variables()

    @property
    def trainable_variables(self) -> list[Variable]:
        """The trainable variables of the function; none before the first call."""
        return [] if self._scope is None else self._scope.trainable_variables()


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
        custom_getter_: called in place of get_variable.
        kwargs: given to func_ in every call.

    Raises:
        ValueError: name_ is None.
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
    function = partial(func_, **kwargs) if kwargs else func_
    return Template(name_, function, create_scope_now_, unique_name_, custom_getter_)
