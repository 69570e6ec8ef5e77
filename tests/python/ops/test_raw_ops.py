"""Functions of ops: made from the registry. Their stubs: ``project/test_stubs.py``."""

import inspect
import re
import subprocess
import sys

import pytest

import minitf as tf
from minitf import _minitf
from minitf.framework import op_def_registry as op_defs
from minitf.framework.op_functions import function_of

matmul = function_of("MatMul")


def test_there_is_a_function_for_every_op():
    names = _minitf.op_names()
    assert len(names) > 100
    for name in names:
        function = getattr(tf.raw_ops, name)
        assert function.__name__ == name
        assert function.__doc__.strip(), name
        assert inspect.signature(function).parameters["name"].default is None


def test_a_signature_follows_the_definition():
    text = str(inspect.signature(tf.raw_ops.Conv2D))
    assert text.startswith("(*, input, filter, strides, padding, use_cudnn_on_gpu=True, ")
    assert "data_format='NHWC'" in text and "dilations=[1, 1, 1, 1]" in text


# What TensorFlow's Python calls arguments that have other names in its registry.
RENAMED = """
All(input, axis, keep_dims) Any(input, axis, keep_dims)
EuclideanNorm(input, axis, keep_dims) ExpandDims(input, axis) Max(input, axis, keep_dims)
Mean(input, axis, keep_dims) Min(input, axis, keep_dims) Prod(input, axis, keep_dims)
Select(condition, x, y) Split(axis, value, num_split)
SplitV(value, size_splits, axis, num_split) Squeeze(input, axis)
Sum(input, axis, keep_dims) Where(condition)
"""


def test_arguments_have_the_names_of_python():
    wanted = {
        name: args.split(", ") for name, args in re.findall(r"(\w+)\((.*?)\)", RENAMED)
    }
    for op in _minitf.op_names():
        definition = op_defs.get(op)
        registered = [arg.name for arg in definition.inputs] + definition.explicit_attrs
        names = list(inspect.signature(getattr(tf.raw_ops, op)).parameters)
        assert names == [*wanted.get(op, registered), "name"], op
        assert (op in wanted) == (names[:-1] != registered)


def test_renamed_arguments(evaluate):
    x = [[1.0, 2.0], [3.0, 4.0]]
    raw = tf.raw_ops
    assert evaluate(raw.Sum(input=x, axis=0)).tolist() == [4, 6]
    assert evaluate(raw.Max(input=x, axis=[1], keep_dims=True)).tolist() == [[2], [4]]
    assert evaluate(raw.ExpandDims(input=x, axis=0)).shape == (1, 2, 2)
    assert evaluate(raw.Squeeze(input=[[5.0]], axis=[0])).tolist() == [5]
    assert evaluate(raw.Where(condition=[False, True])).tolist() == [[1]]
    picked = raw.Select(condition=[True, False], x=[1.0, 2.0], y=[3.0, 4.0])
    assert evaluate(picked).tolist() == [1, 4]
    left, _ = raw.Split(axis=1, value=x, num_split=2)
    assert evaluate(left).tolist() == [[1], [3]]
    (part,) = raw.SplitV(value=x, size_splits=[2], axis=0, num_split=1)
    assert evaluate(part).tolist() == x
    with pytest.raises(TypeError, match="'reduction_indices' is unknown"):
        raw.Sum(input=x, reduction_indices=0)


def test_defaults_are_as_they_were_written():
    parameters = inspect.signature(tf.raw_ops.LeakyRelu).parameters
    assert parameters["alpha"].default == 0.2


def test_raw_ops_take_arguments_by_name_only():
    with pytest.raises(TypeError, match="only takes arguments by name, 2 were given"):
        tf.raw_ops.Add([1.0], [2.0])


def test_arguments_by_position_and_by_name(evaluate):
    for product in (
        matmul([[1.0, 2.0]], [[3.0, 4.0]], False, True),
        tf.raw_ops.MatMul(b=[[3.0, 4.0]], a=[[1.0, 2.0]], transpose_b=True, name="m"),
    ):
        assert evaluate(product).tolist() == [[11]]


def test_mistakes_in_arguments():
    with pytest.raises(TypeError, match="needs the argument 'b'"):
        matmul([[1.0]])
    with pytest.raises(TypeError, match="'colour' is unknown"):
        matmul([[1.0]], [[1.0]], colour=3)
    with pytest.raises(TypeError, match="'a' is given twice"):
        matmul([[1.0]], [[1.0]], a=[[1.0]])
    with pytest.raises(TypeError, match="attribute 'transpose_a' of MatMul"):
        matmul([[1.0]], [[1.0]], transpose_a="yes")
    with pytest.raises(AttributeError):
        _ = tf.raw_ops.NoSuchOp
    with pytest.raises(
        AttributeError, match="module 'minitf' has no attribute 'no_such_op'"
    ):
        _ = tf.no_such_op


def test_a_bad_value_of_an_attribute_names_those_allowed():
    with pytest.raises(ValueError, match="FOO.*SAME.*VALID"):
        tf.nn.conv2d(tf.zeros([1, 3, 3, 1]), tf.zeros([2, 2, 1, 1]), 1, "FOO")


def test_ops_are_public_by_their_names():
    assert tf.sin.__name__ == "Sin" and tf.multiply.__name__ == "Mul"
    assert tf.math.sin is tf.sin and tf.nn.relu.__name__ == "Relu"
    assert "sin" in dir(tf)


def test_the_definition_as_text():
    text = _minitf.op_def_text("MatMul")
    assert 'name: "MatMul"' in text and 'name: "transpose_a"' in text
    assert ("CPU", {"T": tf.float32.as_datatype_enum}, "") in [
        (device.upper().replace("/", ""), types, label)
        for device, types, label in _minitf.kernels("MatMul")
    ]
    assert _minitf.gradient_kind("MatMul") == "function"
    assert _minitf.gradient_kind("NoSuchOp") is None


MODULES = """
import sys, numpy
before = set(sys.modules)
import minitf
print(*{name.partition(".")[0] for name in set(sys.modules) - before})
print(len([name for name in set(sys.modules) - before if not name.startswith("minitf")]))
"""


def test_import_is_cheap():
    """By what is loaded besides minitf and numpy: 53 modules when this was written."""
    done = subprocess.run(
        [sys.executable, "-c", MODULES], check=True, capture_output=True, text=True
    )
    tops, count = done.stdout.strip().split("\n")
    assert (
        set(tops.split()) & {"google", "matplotlib", "rich", "jinja2", "pytest"} == set()
    )
    assert int(count) < 80, tops
