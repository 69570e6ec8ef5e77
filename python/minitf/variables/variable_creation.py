"""What happens before a variable is made: its modes are checked, creators are called.

Compare: tensorflow/python/ops/variables.py, VariableMetaclass. Read next:
``variables.py``.
"""

import enum
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from minitf.eager import context

_V = TypeVar("_V")


class VariableSynchronization(enum.Enum):
    """How copies of a variable on several devices are kept equal. There is one copy."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How values for copies of a variable are put together. There is one copy."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


def require_resources(use_resource: bool | None) -> None:
    """Raises ValueError unless ``use_resource`` is True or None."""
    if use_resource is not None and not use_resource:
        raise ValueError(
            f"use_resource={use_resource} cannot be: all variables are resources"
        )


def checked_modes(
    name: str | None, synchronization: Any, aggregation: Any, trainable: bool | None
) -> tuple[VariableSynchronization, VariableAggregation, bool]:
    """The modes, and whether the variable is trainable: unless told, not if ON_READ.

    Raises:
        ValueError: a mode is none.
    """
    try:
        synchronization = VariableSynchronization(synchronization or 0)
    except ValueError:
        raise ValueError(
            f"Invalid variable synchronization mode: {synchronization} for variable: "
            f"{name}"
        ) from None
    try:
        aggregation = VariableAggregation(aggregation or 0)
    except ValueError:
        raise ValueError(
            f"Invalid variable aggregation mode: {aggregation} for variable: {name}"
        ) from None
    if trainable is None:
        trainable = synchronization is not VariableSynchronization.ON_READ
    return synchronization, aggregation, bool(trainable)


class VariableType(type):
    """Calls the creators of ``tf.variable_creator_scope`` in place of the class."""

    def __call__(cls: type[_V], *args: Any, **kwargs: Any) -> _V:
        """A new variable, from the innermost creator if there is one."""
        creators = context.get_default_graph()._thread.variable_creators
        if not creators:
            return super().__call__(*args, **kwargs)
        bound = inspect.signature(cls.__init__).bind(None, *args, **kwargs)
        bound.apply_defaults()
        options = dict(bound.arguments)
        del options["self"]
        create = super().__call__
        for creator in creators:
            create = partial(creator, create)
        return create(**options)


@contextmanager
def variable_creator_scope(variable_creator: Callable) -> Iterator[None]:
    """Within it, ``variable_creator`` is called in place of ``tf.Variable``.

    Args:
        variable_creator: gets the next creator, which is that of the scope outside or
            ``tf.Variable`` itself, and all arguments as keywords; returns a variable.

    >>> import minitf as tf
    >>> def not_trained(next_creator, **kwargs):
    ...     return next_creator(**{**kwargs, "trainable": False})
    >>> with tf.Graph().as_default(), tf.variable_creator_scope(not_trained):
    ...     print(tf.Variable(1.0).trainable)
    False
    """
    thread = context.get_default_graph()._thread
    former = thread.variable_creators
    thread.variable_creators = [*former, variable_creator]
    try:
        yield
    finally:
        thread.variable_creators = former
