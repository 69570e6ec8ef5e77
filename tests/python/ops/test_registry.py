"""The registries: no op without a description, a kernel, and a word on its gradient."""

import re

import pytest

import minitf as tf
from minitf import _minitf
from minitf.framework import op_def_registry as op_defs
from minitf.framework.dtypes import BY_NUMBER

# Taken now, since tests load libraries with further ops and add gradient functions.
OPS = {name: op_defs.get(name) for name in _minitf.op_names()}
GRADIENTS = {name: _minitf.gradient_kind(name) for name in OPS}
KERNELS = {name: _minitf.kernels(name) for name in OPS}
OPS_WITH_KERNELS = _minitf.ops_with_kernels()
OPS_WITH_GRADIENTS = _minitf.ops_with_gradients()

# Nodes name these in ``_gradient_op_type``, with more after a dash: "CustomGradient-5e".
FAMILIES_OF_GRADIENTS = {"CustomGradient"}

# There the gradient is not nothing: TensorFlow, too, has an error for who asks for it.
NO_GRADIENT = {
    *("Bitcast", "LRNGrad", "ListDiff", "ResizeArea", "ResizeBicubicGrad", "Unique"),
}

KINDS = {"bool", "float", "int", "shape", "string", "tensor", "type", "func"}

# Graphs of TensorFlow 1 have these ops. They are imported and have no kernel yet.
CHECKPOINT_OPS = {"MergeV2Checkpoints", "RestoreV2", "SaveV2", "ShardedFilename"}

all_ops = pytest.mark.parametrize("name", OPS)


@all_ops
def test_an_op_has_a_description(name):
    doc = OPS[name].doc
    assert len(doc) > 8 and doc == doc.strip()
    assert "TODO" not in doc and "  " not in doc and "\n" not in doc


@all_ops
def test_an_op_runs_on_the_cpu(name):
    if name in ("_Arg", "_Retval"):
        return  # the executor itself stands for them
    if name in CHECKPOINT_OPS:
        assert not KERNELS[name]
        return
    assert any(device.upper().endswith("CPU") for device, _, _ in KERNELS[name]), name


@all_ops
def test_an_op_has_a_gradient_or_says_that_there_is_none(name):
    wanted = (None,) if name in NO_GRADIENT else ("function", "not differentiable")
    assert GRADIENTS[name] in wanted


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("Bitcast", lambda x: tf.bitcast(x, tf.float32)),
        ("ListDiff", lambda x: tf.setdiff1d(x, [1.0])[0]),
        ("Unique", lambda x: tf.unique(x)[0]),
    ],
)
def test_no_gradient_is_an_error(name, call, eager):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = call(x)
    with pytest.raises(LookupError, match=f"No gradient defined for op: {name}"):
        tape.gradient(y, x)


def test_nothing_is_registered_for_an_op_that_is_not_there():
    assert set(OPS_WITH_KERNELS) <= OPS.keys()
    assert set(OPS_WITH_GRADIENTS) - FAMILIES_OF_GRADIENTS <= OPS.keys()


@all_ops
def test_names_are_as_in_tensorflow(name):
    op = OPS[name]
    # An underscore stands before what only the runtime puts into graphs.
    assert re.fullmatch(r"_?[A-Z][A-Za-z0-9]*", name)
    args = [arg.name for arg in op.inputs] + [arg.name for arg in op.outputs]
    for arg in args:
        assert re.fullmatch(r"[a-z][a-z0-9_]*", arg), arg
    inputs = [arg.name for arg in op.inputs]
    assert len(set(inputs)) == len(inputs)
    assert len({arg.name for arg in op.outputs}) == len(op.outputs)
    for attr in op.attrs:
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", attr), attr
        assert attr not in inputs, "Python could not tell them apart"


@all_ops
def test_attributes_are_of_known_kinds_and_used(name):
    op = OPS[name]
    for attr in op.attrs.values():
        kind = re.fullmatch(r"list\((\w+)\)|(\w+)", attr.kind)
        assert kind and (kind[1] or kind[2]) in KINDS, attr
        if attr.kind == "type" and attr.allowed_types and attr.has_default:
            default = attr.default
            assert BY_NUMBER.get(default, default) in attr.allowed_types, attr
        if attr.allowed_strings and attr.has_default:
            assert attr.default.decode() in attr.allowed_strings, attr
    for arg in [*op.inputs, *op.outputs]:
        for attr in (arg.type_attr, arg.number_attr, arg.type_list_attr):
            assert not attr or attr in op.attrs, (arg, attr)
        if arg.number_attr:
            assert op.attrs[arg.number_attr].kind == "int"
        if arg.type_list_attr:
            assert op.attrs[arg.type_list_attr].kind == "list(type)"
        if arg.type_attr:
            assert op.attrs[arg.type_attr].kind == "type"
        assert arg.type_attr or arg.type_list_attr or arg.dtype is not None, arg


@all_ops
def test_kernels_are_for_types_that_the_op_allows(name):
    op = OPS[name]
    seen = []
    for device, types, label in KERNELS[name]:
        key = (device, tuple(sorted(types.items())), label)
        assert key not in seen, f"two kernels for {key}"
        seen.append(key)
        for attr, number in types.items():
            assert attr in op.attrs and op.attrs[attr].kind == "type", attr
            allowed = op.attrs[attr].allowed_types
            assert not allowed or BY_NUMBER[number] in allowed, (attr, number)


@all_ops
def test_every_type_that_an_op_allows_has_a_kernel(name):
    op = OPS[name]
    for attr in op.attrs.values():
        if attr.kind != "type" or not attr.allowed_types:
            continue
        covered = set()
        for device, types, label in KERNELS[name]:
            if device.upper().endswith("CPU") and not label:
                if attr.name not in types:
                    covered = set(attr.allowed_types)
                    break
                covered.add(BY_NUMBER[types[attr.name]])
        missing = {dtype.name for dtype in attr.allowed_types - covered}
        assert not missing, f"{name}: no kernel for {attr.name} = {sorted(missing)}"


def test_sin_has_the_kernels_of_tensorflow():
    types = {BY_NUMBER[types["T"]].name for _, types, _ in KERNELS["Sin"]}
    assert {"float32", "float16", "float64", "complex64", "complex128"} <= types


@all_ops
def test_the_text_of_a_definition_has_all_of_it(name):
    op, text = OPS[name], _minitf.op_def_text(name)
    assert f'name: "{name}"' in text
    assert text.count("input_arg {") == len(op.inputs)
    assert text.count("output_arg {") == len(op.outputs)
    assert text.count("attr {") == len(op.attrs)
    for attr in op.attrs:
        assert f'name: "{attr}"' in text
