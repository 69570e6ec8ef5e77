"""Inputs for the gradients of matrix products, convolutions, poolings and losses."""

import numpy as np
from gradient_cases import between, case, cplx, distinct, ints, real, scalar

# ---- Products of matrices --------------------------------------------------------------


def _stored(make, shape, is_transposed):
    """Random numbers for a matrix of `shape` that is stored transposed, or not."""
    *batch, rows, columns = shape
    return make(*batch, *((columns, rows) if is_transposed else (rows, columns)))


for _a in (False, True):
    for _b in (False, True):
        for _make in (real, cplx):
            _x, _y = _stored(_make, (2, 3), _a), _stored(_make, (3, 4), _b)
            case("MatMul", _x, _y, transpose_a=_a, transpose_b=_b)
            for _op in ("BatchMatMul", "BatchMatMulV2"):
                _x = _stored(_make, (2, 2, 3), _a)
                _y = _stored(_make, (2, 3, 1), _b)
                case(_op, _x, _y, adj_x=_a, adj_y=_b)
        for _x_batch, _y_batch in [
            ((2,), ()),
            ((1,), (3,)),
            ((2, 1), (2,)),
            ((), (2, 1)),
        ]:
            _x = _stored(real, (*_x_batch, 1, 3), _a)
            _y = _stored(real, (*_y_batch, 3, 2), _b)
            case("BatchMatMulV2", _x, _y, adj_x=_a, adj_y=_b)
case("MatMul", real(1, 1), real(1, 1))
case("MatMul", real(2, 0), real(0, 3))
case("MatMul", real(0, 2), real(2, 3))
case("BatchMatMul", real(0, 2, 2), real(0, 2, 1))
case("BatchMatMul", real(2, 3), real(3, 2))
case("BatchMatMulV2", real(2, 0, 2), real(2, 1))
case("BatchMatMulV2", cplx(2, 2, 1), cplx(2, 1), adj_x=True)

# ---- Square matrices and diagonals -----------------------------------------------------

for _adjoint in (False, True):
    for _make, _shape in [(real, (2, 3, 3)), (real, (1, 1)), (cplx, (2, 2))]:
        _x = 0.4 * _make(*_shape) + 2 * np.eye(_shape[-1])
        case("MatrixInverse", _x, adjoint=_adjoint)
        if not _adjoint:
            case("MatrixDeterminant", _x)
for _make in (real, cplx):
    case("Diag", _make(3))
    case("DiagPart", _make(3, 3))
    case("MatrixDiag", _make(2, 3))
    case("MatrixDiagPart", _make(2, 2, 3))
    case("MatrixSetDiag", _make(2, 3, 2), _make(2, 2))
    case("MatrixBandPart", _make(3, 4), np.array(1), np.array(0))
case("Diag", real(2, 2))
case("Diag", real(0))
case("DiagPart", real(2, 3, 2, 3))
case("MatrixDiag", real(0))
case("MatrixDiagPart", real(3, 2))
case("MatrixBandPart", real(2, 3, 3), scalar(-1), scalar(1))

# ---- Convolution -----------------------------------------------------------------------

# Sizes of the images and filters, and how one goes over the other.
CONVOLUTIONS = [
    ((1, 3, 4, 2), (2, 2, 2, 2), {"strides": [1, 1, 1, 1], "padding": "VALID"}),
    ((2, 3, 3, 1), (2, 3, 1, 2), {"strides": [1, 1, 1, 1], "padding": "SAME"}),
    ((1, 5, 4, 1), (3, 2, 1, 2), {"strides": [1, 2, 3, 1], "padding": "SAME"}),
    ((1, 5, 4, 1), (2, 2, 1, 1), {"strides": [1, 2, 2, 1], "padding": "VALID"}),
    ((1, 4, 4, 1), (1, 1, 1, 2), {"strides": [1, 2, 2, 1], "padding": "SAME"}),
    (
        (1, 5, 4, 1),
        (2, 2, 1, 1),
        {"strides": [1, 1, 1, 1], "padding": "VALID", "dilations": [1, 2, 3, 1]},
    ),
    (
        (1, 4, 3, 1),
        (2, 2, 1, 1),
        {"strides": [1, 1, 1, 1], "padding": "SAME", "dilations": [1, 2, 1, 1]},
    ),
    ((0, 3, 3, 1), (2, 2, 1, 1), {"strides": [1, 1, 1, 1], "padding": "SAME"}),
]
EXPLICIT = {
    "strides": [1, 2, 1, 1],
    "padding": "EXPLICIT",
    "explicit_paddings": [0, 0, 1, 0, 2, 1, 0, 0],
}


