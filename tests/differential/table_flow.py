"""Small programs that are compared: branches, loops, tapes, optimizers.

Each function here writes the text of one program, of pieces that it chooses by chance.
"""

from draw import Draw
from programs import in_graph, program

# ---- Branches and loops ----------------------------------------------------------------


def _expression(draw: Draw, names: list[str], depth: int = 0) -> str:
    """A differentiable scalar expression of ``names``."""
    pick = draw.pick
    way = pick.randrange(9) if depth < 3 else 0
    if way < 3:
        return pick.choice(names)
    a, b = (_expression(draw, names, depth + 1) for _ in "ab")
    return (
        f"{a} * {b}",
        f"({a} + {b})",
        f"tf.tanh({a})",
        f"tf.sin({a}) * 0.5",
        f"({a} - 0.5 * {b})",
        f"tf.maximum({a}, {b})",
    )[way - 3]


_ANY_SHAPE = "shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)]"


def _branches(draw: Draw, y: str, names: list[str]) -> list[str]:
    one, other = (_expression(draw, names) for _ in "ab")
    limit = f"{draw.pick.choice('<>')} {draw.pick.choice((0.5, 2.0))}"
    return [
        f"{y} = tf.cond(tf.reduce_sum(x) {limit},",
        f"    lambda: {one}, lambda: {other})",
    ]


def _loop_in_loop(draw: Draw, y: str, names: list[str]) -> list[str]:
    inner = _expression(draw, ["b", *names])
    return [
        "def outer_body(i, a):",
        "    return i + 1, tf.while_loop(lambda j, b: j < i, lambda j, b: (j + 1,",
        f"        {inner}), [0, a + 0.0 * tf.reduce_sum(x)], {_ANY_SHAPE})[1]",
        f"{y} = tf.while_loop(lambda i, a: i < n, outer_body, [0, w + 0.0 * tf.reduce_sum(x)], {_ANY_SHAPE})[1]",
    ]


def _branches_in_loop(draw: Draw, y: str, names: list[str]) -> list[str]:
    one, other = (_expression(draw, ["a", *names]) for _ in "ab")
    return [
        f"{y} = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1,",
        f"    tf.cond(tf.equal(i % 2, 0), lambda: {one}, lambda: {other})), [0, w + 0.0 * tf.reduce_sum(x)], {_ANY_SHAPE})[1]",
    ]


_LOOP_OPTIONS = (
    "",
    ", parallel_iterations=1",
    ", maximum_iterations=2",
    ", swap_memory=True",
)


def _loop(draw: Draw, y: str, names: list[str]) -> list[str]:
    body = _expression(draw, ["a", *names])
    options = draw.pick.choice(_LOOP_OPTIONS)
    return [
        f"{y} = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, {body}),",
        f"    [0, x * 1.0], {_ANY_SHAPE}{options})[1]",
    ]


def _flow(draw: Draw) -> str:
    pick = draw.pick
    names = ["x", "w"]
    lines = [
        f"x = tf.placeholder(tf.float32, {pick.choice(('[]', 'None', '[2]', '[None]'))})",
        f"w = {pick.choice(('tf.constant(1.5)', 'tf.Variable(0.75)', 'tf.constant(0.0)'))}",
        f"n = {pick.choice(('3', '0', '1', 'tf.constant(4)', '5'))}",
    ]
    for i in range(pick.randint(1, 2)):
        y = f"y{i}"
        if draw.chance(0.5):
            lines += _branches(draw, y, names)
        elif draw.chance(0.3):
            lines += _loop_in_loop(draw, y, names)
        elif draw.chance(0.3):
            lines += _branches_in_loop(draw, y, names)
        else:
            lines += _loop(draw, y, names)
        names.append(y)
    value = pick.choice(("0.25", "1.5", "-1.0"))
    if "[]" not in lines[0]:
        value = f"[{value}, 0.5]"
    lines.append(f"feed = {{x: {value}}}")
    lines.append("session.run(tf.global_variables_initializer())")
    lines.append(f'show("y", session.run({names[-1]}, feed))')
    lines.append(f"d = tf.gradients({names[-1]}, [x, w])")
    lines.append('show("d", [item is not None for item in d])')
    lines.append('show("first", session.run(flat(d), feed))')
    return in_graph(lines)


# ---- Tapes -----------------------------------------------------------------------------


