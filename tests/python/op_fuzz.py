"""Calls of every op with arguments that were spoilt at random; run as a program.

    python op_fuzz.py MODE COUNT PROGRESS

MODE is "eager", "constants" (a graph that sees every value) or "fed" (a graph that sees
not even ranks, so that the kernels must check). Prints a line for each call that went
wrong: an exception that does not name the op, that is no clear one, or two runs with
different results. PROGRESS gets the call that runs, for whoever finds this process dead.
``tests/fuzz/fuzz_ops.py`` runs this, with the same calls each time.
"""

import contextlib
import random
import resource
import sys
import warnings
from collections import defaultdict

import gradient_cases
import gradient_cases_array  # noqa: F401  (it adds its cases)
import gradient_cases_families  # noqa: F401  (it adds its cases)
import gradient_cases_io  # noqa: F401  (it adds its cases)
import gradient_cases_nn  # noqa: F401  (it adds its cases)
import numpy as np
import op_fuzz_families
import op_fuzz_io

import minitf as tf
from minitf import _minitf
from minitf.framework import op_def_library as ops
from minitf.framework import op_def_registry as op_defs

# ---- Valid calls, to be spoilt ---------------------------------------------------------

X = np.linspace(0.5, 2, 6, dtype=np.float32).reshape(2, 3)
RATE = np.float32(0.1)
BITS = np.array([1, 2], np.int32)
TWO = np.array([2, 3], np.int32)
TRUTH = np.array([True, False])
TEXT = np.array([b"a", b"bc"], object)
ZERO = np.array(0, np.int32)
VARIABLE = "variable"  # stands for the handle of one

# The ops without a gradient, and strings: what each takes, and its attributes.
CALLS = {
    "All": [TRUTH, ZERO],
    "Any": [TRUTH, ZERO],
    "ArgMax": [X, ZERO],
    "ArgMin": [X, ZERO],
    "Assert": [np.array(True), [X]],
    "AssignAddVariableOp": [VARIABLE, X],
    "AssignSubVariableOp": [VARIABLE, X],
    "AssignVariableOp": [VARIABLE, X],
    "Bitcast": [X, {"type": tf.uint8}],
    "BitwiseAnd": [BITS, BITS],
    "BitwiseOr": [BITS, BITS],
    "BitwiseXor": [BITS, BITS],
    "BroadcastGradientArgs": [TWO, TWO],
    "ConcatOffset": [ZERO, [TWO, TWO]],
    "Const": [{"value": X, "dtype": tf.float32}],
    "ConcatV2": [[TEXT, TEXT], ZERO],
    "DestroyResourceOp": [VARIABLE],
    "Fill": [TWO, np.array(b"a", object)],
    "FloorDiv": [BITS, BITS],
    "FloorMod": [BITS, BITS],
    "Gather": [TEXT, BITS],
    "InTopK": [X, BITS, {"k": 1}],
    "InTopKV2": [X, BITS, np.array(1, np.int32)],
    "Invert": [BITS],
    "InvertPermutation": [np.array([1, 0], np.int32)],
    "LRNGrad": [np.ones((1, 2, 2, 4), np.float32)] * 3,
    "LeftShift": [BITS, BITS],
    "LinSpace": [RATE, RATE, np.array(4, np.int32)],
    "ListDiff": [BITS, TWO],
    "LogicalAnd": [TRUTH, TRUTH],
    "LogicalNot": [TRUTH],
    "LogicalOr": [TRUTH, TRUTH],
    "Multinomial": [X, np.array(3, np.int32), {"seed": 1}],
    "OneHot": [BITS, np.array(3, np.int32), RATE, RATE],
    "Placeholder": [{"dtype": tf.float32}],
    "RandomStandardNormal": [TWO, {"dtype": tf.float32, "seed": 1}],
    "RandomUniform": [TWO, {"dtype": tf.float32, "seed": 1}],
    "RandomUniformInt": [TWO, ZERO, np.array(9, np.int32), {"seed": 1}],
    "Range": [ZERO, np.array(5, np.int32), np.array(2, np.int32)],
    "ReadVariableOp": [VARIABLE, {"dtype": tf.float32}],
    "Reshape": [TEXT, np.array([2, 1], np.int32)],
    "ResourceApplyAdadelta": [VARIABLE] * 3 + [RATE] * 3 + [X],
    "ResourceApplyAdagrad": [VARIABLE, VARIABLE, RATE, X],
    "ResourceApplyAdam": [VARIABLE] * 3 + [RATE] * 6 + [X],
    "ResourceApplyCenteredRMSProp": [VARIABLE] * 4 + [RATE] * 4 + [X],
    "ResourceApplyFtrl": [VARIABLE] * 3 + [X] + [RATE] * 4,
    "ResourceApplyGradientDescent": [VARIABLE, RATE, X],
    "ResourceApplyMomentum": [VARIABLE, VARIABLE, RATE, X, RATE],
    "ResourceApplyRMSProp": [VARIABLE] * 3 + [RATE] * 4 + [X],
    "ResourceGather": [VARIABLE, BITS, {"dtype": tf.float32}],
    "RightShift": [BITS, BITS],
    "ShapeN": [[X, X]],
    "StridedSlice": [TEXT, BITS[:1], BITS[1:], BITS[:1]],
    "Tile": [TEXT, BITS[1:]],
    "TruncateDiv": [BITS, BITS],
    "TruncatedNormal": [TWO, {"dtype": tf.float32, "seed": 1}],
    "Unique": [TEXT],
    "VarHandleOp": [{"dtype": tf.float32, "shape": [2, 3]}],
    "VarIsInitializedOp": [VARIABLE],
    "VariableShape": [VARIABLE],
    "Where": [TRUTH],
}
CALLS |= {
    f"ResourceScatter{kind}": [VARIABLE, np.array([0, 1], np.int32), X]
    for kind in ("Add", "Div", "Max", "Min", "Mul", "Sub", "Update")
}
IMAGES, CHANNELS = np.linspace(0, 1, 24, dtype=np.float32).reshape(1, 2, 4, 3), X[0]
CALLS |= {
    f"FusedBatchNorm{version}": [IMAGES, *[CHANNELS] * 4, {"is_training": False}]
    for version in ("", "V2", "V3")
}
CALLS |= {
    f"FusedBatchNormGrad{version}": [IMAGES, IMAGES, *[CHANNELS] * count]
    for version, count in (("", 3), ("V2", 3), ("V3", 4))
}
CALLS |= op_fuzz_io.CALLS | op_fuzz_families.CALLS


