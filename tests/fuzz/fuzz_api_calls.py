"""The calls of ``./lab fuzz api``, as text: every public function and method.

A call begins as one that makes sense: an argument called ``axis`` is an axis, one called
``shape`` a shape. Then an argument or two are replaced by something unexpected.
A call is text, so that it can be noted before it is made, made again in another process,
made smaller, and printed as a script.

Read next: ``fuzz_api_worker.py``.
"""

import inspect
import random
import re
import types
from typing import Any

MODULES = (
    "",
    "bitwise",
    "data",
    "errors",
    "gfile",
    "image",
    "initializers",
    "io",
    "layers",
    "linalg",
    "losses",
    "math",
    "metrics",
    "nn",
    "python_io",
    "random",
    "raw_ops",
    "strings",
    "summary",
    "train",
)

# These change the process for all calls after them, or are made to wait.
LEFT_OUT = {
    "disable_v2_behavior",
    "disable_control_flow_v2",
    "disable_eager_execution",
    "disable_resource_variables",
    "enable_control_flow_v2",
    "enable_eager_execution",
    "enable_resource_variables",
    "reset_default_graph",
    "load_op_library",
    "set_vocabulary",
    "RegisterGradient",
    "NoGradient",
    "NotDifferentiable",
    "no_gradient",
    "register_tensor_conversion_function",
    "Print",
    "print",
    "DType",
    "at_node",
    "make_error",
}

TENSORS = (
    "[[1.0, 2.0], [3.0, 4.0]]",
    "[1.0, 2.0, 3.0]",
    "tf.constant([[1.0, 2.0], [3.0, 4.0]])",
    "1.5",
    "[[1, 2], [0, 1]]",
    "[0, 1]",
    "1",
    "[True, False]",
    "['a', 'bc']",
    "np.ones([1, 4, 4, 3], np.float32)",
    "np.ones([2, 3], np.float64)",
    "placeholder()",
    "placeholder([None, 2])",
    "variable()",
)

IMAGES = "np.ones([1, 4, 4, 3], np.float32)"

# What an argument is by its name: the first pattern that matches.
BY_NAME = tuple(
    (re.compile(pattern), values)
    for pattern, values in (
        (r"^name$|^scope$|^op_scope", ("None", "'n'")),
        (r"name_or_scope|^default_name", ("'s'",)),
        (r"dtypes$|^types$|component_types|^Tout|^T(list)?$", ("[tf.float32]",)),
        (r"type", ("tf.float32", "tf.int32", "tf.int64")),
        (r"shapes$", ("[[]]", "[[2]]")),
        (r"shape|sizes?$|multiples|^dims$", ("[2, 2]", "[4]", "[1, 2, 2]")),
        (r"axis|axes|^dim|indices_or|batch_dims", ("0", "1", "-1", "None")),
        (r"perm", ("[1, 0]",)),
        (r"paddings", ("[[1, 1], [1, 1]]",)),
        (r"^padding$", ("'SAME'", "'VALID'")),
        (r"data_format", ("None", "'NHWC'")),
        (r"ksize|strides|dilations|rates", ("[1, 1, 1, 1]", "[1, 2, 2, 1]")),
        (r"kernel_size|pool_size|filters$|units", ("2", "[2, 2]")),
        (r"^filters?|kernel", ("np.ones([2, 2, 3, 3], np.float32)",)),
        (r"image", (IMAGES,)),
        (r"^inputs?$|^value$", (IMAGES, "[[1.0, 2.0], [3.0, 4.0]]")),
        (r"indices|ids$|labels|targets", ("[0, 1]", "[[0, 1]]", "[[1.0, 0.0]]")),
        (r"^num|depth|^k$|capacity|count|length|size|limit|max_|min_|^n$", ("2", "4")),
        (r"^body|^true_fn|^false_fn|^fn|func|^cond|callable", ("lambda *a: a and a[0]",)),
        (r"initializer", ("tf.zeros_initializer()", "None")),
        (r"sess", ("tf.get_default_session()",)),
        (r"graph_def", ("tf.get_default_graph().as_graph_def()",)),
        (r"graph", ("tf.get_default_graph()",)),
        (r"var_?list|variables", ("[variable()]",)),
        (r"^var|^ref", ("variable()",)),
        (r"loss$", ("variable() * 2.0",)),
        (r"file|path|dir|src|dst|pattern", ("'scratch/f'", "broken_file('records', 3)")),
        (r"serialized|contents|bytes|record", ("good_bytes('example')", "b'abc'")),
        (r"features", ("{'f': tf.FixedLenFeature([2], tf.float32)}",)),
        (r"queue", ("tf.FIFOQueue(2, [tf.float32])",)),
        (r"tensors|values|inputs|xs|ys", ("[[1.0, 2.0], [3.0, 4.0]]", "[tf.ones([2])]")),
        (r"prob|rate|eps|alpha|beta|decay|scale|std", ("0.5",)),
        (r"seed", ("None", "1")),
    )
)

