"""TensorFlow's signatures as data: of ops, and of the functions of its public API.

The two tables beside this file are facts about another program, so they are made by
asking it, and read by test_signatures.py. To make them again, run this file with a Python
that has TensorFlow 2 (that of ``./lab bench --peers``)::

    .lab/peers/bin/python tests/python/tensorflow_signatures.py

TensorFlow 1.15 is what minitf follows, and later releases have added to it. Of ops the
additions are kept, since the importer of graphs must know them; of functions they are
left out, by the list below.
"""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
OPS = FOLDER / "tensorflow_ops.txt"
FUNCTIONS = FOLDER / "tensorflow_functions.txt"

# Arguments that functions have got since 1.15.
LATER_ARGUMENTS = frozenset(
    (
        "align",
        "bad_indices_policy",
        "canonicalized_coordinates",
        "experimental_attributes",
        "grad_a",
        "grad_b",
        "handle_data",
        "index_type",
        "layout",
        "output_type of tf.matmul",
        "output_type of tf.linalg.matmul",
        "axis of tf.linspace",
        "axis of tf.lin_space",
        "axis of tf.linalg.linspace",
        "skip_gradients_aggregation",
        "sorted_input",
        "tile_size",
        "use_pybind11_proto",
    )
)

# TensorFlow 2 has these no more: their signatures as 1.15 had them.
GONE = """
tf.layers.average_pooling1d(inputs, pool_size, strides, padding='valid', \
data_format='channels_last', name=None)
tf.layers.average_pooling2d(inputs, pool_size, strides, padding='valid', \
data_format='channels_last', name=None)
tf.layers.average_pooling3d(inputs, pool_size, strides, padding='valid', \
data_format='channels_last', name=None)
tf.layers.batch_normalization(inputs, axis=-1, momentum=0.99, epsilon=0.001, \
center=True, scale=True, beta_initializer=..., gamma_initializer=..., \
moving_mean_initializer=..., moving_variance_initializer=..., beta_regularizer=None, \
gamma_regularizer=None, beta_constraint=None, gamma_constraint=None, training=False, \
trainable=True, name=None, reuse=None, renorm=False, renorm_clipping=None, \
renorm_momentum=0.99, fused=None, virtual_batch_size=None, adjustment=None)
tf.layers.conv1d(inputs, filters, kernel_size, strides=1, padding='valid', \
data_format='channels_last', dilation_rate=1, activation=None, use_bias=True, \
kernel_initializer=None, bias_initializer=..., kernel_regularizer=None, \
bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, \
bias_constraint=None, trainable=True, name=None, reuse=None)
tf.layers.conv2d(inputs, filters, kernel_size, strides=(1, 1), padding='valid', \
data_format='channels_last', dilation_rate=(1, 1), activation=None, use_bias=True, \
kernel_initializer=None, bias_initializer=..., kernel_regularizer=None, \
bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, \
bias_constraint=None, trainable=True, name=None, reuse=None)
tf.layers.conv2d_transpose(inputs, filters, kernel_size, strides=(1, 1), \
padding='valid', data_format='channels_last', activation=None, use_bias=True, \
kernel_initializer=None, bias_initializer=..., kernel_regularizer=None, \
bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, \
bias_constraint=None, trainable=True, name=None, reuse=None)
tf.layers.conv3d(inputs, filters, kernel_size, strides=(1, 1, 1), padding='valid', \
data_format='channels_last', dilation_rate=(1, 1, 1), activation=None, use_bias=True, \
kernel_initializer=None, bias_initializer=..., kernel_regularizer=None, \
bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, \
bias_constraint=None, trainable=True, name=None, reuse=None)
tf.layers.conv3d_transpose(inputs, filters, kernel_size, strides=(1, 1, 1), \
padding='valid', data_format='channels_last', activation=None, use_bias=True, \
kernel_initializer=None, bias_initializer=..., kernel_regularizer=None, \
bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, \
bias_constraint=None, trainable=True, name=None, reuse=None)
tf.layers.dense(inputs, units, activation=None, use_bias=True, kernel_initializer=None, \
bias_initializer=..., kernel_regularizer=None, bias_regularizer=None, \
activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, \
name=None, reuse=None)
tf.layers.dropout(inputs, rate=0.5, noise_shape=None, seed=None, training=False, \
name=None)
tf.layers.flatten(inputs, name=None, data_format='channels_last')
tf.layers.max_pooling1d(inputs, pool_size, strides, padding='valid', \
data_format='channels_last', name=None)
tf.layers.max_pooling2d(inputs, pool_size, strides, padding='valid', \
data_format='channels_last', name=None)
tf.layers.max_pooling3d(inputs, pool_size, strides, padding='valid', \
data_format='channels_last', name=None)
tf.layers.separable_conv1d(inputs, filters, kernel_size, strides=1, padding='valid', \
data_format='channels_last', dilation_rate=1, depth_multiplier=1, activation=None, \
use_bias=True, depthwise_initializer=None, pointwise_initializer=None, \
bias_initializer=..., depthwise_regularizer=None, pointwise_regularizer=None, \
bias_regularizer=None, activity_regularizer=None, depthwise_constraint=None, \
pointwise_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None)
tf.layers.separable_conv2d(inputs, filters, kernel_size, strides=(1, 1), \
padding='valid', data_format='channels_last', dilation_rate=(1, 1), depth_multiplier=1, \
activation=None, use_bias=True, depthwise_initializer=None, pointwise_initializer=None, \
bias_initializer=..., depthwise_regularizer=None, pointwise_regularizer=None, \
bias_regularizer=None, activity_regularizer=None, depthwise_constraint=None, \
pointwise_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None)
tf.layers.separable_conv2d(inputs, filters, kernel_size, strides=(1, 1), \
padding='valid', data_format='channels_last', dilation_rate=(1, 1), depth_multiplier=1, \
activation=None, use_bias=True, depthwise_initializer=None, pointwise_initializer=None, \
bias_initializer=..., depthwise_regularizer=None, pointwise_regularizer=None, \
bias_regularizer=None, activity_regularizer=None, depthwise_constraint=None, \
pointwise_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None)
"""

