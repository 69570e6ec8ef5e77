"""What differs from TensorFlow on purpose: how to recognise each row of the document.

Every row of docs/differences.md has a name, and a function here that says of a case and
its mismatch whether it is that difference. Each row is a test of its own, too, in
tests/python/project/test_differences.py.
"""

import re
from collections.abc import Callable
from typing import Any

import number_differences
import numpy as np
import op_rows

_LEFT_OUT = re.compile(
    r"not in list of allowed values|, allowed are |[Nn]o .*kernel|has no kernel"
    r"|not defined for string"
)


def _is_left_out(case: Any, mismatch: Any) -> bool:
    """Minitf has no kernel of that type."""
    return (
        mismatch.kind in {"raises", "exception"}
        and isinstance(mismatch.ours, str)
        and bool(_LEFT_OUT.search(mismatch.ours))
    )


_OUR_ERRORS = {"ValueError", "TypeError", "InvalidArgumentError"}
_ODD_ERRORS = {
    "AbortedError",
    "AttributeError",
    "FailedPreconditionError",
    "InternalError",
    "NotImplementedError",
    "RecursionError",
    "UnboundLocalError",
    "UnicodeDecodeError",
    "UnimplementedError",
    "_NotOkStatusException",
}


def _is_odd_error(case: Any, mismatch: Any) -> bool:
    """TensorFlow's exception is an internal failure; minitf names the argument."""
    theirs = mismatch.error_of(mismatch.their_facts)
    ours = mismatch.error_of(mismatch.our_facts)
    if re.fullmatch(r"\w+ raises", mismatch.label):  # one of several attempts
        ours, theirs = mismatch.ours, mismatch.theirs
    odd = theirs in _ODD_ERRORS or _no_kernel(mismatch) or _is_slip(mismatch)
    odd = odd or _is_accident(case, mismatch)
    return (ours in _OUR_ERRORS and odd) or (bool(ours) and _died(theirs))


def _died(error: str) -> bool:
    return error.startswith(("no end", "the process"))


_SLIPS = re.compile(
    "NoneType|can only concatenate list|list index out of range|None values not supported"
    "|Unsupported object type"
)


def _is_slip(mismatch: Any) -> bool:
    """TensorFlow's own Python code went wrong."""
    return bool(_SLIPS.search(str(mismatch.theirs)))


_NO_KERNEL = re.compile("Could not find device for node|No OpKernel was registered")


def _no_kernel(mismatch: Any) -> bool:
    return bool(_NO_KERNEL.search(str(mismatch.theirs)))


# Functions of TensorFlow, and what they say where they cannot do what they are for.
_BY_DENSE = ("DenseCwiseAdd", "DenseCwiseDiv", "DenseCwiseMul", "Softmax")
_ACCIDENTS = {
    "clip_by_average_norm": "input #1.* expected to be a double|Input 'y' of 'Mul' Op",
    "extract_image_patches": r"Cannot infer argument `num`"
    r"|data.shape = \[\d+,0\] does not start with segment_ids",
    "gather": "it is unsupported to take the gradient of tf.gather",
    **dict.fromkeys(
        ("matrix_diag", "linalg.diag"),
        "Cannot convert 0 to EagerTensor of dtype string|Expected string passed to param",
    ),
    "gather_nd": "Cannot infer argument `num`|but params is empty"
    r"|_grad/ScatterNd\b|for empty output shape"
    r"|Only indices.shape\[-1\] values between 1 and 5",
    "nn.conv2d": "do not yet support dilation rates larger",
    # Its optimizer puts another op in the node's place, and loses outputs.
    "nn.fused_batch_norm": "num of outputs: 1.* does not have output 1",
    "raw_ops.SoftmaxCrossEntropyWithLogits": "Tried to expand dim index",
    "pad": "0 was not less than 0",
    "ranking_metrics": r"as_list\(\) is not defined on an unknown TensorShape",
    "image.image_gradients": "Input to reshape is a tensor with",
    "image.non_max_suppression_with_scores": "Value for attr 'T' of int32",
    "raw_ops.GatherNd": "but params is empty|_grad/ScatterNd\\b",
    **dict.fromkeys(
        ("reduce_join", "strings.reduce_join"), "Invalid reduction dimension"
    ),
    "raw_ops.ReduceJoin": "Invalid reduction dimension|Shape must be at most rank 1",
    "raw_ops.RestoreV2": "Length for attr 'dtypes' of 0",
    **dict.fromkeys(
        ("raw_ops.SparseReduceSum", "sparse_reduce_sum", "sparse.reduce_sum"),
        "Integer division by zero",
    ),
    "raw_ops.Substr": r"pos and len shapes must match: .*\?",
    "raw_ops.TensorScatterAdd": "specified for empty output shape",
    **dict.fromkeys(
        (f"raw_ops.Sparse{kind}" for kind in _BY_DENSE),
        # A dense scalar in gradients, and an empty axis.
        r"params must be at least a vector|incompatible shapes: \[[^\]]*\b0\b"
        "|Integer division by zero",
    ),
    "nn.max_pool_with_argmax": "Negative dimension size caused by subtracting 1 from 0",
    "nn.safe_embedding_lookup_sparse": r"equal rank, but are \d and 2 for .*Select"
    "|slice index 1 of dimension 0 out of bounds",
    "nn.sufficient_statistics": "parameter 'indices' has DataType float32",
    "scalar_mul": "scalar must be a 0-D value. Received shape <unknown>",
    "train.polynomial_decay": "`x` and `y` must have the same dtype",
    "strings.format": r"object of type '\w+' has no len\(\)",
}
# The gradients of reductions over axes that are given as int64; kernels that are not
# finished; shapes of which only a known part is needed.
_OFTEN = re.compile(
    r"'indices' of 'DynamicStitch' Op have types \[\w+, \w+\]"
    r"|Current (CPU )?implementations? (only supports|do not yet support)"
    r"|Cannot convert a partially known TensorShape"
    r"|Gradients for grouped convolutions are not supported on CPU"
)


