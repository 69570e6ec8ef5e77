"""Cases of ``tf.layers`` with numbers, and of the metrics of rankings.

A layer's variables get numbers that follow from their shapes, so that both frameworks
have the same. Its output, its losses and all gradients are compared.
"""

from draw import Draw
from programs import in_graph, program

# ---- Layers ----------------------------------------------------------------------------

_ACTIVATIONS = ("None", "None", "tf.nn.relu", "tf.nn.tanh")
_SIZES = {1: (7,), 2: (5, 6), 3: (3, 4, 5)}
_PENALTY = "lambda v: tf.reduce_sum(v * v)"


def _number_for_axes(draw: Draw, axes: int, largest: int) -> str:
    """One number for all axes, or one for each; seldom too many."""
    numbers = [draw.pick.randint(1, largest) for _ in range(axes)]
    if draw.chance(0.05):
        numbers.append(1)
    if len(numbers) == 1 or draw.chance(0.5):
        return str(numbers[0])
    return str(tuple(numbers) if draw.chance(0.5) else numbers)


def _convolution(draw: Draw, kind: str, axes: int) -> str:
    pick = draw.pick
    options = [f"{pick.randint(1, 3)}", _number_for_axes(draw, axes, 3)]
    if draw.chance(0.5):
        options.append(f"strides={_number_for_axes(draw, axes, 3)}")
    elif not kind.endswith("transpose") and axes < 3 and draw.chance(0.5):
        options.append(f"dilation_rate={_number_for_axes(draw, axes, 2)}")
    paddings = ["'valid'", "'same'", "'SAME'"] + ["'causal'"] * draw.chance(0.2)
    options.append(f"padding={pick.choice(paddings)}")
    if kind.startswith("separable"):
        options.append(f"depth_multiplier={pick.randint(1, 2)}")
        first = "depthwise"
    else:
        first = "kernel"
    for name, value, chance in (
        ("activation", pick.choice(_ACTIVATIONS), 0.4),
        ("use_bias", "False", 0.3),
        (f"{first}_regularizer", _PENALTY, 0.3),
        ("bias_regularizer", _PENALTY, 0.2),
        ("activity_regularizer", _PENALTY, 0.2),
        ("trainable", "False", 0.1),
        ("name", "'l'", 0.3),
    ):
        if draw.chance(chance):
            options.append(f"{name}={value}")
    return f"tf.layers.{kind}{axes}d(x, {', '.join(options)})"


def _pooling(draw: Draw, kind: str, axes: int) -> str:
    window = _number_for_axes(draw, axes, 3)
    # TensorFlow's pools over three axes begin inside of the volume if a stride is longer
    # than the window.
    strides = window if axes == 3 else _number_for_axes(draw, axes, 3)
    padding = draw.pick.choice(("valid", "same"))
    return f"tf.layers.{kind}{axes}d(x, {window}, {strides}, padding='{padding}')"


def _layer(draw: Draw) -> tuple[str, int]:
    """The call of a layer, and over how many axes it goes."""
    axes = draw.pick.choice((1, 1, 2, 2, 3))
    kinds = ["conv", "max_pooling", "average_pooling"]
    if axes < 3:
        kinds.append("separable_conv")
    kind = draw.pick.choice(kinds)
    if "pooling" in kind:
        return _pooling(draw, kind, axes), axes
    text = _convolution(draw, kind, axes)
    if axes > 1 and kind == "conv" and draw.chance(0.5):
        text = _convolution(draw, "conv{}_transpose", axes)
        text = text.replace(f"conv{{}}_transpose{axes}d", f"conv{axes}d_transpose")
    return text, axes


def _layer_values(draw: Draw) -> str:
    """A layer, with the sizes of its input known or not."""
    text, axes = _layer(draw)
    shape = [2, *_SIZES[axes], draw.pick.randint(1, 3)]
    if draw.chance(0.05):
        shape.pop(1)
    known = [None if draw.chance(0.25) else size for size in shape]
    if draw.chance(0.9):
        known[-1] = shape[-1]
    return in_graph(
        [
            f"x = tf.placeholder(tf.float32, {known})",
            "def wave(*shape): return np.sin(np.arange(np.prod(shape)) * 1.7).reshape(shape)",
            f"feed = {{x: wave(*{shape})}}",
            f"y = {text}",
            'show("y", y)',
            "variables = tf.global_variables()",
            'show("variables", [(v.name, v.shape) for v in variables])',
            'show("trained", [v.name for v in tf.trainable_variables()])',
            "for v in variables: v.load(wave(*v.shape.as_list()), session)",
            'show("value", session.run(y, feed))',
            "losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)",
            'show("losses", session.run(losses, feed))',
            "total = tf.add_n([tf.reduce_sum(tf.sin(y)), *losses])",
            "for i, g in enumerate(tf.gradients(total, [x, *tf.trainable_variables()])):",
            '    show(f"gradient{i}", session.run(g, feed))',
        ]
    )


