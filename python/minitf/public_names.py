"""What is public under which name: tables of ``tf``, ``tf.math``, ``tf.nn`` and others.

A line of a table says where names are at home, then lists them:

    ops: sin multiply=Mul      functions made of ops; named alike, but for ``Mul``
    tf: abs                    the same object as ``tf.abs``

So ``tf.math`` has what TensorFlow has there and nothing else: ``tf.math.conv2d`` does not
exist, and an op that is in no table is in ``tf.raw_ops`` only. What most programs need is
imported in ``__init__.py``; what is here is found when it is asked for.

Compare: tensorflow/core/api_def/python_api, tf_export. Read next: ``raw_ops.py``.
"""

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from minitf.framework import op_functions

TABLES = {
    "tf": """
        ops: acos acosh add arg_max arg_min asin asinh atan atan2 atanh
        ops: batch_to_space_nd bitcast ceil check_numerics cos cosh decode_json_example
        ops: diag diag_part digamma dynamic_partition dynamic_stitch
        ops: equal erf erfc exp expm1 floor floor_div floormod=FloorMod
        ops: greater greater_equal identity_n igamma igammac
        ops: invert_permutation is_finite is_inf is_nan less less_equal lgamma log log1p
        ops: logical_and logical_not logical_or matching_files matrix_band_part
        ops: matrix_determinant matrix_inverse
        ops: mod=FloorMod multiply=Mul negative=Neg not_equal parse_tensor
        ops: polygamma read_file realdiv=RealDiv reciprocal reverse=ReverseV2
        ops: reverse_v2 rint rsqrt scatter_nd segment_max segment_mean
        ops: segment_min segment_prod segment_sum serialize_tensor
        ops: shape_n sign sin sinh space_to_batch_nd sqrt square
        ops: squared_difference subtract=Sub tan tanh tile truncatediv=TruncateDiv
        ops: truncatemod=TruncateMod unsorted_segment_max unsorted_segment_min
        ops: unsorted_segment_prod unsorted_segment_sum write_file zeta
        ops.value_assertions: assert_equal assert_greater assert_greater_equal assert_less
        ops.value_assertions: assert_less_equal assert_near assert_negative
        ops.value_assertions: assert_non_negative assert_non_positive assert_none_equal
        ops.value_assertions: assert_positive
        ops.value_assertions: is_non_decreasing is_strictly_increasing
        ops.nn.batch_space: batch_to_space required_space_to_batch_paddings space_to_batch
        ops.special_math_ops: einsum
        ops.histogram_ops: bincount histogram_fixed_width histogram_fixed_width_bins
        contrib.image.geometry: extract_image_patches random_crop
        ops.linalg_ops: cross eye lbeta trace
        ops.metrics.metric_ops: confusion_matrix
        ops.segments: batch_gather sparse_segment_mean sparse_segment_sqrt_n
        ops.segments: sparse_segment_sum unsorted_segment_mean unsorted_segment_sqrt_n
        ops.shape_assertions: assert_integer assert_proper_iterable assert_rank
        ops.shape_assertions: assert_rank_at_least assert_rank_in assert_same_float_dtype
        ops.shape_assertions: assert_scalar assert_type is_numeric_tensor
        ops.sort_ops: argsort searchsorted sort unique_with_counts
        """,
    "bitwise": """
        ops: bitwise_and bitwise_or bitwise_xor invert left_shift right_shift
        """,
    "debugging": """
        tf: Assert check_numerics is_finite is_inf is_nan
        tf: assert_equal assert_greater assert_greater_equal assert_integer assert_less
        tf: assert_less_equal assert_near assert_negative assert_non_negative
        tf: assert_non_positive assert_none_equal assert_positive assert_proper_iterable
        tf: assert_rank assert_rank_at_least assert_rank_in assert_same_float_dtype
        tf: assert_scalar assert_type is_non_decreasing is_numeric_tensor
        tf: is_strictly_increasing assert_all_finite=verify_tensor_all_finite
        ops.shape_assertions: assert_shapes
        """,
    "io": """
        tf: FixedLenFeature FixedLenSequenceFeature PaddingFIFOQueue PriorityQueue
        tf: QueueBase RandomShuffleQueue SparseFeature VarLenFeature decode_csv
        tf: decode_json_example decode_raw deserialize_many_sparse gfile matching_files
        tf: parse_example parse_single_example parse_single_sequence_example parse_tensor
        tf: read_file serialize_many_sparse serialize_sparse serialize_tensor write_file
        framework.graph_io: write_graph
        contrib.image.files: decode_and_crop_jpeg decode_bmp decode_gif decode_image
        contrib.image.files: decode_jpeg
        contrib.image.files: decode_png encode_jpeg encode_png extract_jpeg_shape is_jpeg
        lib.io.tf_record: TFRecordCompressionType TFRecordOptions TFRecordWriter
        lib.io.tf_record: tf_record_iterator
        contrib.sequence.parsing: parse_sequence_example
        training.input: match_filenames_once
        """,
    "linalg": """
        tf: cross einsum eye trace global_norm matmul matrix_transpose norm tensordot
        tf: band_part=matrix_band_part det=matrix_determinant diag=matrix_diag
        tf: diag_part=matrix_diag_part inv=matrix_inverse set_diag=matrix_set_diag
        tf: tensor_diag=diag tensor_diag_part=diag_part transpose=matrix_transpose
        ops.linalg_ops: adjoint logdet matvec
        ops.norms: l2_normalize
        """,
    "manip": """
        tf: batch_to_space_nd gather_nd reshape reverse scatter_nd space_to_batch_nd tile
        """,
    "math": """
        tf: abs accumulate_n acos acosh add add_n angle argmax argmin asin asinh atan
        tf: atan2 atanh ceil conj cos cosh count_nonzero cumprod
        tf: cumsum digamma divide equal erf erfc exp expm1 floor floordiv floormod greater
        tf: greater_equal igamma igammac imag invert_permutation is_finite is_inf is_nan
        tf: less less_equal lgamma log
        tf: log1p log_sigmoid logical_and logical_not logical_or logical_xor maximum
        tf: minimum mod multiply negative not_equal polygamma pow real reciprocal
        tf: reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min
        tf: reduce_prod reduce_sum rint round rsqrt scalar_mul segment_max segment_mean
        tf: segment_min segment_prod segment_sum sigmoid sign sin sinh sqrt square
        tf: squared_difference subtract tan tanh truediv unsorted_segment_max
        tf: unsorted_segment_min unsorted_segment_prod
        tf: unsorted_segment_sum zeta
        tf: divide_no_nan=div_no_nan
        tf: bincount confusion_matrix is_non_decreasing is_strictly_increasing lbeta
        tf: unsorted_segment_mean unsorted_segment_sqrt_n
        ops: nextafter=NextAfter softplus softsign xlogy
        ops.math_ops: multiply_no_nan polyval reciprocal_no_nan xdivy
        ops.nn.nn_ops: in_top_k log_softmax softmax top_k
        ops.norms: l2_normalize
        ops.reductions: reduce_euclidean_norm reduce_std reduce_variance zero_fraction
        """,
    "nn": """
        tf: depth_to_space sigmoid space_to_depth tanh
        ops: depthwise_conv2d_native_backprop_filter
        ops: depthwise_conv2d_native_backprop_input
        ops: depthwise_conv2d_backprop_filter=DepthwiseConv2dNativeBackpropFilter
        ops: depthwise_conv2d_backprop_input=DepthwiseConv2dNativeBackpropInput
        ops: elu l2_loss local_response_normalization=LRN lrn=LRN relu relu6 selu
        ops: softplus softsign
        ops.nn.cross_entropy: log_poisson_loss sigmoid_cross_entropy_with_logits
        ops.nn.cross_entropy: softmax_cross_entropy_with_logits
        ops.nn.cross_entropy: softmax_cross_entropy_with_logits_v2
        ops.nn.cross_entropy: sparse_softmax_cross_entropy_with_logits
        ops.nn.cross_entropy: weighted_cross_entropy_with_logits
        ops.nn.convolutions: atrous_conv2d_transpose conv1d
        ops.nn.convolutions: conv1d_transpose conv2d
        ops.nn.convolutions: conv2d_backprop_filter conv2d_backprop_input conv2d_transpose
        ops.nn.by_rank: atrous_conv2d conv_transpose convolution
        ops.nn.convolutions: depthwise_conv2d
        ops.nn.convolutions: depthwise_conv2d_native
        ops.nn.convolutions: separable_conv2d
        ops.nn.batch_space: space_to_batch with_space_to_batch
        ops.nn.pools: avg_pool avg_pool1d avg_pool2d=avg_pool avg_pool3d avg_pool_v2
        ops.nn.pools: max_pool
        ops.nn.pools: max_pool1d max_pool3d max_pool_v2 max_pool_with_argmax pool
        ops.nn.nn_ops: bias_add crelu in_top_k leaky_relu
        ops.nn.nn_ops: log_softmax silu=swish softmax swish top_k xw_plus_b
        ops.nn.volumes: conv3d conv3d_transpose
        ops.nn.batch_norm: fused_batch_norm
        ops.nn.dropout: dropout
        ops.nn.embedding_ops: embedding_lookup embedding_lookup_sparse
        ops.nn.embedding_ops: safe_embedding_lookup_sparse
        ops.nn.normalization: batch_normalization moments normalize_moments
        ops.nn.normalization: sufficient_statistics weighted_moments
        ops.norms: l2_normalize
        ops.reductions: zero_fraction
        """,
    "random": """
        tf: get_seed multinomial set_random_seed truncated_normal
        ops.random_ops: categorical normal shuffle uniform
        """,
    "sparse": """
        tf: SparseTensor merge=sparse_merge placeholder=sparse_placeholder
        tf: reorder=sparse_reorder
        tf: segment_mean=sparse_segment_mean segment_sqrt_n=sparse_segment_sqrt_n
        tf: segment_sum=sparse_segment_sum to_dense=sparse_tensor_to_dense
        """,
    "strings": """
        ops.logging_ops: format=format_string
        """,
}