def _is_accident(case: Any, mismatch: Any) -> bool:
    """A call that TensorFlow itself fails on, in its own Python code."""
    said = str(mismatch.theirs)
    if case.function == "Variable.shapes":  # A reference without a value is a scalar.
        is_first = "validate_shape=False" in case.text and ".initializer" not in case.text
        return is_first and said == "InvalidArgumentError"
    if case.function == "while_loop":
        both = "shape_invariants" in case.text and "maximum_iterations" in case.text
        return both and "don't have the same nested structure" in said
    if _OFTEN.search(said):
        return True
    return bool(re.search(_ACCIDENTS.get(case.entry.function, "$^"), said))


def _is_more(case: Any, mismatch: Any) -> bool:
    """Minitf has a kernel of a type that TensorFlow has none of, or no accident."""
    if not mismatch.error_of(mismatch.our_facts) and _is_accident(case, mismatch):
        return True
    theirs = mismatch.error_of(mismatch.their_facts)
    ours = mismatch.error_of(mismatch.our_facts)
    lost = re.search(r"Retval\[\d+\] does not have value", str(mismatch.theirs))
    died = _died(theirs) or lost is not None
    odd = died or theirs in _ODD_ERRORS or _is_slip(mismatch)
    odd = odd or _is_empty_sort(case, mismatch)
    return not ours and (_no_kernel(mismatch) or odd)


def _is_empty_sort(case: Any, mismatch: Any) -> bool:
    """The gradient of sorting nothing."""
    is_empty = any(np.size(arg.array) == 0 for arg in case.tensors())
    failed = "Requires delta != 0: 0" in str(mismatch.theirs)
    return case.entry.function == "sort" and is_empty and failed


def _is_other_fault(case: Any, mismatch: Any) -> bool:
    """Both refuse a call with two faults: TensorFlow names the type, minitf the other."""
    ours = mismatch.error_of(mismatch.our_facts)
    of_type = "not in list of allowed values" in str(mismatch.theirs)
    return mismatch.kind == "exception" and ours in _OUR_ERRORS and of_type


def _is_sooner(case: Any, mismatch: Any) -> bool:
    """Both refuse the call; minitf when the graph is built, TensorFlow when it runs."""
    theirs = mismatch.error_of(mismatch.their_facts)
    ours = mismatch.error_of(mismatch.our_facts)
    said = len(mismatch.our_facts) < len(mismatch.their_facts)
    return said and ours in _OUR_ERRORS and theirs in _OUR_ERRORS