NUMBERS = ("0", "-1", "2**31 - 1", "2**31", "-2**31", "2**40", "2**63 - 1", "-2**63")
NUMBERS += ("2**64", "10**30", "-10**30", "1e38", "1e308", "float('nan')", "float('inf')")
NUMBERS += ("-0.0", "-float('inf')", "1 + 2j", "np.int64(3)", "np.float64(2.5)", "True")

HOSTILE = (
    *NUMBERS,
    *(f"[{number}]" for number in NUMBERS[:10]),
    *(f"[{number}] * 2" for number in NUMBERS[:8]),
    *(f"[1, {number}, {number}, 1]" for number in ("0", "-1", "2**31 - 1", "2**40")),
    *(f"tf.constant({number})" for number in ("0", "-1", "2**31 - 1", "2**40", "2.5")),
    "None",
    "[]",
    "()",
    "{}",
    "[[]]",
    "[None]",
    "[None, 2]",
    "{'a': 1}",
    "{1, 2}",
    "[[1, 2], [3]]",
    "[1, 'a']",
    "[[1.0], 'a', None]",
    "['a', b'\\xff']",
    "endless_list()",
    "deep_list(10)",
    "deep_list(300)",
    "object()",
    "object",
    "Refuses()",
    "Lies()",
    "lambda: None",
    "(i for i in range(3))",
    "range(3)",
    "np.zeros([0, 3], np.float32)",
    "np.zeros([2, 0, 2])",
    "np.ones([1] * 9, np.float32)",
    "np.ones([1] * 30, np.float32)",
    "np.full([2, 2], np.nan, np.float32)",
    "np.array(['a', None], object)",
    "np.array([object()])",
    "np.array([1, 2], '>i4')",
    "np.ones([4], np.float128)",
    "np.datetime64('2020-01-01')",
    "np.zeros([2], [('a', 'i4')])",
    "np.ones([4, 4], np.float32)[::2, ::-1]",
    "''",
    "'a'",
    "'日本'",
    "'a\\0b'",
    "'a/b'",
    "'a//b'",
    "'a/'",
    "' a b'",
    "'_a'",
    "'x' * 10000",
    "'\\ud800'",
    "b''",
    "b'\\xff\\xfe'",
    "tf.float32",
    "tf.string",
    "tf.resource",
    "tf.complex64",
    "'float33'",
    "tf.TensorShape(None)",
    "tf.TensorShape([None, 2])",
    "tf.Dimension(None)",
    "placeholder()",
    "placeholder([None, None])",
    "placeholder(None, tf.int32)",
    "foreign_tensor()",
    "foreign_variable()",
    "finalized_graph()",
    "closed_session()",
    "tf.Graph()",
    "tf.no_op()",
    "variable()",
    "tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1]))",
    "tf.SparseTensor([[0, 5]], [1.0], [2, 2])",
    "tf.fill([2**14, 2**12], 1.0)",
    "tf.ones([0, 2**31 - 1])",
    "tf",
    "type",
    "ValueError('x')",
    "...",
    "slice(None)",
    "slice(2**70)",
)

