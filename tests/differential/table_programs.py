"""Small programs that are compared: scopes, seeds, layers, shapes, sessions.

Each function here writes the text of one program, of pieces that it chooses by chance.
"""

from draw import Draw
from programs import in_graph, program

# ---- Scopes ----------------------------------------------------------------------------

_NAMES = ("a", "b", "A", "a/b", "v", "scope")


def _variable_scope(draw: Draw, label: str, depth: int, scopes: list[str]) -> list[str]:
    pick = draw.pick
    name = f"s{len(scopes)}"
    where = pick.choice(
        [repr(item) for item in _NAMES] + scopes + ["tf.get_variable_scope()"]
    )
    options = ""
    if draw.chance(0.4):
        options += f", reuse={pick.choice(('True', 'False', 'None', 'tf.AUTO_REUSE'))}"
    if draw.chance(0.15):
        options += ", auxiliary_name_scope=False"
    if draw.chance(0.15):
        options += ", initializer=tf.constant_initializer(2.0)"
    if draw.chance(0.1):
        where = f"None, default_name={pick.choice(_NAMES)!r}"
    scopes.append(name)
    return [
        f'with attempt("{label}"):',
        f"    with tf.variable_scope({where}{options}) as {name}:",
        f'        show("{label}", [{name}.name, {name}.original_name_scope, str({name}.reuse)])',
        *(f"        {line}" for line in _block(draw, depth + 1, scopes)),
    ]


def _name_scope(draw: Draw, label: str, depth: int, scopes: list[str]) -> list[str]:
    name = draw.pick.choice(("'n'", "'n/m'", "'n/'", "None", "''", "'N'"))
    return [
        f"with tf.name_scope({name}) as n{depth}:",
        f'    show("{label}", n{depth})',
        *(f"    {line}" for line in _block(draw, depth + 1, scopes)),
    ]


_VARIABLE_OPTIONS = (
    "", "", ", initializer=tf.zeros_initializer()", ", dtype=tf.float64", ", trainable=False",
    ", regularizer=lambda w: tf.reduce_sum(w)",
)  # fmt: skip


def _variable(draw: Draw, label: str) -> list[str]:
    pick = draw.pick
    options = pick.choice(_VARIABLE_OPTIONS)
    shape = pick.choice(("[2]", "[2]", "[3]", "[]"))
    return [
        f'with attempt("{label}"):',
        f"    v = tf.get_variable({pick.choice(_NAMES[:3])!r}, {shape}{options})",
        f'    show("{label}", [v.name, v.dtype, v.shape, v.op.name])',
    ]


def _statement(draw: Draw, label: str, way: int) -> list[str]:
    """One that holds no others."""
    pick = draw.pick
    if way < 8:
        return _variable(draw, label)
    if way == 8:
        name = pick.choice(("None", "'v'"))
        return [f'show("{label}", tf.Variable(1.0, name={name}).name)']
    if way == 9:
        name = pick.choice(("None", "'x'"))
        return [f'show("{label}", tf.add(1.0, 2.0, name={name}).name)']
    if way == 10 and draw.chance(0.3):
        return [
            "with tf.variable_creator_scope(lambda make, **k: make(**{**k, 'trainable': False})):",
            '    show("made", tf.Variable(1.0).trainable)',
        ]
    if way == 10:
        name = pick.choice(("None", "'d'"))
        return [
            f'with attempt("{label}"):',
            f'    show("{label}", tf.layers.dense(tf.zeros([2, 3]), 2, name={name}).name)',
        ]
    unique = 'graph.unique_name("u", mark_as_used=False)'
    return [f'show("{label}", [tf.get_variable_scope().name, {unique}])']


def _block(draw: Draw, depth: int, scopes: list[str]) -> list[str]:
    """Statements of a program of scopes, some of which hold further ones."""
    lines: list[str] = []
    for _ in range(draw.pick.randint(1, 3)):
        way = draw.pick.randrange(12)
        label = f"{len(scopes)}{depth}"
        if way < 3 and depth < 3:
            lines += _variable_scope(draw, label, depth, scopes)
        elif way < 5 and depth < 3:
            lines += _name_scope(draw, label, depth, scopes)
        else:
            lines += _statement(draw, label, way)
    return lines


def _scopes(draw: Draw) -> str:
    lines = _block(draw, 0, [])
    lines.append('show("all", [v.name for v in tf.global_variables()])')
    lines.append('show("trained", [v.name for v in tf.trainable_variables()])')
    lines.append(
        'show("losses", len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)))'
    )
    return in_graph(lines)