# The methods of these classes are not compared: they are those of other modules again, or
# of features that minitf does not have.
NO_METHODS = ("tf.io.", "tf.linalg.", "tf.queue.", "tf.test.", "tf.Ragged", "tf.sparse.")

# Modules of tf whose functions are compared.
MODULES = (
    "", "bitwise", "debugging", "dtypes", "errors", "gfile", "graph_util", "image",
    "initializers", "io", "io.gfile", "linalg", "logging", "losses", "manip", "math",
    "metrics", "nest", "nn", "python_io", "queue", "random", "sparse", "strings",
    "summary", "test", "train",
)  # fmt: skip


# ---- Ops -------------------------------------------------------------------------------

# The types that minitf has, in the order of the tables.
TYPES = (
    "bfloat16", "half", "float", "double", "uint8", "int8", "uint16", "int16", "uint32",
    "int32", "uint64", "int64", "complex64", "complex128", "bool", "string", "resource",
)  # fmt: skip


def _type_name(number: int, enum: Any) -> str:
    return enum.values_by_number[number].name[3:].lower()


def _value_text(value: Any) -> str:
    """An AttrValue, the same for two classes of that name."""
    text = " ".join(str(value).split())
    return re.sub(r"\bDT_", "", text)


def describe(op: Any) -> dict[str, str]:
    """What an OpDef says, piece by piece: ``{"input": "y: T, x: T", "attr T": ...}``."""
    enum = type(op).DESCRIPTOR.file.pool.FindEnumTypeByName(
        type(op).DESCRIPTOR.full_name.removesuffix("OpDef") + "DataType"
    )

    def argument(arg: Any) -> str:
        count = f"{arg.number_attr} * " if arg.number_attr else ""
        held = arg.type_attr or arg.type_list_attr or _type_name(arg.type, enum)
        return f"{arg.name}: {count}{held}"

    facts = {
        "input": ", ".join(map(argument, op.input_arg)),
        "output": ", ".join(map(argument, op.output_arg)),
    }
    for attr in op.attr:
        facts[f"attr {attr.name}"] = attr.type
        if attr.HasField("default_value"):
            facts[f"default of {attr.name}"] = _value_text(attr.default_value)
        if attr.has_minimum:
            facts[f"minimum of {attr.name}"] = str(attr.minimum)
        allowed = attr.allowed_values.list
        if allowed.type:
            names = {_type_name(number, enum) for number in allowed.type}
            facts[f"types of {attr.name}"] = " ".join(t for t in TYPES if t in names)
        if allowed.s:
            words = sorted(word.decode() or "''" for word in allowed.s)
            facts[f"words of {attr.name}"] = " ".join(words)
    flags = [flag for flag in ("is_stateful", "is_commutative") if getattr(op, flag)]
    facts["flags"] = " ".join(flags)
    return facts


def read_ops() -> dict[str, dict[str, str]]:
    """The facts about each op in the table."""
    ops = {}
    for line in OPS.read_text().splitlines()[1:]:
        name, *facts = line.split(" | ")
        ops[name] = dict(fact.split("=", 1) for fact in facts)
    return ops