# ---- Metrics of rankings ---------------------------------------------------------------


def _rows(draw: Draw, sizes: list[int], classes: range) -> list:
    if not sizes:
        return draw.pick.choice(classes)
    return [_rows(draw, sizes[1:], classes) for _ in range(sizes[0])]


def _ranking_metric(draw: Draw) -> str:
    """Precision or recall of the first k of six classes, over two batches."""
    pick = draw.pick
    outer = pick.choice(([3], [2, 2]))
    count = pick.randint(1, 4)
    labels = str(_rows(draw, [*outer, *[count] * draw.chance(0.8)], range(-1, 7)))
    lines = [f"labels = tf.constant({labels}, tf.int64)"]
    if draw.chance(0.3):
        places = sorted({(pick.randint(0, 2), pick.randint(0, 3)) for _ in range(5)})
        values = [pick.randint(0, 6) for _ in places]
        outer = [3]
        lines = [
            f"labels = tf.SparseTensor({[list(place) for place in places]}, "
            f"tf.constant({values}, tf.int64), [3, 4])"
        ]
    size = [*outer, 6]
    lines.append(
        f"scores = tf.constant(np.sin(np.arange({6**3}) * {pick.randint(2, 9)}.3)"
    )
    lines[-1] += f"[:np.prod({size})].reshape({size}), tf.float32)"
    k = pick.randint(1, 4)
    name = pick.choice(("precision", "recall", "average_precision"))
    options = []
    if name != "average_precision" and draw.chance(0.4):
        options.append(f"class_id={pick.randint(0, 6)}")
    if draw.chance(0.4):
        weights = _rows(draw, outer, range(3))
        options.append(f"weights={pick.choice((weights, 0.5, [1.0, 2.0]))}")
    options += ["name='m'"] * draw.chance(0.3)
    if name != "average_precision" and draw.chance(0.4):
        given = f"tf.constant({_rows(draw, [*outer, k], range(6))}), k={k}"
        call = f"{name}_at_top_k(labels, {given}"
    else:
        call = f"{name}_at_k(labels, scores, {k}"
    return in_graph(
        [
            *lines,
            f"value, update = tf.metrics.{', '.join([call, *options])})",
            'show("names", [value.name, update.name])',
            "session.run(tf.local_variables_initializer())",
            'show("updates", [session.run(update), session.run(update)])',
            'show("value", session.run(value))',
            'show("variables", sorted(v.name for v in tf.local_variables()))',
        ]
    )


def _rate_metric(draw: Draw) -> str:
    """One rate at another one, or the area under a curve, over two batches."""
    pick = draw.pick
    count = pick.randint(1, 12)
    labels = [pick.randint(0, 1) for _ in range(count)]
    scores = [pick.randint(0, 20) / 20 for _ in range(count)]
    options = [f"num_thresholds={pick.choice((3, 11, 200))}"]
    if draw.chance(0.4):
        options.append(f"weights={[pick.choice((0.0, 0.5, 2.0)) for _ in labels]}")
    rate = pick.choice((0.0, 0.25, 0.5, 0.7, 1.0, 1.5))
    metric = pick.choice(
        (
            f"sensitivity_at_specificity(labels, scores, {rate}",
            f"specificity_at_sensitivity(labels, scores, {rate}",
            "auc(labels, scores, curve='PR', summation_method='careful_interpolation'",
            "auc(labels, scores, summation_method='careful_interpolation'",
        )
    )
    return in_graph(
        [
            f"labels, scores = tf.constant({labels}), tf.constant({scores})",
            f"value, update = tf.metrics.{', '.join([metric, *options])})",
            "session.run(tf.local_variables_initializer())",
            'show("updates", [session.run(update), session.run(update)])',
            'show("value", session.run(value))',
        ]
    )


_OF_AXES = ("layers.conv{}d", "layers.max_pooling{}d", "layers.average_pooling{}d")
_AT_K = ("precision_at_k", "recall_at_k", "average_precision_at_k")
_AT_TOP_K = ("precision_at_top_k", "recall_at_top_k")

ENTRIES = [
    program(
        "layer_values",
        _layer_values,
        modes=("graph",),
        weight=6,
        covers=(
            *(name.format(axes) for name in _OF_AXES for axes in (1, 2, 3)),
            "layers.conv2d_transpose",
            "layers.conv3d_transpose",
            "layers.separable_conv1d",
            "layers.separable_conv2d",
        ),
    ),
    program(
        "ranking_metrics",
        _ranking_metric,
        modes=("graph",),
        weight=3,
        covers=tuple(f"metrics.{name}" for name in (*_AT_K, *_AT_TOP_K)),
    ),
    program(
        "rate_metrics",
        _rate_metric,
        modes=("graph",),
        weight=2,
        covers=(
            "metrics.auc",
            "metrics.sensitivity_at_specificity",
            "metrics.specificity_at_sensitivity",
        ),
    ),
]
