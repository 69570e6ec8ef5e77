"""The bits of a result depend neither on where an element stands nor on their number.

Vector instructions compute 4 to 16 elements at a time, and what is left over is computed
one by one. Every element-wise op of the registry is tried with 1 to 40 elements; so are
the kernels that fuse such ops, softmax, and the updates of variables.
"""

import numpy as np
import pytest

import minitf as tf
from minitf import _minitf
from minitf.framework import op_def_library as ops
from minitf.framework import op_def_registry as op_defs

SIZES = range(1, 41)
FLOATS = ["float16", "bfloat16", "float32", "float64"]
# Ops that compute nothing, or wait for something.
NOT_TRIED = {"PreventGradient", "_Retval", "RandomShuffle", "CheckNumerics", "Snapshot"}


def special(name):
    """The numbers at the edge of a type, and some in between, as a tensor."""
    wide = np.float64 if name == "float64" else np.float32
    limits = np.finfo(np.float16 if name == "float16" else wide)
    tiny, high = limits.tiny, limits.max
    numbers = [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, tiny, -tiny, tiny / 3, -tiny / 3]
    numbers += [limits.smallest_subnormal, high, -high, 0.5, -0.5, 1e-3, -2.5, 6, 0.9]
    numbers += [20, -20, 88.5, -88.5, 89, -89, 104, -104, 710, -745, 1e4, -1e4, 1.5]
    numbers += list(np.random.default_rng(3).normal(size=16) * 3)
    with np.errstate(over="ignore"):
        array = np.array(numbers).astype(np.float16 if name == "float16" else wide)
    return tf.cast(tf.constant(array), name)


def as_wide(tensor):
    """An array of the same numbers; numpy has no bfloat16."""
    if tensor.dtype == tf.bfloat16:
        tensor = tf.cast(tensor, tf.float32)
    return tensor.numpy()


def assert_same_bits(found, expected, message):
    assert found.dtype == expected.dtype and found.shape == expected.shape, message
    if found.dtype.kind != "f":
        np.testing.assert_array_equal(found, expected, message)
        return
    same = (found == expected) & (np.signbit(found) == np.signbit(expected))
    same |= np.isnan(found) & np.isnan(expected)
    places = np.flatnonzero(~same)
    assert not places.size, (message, places, found[places], expected[places])


def takes(op, name):
    """Whether `op` has a kernel for one or two inputs T of the type `name`."""
    inputs = op_defs.get(op).inputs
    number = tf.as_dtype(name).as_datatype_enum
    if op in NOT_TRIED or not 1 <= len(inputs) <= 2 or len(op_defs.get(op).outputs) != 1:
        return False
    return all(item.type_attr == "T" and not item.number_attr for item in inputs) and any(
        types == {"T": number} for _, types, _ in _minitf.kernels(op)
    )


def is_element_wise(op):
    """Whether each element of the result follows from one element of each input."""
    number = len(op_defs.get(op).inputs)
    xs = [
        tf.constant(np.random.default_rng(i).uniform(1, 2, 5), "float32") for i in (1, 2)
    ]
    try:
        whole = ops.call(op, xs[:number]).numpy()
        parts = [
            ops.call(op, [x[i : i + 1] for x in xs[:number]]).numpy() for i in range(5)
        ]
    except (tf.errors.OpError, ValueError, TypeError):
        return False
    if whole.shape != (5,) or any(part.shape != (1,) for part in parts):
        return False
    return np.allclose(whole, np.concatenate(parts))


def element_wise_ops():
    tf.enable_eager_execution()
    try:
        names = [op for op in _minitf.op_names() if takes(op, "float32")]
        return [op for op in names if is_element_wise(op)]
    finally:
        tf.disable_eager_execution()


ELEMENT_WISE = element_wise_ops()


def test_the_registry_has_been_searched():
    assert {"Sqrt", "Exp", "Add", "Pow", "Elu", "SoftplusGrad"} <= set(ELEMENT_WISE)
    assert not {"Softmax", "MatMul", "Where", "L2Loss"} & set(ELEMENT_WISE)
    assert len(ELEMENT_WISE) > 80


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("op", ELEMENT_WISE)
def test_every_lane_gives_the_same_bits(op):
    for name in FLOATS:
        if not takes(op, name):
            continue
        x = special(name)
        inputs = [x, tf.concat([x[5:], x[:5]], 0)][: len(op_defs.get(op).inputs)]
        count = int(x.shape[0])
        alone = np.concatenate(
            [
                as_wide(ops.call(op, [part[i : i + 1] for part in inputs]))
                for i in range(count)
            ]
        )
        for size in SIZES:
            for begin in (0, 9):
                parts = [part[begin : begin + size] for part in inputs]
                found = as_wide(ops.call(op, parts))
                message = f"{op} of {name}, {size} elements from {begin}"
                assert_same_bits(found, alone[begin : begin + size], message)


CHAINS = {
    "roots": lambda x, y: tf.sqrt(tf.abs(x)) * y + tf.rsqrt(y),
    "exponentials": lambda x, y: tf.exp(x) - tf.log(tf.abs(y)) * tf.tanh(x),
    "activations": lambda x, y: tf.nn.elu(x * y) + tf.nn.softplus(y) * tf.sigmoid(x),
    "with a number": lambda x, y: tf.nn.selu(x * 2.0 + 1.0) / (y - 0.5),
}


