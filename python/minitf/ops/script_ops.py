"""``tf.py_func`` and ``tf.py_function``: a function of the program as a node.

A node holds a token, and a table finds the function of the token when the node runs. The
table does not keep functions alive: that is done by the graph with the node, so that a
function goes when its graph goes.

``py_func`` hands NumPy arrays to its function. ``py_function`` hands it eager tensors, so
that it has a gradient: if one is asked for, the function runs on a tape. Of the step
whose gradient is wanted the tape is at hand; for gradients of gradients the function is
run again.

Compare: tensorflow/python/ops/script_ops.py. Read next: ``script_kernel.cc``.
"""

import itertools
import traceback
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf import _minitf
from minitf.eager import context
from minitf.eager.backprop import GradientTape
from minitf.framework import errors
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.dtypes import DType, as_dtype
from minitf.framework.gradient_registry import RegisterGradient
from minitf.framework.graph import control_dependencies
from minitf.framework.op_def_library import call
from minitf.framework.tensor import EagerTensor, Tensor
from minitf.ops.unconnected_gradients import UnconnectedGradients

_functions: weakref.WeakValueDictionary[bytes, "_Function"] = (
    weakref.WeakValueDictionary()
)
_numbers = itertools.count()


class _WrongResultError(Exception):
    """A function has returned what its node did not announce, or what is no tensor."""

    def __init__(self, message: str, code: int = errors.INVALID_ARGUMENT):
        super().__init__(message)
        self.code = code


class _Function:
    """A function of the program: from the inputs of a node to its outputs."""

    def __init__(self, function: Callable, types: list[DType]):
        self.function = function
        self.types = types
        self.token = f"pyfunc_{next(_numbers)}"
        _functions[self.token.encode()] = self

    def __call__(self, inputs: list[EagerTensor]) -> list[EagerTensor]:
        raise NotImplementedError

    def _require_count(self, outputs: list[Any]) -> None:
        if len(outputs) != len(self.types):
            raise _WrongResultError(
                f"{self.token} returns {len(outputs)} values, but expects to see "
                f"{len(self.types)} values."
            )


class _ArrayFunction(_Function):
    """A function of arrays, whose results must have the types that were announced."""

    def __call__(self, inputs: list[EagerTensor]) -> list[EagerTensor]:
        result = self.function(*(_own_array(tensor) for tensor in inputs))
        results = [] if result is None else _as_list(result)
        self._require_count(results)
        return [self._output(i, value) for i, value in enumerate(results)]

    def _output(self, index: int, value: Any) -> EagerTensor:
        try:
            tensor = convert_to_tensor(np.asarray(value))
        except (TypeError, ValueError) as error:
            problem = f"Unsupported object type {type(value).__name__}: {error}"
            raise _WrongResultError(problem, errors.INTERNAL) from error
        expected = self.types[index]
        if tensor.dtype is not expected:
            raise _WrongResultError(
                f"{index}-th value returned by {self.token} is {tensor.dtype.name}, but "
                f"expects {expected.name}"
            )
        return tensor


class _TensorFunction(_Function):
    """A function of eager tensors, whose results are converted."""

    needs_gradient = False
    _taped: tuple[list[EagerTensor], GradientTape, list[EagerTensor]] | None = None

    def __call__(self, inputs: list[EagerTensor]) -> list[EagerTensor]:
        if not self.needs_gradient:
            return self._run(inputs)
        tape, outputs = self._on_tape(inputs)
        self._taped = (inputs, tape, outputs)
        return outputs

    def _run(self, inputs: list[EagerTensor]) -> list[EagerTensor]:
        result = self.function(*inputs)
        results = [] if result is None else _as_list(result)[: len(self.types)]
        self._require_count(results)
        return [
            convert_to_tensor(value, dtype)
            for value, dtype in zip(results, self.types, strict=True)
        ]

    def _on_tape(self, inputs: list[EagerTensor]) -> tuple[GradientTape, list]:
        with GradientTape(persistent=True) as tape:
            for tensor in inputs:
                if tensor.dtype.is_floating or tensor.dtype.is_complex:
                    tape.watch(tensor)
            outputs = self._run(inputs)
        return tape, outputs


class _Gradient(_TensorFunction):
    """The gradient of another function: from its inputs and dL/dy to dL/dx."""

    def __init__(self, of: _TensorFunction, types: list[DType]):
        super().__init__(self._gradient, types)
        self._of = of

    def _gradient(self, *values: EagerTensor) -> list[EagerTensor]:
        inputs, dy = list(values[: len(self.types)]), list(values[len(self.types) :])
        taped = self._of._taped
        # The tape of the last run does not know how these inputs came about.
        if self.needs_gradient or taped is None or not _all_equal(taped[0], inputs):
            tape, outputs = self._of._on_tape(inputs)
            taped = (inputs, tape, outputs)
        xs, tape, ys = taped
        zero = UnconnectedGradients.ZERO
        return tape.gradient(ys, xs, output_gradients=dy, unconnected_gradients=zero)


