"""The functions of ops: made from definitions, with signature and documentation.

Compare: tensorflow/python/framework/python_op_gen.cc, load_library.py. Read next:
``raw_ops.py``.
"""

import inspect
import keyword
import os
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from minitf import _minitf
from minitf.eager import context
from minitf.framework import op_def_library as ops
from minitf.framework import op_def_registry
from minitf.framework.dtypes import BY_NUMBER
from minitf.framework.tensor_shape import TensorShape

_execute_plain = _minitf.execute_plain
_executing_eagerly = context.executing_eagerly


def snake_case(name: str) -> str:
    """The Python name of an op's function.

    >>> snake_case("MatMul"), snake_case("Conv2DBackpropInput"), snake_case("L2Loss")
    ('mat_mul', 'conv2d_backprop_input', 'l2_loss')
    """
    letters: list[str] = []
    for i, letter in enumerate(name):
        before = name[i - 1] if i > 0 else ""
        after = name[i + 1] if i + 1 < len(name) else ""
        starts_word = (
            letter.isupper()
            and before
            and (
                before.islower()
                or (before.isdigit() and (after.islower() or not after))
                or (before.isupper() and after.islower())
            )
        )
        if starts_word and before != "_":
            letters.append("_")
        letters.append(letter.lower())
    return "".join(letters)


def default_to_python(definition: op_def_registry.AttrDef) -> Any:
    """The default of an attribute as a user would write it."""
    value = definition.default
    if definition.kind == "type":
        return BY_NUMBER[value]
    if definition.kind == "float":
        return float(str(np.float32(value)))
    if definition.kind == "shape":
        return TensorShape(value)
    if definition.kind == "string":
        return value.decode()
    if definition.kind == "list(string)":
        return [item.decode() for item in value]
    if definition.kind == "list(type)":
        return [BY_NUMBER[item] for item in value]
    return value


# Arguments that Python knows by another name than the definition of the op.
_REDUCTIONS = ("All", "Any", "EuclideanNorm", "Max", "Mean", "Min", "Prod", "Sum")
_RENAMED: dict[str, dict[str, str]] = {
    **{op: {"reduction_indices": "axis"} for op in _REDUCTIONS},
    "ExpandDims": {"dim": "axis"},
    "Select": {"t": "x", "e": "y"},
    "Split": {"split_dim": "axis"},
    "SplitV": {"split_dim": "axis"},
    "Squeeze": {"squeeze_dims": "axis"},
    "Where": {"input": "condition"},
}


def argument_names(op: op_def_registry.OpDef) -> list[str]:
    """The names of a function's arguments: inputs, then attributes.

    >>> argument_names(op_def_registry.get("Sum"))
    ['input', 'axis', 'keep_dims']
    """
    renamed = _RENAMED.get(op.name, {})
    names = [arg.name for arg in op.inputs] + op.explicit_attrs
    names = [renamed.get(name, name) for name in names]
    return [name + "_" if keyword.iskeyword(name) else name for name in names]


def _signature(op: op_def_registry.OpDef, kind: Any) -> Any:
    names = argument_names(op)
    parameters = [inspect.Parameter(name, kind) for name in names[: len(op.inputs)]]
    for name, attr in zip(names[len(op.inputs) :], op.explicit_attrs, strict=True):
        definition = op.attrs[attr]
        default = (
            default_to_python(definition)
            if definition.has_default
            else inspect.Parameter.empty
        )
        parameters.append(inspect.Parameter(name, kind, default=default))
    parameters.append(inspect.Parameter("name", kind, default=None))
    return inspect.Signature(parameters)


_ONLY_NAME = {"name"}


