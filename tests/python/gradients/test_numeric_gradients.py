"""The gradient function of every op against central differences, in both modes.

L is the weighted sum of what an op returns, with random weights. Of complex numbers it is
the real part of sum(conj(w) y), and dL/dx points to where L grows, so that a small change
dx changes L by the real part of sum(conj(dL/dx) dx).
"""

import functools
from collections import defaultdict

import gradient_cases
import gradient_cases_array  # noqa: F401  (it adds its cases)
import gradient_cases_families  # noqa: F401  (it adds its cases)
import gradient_cases_io  # noqa: F401  (it adds its cases)
import gradient_cases_nn  # noqa: F401  (it adds its cases)
import numpy as np
import pytest

import minitf as tf
from minitf import _minitf
from minitf.eager import context
from minitf.framework import op_def_library as ops
from minitf.framework import op_def_registry as op_defs

BY_OP = defaultdict(list)
for item in gradient_cases.CASES:
    BY_OP[item.op].append(item)

# Ops whose gradients are no numbers that differences could give: test_gradient_values.py
# has those of variables and of PreventGradient, test_flow_gradients.py those of branches
# and loops.
APART = {"PreventGradient", "ReadVariableOp", "ResourceGather"}
APART |= {"Enter", "Exit", "Merge", "NextIteration", "StackPopV2", "Switch"}
# Of an order there is no derivative; test_special_functions.py has those by the others.
APART |= {"EagerPyFunc", "IgammaGradA", "Polygamma", "Zeta"}
# What holds the moments of a batch hands nothing on; test_batch_norm.py has the rest.
APART |= {f"FusedBatchNorm{x}{v}" for x in ("", "Grad") for v in ("", "V2", "V3")}
# Taken now, since tests add ops and gradient functions.
DIFFERENTIABLE = {
    op for op in _minitf.op_names() if _minitf.gradient_kind(op) == "function"
}

# An op of which nothing is known is tried on matrices; others need a case of their own.
for op in sorted(DIFFERENTIABLE - BY_OP.keys() - APART):
    matrices = [np.random.default_rng(i).uniform(0.5, 2, (2, 3)) for i in range(9)]
    gradient_cases.case(op, *matrices[: len(op_defs.get(op).inputs)])
    BY_OP[op].append(gradient_cases.CASES[-1])

all_ops = pytest.mark.parametrize("op", sorted(BY_OP))


def is_smooth(x):
    return np.dtype(getattr(x.dtype, "as_numpy_dtype", x.dtype)).kind in "fc"


def call(case, tensors):
    """The outputs of the op of `case` that are floating or complex."""
    tensors = iter([tf.convert_to_tensor(x) for x in tensors])
    inputs = [
        [next(tensors) for _ in x] if isinstance(x, list) else next(tensors)
        for x in case.inputs
    ]
    result = ops.call(case.op, inputs, case.attrs)
    parts = result if isinstance(result, (list, tuple)) else [result]
    outputs = []
    for part in parts:
        outputs.extend(part if isinstance(part, list) else [part])
    return [y for y in outputs if is_smooth(y)]


def random_like(array, generator):
    numbers = generator.uniform(-1, 1, np.shape(array))
    if array.dtype.kind == "c":
        numbers = numbers + 1j * generator.uniform(-1, 1, np.shape(array))
    return np.asarray(numbers, array.dtype)


def inner(a, b):
    """The real part of sum(conj(a) b), in double."""
    return float(np.sum(np.conj(np.asarray(a, complex)) * b).real)


def tolerances(arrays):
    """The step of a difference, and how far off its result may be."""
    wide = all(a.dtype in (np.float64, np.complex128) for a in arrays if is_smooth(a))
    return (1e-5, 2e-8) if wide else (1e-2, 1e-2)


@functools.cache
def weights_of(case):
    generator = np.random.default_rng(7)
    with context.entered(None):
        outputs = call(case, gradient_cases.flat(case.inputs))
        return [random_like(y.numpy(), generator) for y in outputs]


