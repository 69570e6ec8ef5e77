"""Functions with gradients of their own: ``tf.custom_gradient``, and what is made of it.

The results of such a function pass through one IdentityN together with its arguments, so
that gradients find their way. The node's attribute ``_gradient_op_type`` says which
gradient it has instead of its own. In a graph that is a name which no other node of any
program has, and the graph keeps the function; on a tape the function itself goes along,
in a tensor, and is forgotten with the tape.

Compare: tensorflow/python/ops/custom_gradient.py. Read next: ``test.py``.
"""

import functools
import inspect
import uuid
import weakref
from collections.abc import Callable
from typing import Any

from minitf import _minitf
from minitf.eager import backprop, context
from minitf.eager.tape import stop_recording, variables_read
from minitf.framework import gradient_registry
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops
from minitf.ops.unconnected_gradients import UnconnectedGradients
from minitf.util.nest import flatten, pack_like
from minitf.variables.shared_variables import AUTO_REUSE, get_variable_scope
from minitf.variables.variable_scope import variable_scope

_FAMILY = "CustomGradient"  # of gradient types; add_gradients.cc finds it by this name

# All functions that graphs of this process keep: a graph may be imported into another.
_functions: weakref.WeakValueDictionary[str, Callable] = weakref.WeakValueDictionary()


def custom_gradient(f: Callable | None = None) -> Callable:
    """Makes of ``f`` a function whose gradient it says itself.

    ``f`` returns its results, and a function from the gradients of the results to those
    of the arguments, with None for an argument that has none::

        @tf.custom_gradient
        def log1pexp(x):
            e = tf.exp(x)
            return tf.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))

    If ``f`` reads trainable variables that are no arguments, the function that it returns
    takes a list of them as the keyword ``variables``, and returns two things: the
    gradients of the arguments, and a list of those of the variables.

    Args:
        f: takes tensors, and structures of them; keywords only in eager mode.

    Raises:
        ValueError: keywords are given in a graph; or, when gradients are asked for, the
            wrong number of them came back.
        TypeError: variables are read, and there is no keyword for them.
    """
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if kwargs and not context.executing_eagerly():
            raise ValueError(
                "The custom_gradient decorator currently supports keywords arguments "
                f"only when eager execution is enabled; got {sorted(kwargs)}"
            )
        inputs = [convert_to_tensor(argument) for argument in flatten(args)]
        with variables_read() as read:
            result, grad_fn = f(*pack_like(args, inputs), **kwargs)
        given = {id(argument) for argument in flatten(args)}
        variables = [item for key, item in read.items() if key not in given]
        return _with_gradient(f, inputs, variables, result, grad_fn)

    return wrapper


def _with_gradient(
    f: Callable, inputs: list[Tensor], variables: list[Any], result: Any, grad_fn: Any
) -> Any:
    """``result``, whose gradients for inputs and variables are those of ``grad_fn``."""
    variables.sort(key=lambda variable: variable.name)
    if variables and not _takes_variables(grad_fn):
        raise TypeError(
            f"the gradient function of {getattr(f, '__name__', f)} must accept a keyword "
            "argument 'variables', since the function uses variables: "
            f"{[variable.name for variable in variables]}"
        )
    outputs = [convert_to_tensor(item) for item in flatten(result)]
    passed = outputs + inputs + [variable.value() for variable in variables]
    gradient = functools.partial(
        _gradients, grad_fn, len(outputs), len(inputs), variables
    )
    if context.executing_eagerly():
        passed.append(_minitf.tensor_of_object(gradient))
        attrs = {"_gradient_op_type": _FAMILY}
    else:
        name = f"{_FAMILY}-{uuid.uuid4().hex}"
        context.get_default_graph()._custom_gradients.append(gradient)
        _functions[name] = gradient
        attrs = {"_gradient_op_type": name}
    passed = call("IdentityN", [passed], attrs)[: len(outputs)]
    return pack_like(result, list(passed))


def _takes_variables(function: Callable) -> bool:
    parameters = inspect.signature(function).parameters
    return "variables" in parameters or any(
        parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()
    )


def _gradients(
    grad_fn: Callable, num_outputs: int, num_inputs: int, variables: list, *dy: Any
) -> list[Any]:
    """The gradients of what IdentityN takes: outputs, inputs, variables."""
    if variables:
        found, of_variables = grad_fn(*dy[:num_outputs], variables=variables)
        if len(of_variables) != len(variables):
            raise ValueError(
                "Must return gradient for each variable from @custom_gradient grad_fn: "
                f"{len(variables)}, got {len(of_variables)}"
            )
    else:
        found, of_variables = grad_fn(*dy[:num_outputs]), []
    found = flatten(found)
    if len(found) != num_inputs:
        raise ValueError(
            f"custom_gradient function expected to return {num_inputs} gradients but "
            f"returned {len(found)} instead."
        )
    return [None] * num_outputs + found + list(of_variables)


def _gradient_of_family(op: Any, *dy: Any) -> list[Any]:
    """The gradient of a node or call whose type is of this family."""
    name = op.get_attr("_gradient_op_type")
    if isinstance(name, bytes):
        name = name.decode()
    graph = getattr(op, "graph", None)
    if graph is None:
        gradient = _minitf.object_of_tensor(op.inputs[-1])
        return [*gradient(*dy), None]
    gradient = _functions.get(name)
    if gradient is None:
        raise LookupError(
            f"No gradient defined for operation '{op.name}' (op type: {name}): the "
            "function belongs to another process, or to a graph that is gone"
        )
    return gradient(*dy)


gradient_registry.RegisterGradient(_FAMILY)(_gradient_of_family)


def grad_pass_through(f: Callable) -> Callable:
    """``f`` with the gradient of the identity: dL/dx is dL/dy.

    Variables that ``f`` reads get no gradients.

    >>> from minitf.eager import context
    >>> with context.entered(None), backprop.GradientTape() as tape:
    ...     x = convert_to_tensor(2.5)
    ...     tape.watch(x)
    ...     y = grad_pass_through(lambda x: call("Floor", [x]))(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(1.0)
    """

    @custom_gradient
    def passed_through(*args: Any, **kwargs: Any) -> Any:
        def gradient(*dy: Any, variables: Any = None) -> Any:
            return dy if variables is None else (dy, [None] * len(variables))

        return f(*args, **kwargs), gradient

    return functools.wraps(f)(passed_through)


def recompute_grad(f: Callable) -> Callable:
    """``f``, which is computed a second time for its gradient.

    So nothing in between has to be kept until then: memory is traded for time.

    Args:
        f: takes tensors and gives tensors. It must compute the same both times, and find
            the variables that it makes.
    """

    @custom_gradient
    def computed_twice(*args: Any, **kwargs: Any) -> Any:
        scope = get_variable_scope()
        with stop_recording():
            result = f(*args, **kwargs)

        def gradient(*dy: Any, variables: Any = None) -> Any:
            again = [array_ops.identity(x) for x in flatten(args)]
            read = list(variables or [])
            with backprop.GradientTape() as tape:
                tape.watch([*again, *read])
                with variable_scope(scope, reuse=AUTO_REUSE):
                    results = f(*pack_like(args, again), **kwargs)
            zero = UnconnectedGradients.ZERO
            found = tape.gradient(results, [*again, *read], list(dy), zero)
            of_args = found[: len(again)]
            return of_args if variables is None else (of_args, found[len(again) :])

        return result, gradient

    return functools.wraps(f)(computed_twice)