class OpFunction:
    """The function of one op. Its signature and documentation are made when asked for."""

    _kind = inspect.Parameter.POSITIONAL_OR_KEYWORD

    def __init__(self, op_type: str):
        self.__name__ = self.__qualname__ = op_type
        self.__module__ = "minitf.raw_ops"
        self._op = op_def_registry.get(op_type)
        self._names = argument_names(self._op)
        self._num_inputs = len(self._op.inputs)
        # So many eager tensors are a call that nothing need be looked up for.
        self._num_tensors = self._num_inputs if self._op.is_simple else -1

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the op."""
        if len(args) == self._num_tensors and not kwargs and _executing_eagerly():
            result = _execute_plain(self._op.name, *args)
            if result is not None:
                return result
        if len(args) == self._num_inputs and kwargs.keys() <= _ONLY_NAME:
            return ops.call(self._op.name, args, None, kwargs.get("name"))
        return self._call_with(list(args), kwargs)

    def _call_with(self, values: list[Any], kwargs: dict[str, Any]) -> Any:
        """Calls the op with inputs, then attributes, by position or by name."""
        names = self._names
        if len(values) > len(names) + 1:
            raise TypeError(
                f"{self.__name__}() takes at most {len(names) + 1} arguments, "
                f"{len(values)} were given"
            )
        name = values.pop() if len(values) > len(names) else kwargs.pop("name", None)
        given = dict(zip(names, values, strict=False))
        for key in kwargs:
            if key in given or key not in names:
                problem = "given twice" if key in given else "unknown"
                raise TypeError(
                    f"{self.__name__}(): argument '{key}' is {problem}; it takes "
                    f"{', '.join(names)} and name"
                )
        given.update(kwargs)
        inputs = []
        for key in names[: self._num_inputs]:
            if key not in given:
                raise TypeError(f"{self.__name__}() needs the argument '{key}'")
            inputs.append(given[key])
        attrs = {}
        for key, attr in zip(
            names[self._num_inputs :], self._op.explicit_attrs, strict=True
        ):
            needs = not self._op.attrs[attr].has_default
            if needs and given.get(key) is None:
                got = ", not None" if key in given else ""
                raise TypeError(f"{self.__name__}() needs the argument '{key}'{got}")
            if key in given:
                attrs[attr] = given[key]
        return ops.call(self._op.name, inputs, attrs, name)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        # For ``help``: an object with this method and without ``__set__`` is a routine.
        return self

    @property
    def __signature__(self) -> Any:
        return _signature(self._op, self._kind)

    @property
    def __doc__(self) -> str:
        # Here, so that ``import minitf`` stays short.
        from minitf.op_docs import text

        return text.text(self._op, self._names)

    def __repr__(self) -> str:
        return f"<function {self.__module__}.{self.__name__}>"


class RawOpFunction(OpFunction):
    """The function of one op in ``tf.raw_ops``: all its arguments are given by name."""

    _kind = inspect.Parameter.KEYWORD_ONLY
    __doc__ = OpFunction.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the op."""
        if args:
            raise TypeError(
                f"{self.__name__}() only takes arguments by name, {len(args)} were given "
                f"by position; it takes {', '.join(self._names)} and name"
            )
        return self._call_with([], kwargs)


_made: dict[str, OpFunction] = {}


@cache
def raw_function_of(op_type: str) -> RawOpFunction:
    """The function of an op in ``tf.raw_ops``, made when it is first asked for."""
    return RawOpFunction(op_type)


def function_of(op_type: str) -> OpFunction:
    """The function of an op, made when it is first asked for."""
    if op_type not in _made:
        _made[op_type] = OpFunction(op_type)
    return _made[op_type]


@cache
def _by_snake_case() -> dict[str, str]:
    return {snake_case(op): op for op in _minitf.op_names()}


def by_any_name(name: str) -> OpFunction:
    """The function of the op called ``name``, or so in Python's form.

    >>> by_any_name("mat_mul"), by_any_name("MatMul")
    (<function minitf.raw_ops.MatMul>, <function minitf.raw_ops.MatMul>)
    """
    return function_of(_by_snake_case().get(name, name))


def load_op_library(library_filename: str) -> SimpleNamespace:
    """Loads a shared library that registers ops, and returns their functions.

    A library is loaded once. A second call, by whatever path, returns the same functions.

    Args:
        library_filename: the path of the library.

    Returns:
        An object with a function for each of its ops, under the name in both forms.

    Raises:
        errors.NotFoundError: the library cannot be loaded.
        errors.AlreadyExistsError: another library has registered one of its ops.
    """
    names = sorted(_minitf.load_library(os.fspath(library_filename)))
    functions = {name: function_of(name) for name in names}
    functions.update(
        {snake_case(name): function for name, function in list(functions.items())}
    )
    return SimpleNamespace(OP_LIST=names, **functions)
