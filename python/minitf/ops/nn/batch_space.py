"""Moving blocks of axes into the batch, and what is built on it: dilation of any op.

An op with gaps of ``rate`` between what it sees together is the same op without gaps, if
every ``rate``-th element is put into an image of its own: so the images become more, and
smaller (space to batch), the op runs, and they are put together again.

Compare: tensorflow/python/ops/array_ops.py (required_space_to_batch_paddings), nn_ops.py.
Read next: ``convolutions.py``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.framework import dtypes
from minitf.framework.constant_op import constant_value, convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops
from minitf.ops.math_ops import _either


def required_space_to_batch_paddings(
    input_shape: Any,
    block_shape: Any,
    base_paddings: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """What to pad so that blocks divide an image, and what to crop afterwards.

    Args:
        input_shape: int32 ``[n]``, sizes of the axes.
        block_shape: int32 ``[n]``, sizes of a block.
        base_paddings: int32 ``[n,2]``, what is to be padded at least; zeros if None.
        name: of the scope.

    Returns:
        ``(paddings, crops)``, both int32 ``[n,2]``, constants if the arguments are.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     paddings, _ = tf.required_space_to_batch_paddings([5, 6], [2, 3])
    ...     session.run(paddings).tolist()
    [[0, 1], [0, 0]]
    """
    values = [input_shape, block_shape]
    with name_scope(name, "required_space_to_batch_paddings", values):
        sizes = convert_to_tensor(input_shape, dtypes.int32, name="input_shape")
        blocks = convert_to_tensor(block_shape, dtypes.int32, name="block_shape")
        blocks.shape.with_rank(1).assert_is_fully_defined()
        axes = blocks.shape[0].value
        if axes == 0:
            nothing = array_ops.zeros([0, 2], dtypes.int32)
            return nothing, nothing
        sizes.shape.assert_is_compatible_with([axes])
        if base_paddings is None:
            base = array_ops.zeros([axes, 2], dtypes.int32)
        else:
            base = convert_to_tensor(base_paddings, dtypes.int32, name="base_paddings")
            base.shape.assert_is_compatible_with([axes, 2])
        known = [constant_value(tensor) for tensor in (sizes, blocks, base)]
        if all(value is not None for value in known):
            paddings, crops = _block_paddings(*known, np.stack)
            return (
                convert_to_tensor(paddings, dtypes.int32, name="paddings"),
                convert_to_tensor(crops, dtypes.int32, name="crops"),
            )
        paddings, crops = _block_paddings(sizes, blocks, base, array_ops.stack)
        paddings = array_ops.identity(paddings, name="paddings")
        crops = array_ops.identity(crops, name="crops")
        crops.set_shape([axes, 2])
        return paddings, crops


def _block_paddings(
    sizes: Any, blocks: Any, base: Any, stack: Callable
) -> tuple[Any, Any]:
    """The same for arrays and for tensors."""
    before, behind = base[:, 0], base[:, 1]
    rest = (sizes + before + behind) % blocks
    missing = (blocks - rest) % blocks
    no_crops = missing - missing
    return stack([before, behind + missing], 1), stack([no_crops, missing], 1)


def space_to_batch(
    input: Any,
    paddings: Any,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: Any = None,
) -> Tensor:
    """``space_to_batch_nd`` with blocks of ``block_size`` rows and columns."""
    shape = _block_shape(block_size, block_shape)
    result = call(
        "SpaceToBatchND", [input, shape, paddings], None, name or "SpaceToBatchND"
    )
    return _with_rank(result, 4) if block_shape is None else result


def batch_to_space(
    input: Any,
    crops: Any,
    block_size: int | None,
    name: str | None = None,
    block_shape: Any = None,
) -> Tensor:
    """``batch_to_space_nd`` with blocks of ``block_size`` rows and columns."""
    shape = _block_shape(block_size, block_shape)
    result = call("BatchToSpaceND", [input, shape, crops], None, name or "BatchToSpaceND")
    return _with_rank(result, 4) if block_shape is None else result


def _block_shape(block_size: Any, block_shape: Any) -> Any:
    block = _either(block_shape, block_size, "block_shape", "block_size")
    if block is None:
        raise ValueError("block_size must be given")
    return np.array([block, block], np.int64) if isinstance(block, int) else block


def _with_rank(x: Tensor, rank: int) -> Tensor:
    x.set_shape(x.shape.with_rank(rank))
    return x


def with_space_to_batch(
    input: Any,
    dilation_rate: Any,
    padding: str,
    op: Callable[[Tensor, int, str], Tensor],
    filter_shape: Any = None,
    spatial_dims: Any = None,
    data_format: str | None = None,
) -> Tensor:
    """What ``op`` gives with gaps of ``dilation_rate`` between the elements of a window.

    Args:
        input: a tensor; axis 0 is the batch.
        dilation_rate: int32 ``[n]``, for each of ``spatial_dims``.
        padding: 'SAME' or 'VALID'.
        op: called with a tensor, the number of axes, and 'VALID'; if all rates are 1,
            with ``input`` and ``padding``.
        filter_shape: for 'SAME', the sizes of the window along ``spatial_dims``.
        spatial_dims: in ascending order; ``[1, ..., n]`` if None, one more if
            data_format has the channels first.
        data_format: such as 'NHWC' and 'NCHW'.
    """
    rates = np.asarray(dilation_rate, np.int64)
    if rates.ndim != 1 or np.any(rates < 1):
        raise ValueError(f"dilation_rate must be a vector of positive numbers: {rates}")
    input = convert_to_tensor(input, name="input")
    count = len(rates)
    first = 2 if data_format is not None and data_format.startswith("NC") else 1
    dims = list(spatial_dims or range(first, first + count))
    if sorted(set(dims)) != dims or any(dim < 1 for dim in dims) or len(dims) < count:
        raise ValueError(
            f"spatial_dims must be a sorted sequence of {count} positive numbers: {dims}"
        )
    if np.all(rates == 1):
        return op(input, count, padding)
    base = _base_paddings(padding, filter_shape, rates)
    input.shape.with_rank_at_least(dims[-1] + 1)

    shape = array_ops.shape(input)
    sizes = [
        shape[dim] if size is None else size
        for dim, size in ((dim, input.shape[dim].value) for dim in dims)
    ]
    if not all(isinstance(size, int) for size in sizes):
        sizes = array_ops.stack(sizes)
    paddings, crops = required_space_to_batch_paddings(sizes, rates, base)
    rates, paddings, crops = _from_first_axis(rates, paddings, crops, dims)

    blocks = call("SpaceToBatchND", [input, rates, paddings])
    return call("BatchToSpaceND", [op(blocks, count, "VALID"), rates, crops])


def _base_paddings(padding: str, filter_shape: Any, rates: np.ndarray) -> np.ndarray:
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"padding must be 'SAME' or 'VALID', not {padding!r}")
    if padding == "VALID":
        return np.zeros([len(rates), 2], np.int32)
    if filter_shape is None:
        raise ValueError("filter_shape must be specified for padding='SAME'")
    if any(size is None for size in filter_shape[: len(rates)]):
        raise ValueError(
            "the sizes of the window must be known for padding='SAME' with gaps, they "
            f"are {filter_shape}"
        )
    total = (np.asarray(filter_shape)[: len(rates)] - 1) * rates
    return np.stack([total // 2, total - total // 2], axis=1).astype(np.int32)


def _from_first_axis(rates: Any, paddings: Any, crops: Any, dims: list[int]) -> Any:
    """The three for all axes up to the last of ``dims``: 1 and zeros for the others."""
    all_rates = np.ones(dims[-1], np.int32)
    all_rates[np.asarray(dims) - 1] = rates
    if len(dims) == dims[-1]:
        return all_rates, paddings, crops
    nothing = array_ops.zeros([2], dtypes.int32)
    rows = [nothing] * dims[-1]
    tables = []
    for table in (paddings, crops):
        rows = [nothing] * dims[-1]
        for i, dim in enumerate(dims):
            rows[dim - 1] = table[i]
        tables.append(array_ops.stack(rows))
    return all_rates, *tables
