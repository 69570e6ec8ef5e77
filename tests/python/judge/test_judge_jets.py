"""Derivatives by jets, against finite differences and TensorFlow; programs by chance."""

import doctest
import json

import numpy as np
import peers
import pytest

from minitf_lab.judge.case import COMMON, load_module
from minitf_lab.judge.draw import Draw

jets = load_module(COMMON / "jets.py")
programs = load_module(COMMON / "programs.py")
make_program, step = programs.make_program, programs.step

M = np.array([[1.0, -2, 0.5], [0.3, 0.7, -1]])
P = np.abs(M) + 0.5
V = np.array([0.4, -0.6, 1.2])
AXIS = np.array([1], np.int32)

# A call of every op: its step, and the inputs.
CALLS = {
    "Add": (step("Add", ["x", "y"], "z"), {"x": M, "y": V}),
    "Sub": (step("Sub", ["x", "y"], "z"), {"x": V, "y": M}),
    "Mul": (step("Mul", ["x", "y"], "z"), {"x": M, "y": V}),
    "Div": (step("Div", ["x", "y"], "z"), {"x": M, "y": P}),
    "RealDiv": (step("RealDiv", ["x", "y"], "z"), {"x": V, "y": P}),
    "Neg": (step("Neg", ["x"], "z"), {"x": M}),
    "Identity": (step("Identity", ["x"], "z"), {"x": M}),
    "Square": (step("Square", ["x"], "z"), {"x": M}),
    "Sin": (step("Sin", ["x"], "z"), {"x": M}),
    "Exp": (step("Exp", ["x"], "z"), {"x": M}),
    "Log": (step("Log", ["x"], "z"), {"x": P}),
    "Floor": (step("Floor", ["x"], "z"), {"x": M + 0.1}),
    "Sum": (step("Sum", ["x", "a"], "z"), {"x": M, "a": AXIS}),
    "Sum of -1": (step("Sum", ["x", "a"], "z", keep_dims=True), {"x": M, "a": -AXIS}),
    "Mean": (step("Mean", ["x", "a"], "z", keep_dims=True), {"x": M, "a": AXIS - 1}),
    "Mean of all": (step("Mean", ["x", "a"], "z"), {"x": M, "a": np.int32([0, 1])}),
    "Reshape": (step("Reshape", ["x", "s"], "z"), {"x": M, "s": np.int32([3, -1])}),
    "Select": (step("Select", ["c", "x", "y"], "z"), {"c": M > 0, "x": M, "y": P}),
    "Select rows": (
        step("Select", ["c", "x", "y"], "z"),
        {"c": np.array([True, False]), "x": M, "y": P},
    ),
    "BiasAdd": (step("BiasAdd", ["x", "y"], "z"), {"x": M, "y": V}),
    "BiasAdd NCHW": (
        step("BiasAdd", ["x", "y"], "z", data_format="NCHW"),
        {"x": M.reshape(1, 3, 2, 1), "y": V},
    ),
    "Split": (
        step("Split", ["a", "x"], ["z", "w", "v"], num_split=3),
        {"a": np.int32(1), "x": M},
    ),
} | {
    f"MatMul {a} {b}": (
        step("MatMul", ["x", "y"], "z", transpose_a=a, transpose_b=b),
        {"x": M.T if a else M, "y": P if b else P.T},
    )
    for a in (False, True)
    for b in (False, True)
}
SQUARED = [step("Mul", ["z", "z"], "squared"), step("Sin", ["squared"], "out")]


def value_of(program, inputs, dys):
    """The sum of all ys, each weighted by its dL/dy."""
    values = jets.run(program, inputs)
    return sum(np.sum(values[y].value * dy) for y, dy in dys.items())


def differences(f, x, size=1e-6):
    """The gradient of ``f`` at ``x`` by central differences."""
    found = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[index] = size
        found[index] = (f(x + step) - f(x - step)) / (2 * size)
    return found


def floating(inputs):
    return [name for name, value in inputs.items() if value.dtype.kind == "f"]


def assert_first_and_second(program, inputs, dys):
    xs = floating(inputs)
    draw = Draw(programs.describe_program(program))
    weights = {x: draw.array(inputs[x].shape) for x in xs}
    for x in xs:
        got = jets.gradient(program, inputs, x, dys)
        expected = differences(
            lambda p, x=x: value_of(program, {**inputs, x: p}, dys), inputs[x]
        )
        if got is None:
            assert not expected.any()
            continue
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)

        def of_first(part, x=x):
            given = {**inputs, x: part}
            first = {name: jets.gradient(program, given, name, dys) for name in xs}
            return sum(
                np.sum(first[name] * weights[name])
                for name in xs
                if first[name] is not None
            )

        np.testing.assert_allclose(
            jets.second(program, inputs, x, dys, weights),
            differences(of_first, inputs[x]),
            rtol=1e-4,
            atol=1e-5,
        )


