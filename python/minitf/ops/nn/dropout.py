"""Dropout: elements set to 0 at random, so that no unit can rely on another.

What is left is made larger, so that the expected sum stays the same.

Compare: tensorflow/python/ops/nn_ops.py. Read next: ``ops/norms.py``.
"""

from typing import Any

from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import as_shape
from minitf.ops import array_ops, math_ops, random_ops
from minitf.ops.op_arguments import ensure_shape


def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
    rate: Any = None,
) -> Tensor:
    """Elements set to 0 at random, with probability ``rate``; the others made larger.

    Args:
        x: floating-point numbers.
        keep_prob: 1 - rate, the former name.
        noise_shape: a size of 1 in it means one decision for the whole axis, and None
            the size that x has.
        seed: see ``tf.set_random_seed``.
        name: the scope of the nodes.
        rate: from 0 up to, and without, 1.
    """
    if keep_prob is not None and rate is not None:
        raise ValueError("only one of rate and keep_prob may be given")
    if keep_prob is None and rate is None:
        raise ValueError("You must provide a rate to dropout.")
    with name_scope(name, "dropout", [x]):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise ValueError(
                f"x has to be a floating point tensor since it's going to be scaled. "
                f"Got a {x.dtype!r} tensor instead."
            )
        rate = 1 - keep_prob if rate is None else rate
        if isinstance(rate, (int, float)):
            if not 0 <= rate < 1:
                raise ValueError(
                    f"rate must be a scalar tensor or a float in the range [0, 1), "
                    f"got {rate!r}"
                )
            if rate == 0:
                return x
        rate = convert_to_tensor(rate, x.dtype, name="rate")
        rate.shape.assert_has_rank(0)
        if rate.shape.ndims is None:
            rate = ensure_shape(rate, [])
        shape = _noise_shape(x, noise_shape)
        noise = random_ops.random_uniform(shape, seed=seed, dtype=x.dtype)
        is_kept = math_ops.cast(call("GreaterEqual", [noise, rate]), x.dtype)
        return x * (1 / (1 - rate)) * is_kept


def _noise_shape(x: Tensor, wanted: Any) -> Any:
    """The shape of decisions, with the sizes of x for None."""
    if wanted is None:
        return array_ops.shape(x)
    if isinstance(wanted, Tensor):
        return wanted
    sizes = list(as_shape(wanted).as_list())
    if None not in sizes:
        return sizes
    known = x.shape.as_list() if x.shape.ndims == len(sizes) else sizes
    filled = [
        own if size is None else size for size, own in zip(sizes, known, strict=True)
    ]
    if None not in filled:
        return filled
    own = array_ops.shape(x)
    return [own[i] if size is None else size for i, size in enumerate(filled)]