def _is_gradient(case: Any, mismatch: Any) -> bool:
    """Minitf has a gradient, or None, where TensorFlow has no gradient function."""
    if case.entry.function == "raw_ops.SoftmaxCrossEntropyWithLogits":
        return mismatch.label == "first[1]"
    if case.entry.function.startswith("nn.softmax_cross_entropy"):
        # 0, which times NaN is NaN.
        return mismatch.label == "second[0]" and not np.nan_to_num(mismatch.theirs).any()
    theirs = mismatch.error_of(mismatch.their_facts)
    ours = mismatch.error_of(mismatch.our_facts)
    asked = any(re.match(r"dd?\b", label) for label, _ in mismatch.our_facts)
    return theirs == "LookupError" and not ours and asked


def _is_sharper(case: Any, mismatch: Any) -> bool:
    """The static shape says more than TensorFlow's, and nothing against it."""
    ours, theirs = mismatch.ours, mismatch.theirs
    if not mismatch.kind.endswith(".shape") or not isinstance(ours, list):
        return False
    if theirs is None:
        return True
    same_rank = len(ours) == len(theirs)
    return same_rank and all(b in (a, None) for a, b in zip(ours, theirs, strict=True))


def _full_device(name: str) -> str:
    full = re.sub(
        r"/(?:device:)?(cpu|gpu)(?=:|$)",
        lambda found: f"/device:{found[1].upper()}",
        name,
        flags=re.IGNORECASE,
    )
    return f"{full}:*" if full.endswith("PU") else full


def _is_device(case: Any, mismatch: Any) -> bool:
    """A device in the user's words, or that of a variable's first value."""
    ours, theirs = mismatch.ours, mismatch.theirs
    if not isinstance(ours, str) or not isinstance(theirs, str):
        return False
    if "global_step" in case.text and not theirs:
        return ours.startswith("/")  # of the first value of a variable
    return theirs.startswith("/") and _full_device(ours) == theirs


def _is_dropped(case: Any, mismatch: Any) -> bool:
    """An element of a queue has more or fewer components than the queue."""
    raised = mismatch.label.endswith("raises") or " raises /" in mismatch.label
    return case.function == "FIFOQueue" and raised and mismatch.ours == "ValueError"


_ADDING = {"add", "losses.sigmoid_cross_entropy", "math.add", "nn.batch_normalization"}


def _is_later(case: Any, mismatch: Any) -> bool:
    """What TensorFlow 2 has changed: see the document."""
    ours, theirs = mismatch.ours, mismatch.theirs
    if case.entry.function in _ADDING:
        is_cut = re.search(r"Expected \w+, got .* of type", str(ours))
        said = "cannot compute AddV2 as input|Value for attr 'T' of bool .*AddV2"
        return bool(is_cut) and bool(re.search(said, str(theirs), re.DOTALL))
    if case.function == "Tensor.operators":
        return "Input 'y' of 'Mul' Op has type" in str(ours) and "b = " in case.text
    if case.function in {"Print", "Assert", "strings.format"}:
        return _without_bytes(ours) == _without_bytes(theirs)
    if case.function.endswith(("linspace", "lin_space")):
        no_error = not mismatch.error_of(mismatch.their_facts)
        return "Requires num > 0: 0" in str(ours) and no_error
    if case.entry.function == "image.non_max_suppression_padded":
        boxes = next(iter(case.tensors())).array
        is_turned = boxes.ndim == 2 and (boxes[:, :2] > boxes[:, 2:]).any()
        return bool(is_turned) and mismatch.kind in {"sizes", "value"}
    if case.entry.function == "image.central_crop":
        return "as a Python `bool`" in str(ours)
    if case.function != "DType":
        return False
    known = {(8, 0), (1, 0), ("ValueError", "KeyError"), (None, "KeyError")}
    return (ours, theirs) in known


def _without_bytes(fact: Any) -> bytes:
    """A text with a question mark for each byte beyond ASCII, escaped or not."""
    text = fact if isinstance(fact, bytes) else str(fact).encode()
    return re.sub(rb"\\+(?:x[89a-f][0-9a-f]|[23][0-7]{2})|[\x80-\xff]", b"?", text)


