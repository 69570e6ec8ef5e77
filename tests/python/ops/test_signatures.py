"""Signatures beside TensorFlow's: of every op, and of every public function.

tensorflow_signatures.py says where the two tables come from. What differs on purpose
stands here, with the reason; a difference that is gone must go from the lists too.
"""

import inspect

import pytest
import tensorflow_signatures as theirs
from google.protobuf import text_format

import minitf as tf
from minitf import _minitf
from minitf.framework import messages

OPS = {
    name: theirs.describe(
        text_format.Parse(_minitf.op_def_text(name), messages.get("OpList")()).op[0]
    )
    for name in _minitf.op_names()
}
WANTED_OPS = theirs.read_ops()
LATER = set(_minitf.later_attrs())

# Facts about an op that are not TensorFlow's.
OTHER_FACTS = {
    # Of these no step may answer for another: a file changes, a step is to fail.
    ("Abort", "flags"),
    ("MatchingFiles", "flags"),
    ("ReadFile", "flags"),
    # No CPU has a kernel for the layout NCHW_VECT_C.
    ("DepthToSpace", "words of data_format"),
    ("MaxPool", "words of data_format"),
    ("SpaceToDepth", "words of data_format"),
    # Images of three axes came after 1.15.
    ("FusedBatchNormGradV3", "words of data_format"),
    ("FusedBatchNormV3", "words of data_format"),
    # Explicit paddings of poolings and of depthwise convolutions came after 1.15.
    ("DepthwiseConv2dNative", "words of padding"),
    ("DepthwiseConv2dNativeBackpropFilter", "words of padding"),
    ("DepthwiseConv2dNativeBackpropInput", "words of padding"),
    ("MaxPool", "words of padding"),
    ("MaxPoolGrad", "words of padding"),
    # Nothing can be joined since then.
    ("StringJoin", "minimum of N"),
    # Types that were fixed until then.
    ("ConcatOffset", "input"),
    ("ConcatOffset", "output"),
    ("TopKV2", "input"),
    ("TopKV2", "output"),
}

# Types that TensorFlow's definitions allow and minitf leaves out, by type attribute.
LESS_TYPES = {
    # Numbers that nobody trains with, and for most of which TensorFlow has no CPU kernel.
    "uint8 int8 uint16 int16 uint32 int32 uint64 int64 complex64 complex128": """
        ResourceApplyAdadelta.T ResourceApplyAdagrad.T ResourceApplyAdam.T
        ResourceApplyCenteredRMSProp.T ResourceApplyFtrl.T ResourceApplyGradientDescent.T
        ResourceApplyMomentum.T ResourceApplyRMSProp.T
        ResourceApplyFtrlV2.T ResourceApplyProximalAdagrad.T
        ResourceApplyProximalGradientDescent.T ResourceSparseApplyAdadelta.T
        ResourceSparseApplyAdagrad.T ResourceSparseApplyCenteredRMSProp.T
        ResourceSparseApplyFtrl.T ResourceSparseApplyFtrlV2.T
        ResourceSparseApplyMomentum.T ResourceSparseApplyProximalAdagrad.T
        ResourceSparseApplyProximalGradientDescent.T ResourceSparseApplyRMSProp.T
        """,
    "uint8 int8 uint16 int16 uint32 int32 uint64 int64": "Multinomial.T RealDiv.T",
    "uint32 uint64 complex64 complex128": "FloorDiv.T TruncateDiv.T",
    "int8 int16 int32 int64": "Inv.T Reciprocal.T",
    "complex64 complex128": "ClipByValue.T Round.T",
    "resource": "Equal.T NotEqual.T",
    # Came after 1.15.
    "int16": """
        ArgMax.Tidx GatherNd.Tindices GatherV2.Tindices ScatterNd.Tindices
        StridedSlice.Index UnsortedSegmentSum.Tindices
        """,
    "bfloat16 half": "Igamma.T Igammac.T",
    "uint32 uint64": """
        AddV2.T ApproximateEqual.T Div.T Mul.T StringToNumber.out_type Sub.T
        """,
    "bool": "ArgMax.T ArgMin.T",
    "string": "AsString.T",
    "uint16 int16": "ArgMax.output_type TensorScatterUpdate.Tindices",
    "int32": "Conv2D.T Conv2DBackpropInput.T",
    "uint8 uint16 uint32 uint64": "MatMul.T Square.T",
    "uint8 uint16 int16 uint32 uint64": "BatchMatMulV2.T",
    "int8": "OneHot.TI SplitV.Tlen",
    "bfloat16": "DecodeRaw.out_type FusedBatchNormV3.U",
    "uint8 int8 uint16 int16 uint32 uint64": "FloorMod.T",
    "int8 int16": "Pow.T",
    "int8 uint16 int16 uint32 uint64": "Range.Tidx",
    "half": "MatrixDeterminant.T MatrixInverse.T SparseSoftmax.T",
    # A kernel more for each, and no net of the course has such images.
    "uint16 uint32 uint64": """
        MaxPoolGrad.T MaxPoolGradGrad.T Relu.T Relu6.T Relu6Grad.T ReluGrad.T TopKV2.T
        """,
    "uint8 int8 uint16 int16 uint32 int32 uint64 int64 ": "MaxPoolWithArgmax.T",
    "uint8 int8 uint16 int16 uint32 uint64 complex64 complex128": """
        BiasAdd.T BiasAddGrad.T
        """,
    "uint16 uint32 uint64 complex64 complex128 bool": "ExtractImagePatches.T",
    "uint16": "MaxPool.T",
    "uint8 int8 uint16 int16 uint32 int32 uint64 int64 bool string resource": """
        MirrorPadGrad.T
        """,
    "bool string resource": "ScatterNd.T",
}


