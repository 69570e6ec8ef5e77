"""Inputs for the gradients of reductions, segments, and ops that move elements."""

import numpy as np
from gradient_cases import away, case, cplx, distinct, ints, real, scalar

# ---- Reductions ------------------------------------------------------------------------

REDUCED = [
    ((2, 3), ints(0)),
    ((2, 3), ints(-1)),
    ((2, 3), scalar(1)),
    ((2, 3, 4), ints(0, 2)),
    ((2, 3, 4), ints(2, 1)),
    ((2, 3, 2), ints(0, -1, 1)),
    ((4,), scalar(0)),
    ((2, 1, 3), ints(1)),
    ((2, 3), np.array([], np.int32)),
    ((), np.array([], np.int32)),
    ((0, 3), ints(1)),
    ((3, 0), ints(0)),
    ((2, 3), np.array([1], np.int64)),
]
for _shape, _axes in REDUCED:
    for _keep in (False, True):
        for _op in ("Sum", "Mean", "Prod"):
            case(_op, real(*_shape), _axes, keep_dims=_keep)
        for _op in ("Max", "Min"):
            case(_op, distinct(*_shape), _axes, keep_dims=_keep)
        case("EuclideanNorm", away(*_shape), _axes, keep_dims=_keep)
for _op in ("Sum", "Mean", "Prod", "EuclideanNorm"):
    case(_op, cplx(2, 3), ints(1))
    case(_op, cplx(2, 3, 2), ints(0, -1))
for _op in ("Sum", "Prod"):  # the gradient of nothing has no elements
    case(_op, real(0, 3), ints(0))
    case(_op, real(2, 0), ints(1), keep_dims=True)
# The first derivative of Cumprod is wrong where x is 0, and so is the second of Prod.
case("Prod", np.array([[1.0, 0, 3], [0, 2, 0], [2, 4, 5]]), ints(1), once=True)
case("Prod", np.array([[1.0, 0, 3], [0, 2, 0], [2, 4, 5]]), ints(0, 1), once=True)

for _exclusive in (False, True):
    for _reverse in (False, True):
        for _shape, _axis in [((3,), 0), ((2, 3), 1), ((2, 3, 2), -2), ((0, 2), 0)]:
            _attrs = {"exclusive": _exclusive, "reverse": _reverse}
            case("Cumsum", real(*_shape), scalar(_axis), **_attrs)
            case("Cumprod", away(*_shape), scalar(_axis), **_attrs)
        case("Cumsum", cplx(3), scalar(0), exclusive=_exclusive, reverse=_reverse)
        case("Cumprod", cplx(3), scalar(0), exclusive=_exclusive, reverse=_reverse)
case("Cumsum", real(2, 3), np.array(1, np.int64))

# ---- Segments --------------------------------------------------------------------------

SORTED = [
    ((4, 2), ints(0, 0, 1, 1)),
    ((4,), ints(0, 1, 1, 4)),
    ((3, 1, 2), ints(1, 1, 1)),
    ((1, 2), ints(0)),
    ((3, 0), ints(0, 1, 1)),
    ((0, 2), np.array([], np.int32)),
    ((3, 2), np.array([0, 2, 2], np.int64)),
]
UNSORTED = [
    ((4, 2), ints(1, 0, 1, 1), 2),
    ((4,), ints(2, 0, 2, 0), 4),
    ((4, 2), ints(1, -1, 1, -3), 3),
    ((2, 3), ints([0, 1, 0], [1, 1, 3]), 4),
    ((2, 3, 2), ints([0, 1, 0], [-1, 1, 3]), 5),
    ((3, 2), scalar(1), 2),
    ((), scalar(1), 2),
    ((), scalar(-1), 2),
    ((0, 2), np.array([], np.int32), 2),
    ((2, 2), ints(-1, -1), 1),
    ((3, 2), np.array([1, 0, 1], np.int64), 2),
]
for _shape, _ids in SORTED:
    for _op in ("SegmentSum", "SegmentMean", "SegmentProd"):
        case(_op, away(*_shape), _ids)
    for _op in ("SegmentMax", "SegmentMin"):
        case(_op, distinct(*_shape), _ids)
