"""``tf.assert_equal`` and its kin: conditions on the elements of tensors.

What is known when a graph is built is checked then; the rest is an ``Assert`` in the
step, which other nodes must wait for (``tf.control_dependencies``). In eager mode a check
is made at once.

Compare: tensorflow/python/ops/check_ops.py. Read next: ``step_checks.py``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.eager import context
from minitf.framework.constant_op import constant_value, convert_to_tensor
from minitf.framework.errors import InvalidArgumentError
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope, no_op
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops, reductions
from minitf.ops.step_checks import Assert

# ---- What fails, and how ---------------------------------------------------------------


def fail_if_false(condition: Any, data: list[Any]) -> None:
    """Raises an error with ``data`` as its text, unless ``condition`` holds."""
    if condition:
        return
    lines = [
        _text(constant_value(item) if isinstance(item, Tensor) else item) for item in data
    ]
    raise InvalidArgumentError(None, None, "\n".join(lines))


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def with_message(message: str | None, data: list[Any]) -> list[Any]:
    """``data`` after the message, if there is one."""
    return list(data) if message is None else [message, *data]


def name_of(tensor: Tensor) -> str:
    """What an error calls a tensor."""
    return "eager tensor" if context.executing_eagerly() else tensor.name


def _first_failures(holds: Any, x: Any, y: Any, summarize: int | None) -> list[str]:
    """Where a condition does not hold, and which elements these are."""
    count = 3 if summarize is None else summarize if summarize >= 0 else holds.size
    places = np.argwhere(~holds)[:count]
    index = tuple(places.T)
    return [
        f"Indices of first {len(places)} different values:",
        str(places),
        "Corresponding x values:",
        str(np.broadcast_to(x, holds.shape)[index].reshape(-1)),
        "Corresponding y values:",
        str(np.broadcast_to(y, holds.shape)[index].reshape(-1)),
    ]


def _check(
    x: Tensor,
    y: Tensor,
    compare: Callable[[Tensor, Tensor], Tensor],
    data: list[Any],
    summarize: int | None,
) -> Any:
    """Checks that ``compare`` is true of all pairs: now, when built, or in the step."""
    holds = compare(x, y)
    if context.executing_eagerly():
        values = np.asarray(holds.numpy())
        if not values.all():
            places = _first_failures(values, x.numpy(), y.numpy(), summarize)
            fail_if_false(False, [*data, *places])
        return None
    known = [constant_value(x), constant_value(y)]
    condition = reductions.reduce_all(holds)
    if all(value is not None for value in known):
        with context.entered(None):
            held = compare(*(convert_to_tensor(value) for value in known)).numpy()
        fail_if_false(np.all(held), data)
    return Assert(condition, data, summarize)


# ---- Two tensors -----------------------------------------------------------------------


def _comparison(name: str, sign: str, op_type: str, words: str) -> Callable:
    def check(
        x: Any,
        y: Any,
        data: Any = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Any:
        if op_type == "Equal":
            with name_scope(name, check.__name__, [x, y]):  # and a second one below
                if x is y:
                    return None if context.executing_eagerly() else no_op()
        with name_scope(name, check.__name__, [x, y]):
            x = convert_to_tensor(x, name="x")
            y = convert_to_tensor(y, name="y")
            said = [
                f"Condition x {sign} y did not hold element-wise:",
                f"x ({name_of(x)}) = ",
                x,
                f"y ({name_of(y)}) = ",
                y,
            ]
            said = with_message(message, said if data is None else data)
            return _check(x, y, lambda a, b: call(op_type, [a, b]), said, summarize)

    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"""Fails unless x {sign} y for all pairs of elements; they broadcast.

    Args:
        x: a tensor.
        y: a tensor that {words}.
        data: what the error prints; x and y if None.
        summarize: how many elements of each tensor are printed; 3 if None.
        message: the first line of the error.
        name: of the scope.

    Returns:
        The Operation to wait for; None in eager mode.

    Raises:
        errors.InvalidArgumentError: x and y are known, and it does not hold; otherwise in
            the step.
    """
    return check


assert_equal = _comparison("assert_equal", "==", "Equal", "is equal to x")
assert_none_equal = _comparison("assert_none_equal", "!=", "NotEqual", "differs from x")
assert_less = _comparison("assert_less", "<", "Less", "is greater than x")
assert_less_equal = _comparison("assert_less_equal", "<=", "LessEqual", "is not less")
assert_greater = _comparison("assert_greater", ">", "Greater", "is less than x")
assert_greater_equal = _comparison(
    "assert_greater_equal", ">=", "GreaterEqual", "is not greater"
)


def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Fails unless |x - y| <= atol + rtol * |y| for every pair of elements.

    Args:
        x: floating-point numbers.
        y: numbers of the same type.
        rtol: 10 times the step from 1 to the next number if None.
        atol: the same if None.
        data: what the error prints; x and y if None.
        summarize: how many elements of each tensor are printed; 3 if None.
        message: the first line of the error.
        name: of the scope.

    Returns:
        The Operation to wait for; None in eager mode.
    """
    with name_scope(name, "assert_near", [x, y, rtol, atol]):
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, x.dtype, name="y")
        step = 10 * np.finfo(x.dtype.real_dtype.as_numpy_dtype).eps
        real = x.dtype.real_dtype
        rtol = convert_to_tensor(step if rtol is None else rtol, real, name="rtol")
        atol = convert_to_tensor(step if atol is None else atol, real, name="atol")
        said = [
            f"x and y not equal to tolerance rtol = {_shown(rtol)}, "
            f"atol = {_shown(atol)}",
            f"x ({name_of(x)}) = ",
            x,
            f"y ({name_of(y)}) = ",
            y,
        ]
        said = with_message(message, said if data is None else data)

        def near(a: Tensor, b: Tensor) -> Tensor:
            most = atol + rtol * math_ops.abs(b)
            return call("LessEqual", [math_ops.abs(a - b), most])

        if context.executing_eagerly():
            return _check(x, y, near, said, summarize)
        return Assert(reductions.reduce_all(near(x, y)), said, summarize)


