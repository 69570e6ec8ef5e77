"""What is compared of families: rolls, text, sparse arithmetic, boxes in images."""

from typing import Any

import numpy as np
from draw import (
    Draw,
    Spec,
    computed,
    draw_shape,
    dtype,
    flag,
    like,
    maybe,
    number,
    numbers,
    one_of,
    rank_of,
    shaped,
    size_of,
    tensor,
    text,
    whole,
)
from programs import call, in_graph, program
from values import WIDE

_GRAPH = ("graph",)
_MANY = (*WIDE, "int32", "bool", "string", "complex64", "uint8", "int8")

# ---- Moving elements -------------------------------------------------------------------


def _shifts(draw: Draw) -> Any:
    count = draw.pick.choice((None, 1, 2, 3, 0))
    extreme = (0, 1, -1, 2, 7, -9, 10**9, -(10**9))
    if count is None:
        return draw.pick.choice(extreme)
    return np.array([draw.pick.choice(extreme) for _ in range(count)], int)


def _roll_axes(draw: Draw) -> Any:
    """As many axes as there are shifts; one may occur twice."""
    rank = max(rank_of(draw), 1)
    shape = size_of(draw, -1)
    return np.array(
        [draw.pick.randrange(-rank, rank) for _ in range(int(np.prod(shape)))], int
    ).reshape(shape)


def _places(draw: Draw, shape: tuple[int, ...], depth: int, count: int) -> np.ndarray:
    found = [
        [draw.pick.randrange(max(s, 1)) for s in shape[:depth]] for _ in range(count)
    ]
    return np.array(found, int).reshape(count, depth)


def _nd_places(draw: Draw) -> np.ndarray:
    shape = size_of(draw)
    return _places(draw, shape, draw.pick.randint(1, max(len(shape), 1)), 3)


def _nd_updates(draw: Draw) -> tuple[int, ...]:
    return (3, *size_of(draw)[size_of(draw, 1)[1] :])


# ---- Sparse tensors --------------------------------------------------------------------


def _sparse_indices(
    draw: Draw, shape: tuple[int, ...], chance: float = 0.5
) -> np.ndarray:
    """The places of some elements in order."""
    every = np.array(list(np.ndindex(*shape)), int).reshape(-1, len(shape))
    return every[[draw.chance(chance) for _ in every]]


def _new_sparse(draw: Draw, low: int, high: int) -> np.ndarray:
    """The indices of a new sparse tensor, whose shape the case notes."""
    draw.dense_shape = draw_shape(draw, low, high)
    return _sparse_indices(draw, draw.dense_shape)


def _dense_shape(draw: Draw) -> tuple[int, ...]:
    return draw.dense_shape


def _sparse(low: int, high: int) -> Spec:
    """The indices of a sparse tensor of a rank from ``low`` to ``high``."""
    return numbers(lambda d: _new_sparse(d, low, high), ("int64",))


def _values(types: Any, of: int = 0, **ranges: Any) -> Spec:
    return shaped(lambda d: size_of(d, of)[:1], types, literal=False, **ranges)


def _sizes() -> Spec:
    return numbers(lambda d: list(_dense_shape(d)), ("int64",), spoils=False)


def _second_indices() -> Spec:
    return numbers(lambda d: _sparse_indices(d, _dense_shape(d)), ("int64",))


def _broadcast(draw: Draw) -> tuple[int, ...]:
    shape = [1 if draw.chance(0.3) else size for size in _dense_shape(draw)]
    return tuple(shape[draw.pick.randint(0, len(shape)) if draw.chance(0.4) else 0 :])


def _product_shape(draw: Draw) -> tuple[int, int]:
    rows, columns = _dense_shape(draw)
    return (columns, 3) if draw.chance(0.7) else (rows, 3)


def _sparse_literal(draw: Draw, shape: tuple[int, ...]) -> str:
    """A SparseTensor as text."""
    places = _sparse_indices(draw, shape)
    values = [draw.pick.choice((0.5, -1.0, 2.0, 0.0, 3.25)) for _ in places]
    indices = f"np.array({places.tolist()}, np.int64).reshape(-1, {len(shape)})"
    return f"tf.SparseTensor({indices}, np.array({values}, np.float32), {list(shape)})"


