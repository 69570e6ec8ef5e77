"""What is compared of assertions, variables, random numbers, metrics, parsing and the like."""

from functools import partial

import numpy as np
from draw import (
    Draw,
    axis,
    dtype,
    flag,
    like,
    maybe,
    number,
    numbers,
    one_of,
    shaped,
    size_of,
    stretched,
    tensor,
    text,
    whole,
)
from programs import call, in_graph, program
from values import ALL, FLOATS, INTS, WIDE

_GRAPH = ("graph",)


def _digits(count: int, high: int = 3):
    return numbers(lambda d: [d.pick.randrange(high) for _ in range(count)])


_SEGMENTS = one_of(
    [0, 0, 1],
    numbers(lambda d: sorted(d.pick.randrange(3) for _ in "abc"), ("int32",)),
    [1, 0, 1],
    [-1, 0, 1],
)

# fmt: off
ENTRIES = [
    call(name, tensor((*WIDE, "int32"), (0, 3), edges=0), stretched(edges=0), message=maybe("m"), gradients=0, values=False, aliases=(f"debugging.{name}",))
    for name in ("assert_equal", "assert_greater", "assert_greater_equal", "assert_less", "assert_less_equal", "assert_none_equal", "assert_near")
]
ENTRIES += [
    call(name, tensor((*WIDE, "int32"), (0, 3), edges=0, low=-0.5, ints=(-1, 4)), gradients=0, values=False, aliases=(f"debugging.{name}",))
    for name in ("assert_negative", "assert_positive", "assert_non_negative", "assert_non_positive")
]
ENTRIES += [
    call("assert_rank", tensor(WIDE), whole(0, 4), gradients=0, values=False, aliases=("debugging.assert_rank",)),
    call("assert_rank_at_least", tensor(WIDE), whole(0, 4), gradients=0, values=False, aliases=("debugging.assert_rank_at_least",)),
    call("assert_rank_in", tensor(WIDE), one_of([0, 1], [2], (1, 2, 3)), gradients=0, values=False, aliases=("debugging.assert_rank_in",)),
    call("assert_integer", tensor((*WIDE, *INTS)), gradients=0, values=False, aliases=("debugging.assert_integer",)),
    call("assert_type", tensor(ALL), dtype("float32", "int32", "bool"), gradients=0, values=False, aliases=("debugging.assert_type",)),
    call("assert_scalar", tensor(WIDE), gradients=0, values=False),
    call("assert_same_float_dtype", [tensor(WIDE), tensor((*WIDE, "int32"))], has_name=False, gradients=0),
    call("assert_proper_iterable", one_of([1], (1, 2), 3, "abc", None), has_name=False, gradients=0, aliases=("debugging.assert_proper_iterable",)),
    call("is_numeric_tensor", tensor(ALL), has_name=False, gradients=0, aliases=("debugging.is_numeric_tensor",)),
    call("is_tensor", one_of(1, "a", None, text("tf.constant(1)")), has_name=False, gradients=0),
    call("is_non_decreasing", tensor((*WIDE, "int32"), edges=0), aliases=("math.is_non_decreasing", "debugging.is_non_decreasing")),
    call("is_strictly_increasing", tensor((*WIDE, "int32"), edges=0), aliases=("math.is_strictly_increasing", "debugging.is_strictly_increasing")),
    call("as_dtype", one_of("float32", "float", "int", 1, 3, 19, 101, 0, -1, "nothing", None, text("np.float32"), text("np.dtype('int64')"), text("float"), text("bool"), text("str")), has_name=False, gradients=0),
    call("cross", tensor(WIDE, 2, shape=(2, 3)), like(), aliases=("linalg.cross",)),
    call("lbeta", tensor(WIDE, (1, 3), low=0.1, high=3, edges=0), aliases=("math.lbeta",)),
    call("matrix_determinant", tensor(WIDE, 2, shape=one_of((3, 3), (1, 1), (2, 2)), edges=0), aliases=("linalg.det",)),
    call("matrix_inverse", tensor(WIDE, 2, shape=one_of((3, 3), (1, 1), (2, 2)), edges=0), aliases=("linalg.inv",), gradients=1),
    call("linalg.adjoint", tensor((*WIDE, "complex64"), (2, 3), edges=0)),
    call("linalg.matvec", tensor(WIDE, 2), shaped(lambda d: size_of(d)[-1:])),
    call("argsort", tensor((*WIDE, "int32"), (1, 3), edges=0, values=(1.0, 2.0, 3.0, -1.0)), axis=maybe(axis()), direction=maybe(one_of("ASCENDING", "DESCENDING", "up")), stable=True),
    call("sort", tensor((*WIDE, "int32"), (1, 3), edges=0), axis=maybe(axis()), direction=maybe(one_of("ASCENDING", "DESCENDING", "up"))),
    call("histogram_fixed_width", tensor((*WIDE, "int32"), edges=0), one_of([0.0, 2.0], [-1.0, 1.0], [0, 3]), maybe(whole(1, 6)), gradients=0),
    call("histogram_fixed_width", tensor(WIDE, edges=0), like(edges=0), maybe(one_of(3, 0, -1)), gradients=0),
    call("histogram_fixed_width", tensor(WIDE, edges=0), shaped(lambda d: (2,), values=(0.0, 1.0, -1.0, 2.0, np.nan), edges=0), numbers(lambda d: d.pick.choice((1, 3, 7)), ("int32",)), gradients=0),
    call("histogram_fixed_width_bins", tensor(WIDE, edges=0), one_of([0.0, 2.0], [-1.0, 1.0]), maybe(whole(1, 6)), gradients=0),
    call("histogram_fixed_width_bins", tensor(WIDE, edges=0), shaped(lambda d: (2,), values=(0.0, 1.0, -1.0, 2.0, np.nan), edges=0), numbers(lambda d: d.pick.choice((1, 3, 7)), ("int32",)), gradients=0),
    call("batch_gather", tensor(WIDE, 2, shape=(3, 4)), numbers(lambda d: [[d.pick.randrange(4)] for _ in range(3)]), has_name=False, modes=_GRAPH),
    call("required_space_to_batch_paddings", [5, 7], [2, 3], maybe([[0, 1], [1, 0]])),
    call("sparse_segment_sum", tensor(WIDE, 2, shape=(4, 2)), _digits(3, 4), _SEGMENTS, num_segments=maybe(one_of(2, 3, 4)), aliases=("sparse.segment_sum",)),
    call("sparse_segment_mean", tensor(WIDE, 2, shape=(4, 2)), _digits(3, 4), _SEGMENTS, num_segments=maybe(one_of(2, 3, 4)), aliases=("sparse.segment_mean",)),
    call("sparse_segment_sqrt_n", tensor(WIDE, 2, shape=(4, 2)), _digits(3, 4), _SEGMENTS, num_segments=maybe(one_of(2, 3, 4)), aliases=("sparse.segment_sqrt_n",)),
    call("arg_max", tensor(WIDE, (1, 3)), axis(), gradients=0),
    call("arg_min", tensor(WIDE, (1, 3)), axis(), gradients=0),
    call("decode_raw", one_of("abcdefgh", ["ab", "cd"], "", "abc"), dtype("uint8", "int16", "float32", "int64"), little_endian=maybe(flag()), gradients=0, aliases=("io.decode_raw",)),
    call("decode_csv", one_of("1,2.5,a", ["1,2,b", ",,"], '1,"2",x', "1,2", "x,1,a"), [[1], [0.5], ["z"]], gradients=0, aliases=("io.decode_csv",)),
    call("decode_json_example", one_of('{"features": {}}', "{", ""), gradients=0, aliases=("io.decode_json_example",)),
    call("serialize_tensor", tensor((*WIDE, "int32", "string")), gradients=0, values=False, aliases=("io.serialize_tensor",)),
    call("parse_tensor", one_of("", "abc", text("tf.io.serialize_tensor(tf.constant([1.0, 2.0]))")), dtype("float32", "int32"), gradients=0, aliases=("io.parse_tensor",)),
    call("sparse_to_dense", [[0, 1], [1, 0]], [2, 3], tensor("float32", 1, shape=(2,)), maybe(0.0), gradients=0),
    call("sparse_tensor_to_dense", text("tf.SparseTensor([[0, 1], [1, 2]], [1.0, 2.0], [2, 3])"), maybe(5.0), gradients=0, aliases=("sparse.to_dense",)),
    call("sparse_reorder", text("tf.SparseTensor([[1, 1], [0, 2]], [1.0, 2.0], [2, 3])"), gradients=0, aliases=("sparse.reorder",)),
    call("random_crop", tensor("float32", 3, shape=(4, 5, 3)), one_of([2, 3, 3], [4, 5, 3], [9, 9, 3]), values=False, gradients=0),
    call("image.rgb_to_yiq", tensor("float32", 3, shape=(2, 3, 3)), has_name=False),
    call("image.yiq_to_rgb", tensor("float32", 3, shape=(2, 3, 3)), has_name=False),
    call("image.rgb_to_yuv", tensor("float32", 3, shape=(2, 3, 3)), has_name=False),
    call("image.yuv_to_rgb", tensor("float32", 3, shape=(2, 3, 3)), has_name=False),
    call("image.sobel_edges", tensor("float32", 4, shape=(1, 4, 4, 2)), has_name=False),
    call("image.psnr", tensor("float32", 3, shape=(4, 4, 1), low=0, high=1, edges=0), like(low=0, high=1, edges=0), 1.0),
    call("image.resize_image_with_pad", tensor("float32", 4, shape=(1, 3, 4, 2)), one_of(2, 6), one_of(3, 7), has_name=False, gradients=0),
    call("nn.atrous_conv2d", tensor(WIDE, 4, shape=(1, 6, 6, 2), edges=0), shaped(lambda d: (2, 2, 2, 3), edges=0), one_of(1, 2), one_of("SAME", "VALID")),
    call("nn.conv1d_transpose", tensor(WIDE, 3, shape=(2, 3, 2), edges=0), shaped(lambda d: (2, 3, 2), edges=0), [2, 6, 3], 2),
    call("nn.conv_transpose", tensor(WIDE, 4, shape=(2, 3, 2, 3), edges=0), shaped(lambda d: (2, 2, 2, 3), edges=0), [2, 6, 4, 2], 2),
    call("make_tensor_proto", one_of(1.5, [1, 2], "a", [["a"]], [], True), maybe(dtype("float32", "int64", "string")), has_name=False, gradients=0, values=False),
    call("compat.as_bytes", one_of("a", b"a", 1, None, "\u00e4"), has_name=False, gradients=0),
    call("compat.as_text", one_of("a", b"a", 1, None, b"\xc3\xa4"), has_name=False, gradients=0, aliases=("compat.as_str",)),
    call("compat.as_str_any", one_of("a", b"a", 1, None), has_name=False, gradients=0),
    call("train.noisy_linear_cosine_decay", 0.5, 3, 10, values=False, modes=_GRAPH),
    call("strings.format", "a {} b", tensor(("int32", "float32"), (0, 2), edges=0), gradients=0),
    call("nn.embedding_lookup_sparse", tensor(WIDE, 2, shape=(4, 2), edges=0), text("tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 3, 0], tf.int64), [2, 2])"), None, combiner=one_of("sum", "mean", "sqrtn", "max"), max_norm=maybe(1.0), modes=_GRAPH),
]
ENTRIES += [
    call("nn.safe_embedding_lookup_sparse", [tensor(WIDE, 2, shape=(4, 2), edges=0)], text("tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, -1, 0], tf.int64), [3, 2])"), combiner=one_of("sum", "mean", "sqrtn"), default_id=maybe(one_of(0, 2)), modes=_GRAPH),
    call("Assert", one_of(True, False, text("tf.constant([True, False])"), text("tf.constant(False)")), [tensor(WIDE)], gradients=0, values=False, aliases=("debugging.Assert",)),
    call("debugging.assert_shapes", [(tensor(WIDE, 2), ("a", "b")), (like(), ("b", "a"))], has_name=False, gradients=0, values=False),
    call("linalg.logdet", text("tf.constant([[2.0, 0.5], [0.5, 1.0]])")),
    call("compat.dimension_value", one_of(None, 3, text("tf.Dimension(3)"), text("tf.Dimension(None)")), has_name=False, gradients=0),
    call("compat.dimension_at_index", text("tf.TensorShape([2, None])"), one_of(0, 1, -1), has_name=False, gradients=0),
    call("compat.path_to_str", one_of("a", b"a", 3), has_name=False, gradients=0),
    call("nn.atrous_conv2d_transpose", tensor("float32", 4, shape=(1, 4, 4, 2), edges=0), shaped(lambda d: (2, 2, 3, 2), edges=0), [1, 6, 6, 3], 2, "VALID", gradients=1),
    call("nn.conv3d_transpose", tensor("float32", 5, shape=(1, 2, 2, 2, 2), edges=0), shaped(lambda d: (2, 2, 2, 3, 2), edges=0), [1, 4, 4, 4, 3], [1, 2, 2, 2, 1], gradients=1),
    call("nn.depthwise_conv2d_native_backprop_input", [1, 4, 4, 2], tensor("float32", 4, shape=(2, 2, 2, 3), edges=0), shaped(lambda d: (1, 4, 4, 6), edges=0), [1, 1, 1, 1], "SAME", aliases=("nn.depthwise_conv2d_backprop_input",)),
    call("nn.depthwise_conv2d_native_backprop_filter", tensor("float32", 4, shape=(1, 4, 4, 2), edges=0), [2, 2, 2, 3], shaped(lambda d: (1, 4, 4, 6), edges=0), [1, 1, 1, 1], "SAME", aliases=("nn.depthwise_conv2d_backprop_filter",)),
    call("nn.with_space_to_batch", tensor("float32", 4, shape=(1, 4, 4, 2), edges=0), [2, 2], "VALID", text("lambda x, rates, padding: tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 1, 1, 1], padding)"), [2, 2], has_name=False),
]
ENTRIES += [
    call(name, *args, has_name=False, gradients=0, values=False)
    for name, args in {
        "image.random_brightness": (tensor("float32", 3, shape=(2, 3, 3)), 0.2),
        "image.random_contrast": (tensor("float32", 3, shape=(2, 3, 3)), 0.2, one_of(0.5, 0.1)),
        "image.random_flip_left_right": (tensor("float32", (3, 4), shape=(2, 3, 3)),),
        "image.random_flip_up_down": (tensor("float32", (3, 4), shape=(2, 3, 3)),),
        "image.random_hue": (tensor("float32", 3, shape=(2, 3, 3)), one_of(0.2, 0.7)),
        "image.random_saturation": (tensor("float32", 3, shape=(2, 3, 3)), 0.2, one_of(0.5, 0.1)),
    }.items()
]
ENTRIES += [
    call(name, [2, 3], *args, gradients=0, values=False)
    for name, args in {
        "random_uniform": (number(-1, 0), number(0, 2), dtype(*FLOATS, "int32")),
        "random_normal": (0.0, number(0, 2), dtype(*FLOATS, "int32")),
        "truncated_normal": (0.0, number(0, 2), dtype(*FLOATS, "int32")),
    }.items()
]
ENTRIES += [
    call("random_shuffle", tensor(ALL), gradients=0, values=False, aliases=("random.shuffle",)),
    call("multinomial", tensor(WIDE, 2), whole(0, 3), gradients=0, values=False, aliases=("random.multinomial", "random.categorical")),
]