def _shown(tensor: Tensor) -> Any:
    value = constant_value(tensor)
    return tensor.name if value is None else value


# ---- One tensor and 0 ------------------------------------------------------------------


def _sign_check(name: str, sign: str, compare: Callable, zero_first: bool) -> Callable:
    def check(
        x: Any,
        data: Any = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Any:
        with name_scope(name, check.__name__, [x, data]):
            x = convert_to_tensor(x, name="x")
            said = [
                f"Condition x {sign} 0 did not hold element-wise:",
                f"x ({name_of(x)}) = ",
                x,
            ]
            said = with_message(message, said) if data is None else list(data)
            zero = array_ops.zeros([], x.dtype)
            pair = (zero, x) if zero_first else (x, zero)
            return compare(*pair, data=said, summarize=summarize)

    check.__name__ = check.__qualname__ = name
    check.__doc__ = (
        f"""Fails unless x {sign} 0 for every element. See ``assert_equal``."""
    )
    return check


assert_negative = _sign_check("assert_negative", "<", assert_less, False)
assert_positive = _sign_check("assert_positive", ">", assert_less, True)
assert_non_positive = _sign_check("assert_non_positive", "<=", assert_less_equal, False)
assert_non_negative = _sign_check("assert_non_negative", ">=", assert_less_equal, True)


# ---- Order -----------------------------------------------------------------------------


def _steps(x: Tensor) -> Tensor:
    """The difference of each element of the flattened x to the one before it."""
    flat = array_ops.reshape(x, [-1])
    return flat[1:] - flat[:-1]


def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """Whether no element is less than the one before it; true of an empty tensor.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.is_non_decreasing([1, 3, 3]))
    np.True_
    """
    with name_scope(name, "is_non_decreasing", [x]):
        steps = _steps(_as_numbers(x))
        zero = array_ops.zeros([], steps.dtype)
        return reductions.reduce_all(call("LessEqual", [zero, steps]))


def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """Whether every element is greater than the one before it."""
    with name_scope(name, "is_strictly_increasing", [x]):
        steps = _steps(_as_numbers(x))
        zero = array_ops.zeros([], steps.dtype)
        return reductions.reduce_all(call("Less", [zero, steps]))


def _as_numbers(x: Any) -> Tensor:
    x = convert_to_tensor(x, name="x")
    if not (x.dtype.is_floating or x.dtype.is_integer):
        raise TypeError(f"Expected x to be numeric, instead found: {x}")
    return x