def _result_size(size, window, stride, padding, dilation):
    span = (window - 1) * dilation + 1
    if padding == "SAME":
        return -(-size // stride)
    return (size - span) // stride + 1


def _result_shape(x, window, attrs, channels):
    sizes = [
        _result_size(
            x[axis],
            window[axis],
            attrs["strides"][axis],
            attrs["padding"],
            attrs.get("dilations", [1, 1, 1, 1])[axis],
        )
        for axis in (1, 2)
    ]
    return (x[0], *sizes, channels)


def _convolution_cases(prefix, x, w, y, attrs):
    case(prefix, real(*x), real(*w), **attrs)
    case(prefix + "BackpropInput", ints(*x), real(*w), real(*y), **attrs)
    case(prefix + "BackpropFilter", real(*x), ints(*w), real(*y), **attrs)


for _x, _w, _attrs in CONVOLUTIONS:
    _window = (0, _w[0], _w[1])
    _y = _result_shape(_x, _window, _attrs, _w[3])
    _convolution_cases("Conv2D", _x, _w, _y, _attrs)
    if len(set(_attrs["strides"])) < 3:
        _y = _result_shape(_x, _window, _attrs, _x[3] * _w[3])
        _convolution_cases("DepthwiseConv2dNative", _x, _w, _y, _attrs)
_convolution_cases("Conv2D", (1, 3, 2, 1), (2, 2, 1, 2), (1, 2, 4, 2), EXPLICIT)
_first = {"data_format": "NCHW", "padding": "SAME"}
_attrs = {"strides": [1, 1, 2, 1], "dilations": [1, 1, 1, 2], **_first}
_convolution_cases("Conv2D", (1, 2, 3, 3), (2, 2, 2, 1), (1, 1, 2, 3), _attrs)
_attrs = {"strides": [1, 1, 2, 2], **_first}
_convolution_cases(
    "DepthwiseConv2dNative", (1, 2, 3, 3), (2, 2, 2, 2), (1, 4, 2, 2), _attrs
)

for _rates in ([1, 1, 1, 1], [1, 2, 1, 1]):
    for _padding in ("SAME", "VALID"):
        _attrs = {"ksizes": [1, 2, 2, 1], "rates": _rates, "padding": _padding}
        _attrs |= {"strides": [1, 2, 1, 1]}
        case("ExtractImagePatches", real(1, 4, 3, 2), **_attrs)

# ---- Pooling ---------------------------------------------------------------------------

POOLS = [
    ((1, 4, 4, 2), [1, 2, 2, 1], [1, 2, 2, 1], "VALID"),
    ((2, 3, 3, 1), [1, 2, 2, 1], [1, 1, 1, 1], "SAME"),
    ((1, 5, 4, 1), [1, 3, 2, 1], [1, 2, 3, 1], "SAME"),
    ((1, 5, 4, 1), [1, 2, 2, 1], [1, 3, 2, 1], "VALID"),
]


def _pool_cases(x, y, attrs):
    case("MaxPool", distinct(*x), **attrs)
    case("MaxPoolGrad", distinct(*x), real(*y), real(*y), **attrs)
    case("MaxPoolGradGrad", distinct(*x), real(*y), real(*x), **attrs)
    case("AvgPool", real(*x), **attrs)
    case("AvgPoolGrad", ints(*x), real(*y), **attrs)


for _x, _window, _strides, _padding in POOLS:
    _attrs = {"ksize": _window, "strides": _strides, "padding": _padding}
    _pool_cases(_x, _result_shape(_x, _window, _attrs, _x[3]), _attrs)
    case("MaxPoolWithArgmax", distinct(*_x), **_attrs)
_attrs = {"ksize": [1, 1, 2, 3], "strides": [1, 1, 2, 1], **_first}
_pool_cases((1, 2, 3, 4), (1, 2, 2, 4), _attrs)
_attrs = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
case("MaxPool", real(0, 4, 4, 1), **_attrs)
case("AvgPool", real(0, 4, 4, 1), **_attrs)

# ---- Bias, normalisation, losses, the largest ------------------------------------------

case("BiasAdd", real(2, 3), real(3))
case("BiasAdd", real(2, 1, 2, 3), real(3))
case("BiasAdd", real(2, 3, 2, 2), real(3), data_format="NCHW")
case("BiasAdd", real(0, 3), real(3))
case("BiasAddGrad", real(2, 3))
case("BiasAddGrad", real(2, 1, 2, 3))
case("BiasAddGrad", real(2, 3, 2, 2), data_format="NCHW")
case("BiasAddGrad", real(0, 3))

case("LRN", real(1, 2, 1, 4).astype(np.float32), depth_radius=1, bias=2.0)
case("LRN", real(1, 1, 2, 3).astype(np.float32), bias=1.5, alpha=0.5, beta=0.75)


def _labels(*shape):
    """Rows that add up to 1, as those of labels do."""
    rows = between(0.1, 1, *shape)
    return rows / rows.sum(-1, keepdims=True)


_loss = "SoftmaxCrossEntropyWithLogits"
case(_loss, real(2, 3), _labels(2, 3))
case(_loss, real(3, 1), _labels(3, 1))
case(_loss, real(0, 3), _labels(0, 3))
# That an input is stretched is noticed where the ranks are known.
case(_loss, real(2, 3), _labels(1, 3), needs="shapes")
case(_loss, real(1, 3), _labels(2, 3), needs="shapes")
for _type in (np.int32, np.int64):
    case("Sparse" + _loss, real(3, 4), np.array([2, 0, 2], _type))
case("Sparse" + _loss, real(0, 4), np.array([], np.int32))

case("TopKV2", distinct(5), scalar(2))
case("TopKV2", distinct(2, 4), scalar(3))
case("TopKV2", distinct(2, 2, 3), scalar(1), sorted=False)
case("TopKV2", distinct(2, 3), scalar(3))