def _sparse_text(draw: Draw) -> Any:
    return text(_sparse_literal(draw, draw_shape(draw, 1, 3)))


def _two_sparse(draw: Draw) -> str:
    """A program with operators and functions of two SparseTensors of one shape."""
    shape = draw_shape(draw, 1, 3)
    a, b = _sparse_literal(draw, shape), _sparse_literal(draw, shape)
    lines = [f"a, b = {a}, {b}", f"d = tf.fill({list(shape)}, 2.0)"]
    for i in range(draw.pick.randint(1, 3)):
        lines.append(f'with attempt("{i}"):')
        lines.append(f"    r = {draw.pick.choice(_SPARSE_EXPRESSIONS)}")
        lines.append(f'    show("{i}", session.run(r))')
    return in_graph(lines)


_SPARSE_EXPRESSIONS = (
    "tf.sparse_add(a, b)", "tf.sparse_add(a, b, thresh=1.0)", "tf.sparse_add(a, d)", "tf.sparse_add(d, a)", "tf.sparse_add(d, d)",
    "a * d", "d * a", "a / d", "a * 2.0", "a / 0.5", "a * [1.0]", "tf.sparse_maximum(a, b)", "tf.sparse_minimum(a, b)",
    "tf.sparse.maximum(a, b)", "tf.sparse.minimum(a, b)", "tf.sparse.add(a, b)", "tf.sparse_softmax(a)", "tf.sparse.softmax(a)",
    "tf.sparse_tensor_dense_matmul(a, d, adjoint_b=True)", "tf.sparse.matmul(a, d, adjoint_a=True)", "tf.sparse.sparse_dense_matmul(a, d)",
)  # fmt: skip


# ---- Boxes -----------------------------------------------------------------------------


def _box_numbers(draw: Draw) -> np.ndarray:
    count = size_of(draw, 1)[0]
    return np.array(
        [draw.pick.randrange(max(size_of(draw)[0], 1)) for _ in range(count)], int
    )


def _boxes(draw: Draw) -> tuple[int, int]:
    return (draw.pick.choice((1, 2, 3, 0)), 4)