# ---- Initializers ----------------------------------------------------------------------

_INITIALIZERS = (
    "constant_initializer(1.5)", "zeros_initializer()", "ones_initializer()", "random_normal_initializer(seed=3)",
    "random_uniform_initializer(seed=3)", "truncated_normal_initializer(seed=3)", "orthogonal_initializer(seed=3)",
    "uniform_unit_scaling_initializer(seed=3)", "variance_scaling_initializer(seed=3)", "glorot_normal_initializer(seed=3)",
    "glorot_uniform_initializer(seed=3)", "initializers.identity(2.0)", "initializers.he_normal(seed=3)",
    "initializers.he_uniform(seed=3)", "initializers.lecun_normal(seed=3)", "initializers.lecun_uniform(seed=3)",
)  # fmt: skip


def _initializers(draw: Draw) -> str:
    """A variable with an initializer; random ones have seeds, but other algorithms."""
    initializer = draw.pick.choice(_INITIALIZERS)
    shape = draw.pick.choice(("[2, 3]", "[4]", "[2, 3, 4]", "[]", "[3, 3]"))
    lines = [f"v = tf.get_variable('v', {shape}, initializer=tf.{initializer})", 'show("v", v)']
    lines.append("session.run(tf.global_variables_initializer())")
    lines.append('show("value", session.run(v))')
    return in_graph(lines)