def _as_list(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _own_array(tensor: EagerTensor) -> Any:
    """The elements, in an array that a function may write to; a scalar as one."""
    value = tensor.numpy()
    return value.copy() if isinstance(value, np.ndarray) else value


def _all_equal(first: list[EagerTensor], second: list[EagerTensor]) -> bool:
    return all(
        np.array_equal(a.numpy(), b.numpy()) for a, b in zip(first, second, strict=True)
    )


# ---- Running a node --------------------------------------------------------------------

_CODES = (
    ((ValueError, TypeError), errors.INVALID_ARGUMENT),
    ((StopIteration,), errors.OUT_OF_RANGE),
    ((MemoryError,), errors.RESOURCE_EXHAUSTED),
    ((NotImplementedError,), errors.UNIMPLEMENTED),
)


def _error_of(error: BaseException) -> tuple[int, bytes]:
    """The code and the message that a step fails with if a function raises ``error``."""
    if isinstance(error, _WrongResultError):
        return error.code, str(error).encode()
    codes = (code for kinds, code in _CODES if isinstance(error, kinds))
    lines = "".join(traceback.format_exception(error))
    text = f"{type(error).__name__}: {error}\n{lines}"
    return next(codes, errors.UNKNOWN), text.encode(errors="replace")


def _run_node(token: bytes, inputs: list[EagerTensor]) -> Any:
    """The outputs of the function ``token``, or the code and the message of an error."""
    function = _functions.get(token)
    if function is None:
        message = f"callback {token.decode()} is not found: its graph is gone"
        return errors.INVALID_ARGUMENT, message.encode()
    try:
        with context.entered(None):
            return function(inputs)
    except BaseException as error:  # whatever it is, it may not pass through C++
        return _error_of(error)


_minitf.set_script_runner(_run_node)


# ---- Building a node -------------------------------------------------------------------


def _call_in_graph(
    op_type: str, function: _Function, inp: Any, name: str | None, is_list: bool
) -> Any:
    graph = context.get_default_graph()
    graph.__dict__.setdefault("_script_functions", []).append(function)
    attrs = {"token": function.token, "Tout": function.types}
    result = call(op_type, [list(inp)], attrs, name)
    if not function.types:
        return result
    outputs = list(result) if isinstance(result, (list, tuple)) else [result]
    return outputs if is_list else outputs[0]


def _types_of(tout: Any) -> tuple[list[DType], bool]:
    is_list = isinstance(tout, (list, tuple))
    return [as_dtype(dtype) for dtype in (tout if is_list else [tout])], is_list


def _require_callable(func: Any) -> None:
    if not callable(func):
        raise ValueError(
            f"Expected func to be callable. Received func={func} of type {type(func)}."
        )


def py_func(
    func: Callable,
    inp: Any,
    Tout: Any,  # noqa: N803
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """What a Python function makes of NumPy arrays, as a node without gradient.

    Args:
        func: takes an array for each tensor, and returns an array or a list of them. A
            result None stands for no output.
        inp: a list of tensors.
        Tout: the type of the result, or a list of types. What ``func`` returns must have
            exactly these.
        stateful: False if equal inputs give equal results, so that a run may be left out.
        name: of the node.

    Returns:
        A tensor; a list of them for a list of types; the Operation for no type. In eager
        mode what ``func`` returns, as tensors.

    Raises:
        ValueError: ``func`` cannot be called.
        errors.InvalidArgumentError: in the step: number or types of the results differ
            from ``Tout``, or ``func`` raises ValueError or TypeError. Other exceptions
            become UnknownError, OutOfRangeError (StopIteration), ResourceExhaustedError
            (MemoryError) or UnimplementedError.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.py_func(lambda x: x + 1, [[1.0, 2.0]], tf.float32)))
    [2. 3.]
    """
    _require_callable(func)
    if context.executing_eagerly():
        result = func(*(np.array(_value_of(value)) for value in inp))
        results = [] if result is None else _as_list(result)
        tensors = [
            value if value is None else convert_to_tensor(value) for value in results
        ]
        return None if result is None else tensors[0] if len(tensors) == 1 else tensors
    types, is_list = _types_of(Tout)
    op_type = "PyFunc" if stateful else "PyFuncStateless"
    return _call_in_graph(op_type, _ArrayFunction(func, types), inp, name, is_list)


def _value_of(value: Any) -> Any:
    return value.numpy() if isinstance(value, Tensor) else value


numpy_function = py_func


def py_function(
    func: Callable | None = None,
    inp: Any = None,
    Tout: Any = None,  # noqa: N803
    name: str | None = None,
) -> Any:
    """What a Python function makes of eager tensors, as a node with a gradient.

    Args:
        func: takes an eager tensor for each tensor, and returns a tensor or a list.
        inp: a list of tensors.
        Tout: the type of the result, or a list of types. Arrays and numbers that
            ``func`` returns are converted to them.
        name: of the node.

    Returns:
        A tensor; a list of them for a list of types; for no type, the Operation.

    Raises:
        ValueError: ``func`` cannot be called.
        errors.OpError: when the function runs, as for ``py_func``.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.constant([1.0, 2.0])
    ...     y = tf.py_function(lambda x: x * x * x, [x], tf.float32)
    ...     print(session.run(tf.gradients(y, x)[0]))
    [ 3. 12.]
    """
    _require_callable(func)
    types, is_list = _types_of(Tout)
    function = _TensorFunction(func, types)
    if not context.executing_eagerly():
        return _call_in_graph("EagerPyFunc", function, inp, name, is_list)
    try:
        outputs = function([convert_to_tensor(value) for value in inp])
    except Exception as error:
        code, message = _error_of(error)
        kind = errors.exception_type_from_error_code(code)
        raise kind(None, None, "EagerPyFunc: " + message.decode()) from error
    return outputs if is_list else outputs[0]


@RegisterGradient("EagerPyFunc")
def _eager_py_func_grad(op: Any, *dy: Tensor) -> list[Tensor]:
    function = _functions[op.get_attr("token")]
    function.needs_gradient = True
    gradient = _Gradient(function, [tensor.dtype for tensor in op.inputs])
    with control_dependencies([op]):
        inputs = [*op.inputs, *dy]
        found = _call_in_graph("EagerPyFunc", gradient, inputs, None, True)
    for x, gradient_of_x in zip(op.inputs, found, strict=True):
        gradient_of_x.set_shape(x.shape)
    return found
