"""Cases of gradient_cases.py for ops of images and sparse tensors."""

import numpy as np
from gradient_cases import case, ints, real


def image(*shape):
    """An image in single precision, which is what scaling computes in."""
    return real(*shape).astype(np.float32)


for _op in ("ResizeBilinear", "ResizeBicubic"):
    for _size in ([4, 5], [1, 2], [2, 3]):
        case(_op, image(2, 2, 3, 2), np.array(_size, np.int32), once=True)
    case(_op, image(1, 3, 2, 1), ints(5, 4), once=True, align_corners=True)
    case(_op, image(1, 3, 2, 1), ints(5, 4), once=True, half_pixel_centers=True)

for _op in ("ResizeNearestNeighbor", "ResizeNearestNeighborGrad"):
    for _size in ([4, 5], [1, 2], [2, 3]):
        case(_op, real(2, 2, 3, 2), np.array(_size, np.int32))
    case(_op, real(1, 3, 2, 1), ints(5, 4), align_corners=True)
    case(_op, real(1, 3, 2, 1), ints(5, 4), half_pixel_centers=True)

case("SparseToDense", ints([0, 1], [1, 0]), ints(2, 3), real(2), real(), needs="rank")
case("SparseToDense", np.array([[1]], np.int32), ints(3), real(), real(), needs="rank")
