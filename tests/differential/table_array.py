"""What is compared of functions that arrange: shapes, slices, gathers, joins."""

import numpy as np
from draw import (
    Draw,
    axes,
    axis,
    computed,
    dtype,
    flag,
    like,
    maybe,
    numbers,
    one_of,
    rank_of,
    several,
    shaped,
    size_of,
    stretched,
    tensor,
    whole,
)
from programs import call
from values import ALL, COMPLEX, FLOATS, NUMBERS, WIDE

_SOME = (*WIDE, "int32", "bool", "string", "complex64", "uint8")


def _other_shape(draw: Draw) -> list[int]:
    """Sizes with as many elements as tensor 0, one of them perhaps -1."""
    total = int(np.prod(size_of(draw)))
    sizes = [total]
    for part in (2, 3, 5, 4):
        if total and sizes[0] % part == 0 and draw.chance(0.6):
            sizes = [sizes[0] // part, part, *sizes[1:]]
    draw.pick.shuffle(sizes)
    if draw.chance(0.4):
        sizes[draw.pick.randrange(len(sizes))] = -1
    return sizes


def _permutation(draw: Draw) -> list[int]:
    return draw.pick.sample(range(rank_of(draw)), rank_of(draw))


def _begins(draw: Draw) -> list[int]:
    return [draw.pick.randint(0, size) for size in size_of(draw)]


def _sizes_after(draw: Draw) -> list[int]:
    begins = draw.tensors[-1].array.reshape(-1)
    return [
        draw.pick.choice((-1, draw.pick.randint(0, max(0, size - int(begin)))))
        for size, begin in zip(size_of(draw), begins, strict=False)
    ]


def _paddings(draw: Draw) -> list[list[int]]:
    return [[draw.pick.randint(0, 2), draw.pick.randint(0, 2)] for _ in size_of(draw)]


def _small_paddings(draw: Draw) -> list[list[int]]:
    return [
        [draw.pick.randint(0, max(0, min(2, size - 1))) for _ in "ab"]
        for size in size_of(draw)
    ]


def _indices(draw: Draw, high: int, shape: tuple[int, ...]) -> np.ndarray:
    count = int(np.prod(shape))
    found = [draw.pick.randrange(max(1, high)) for _ in range(count)]
    return np.array(found, int).reshape(shape)


def _shape_of_indices(draw: Draw) -> tuple[int, ...]:
    return draw.pick.choice(((), (2,), (3,), (2, 2), (0,), (1, 2, 1)))


def _rows(draw: Draw) -> np.ndarray:
    rows = size_of(draw)[0] if rank_of(draw) else 1
    return _indices(draw, rows, _shape_of_indices(draw))


def _nd_indices(draw: Draw) -> np.ndarray:
    shape = size_of(draw)
    depth = draw.pick.randint(0, len(shape))
    rows = draw.pick.choice(((2,), (1, 2), (3,), (), (0,)))
    columns = [_indices(draw, size, rows) for size in shape[:depth]]
    return np.stack(columns, -1) if columns else np.zeros((*rows, 0), int)


def _splits(draw: Draw) -> list[int]:
    size = size_of(draw)[0]
    first = draw.pick.randint(0, size)
    return [first, size - first]


# fmt: off
ENTRIES = [
    call("reshape", tensor(_SOME), numbers(_other_shape)),
    call("reshape", tensor(_SOME), computed(_other_shape)),
    call("transpose", tensor(_SOME)),
    call("transpose", tensor((*_SOME, *COMPLEX)), numbers(_permutation), conjugate=maybe(flag())),
    call("matrix_transpose", tensor((*_SOME, *COMPLEX), (2, 5)), conjugate=maybe(flag()), aliases=("linalg.matrix_transpose",)),
    call("expand_dims", tensor(_SOME, (0, 4)), axis(more=1)),
    call("squeeze", tensor(_SOME), maybe(axes())),
    call("shape", tensor(_SOME), out_type=maybe(dtype("int32", "int64"))),
    call("shape_n", several(tensor(("float32",)))),
    call("size", tensor(_SOME), out_type=maybe(dtype("int32", "int64"))),
    call("rank", tensor(_SOME)),
    call("identity", tensor(_SOME)),
    call("identity_n", [tensor(WIDE), tensor("int32")]),
    call("stop_gradient", tensor(_SOME)),
    call("guarantee_const", tensor(WIDE), gradients=0),
    call("broadcast_to", tensor(_SOME, (0, 3)), numbers(lambda d: [d.pick.choice((1, 2)), *[4 if s == 1 else s for s in size_of(d)]])),
    call("tile", tensor(_SOME, (0, 4)), numbers(lambda d: [d.pick.randint(0, 3) for _ in size_of(d)])),
    call("pad", tensor((*WIDE, "int32", "bool"), (0, 4)), numbers(_paddings), constant_values=maybe(one_of(0, 1, 2))),
    call("pad", tensor(WIDE, (1, 4)), numbers(_small_paddings), one_of("REFLECT", "SYMMETRIC", "reflect", "nothing")),
    call("slice", tensor(_SOME), numbers(_begins), numbers(_sizes_after)),
    call("strided_slice", tensor(_SOME, (1, 3)), numbers(lambda d: [d.pick.randint(-3, 3) for _ in size_of(d)], ("int32",)), numbers(lambda d: [d.pick.randint(-3, 5) for _ in size_of(d)], ("int32",)), maybe(numbers(lambda d: [d.pick.choice((1, 2, -1)) for _ in size_of(d)], ("int32",))), begin_mask=maybe(whole(0, 7)), end_mask=maybe(whole(0, 7)), shrink_axis_mask=maybe(whole(0, 7)), new_axis_mask=maybe(whole(0, 7)), ellipsis_mask=maybe(one_of(0, 1, 2, 4))),

    call("reverse", tensor(_SOME), numbers(lambda d: d.pick.sample(range(rank_of(d)), d.pick.randint(0, rank_of(d))), ("int32",))),
    call("reverse_sequence", tensor(WIDE, 3, shape=(2, 4, 3)), numbers(lambda d: [d.pick.randint(0, 4), d.pick.randint(0, 4)]), seq_axis=1, batch_axis=maybe(0)),
    call("concat", [tensor(_SOME, (1, 4)), like(), like()], axis()),
    call("concat", [tensor(_SOME, (1, 4)), stretched()], axis()),
    call("stack", [tensor(_SOME, (0, 4)), like()], maybe(axis(more=1))),
    call("parallel_stack", [tensor(WIDE, (0, 3)), like()], modes=("graph",), gradients=0),
    call("unstack", tensor(_SOME, (1, 4)), num=maybe(whole(1, 4), 0.2), axis=maybe(axis())),
    call("split", tensor(_SOME, (1, 4)), one_of(1, 2, 3), maybe(axis())),
    call("split", tensor(_SOME, (1, 3)), numbers(_splits), 0),
    call("split", tensor(_SOME, (1, 3)), computed(_splits), 0),
    call("gather", tensor(_SOME, (1, 4)), numbers(_rows), modes=("graph",)),
    call("gather", tensor(_SOME, (2, 4)), numbers(lambda d: _indices(d, min(size_of(d)), _shape_of_indices(d))), axis=axis(), modes=("graph",)),
    call("gather", tensor(WIDE, (2, 4)), numbers(lambda d: _indices(d, size_of(d)[1], (size_of(d)[0], 2))), batch_dims=one_of(1, -1), modes=("graph",)),
    call("gather", tensor(WIDE, (3, 4)), numbers(lambda d: _indices(d, min(size_of(d)), (size_of(d)[0], 2))), axis=one_of(2, -1, 1), batch_dims=1, modes=("graph",)),
    call("gather_nd", tensor(_SOME, (1, 4)), numbers(_nd_indices), modes=("graph",)),
    call("gather_nd", tensor(WIDE, (2, 3)), numbers(lambda d: _indices(d, min(size_of(d)[1:]), (size_of(d)[0], 1))), batch_dims=1, modes=("graph",)),
    call("scatter_nd", numbers(lambda d: _indices(d, 4, (3, 1))), tensor((*WIDE, "int32"), 2, shape=(3, 2)), numbers(lambda d: [4, 2])),
    call("boolean_mask", tensor(_SOME, (1, 3)), shaped(lambda d: size_of(d)[: d.pick.randint(1, rank_of(d))], "bool")),
    call("boolean_mask", tensor(_SOME, (2, 3)), shaped(lambda d: size_of(d)[1:2], "bool"), axis=1),
    call("one_hot", tensor(("int32", "int64", "uint8"), (0, 3)), whole(0, 4), axis=maybe(axis(more=1)), has_name=True),
    call("one_hot", tensor(("int32",), (0, 3)), whole(1, 4), one_of(5.0, 2), one_of(0.5, 0), dtype=maybe(dtype("float32", "int32", "float64"))),
    call("sequence_mask", tensor(("int32", "int64"), (0, 3)), maybe(one_of(0, 3, 5)), maybe(dtype("bool", "float32", "int32"))),
    call("fill", numbers(lambda d: [d.pick.randint(0, 3) for _ in range(d.pick.randint(0, 3))]), tensor(_SOME, 0)),
    call("zeros", computed(lambda d: [d.pick.randint(0, 3) for _ in range(d.pick.randint(0, 3))]), maybe(dtype(*ALL))),
    call("ones", computed(lambda d: [d.pick.randint(0, 3) for _ in range(d.pick.randint(0, 3))]), maybe(dtype(*NUMBERS, "bool"))),
    call("zeros", numbers(lambda d: [d.pick.randint(0, 3) for _ in range(2)]), maybe(dtype(*ALL))),
    call("zeros_like", tensor(ALL), maybe(dtype("float32", "int32", "bool")), optimize=maybe(flag())),
    call("ones_like", tensor((*NUMBERS, "bool")), maybe(dtype("float32", "int32", "bool")), optimize=maybe(flag())),
    call("eye", whole(0, 4), maybe(whole(0, 4)), batch_shape=maybe(one_of([2], [], [1, 2])), dtype=maybe(dtype("float32", "int32", "float64"))),
    call("diag", tensor((*WIDE, "int32"), (1, 2))),
    call("diag_part", tensor((*WIDE, "int32"), 2, shape=(3, 3)), aliases=("linalg.tensor_diag_part",)),
    call("matrix_diag", tensor((*WIDE, "int32"), (1, 3)), aliases=("linalg.diag",)),
    call("matrix_diag_part", tensor((*WIDE, "int32"), (2, 4)), aliases=("linalg.diag_part",)),
    call("matrix_band_part", tensor((*WIDE, "int32"), (2, 4)), one_of(-1, 0, 1), one_of(-1, 0, 1)),
    call("matrix_set_diag", tensor(WIDE, (2, 3)), shaped(lambda d: (*size_of(d)[:-2], min(size_of(d)[-2:])))),
    call("trace", tensor(WIDE, (2, 4)), aliases=("linalg.trace",)),
    call("meshgrid", tensor(WIDE, 1), tensor(WIDE, 1), indexing=maybe(one_of("xy", "ij")), has_name=False),
    call("repeat", tensor(_SOME, (0, 3)), one_of(0, 1, 2), maybe(axis())),
    call("repeat", tensor(_SOME, (1, 3)), numbers(lambda d: [d.pick.randint(0, 3) for _ in range(size_of(d)[0])], ("int32",)), axis=0),
    call("unique", tensor((*WIDE, "int32", "string"), 1), maybe(dtype("int32", "int64"))),
    call("unique_with_counts", tensor((*WIDE, "int32"), 1)),
    call("setdiff1d", tensor(("int32", "float32"), 1), like()),
    call("searchsorted", tensor(WIDE, 1, shape=(4,), values=(1.0, 2.0, 3.0)), tensor(WIDE, 1), side=maybe(one_of("left", "right", "up")), out_type=maybe(dtype("int32", "int64"))),
    call("space_to_depth", tensor(WIDE, 4, shape=one_of((1, 4, 4, 2), (2, 2, 4, 1), (1, 3, 4, 1))), one_of(1, 2, 3)),
    call("depth_to_space", tensor(WIDE, 4, shape=one_of((1, 2, 2, 4), (2, 1, 1, 8), (1, 2, 2, 3))), one_of(2, 3, 1)),
    call("space_to_batch", tensor(WIDE, 4, shape=one_of((1, 4, 4, 2), (2, 2, 4, 1))), one_of([[0, 0], [0, 0]], [[1, 1], [0, 2]]), 2),
    call("space_to_batch_nd", tensor(WIDE, 3, shape=(2, 4, 3)), [2], one_of([[0, 0]], [[1, 1]], [[0, 1]])),
    call("batch_to_space", tensor(WIDE, 4, shape=(4, 2, 2, 1)), one_of([[0, 0], [0, 0]], [[1, 1], [0, 2]]), 2),
    call("batch_to_space_nd", tensor(WIDE, 3, shape=(4, 2, 3)), [2], one_of([[0, 0]], [[1, 1]], [[0, 1]])),
    call("extract_image_patches", tensor(WIDE, 4, shape=(1, 5, 5, 2)), ksizes=one_of([1, 2, 2, 1], [1, 3, 1, 1]), strides=one_of([1, 1, 1, 1], [1, 2, 2, 1]), rates=one_of([1, 1, 1, 1], [1, 2, 1, 1]), padding=one_of("SAME", "VALID")),
    call("dynamic_partition", tensor(WIDE, (1, 3)), numbers(lambda d: _indices(d, 3, size_of(d)[:1]), ("int32",)), 3),
    call("dynamic_stitch", [numbers(lambda d: [0, 2], ("int32",)), numbers(lambda d: [1, 3], ("int32",))], [tensor(WIDE, 2, shape=(2, 2)), like(2)]),
    call("ensure_shape", tensor(_SOME), computed(lambda d: [None if d.chance(0.5) else s for s in size_of(d)])),
    call("placeholder_with_default", tensor(WIDE), computed(lambda d: [None if d.chance(0.5) else s for s in size_of(d)]), modes=("graph",)),
    call("constant", tensor(_SOME, 1), maybe(dtype("float32", "int32")), maybe(one_of([2, 2], [3], [])), gradients=0, modes=("eager",)),
    call("constant", one_of(0, 1.5, True, "a", [], [1, 2], [[1.0], [2]], 2**40, -1, None, [1, "a"], [[1], [1, 2]]), maybe(dtype("float32", "int32", "string", "bool", "uint8", "int64")), maybe(one_of([2], [1, 1], []))),
    call("convert_to_tensor", one_of(0, 1.5, True, "a", [], [1, 2], [[1.0], [2]], 2**40, -1, None, [1, "a"], 1j), maybe(dtype("float32", "int32", "string", "bool"))),
    call("get_static_value", tensor(_SOME), has_name=False, gradients=0, modes=("graph",)),
    call("check_numerics", tensor(FLOATS, edges=0.2), "message"),
    call("verify_tensor_all_finite", tensor(WIDE, edges=0.2), "message"),
    call("nn.embedding_lookup", tensor(WIDE, (1, 3)), numbers(_rows), max_norm=maybe(one_of(1.0, 0.5)), modes=("graph",)),
    call("nn.embedding_lookup", [tensor(WIDE, 2, shape=(3, 2)), like()], numbers(lambda d: _indices(d, 6, (4,))), one_of("mod", "div"), modes=("graph",)),
]