def _tapes(draw: Draw) -> str:
    pick = draw.pick
    options = pick.choice(("", "persistent=True", "watch_accessed_variables=False"))
    names = ["x", "v", "c"]
    lines = [
        f"x = tf.constant({pick.choice((0.5, -1.0, 2.0))})",
        f"v = tf.Variable({pick.choice((0.5, 1.0))}, trainable={pick.choice(('True', 'True', 'False'))})",
        "c = tf.constant(1.25)",
        f"with tf.GradientTape({options}) as t:",
        f"    t.watch({pick.choice(('x', '[x, v]', 'v', '[x, c]'))})",
    ]
    for i in range(pick.randint(1, 3)):
        expression = _expression(draw, names)
        if draw.chance(0.15):
            lines.append("    with t.stop_recording():")
            lines.append(f"        y{i} = {expression}")
        elif draw.chance(0.1):
            lines.append("    t.reset()")
            lines.append(f"    y{i} = {expression}")
        else:
            lines.append(f"    y{i} = {expression}")
        names.append(f"y{i}")
    sources = pick.choice(
        ("[x, v, c]", "x", "{'a': x, 'b': [v]}", "v", f"[x, {names[-1]}]")
    )
    target = pick.choice((names[-1], names[-1], "v", "x", f"[{names[-1]}, x]"))
    unconnected = pick.choice(
        (
            "",
            ", unconnected_gradients=tf.UnconnectedGradients.ZERO",
            ", output_gradients=None",
        )
    )
    for i in range(pick.randint(1, 2)):
        lines.append(f'with attempt("g{i}"):')
        lines.append(f'    show("g{i}", t.gradient({target}, {sources}{unconnected}))')
    lines.append('show("watched", len(t.watched_variables()))')
    return "\n".join(lines) + "\n"


def _nested_tapes(draw: Draw) -> str:
    pick = draw.pick
    expression = _expression(draw, ["x", "v"])
    lines = [
        f"x = tf.constant({pick.choice((0.5, -1.0, 2.0))})",
        "v = tf.Variable(0.75)",
        "with tf.GradientTape() as outer:",
        "    outer.watch(x)" if draw.chance(0.7) else "    pass",
        "    with tf.GradientTape() as inner:",
        "        inner.watch(x)" if draw.chance(0.7) else "        pass",
        f"        y = {expression}",
        "    d = inner.gradient(y, [x, v])",
        'show("d", d)',
        'show("dd", outer.gradient(flat(d), [x, v]) if flat(d) else None)',
    ]
    return "\n".join(lines) + "\n"


def _custom_gradients(draw: Draw) -> str:
    pick = draw.pick
    if draw.chance(0.25):
        wrapper = pick.choice(("recompute_grad", "grad_pass_through"))
        expression = _expression(draw, ["x", "x"])
        return in_graph(
            [
                "x = tf.constant(1.5)",
                f"y = tf.{wrapper}(lambda x: {expression} + 0.0 * x)(x)",
                'show("value", session.run([y, tf.gradients(y, x)]))',
            ]
        )
    lines = [
        "@tf.custom_gradient",
        "def f(x, y):",
        f"    z = {_expression(draw, ['x', 'y'])}",
        "    def grad(dz):",
        f"        return {pick.choice(('dz * 2.0, dz * y', 'None, dz', '(dz, None)', '[dz, dz]', 'dz * x, dz * z'))}",
        "    return z, grad",
    ]
    if draw.chance(0.5):
        lines += [
            "a, b = tf.constant(1.5), tf.constant(-0.5)",
            "with tf.GradientTape(persistent=True) as t:",
            "    t.watch([a, b])",
            "    y = f(a, b) * a",
            'with attempt("g"):',
            '    show("g", t.gradient(y, [a, b]))',
        ]
        return "\n".join(lines) + "\n"
    lines += [
        "a, b = tf.constant(1.5), tf.placeholder(tf.float32, [])",
        "y = f(a, b) * a",
        'with attempt("g"):',
        "    g = tf.gradients(y, [a, b])",
        '    show("g", [item is None for item in g])',
        '    show("value", session.run(flat(g), {b: -0.5}))',
    ]
    return in_graph(lines)


# ---- Optimizers ------------------------------------------------------------------------