# Functions whose arguments are not TensorFlow's.
OTHER_ARGUMENTS = {
    # A size is an int32 or int64 tensor in minitf as in 1.15; later a flag decides.
    "tf.shape",
    "tf.size",
    # TensorFlow calls them **kwargs.
    "tf.DeviceSpec.replace",
    # Made by minitf, not by its users.
    "tf.DType",
    "tf.dtypes.DType",
    # Since 1.15 a decorator too, if the function is left out.
    "tf.numpy_function",
    # With fewer arguments: what minitf does not do cannot be asked for.
    "tf.ReaderBase",
    "tf.Variable",
    "tf.Variable.assign",
    "tf.Variable.assign_add",
    "tf.Variable.assign_sub",
    "tf.VariableScope.get_variable",
    "tf.get_local_variable",
    "tf.get_variable",
    "tf.variable_op_scope",
    "tf.nn.convolution",
    # One constructor for all; a class of error has the code of its own as the default.
    *(path for path in theirs.read_functions() if path.endswith("Error")),
}


# ---- Ops -------------------------------------------------------------------------------


def allowed_types(facts, attr):
    text = facts.get(f"types of {attr}", "")
    return set(text.split()) or set(theirs.TYPES)


@pytest.mark.parametrize("name", WANTED_OPS)
def test_an_op_is_defined_as_in_tensorflow(name):
    ours, wanted = OPS[name], WANTED_OPS[name]
    later = {attr for op, attr in LATER if op == name}
    for key in ours.keys() | wanted.keys():
        what, _, attr = key.partition(" of ") if " of " in key else key.partition(" ")
        if what == "types" or attr in later:
            continue
        is_same = ours.get(key) == wanted.get(key)
        is_listed = (name, key) in OTHER_FACTS
        assert is_same != is_listed, (key, ours.get(key), wanted.get(key))


@pytest.mark.parametrize("name", WANTED_OPS)
def test_an_op_allows_the_types_of_tensorflow(name):
    ours, wanted = OPS[name], WANTED_OPS[name]
    for key in ours:
        if not key.startswith("attr ") or ours[key] not in ("type", "list(type)"):
            continue
        attr = key.removeprefix("attr ")
        here, there = allowed_types(ours, attr), allowed_types(wanted, attr)
        assert not here - there, f"{attr} may be {here - there} in minitf only"
        left_out = [
            set(types.split())
            for types, attrs in LESS_TYPES.items()
            if f"{name}.{attr}" in attrs.split()
        ]
        assert there - here == (left_out[0] if left_out else set()), attr


def test_attributes_that_came_later_are_known_to_the_importer():
    missing = {
        (name, key.removeprefix("attr "))
        for name, wanted in WANTED_OPS.items()
        for key in wanted.keys() - OPS[name].keys()
        if key.startswith("attr ")
    }
    assert missing == LATER


# ---- Functions -------------------------------------------------------------------------

WANTED_FUNCTIONS = theirs.read_functions()


def find(path):
    """The function at ``path`` in minitf, and how many arguments are not the user's."""
    value, owner = tf, None
    for name in path.split(".")[1:]:
        owner, value = value, getattr(value, name, None)
        if value is None:
            return None
    if inspect.isclass(value):
        return (value.__init__, 1) if inspect.isfunction(value.__init__) else None
    if inspect.isclass(owner):
        static = isinstance(inspect.getattr_static(owner, name), staticmethod)
        is_method = inspect.isfunction(value)
        return (value, 0 if static else 1) if is_method else None
    return (value, 0) if callable(value) else None


FOUND = {path: found for path in WANTED_FUNCTIONS if (found := find(path))}


def test_most_functions_are_there():
    assert len(FOUND) > 900


@pytest.mark.parametrize("path", FOUND)
def test_a_function_takes_the_arguments_of_tensorflow(path):
    function, skip = FOUND[path]
    ours = theirs.arguments(inspect.signature(function))[skip:]
    if path in OTHER_ARGUMENTS:
        assert ours != WANTED_FUNCTIONS[path], "the difference is gone"
    else:
        assert ours == WANTED_FUNCTIONS[path]