def _eager_scopes(draw: Draw) -> str:
    pick = draw.pick
    lines = []
    for i in range(pick.randint(1, 3)):
        lines.append(
            f"with tf.name_scope({pick.choice(('a', 'b', 'a/b', 'c/'))!r}) as n{i}:"
        )
        lines.append(f'    show("n{i}", n{i})')
        lines.append(
            f"    with tf.name_scope({pick.choice(('a', 'd', 'e/f', 'g/'))!r}) as m{i}:"
        )
        lines.append(f'        show("m{i}", m{i})')
        lines.append(f'        show("v{i}", tf.Variable(1.0, name="v").name)')
    return "\n".join(lines) + "\n"


def _templates(draw: Draw) -> str:
    pick = draw.pick
    options = pick.choice(("", ", create_scope_now_=True", ", unique_name_='u'"))
    lines = [
        "def f(x):",
        "    return x * tf.get_variable('w', [2], initializer=tf.ones_initializer())",
        f"t = tf.make_template({pick.choice(('t', 'a/t'))!r}, f{options})",
    ]
    for i in range(pick.randint(1, 3)):
        indent = ""
        if draw.chance(0.4):
            lines.append(f"with tf.{pick.choice(('variable_scope', 'name_scope'))}('s'):")
            indent = "    "
        lines.append(f"{indent}y{i} = t(tf.constant([1.0, {i}]))")
        lines.append(f'{indent}show("y{i}", y{i}.name)')
    lines.append('show("variables", [v.name for v in t.variables])')
    lines.append('show("scope", t.variable_scope.name)')
    return in_graph(lines)


# ---- Seeds -----------------------------------------------------------------------------

_RANDOM = (
    "tf.random_uniform([3]{})",
    "tf.random_normal([3]{})",
    "tf.truncated_normal([3]{})",
    "tf.random_uniform([3], maxval=9, dtype=tf.int32{})",
    "tf.random_shuffle(tf.range(5){})",
    "tf.multinomial([[0.1, 0.9, 0.5]], 4{})",
)
_SEEDS = ("None", "0", "1", "-1", "7", "2**31 - 1", "2**31", "2**40 + 3", "-5")


def _seeds(draw: Draw) -> str:
    pick = draw.pick
    lines = []
    if draw.chance(0.6):
        lines.append(f"tf.set_random_seed({pick.choice(_SEEDS[1:])})")
    if draw.chance(0.3):
        lines.append("tf.constant(1.0)")
    for i in range(pick.randint(1, 3)):
        seed = pick.choice(_SEEDS)
        kind = pick.choice(_RANDOM)
        lines.append(f'show("seed{i}", tf.get_seed({seed}))')
        lines.append(f"x{i} = {kind.format(f', seed={seed}')}")
        lines.append(
            "op = [o for o in graph.get_operations() if 'seed2' in o.node_def.attr][-1]"
        )
        lines.append(
            f'show("op{i}", [op.get_attr("seed"), op.get_attr("seed2"), op.type])'
        )
        if seed != "None" or "set_random" in lines[0]:
            lines.append(f'show("x{i}", [session.run(x{i}), session.run(x{i})])')
    return in_graph(lines)


# ---- Layers, sessions, shapes ----------------------------------------------------------

_LAYERS = (
    "tf.layers.dense(x, 3{})",
    "tf.layers.dense(x, 2, activation=tf.nn.relu, use_bias=False{})",
    "tf.layers.flatten(x)",
    "tf.layers.dropout(x, 0.5)",
    "tf.layers.batch_normalization(x, training=True{})",
    "tf.layers.conv2d(x, 2, 3, padding='same'{})",
    "tf.layers.separable_conv2d(x, 2, 3, padding='same'{})",
    "tf.layers.max_pooling2d(x, 2, 2)",
    "tf.layers.average_pooling2d(x, 2, 1, padding='same')",
)


def _layers(draw: Draw) -> str:
    pick = draw.pick
    shape = pick.choice(
        ("[2, 4, 4, 3]", "[None, 4, 4, 3]", "[None, 5]", "[2, 3, 4]", "None")
    )
    lines = [f"x = tf.placeholder(tf.float32, {shape})"]
    for i in range(pick.randint(1, 3)):
        name = pick.choice(("", "", ", name='l'", ", name='l', reuse=tf.AUTO_REUSE"))
        lines.append(f'with attempt("{i}"):')
        if draw.chance(0.3):
            lines.append(f"    with tf.variable_scope('s{i % 2}'):")
            lines.append(f"        y = {pick.choice(_LAYERS).format(name)}")
        else:
            lines.append(f"    y = {pick.choice(_LAYERS).format(name)}")
        lines.append(f'    show("y{i}", y)')
        if draw.chance(0.5):
            lines.append("    x = y")
    lines.append('show("all", [(v.name, v.shape) for v in tf.global_variables()])')
    lines.append('show("updates", len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)))')
    return in_graph(lines)


