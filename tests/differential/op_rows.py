"""Rows of docs/differences.md about single ops, and how to recognise them.

These are refusals that TensorFlow leaves to one of its modes, and results in which its
kernels go by chance. The other rows are in ``differences.py``.
"""

import re
from typing import Any

_REFUSALS = {"ValueError", "InvalidArgumentError"}


def _plain_name(case: Any) -> str:
    """``raw_ops.BatchMatMulV2`` as batchmatmulv2, ``math.segment_max`` as segmentmax."""
    return str(case.entry.function).rsplit(".", 1)[-1].replace("_", "").lower()


def _only_we_refuse(mismatch: Any, message: str) -> bool:
    ours = mismatch.error_of(mismatch.our_facts)
    theirs = mismatch.error_of(mismatch.their_facts)
    return ours in _REFUSALS and not theirs and bool(re.search(message, mismatch.ours))


# What minitf says of shapes that TensorFlow refuses only where a graph knows them, or
# never, though they do not belong together.
_AXES = "the axes must be a scalar or a vector"
_OF_IMAGES = r"shapes \S+ and \S+ differ|the images and channels of original_image"
_UNEQUAL = r"shapes \S+ and \S+ differ|must have one shape"
_KNOWN_SHAPES = {
    **dict.fromkeys(("All", "Any", "Sum", "Prod", "Mean", "Min", "Max"), _AXES),
    "EuclideanNorm": _AXES,
    "Fill": r"(value|dims) must (have rank|be a)",
    "Reshape": "shape must have rank 1|sizes input must be 1-D",
    "Reverse": "dims'? must have (rank 1|an entry for each|as many elements)",
    "ReverseV2": r"axis must have rank 1|axis -?\d+ is not in|more than once",
    "SplitV": r"size_splits must have rank 1|split_dim must (have rank 0|be a scalar)"
    r"|axis -?\d+ is not in|should be equal to num_split, 1,",
    "Unpack": r"must equal 0|axis -?\d+ is not in",
    "BroadcastGradientArgs": r"negative size -\d+ in shape",
    "BiasAdd": "must be at least 3D",
    "BiasAddGrad": "must be at least 3D",
    "conv3d": r"input has \d+ channels, the filter is for|of input and filter differ",
    "DiagPart": r"(at least rank 2, its shape is|must be equal:) \[\]",
    **dict.fromkeys(("Concat", "ConcatV2"), "axis must have rank 0"),
    "Select": "t and e must have one shape",
    "fused_batch_norm": "x must be 4-dimensional",
    "l2_normalize": _AXES,
    **dict.fromkeys(("ResizeBilinearGrad", "ResizeBicubicGrad"), _OF_IMAGES),
    **dict.fromkeys(("InvGrad", "ReciprocalGrad", "SqrtGrad", "RsqrtGrad"), _UNEQUAL),
    **dict.fromkeys(("SigmoidGrad", "TanhGrad"), _UNEQUAL),
}


def is_known_shape(case: Any, mismatch: Any) -> bool:
    """Shapes that do not belong together, and that a kernel of TensorFlow takes."""
    kind, _, op = str(case.entry.function).rpartition(".")
    if op.startswith("reduce_"):
        return _only_we_refuse(mismatch, _AXES)
    message = _KNOWN_SHAPES.get({"bias_add": "BiasAdd", "fill": "Fill"}.get(op, op))
    composed = {"bias_add", "conv3d", "fill", "fused_batch_norm", "l2_normalize"}
    of_graph = kind == "raw_ops" or op in composed
    return of_graph and message is not None and _only_we_refuse(mismatch, message)


_CROSS_ENTROPIES = {
    "softmaxcrossentropywithlogits",
    "softmaxcrossentropywithlogitsv2",
}


def is_one(case: Any, mismatch: Any) -> bool:
    """A size of 1 of labels or logits, which the other may stretch."""
    if _plain_name(case) not in _CROSS_ENTROPIES:
        return False
    if _only_we_refuse(mismatch, "Input to reshape is a tensor with"):
        return True
    if "input and calculated input gradient" in str(mismatch.theirs):
        return not mismatch.error_of(mismatch.our_facts)
    ours, theirs = mismatch.ours, mismatch.theirs
    if not mismatch.kind.endswith(".shape") or None in (ours, theirs):
        return False
    pairs = list(zip(ours, theirs, strict=False))
    return len(ours) == len(theirs) and all(
        a == b or (a, b) == (None, 1) for a, b in pairs
    )


_HIDDEN = (
    r"differ in shape|value_range\[0\] must be finite|nbins must be positive"
    r"|values of a histogram must not be NaN|Can not squeeze dim"
    r"|shapes \S+ and \[2\] differ|weights can not be broadcast"
    r"|Shape of tensor is \[1\], which does not fit \[\]"
)


def is_hidden(case: Any, mismatch: Any) -> bool:
    """Shapes or ranges that TensorFlow checks only where a graph knows them."""
    functions = r"losses\..*|metrics\..*|histogram_fixed_width(_bins)?|nn\.dropout"
    is_checked = re.fullmatch(functions, str(case.entry.function))
    return bool(is_checked) and _only_we_refuse(mismatch, _HIDDEN)


def is_of_batches(case: Any, mismatch: Any) -> bool:
    """``batch_dims`` that no axis is left for."""
    message = r"batch_dims \(\d+\) must be less than or equal to axis \(0\)"
    return _plain_name(case) == "gather" and _only_we_refuse(mismatch, message)


def is_split_anywhere(case: Any, mismatch: Any) -> bool:
    """Pieces along an axis that is not known when the graph is built."""
    axis = case.kwargs.get("axis", case.args[2] if len(case.args) > 2 else None)
    is_known = getattr(axis, "known", "constant") == "constant"
    if _plain_name(case) not in {"split", "splitv"} or case.mode != "graph" or is_known:
        return False
    if "can't split axis" in str(mismatch.theirs):
        return True
    ours, theirs = mismatch.ours, mismatch.theirs
    if not mismatch.kind.endswith(".shape") or None in (ours, theirs):
        return False
    return len(ours) == len(theirs) and set(ours) == {None}


def is_beyond_nothing(case: Any, mismatch: Any) -> bool:
    """An index of a segment or element out of range, where rows have no elements."""
    is_empty = any(arg.array.size == 0 for arg in case.tensors())
    if is_empty and _plain_name(case) == "gather":
        return _only_we_refuse(mismatch, r"indices\[[\d,]+\] = \d+ is not in")
    of_segments = _plain_name(case).startswith("unsortedsegment")
    message = r"segment_ids\[[\d,]+\] = \d+ is out of range"
    return is_empty and of_segments and _only_we_refuse(mismatch, message)


def is_out_of_place(case: Any, mismatch: Any) -> bool:
    """A place outside of the shape of a sparse tensor."""
    message = r"indices\[\d+\] = \[[-\d,]*\] is out of bounds"
    is_sparse = _plain_name(case).startswith("sparse")
    return is_sparse and _only_we_refuse(mismatch, message)
