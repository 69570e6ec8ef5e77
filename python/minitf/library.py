"""Ops from elsewhere: shared libraries, and functions with gradients of their own.

Compare: tensorflow/python/framework/load_library.py, ops/custom_gradient.py. Read next:
``test.py``.
"""

import functools
import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from minitf import (
    _minitf,
    array_ops,
    context,
    eager,
    gradient_registry,
    op_functions,
    raw_ops,
)
from minitf.constant_op import convert_to_tensor
from minitf.ops import call
from minitf.tensor import Tensor


def load_op_library(library_filename: str) -> SimpleNamespace:
    """Loads a shared library that registers ops, and returns their functions.

    Args:
        library_filename: the path of the library.

    Returns:
        An object with a function for each new op, under its name in both forms.

    Raises:
        errors.NotFoundError: the library cannot be loaded.
    """
    before = set(_minitf.op_names())
    _minitf.load_library(os.fspath(library_filename))
    new = [name for name in _minitf.op_names() if name not in before]
    functions = {name: getattr(raw_ops, name) for name in new}
    functions.update(
        {
            op_functions.snake_case(name): function
            for name, function in list(functions.items())
        }
    )
    return SimpleNamespace(OP_LIST=new, **functions)


def custom_gradient(f: Callable) -> Callable:
    """Makes of ``f`` a function whose gradient it says itself.

    ``f`` returns its result, and a function from the gradient of the result to that of
    the arguments::

        @tf.custom_gradient
        def log1pexp(x):
            e = tf.exp(x)
            return tf.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))
    """

    @functools.wraps(f)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        tensors = [convert_to_tensor(arg) for arg in args]
        if context.executing_eagerly():
            with eager.stop_recording():
                result, grad_fn = f(*tensors, **kwargs)
        else:
            result, grad_fn = f(*tensors, **kwargs)
        return _with_gradient(tensors, result, grad_fn)

    return wrapper


_custom_functions: list[Callable] = []


def _with_gradient(tensors: list[Tensor], result: Any, grad_fn: Callable) -> Any:
    """``result``, in nodes whose gradient for ``tensors`` is ``grad_fn``.

    They are one IdentityN of results and arguments, so that gradients find their way; it
    is marked with the number of the function that stands for its gradient.
    """
    is_list = isinstance(result, (list, tuple))
    outputs = [convert_to_tensor(item) for item in (result if is_list else [result])]
    outputs = [array_ops.stop_gradient(item) for item in outputs]
    number = len(_custom_functions)
    _custom_functions.append(_as_gradient(grad_fn, len(outputs), len(tensors)))
    passed = call("IdentityN", [outputs + tensors], {"_custom_gradient": number})
    passed = list(passed)[: len(outputs)]
    if not is_list:
        return passed[0]
    return type(result)(passed) if isinstance(result, list) else tuple(passed)


def _as_gradient(grad_fn: Callable, num_outputs: int, num_inputs: int) -> Callable:
    def gradient(*grads: Any) -> list[Any]:
        found = grad_fn(*grads[:num_outputs])
        found = list(found) if isinstance(found, (list, tuple)) else [found]
        if len(found) != num_inputs:
            raise ValueError(
                f"custom_gradient function expected to return {num_inputs} "
                f"gradients but returned {len(found)} instead."
            )
        return [None] * num_outputs + found

    return gradient


def _identity_n_grad(op: Any, *grads: Any) -> list[Any]:
    try:
        number = op.get_attr("_custom_gradient")
    except ValueError:
        return list(grads)
    return _custom_functions[number](*grads)


gradient_registry.RegisterGradient("IdentityN")(_identity_n_grad)