for _shape, _ids, _count in UNSORTED:
    for _op in ("UnsortedSegmentSum", "UnsortedSegmentProd"):
        case(_op, away(*_shape), _ids, scalar(_count))
    for _op in ("UnsortedSegmentMax", "UnsortedSegmentMin"):
        case(_op, distinct(*_shape), _ids, scalar(_count))
for _op in ("SegmentSum", "SegmentMean", "SegmentProd"):
    case(_op, cplx(3, 2), ints(0, 0, 2))
for _op in ("UnsortedSegmentSum", "UnsortedSegmentProd"):
    case(_op, cplx(3, 2), ints(2, -1, 2), scalar(3))
# A segment with no 0, with one and with two; the last has a second derivative, not found.
_zeros = np.array([[1.0, 0], [0, 2], [3, 0], [4, 5]])
case("SegmentProd", _zeros, ints(0, 0, 0, 1), once=True)
case("SegmentProd", _zeros[:2], ints(0, 0))
case("UnsortedSegmentProd", _zeros, ints(0, -1, 0, 0), scalar(2), once=True)
case("UnsortedSegmentProd", _zeros[1:], ints(1, 0, 0), scalar(2))

# ---- Passing on ------------------------------------------------------------------------

for _shape in [(2, 3), (), (0, 2)]:
    case("Identity", real(*_shape))
    case("Snapshot", real(*_shape))
    case("PlaceholderWithDefault", real(*_shape), shape=list(_shape))
    case("IdentityN", [real(*_shape), real(2), ints(1, 2)])
    case("CheckNumerics", real(*_shape), message="m")
    case("Print", real(*_shape), [ints(1)], first_n=0)
    case("EnsureShape", real(*_shape), shape=list(_shape))
case("EnsureShape", real(2, 3), shape=[None, 3])
case("Fill", ints(2, 3), real())
case("Fill", np.array([], np.int32), real())
case("Fill", ints(2, 0), real())
case("Fill", np.array([3], np.int64), cplx())

# ---- Another shape, another order ------------------------------------------------------

for _shape, _to in [((2, 3), (3, -1)), ((), (1, 1)), ((0, 2), (2, 0)), ((4,), (2, 1, 2))]:
    case("Reshape", real(*_shape), ints(*_to))
case("Reshape", cplx(2, 3), np.array([-1], np.int64))
case("Reshape", real(1), np.array([], np.int32))
for _shape, _axis in [((2, 3), 0), ((2, 3), -1), ((2, 3), 1), ((), 0), ((0, 2), 2)]:
    case("ExpandDims", real(*_shape), scalar(_axis))
case("Squeeze", real(1, 2, 1))
case("Squeeze", real(1, 2, 1), squeeze_dims=[-1])
case("Squeeze", real(1, 1), squeeze_dims=[0, 1])
for _shape, _perm in [
    ((2, 3), (1, 0)),
    ((2, 3, 4), (2, 0, 1)),
    ((4,), (0,)),
    ((0, 2), (1, 0)),
    ((2, 1, 2, 3), (3, 1, 0, 2)),
]:
    case("Transpose", real(*_shape), ints(*_perm))
    case("ConjugateTranspose", cplx(*_shape), ints(*_perm))
    case("ConjugateTranspose", real(*_shape), np.array(_perm, np.int64))