_OPTIMIZERS = (
    "GradientDescentOptimizer(0.1)",
    "MomentumOptimizer(0.1, 0.9)",
    "MomentumOptimizer(0.1, 0.9, use_nesterov=True)",
    "AdagradOptimizer(0.1)",
    "AdadeltaOptimizer(0.1)",
    "AdamOptimizer(0.1)",
    "RMSPropOptimizer(0.1, momentum=0.5)",
    "RMSPropOptimizer(0.1, centered=True)",
    "FtrlOptimizer(0.1, l1_regularization_strength=0.01)",
    "ProximalGradientDescentOptimizer(0.1, l2_regularization_strength=0.1)",
    "ProximalAdagradOptimizer(0.1, l1_regularization_strength=0.1)",
)
_LOSSES = (
    "tf.reduce_sum(tf.square(v))",
    "tf.reduce_sum(tf.gather(v, [0, 2, 0]) ** 2)",
    "tf.reduce_sum(tf.nn.embedding_lookup(v, [1, 1])) * 3.0",
    "tf.reduce_sum(v * [[1.0, 2.0]]) + tf.reduce_sum(tf.gather(v, [1]) ** 3)",
    "tf.reduce_sum(tf.sin(v)) * w",
)


def _optimizers(draw: Draw) -> str:
    pick = draw.pick
    lines = [
        "v = tf.Variable([[1.0, 2.0], [3.0, -4.0], [0.5, 0.0]], name='v')",
        "w = tf.Variable(2.0, name='w')",
        f"loss = {pick.choice(_LOSSES)}",
        f"optimizer = tf.train.{pick.choice(_OPTIMIZERS)}",
    ]
    if draw.chance(0.3):
        lines.append("step = tf.train.get_or_create_global_step()")
    indent = ""
    if draw.chance(0.3):
        lines.append("with tf.variable_scope('outer'):")
        indent = "    "
    way = pick.randrange(3)
    if way == 0:
        step = (
            ", global_step=step" if "step =" in lines[-1] or "step =" in lines[-2] else ""
        )
        lines.append(f"{indent}train = optimizer.minimize(loss{step})")
    else:
        lines.append(f"{indent}pairs = optimizer.compute_gradients(loss)")
        if way == 2:
            lines.append(
                f"{indent}gs, norm = tf.clip_by_global_norm([g for g, _ in pairs], 1.5)"
            )
            lines.append(f"{indent}pairs = list(zip(gs, [u for _, u in pairs]))")
        lines.append(f"{indent}train = optimizer.apply_gradients(pairs)")
    lines += [
        'show("train", train.name)',
        'show("all", [u.name for u in tf.global_variables()])',
        'show("slots", optimizer.get_slot_names())',
        "session.run(tf.global_variables_initializer())",
        "for i in range(3):",
        "    session.run(train)",
        '    show("v", session.run(v))',
        'show("others", session.run(tf.global_variables()))',
    ]
    return in_graph(lines)


def _averages(draw: Draw) -> str:
    pick = draw.pick
    lines = ["v = tf.Variable([1.0, 2.0], name='v')", "x = v * 2.0"]
    lines.append(
        f"ema = tf.train.ExponentialMovingAverage(0.9{pick.choice(('', ', num_updates=3', ', zero_debias=True'))})"
    )
    indent = ""
    if draw.chance(0.5):
        lines.append(f"with tf.{pick.choice(('variable_scope', 'name_scope'))}('outer'):")
        indent = "    "
    lines.append(f"{indent}op = ema.apply({pick.choice(('[v]', '[x]', '[v, x]', ''))})")
    lines += [
        'show("all", [u.name for u in tf.global_variables()])',
        'show("moving", [u.name for u in tf.moving_average_variables()])',
        'show("name", ema.average_name(v))',
        "session.run(tf.global_variables_initializer())",
        "session.run(op)",
        "session.run(v.assign([5.0, -1.0]))",
        "session.run(op)",
        'with attempt("average"):',
        '    show("average", session.run(ema.average(v)))',
    ]
    return in_graph(lines)


ENTRIES = [
    program(
        "while_loop", _flow, modes=("graph",), weight=8, covers=("cond", "gradients")
    ),
    program("GradientTape", _tapes, modes=("eager",), weight=8),
    program("GradientTape.nested", _nested_tapes, modes=("eager",), weight=3),
    program(
        "custom_gradient",
        _custom_gradients,
        weight=3,
        covers=("recompute_grad", "grad_pass_through"),
    ),
    program(
        "train.Optimizer",
        _optimizers,
        modes=("graph",),
        weight=8,
        covers=tuple("train." + item.partition("(")[0] for item in _OPTIMIZERS),
    ),
    program("train.ExponentialMovingAverage", _averages, modes=("graph",), weight=2),
]