# Objects whose methods are called, and their classes.
OBJECTS = {
    "tf.constant([[1.0, 2.0], [3.0, 4.0]])": "tf.Tensor",
    "placeholder()": "tf.Tensor",
    "foreign_tensor()": "tf.Tensor",
    "variable()": "tf.Variable",
    "foreign_variable()": "tf.Variable",
    "tf.get_default_graph()": "tf.Graph",
    "finalized_graph()": "tf.Graph",
    "tf.no_op()": "tf.Operation",
    "tf.get_default_session()": "tf.Session",
    "closed_session()": "tf.Session",
    "tf.FIFOQueue(2, [tf.float32], shapes=[[]])": "tf.FIFOQueue",
    "closed_queue()": "tf.FIFOQueue",
    "tf.RandomShuffleQueue(3, 1, [tf.float32, tf.int32])": "tf.RandomShuffleQueue",
    "tf.PaddingFIFOQueue(3, [tf.float32], shapes=[[None]])": "tf.PaddingFIFOQueue",
    "tf.PriorityQueue(3, [tf.float32], shapes=[[]])": "tf.PriorityQueue",
    "tf.TFRecordReader()": "tf.TFRecordReader",
    "tf.FixedLengthRecordReader(3)": "tf.FixedLengthRecordReader",
    "tf.GradientTape()": "tf.GradientTape",
    "tf.GradientTape(persistent=True).__enter__()": "tf.GradientTape",
    "tf.TensorShape([None, 2])": "tf.TensorShape",
    "tf.TensorShape(None)": "tf.TensorShape",
    "tf.Dimension(3)": "tf.Dimension",
    "tf.float32": "tf.DType",
    "tf.train.Coordinator()": "tf.train.Coordinator",
    "tf.train.GradientDescentOptimizer(0.1)": "tf.train.GradientDescentOptimizer",
    "tf.train.AdamOptimizer()": "tf.train.AdamOptimizer",
    "tf.train.MomentumOptimizer(0.1, 0.9)": "tf.train.MomentumOptimizer",
    "tf.train.ExponentialMovingAverage(0.9)": "tf.train.ExponentialMovingAverage",
    "tf.summary.FileWriter('scratch/logs')": "tf.summary.FileWriter",
    "tf.python_io.TFRecordWriter('scratch/f')": "tf.python_io.TFRecordWriter",
    "tf.layers.Dense(2)": "tf.layers.Dense",
    "tf.layers.Conv2D(2, 2)": "tf.layers.Conv2D",
    "tf.get_variable_scope()": "tf.VariableScope",
    "tf.SparseTensor([[0, 1]], [1.0], [2, 2])": "tf.SparseTensor",
    "tf.gfile.GFile('scratch/f', 'w')": "tf.gfile.GFile",
    "tf.zeros_initializer()": "tf.zeros_initializer",
    "tf.random_normal_initializer()": "tf.random_normal_initializer",
}
DUNDERS = ("__getitem__", "__add__", "__matmul__", "__pow__", "__eq__", "__lt__")
DUNDERS += ("__enter__", "__exit__", "__call__", "__iter__", "__bool__", "__len__")
DUNDERS += ("__array__", "__floordiv__", "__rsub__", "__hash__", "__float__", "__int__")
WITH_OPERAND = {"__getitem__", "__add__", "__matmul__", "__pow__", "__eq__", "__lt__"}
WITH_OPERAND |= {"__call__", "__floordiv__", "__rsub__"}
METHODS_LEFT_OUT = {"interactive", "join", "wait_for_stop", "loop"}
METHODS_LEFT_OUT |= {
    "add_loss",
    "add_node",
    "add_weight",
    "build",
    "call",
}  # for subclasses

# Files and threads: {} is a number.
TEMPLATES = (
    "tf.image.decode_png(broken_bytes('png', {}))",
    "tf.image.decode_jpeg(broken_bytes('jpeg', {}))",
    "tf.image.decode_gif(broken_bytes('gif', {}))",
    "tf.image.decode_image(broken_bytes('gif', {}))",
    "tf.image.decode_image(broken_bytes('png', {}))",
    "list(tf.python_io.tf_record_iterator(broken_file('records', {})))",
    "[e.step for e in tf.train.summary_iterator(broken_file('events', {}))]",
    "tf.parse_single_example(broken_bytes('example', {}),"
    " {{'f': tf.FixedLenFeature([2], tf.float32)}})",
    "imported({})",
    "race_close()",
    "race_queue()",
    "race_graph()",
    "race_variable()",
)


# Modules whose functions are for minitf itself, although others import them.
INSIDE = {f"framework.{name}" for name in ("constant_op", "dtypes", "operation")}
INSIDE |= {f"framework.{name}" for name in ("op_def_library", "op_def_registry", "stubs")}
INSIDE |= {f"framework.{name}" for name in ("collections_", "tensor_shape")}
INSIDE |= {"eager.context", "ops.losses.loss_weights", "util.arguments", "util.nest"}