def _is_own_target(case: Any, mismatch: Any) -> bool:
    """A tensor that is not watched is a target beside others, and a source."""
    at_last = case.text.rpartition(".reset()")[2]  # which forgets what is watched
    is_watched = re.search(r"\.watch\((\[[^]]*)?\bx\b", at_last)
    none = 0.0 if "ZERO" in case.text and not is_watched else None
    return (
        case.function == "GradientTape"
        and mismatch.kind.startswith("g")
        and (mismatch.ours, mismatch.theirs) in [(1.0, None), (1.0, none)]
    )


def _is_growing_loop(case: Any, mismatch: Any) -> bool:
    """The gradient of a loop's variable that changes its shape."""
    if "shape_invariants" not in case.text or not mismatch.label.startswith("first"):
        return False
    failed = re.search(r"node (')?gradients/|\{\{node gradients/", str(mismatch.theirs))
    return bool(failed) or np.shape(mismatch.ours) != np.shape(mismatch.theirs)


# Ends of names, in minitf and in TensorFlow, of what is composed otherwise.
_NAMES = {
    "py_func": (r"switch_case/cond/Merge(_\d+)?:0", r"switch_case/indexed_case/.*:0"),
    "metrics": (r"(\w+)/\w+:0", r"(\w+)/AssignAddVariableOp(_\d+)?"),
    "layers": (r"(.*)/batchnorm/add_1:0", r"(.*)/FusedBatchNormV3:0"),
    "layer_values": (
        r"(.*)/conv1d/Squeeze:0",
        r"(.*)/Conv1D/(?:Squeeze|BatchToSpaceND):0",
    ),
}


def _is_name(case: Any, mismatch: Any) -> bool:
    """The last node of one of few functions that minitf composes otherwise."""
    module = case.function.partition(".")[0]
    if module not in _NAMES or "name" not in mismatch.kind:
        return False
    ours, theirs = (
        re.fullmatch(pattern, str(name))
        for pattern, name in zip(
            _NAMES[module], (mismatch.ours, mismatch.theirs), strict=True
        )
    )
    if not ours or not theirs:
        return False
    return case.function == "py_func" or ours[1] == theirs[1]


def _is_of_unknown_rank(case: Any, mismatch: Any) -> bool:
    """A layer on a tensor of unknown rank, which ends in an accident in TensorFlow."""
    if case.function == "layer_values":
        return "length of shape with unknown rank" in str(mismatch.theirs)
    if case.function != "layers" or "tf.float32, None" not in case.text:
        return False
    return "raises" in mismatch.label and (mismatch.ours, mismatch.theirs) in {
        ("ValueError", "TypeError"),
        ("float32", "ValueError"),
    }


def _is_known_wait(case: Any, mismatch: Any) -> bool:
    """An imported node with inputs, control inputs among them, which waits with them."""
    imported = "control_dependencies" in case.text and "import_graph_def" in case.text
    counted = re.fullmatch(r"nodes\[\d+\]\[3\]", mismatch.label)
    return bool(imported and counted) and mismatch.ours < mismatch.theirs


_INNER = [
    "accumulate_n",
    "batch_gather",
    "bincount",
    "linalg.logdet",
    "linspace",
    "lin_space",
    "histogram_fixed_width_bins",
    "image.adjust_contrast",
    "image.adjust_hue",
    "image.central_crop",
    "image.flip_left_right",
    "image.flip_up_down",
    "image.image_gradients",
    "image.non_max_suppression_padded",
    "image.psnr",
    "image.random_contrast",
    "image.random_flip_left_right",
    "image.random_flip_up_down",
    "image.resize_image_with_crop_or_pad",
    "image.rot90",
    "image.transpose_image",
    "math.bincount",
    "math.accumulate_n",
    "nn.atrous_conv2d_transpose",
    "nn.dropout",
    "nn.safe_embedding_lookup_sparse",
    "nn.swish",
    "sort",
    "train.piecewise_constant",
    "unique_with_counts",
]


def _is_inner_name(case: Any, mismatch: Any) -> bool:
    """The node within the scope that gives the result is called otherwise."""
    if case.entry.function in {"sign", "math.sign"}:  # of complex numbers
        return str(mismatch.theirs).startswith("DivNoNan")
    return mismatch.kind.endswith("name") and case.entry.function in _INNER


_CONVOLUTIONS = [
    "nn.conv1d",
    "nn.conv2d",
    "nn.convolution",
    "nn.depthwise_conv2d",
    "nn.depthwise_conv2d_native",
    "nn.separable_conv2d",
    "nn.atrous_conv2d",
    "nn.conv2d_transpose",
]