_SHAPES = (
    "[]",
    "None",
    "[2, 3]",
    "[None, 3]",
    "[2, None]",
    "[1]",
    "[0]",
    "[None]",
    "[2, 3, 4]",
)
_SHAPE_CALLS = (
    "a.merge_with(b)",
    "a.concatenate(b)",
    "a.is_compatible_with(b)",
    "a == b",
    "a != b",
    "a.as_list()",
    "a.ndims",
    "a.rank",
    "a.num_elements()",
    "a.is_fully_defined()",
    "a[0]",
    "a[-1]",
    "a[1:]",
    "a[:-1]",
    "a.with_rank(2)",
    "a.with_rank_at_least(1)",
    "a.with_rank_at_most(1)",
    "a.most_specific_compatible_shape(b)",
    "a.dims",
    "len(a)",
    "bool(a)",
    "str(a)",
    "repr(a)",
    "list(a)",
    "a.assert_is_compatible_with(b)",
    "a.assert_same_rank(b)",
    "a.assert_has_rank(2)",
    "a.assert_is_fully_defined()",
    "a + b",
    "tf.broadcast_static_shape(a, b)",
    "a[0] + 1",
    "a[0] * a[-1]",
    "a[0] // 2",
    "a[0] < 2",
    "a[0].value",
    "a.as_proto()",
)


def _shapes(draw: Draw) -> str:
    pick = draw.pick
    lines = [
        f"a = tf.TensorShape({pick.choice(_SHAPES)})",
        f"b = tf.TensorShape({pick.choice(_SHAPES)})",
    ]
    for i in range(4):
        lines.append(f'with attempt("{i}"):')
        lines.append(f'    show("{i}", {pick.choice(_SHAPE_CALLS)})')
    return "\n".join(lines) + "\n"


_TYPES = (
    "float32", "int32", "bool", "string", "complex64", "uint8", "bfloat16", "float16", "int64", "resource",
)  # fmt: skip
_TYPE_CALLS = (
    "a.name", "a.as_numpy_dtype", "a.is_floating", "a.is_integer", "a.is_complex", "a.is_bool", "a.is_unsigned",
    "a.is_numpy_compatible", "a.min", "a.max", "a.limits", "a.size", "a.base_dtype", "a.real_dtype",
    "a.as_datatype_enum", "a == b", "a == 'float32'", "a.is_compatible_with(b)", "hash(a) == hash(b)",
    "str(a)", "repr(a)", "tf.as_dtype(a.name)", "tf.as_dtype(a.as_datatype_enum)", "a.is_quantized",
)  # fmt: skip


def _types(draw: Draw) -> str:
    pick = draw.pick
    lines = [f"a, b = tf.{pick.choice(_TYPES)}, tf.{pick.choice(_TYPES)}"]
    for i in range(4):
        lines.append(f'with attempt("{i}"):')
        lines.append(f'    show("{i}", {pick.choice(_TYPE_CALLS)})')
    return "\n".join(lines) + "\n"


_FETCHES = (
    "x",
    "[x, y]",
    "(x, [y])",
    "{'a': x, 'b': y}",
    "'x:0'",
    "op",
    "[]",
    "None",
    "[x, op]",
    "'nothing:0'",
    "3",
    "v",
)
_NO_FETCHES = ("None", "'nothing:0'", "3")
_FEEDS = (
    "{x: 2.0}",
    "{x: [1.0, 2.0]}",
    "{'x:0': 3.0}",
    "{y: 7.0}",
    "{x: 'a'}",
    "{x: None}",
    "{3: 1}",
    "{}",
    "None",
    "{v: 3.0}",
)


def _sessions(draw: Draw) -> str:
    pick = draw.pick
    lines = [
        f"x = tf.placeholder({pick.choice(('tf.float32, [], name=', 'tf.float32, name='))}'x')",
        "v = tf.Variable(1.5)",
        "y = x * v",
        "op = tf.no_op(name='op')",
    ]
    feeds = _FEEDS
    if draw.chance(0.8):
        lines.append("session.run(tf.global_variables_initializer())")
    else:
        feeds = _FEEDS[:1]  # of two errors in a step either may come first
    for i in range(3):
        fetch = pick.choice(_FETCHES)
        feed = pick.choice(feeds[:1] if fetch in _NO_FETCHES else feeds)
        lines.append(f'with attempt("{i}"):')
        lines.append(f'    show("{i}", session.run({fetch}, {feed}))')
    if draw.chance(0.2):
        lines.append("session.close()")
        lines.append('with attempt("closed"):')
        lines.append("    session.run(y, {x: 1.0})")
    return in_graph(lines)


