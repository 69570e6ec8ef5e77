"""Documentation of ops: made of definitions and registries, and true."""

import pydoc
import re

import pytest

import minitf as tf
from minitf import _minitf
from minitf.framework import op_def_registry as op_defs
from minitf.framework.dtypes import BY_NUMBER
from minitf.framework.op_functions import argument_names
from minitf.op_docs import shapes

_minitf.list_devices(b"")  # loads the kernels of GPUs, as a session would
OPS = _minitf.op_names()  # before tests load libraries with further ops
DOCS = {name: getattr(tf.raw_ops, name).__doc__ for name in OPS}

MAT_MUL = """\
The matrix product [m,n] of a [m,k] and b [k,n], each transposed first if so asked.

Args:
    a: a tensor of type T (float32, float64, int32, complex64, int64, bfloat16,
        complex128, float16), rank 2.
    b: a tensor of type T, rank 2.
    transpose_a: bool.
    transpose_b: bool.
    name: the name of the node, a str; made unique. None: the op's name.

Returns:
    A tensor of type T, by default shape [a.shape[0], b.shape[1]].

Raises:
    TypeError: an argument is missing or unknown, or is of a type that is not listed
        above.
    ValueError: an input has another rank than listed above, or the shapes of the
        inputs do not fit.
    errors.InvalidArgumentError: in eager mode, instead of a ValueError and of a
        TypeError about the types of tensors; and what the kernel reports.

The op has a gradient. Kernels are registered for CPU"""


def section(doc, title):
    """The lines of a section, without line breaks inside of an item."""
    text = re.search(rf"^{title}:\n((?:    .*\n?)+)", doc, re.MULTILINE)[1]
    return re.sub(r"\n {8,}", " ", text)


def line_of(doc, name):
    return re.search(rf"^ *{name}: .*", section(doc, "Args"), re.MULTILINE)[0].strip()


def test_the_documentation_of_one_op():
    assert DOCS["MatMul"].startswith(MAT_MUL)


def test_help_shows_an_op_as_a_function():
    raw = pydoc.plain(pydoc.render_doc(tf.raw_ops.MatMul))
    head = "MatMul(*, a, b, transpose_a=False, transpose_b=False, name=None)\n"
    assert head in raw and "a: a tensor of type T" in raw
    sine = pydoc.plain(pydoc.render_doc(tf.sin))
    assert "Sin(x, name=None)\n" in sine and "the shape of x." in sine
    assert "Methods defined here" not in raw + sine


def test_the_function_of_an_op_is_no_method():
    class Layer:
        activation = tf.nn.relu

    assert Layer().activation is tf.nn.relu


@pytest.mark.parametrize("name", OPS)
def test_every_op_is_documented_in_full(name):
    op, doc = op_defs.get(name), DOCS[name]
    args, results = section(doc, "Args"), section(doc, "Returns")
    written = re.findall(r"^    (\w+): ", args, re.MULTILINE)
    assert written == [*argument_names(op), "name"]
    for attr in op.attrs.values():
        for dtype in attr.allowed_types:
            assert re.search(rf"\b{dtype.name}\b", args + results), (attr, dtype)
        for word in attr.allowed_strings:
            assert repr(word) in args, attr
    if len(op.outputs) > 1:
        assert re.findall(r"(\w+): a ", results) == [arg.name for arg in op.outputs]
    assert ("TypeError: " in doc) and ("errors.InvalidArgumentError: " in doc)
    assert max(map(len, doc.splitlines())) <= 86
    assert doc == doc.strip() and " of type ," not in doc


@pytest.mark.parametrize("name", OPS)
def test_gradients_and_devices_are_those_of_the_registries(name):
    end = " ".join(DOCS[name].split("\n\n")[-1].split())
    kind = _minitf.gradient_kind(name)
    assert ("The op has a gradient." in end) == (kind == "function")
    assert ("not differentiable" in end) == (kind == "not differentiable")
    assert ("No gradient is defined" in end) == (kind is None)
    devices = {device for device, _, label in _minitf.kernels(name) if not label}
    assert ("CPU" in end) == ("CPU" in devices)
    assert ("No kernel is registered." in end) == (not devices)