def write_ops(names: list[str]) -> None:
    """Writes the table of ops, of those of ``names`` that TensorFlow has."""
    from tensorflow.python.framework import op_def_registry

    lines = [f"# Made by {Path(__file__).name}: what TensorFlow's registry says of ops."]
    for name in names:
        op = op_def_registry.get(name)
        if op is not None:
            facts = [f"{key}={value}" for key, value in describe(op).items()]
            lines.append(" | ".join([name, *facts]))
    OPS.write_text("\n".join(lines) + "\n")


# ---- Functions -------------------------------------------------------------------------


def default_text(value: Any) -> str:
    """A default as text; "..." where it is an object."""
    if value is not None and hasattr(value, "as_numpy_dtype"):
        return f"tf.{value.name}"
    if isinstance(value, (list, tuple)):
        return f"({', '.join(map(repr, value))})"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return (
        repr(value) if isinstance(value, (bool, int, float, str, type(None))) else "..."
    )


def arguments(signature: inspect.Signature) -> list[str]:
    """The arguments: "name", "name=default", "*args", "**kwargs"."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    texts = []
    for parameter in signature.parameters.values():
        text = stars.get(parameter.kind, "") + parameter.name
        if parameter.default is not inspect.Parameter.empty:
            text += f"={default_text(parameter.default)}"
        texts.append(text)
    return texts


def public_functions(tf: Any, listed: Any = dir) -> Iterator[tuple[str, list[str]]]:
    """The public functions, constructors and methods that ``listed(module)`` names."""
    for module_name in MODULES:
        module, path = tf, "tf"
        for part in module_name.split(".") if module_name else []:
            module, path = getattr(module, part, None), f"{path}.{part}"
        for name in listed(module) if module is not None else []:
            try:
                value = getattr(module, name)
            except (AttributeError, ImportError):
                continue
            if not name.startswith("_") and callable(value):
                yield from _signatures(f"{path}.{name}", value)


def _signatures(path: str, value: Any) -> Iterator[tuple[str, list[str]]]:
    if not inspect.isclass(value):
        yield from _signature(path, value)
        return
    if inspect.isfunction(value.__init__):
        yield from _signature(path, value.__init__, skip=1)
    if issubclass(value, BaseException) or path.startswith(NO_METHODS):
        return
    for name, member in inspect.getmembers(value, inspect.isfunction):
        if not name.startswith("_"):
            static = isinstance(inspect.getattr_static(value, name), staticmethod)
            yield from _signature(f"{path}.{name}", member, skip=0 if static else 1)


def _signature(path: str, value: Any, skip: int = 0) -> Iterator[tuple[str, list[str]]]:
    try:
        yield path, arguments(inspect.signature(value))[skip:]
    except (TypeError, ValueError):
        return  # it does not say


def read_functions() -> dict[str, list[str]]:
    """The arguments of each function in the table."""
    functions = {}
    for line in FUNCTIONS.read_text().splitlines()[1:]:
        name, _, rest = line.partition("(")
        functions[name] = split_arguments(rest[:-1])
    return functions


def split_arguments(text: str) -> list[str]:
    """``"a, b=(1, 2)"`` as ``["a", "b=(1, 2)"]``."""
    return re.findall(r"\s*((?:\([^)]*\)|'[^']*'|[^,'(])+)", text)


def write_functions() -> None:
    """Writes the table of functions."""
    import tensorflow.compat.v1 as tf

    rows = dict(line.split("(", 1) for line in GONE.strip().split("\n"))
    for path, args in public_functions(tf):
        names = [arg.partition("=")[0] for arg in args]
        kept = [
            arg
            for arg, name in zip(args, names, strict=True)
            if not {name, f"{name} of {path}"} & LATER_ARGUMENTS
        ]
        rows[path] = ", ".join(kept) + ")"
    head = f"# Made by {Path(__file__).name}: the signatures of TensorFlow 1's functions."
    lines = [f"{path}({rows[path]}" for path in sorted(rows)]
    FUNCTIONS.write_text("\n".join([head, *lines]) + "\n")


def main() -> None:
    """Makes both tables again."""
    root = FOLDER.parent.parent
    ops = (root / "docs" / "ops.pbtxt").read_text()
    # An op whose name starts with an underscore is the runtime's own.
    write_ops(re.findall(r'^  name: "([A-Z]\w*)"$', ops, re.MULTILINE))
    write_functions()


if __name__ == "__main__":
    main()
