"""Cases of gradient_cases.py for rolls, sparse arithmetic and crops."""

import numpy as np
from gradient_cases import case, cplx, ints, real, scalar

# ---- Moving elements -------------------------------------------------------------------

case("Roll", real(5), scalar(2), scalar(0))
case("Roll", real(2, 3), ints(1, -4), ints(0, 1))
case("Roll", real(2, 3), ints(1, 1, 5), ints(1, -1, -2))
case("Roll", cplx(3), np.array(-1), np.array(-1))
case("Roll", real(0, 2), ints(1), ints(0))
case("TensorScatterUpdate", real(3, 2), ints([2], [0]), real(2, 2))
case("TensorScatterUpdate", real(2, 2), ints([1, 0]), real(1))
case("TensorScatterAdd", real(3, 2), ints([2], [2]), real(2, 2))
case("TensorScatterSub", real(3, 2), ints([0, 1], [0, 1]), real(2))

# ---- Sparse tensors --------------------------------------------------------------------

PLACES = np.array([[0, 1], [1, 0], [1, 2]])  # in a matrix [2,3]
SIZES = np.array([2, 3])
OTHERS = np.array([[0, 1], [0, 2], [1, 2]])

for _adjoint_a, _adjoint_b in (
    (False, False),
    (True, False),
    (False, True),
    (True, True),
):
    _inner = 2 if _adjoint_a else 3
    _shape = (4, _inner) if _adjoint_b else (_inner, 4)
    for _make in (real, cplx):
        case(
            "SparseTensorDenseMatMul",
            PLACES,
            _make(3),
            SIZES,
            _make(*_shape),
            adjoint_a=_adjoint_a,
            adjoint_b=_adjoint_b,
        )
case(
    "SparseTensorDenseMatMul", ints([1, 1], [1, 1]), real(2), np.array([2, 2]), real(2, 1)
)
case("SparseAdd", PLACES, real(3), SIZES, OTHERS, real(3), SIZES, np.float64(0))
case("SparseAddGrad", real(4), PLACES, OTHERS, np.array([[0, 1], [0, 2], [1, 0], [1, 2]]))
case("SparseTensorDenseAdd", PLACES, real(3), SIZES, real(2, 3))
for _shape in ((2, 3), (1, 3), (2, 1), (3,), (1,), ()):
    case("SparseDenseCwiseMul", PLACES, real(3), SIZES, real(*_shape))
    case("SparseDenseCwiseDiv", PLACES, real(3), SIZES, 3 + real(*_shape) / 2)
    case("SparseDenseCwiseAdd", PLACES, real(3), SIZES, real(*_shape))
for _axes in (ints(0), ints(-1), ints(0, 1), scalar(1), np.zeros([0], np.int32)):
    case("SparseReduceSum", PLACES, real(3), SIZES, _axes)
    case("SparseReduceSum", PLACES, real(3), SIZES, _axes, keep_dims=True)
case("SparseSoftmax", PLACES, real(3), SIZES)
case("SparseReorder", PLACES[[2, 0, 1]], real(3), SIZES)

# ---- Crops, in single precision --------------------------------------------------------

_images = real(2, 4, 5, 2).astype(np.float32)
_boxes = np.array([[0.13, 0.17, 0.83, 0.91], [0.71, 0.22, 0.08, 1.3]], np.float32)
for _size in (ints(3, 2), ints(1, 4)):
    case("CropAndResize", _images, _boxes, ints(1, 0), _size, once=True)
case(
    "CropAndResizeGradImage",
    real(2, 3, 2, 1).astype(np.float32),
    _boxes,
    ints(1, 0),
    ints(2, 4, 5, 1),
    once=True,
    T="float32",
)