@functools.cache
def expected_gradients(case):
    """dL/dx for every smooth input, element by element."""
    arrays = gradient_cases.flat(case.inputs)
    weights = weights_of(case)
    step, _ = tolerances(arrays)

    def outputs_at(i, place, change):
        changed = [np.array(array) for array in arrays]
        changed[i][place] += change
        return [y.numpy() for y in call(case, changed)]

    def difference(i, place, change):
        behind = outputs_at(i, place, change)
        before = outputs_at(i, place, -change)
        terms = zip(weights, behind, before, strict=True)
        return sum(inner(w, b - a) for w, b, a in terms) / (2 * step)

    result = []
    with context.entered(None):
        for i, array in enumerate(arrays):
            if not is_smooth(array):
                continue
            gradient = np.zeros_like(array)
            for place in np.ndindex(array.shape):
                gradient[place] = difference(i, place, step)
                if array.dtype.kind == "c":
                    gradient[place] += 1j * difference(i, place, 1j * step)
            result.append(gradient)
    return result


def check(case, found):
    """Compares dL/dx of the smooth inputs with differences."""
    arrays = [a for a in gradient_cases.flat(case.inputs) if is_smooth(a)]
    _, tolerance = tolerances(arrays)
    expected = expected_gradients(case)
    for i, (array, want, got) in enumerate(zip(arrays, expected, found, strict=True)):
        got = np.zeros_like(array) if got is None else np.asarray(got)
        assert got.shape == array.shape and got.dtype == array.dtype, (str(case), i)
        scale = 1 + np.abs(want).max(initial=0)
        np.testing.assert_allclose(
            got, want, rtol=0, atol=tolerance * scale, err_msg=f"{case}, input {i}"
        )


def dense(gradients):
    """Gradients as tensors, also those that are slices."""
    return [None if g is None else tf.convert_to_tensor(g) for g in gradients]


def tape_gradients(case, arrays, weights):
    """dL/dx as tensors, recorded by whatever tape is outside."""
    with tf.GradientTape() as tape:
        tensors = [
            tf.convert_to_tensor(a) if not hasattr(a, "numpy") else a for a in arrays
        ]
        xs = [x for x in tensors if is_smooth(x)]
        tape.watch(xs)
        ys = call(case, tensors)
    return dense(tape.gradient(ys, xs, output_gradients=weights))


# ---- Coverage --------------------------------------------------------------------------


def test_every_gradient_function_has_a_case():
    assert not BY_OP.keys() & APART
    assert set(BY_OP) | APART == DIFFERENTIABLE


def test_every_op_with_complex_kernels_has_a_complex_case():
    number = tf.complex128.as_datatype_enum
    for op, cases in BY_OP.items():
        has_kernel = any(number in types.values() for _, types, _ in _minitf.kernels(op))
        arrays = [array for case in cases for array in gradient_cases.flat(case.inputs)]
        has_case = any(np.iscomplexobj(a) for a in arrays)
        makes_complex = op == "Complex"
        # TensorFlow's gradient of a complex sign is 0, which it is not.
        is_wrong = op == "Sign"
        assert has_case or makes_complex or is_wrong or not has_kernel, op


# ---- First derivatives -----------------------------------------------------------------


@all_ops
def test_a_tape_gives_what_differences_give(op, eager):
    for case in BY_OP[op]:
        arrays = gradient_cases.flat(case.inputs)
        found = tape_gradients(case, arrays, weights_of(case))
        check(case, [None if g is None else g.numpy() for g in found])


def graph_gradients(case, known):
    """dL/dx by tf.gradients, where the graph knows the shapes, the ranks, or nothing."""
    feeds = {}

    def as_tensor(array):
        if not is_smooth(array) and (known != "nothing" or case.needs):
            return tf.constant(array)
        shape = {
            "shapes": array.shape,
            "ranks": [None] * array.ndim,
            "nothing": None,
        }[known]
        tensor = tf.placeholder(array.dtype, shape)
        feeds[tensor] = array
        return tensor

    with tf.Graph().as_default():
        tensors = [as_tensor(array) for array in gradient_cases.flat(case.inputs)]
        xs = [x for x in tensors if is_smooth(x)]
        ys = call(case, tensors)
        found = tf.gradients(ys, xs, grad_ys=[tf.constant(w) for w in weights_of(case)])
        found = dense(found)
        for x, gradient in zip(xs, found, strict=True):
            assert gradient is None or gradient.shape.is_compatible_with(x.shape)
        with tf.Session() as session:
            values = iter(session.run([g for g in found if g is not None], feeds))
    return [None if g is None else next(values) for g in found]