# fmt: off
ENTRIES = [
    call("roll", tensor(_MANY, (1, 4)), numbers(_shifts, spoils=False), numbers(_roll_axes), aliases=("manip.roll",), weight=2),
    call("tensor_scatter_nd_update", tensor((*WIDE, "int32", "string"), (1, 3)), numbers(_nd_places), shaped(_nd_updates), gradients=1, aliases=("tensor_scatter_update",)),
    call("tensor_scatter_nd_add", tensor((*WIDE, "int32"), (1, 3)), numbers(_nd_places), shaped(_nd_updates), gradients=1, aliases=("tensor_scatter_add",)),
    call("tensor_scatter_nd_sub", tensor((*WIDE, "int32"), (1, 3)), numbers(_nd_places), shaped(_nd_updates), gradients=1, aliases=("tensor_scatter_sub",)),
    # Text.
    call("as_string", tensor((*WIDE, "complex64", "complex128")), precision=maybe(whole(-1, 8)), scientific=maybe(flag()), shortest=maybe(flag()), width=maybe(whole(-1, 12)), fill=maybe(one_of("", " ", "0", "-", "+", "x", "00")), gradients=0, aliases=("strings.as_string",), weight=2),
    call("as_string", tensor(("int8", "int16", "int32", "int64", "bool")), precision=maybe(whole(-1, 2), 0.1), width=maybe(whole(-1, 12)), fill=maybe(one_of("", " ", "0", "-", "+")), gradients=0),
    call("string_split", one_of(["a b", " c  d"], ["a,b c", "", ",,"], [], "a b", [["a"]], ["abc"]), maybe(one_of(" ", ",", " ,", "", "b")), maybe(flag()), gradients=0, has_name=False),
    call("strings.split", one_of(["a b", " c  d"], ["a<>b<>", "", "<><>c"], [["a b"], ["c d e"]], ["\ta\n b "]), maybe(one_of(None, " ", "<>", "")), maybe(whole(-2, 2)), gradients=0, has_name=False, modes=_GRAPH),
    call("string_join", [tensor("string", (0, 2)), like()], maybe(one_of("", "-", "ab")), gradients=0, aliases=("strings.join",)),
    call("string_join", ["x", tensor("string", (0, 3)), "y"], separator=maybe("|"), gradients=0),
    call("reduce_join", tensor("string", (0, 4)), maybe(one_of(None, 0, 1, -1, [0], [1, 0], [0, 1], [])), keep_dims=maybe(flag()), separator=maybe(one_of("", ",")), gradients=0, aliases=("strings.reduce_join",), modes=_GRAPH),
    call("string_strip", one_of(" a ", ["\t\n x y \v\f\r", "", "  "], tensor("string")), gradients=0, aliases=("strings.strip",)),
    call("strings.lower", one_of("AbC", tensor("string")), gradients=0),
    call("strings.upper", one_of("AbC", tensor("string")), gradients=0),
    call("strings.length", one_of("a\u00e4\u20ac", tensor("string")), unit=maybe(one_of("BYTE", "UTF8_CHAR", "x")), gradients=0),
    call("substr", one_of("hello", "a\u00e4\u20acx", ["hello", "abcdefg"], ["ab"]), one_of(0, 1, -1, -3, 9, 2), one_of(0, 1, 3, 100), unit=maybe(one_of("BYTE", "UTF8_CHAR")), gradients=0, aliases=("strings.substr",)),
    call("substr", one_of(["hello", "abcdefg"], [["hello"], ["world"]]), one_of([0, 1], [[1, 2]], [0]), one_of([1, 2], [[3, 4]], [2]), gradients=0),
    call("string_to_number", one_of("1.5", ["1", "-2"], " 3 ", "x", "", "1e400", "inf", "12345678901", "+4", "0x10", "nan", "-1e-50"), maybe(dtype("float32", "float64", "int32", "int64")), gradients=0, aliases=("strings.to_number",)),
    call("string_to_hash_bucket_fast", tensor("string"), one_of(1, 10, 1000, 2**62, 0), gradients=0, aliases=("strings.to_hash_bucket_fast",)),
    call("string_to_hash_bucket_fast", computed(lambda d: ["".join(d.pick.choice("abcdXYZ 019") for _ in range(d.pick.randint(0, 300)))]), 2**62, gradients=0),
    call("string_to_hash_bucket_strong", computed(lambda d: ["".join(d.pick.choice("abcdXYZ 019") for _ in range(d.pick.randint(0, 40)))]), 2**62, one_of([1, 2], [-5, 7], [3], [2**62, 0]), gradients=0, aliases=("strings.to_hash_bucket_strong",)),
    call("string_to_hash_bucket", computed(lambda d: ["".join(d.pick.choice("abcdXYZ 019") for _ in range(d.pick.randint(0, 40)))]), one_of(7, 2**62), gradients=0, aliases=("strings.to_hash_bucket",)),
    # Sparse tensors. The ops themselves have gradients by the values; functions take SparseTensors.
    call("raw_ops.SparseTensorDenseMatMul", a_indices=_sparse(2, 2), a_values=_values((*WIDE, "int32", "complex64"), edges=0), a_shape=_sizes(), b=shaped(_product_shape, of=1, edges=0), adjoint_a=maybe(flag(), 0.3), adjoint_b=maybe(flag(), 0.2), weight=3),
    call("raw_ops.SparseAdd", a_indices=_sparse(1, 3), a_values=_values((*WIDE, "int32"), edges=0), a_shape=_sizes(), b_indices=_second_indices(), b_values=_values(None, of=3, edges=0), b_shape=_sizes(), thresh=one_of(0, 1, 2), gradients=1, weight=2),
    call("raw_ops.SparseTensorDenseAdd", a_indices=_sparse(1, 3), a_values=_values((*WIDE, "int32", "complex64"), edges=0), a_shape=_sizes(), b=shaped(_dense_shape, of=1, edges=0)),
    call("raw_ops.SparseDenseCwiseMul", sp_indices=_sparse(1, 3), sp_values=_values((*WIDE, "int32", "complex64"), edges=0), sp_shape=_sizes(), dense=shaped(_broadcast, of=1, edges=0), gradients=1),
    call("raw_ops.SparseDenseCwiseDiv", sp_indices=_sparse(1, 3), sp_values=_values(WIDE, edges=0), sp_shape=_sizes(), dense=shaped(_broadcast, of=1, edges=0, low=0.5), gradients=1),
    call("raw_ops.SparseDenseCwiseAdd", sp_indices=_sparse(1, 3), sp_values=_values((*WIDE, "int32"), edges=0), sp_shape=_sizes(), dense=shaped(_broadcast, of=1, edges=0), gradients=0),
    call("raw_ops.SparseReduceSum", input_indices=_sparse(1, 4), input_values=_values((*WIDE, "int32"), edges=0), input_shape=_sizes(), reduction_axes=one_of([0], [-1], [0, 1], 0, [1], [], [5]), keep_dims=maybe(flag())),
    call("raw_ops.SparseSoftmax", sp_indices=_sparse(2, 3), sp_values=_values(("float32", "float64"), edges=0), sp_shape=_sizes()),
    call("raw_ops.SparseReorder", input_indices=_sparse(1, 3), input_values=_values((*WIDE, "int32", "string"), edges=0), input_shape=_sizes()),
    call("sparse_reduce_sum", computed(_sparse_text), maybe(one_of(None, 0, -1, [0, 1], [0])), keepdims=maybe(flag()), gradients=0, has_name=False, aliases=("sparse.reduce_sum",)),
    call("sparse_reduce_max", computed(_sparse_text), maybe(one_of(None, 0, -1, [0, 1], [0])), keepdims=maybe(flag()), gradients=0, has_name=False, aliases=("sparse.reduce_max",)),
    call("sparse_reduce_sum_sparse", computed(_sparse_text), maybe(one_of(None, 0, -1, [0, 1])), keepdims=maybe(flag()), gradients=0, has_name=False, aliases=("sparse.reduce_sum_sparse",)),
    call("sparse_reduce_max_sparse", computed(_sparse_text), maybe(one_of(None, 0, -1, [0, 1])), keepdims=maybe(flag()), gradients=0, has_name=False, aliases=("sparse.reduce_max_sparse",)),
    call("sparse_retain", text("tf.SparseTensor([[0, 1], [1, 0], [1, 2]], [1.0, 2.0, 3.0], [2, 3])"), one_of([True, False, True], [False] * 3, [True]), gradients=0, has_name=False, aliases=("sparse.retain",)),
    call("sparse_transpose", computed(_sparse_text), maybe(one_of(None, [0], [1, 0], [2, 0, 1])), gradients=0, aliases=("sparse.transpose",)),
    call("sparse.from_dense", tensor((*WIDE, "int32"), (1, 4), edges=0), gradients=0),
    call("sparse.eye", whole(0, 4), maybe(whole(0, 4)), gradients=0),
    program("sparse_add", _two_sparse, modes=_GRAPH, weight=4, covers=("sparse_tensor_dense_matmul", "sparse_maximum", "sparse_minimum", "sparse_softmax", "sparse.add", "sparse.matmul", "sparse.maximum", "sparse.minimum", "sparse.softmax", "sparse.sparse_dense_matmul")),
    # Boxes.
    call("image.crop_and_resize", tensor((*WIDE, "int32", "uint8"), 4, edges=0), shaped(_boxes, "float32", low=-0.3, high=1.3, edges=0), numbers(_box_numbers, ("int32",)), numbers(lambda d: [d.pick.randint(1, 4), d.pick.randint(1, 4)], ("int32",)), method=maybe(one_of("bilinear", "nearest", "x"), 0.3), extrapolation_value=maybe(one_of(0.0, 2.5)), gradients=1, weight=3),
    call("image.non_max_suppression", tensor("float32", 2, shape=one_of((5, 4), (8, 4), (0, 4), (1, 4)), low=0, high=1, edges=0), shaped(lambda d: size_of(d)[:1], low=0, high=1, edges=0.1), whole(0, 6), maybe(number(0, 1)), maybe(number(0, 1)), gradients=0, weight=2),
    call("image.non_max_suppression_with_scores", tensor("float32", 2, shape=one_of((5, 4), (8, 4)), low=0, high=1, edges=0), shaped(lambda d: size_of(d)[:1], low=0, high=1, edges=0), whole(0, 6), maybe(number(0, 1)), maybe(number(0, 0.5)), maybe(number(0, 1)), gradients=0, weight=2),
    call("image.non_max_suppression_padded", tensor("float32", 2, shape=one_of((5, 4), (8, 4)), low=0, high=1, edges=0), shaped(lambda d: size_of(d)[:1], low=0, high=1, edges=0), whole(0, 9), maybe(number(0, 1)), maybe(number(0, 0.5)), maybe(flag()), gradients=0, values=False),
    call("image.non_max_suppression_overlaps", tensor("float32", 2, shape=one_of((5, 5), (3, 3)), low=0, high=1, edges=0), shaped(lambda d: size_of(d)[:1], low=0, high=1, edges=0), whole(0, 6), maybe(number(0, 1)), maybe(number(0, 0.5)), gradients=0),
    call("image.draw_bounding_boxes", tensor(("float32", "float16"), 4, shape=one_of((1, 5, 4, 3), (2, 3, 3, 1), (1, 4, 4, 4), (1, 3, 3, 2)), edges=0), shaped(lambda d: (size_of(d)[0], 3, 4), "float32", low=-0.5, high=1.5, edges=0), colors=maybe(one_of(None, [[0.5, 0.25, 0.125, 1.0]], [[1.0]])), gradients=0),
]

