"""What is compared of ``tf.math``: element by element, reductions, products."""

from draw import (
    axes,
    axis,
    computed,
    dtype,
    flag,
    like,
    maybe,
    number,
    numbers,
    one_of,
    rank_of,
    several,
    shaped,
    size_of,
    stretched,
    tensor,
    text,
    whole,
)
from programs import call
from values import COMPLEX, FLOATS, INTS, NUMBERS, REAL, SIGNED, WIDE

# ---- One argument, element by element --------------------------------------------------

_ANY = (*FLOATS, *COMPLEX)
_UNARY = {
    "abs": (*FLOATS, *SIGNED[:2], *COMPLEX),
    "acos": FLOATS,
    "acosh": FLOATS,
    "asin": FLOATS,
    "asinh": FLOATS,
    "atan": FLOATS,
    "atanh": FLOATS,
    "ceil": FLOATS,
    "conj": (*WIDE, *COMPLEX),
    "cos": _ANY,
    "cosh": FLOATS,
    "digamma": WIDE,
    "erf": FLOATS,
    "erfc": FLOATS,
    "exp": _ANY,
    "expm1": FLOATS,
    "floor": FLOATS,
    "is_finite": FLOATS,
    "is_inf": FLOATS,
    "is_nan": FLOATS,
    "lgamma": WIDE,
    "log": _ANY,
    "log1p": _ANY,
    "log_sigmoid": FLOATS,
    "negative": (*FLOATS, *SIGNED, *COMPLEX),
    "nn.elu": FLOATS,
    "nn.leaky_relu": FLOATS,
    "nn.relu": (*FLOATS, *INTS),
    "nn.relu6": (*FLOATS, *INTS),
    "nn.selu": FLOATS,
    "nn.softplus": FLOATS,
    "nn.softsign": FLOATS,
    "nn.swish": FLOATS,
    "ones_like": (*NUMBERS, "bool"),
    "reciprocal": _ANY,
    "rint": FLOATS,
    "round": (*FLOATS, "int32", "int64"),
    "rsqrt": _ANY,
    "sigmoid": _ANY,
    "sign": (*FLOATS, "int32", "int64", *COMPLEX),
    "sin": _ANY,
    "sinh": FLOATS,
    "sqrt": _ANY,
    "square": (*FLOATS, "int32", "int64", *COMPLEX),
    "tan": FLOATS,
    "tanh": _ANY,
    "zeros_like": (*NUMBERS, "bool", "string"),
}
_ALIASES = {
    "sigmoid": ("nn.sigmoid", "math.sigmoid"),
    "tanh": ("nn.tanh",),
    "log_sigmoid": ("math.log_sigmoid",),
    "nn.softplus": ("math.softplus",),
    "nn.swish": ("nn.silu",),
    "reciprocal": ("math.reciprocal",),
    "rsqrt": ("math.rsqrt",),
}

# Of these, the standard of floating point says which zero the result is.
_SIGNED_ZEROS = {"abs", "ceil", "floor", "negative", "rint", "sin", "sqrt", "tanh"}

# fmt: off
ENTRIES = [
    call(
        name,
        tensor(types, edges=0.3),
        aliases=_ALIASES.get(name, ()),
        exact=True,
        signs=name in _SIGNED_ZEROS,
    )
    for name, types in _UNARY.items()
]

# ---- Two arguments, element by element -------------------------------------------------