case("Transpose", real(), np.array([], np.int32))
case("SpaceToDepth", real(1, 2, 4, 3), block_size=2)
case("SpaceToDepth", real(2, 3, 3, 1), block_size=3)
case("DepthToSpace", real(1, 2, 1, 8), block_size=2)
case("DepthToSpace", real(2, 1, 1, 9), block_size=3)
case("SpaceToDepth", real(1, 3, 2, 4), block_size=2, data_format="NCHW")
case("DepthToSpace", real(1, 8, 1, 2), block_size=2, data_format="NCHW")
_paddings = ints([1, 0], [0, 0])
case("SpaceToBatchND", real(1, 3, 4, 2), ints(2, 2), _paddings, needs="constants")
case("SpaceToBatchND", real(2, 4, 1), ints(2), ints([0, 2]), needs="constants")
_crops = ints([1, 0], [0, 1])
case("BatchToSpaceND", real(4, 2, 2, 1), ints(2, 2), _crops, needs="constants")
case("BatchToSpaceND", real(4, 2, 3), ints(2), ints([0, 0]), needs="constants")
case("Reverse", real(2, 3), np.array([True, False]))
case("ReverseV2", real(2, 3, 2), ints(0, -1))
case("ReverseV2", real(3), np.array([], np.int32))
case("ReverseV2", cplx(2, 2), np.array([1], np.int64))
case("ReverseSequence", real(2, 4, 2), ints(3, 0), seq_dim=1)
case("ReverseSequence", real(4, 3), np.array([1, 2, 4]), seq_dim=0, batch_dim=1)

# ---- Repeating -------------------------------------------------------------------------

case("Tile", real(2, 3), ints(2, 1))
case("Tile", real(2, 1), ints(3, 2))
case("Tile", real(), np.array([], np.int32))
case("Tile", real(2, 3), ints(0, 2))
case("Tile", real(0, 3), ints(2, 2))
case("Tile", cplx(2), np.array([3], np.int64))
case("BroadcastTo", real(3, 1), ints(2, 3, 4))
case("BroadcastTo", real(2, 3), ints(2, 3))
case("BroadcastTo", real(1, 1), ints(1, 2))
case("BroadcastTo", real(), ints(2, 2))
case("BroadcastTo", real(1), ints(0))
case("BroadcastTo", cplx(1, 2), np.array([3, 2], np.int64))

# ---- Joining and taking apart ----------------------------------------------------------

for _axis, _shapes in [
    (0, [(2, 3), (1, 3), (0, 3)]),
    (1, [(2, 3), (2, 1)]),
    (-1, [(2, 2), (2, 1), (2, 3)]),
    (-2, [(2, 3), (1, 3)]),
]:
    case("ConcatV2", [real(*shape) for shape in _shapes], scalar(_axis))
    if _axis >= 0:
        case("Concat", scalar(_axis), [real(*shape) for shape in _shapes])
case("ConcatV2", [cplx(2), cplx(1)], np.array(0, np.int64))
case("Split", scalar(0), real(4, 2), num_split=2)
case("Split", scalar(-1), real(2, 3), num_split=3)
case("Split", scalar(1), real(2, 3), num_split=1)
case("SplitV", real(5, 2), ints(2, 0, 3), scalar(0), num_split=3)
case("SplitV", real(2, 4), np.array([-1, 1]), scalar(-1), num_split=2)
for _axis in (0, 1, -1, -2):
    case("Pack", [real(2, 3), real(2, 3)], axis=_axis)
    case("Unpack", real(2, 2, 3), num=2, axis=_axis if _axis != -1 else 0)
case("Pack", [real()])
case("Pack", [real(), real()])
case("Unpack", real(3), num=3)
case("Unpack", real(2, 1), num=1, axis=1)
case("Pack", [cplx(2), cplx(2)], axis=1)

# ---- Parts -----------------------------------------------------------------------------

case("Slice", real(3, 4), ints(1, 0), ints(2, -1))
case("Slice", real(4), ints(4), ints(0))
case("Slice", real(2, 3), np.array([0, 2]), np.array([1, 1]))
case("Slice", real(), np.array([], np.int32), np.array([], np.int32))
# Each with the masks of begin, end, ellipsis, new axis and shrink axis.
SLICES = [
    ((4,), [1], [3], [1], (0, 0, 0, 0, 0)),
    ((5,), [0], [0], [-2], (1, 1, 0, 0, 0)),
    ((3, 4), [1, 0], [2, 0], [1, 3], (0, 2, 0, 0, 1)),
    ((2, 3, 4), [0, 1], [0, 2], [1, 1], (0, 0, 1, 0, 2)),
    ((3, 2), [0, 0, -1], [0, 0, -9], [1, 1, -1], (2, 2, 0, 1, 0)),
    ((3,), [2], [1], [1], (0, 0, 0, 0, 0)),
]
for _shape, _begin, _end, _strides, _bits in SLICES:
    _names = ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask"]
    _attrs = dict(zip([*_names, "shrink_axis_mask"], _bits, strict=True))
    _places = (ints(*_begin), ints(*_end), ints(*_strides))
    case("StridedSlice", real(*_shape), *_places, **_attrs)