@pytest.mark.cpu_kernels
@pytest.mark.parametrize("chain", CHAINS)
def test_fused_ops_give_the_bits_of_single_ops(chain):
    tf.enable_eager_execution()
    x = special("float32").numpy()
    y = x[::-1].copy()
    alone = CHAINS[chain](tf.constant(x), tf.constant(y)).numpy()
    tf.disable_eager_execution()
    for size in [*range(1, 20), 31, 32, 33, 40]:
        with tf.Graph().as_default(), tf.Session() as session:
            a, b = (tf.placeholder(tf.float32, [size]) for _ in range(2))
            found = session.run(CHAINS[chain](a, b), {a: x[:size], b: y[:size]})
        assert_same_bits(found, alone[:size], f"{chain}, {size} elements")


@pytest.mark.cpu_kernels
@pytest.mark.parametrize("activation", ["tanh", "sigmoid", "elu", "relu", "softplus"])
def test_a_fused_product_gives_the_bits_of_single_ops(activation):
    function = getattr(tf.nn, activation)
    for size in (1, 2, 5, 8, 11, 16, 17):
        values = np.random.default_rng(size).normal(size=(3, size)).astype(np.float32)
        bias = np.resize(np.array([0, -0.0, 30, -90, 1e-30], np.float32), size)
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.placeholder(tf.float32, [3, size])
            w = tf.placeholder(tf.float32, [size, size])
            b = tf.placeholder(tf.float32, [size])
            feeds = {x: values, w: np.eye(size), b: bias}
            fused = session.run(function(tf.nn.bias_add(tf.matmul(x, w), b)), feeds)
            single = session.run(tf.matmul(x, w), feeds)
            single = session.run(tf.nn.bias_add(x, b), {x: single, b: bias})
        tf.enable_eager_execution()
        rows = [[function([number]).numpy()[0] for number in row] for row in single]
        tf.disable_eager_execution()
        assert_same_bits(fused, np.array(rows), f"{activation}, {size} columns")


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("name", FLOATS)
def test_equal_logits_have_equal_probabilities(name):
    for function in (tf.nn.softmax, tf.nn.log_softmax):
        for size in SIZES:
            logits = np.array([[0.3] * size + [-1.7] * size + [-100] * size])
            found = as_wide(function(tf.cast(tf.constant(logits), name)))[0]
            for part in np.split(found, 3):
                assert_same_bits(part, np.full_like(part, part[0]), f"{size} of {name}")


UPDATES = {
    "GradientDescent": lambda v, g: {"alpha": 0.1, "delta": g},
    "Momentum": lambda v, g: {"accum": v, "lr": 0.1, "grad": g, "momentum": 0.9},
    "Adagrad": lambda v, g: {"accum": v, "lr": 0.1, "grad": g},
    "Adam": lambda v, g: {
        **{"m": v, "v": v, "beta1_power": 0.9, "beta2_power": 0.99, "lr": 0.1},
        **{"beta1": 0.9, "beta2": 0.99, "epsilon": 1e-8, "grad": g},
    },
    "RMSProp": lambda v, g: {
        **{"ms": v, "mom": v, "lr": 0.1, "rho": 0.9, "momentum": 0.5},
        **{"epsilon": 1e-10, "grad": g},
    },
    "CenteredRMSProp": lambda v, g: {
        **{"mg": v, "ms": v, "mom": v, "lr": 0.1, "rho": 0.9, "momentum": 0.5},
        **{"epsilon": 0.0, "grad": g},
    },
    "Adadelta": lambda v, g: {
        **{"accum": v, "accum_update": v, "lr": 0.1, "rho": 0.9},
        **{"epsilon": 1e-8, "grad": g},
    },
    "Ftrl": lambda v, g: {
        **{"accum": v, "linear": v, "grad": g, "lr": 0.1, "l1": 0.1, "l2": 0.1},
        "lr_power": -0.5,
    },
}


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("rule", UPDATES)
def test_every_element_of_a_variable_moves_alike(rule):
    """Also where the running mean of squares is infinite, 0 or denormal."""
    slots = np.array([np.inf, 0, 1e-40, 1e-30, 1, 1e30, 3e38, 0.1], np.float32)
    grads = np.array([1, 0, 1e-30, -2, 0.5, 1e10, 1e30, np.inf], np.float32)

    def updated(slot, grad):
        variables = {}

        def slot_for(key):
            variables[key] = tf.Variable(slot)
            return variables[key].handle

        arguments = UPDATES[rule](None, grad)
        arguments = {
            key: slot_for(key) if value is None else value
            for key, value in arguments.items()
        }
        var = tf.Variable(np.ones_like(slot))
        getattr(tf.raw_ops, "ResourceApply" + rule)(var=var.handle, **arguments)
        return np.array([v.numpy() for v in [var, *variables.values()]])

    for size in (1, 2, 7, 8, 9, 15, 16, 17, 33):
        for slot, grad in zip(slots, grads, strict=True):
            alone = updated(np.full(1, slot), np.full(1, grad))
            together = updated(np.full(size, slot), np.full(size, grad))
            expected = np.repeat(alone, size, axis=1)
            assert_same_bits(together, expected, f"{rule} of {slot}, {grad}: {size}")
