"""``tf.assert_rank`` and its kin: conditions on shapes and types of tensors.

A type is always known, so it is checked at once; a rank or a size that is not known until
the step is checked by an ``Assert``.

Compare: tensorflow/python/ops/check_ops.py. Read next: ``value_assertions.py``.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from minitf.eager import context
from minitf.framework import dtypes
from minitf.framework.constant_op import constant_value, convert_to_tensor
from minitf.framework.dtypes import as_dtype
from minitf.framework.op_def_library import call
from minitf.framework.scopes import group, name_scope, no_op
from minitf.framework.sparse_tensor import SparseTensor
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, reductions
from minitf.ops.step_checks import Assert
from minitf.ops.value_assertions import name_of, with_message

# ---- Ranks -----------------------------------------------------------------------------


def _assert_rank(
    x: Any,
    ranks: list[Any],
    options: tuple[Any, int | None, str | None],
    words: str,
    holds: Callable[[Any, list[Any]], Any],
) -> Any:
    """Checks the rank of x: ``holds`` is true of a rank and those that are allowed."""
    data, summarize, message = options
    x = convert_to_tensor(x, name="x")
    ranks = [convert_to_tensor(rank, dtypes.int32, name="rank") for rank in ranks]
    for rank in ranks:
        if rank.shape.ndims not in (None, 0):
            raise ValueError(f"Rank must be a scalar, has shape {rank.shape}")
    known = [constant_value(rank) for rank in ranks]
    if None not in known and x.shape.ndims is not None:
        numbers = [int(rank) for rank in known]
        if not holds(x.shape.ndims, numbers):
            wanted = str(numbers[0]) if len(numbers) == 1 else str(tuple(numbers))
            raise ValueError(
                f"{message + '. ' if message else ''}Tensor {name_of(x)} must have rank "
                f"{words} {wanted}.  Received rank {x.shape.ndims}, shape {x.shape}"
            )
        return no_op("static_checks_determined_all_ok")
    shape = array_ops.shape(x)
    said = [
        f"Tensor {name_of(x)} must have rank {words}",
        *ranks,
        "Received shape: ",
        shape,
    ]
    said = with_message(message, said if data is None else data)
    return Assert(holds(array_ops.rank(x), ranks), said, summarize)


def assert_rank(
    x: Any,
    rank: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Fails unless ``x`` has rank ``rank``.

    Args:
        x: a tensor.
        rank: a scalar.
        data: what the error of a step prints; the rank and the shape if None.
        summarize: how many elements of each tensor are printed; 3 if None.
        message: the beginning of the error.
        name: of the scope.

    Returns:
        The Operation to wait for; None in eager mode.

    Raises:
        ValueError: the rank is known, and it is another.
    """
    with name_scope(name, "assert_rank", [x]):
        options = (data, summarize, message)
        return _assert_rank(
            x,
            [rank],
            options,
            "",
            lambda found, r: (
                found == r[0] if isinstance(found, int) else call("Equal", [found, r[0]])
            ),
        )