# ---- Variables -------------------------------------------------------------------------

_CHANGES = (
    "tf.assign(v, {})", "tf.assign_add(v, {})", "tf.assign_sub(v, {})", "v.assign({})", "v.assign_add({})",
    "tf.scatter_add(v, [0, 0], [{0}, {0}])", "tf.scatter_update(v, [1], [{}])", "tf.scatter_sub(v, [0], [{}])",
    "tf.scatter_mul(v, [1], [{}])", "tf.scatter_div(v, [1], [{}])", "tf.scatter_min(v, [1], [{}])", "tf.scatter_max(v, [0], [{}])",
)  # fmt: skip


def _changes(draw: Draw) -> str:
    """Changes of a variable, some of them of wrong shapes."""
    pick = draw.pick
    lines = ["v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name='v')", "session.run(tf.variables_initializer([v]))"]
    for i in range(pick.randint(1, 3)):
        value = pick.choice(("[2.0, 0.5]", "[[1.0, 1.0], [0.0, -1.0]]", "3.0", "[1, 2]", "['a', 'b']"))
        lines.append(f'with attempt("{i}"):')
        lines.append(f"    change = {pick.choice(_CHANGES).format(value)}")
        lines.append(f'    show("{i}", session.run(change))')
    lines.append('show("v", session.run(v))')
    lines.append('show("known", session.run([tf.is_variable_initialized(v), tf.report_uninitialized_variables()]))')
    return in_graph(lines)


