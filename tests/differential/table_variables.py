"""Programs about variables that are compared: feeds, changes of shape, loops on devices.

TensorFlow's variables are references here, as 1.15 makes them by default. Each function
writes the text of one program, of lines that it chooses by chance.
"""

from draw import Draw
from programs import program

_GRAPH = "with tf.Graph().as_default() as graph, {session} as session, reference_variables():\n"
_SESSION = "tf.Session()"


def _in_graph(lines: list[str], session: str = _SESSION) -> str:
    return _GRAPH.format(session=session) + "".join(f"    {line}\n" for line in lines)


# ---- Feeds of variables ----------------------------------------------------------------

_READS = (
    "v", "v * 2", "tf.identity(v)", "v.value() + v", "v.read_value()", "tf.shape(v)",
    "tf.convert_to_tensor(v)", "tf.reduce_sum(v * v)", "tf.cast(v, tf.float64)",
    "tf.gradients(tf.reduce_sum(v * v * v), v)", "tf.gradients(tf.reduce_sum(v * w), w)",
    "tf.cond(tf.reduce_sum(w) > c, lambda: v * 3, lambda: v - 1)",
    "tf.cond(tf.reduce_sum(v) > 0, lambda: w + 1, lambda: w - 1)",
    "tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a + v), [0, v * 0])[1]",
    "tf.gradients(tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * v), [0, v])[1], v)",
    "w + v", "[v, w]", "{'v': v, 'w': w * v}", "v.op", "tf.stack([v, v])",
)  # fmt: skip
_READS_OF_ROWS = (
    "v[0]", "v[1:]", "tf.gather(v, [1, 0])", "tf.nn.embedding_lookup(v, [1])",
    "tf.gradients(tf.reduce_sum(tf.gather(v, [1, 1]) ** 2), v)", "tf.reverse(v, [0])",
    "tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a + tf.gather(v, i)), [0, v[0]])[1]",
)  # fmt: skip
_CHANGES = (
    "v.assign(v + 1)", "v.assign_add(v)", "tf.assign_sub(v, v * 2)", "v.initializer",
    "tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(v * v))",
    "tf.train.AdamOptimizer(0.5).minimize(tf.reduce_sum(v * w), var_list=[v])",
    "tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(v * w), var_list=[w])",
    "w.assign(v * 2)", "w.assign_add(v)", "tf.cond(tf.reduce_sum(w) > 99, lambda: v.assign(w), lambda: w + v)",
)  # fmt: skip
_KEYS = ("v", "v", "v", "'v:0'", "v.name", "graph.get_tensor_by_name('v:0')", "'v'")
_VALUES = {
    "[]": ("5", "np.array(-2)", "[5]", "'a'", "2.5"),
    "[2]": ("[5, 6]", "np.array([-1, 3])", "[1, 2, 3]", "5", "[[1, 2]]", "['a', 'b']"),
    "[3, 2]": ("[[1, 2], [3, 4], [5, 6]]", "np.ones([3, 2])", "np.ones([2, 3])", "[1, 2]"),
}  # fmt: skip


def _made(draw: Draw, shape: str) -> list[str]:
    pick = draw.pick
    dtype = pick.choice(("tf.float32", "tf.float32", "tf.float64", "tf.int32"))
    if draw.chance(0.5):
        make = f"tf.get_variable('{{0}}', {shape}, {dtype}, tf.ones_initializer())"
    else:
        make = f"tf.Variable(tf.ones({shape}, {dtype}), name='{{0}}')"
    lines = [f"v = {make.format('v')}", f"w = {make.format('w')}"]
    if draw.chance(0.1):
        lines[0] = (
            f"v = tf.Variable(tf.ones({shape}, {dtype}), name='v', validate_shape=False)"
        )
    return [*lines, f"c = tf.constant({pick.choice((0, 9))}, {dtype})"]