# ---- Parts of variables ----------------------------------------------------------------

_PARTS = (
    "tf.scatter_nd_update(v, [[0, 1]], [{0}])", "tf.scatter_nd_add(v, [[0], [0]], [[{0}, {0}], [{0}, 1.0]])", "tf.scatter_nd_sub(v, [[1]], [[{0}, {0}]])",
    "tf.scatter_nd_add(v, [[2]], [[{0}, {0}]])", "tf.scatter_nd_update(v, [[0, -1]], [{0}])", "tf.scatter_nd_update(v, [[0]], [{0}])",
    "tf.batch_scatter_update(v, [[1], [0]], [[{0}], [{0}]])", "tf.scatter_nd_add(v, np.zeros([0, 1], int), np.zeros([0, 2], np.float32))",
    "tf.scatter_nd_update(w, [[1]], ['x'])", "tf.scatter_nd_update(v, tf.constant([[1]], tf.int64), [[{0}, {0}]])", "tf.scatter_nd_sub(v, [0, 1], {0})",
)  # fmt: skip


def _parts(draw: Draw) -> str:
    """Changes of parts of variables, some of them of wrong shapes or places."""
    lines = ["v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name='v', use_resource=True)", "w = tf.Variable(['a', 'b'], name='w', use_resource=True)"]
    lines.append("session.run(tf.variables_initializer([v, w]))")
    for i in range(draw.pick.randint(1, 3)):
        value = draw.pick.choice(("2.0", "-0.5", "1e30"))
        lines.append(f'with attempt("{i}"):')
        lines.append(f"    change = {draw.pick.choice(_PARTS).format(value)}")
        lines.append(f'    show("{i}", session.run(change))')
    lines.append('show("v", session.run([v, w]))')
    return in_graph(lines)


ENTRIES.append(program("scatter_nd_update", _parts, modes=_GRAPH, weight=3, covers=("scatter_nd_add", "scatter_nd_sub", "batch_scatter_update")))