_MORE = (
    "v = tf.get_local_variable('l', [2])", "show('losses', [tf.losses.get_losses(), tf.losses.get_regularization_losses()])",
    "tf.losses.add_loss(tf.constant(2.0))", "show('total', session.run(tf.losses.get_total_loss()))", "show('penalty', session.run(tf.losses.get_regularization_loss()))",
    "show('models', tf.model_variables())", "show('none', tf.no_regularizer(1.0))", "show('count', session.run(tf.count_up_to(c, 2)))",
    "show('local', [u.name for u in tf.local_variables()])", "session.run(tf.assert_variables_initialized([c]))",
    "p = tf.get_variable('p', [4, 2], partitioner=tf.fixed_size_partitioner(2))", "p = tf.get_variable('m', [4, 2], partitioner=tf.min_max_variable_partitioner(2))",
    "p = tf.get_variable('x', [4, 2], partitioner=tf.variable_axis_size_partitioner(16))", "show('all', [(u.name, u.shape) for u in tf.global_variables()])",
    "show('parts', [u.name for u in tf.create_partitioned_variables([4, 2], [2, 1], tf.zeros_initializer(), name='cut')])",
    "show('hessian', session.run(tf.hessians(tf.reduce_sum(y ** 3), y)))",
)  # fmt: skip