def assert_rank_at_least(
    x: Any,
    rank: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Fails unless ``x`` has rank ``rank`` or more. See ``assert_rank``."""
    with name_scope(name, "assert_rank_at_least", [x]):
        options = (data, summarize, message)
        return _assert_rank(
            x, [rank], options, "at least", lambda found, r: found >= r[0]
        )


def assert_rank_in(
    x: Any,
    ranks: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Fails unless the rank of ``x`` is among ``ranks``. See ``assert_rank``."""

    def holds(found: Any, allowed: list[Any]) -> Any:
        if isinstance(found, int):
            return found in allowed
        matches = [call("Equal", [found, rank]) for rank in allowed]
        return reductions.reduce_any(array_ops.stack(matches))

    with name_scope(name, "assert_rank_in", [x]):
        options = (data, summarize, message)
        return _assert_rank(x, list(ranks), options, "in", holds)


def assert_scalar(
    tensor: Any, name: str | None = None, message: str | None = None
) -> Tensor:
    """``tensor``, which must be known to have rank 0.

    Raises:
        ValueError: it has another rank, or none that is known.
    """
    with name_scope(name, "assert_scalar", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name=scope)
        if tensor.shape.ndims != 0:
            raise ValueError(
                f"{message or ''}Expected scalar shape for {name_of(tensor)}, saw shape: "
                f"{tensor.shape}."
            )
        return tensor


# ---- Types -----------------------------------------------------------------------------


def assert_type(
    tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None
) -> Any:
    """Fails unless ``tensor`` is of type ``tf_type``; returns an Operation.

    Raises:
        TypeError: it is of another type.
    """
    wanted = as_dtype(tf_type)
    with name_scope(name, "assert_type", [tensor]):
        if not isinstance(tensor, SparseTensor):
            tensor = convert_to_tensor(tensor, name="tensor")
        if tensor.dtype != wanted:
            raise TypeError(
                f"{message or ''}{_name(tensor)} must be of type {wanted!r}, is of type "
                f"{tensor.dtype!r}"
            )
        return no_op("statically_determined_correct_type")


def _name(tensor: Any) -> str:
    return "tensor" if isinstance(tensor, SparseTensor) else name_of(tensor)


def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> Any:
    """Fails unless ``x`` is of a type of whole numbers; returns an Operation.

    Raises:
        TypeError: it is not.
    """
    with name_scope(name, "assert_integer", [x]):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_integer:
            prefix = f"{message}  " if message else ""
            raise TypeError(
                f'{prefix}Expected "x" to be integer type.  Found: {x.dtype!r}'
            )
        return no_op("statically_determined_was_integer")


def is_numeric_tensor(tensor: Any) -> bool:
    """Whether it is a tensor, and of a type of numbers."""
    return isinstance(tensor, Tensor) and (
        tensor.dtype.is_floating or tensor.dtype.is_integer or tensor.dtype.is_complex
    )


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> Any:
    """The type that all of ``tensors`` have, or ``dtype``, or float32.

    Raises:
        ValueError: the types differ, or are no floating-point types.
    """
    found = None if dtype is None else as_dtype(dtype)
    for tensor in tensors or []:
        if tensor is None:
            continue
        if found is not None and tensor.dtype.base_dtype != found:
            raise ValueError(
                f"Tensor conversion requested dtype {found.name} for Tensor with dtype "
                f"{tensor.dtype.name}: {tensor}"
            )
        found = tensor.dtype.base_dtype
    found = found or dtypes.float32
    if not found.is_floating:
        raise ValueError(f"Expected floating point type, got {found.name}.")
    return found


def assert_proper_iterable(values: Any) -> None:
    """Fails unless ``values`` is a list or the like, and no tensor, array or text.

    Raises:
        TypeError: it is one of these, or nothing that can be iterated over.
    """
    if isinstance(
        values, (Tensor, SparseTensor, np.ndarray, bytes, str)
    ) or not isinstance(values, Iterable):
        raise TypeError(
            "Expected argument 'values' to be a 'proper' iterable, and no tensor, array "
            f"or text.  Found: {type(values)}"
        )


# ---- Sizes by symbols ------------------------------------------------------------------


def assert_shapes(
    shapes: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Fails unless tensors have shapes in which equal symbols are equal sizes.

    Args:
        shapes: a dictionary, or a list of pairs, from tensors to shapes: lists of sizes
            and symbols such as ``"N"``. None or ``"."`` is any size; ``...`` or ``"*"``
            in front is any number of axes.
        data: what the error of a step prints.
        summarize: how many elements of each tensor are printed; 3 if None.
        message: the beginning of the error.
        name: of the scope.

    Returns:
        The Operation to wait for; None in eager mode.

    Raises:
        ValueError: it is known that the shapes do not fit.
    """
    pairs = list(shapes.items() if isinstance(shapes, dict) else shapes)
    with name_scope(name, "assert_shapes", []):
        seen: dict[str, Any] = {}
        checks: list[Any] = []
        for tensor, wanted in pairs:
            x = convert_to_tensor(tensor)
            symbols = [wanted] if isinstance(wanted, (str, int)) else list(wanted or [])
            checks += _check_shape(x, symbols, seen, (data, summarize, message))
    return None if context.executing_eagerly() else group(*checks)


def _check_shape(x: Tensor, symbols: list[Any], seen: dict, options: tuple) -> list[Any]:
    """The nodes that check ``x``; ``seen`` gets the sizes of symbols that are new."""
    data, summarize, message = options
    is_open = bool(symbols) and symbols[0] in (Ellipsis, "*")
    symbols = symbols[1:] if is_open else symbols
    function = assert_rank_at_least if is_open else assert_rank
    checks = [function(x, len(symbols), data, summarize, message)]
    for i, symbol in enumerate(symbols):
        if symbol in (None, "."):
            continue
        axis = i - len(symbols)
        size = x.shape[axis].value if x.shape.ndims is not None else None
        if size is None:
            size = array_ops.shape(x)[axis]
        expected = symbol if isinstance(symbol, int) else seen.setdefault(symbol, size)
        if isinstance(size, int) and isinstance(expected, int):
            if size != expected:
                raise ValueError(
                    f"{message + '.  ' if message else ''}Specified by tensor "
                    f"{name_of(x)} dimension {axis}: tensor dimension must have size "
                    f"{expected} ({symbol}).  Received size {size}, shape {x.shape}"
                )
        elif size is not expected:
            said = [f"axis {axis} of {name_of(x)} must have size", expected, "has", size]
            said = with_message(message, said if data is None else data)
            checks.append(Assert(call("Equal", [size, expected]), said, summarize))
    return [check for check in checks if check is not None]