@pytest.mark.parametrize("name", [*dir(tf), *(f"nn.{name}" for name in dir(tf.nn))])
def test_public_functions_of_ops_have_documentation(name):
    value = tf
    for part in name.split("."):
        value = getattr(value, part)
    if getattr(value, "__module__", "") == "minitf.raw_ops":
        assert value.__doc__ == DOCS[value.__name__]


@pytest.mark.parametrize(
    ("op", "argument", "words"),
    [
        ("Conv2D", "filter", "rank 4"),
        ("BiasAdd", "bias", "rank 1"),
        ("TopKV2", "input", "rank at least 1"),
        ("Sum", "axis", r"rank 0 or 1"),
        ("AddN", "inputs", "a list of tensors .* at least 1"),
        ("Conv2D", "padding", "string: 'SAME', 'VALID', 'EXPLICIT'"),
        ("TopKV2", "k", "of type int32"),
        ("Cast", "DstT", "an element type"),
    ],
)
def test_what_is_said_of_arguments(op, argument, words):
    assert re.search(words, line_of(DOCS[op], argument)), line_of(DOCS[op], argument)


@pytest.mark.parametrize(
    ("op", "words"),
    [
        ("Sin", "the shape of x"),
        ("AddV2", "the shape to which x and y broadcast"),
        ("Conv2D", r"\[input.shape\[0\], \?, \?, filter.shape\[3\]\]"),
        ("OneHot", "A tensor of type T"),
        ("Rank", r"shape \[\]"),
        (
            "SparseSoftmaxCrossEntropyWithLogits",
            r"loss: .* shape \[features.shape\[0\]\]",
        ),
        ("QueueDequeueV2", "A list of tensors of the types component_types"),
        ("NoOp", "The Operation. In eager mode None."),
    ],
)
def test_what_is_said_of_results(op, words):
    assert re.search(words, section(DOCS[op], "Returns")), section(DOCS[op], "Returns")


def test_sizes_that_attributes_change_are_not_promised():
    # With other strides the height differs, so no part of it may be said.
    assert "input.shape[1]" not in DOCS["Conv2D"]
    assert "by default" in section(DOCS["MatMul"], "Returns")
    assert "by default" not in section(DOCS["Sin"], "Returns")


@pytest.mark.parametrize("name", ["MatMul", "BiasAdd", "InTopKV2", "SegmentSum"])
def test_ranks_that_are_not_said_are_refused(name):
    op = op_defs.get(name)
    probe = shapes.Probe(op)
    for index in range(len(op.inputs)):
        words = shapes.ranks_text(probe.ranks(index))
        assert words in line_of(DOCS[name], op.inputs[index].name)
        for rank in range(6):
            inputs = {
                arg.name: tf.placeholder(
                    arg.dtype or min(op.attrs[arg.type_attr].allowed_types, key=int),
                    [None] * rank if i == index else None,
                )
                for i, arg in enumerate(op.inputs)
            }
            if rank in probe.ranks(index):
                getattr(tf.raw_ops, name)(**inputs)
            else:
                with pytest.raises(ValueError, match="rank|dimension|2D"):
                    getattr(tf.raw_ops, name)(**inputs)


def test_documentation_leaves_the_graph_of_the_program_alone(eager):
    graph = tf.Graph()
    with graph.as_default():
        before = len(graph.get_operations())
        assert tf.raw_ops.Conv2D.__doc__ == DOCS["Conv2D"]
        assert len(graph.get_operations()) == before
    assert tf.matmul([[1.0]], [[2.0]]).numpy() == 2


def test_types_are_listed_for_devices_that_have_few():
    types = {
        BY_NUMBER[types["T"]].name
        for device, types, label in _minitf.kernels("MatMul")
        if device == "CPU" and not label
    }
    allowed = {dtype.name for dtype in op_defs.get("MatMul").attrs["T"].allowed_types}
    assert types == allowed and "CPU (" not in DOCS["MatMul"]