def _indexing(draw: Draw) -> str:
    pick = draw.pick
    parts = []
    for _ in range(pick.randint(0, 4)):
        way = pick.randrange(9)
        if way == 0:
            parts.append(str(pick.choice((0, 1, -1, 2, 9))))
        elif way == 1:
            parts.append(pick.choice(("None", "tf.newaxis")))
        elif way == 2 and "..." not in parts:
            parts.append("...")
        elif way == 3:
            parts.append(
                pick.choice(
                    ("tf.constant(1)", "np.int64(1)", "True", "1.5", "'a'", "[0, 1]")
                )
            )
        else:
            begin, end = (pick.choice(("", 0, 1, 2, -1, -2, 7)) for _ in "ab")
            parts.append(f"{begin}:{end}:{pick.choice(('', '', 1, 2, -1, -2, 0))}")
    index = ", ".join(parts) or "..."
    shape = pick.choice(("[2, 3, 4]", "[None, 3, None]", "None", "[5]", "[]", "[2, 0]"))
    sizes = {"[5]": "[5]", "[]": "[]", "[2, 0]": "[2, 0]"}.get(shape, "[2, 3, 4]")
    lines = [
        f"x = tf.placeholder(tf.float32, {shape})",
        f"feed = {{x: np.arange(np.prod({sizes}), dtype='float32').reshape({sizes})}}",
        f"y = x[{index}]",
        'show("y", y)',
        'show("value", session.run(y, feed))',
        "d = tf.gradients(y * y, x)",
        'show("first", session.run(d, feed))',
    ]
    return in_graph(lines)


_OPERATORS = (
    "+",
    "-",
    "*",
    "/",
    "//",
    "%",
    "**",
    "<",
    "<=",
    ">",
    ">=",
    "&",
    "|",
    "^",
    "@",
)
_OPERANDS = (
    "x",
    "2",
    "2.0",
    "True",
    "[1.0, 2.0]",
    "np.float64(2)",
    "np.array([1, 2])",
    "i",
    "b",
    "v",
    "None",
    "'a'",
    "-3",
    "2**40",
    "1j",
)


def _operators(draw: Draw) -> str:
    pick = draw.pick
    a, b = pick.choice(("x", "i", "b", "v")), pick.choice(_OPERANDS)
    if draw.chance(0.4):
        a, b = b, a
    return in_graph(
        [
            f"x = tf.constant([1.5, {pick.choice(('-2.0', '0.0', '3.0'))}])",
            "i = tf.constant([3, -2])",
            "b = tf.constant([True, False])",
            "v = tf.Variable([2.0, -1.0])",
            "session.run(tf.global_variables_initializer())",
            f"y = {a} {pick.choice(_OPERATORS)} {b}",
            'show("y", y)',
            'show("value", session.run(y) if hasattr(y, "op") else y)',
        ]
    )


ENTRIES = [
    program(
        "variable_scope",
        _scopes,
        modes=("graph",),
        weight=12,
        covers=(
            "get_variable_scope",
            "VariableScope",
            "get_variable",
            "trainable_variables",
            "global_variables",
            "variable_creator_scope",
        ),
    ),
    program("name_scope", _eager_scopes, modes=("eager",), weight=2),
    program("make_template", _templates, modes=("graph",), weight=2),
    program("set_random_seed", _seeds, modes=("graph",), weight=5, covers=("get_seed",)),
    program(
        "layers",
        _layers,
        modes=("graph",),
        weight=5,
        covers=(
            "layers.average_pooling2d",
            "layers.batch_normalization",
            "layers.conv2d",
            "layers.separable_conv2d",
            "layers.dense",
            "layers.dropout",
            "layers.flatten",
            "layers.max_pooling2d",
        ),
    ),
    program(
        "TensorShape",
        _shapes,
        modes=("eager",),
        weight=5,
        covers=("Dimension", "broadcast_static_shape"),
    ),
    program("DType", _types, modes=("eager",), weight=3),
    program("Session", _sessions, modes=("graph",), weight=4),
    program("Tensor.__getitem__", _indexing, modes=("graph",), weight=5),
    program("Tensor.operators", _operators, modes=("graph",), weight=5),
]