@cache
def _table(module: str) -> dict[str, tuple[str, str]]:
    """Where each public name of a module is at home, and what it is called there."""
    table = {}
    for line in TABLES[module].strip().splitlines():
        home, _, names = line.strip().partition(": ")
        for entry in names.split():
            name, _, other = entry.partition("=")
            table[name] = (home, other or name)
    return table


def names_of(module: str) -> list[str]:
    """The names in the table of a module: ``"tf"``, ``"math"`` and so on.

    >>> names_of("bitwise")[:2]
    ['bitwise_and', 'bitwise_or']
    """
    return sorted(_table(module))


def find(module: str, name: str) -> Any:
    """What is public as ``name`` in a module, or None.

    >>> find("math", "xlogy")
    <function minitf.raw_ops.Xlogy>
    >>> find("math", "conv2d") is None
    True
    """
    if name not in _table(module):
        return None
    home, other = _table(module)[name]
    if home == "tf":
        return getattr(sys.modules["minitf"], other)
    if home == "ops":
        return op_functions.by_any_name(other)
    return getattr(import_module(f"minitf.{home}"), other)


def lookup(module: str, namespace: dict[str, Any]) -> Callable[[str], Any]:
    """A ``__getattr__`` for a module; what it has found it leaves in the namespace."""

    def get(name: str) -> Any:
        found = find(module, name)
        if found is None:
            full_name = "minitf" if module == "tf" else f"minitf.{module}"
            raise AttributeError(f"module {full_name!r} has no attribute {name!r}")
        namespace[name] = found
        return found

    return get


def make_module(name: str, doc: str) -> ModuleType:
    """The module ``tf.<name>``, which has the names of its table."""
    module = ModuleType(f"minitf.{name}", doc)
    module.__all__ = names_of(name)
    module.__getattr__ = lookup(name, module.__dict__)
    module.__dir__ = lambda: names_of(name)
    sys.modules[module.__name__] = module
    return module