def _fed(draw: Draw) -> str:
    pick = draw.pick
    shape = pick.choice(tuple(_VALUES))
    lines = _made(draw, shape)
    initialized = pick.choice(("[v, w]", "[v, w]", "[w]"))
    lines.append(f"session.run(tf.variables_initializer({initialized}))")
    for i in range(pick.randint(1, 4)):
        reads = _READS if shape == "[]" or draw.chance(0.7) else _READS_OF_ROWS
        what = pick.choice(_CHANGES if draw.chance(0.25) else reads)
        key, value = pick.choice(_KEYS), pick.choice(_VALUES[shape])
        if "int32" in lines[0] and "gradients" in what:
            continue  # Of integers there are none: two errors, and either may come first.
        feed = f"{{{key}: {value}}}"
        if draw.chance(0.15):
            feed = f"{{{key}: {value}, w: {pick.choice(_VALUES[shape])}}}"
        runs = [
            f"session.run(y, {feed})",
            f"session.run([y, w], {feed})",
            f"session.make_callable(y, [{key}])({value})",
            f"y.eval({feed})",
        ]
        if what in _CHANGES:
            del runs[1]  # The step reads w before or after the change, as it happens.
        run = pick.choice(runs)
        lines.append(f'with attempt("y{i}"):')
        lines.append(f"    y = {what}")
        lines.append(f'    show("y{i}", {run})')
        lines.append(f'with attempt("after{i}"):')
        lines.append(f'    show("after{i}", session.run([w, v]))')
    return _in_graph(lines)


_RATES = (
    "tf.train.exponential_decay(1.0, step, 10, 0.5)",
    "tf.train.exponential_decay(1.0, step, 10, 0.5, staircase=True)",
    "tf.train.inverse_time_decay(1.0, step, 10, 0.5)",
    "tf.train.polynomial_decay(1.0, step, 30, 0.1)",
    "tf.train.piecewise_constant(step, [5, 25], [1.0, 0.5, 0.25])",
    "tf.train.cosine_decay(1.0, step, 40)",
)


def _fed_steps(draw: Draw) -> str:
    pick = draw.pick
    lines = [
        "step = tf.train.get_or_create_global_step()",
        "v = tf.Variable([1.0, -2.0])",
        f"rate = {pick.choice(_RATES)}",
        "optimizer = tf.train.GradientDescentOptimizer(rate)",
        f"train = optimizer.minimize(tf.reduce_sum(v * v){pick.choice(('', ', global_step=step'))})",
    ]
    if draw.chance(0.8):
        lines.append("session.run(tf.global_variables_initializer())")
    else:
        lines.append("session.run(v.initializer)")
    for i in range(2):
        what = pick.choice(("rate", "[rate, train]", "train"))
        lines.append(f'with attempt("run{i}"):')
        lines.append(
            f'    show("run{i}", session.run({what}, {{step: {pick.choice((0, 7, 20, 50))}}}))'
        )
        lines.append(f'with attempt("v{i}"):')
        lines.append(f'    show("v{i}", session.run([v, step]))')
    return _in_graph(lines)


# ---- Shapes of variables ---------------------------------------------------------------

_INITIAL = ("[1.0, 2.0]", "np.ones([2, 3], np.float32)", "3.0")
_NEXT = ("[7.0, 8.0]", "[7.0, 8.0, 9.0]", "[[7.0, 8.0]]", "7.0", "np.full([2, 3], 7.0)", "np.full([2, 4], 7.0)")  # fmt: skip
_ASSIGNS = (
    "v.assign({0})", "tf.assign(v, {0})", "tf.assign(v, {0}, validate_shape=True)",
    "tf.assign(v, {0}, validate_shape=False)", "v.assign_add({0})", "tf.assign_sub(v, {0})",
    "v.load({1}, session)",
)  # fmt: skip


def _shapes(draw: Draw) -> str:
    pick = draw.pick
    options = pick.choice(("", "", ", validate_shape=False"))
    initial = pick.choice(_INITIAL)
    lines = [
        "fed = tf.placeholder(tf.float32)",
        f"v = tf.Variable({initial}{options})",
        'show("v", v)',
    ]
    if draw.chance(0.9):
        lines.append("session.run(v.initializer)")
    for i in range(pick.randint(1, 4)):
        value = pick.choice(_NEXT)
        source = pick.choice(("fed", "fed", f"tf.constant({value}, tf.float32)"))
        change = pick.choice(_ASSIGNS).format(source, value)
        lines.append(f'with attempt("a{i}"):')
        lines.append(f"    a = {change}")
        if "load" not in change:
            lines.append(f'    show("shape{i}", a.shape)')
            lines.append(f'    show("a{i}", session.run(a, {{fed: {value}}}))')
        lines.append(f'with attempt("v{i}"):')
        lines.append(f'    show("v{i}", session.run([v, v * 2.0, v.read_value()]))')
        lines.append(f'    show("static{i}", [v.shape, (v * 2.0).shape])')
    return _in_graph(lines)