_BINARY = {
    "add": (*NUMBERS, "string"),
    "atan2": WIDE,
    "div_no_nan": WIDE,
    "divide": (*FLOATS, "int32"),
    "equal": (*NUMBERS, "bool", "string"),
    "floor_div": REAL,
    "floordiv": (*FLOATS, "int32", "int64", "uint8"),
    "floormod": (*FLOATS, "int32", "int64"),
    "greater": REAL,
    "greater_equal": REAL,
    "igamma": WIDE,
    "igammac": WIDE,
    "less": REAL,
    "less_equal": REAL,
    "math.multiply_no_nan": WIDE,
    "math.nextafter": WIDE,
    "math.xdivy": WIDE,
    "math.xlogy": WIDE,
    "maximum": (*FLOATS, "int32", "int64"),
    "minimum": (*FLOATS, "int32", "int64"),
    "mod": (*FLOATS, "int32", "int64"),
    "multiply": NUMBERS,
    "not_equal": (*NUMBERS, "bool", "string"),
    "polygamma": WIDE,
    "pow": (*FLOATS, "int32", "int64", *COMPLEX),
    "realdiv": _ANY,
    "squared_difference": (*FLOATS, "int32", "int64"),
    "subtract": NUMBERS,
    "truediv": (*FLOATS, "int32", "int64", "uint8"),
    "truncatediv": ("int32", "int64", "uint8"),
    "truncatemod": ("int32", "int64", *WIDE),
    "zeta": WIDE,
}
ENTRIES += [
    call(name, tensor(types, (0, 4), edges=0.25), stretched(edges=0.25), exact=True)
    for name, types in _BINARY.items()
]
ENTRIES += [
    call(name, tensor("bool"), stretched())
    for name in ("logical_and", "logical_or", "logical_xor")
]
ENTRIES += [
    call(f"bitwise.{name}", tensor(INTS), stretched())
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor")
]
ENTRIES += [
    call(
        f"bitwise.{name}",
        tensor(INTS),
        shaped(size_of, low=0, high=4, ints=(0, 6), edges=0),
    )
    for name in ("left_shift", "right_shift")
]
ENTRIES += [
    call("bitwise.invert", tensor(INTS)),
    call("logical_not", tensor("bool")),
    call("div", tensor((*FLOATS, "int32", "int64")), stretched(), exact=True),
    call("math.reciprocal_no_nan", tensor(WIDE, edges=0.3), exact=True),
    call("math.polyval", several(tensor("float32", 1, shape=(3,))), tensor("float32", 1, shape=(3,)), gradients=1),
    call("real", tensor((*COMPLEX, *WIDE)), exact=True),
    call("imag", tensor((*COMPLEX, *WIDE))),
    call("angle", tensor((*COMPLEX, *WIDE)), exact=True),
    call("complex", tensor(WIDE), stretched()),
    call("cast", tensor((*NUMBERS, "bool"), edges=0.1), dtype(*NUMBERS, "bool"), exact=True),
    call("saturate_cast", tensor(REAL, edges=0.3, low=-300, high=300), dtype(*REAL)),
    call("to_float", tensor((*REAL, "bool"))),
    call("to_double", tensor((*REAL, "bool"))),
    call("to_bfloat16", tensor((*REAL, "bool"))),
    call("to_complex64", tensor((*REAL, "bool"))),
    call("to_complex128", tensor((*REAL, "bool"))),
    call("to_int32", tensor((*FLOATS, "bool"), edges=0)),
    call("to_int64", tensor((*FLOATS, "bool"), edges=0)),
    call("bitcast", tensor(("float32", "int32", "uint32", "int64", "float64", "int16")), dtype("float32", "int32", "int64", "uint8", "float16", "float64")),
    call("clip_by_value", tensor((*FLOATS, "int32")), stretched(), stretched()),
    call("clip_by_value", tensor(WIDE), number(-2, 0), number(0, 2)),
    call("clip_by_norm", tensor(WIDE), number(0.1, 4), axes=maybe(axes())),
    call("clip_by_average_norm", tensor(WIDE), number(0.1, 4)),
    call("clip_by_global_norm", several(tensor("float32")), number(0.1, 9)),
    call("global_norm", several(tensor("float32"))),
    call("scalar_mul", one_of(2.0, 0.0, -1.5), tensor(WIDE)),
    call("add_n", [tensor((*FLOATS, "int32")), like(), like()]),
    call("accumulate_n", [tensor(WIDE), like()]),
    call("where_v2", tensor("bool"), stretched(0, (*WIDE, "int32", "string")), stretched(1)),
    call("where", tensor("bool"), like(0, (*WIDE, "int32", "string")), like(1)),
    call("where", tensor("bool"), gradients=0),
    call("where", tensor((*WIDE, "int32")), gradients=0),
]

# ---- Reductions ------------------------------------------------------------------------

_REDUCTIONS = {
    "reduce_sum": (*NUMBERS,),
    "reduce_mean": (*FLOATS, "int32", "int64", *COMPLEX),
    "reduce_max": (*FLOATS, "int32", "int64"),
    "reduce_min": (*FLOATS, "int32", "int64"),
    "reduce_prod": (*FLOATS, "int32", "int64"),
    "reduce_logsumexp": FLOATS,
    "math.reduce_std": WIDE,
    "math.reduce_variance": WIDE,
    "math.reduce_euclidean_norm": WIDE,
    "reduce_all": ("bool",),
    "reduce_any": ("bool",),
}
ENTRIES += [
    call(name, tensor(types), maybe(axes(), 0.8), keepdims=maybe(flag()))
    for name, types in _REDUCTIONS.items()
]
ENTRIES += [
    call("reduce_sum", tensor(WIDE), reduction_indices=axes(), keep_dims=maybe(flag())),
    call("reduce_sum", tensor(WIDE, (1, 4)), numbers(lambda d: [d.pick.randrange(rank_of(d))])),
    call("count_nonzero", tensor((*WIDE, "int32", "bool", "string")), maybe(axes()), keepdims=maybe(flag()), dtype=maybe(dtype("int32", "int64"))),
    call("nn.zero_fraction", tensor((*WIDE, "int32"))),
    call("nn.l2_loss", tensor(FLOATS)),
    call("norm", tensor(WIDE), one_of("euclidean", 1, 2, float("inf"), 3.0, "fro"), axis(), keepdims=maybe(flag())),
    call("norm", tensor(WIDE, (2, 4)), one_of("euclidean", 1, "fro", float("inf")), one_of([0, 1], (-2, -1), [1, 0]), keepdims=maybe(flag())),
    call("norm", tensor(WIDE), maybe(one_of("euclidean", 1, 2, float("inf")))),
    call("nn.l2_normalize", tensor(WIDE), axes()),
    call("nn.moments", tensor(FLOATS), axes(), keep_dims=maybe(flag())),
    call("nn.weighted_moments", tensor(WIDE), axes(), stretched(low=0), keep_dims=maybe(flag())),
    call("nn.sufficient_statistics", tensor(WIDE), axes(), keep_dims=maybe(flag())),
    call("nn.normalize_moments", tensor(WIDE, 0, low=1, high=4), tensor(WIDE, 1), like(1), one_of(None, 0.5)),
    call("argmax", tensor((*FLOATS, "int32")), axis(), output_type=maybe(dtype("int32", "int64"))),
    call("argmin", tensor((*FLOATS, "int32")), axis(), output_type=maybe(dtype("int32", "int64"))),
    call("cumsum", tensor((*WIDE, "int32", "complex64")), axis(), exclusive=maybe(flag()), reverse=maybe(flag())),
    call("cumprod", tensor((*WIDE, "int32", "complex64")), axis(), exclusive=maybe(flag()), reverse=maybe(flag())),
]