def _more_variables(draw: Draw) -> str:
    """Collections of losses and variables, and variables in parts."""
    lines = ["c = tf.Variable(0, name='c')", "y = tf.constant([1.0, -2.0])", "session.run(tf.global_variables_initializer())"]
    for i in range(draw.pick.randint(2, 5)):
        lines += [f'with attempt("{i}"):', f"    {draw.pick.choice(_MORE)}"]
    return in_graph(lines)


# ---- Metrics ---------------------------------------------------------------------------

_METRICS = (
    "accuracy(a, b)", "mean(x)", "mean(x, w)", "precision(a, b)", "recall(a, b)", "mean_squared_error(x, y)", "mean_absolute_error(x, y)",
    "root_mean_squared_error(x, y)", "true_positives(a, b)", "false_negatives(a, b)", "false_positives(a, b, weights=w)",
    "mean_relative_error(x, y, y)", "percentage_below(x, 0.5)", "mean_tensor(x)", "mean_iou(a, b, 2)", "auc(a, p)",
    "mean_per_class_accuracy(a, b, 2)", "mean_cosine_distance(x, y, 0)", "true_negatives(a, b)",
    "accuracy(a, b, w)", "mean_squared_error(x, y, w)", "precision(a, b, w)", "percentage_below(x, 0.5, w)", "mean_relative_error(x, y, w, w)",
    "recall(a, b, weights=w)", "auc(a, p, w)", "mean_cosine_distance(x, y, 0, w)", "mean_per_class_accuracy(a, b, 2, w)", "mean_iou(a, b, 2, w)",
    "mean_tensor(x, w)", "true_positives_at_thresholds(a, p, [0.3, 0.6], w)", "false_negatives_at_thresholds(a, p, [0.3, 0.6])",
    "precision_at_thresholds(a, p, [0.3, 0.6])", "recall_at_thresholds(a, p, [0.3, 0.6], w)",
    "true_negatives_at_thresholds(a, p, [0.3])", "false_positives_at_thresholds(a, p, [0.3])",
)  # fmt: skip