def valid_calls():
    """For each op, calls that work: (inputs, attrs)."""
    calls = defaultdict(list)
    for case in gradient_cases.CASES:
        calls[case.op].append((case.inputs, case.attrs))
    for op, values in CALLS.items():
        attrs = values[-1] if values and isinstance(values[-1], dict) else {}
        calls[op].append(([value for value in values if value is not attrs], attrs))
    for op in _minitf.op_names():
        calls[op] = calls[op] or [([X] * len(op_defs.get(op).inputs), {})]
    return calls


# ---- Spoiling --------------------------------------------------------------------------

NUMBERS = [0, 1, -1, 2, -2, 3, 7, 100, -100]
NUMBERS += [2**31 - 1, -(2**31), 2**31, 2**40, 2**62, -(2**62), 2**63 - 1, -(2**63)]
FLOATS = [np.nan, np.inf, -np.inf, 0.0, -1.0, 1e38, 1e-45, 2.0**63]
SHAPES = [(), (0,), (1,), (3,), (2, 0), (0, 2), (2, 3), (2, 2, 2), (1, 0, 2, 1)]
SHAPES += [(1, 2, 2, 1), (2, 4, 4, 2), (0, 2, 2, 1), (2,) * 5, (1,) * 9, (1,) * 40]
TYPES = [np.float16, np.float32, np.float64, np.int8, np.uint8, np.int32, np.int64]
TYPES += [np.uint64, bool, np.complex64, object]
HANDLES = ["variable", "destroyed", "without a value", "of integers", "small"]


def some_array(pick, shape, dtype):
    numbers = np.random.default_rng(pick.randrange(2**32)).uniform(-2, 2, shape)
    if dtype.kind == "O":
        return np.full(shape, b"x" * 20, object)
    return np.abs(numbers).astype(dtype) if dtype.kind == "u" else numbers.astype(dtype)


def with_number(pick, array):
    """``array`` with one of its elements replaced."""
    if array.dtype.kind == "i":
        array = array.astype(pick.choice([np.int32, np.int64]))
        limits = np.iinfo(array.dtype)
        number = min(max(pick.choice(NUMBERS), limits.min), limits.max)
    elif array.dtype.kind in "fc":
        array = array.copy()
        with np.errstate(over="ignore"):
            number = np.array(pick.choice(FLOATS)).astype(array.dtype)
    else:
        return array
    if array.size:
        array.reshape(-1)[pick.randrange(array.size)] = number
    return array