# ---- Products --------------------------------------------------------------------------


def _columns(draw):
    shape = size_of(draw)
    return (*shape[:-2], shape[-1], draw.pick.choice((1, 2, 3))) if len(shape) > 1 else (2, 2)


ENTRIES += [
    call("matmul", tensor((*FLOATS, "int32", "complex64"), (2, 4)), shaped(_columns)),
    call("matmul", tensor(WIDE, (2, 4)), like(), transpose_b=True),
    call("matmul", tensor(WIDE, (2, 4)), like(), transpose_a=True),
    call("matmul", tensor(COMPLEX, (2, 3)), like(), adjoint_b=True),
    call("matmul", tensor(WIDE, (0, 3)), stretched(), transpose_a=flag(), adjoint_b=flag()),
    call("tensordot", tensor(WIDE, (0, 3)), like(), one_of(0, 1, 2, [[0], [0]], [[0, 1], [0, 1]], [[-1], [-1]], [0, 0])),
    call("tensordot", tensor(WIDE, (1, 3)), like(), computed(lambda d: rank_of(d))),
    call("nn.xw_plus_b", tensor("float32", 2), shaped(lambda d: (size_of(d)[-1], 3)), shaped(lambda d: (3,))),
    call("einsum", text('"ij,jk->ik"'), tensor(WIDE, 2), shaped(lambda d: (size_of(d)[-1], 2)), has_name=False),
    call("einsum", text('"bij,bjk->bik"'), tensor(WIDE, 3), shaped(_columns), has_name=False),
    call("einsum", one_of("ij->ji", "ij->i", "ij->", "ii->i", "ij->j", "...j->..."), tensor(WIDE, 2), has_name=False),
    call("einsum", one_of("i,j->ij", "i,i->i", "i,i->", "i,i"), tensor(WIDE, 1), like(), has_name=False),
]

# ---- Segments and the like -------------------------------------------------------------


def _segments(draw):
    count = size_of(draw)[0] if rank_of(draw) else 2
    return sorted(draw.pick.randrange(3) for _ in range(count))


ENTRIES += [
    call(name, tensor((*WIDE, "int32"), (1, 3)), numbers(_segments), modes=("graph",))
    for name in ("segment_sum", "segment_mean", "segment_prod", "segment_max", "segment_min")
]
ENTRIES += [
    call(name, tensor((*WIDE, "int32"), (1, 3)), numbers(_segments), whole(3, 4))
    for name in (
        "unsorted_segment_sum",
        "unsorted_segment_mean",
        "unsorted_segment_prod",
        "unsorted_segment_max",
        "unsorted_segment_min",
        "unsorted_segment_sqrt_n",
    )
]
ENTRIES += [
    call("confusion_matrix", numbers(lambda d: [d.pick.randrange(3) for _ in range(4)]), numbers(lambda d: [d.pick.randrange(3) for _ in range(4)]), maybe(whole(3, 4)), modes=("graph",)),
    call("nn.in_top_k", tensor("float32", 2, shape=(3, 4), edges=0.3), numbers(lambda d: [d.pick.randrange(4) for _ in range(3)]), whole(1, 4)),
    call("nn.top_k", tensor((*FLOATS, "int32"), (1, 3), edges=0), maybe(one_of(0, 1, 2, 9)), sorted=maybe(one_of(True)), has_name=False),
    call("invert_permutation", numbers(lambda d: d.pick.sample(range(4), 4))),
    call("range", whole(-3, 5), maybe(whole(0, 9)), maybe(one_of(1, 2, -1, 0, 3))),
    call("range", number(-3, 5), number(-3, 9), one_of(0.5, 1.0, -0.3)),
    call("linspace", number(-3, 5), number(-3, 5), whole(0, 6), aliases=("lin_space",)),
    call("bincount", numbers(lambda d: [d.pick.randrange(5) for _ in range(6)], ("int32",)), has_name=False),
]