@pytest.mark.parametrize("name", CALLS)
def test_every_op_agrees_with_differences(name):
    call, inputs = CALLS[name]
    shape = jets.run([call], inputs)["z"].value.shape
    assert_first_and_second([call], inputs, {"z": Draw(name).array(shape)})
    assert_first_and_second([call, *SQUARED], inputs, {"out": Draw(name).array(shape)})


def test_every_op_has_a_call_here():
    assert {name.split()[0] for name in CALLS} == set(jets.OPS) - {"Cast"}


@pytest.mark.parametrize("seed", range(30))
def test_programs_by_chance_agree_with_differences(seed):
    program = make_program(Draw(f"jets {seed}"), 2 + seed // 3)
    values = jets.run(program.steps, program.inputs)
    y = program.steps[-1]["outputs"][0]
    size = max(np.max(np.abs(jet.value), initial=0) for jet in values.values())
    if size > 20:  # differences say little of large numbers
        return
    dys = {y: Draw(f"dy {seed}").array(values[y].value.shape)}
    assert_first_and_second(program.steps, program.inputs, dys)


def test_derivatives_by_heart():
    """Of sin(x y), where they can be checked in the head."""
    program = [step("Mul", ["x", "y"], "p"), step("Sin", ["p"], "z")]
    inputs, one = {"x": np.array(0.0), "y": np.array(3.0)}, {"z": np.array(1.0)}
    assert jets.gradient(program, inputs, "x", one) == 3
    assert jets.gradient(program, inputs, "y", one) == 0
    # d/dx of (2 dz/dx + 5 dz/dy) = 2 (-9 sin 0) + 5 cos 0
    weights = {"x": np.array(2.0), "y": np.array(5.0)}
    assert jets.second(program, inputs, "x", one, weights) == 5


def test_a_value_used_twice_and_two_ys():
    program = [step("Mul", ["x", "x"], "z"), step("Add", ["x", "z"], "w")]
    dys = {"z": np.array(1.0), "w": np.array(10.0)}
    inputs = {"x": np.array(3.0)}
    assert jets.gradient(program, inputs, "x", dys) == 6 + 10 * 7
    assert jets.gradient(program, inputs, "z", dys) == 1 + 10  # an x in the middle
    assert jets.gradient(program, inputs, "w", dys) == 10  # one that is a y as well


def test_what_is_stopped_is_a_constant():
    program = [step("Square", ["x"], "s"), step("Mul", ["s", "x"], "z")]
    inputs, dys = {"x": np.array(3.0)}, {"z": np.array(1.0)}
    assert jets.gradient(program, inputs, "x", dys) == 27
    assert jets.gradient(program, inputs, "x", dys, ["s"]) == 9
    assert jets.gradient(program, inputs, "s", dys, ["s"]) == 3
    assert jets.gradient(program[:1], inputs, "x", {"s": np.array(1.0)}, ["s"]) is None


def test_no_gradient_is_told_from_zeros():
    inputs = {"x": M, "y": V, "a": AXIS, "c": M > 0}
    dys = {"z": np.ones((2, 3))}

    def found(call, x, dys=dys):
        return jets.gradient([call], inputs, x, dys)

    assert found(step("Neg", ["x"], "z"), "y") is None
    assert found(step("Sum", ["x", "a"], "z"), "a", {"z": np.ones(2)}) is None
    assert found(step("Select", ["c", "x", "x"], "z"), "c") is None
    assert found(step("Cast", ["x"], "z", DstT="float32"), "x") is None
    assert found(step("Floor", ["x"], "z"), "x") is None
    zeros = found(step("Sub", ["x", "x"], "z"), "x")
    np.testing.assert_array_equal(zeros, np.zeros((2, 3)))


def test_empty_values_have_empty_gradients():
    inputs = {"x": np.zeros((0, 3)), "a": np.int32([0])}
    program = [step("Sum", ["x", "a"], "z")]
    dys = {"z": np.ones(3)}
    assert jets.gradient(program, inputs, "x", dys).shape == (0, 3)
    weights = {"x": np.zeros((0, 3))}
    assert jets.second(program, inputs, "x", dys, weights).shape == (0, 3)


def test_complex_gradients_are_conjugates():
    inputs = {"x": np.array(1 + 2j), "y": np.array(3 - 1j)}
    program = [step("Mul", ["x", "y"], "z")]
    dys = {"z": np.array(2j)}
    assert jets.gradient(program, inputs, "x", dys) == np.conj(3 - 1j) * 2j


# ---- TensorFlow ----------------------------------------------------------------------

TENSORFLOW = """
import json, sys
import numpy as np, tensorflow as tf

def run(call, values):
    inputs = [values[name] for name in call["inputs"]]
    attrs = dict(call["attrs"])
    if "keep_dims" in attrs: attrs["keepdims"] = attrs.pop("keep_dims")
    functions = {
        "Add": tf.add, "Sub": tf.subtract, "Mul": tf.multiply, "Div": tf.divide,
        "RealDiv": tf.divide, "Neg": tf.negative, "Identity": tf.identity,
        "Square": tf.square, "Sin": tf.sin, "Exp": tf.exp, "Log": tf.math.log,
        "Floor": tf.floor, "Sum": tf.reduce_sum, "Mean": tf.reduce_mean,
        "Reshape": tf.reshape, "MatMul": tf.matmul, "BiasAdd": tf.nn.bias_add,
        "Select": lambda c, x, y: tf.raw_ops.Select(condition=c, x=x, y=y),
        "Split": lambda a, x, num_split: tf.split(x, num_split, a),
    }
    made = functions[call["op"]](*inputs, **attrs)
    made = made if isinstance(made, list) else [made]
    values.update(zip(call["outputs"], made))

results = []
for one in json.load(open(sys.argv[1])):
    values = {n: tf.constant(np.array(v, t)) for n, (t, v) in one["inputs"].items()}
    xs = [values[name] for name in one["xs"]]
    weights = [tf.constant(w, tf.float64) for w in one["weights"]]
    with tf.GradientTape() as outer:
        outer.watch(xs)
        with tf.GradientTape() as tape:
            tape.watch(xs)
            for call in one["program"]:
                run(call, values)
        dy = tf.constant(one["dy"], tf.float64)
        first = tape.gradient(values[one["y"]], xs, [dy])
        both = [g * w for g, w in zip(first, weights) if g is not None]
    second = outer.gradient(both, xs) if both else [None] * len(xs)
    results.append([[None if g is None else g.numpy().tolist() for g in part]
                    for part in (first, second)])
print(json.dumps(results))
"""


def a_question(program, inputs, y):
    xs = floating(inputs)
    shape = jets.run(program, inputs)[y].value.shape
    draw = Draw(programs.describe_program(program))
    return {
        "program": program,
        "inputs": {n: (v.dtype.name, v.tolist()) for n, v in inputs.items()},
        "xs": xs,
        "y": y,
        "dy": draw.array(shape).tolist(),
        "weights": [draw.array(inputs[x].shape).tolist() for x in xs],
    }


@pytest.mark.peers("tensorflow")
def test_jets_agree_with_tensorflow(tmp_path):
    asked = [([call, *SQUARED], inputs, "out") for call, inputs in CALLS.values()]
    for seed in range(200):
        made = make_program(Draw(f"tensorflow {seed}"), 1 + seed // 10)
        asked.append((made.steps, made.inputs, made.steps[-1]["outputs"][0]))
    questions = [a_question(*one) for one in asked]
    path = tmp_path / "questions.json"
    path.write_text(json.dumps(questions))
    answers = json.loads(peers.run("tensorflow", TENSORFLOW, path))
    for one, (program, inputs, y), (first, second) in zip(
        questions, asked, answers, strict=True
    ):
        dys = {y: np.array(one["dy"])}
        weights = dict(zip(one["xs"], map(np.array, one["weights"]), strict=True))
        for x, expected, twice in zip(one["xs"], first, second, strict=True):
            got = jets.gradient(program, inputs, x, dys)
            assert (got is None) == (expected is None), one
            if got is None:
                continue
            scale = np.max(np.abs(got), initial=1)
            np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9 * scale)
            got = jets.second(program, inputs, x, dys, weights)
            scale = np.max(np.abs(got), initial=1)
            zeros = np.zeros_like(got)
            expected = zeros if twice is None else np.array(twice)
            np.testing.assert_allclose(got, expected, rtol=1e-8, atol=1e-8 * scale)


# ---- Programs ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(60))
def test_programs_are_well_formed(seed):
    dtype = ["float64", "float32"][seed % 2]
    program = make_program(Draw(f"programs {seed}"), seed // 2, dtype)
    assert isinstance(program, programs.Program)
    assert len(program.steps) == seed // 2
    values = jets.run(program.steps, program.inputs)  # runs: each name is there in time
    for name, shape in program.shapes.items():
        assert values[name].value.shape == tuple(shape), name
        assert values[name].value.dtype.name == dtype, name
        assert np.max(np.abs(values[name].value), initial=0) < 1e4
    made = [name for one in program.steps for name in one["outputs"]]
    assert len(set(made) | set(program.inputs)) == len(made) + len(program.inputs)


def test_programs_of_one_seed_are_the_same():
    def text(seed):
        program = make_program(Draw(seed), 12)
        numbers = {name: value.tolist() for name, value in program.inputs.items()}
        return programs.describe_program(program.steps) + repr(numbers)

    assert text("a") == text("a")
    assert text("a") != text("b")


def test_programs_use_every_kind_of_call_and_values_twice():
    calls = [
        one for seed in range(80) for one in make_program(Draw(f"k{seed}"), 12).steps
    ]
    unary = {"Sin", "Neg", "Identity", "Square"}
    others = {"Sum", "Mean", "Reshape", "Split", "MatMul"}
    assert {one["op"] for one in calls} >= unary | set(programs.BINARY) | others
    assert any(len(set(one["inputs"])) < len(one["inputs"]) for one in calls)


def test_examples_in_docstrings_are_right():
    found = doctest.testmod(programs)
    assert found.attempted > 0 and found.failed == 0