def _is_empty_batch(case: Any, mismatch: Any) -> bool:
    """A convolution without images, or a product of no terms and its bias."""
    is_empty = any(np.size(arg.array) == 0 for arg in case.tensors())
    if case.entry.function == "nn.xw_plus_b" and is_empty and mismatch.kind == "value":
        return case.mode == "graph" and not np.any(mismatch.theirs)
    return case.entry.function in _CONVOLUTIONS and is_empty and not _died_here(mismatch)


def _died_here(mismatch: Any) -> bool:
    return bool(mismatch.error_of(mismatch.our_facts))


def _is_window(case: Any, mismatch: Any) -> bool:
    """A window that does not fit into the image."""
    return "the filter is larger than the image" in str(mismatch.ours)


def _is_too_large(case: Any, mismatch: Any) -> bool:
    """A Python integer that the type has no room for, or no number for a shape."""
    said = str(mismatch.ours)
    if case.function == "Tensor.operators" and "@ 2**40" in case.text:
        return "type int64 that does not match" in said
    if case.function == "Tensor.operators" and "/ 2**40" in case.text:
        return "x and y must have the same dtype" in said
    large = r"out of range for u?int\d|no element was given for a"
    return bool(re.search(large, said))


def _is_put_back(case: Any, mismatch: Any) -> bool:
    """Elements of a dequeue of several that was given up."""
    is_of_several = re.search("dequeue_(many|up_to)", case.text)
    waited = case.function == "FIFOQueue" and is_of_several is not None
    return waited and mismatch.label.startswith("run")


def _is_reference(case: Any, mismatch: Any) -> bool:
    """A type of references, such as 101; the shape that a variable holds, or declares."""
    if case.function == "Variable.shapes" and "validate_shape=False" in case.text:
        refused = "InvalidArgumentError" in (str(mismatch.ours), str(mismatch.theirs))
        at_last = mismatch.label == "number of facts" and mismatch.theirs > mismatch.ours
        return refused or at_last
    asked = case.entry.function in {"as_dtype", "dtypes.as_dtype"}
    return asked and "Cannot convert value 101 " in str(mismatch.ours)


def _is_copy(case: Any, _: Any) -> bool:
    """A step of an optimizer, of a variable that is read from a copy."""
    return "caching_device" in case.text and "Optimizer" in case.text


def _is_torn_text(case: Any, mismatch: Any) -> bool:
    """A tensor as text, of which the first axis has a size and another one has none."""
    if case.entry.function != "strings.format" or mismatch.kind != "value":
        return False
    arrays = [np.asarray(arg.array) for arg in case.tensors()]
    is_empty = any(x.ndim > 1 and len(x) and not x.size for x in arrays)
    return is_empty and bool(re.search(r"\[(\\+n)+ \.\.\.\]", str(mismatch.theirs)))


ROWS: dict[str, Callable[[Any, Any], bool]] = {
    **number_differences.ROWS,
    "types": _is_left_out,
    "errors": _is_odd_error,
    "more": _is_more,
    "sooner": _is_sooner,
    "first": _is_other_fault,
    "gradients": _is_gradient,
    "shapes": _is_sharper,
    "devices": _is_device,
    "dropped": _is_dropped,
    "later": _is_later,
    "targets": _is_own_target,
    "names": _is_name,
    "ranks": _is_of_unknown_rank,
    "waits": _is_known_wait,
    "large": _is_too_large,
    "kept": _is_put_back,
    "loops": _is_growing_loop,
    "inner": _is_inner_name,
    "empty": _is_empty_batch,
    "windows": _is_window,
    "references": _is_reference,
    "copies": _is_copy,
    "known": op_rows.is_known_shape,
    "hidden": op_rows.is_hidden,
    "ones": op_rows.is_one,
    "batches": op_rows.is_of_batches,
    "nothing": op_rows.is_beyond_nothing,
    "places": op_rows.is_out_of_place,
    "splits": op_rows.is_split_anywhere,
    "texts": _is_torn_text,
}


def row_of(case: Any, mismatch: Any) -> str | None:
    """The row of docs/differences.md that ``mismatch`` belongs to, or None."""
    return next((row for row, holds in ROWS.items() if holds(case, mismatch)), None)