@all_ops
@pytest.mark.parametrize("known", ["shapes", "ranks", "nothing"])
def test_a_graph_gives_what_differences_give(op, known):
    for case in BY_OP[op]:
        if known == "nothing" and case.needs == "rank":
            with pytest.raises((ValueError, tf.errors.OpError), match="known"):
                graph_gradients(case, known)
        elif known == "shapes" or case.needs != "shapes":
            check(case, graph_gradients(case, known))


def gives_several(op):
    outputs = op_defs.get(op).outputs
    return len(outputs) > 1 or outputs[0].is_list


SEVERAL_OUTPUTS = [op for op in sorted(BY_OP) if gives_several(op)]


@pytest.mark.parametrize("op", SEVERAL_OUTPUTS)
def test_of_several_outputs_some_may_have_no_gradient(op, eager):
    for case in BY_OP[op]:
        weights = weights_of(case)
        tensors = [tf.constant(a) for a in gradient_cases.flat(case.inputs)]
        xs = [x for x in tensors if is_smooth(x)]
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(xs)
            ys = call(case, tensors)
        totals = [np.zeros(x.shape.as_list()) for x in xs]
        for y, weight in zip(ys, weights, strict=True):
            found = tape.gradient(y, xs, output_gradients=weight)
            totals = [
                t if g is None else t + g.numpy()
                for t, g in zip(totals, found, strict=True)
            ]
        check(case, totals)


# ---- Second derivatives ----------------------------------------------------------------

# Their gradients are made of ops whose own gradients are not written.
NOT_TWICE = {"LRN": "No gradient defined for op: LRNGrad"}


@all_ops
def test_gradients_have_gradients(op, eager):
    """The gradient of sum(v dL/dx) against a difference in a random direction.

    The weights of L are an input as well, since a gradient function differentiates them
    too when it is differentiated.
    """
    for case in BY_OP[op]:
        if op in NOT_TWICE:
            with pytest.raises(LookupError, match=NOT_TWICE[op]):
                check_second(case)
        elif not case.once:
            check_second(case)


def check_second(case):
    generator = np.random.default_rng(11)
    arrays = gradient_cases.flat(case.inputs)
    smooth = [i for i, array in enumerate(arrays) if is_smooth(array)]
    count = len(arrays)
    arrays = [*arrays, *weights_of(case)]
    smooth += range(count, len(arrays))
    directions = {i: random_like(arrays[i], generator) for i in smooth}
    vs = {i: random_like(arrays[i], generator) for i in smooth}

    def first(values):
        found = tape_gradients(case, values[:count], values[count:])
        return [(vs[i], g) for i, g in zip(smooth, found, strict=False) if g is not None]

    def loss(step):
        moved = [
            a + step * directions[i] if i in directions else a
            for i, a in enumerate(arrays)
        ]
        return sum(inner(v, g.numpy()) for v, g in first(moved))

    step, _ = tolerances(arrays)
    expected = (loss(step) - loss(-step)) / (2 * step)
    tensors = [tf.convert_to_tensor(array) for array in arrays]
    xs = [tensors[i] for i in smooth]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        pairs = first(tensors)
    if not pairs:
        return
    weights = [tf.convert_to_tensor(v) for v, _ in pairs]
    found = dense(tape.gradient([g for _, g in pairs], xs, output_gradients=weights))
    total = sum(
        inner(directions[i], g.numpy())
        for i, g in zip(smooth, found, strict=True)
        if g is not None
    )
    assert total == pytest.approx(expected, rel=1e-6, abs=1e-6), str(case)