def spoilt_array(pick, array):
    array = np.asarray(array)
    kind = pick.randrange(8)
    if kind == 0:
        return some_array(pick, pick.choice(SHAPES), array.dtype)
    if kind == 1:
        return array[None] if pick.random() < 0.5 else array[..., None]
    if kind == 2 and array.ndim:
        return array[: pick.randrange(array.shape[0] + 1)]
    if kind == 3 and array.ndim:
        return np.concatenate([array, array], axis=pick.randrange(array.ndim))
    if kind == 4:
        dtype = np.dtype(pick.choice(TYPES))
        return some_array(pick, array.shape, dtype)
    return with_number(pick, array)


def spoilt_attr(pick, definition, value):
    kind = definition.kind
    if kind == "int":
        return pick.choice(NUMBERS)
    if kind == "float":
        return pick.choice(FLOATS)
    if kind == "bool":
        return pick.choice([True, False])
    if kind == "string":
        return pick.choice([*definition.allowed_strings, "", "foo", "a\0b"])
    if kind == "type":
        return pick.choice([tf.float32, tf.int32, tf.string, tf.resource, tf.complex64])
    if kind == "shape":
        return pick.choice([[], [-2], [0], [2**40, 2**40], [1] * 300, [None, 3]])
    if kind == "list(int)":
        value = list(value or [1, 1, 1, 1])
        value[pick.randrange(len(value))] = pick.choice(NUMBERS)
        return pick.choice([[], value[:-1], [*value, 1], value, value, value])
    return pick.choice(["x", [], -1])


def spoilt_list(pick, values):
    how = pick.randrange(4)
    if how < 3:
        return [[], values[:1], values + values][how]
    i = pick.randrange(len(values))
    return [*values[:i], spoilt_array(pick, values[i]), *values[i + 1 :]]


def spoilt(pick, op, call):
    """A copy of ``call`` that differs in up to three inputs and attributes."""
    inputs, attrs = list(call[0]), dict(call[1])
    definition = op_defs.get(op)
    for _ in range(pick.choice([0, 1, 1, 1, 2, 3])):
        places = len(inputs) + len(definition.explicit_attrs)
        if places == 0:
            break
        i = pick.randrange(places)
        if i >= len(inputs):
            name = definition.explicit_attrs[i - len(inputs)]
            attr = definition.attrs[name]
            attrs[name] = spoilt_attr(pick, attr, attrs.get(name, attr.default))
        elif isinstance(inputs[i], list):
            inputs[i] = spoilt_list(pick, inputs[i]) if inputs[i] else [X]
        elif isinstance(inputs[i], str):
            inputs[i] = pick.choice([*HANDLES, X])
        else:
            inputs[i] = spoilt_array(pick, inputs[i])
        if inputs and pick.random() < 0.02:
            inputs[pick.randrange(len(inputs))] = pick.choice(["variable", "rank 300"])
    return inputs, attrs


# ---- Calling ---------------------------------------------------------------------------


@contextlib.contextmanager
def eager_mode():
    tf.enable_eager_execution()
    try:
        yield
    finally:
        tf.disable_eager_execution()


def flat(values):
    if isinstance(values, (list, tuple)):
        for value in values:
            yield from flat(value)
    elif values is not None:
        yield values


def stand_in(kind, prepare):
    """What one of HANDLES, or "rank 300", stands for; ``prepare`` gets what to run."""
    if kind == "rank 300":
        return ops.call("Fill", [np.ones(300, np.int32), np.float32(1)])
    value = np.ones((1,) if kind == "small" else (2, 3), np.float32)
    value = value.astype(np.int32) if kind == "of integers" else value
    attrs = {"dtype": value.dtype, "shape": tf.TensorShape(None), "shared_name": kind}
    handle = ops.call("VarHandleOp", [], attrs)
    if kind != "without a value":
        prepare.append(ops.call("AssignVariableOp", [handle, value]))
    if kind == "destroyed":
        with tf.control_dependencies(prepare[-1:]):
            prepare.append(ops.call("DestroyResourceOp", [handle]))
    return handle