def _shape_near(draw: Draw, shape: tuple[int, ...]) -> tuple[int, ...]:
    """``shape``, or the same with a last axis of size 1, or one that does not fit."""
    return draw.pick.choices((shape, (*shape, 1), shape[:-1], (1, *shape), (2, 2)), (12, 5, 1, 1, 1))[0]


def _metric(draw: Draw, metric: str) -> str:
    """A metric of a batch, whose labels, predictions and weights may have two ranks."""
    base = draw.pick.choice(((3,), (3,), (2, 3)))

    def values(*choices: float) -> str:
        shape = _shape_near(draw, base)
        drawn = [draw.pick.choice(choices) for _ in range(int(np.prod(shape)))]
        return f"tf.constant({np.array(drawn).reshape(shape).tolist()})"

    return in_graph(
        [
            f"a, b = {values(0, 1)}, {values(0, 1)}",
            f"x, y = {values(0.5, 1.0, 0.0)}, {values(1.0, 2.0, 0.5)}",
            f"p, w = {values(0.25, 0.75, 0.5)}, {values(1.0, 0.0, 2.0)}",
            f"value, update = tf.metrics.{metric}",
            'show("names", [value.name, update.name])',
            "session.run(tf.local_variables_initializer())",
            'show("updates", [session.run(update), session.run(update)])',
            'show("value", session.run(value))',
            'show("variables", [v.name for v in tf.local_variables()])',
        ]
    )


# ---- Graphs, collections, devices ------------------------------------------------------

