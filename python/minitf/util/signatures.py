"""Functions that take their arguments from others: from a layer's class, a longer form.

A family of functions with the same twelve arguments would be little more than these
arguments, written again and again. Here a function is made of a body and of parameters
that another one has; ``help`` shows its signature as if it were written out.

Read next: ``layers/base.py``.
"""

from collections.abc import Callable, Iterable
from inspect import Parameter, Signature, signature
from typing import Any


def parameters_of(function: Callable) -> dict[str, Parameter]:
    """The parameters of a function or a class by name, without ``**options``.

    >>> def f(x, y=2, **options): ...
    >>> list(parameters_of(f))
    ['x', 'y']
    """
    parameters = signature(function).parameters
    return {name: p for name, p in parameters.items() if p.kind is not p.VAR_KEYWORD}


def optional(name: str, default: Any = None) -> Parameter:
    """A parameter with a default value."""
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default)


def make_function(
    name: str, doc: str, parameters: Iterable[Parameter], body: Callable
) -> Callable[..., Any]:
    """The function that calls ``body`` with all its arguments by name.

    Args:
        name: of the function.
        doc: its documentation.
        parameters: in the order in which they may be given by position.
        body: what it does. Its module is that of the function.

    >>> add = make_function(
    ...     "add", "The sum.", [optional("x", 1), optional("y", 2)], lambda x, y: x + y
    ... )
    >>> add(5), add(y=0)
    (7, 1)
    >>> add(1, 2, 3)
    Traceback (most recent call last):
    TypeError: add() too many positional arguments
    """
    own = Signature(list(parameters))

    def function(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = own.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{name}() {error}") from None
        bound.apply_defaults()
        return body(**bound.arguments)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    function.__module__ = body.__module__
    function.__signature__ = own
    return function


def without(function: Callable, argument: str, value: Any, name: str, doc: str) -> Any:
    """``function`` with ``argument`` always at ``value``, under another name."""
    parameters = parameters_of(function)
    del parameters[argument]

    def body(**given: Any) -> Any:
        return function(**{argument: value}, **given)

    body.__module__ = function.__module__
    return make_function(name, doc, parameters.values(), body)