def arguments(inputs, convert, prepare):
    def one(value):
        if isinstance(value, list):
            return [one(item) for item in value]
        return stand_in(value, prepare) if isinstance(value, str) else convert(value)

    return [one(value) for value in inputs]


def readable(outputs):
    """Those outputs that numpy can hold; of the others, how many elements they have."""
    for y in flat(outputs):
        if isinstance(y, tf.Tensor) and y.dtype != tf.resource:
            rank = y.shape.ndims
            yield y if rank is not None and rank <= 64 else ops.call("Size", [y])


def run_eagerly(op, inputs, attrs):
    with eager_mode():
        outputs = ops.call(op, arguments(inputs, lambda x: x, []), attrs)
        return [y.numpy() for y in readable(outputs)]


def run_in_graph(op, inputs, attrs, is_fed):
    feed, prepare = {}, []

    def placeholder(value):
        value = np.asarray(value)
        dtype = tf.string if value.dtype == object else value.dtype
        x = tf.placeholder(dtype)
        feed[x] = value
        return x

    convert = placeholder if is_fed else tf.constant
    with tf.Graph().as_default(), tf.Session() as session:
        outputs = ops.call(op, arguments(inputs, convert, prepare), attrs)
        targets = [y for y in flat(outputs) if isinstance(y, tf.Operation)]
        wanted = [*readable(outputs), *targets]
        for step in prepare:
            session.run(step)
        if op == "Placeholder" or not wanted:
            return []
        return [y for y in session.run(wanted, feed) if y is not None]


# ---- Judging ---------------------------------------------------------------------------

# No text that comes out of C++ or out of Python's insides helps a reader.
UNCLEAR = ["bad_alloc", "std::", "vector::", "has no value", "unknown exception"]


def complaint(op, error):
    """What is wrong with an exception; None if it is a good one."""
    text = f"{type(error).__name__}: {error}"
    good = (tf.errors.OpError, TypeError, ValueError)
    internal = (tf.errors.InternalError, tf.errors.UnknownError, UnicodeError)
    if not isinstance(error, good) or isinstance(error, internal):
        return f"unexpected {text}"
    if any(words in text for words in UNCLEAR):
        return f"unclear {text}"
    if "a string tensor takes" in text or "numpy array" in text:
        return None  # before the op is called, or after
    return None if op in text else f"does not name the op: {text}"


def is_random(op):
    """Whether two calls may give different results: new numbers, or new handles."""
    return op.startswith(("Random", "Truncated", "Multinomial")) or "TensorsMap" in op


def is_small(outputs):
    return sum(y.nbytes for y in outputs) < 1_000_000


def are_equal(a, b):
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    return np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")


def fill_free_memory(outputs, number):
    """Leaves numbers in blocks that the next outputs may get."""
    with eager_mode():
        for y in outputs:
            _ = [tf.fill([y.nbytes // 8 + 1], np.float64(number)) for _ in range(4)]


def check(op, mode, inputs, attrs):
    """What is wrong with the call, or None."""

    def run():
        if mode == "eager":
            outputs = run_eagerly(op, inputs, attrs)
        else:
            outputs = run_in_graph(op, inputs, attrs, mode == "fed")
        return [np.asarray(y) for y in outputs]

    try:
        first = run()
    except Exception as error:
        return complaint(op, error)
    if is_random(op) or not is_small(first):
        return None
    fill_free_memory(first, 1.25)
    again = run()
    if len(first) == len(again) and all(map(are_equal, first, again)):
        return None
    return "two runs differ"


def described(op, inputs, attrs):
    def one(value):
        if isinstance(value, (str, list)):
            return value if isinstance(value, str) else [one(item) for item in value]
        value = np.asarray(value)
        return f"{value.dtype}{list(value.shape)} {value.reshape(-1)[:8].tolist()}"

    return f"{op} of {[one(value) for value in inputs]}, {attrs}"


def main(mode, count, progress):
    warnings.filterwarnings("ignore")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    calls = valid_calls()
    for op in sorted(calls):
        if op == "Print":  # it writes what it is given
            continue
        for i in range(count):
            pick = random.Random(f"{op} {mode} {i}")
            inputs, attrs = spoilt(pick, op, pick.choice(calls[op]))
            text = described(op, inputs, attrs)
            with open(progress, "w") as file:
                file.write(text)
            wrong = check(op, mode, inputs, attrs)
            if wrong:
                print(f"{wrong}\n    in {text}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