_FIRST = (
    "lambda shape, dtype=None, partition_info=None: tf.zeros({0})",
    "lambda: tf.ones({0})",
    "tf.ones({0})",
    "tf.constant_initializer({1})",
)


def _initial_shapes(draw: Draw) -> str:
    pick = draw.pick
    lines = []
    for i in range(2):
        shape = pick.choice(("[2]", "[3]", "[2, 1]", "[]"))
        other = pick.choice((shape, "[2]", "[3]", "[1, 2]", "[]"))
        first = pick.choice(_FIRST).format(other, pick.choice(("1.0", "[1.0, 2.0]")))
        declared = "" if draw.chance(0.3) else f", shape={shape}"
        lines += [
            f'with attempt("v{i}"):',
            f"    v = tf.get_variable('v{i}'{declared}, initializer={first})",
            "    session.run(v.initializer)",
            f'    show("v{i}", [v.shape, session.run(v)])',
        ]
    return _in_graph(lines)


# ---- Loops on several devices ----------------------------------------------------------

_DEVICES = ("/cpu:0", "/cpu:1", "/cpu:2")
_TERMS = ("a * v", "a + v", "tf.sin(a) * w", "a * 0.5 + v * w", "a - w", "tf.tanh(a * v)")


def _step(draw: Draw, depth: int) -> str:
    """An expression of a, v and w, of which parts ask for devices."""
    pick = draw.pick
    way = pick.randrange(5) if depth < 2 else 0
    if way == 4:
        inner = _step(draw, depth + 1)
        return (
            f"tf.while_loop(lambda j, a: j < 2, lambda j, a: (j + 1, {inner}), [0, a])[1]"
        )
    if way == 3:
        one, other = (_step(draw, depth + 1) for _ in "ab")
        return f"tf.cond(a > {pick.choice((0.3, 1.5))}, lambda: {one}, lambda: {other})"
    if way == 2:
        return f"(lambda a: {_step(draw, depth + 1)})({_step(draw, depth + 1)})"
    term = pick.choice(_TERMS)
    if draw.chance(0.6):
        return f"on({pick.choice(_DEVICES)!r}, lambda: {term})"
    return f"({term})"


def _loops(draw: Draw) -> str:
    pick = draw.pick
    lines = [
        "def on(device, make):",
        "    with tf.device(device):",
        "        return make()",
    ]
    for name, value in (("v", 0.75), ("w", -0.5)):
        device = pick.choice((*_DEVICES, None))
        lines.append(f"{name} = on({device!r}, lambda: tf.Variable({value}))")
    home = pick.choice((*_DEVICES, None))
    options = pick.choice(("", ", parallel_iterations=1", ", swap_memory=True"))
    lines += [
        "session.run(tf.global_variables_initializer())",
        f"with tf.device({home!r}):",
        f"    y = tf.while_loop(lambda i, a: i < {pick.choice((0, 1, 3))},",
        f"        lambda i, a: (i + 1, {_step(draw, 0)}), [0, 1.0 + 0.0 * v]{options})[1]",
        "    d = tf.gradients(y, [v, w])",
        'show("d", [item is None for item in d])',
        'show("y", session.run([y, *flat(d)]))',
        'show("again", session.run(flat(d)))',
    ]
    session = "tf.Session(config=tf.ConfigProto(device_count={'CPU': 3}))"
    return _in_graph(lines, session)


ENTRIES = [
    program("Variable.feeds", _fed, modes=("graph",), weight=8),
    program("Variable.fed_steps", _fed_steps, modes=("graph",), weight=2),
    program("Variable.shapes", _shapes, modes=("graph",), weight=5),
    program("Variable.initial_shapes", _initial_shapes, modes=("graph",), weight=2),
    program("while_loop.devices", _loops, modes=("graph",), weight=4),
]