_GRAPH_LINES = (
    "tf.add_to_collection('c', 1)", "tf.add_to_collections(['c', 'd'], 2)", "show('c', tf.get_collection('c'))", "show('ref', tf.get_collection_ref('c'))",
    "x = tf.constant(1.0, name='x')", "show('x', [op.name for op in graph.get_operations()])", "show('by_name', graph.get_tensor_by_name('x:0'))",
    "show('op', graph.get_operation_by_name('x'))", "show('element', graph.as_graph_element('x:0'))", "graph.finalize()", "show('version', graph.version > 0)",
    "show('devices', [op.device for op in graph.get_operations()])", "show('group', tf.group(tf.constant(2.0), name='g'))", "show('tuple', tf.tuple([tf.constant(2.0)], name='t'))",
    "show('unique', graph.unique_name('x'))", "show('scope', graph.get_name_scope())", "show('feedable', graph.is_feedable(graph.get_operations()[0].outputs[0]))",
    "show('global', tf.train.get_global_step() is None)", "tf.train.create_global_step()", "tf.train.assert_global_step(tf.train.get_or_create_global_step())", "session.run(tf.global_variables_initializer())",
    "show('step', tf.train.global_step(session, tf.train.get_or_create_global_step()))", "tf.train.get_or_create_global_step()", "show('all', [v.name for v in tf.all_variables()])",
    "tf.import_graph_def(graph.as_graph_def(), name='copy')", "tf.import_graph_def(graph.as_graph_def(), name='')", "show('default', tf.get_default_graph() is graph)",
    "show('eager', tf.executing_eagerly())", "show('spec', tf.DeviceSpec(job='a', device_type='CPU', device_index=0).to_string())",
)  # fmt: skip


def _graphs(draw: Draw) -> str:
    """Statements about a graph, some of them inside of scopes."""
    pick = draw.pick
    lines = ["tf.constant(0.0, name='first')"]
    for i in range(pick.randint(2, 6)):
        line = pick.choice(_GRAPH_LINES)
        scope = pick.choice(("", "", "", "tf.device('/cpu:0')", "tf.control_dependencies([graph.get_operations()[0]])", "tf.name_scope('s')", "tf.colocate_with(graph.get_operations()[0])", "tf.container('c')", "tf.init_scope()"))
        lines.append(f'with attempt("{i}"):')
        if scope:
            lines += [f"    with {scope}:", f"        {line}"]
        else:
            lines.append(f"    {line}")
    lines.append("show('nodes', [(op.name, op.type, op.device, len(op.control_inputs)) for op in graph.get_operations()])")
    return in_graph(lines)


# ---- Graphs of early programs ----------------------------------------------------------


def _reference_graph(draw: Draw) -> str:
    """Imports and runs a random GraphDef with reference variables."""
    return in_graph([
        "from reference_graphs import RandomGraph, steps",
        f"show('steps', steps(tf, RandomGraph(tf, {draw.pick.randrange(10**6)})))",
    ])  # fmt: skip


# ---- Queues ----------------------------------------------------------------------------

_QUEUES = (
    "FIFOQueue(3, [tf.float32], [[]])", "FIFOQueue(3, tf.float32)", "RandomShuffleQueue(3, 0, [tf.float32], [[]], seed=1)",
    "PaddingFIFOQueue(3, [tf.float32], [[None]])", "PriorityQueue(3, [tf.float32], [[]])", "FIFOQueue(3, [tf.float32], [[]], names=['a'])",
)  # fmt: skip
_QUEUE_CALLS = (
    "enqueue(1.0)", "enqueue([1.0])", "enqueue([[1.0, 2.0]])", "enqueue({'a': 2.0})", "enqueue_many([[1.0, 2.0]])", "enqueue((1, 2.0))", "dequeue()", "dequeue_many(2)",
    "dequeue_up_to(2)", "size()", "close()", "close(cancel_pending_enqueues=True)", "is_closed()", "enqueue('a')",
)  # fmt: skip


def _queues(draw: Draw) -> str:
    """Calls on a queue; what would wait is not run."""
    pick = draw.pick
    lines = [f"q = tf.{pick.choice(_QUEUES)}", 'show("q", [q.name, q.dtypes, q.shapes, q.names])']
    for i in range(4):
        lines.append(f'with attempt("{i}"):')
        lines.append(f"    r = q.{pick.choice(_QUEUE_CALLS)}")
        lines.append(f'    show("{i}", r)')
        lines.append("    options = tf.RunOptions(timeout_in_ms=200)")
        lines.append(f'    show("run {i}", session.run(r, options=options))')
    return in_graph(lines)