case("StridedSliceGrad", ints(4), ints(1), ints(3), ints(1), real(2))
case("StridedSliceGrad", ints(5), ints(4), ints(0), ints(-2), real(2))
case(
    "StridedSliceGrad", ints(2, 3), ints(1), ints(2), ints(1), real(3), shrink_axis_mask=1
)
for _shape, _paddings in [
    ((2, 3), ([1, 0], [0, 2])),
    ((3,), ([2, 1],)),
    ((0, 2), ([1, 1], [0, 0])),
    ((1, 2, 1), ([0, 0], [0, 0], [1, 1])),
]:
    case("Pad", real(*_shape), ints(*_paddings))
    case("PadV2", real(*_shape), ints(*_paddings), real())
case("Pad", cplx(2), np.array([[1, 2]]))
case("PadV2", cplx(2), np.array([[1, 2]]), cplx())
for _mode in ("REFLECT", "SYMMETRIC"):
    case("MirrorPad", real(3, 4), ints([1, 2], [0, 3]), mode=_mode)
    case("MirrorPad", real(3), ints([0, 0]), mode=_mode)
    case("MirrorPadGrad", real(6, 5), ints([1, 2], [0, 1]), mode=_mode)
    case("MirrorPadGrad", cplx(5), np.array([[1, 1]]), mode=_mode)

# ---- Taking and putting where another tensor says --------------------------------------

case("Gather", real(3, 2), ints(2, 0, 2))
case("Gather", real(4), ints([1, 1], [0, 3]))
case("Gather", real(3, 2), np.array(1))
for _axis in (0, 1, -1, -3):
    case("GatherV2", real(2, 3, 2), ints(1, 0, 1), scalar(_axis))
    case("GatherV2", real(2, 3, 2), scalar(1), scalar(_axis))
    case("GatherV2", real(2, 3, 2), ints([0, 1], [1, 1]), scalar(_axis))
for _axis in (1, 2, -1):
    case("GatherV2", real(2, 3, 2), ints([1, 0], [1, 1]), scalar(_axis), batch_dims=1)
case("GatherV2", real(2, 3, 2), ints([1, 0, 1], [1, 1, 0]), scalar(2), batch_dims=-1)
case("GatherV2", real(2, 0), ints(1), scalar(0))
case("GatherNd", real(3, 2), ints([2, 0], [0, 1], [2, 0]))
case("GatherNd", real(3, 2), ints([2], [2]))
case("GatherNd", real(2, 2), np.array([1, 1]))
case("GatherNd", real(2, 2), np.zeros([3, 0], np.int32))
case("ScatterNd", ints([4], [1], [4]), real(3), ints(6))
case("ScatterNd", ints([0, 1], [1, 1]), real(2, 3), ints(2, 2, 3))
case("ScatterNd", np.array([[1]]), cplx(1, 2), np.array([2, 2]))
case("DynamicPartition", real(4, 2), ints(1, 0, 1, 2), num_partitions=3)
case("DynamicPartition", real(2, 2), ints([0, 0], [1, 3]), num_partitions=4)
case("DynamicPartition", real(2, 0, 2), np.zeros([2, 0], np.int32), num_partitions=1)
case("DynamicStitch", [ints(0, 2), ints(1)], [real(2, 3), real(1, 3)])
case("DynamicStitch", [ints([3, 0]), scalar(1)], [real(1, 2), real()])
case("DynamicStitch", [ints(0, 1), ints(2, 3)], [real(2), real(2)])