def _is_ours(value: Any, home: Any) -> bool:
    module = getattr(value, "__module__", None) or ""
    if not callable(value) or hasattr(value, "DESCRIPTOR"):  # that is a message
        return False
    if home.__name__ != "minitf" and module.partition("minitf.")[2] in INSIDE:
        return False
    return module.startswith("minitf")


def public_functions() -> list[str]:
    """The text of every public function and class, such as ``tf.nn.relu``."""
    import minitf as tf

    found: dict[int, str] = {}
    for module in MODULES:
        home = getattr(tf, module, None) if module else tf
        if home is None:
            continue
        for name in sorted(dir(home)):
            if name.startswith("_") or name in LEFT_OUT:
                continue
            value = getattr(home, name, None)
            if isinstance(value, types.ModuleType) or not _is_ours(value, home):
                continue
            path = f"tf.{module}.{name}" if module else f"tf.{name}"
            found.setdefault(id(value), path)
    return sorted(found.values())


class Calls:
    """Makes the text of calls, each from its own source of random numbers."""

    def __init__(self):
        self._functions = public_functions()

    def make(self, seed: int, number: int) -> str:
        """The text of call ``number`` of a run with ``seed``."""
        pick = random.Random(f"{seed}:{number}")
        kind = pick.random()
        if kind < 0.05:
            return pick.choice(TEMPLATES).format(pick.randrange(10**6))
        if kind < 0.3:
            return self._method(pick)
        function = self._functions[number % len(self._functions)]
        return f"{function}({self._arguments(pick, resolve(function))})"

    def _method(self, pick: random.Random) -> str:
        text, path = pick.choice(list(OBJECTS.items()))
        kind = resolve(path)
        if pick.random() < 0.3:
            name = pick.choice(DUNDERS)
            count = 1 if name in WITH_OPERAND else 0
            arguments = ", ".join(pick.choices(HOSTILE, k=count))
            return f"{text}.{name}({arguments})"
        names = [
            name
            for name in sorted(dir(kind))
            if not name.startswith("_") and name not in METHODS_LEFT_OUT
        ]
        name = pick.choice(names or ["__call__"])  # an initializer has no other
        method = getattr(kind, name)
        if not callable(method):
            return f"{text}.{name}"
        is_static = isinstance(inspect.getattr_static(kind, name), staticmethod)
        takes_self = not (is_static or inspect.ismethod(method))
        return f"{text}.{name}({self._arguments(pick, method, takes_self)})"

    def _arguments(
        self, pick: random.Random, function: Any, takes_self: bool = False
    ) -> str:
        """Sensible arguments, of which a few are spoilt."""
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            parameters = []
        # Most functions want tensors that fit each other: all are one, unless spoilt.
        tensor = pick.choice(TENSORS)
        arguments: list[tuple[str, str]] = []
        for parameter in parameters[1 if takes_self else 0 :]:
            if parameter.kind is parameter.VAR_KEYWORD:
                continue
            if parameter.kind is parameter.VAR_POSITIONAL:
                arguments += [("", tensor)] * pick.randrange(3)
                continue
            is_needed = parameter.default is parameter.empty
            if is_needed or pick.random() < 0.3:
                by_keyword = parameter.kind is parameter.KEYWORD_ONLY or not is_needed
                keyword = parameter.name + "=" if by_keyword else ""
                arguments.append((keyword, _sensible(pick, parameter.name, tensor)))
        for _ in range(pick.choice((0, 0, 1, 1, 1, 2)) if arguments else 0):
            place = pick.randrange(len(arguments))
            arguments[place] = (arguments[place][0], pick.choice(HOSTILE))
        return ", ".join(keyword + value for keyword, value in arguments)


def _sensible(pick: random.Random, name: str, tensor: str) -> str:
    for pattern, values in BY_NAME:
        if pattern.search(name):
            return pick.choice(values)
    return tensor


def resolve(path: str) -> Any:
    """What ``path``, such as ``tf.nn.relu``, stands for."""
    import minitf as tf

    value: Any = tf
    for part in path.split(".")[1:]:
        value = getattr(value, part)
    return value
