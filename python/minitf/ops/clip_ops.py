"""Clipping by norms: ``tf.clip_by_norm`` and others, of gradients mostly.

Of IndexedSlices the values are clipped: rows that come twice are not added up for that.

Compare: tensorflow/python/ops/clip_ops.py. Read next: ``training/optimizer.py``.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.framework.constant_op import constant, convert_to_tensor
from minitf.framework.indexed_slices import IndexedSlices, map_values
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops, reductions


def clip_by_norm(
    t: Any, clip_norm: Any, axes: Any = None, name: str | None = None
) -> Any:
    """``t``, made shorter if its Euclidean norm over ``axes`` is above ``clip_norm``.

    Args:
        t: a tensor or IndexedSlices.
        clip_norm: the limit, above 0; a negative one counts as 0.
        axes: the axes that a norm is over; all if None.
        name: of the node.
    """
    with name_scope(name, "clip_by_norm", [t, clip_norm]) as scope:

        def clipped(x: Tensor) -> Tensor:
            limit = _positive(clip_norm, x.dtype)
            length = reductions.reduce_sum(x * x, axes, keepdims=True)
            is_long = length > 0
            safe = array_ops.where(is_long, length, array_ops.ones_like(length))
            root = array_ops.where(is_long, call("Sqrt", [safe]), length)
            scaled = x * limit
            x.shape.assert_is_compatible_with(scaled.shape)
            return array_ops.identity(scaled / math_ops.maximum(root, limit), scope)

        return map_values(clipped, t, "t")


def _positive(limit: Any, dtype: Any) -> Any:
    if np.isscalar(limit):
        return max(limit, 0)
    return math_ops.cast(math_ops.maximum(limit, 0), dtype)


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """``t``, made shorter if its norm per element is above the limit."""
    with name_scope(name, "clip_by_average_norm", [t, clip_norm]) as scope:
        t = convert_to_tensor(t, name="t")
        count = math_ops.cast(array_ops.size(t), t.dtype)
        per_element = call("Rsqrt", [reductions.reduce_sum(t * t)]) * count
        limit = constant(1.0, t.dtype) / clip_norm
        clipped = t * clip_norm * math_ops.minimum(per_element, limit)
        return array_ops.identity(clipped, scope)


def _values_of(t_list: Any) -> list[Tensor | None]:
    """The tensors of a list, of IndexedSlices the values."""
    return [
        None
        if t is None
        else convert_to_tensor(
            t.values if isinstance(t, IndexedSlices) else t, name=f"t_{i}"
        )
        for i, t in enumerate(t_list)
    ]


def _require_sequence(t_list: Any) -> list[Any]:
    if isinstance(t_list, (Tensor, str)) or not isinstance(t_list, Sequence):
        raise TypeError("t_list should be a sequence")
    return list(t_list)


def global_norm(t_list: Any, name: str | None = None) -> Tensor:
    """The Euclidean norm of all tensors of a list together; None counts as nothing.

    Of IndexedSlices it is that of the values.

    Raises:
        TypeError: ``t_list`` is no sequence.
    """
    t_list = _require_sequence(t_list)
    # LAB(06.12) begin: half the squares is what the op L2Loss gives of a tensor
    with name_scope(name, "global_norm", t_list):
        halves = [call("L2Loss", [x]) for x in _values_of(t_list) if x is not None]
        half = reductions.reduce_sum(array_ops.stack(halves) if halves else [0.0])
        return call("Sqrt", [half * constant(2.0, half.dtype)], None, "global_norm")
    # LAB(06.12) end


def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Any]:
    """All tensors of a list, made shorter by one factor if their global norm is too long.

    Args:
        t_list: tensors, IndexedSlices and None.
        clip_norm: the limit, above 0.
        use_norm: the global norm, if it is known already.
        name: of the scope.

    Returns:
        The list of what is in ``t_list``, clipped, and the global norm, as a tensor.
    """
    t_list = _require_sequence(t_list)
    length = global_norm(t_list, name) if use_norm is None else use_norm
    # LAB(06.12) begin: scale by one factor; if the norm is not finite, by NaN
    with name_scope(name, "clip_by_global_norm", [*t_list, clip_norm]) as scope:
        length = convert_to_tensor(length)
        factor = clip_norm * math_ops.minimum(
            1.0 / length, constant(1.0, length.dtype) / clip_norm
        )
        # A norm that is not finite makes all NaN, so that training does not go on unseen.
        scale = factor + (length - length)
        clipped: list[Any] = []
        for i, (x, t) in enumerate(zip(_values_of(t_list), t_list, strict=True)):
            if x is not None:
                x = array_ops.identity(x * math_ops.cast(scale, x.dtype), f"{scope}_{i}")
            clipped.append(t._with_values(x) if isinstance(t, IndexedSlices) else x)
    return clipped, length
    # LAB(06.12) end