# ---- Functions of the program ----------------------------------------------------------


def _functions(draw: Draw) -> str:
    """tf.py_func, py_function, numpy_function, switch_case, case."""
    pick = draw.pick
    kind = pick.randrange(4)
    if kind == 0:
        name = pick.choice(("py_func", "numpy_function"))
        body = pick.choice(("a + 1", "np.float32(2)", "[a, a]", "a.astype('int32')", "None", "1 / 0"))
        lines = [f"y = tf.{name}(lambda a: {body}, [tf.constant([1.0, 2.0])], {pick.choice(('tf.float32', '[tf.float32]', 'tf.int32', '[tf.float32, tf.float32]'))})", 'show("y", y)', 'show("value", session.run(y))']
    elif kind == 1:
        lines = ["x = tf.constant([1.0, 2.0])", "y = tf.py_function(lambda a: tf.square(a) * 3.0, [x], tf.float32)", 'show("y", y)', 'show("value", session.run([y, tf.gradients(y, x)]))']
    elif kind == 2:
        lines = [f"i = tf.constant({pick.choice((0, 1, 2, -1, 9))})", "y = tf.switch_case(i, [lambda: tf.constant(1.0), lambda: tf.constant(2.0)])", 'show("y", y)', 'show("value", session.run(y))']
    else:
        lines = [f"x = tf.constant({pick.choice((0, 1, 2))})", f"y = tf.case([(x < 1, lambda: tf.constant(1.0)), (x < 2, lambda: tf.constant(2.0))], default=lambda: tf.constant(3.0), exclusive={pick.choice(('True', 'False'))})", 'show("y", y)', 'show("value", session.run(y))']
    return in_graph(lines)


def _after(prefix: str, calls: tuple[str, ...]) -> tuple[str, ...]:
    """The names in calls such as ``accuracy(a, b)``."""
    return tuple(prefix + item.partition("(")[0] for item in calls)


ENTRIES += [
    program("variance_scaling_initializer", _initializers, modes=_GRAPH, weight=3, covers=(*_after("", _INITIALIZERS), *_after("initializers.", _INITIALIZERS))),
    program("Variable", _changes, modes=_GRAPH, weight=4, covers=("assign", "assign_add", "assign_sub", "scatter_add", "scatter_update", "scatter_sub", "scatter_mul", "scatter_div", "scatter_min", "scatter_max")),
    program("get_local_variable", _more_variables, modes=_GRAPH, weight=3, covers=("create_partitioned_variables", "assert_variables_initialized", "count_up_to", "fixed_size_partitioner", "hessians", "min_max_variable_partitioner", "model_variables", "no_regularizer", "variable_axis_size_partitioner", "losses.add_loss", "losses.get_losses", "losses.get_regularization_loss", "losses.get_regularization_losses", "losses.get_total_loss")),
    program("Graph", _graphs, modes=_GRAPH, weight=5, covers=("add_to_collection", "add_to_collections", "get_collection", "get_collection_ref", "group", "tuple", "device", "control_dependencies", "colocate_with", "container", "init_scope", "get_default_graph", "executing_eagerly", "DeviceSpec", "all_variables", "train.assert_global_step", "train.create_global_step", "train.global_step", "train.get_global_step", "train.get_or_create_global_step", "Operation")),
    program("import_graph_def", _reference_graph, modes=_GRAPH, weight=5),
    program("FIFOQueue", _queues, modes=_GRAPH, weight=3, covers=("RandomShuffleQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase")),
    program("py_func", _functions, modes=_GRAPH, weight=3, covers=("py_function", "numpy_function", "switch_case", "case")),
]
ENTRIES += [
    program(f"metrics.{metric.partition('(')[0]}", partial(_metric, metric=metric), modes=_GRAPH, weight=0.3)
    for metric in _METRICS
]
