"""What is public under which name: tables of ``tf``, ``tf.math``, ``tf.nn`` and others.

A line of a table says where names are at home, then lists them:

    op: sin multiply=Mul       functions made of ops; named alike, but for ``Mul``
    tf: abs                    the same object as ``tf.abs``
    message: Example           the class of a message
    ops.norms: norm            that of ``minitf.ops.norms``

So ``tf.math`` has what TensorFlow has there and nothing else: ``tf.math.conv2d`` does not
exist, and an op that is in no table is in ``tf.raw_ops`` only. What most programs need is
imported in ``__init__.py``; what is here is found when it is asked for, which keeps
``import minitf`` short, and lets a family be taken away (``families.py``).

Compare: tensorflow/core/api_def/python_api, tf_export. Read next: ``raw_ops.py``.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

from minitf.framework import messages, op_functions

TABLES = {
    "tf": """
        message: AttrValue ConfigProto Event GPUOptions GraphDef GraphOptions
        message: NameAttrList NodeDef OptimizerOptions RunMetadata RunOptions
        message: SessionLog Summary
        op: acos acosh add arg_max arg_min asin asinh atan atan2 atanh
        op: batch_to_space_nd bitcast ceil check_numerics cos cosh decode_json_example
        op: diag diag_part digamma dynamic_partition dynamic_stitch
        op: equal erf erfc exp expm1 floor floor_div floormod=FloorMod
        op: greater greater_equal identity_n igamma igammac
        op: invert_permutation is_finite is_inf is_nan less less_equal lgamma log log1p
        op: logical_and logical_not logical_or matching_files matrix_band_part
        op: matrix_determinant matrix_inverse
        op: mod=FloorMod multiply=Mul negative=Neg not_equal parse_tensor
        op: polygamma read_file realdiv=RealDiv reciprocal reverse=ReverseV2
        op: rint rsqrt scatter_nd segment_max segment_mean
        op: segment_min segment_prod segment_sum serialize_tensor
        op: shape_n sign sin sinh space_to_batch_nd sqrt square
        op: squared_difference subtract=Sub tan tanh tile truncatediv=TruncateDiv
        op: truncatemod=TruncateMod unsorted_segment_max unsorted_segment_min
        op: unsorted_segment_prod unsorted_segment_sum write_file zeta
        ops.value_assertions: assert_equal assert_greater assert_greater_equal assert_less
        ops.value_assertions: assert_less_equal assert_near assert_negative
        ops.value_assertions: assert_non_negative assert_non_positive assert_none_equal
        ops.value_assertions: assert_positive
        ops.value_assertions: is_non_decreasing is_strictly_increasing
        ops.nn.batch_space: batch_to_space required_space_to_batch_paddings space_to_batch
        ops.special_math_ops: einsum
        ops.histogram_ops: bincount histogram_fixed_width histogram_fixed_width_bins
        ops.op_arguments: extract_image_patches
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
        op: bitwise_and bitwise_or bitwise_xor invert left_shift right_shift
        """,
    "debugging": """
        tf: Assert check_numerics is_finite is_inf is_nan
        tf: assert_equal assert_greater assert_greater_equal assert_integer assert_less
        tf: assert_less_equal assert_near assert_negative assert_non_negative
        tf: assert_non_positive assert_none_equal assert_positive assert_proper_iterable
        tf: assert_rank assert_rank_at_least assert_rank_in assert_same_float_dtype
        tf: assert_scalar assert_type is_non_decreasing is_numeric_tensor
        tf: is_strictly_increasing
        ops.shape_assertions: assert_shapes
        """,
    "io": """
        tf: FixedLenFeature FixedLenSequenceFeature PaddingFIFOQueue PriorityQueue
        tf: QueueBase RandomShuffleQueue VarLenFeature decode_csv
        tf: decode_json_example decode_raw gfile matching_files
        tf: parse_example parse_single_example parse_tensor
        tf: read_file serialize_tensor write_file
        framework.graph_io: write_graph
        lib.io.tf_record: TFRecordCompressionType TFRecordOptions TFRecordWriter
        lib.io.tf_record: tf_record_iterator
        training.input: match_filenames_once
        """,
    "linalg": """
        tf: cross einsum eye trace global_norm matmul matrix_transpose norm tensordot
        tf: det=matrix_determinant diag=matrix_diag
        tf: diag_part=matrix_diag_part inv=matrix_inverse set_diag=matrix_set_diag
        tf: tensor_diag_part=diag_part transpose=matrix_transpose
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
        tf: bincount confusion_matrix is_non_decreasing is_strictly_increasing lbeta
        tf: unsorted_segment_mean unsorted_segment_sqrt_n
        op: nextafter=NextAfter softplus softsign xlogy
        ops.math_ops: multiply_no_nan polyval reciprocal_no_nan xdivy
        ops.nn.nn_ops: in_top_k log_softmax softmax top_k
        ops.norms: l2_normalize
        ops.reductions: reduce_euclidean_norm reduce_std reduce_variance zero_fraction
        """,
    "nn": """
        tf: depth_to_space sigmoid space_to_depth tanh
        op: depthwise_conv2d_native_backprop_filter
        op: depthwise_conv2d_native_backprop_input
        op: depthwise_conv2d_backprop_filter=DepthwiseConv2dNativeBackpropFilter
        op: depthwise_conv2d_backprop_input=DepthwiseConv2dNativeBackpropInput
        op: elu l2_loss local_response_normalization=LRN lrn=LRN relu relu6 selu
        op: softplus softsign
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
        ops.nn.pools: avg_pool avg_pool1d avg_pool3d avg_pool_v2
        ops.nn.pools: max_pool
        ops.nn.pools: max_pool1d max_pool3d max_pool_v2 max_pool_with_argmax pool
        ops.nn.nn_ops: bias_add crelu in_top_k leaky_relu
        ops.nn.nn_ops: log_softmax silu=swish softmax swish top_k xw_plus_b
        ops.nn.volumes: conv3d conv3d_transpose
        ops.nn.batch_norm: fused_batch_norm
        ops.nn.dropout: dropout
        ops.nn.embedding_ops: embedding_lookup
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
        tf: SparseTensor
        tf: segment_mean=sparse_segment_mean segment_sqrt_n=sparse_segment_sqrt_n
        tf: segment_sum=sparse_segment_sum
        """,
    "strings": """
        ops.logging_ops: format=format_string
        """,
    "train": """
        message: BytesList Example Feature FeatureList FeatureLists Features FloatList
        message: Int64List QueueRunnerDef SequenceExample
        framework.graph_io: write_graph
        training.batching: batch batch_join maybe_batch maybe_batch_join
        training.coordinator: Coordinator LooperThread
        training.device_setter: replica_device_setter
        training.input: input_producer limit_epochs match_filenames_once
        training.input: range_input_producer slice_input_producer string_input_producer
        training.learning_rate_decay: cosine_decay cosine_decay_restarts
        training.learning_rate_decay: exponential_decay inverse_time_decay
        training.learning_rate_decay: linear_cosine_decay natural_exp_decay
        training.learning_rate_decay: noisy_linear_cosine_decay piecewise_constant
        training.learning_rate_decay: polynomial_decay
        training.more_optimizers: AdadeltaOptimizer FtrlOptimizer
        training.more_optimizers: ProximalAdagradOptimizer
        training.more_optimizers: ProximalGradientDescentOptimizer
        training.moving_averages: ExponentialMovingAverage
        training.optimizer: Optimizer
        training.optimizers: AdagradOptimizer AdamOptimizer GradientDescentOptimizer
        training.optimizers: MomentumOptimizer RMSPropOptimizer
        training.queue_runner_impl: QueueRunner add_queue_runner start_queue_runners
        training.shuffling: maybe_shuffle_batch maybe_shuffle_batch_join shuffle_batch
        training.shuffling: shuffle_batch_join
        training.training_util: assert_global_step create_global_step get_global_step
        training.training_util: get_or_create_global_step global_step
        """,
}


# What the modules that are made of tables say of themselves.
DOCS = {
    "bitwise": "``tf.bitwise``: the bits of integers.",
    "debugging": "``tf.debugging``: checks.",
    "io": "``tf.io``: reading, writing and parsing.",
    "linalg": "``tf.linalg``: matrices.",
    "manip": "``tf.manip``: moving elements about.",
    "math": "``tf.math``: functions of numbers.",
    "nn": "``tf.nn``: layers of networks, as functions.",
    "random": "``tf.random``: numbers made by chance.",
    "sparse": "``tf.sparse``: tensors that are mostly 0.",
    "strings": "``tf.strings``: ops on text.",
    "train": "``tf.train``: optimizers, learning rates, steps, input pipelines.",
}

# What families that are not there would have added, and to which module.
_withheld: dict[tuple[str, str], str] = {}
_homes: dict[str, dict[str, tuple[str, str]]] = {}


def _entries(text: str, room: str = "") -> dict[str, tuple[str, str]]:
    """The names of a table, where each is at home, and what it is called there."""
    found = {}
    for line in text.strip().splitlines():
        home, _, names = line.strip().partition(": ")
        if room and home not in ("message", "op", "tf"):
            home = f"{room}.{home}"
        for entry in names.split():
            name, _, other = entry.partition("=")
            found[name] = (home, other or name)
    return found


def _table(module: str) -> dict[str, tuple[str, str]]:
    """Where each public name of a module is at home, and what it is called there."""
    if module not in _homes:
        _homes[module] = _entries(TABLES[module])
    return _homes[module]


def extend(module: str, text: str, room: str) -> None:
    """Adds the names of a table, whose modules lie in ``room``, to a module."""
    TABLES.setdefault(module, "")
    _table(module).update(_entries(text, room))


def withhold(module: str, text: str, family: str) -> None:
    """Notes that the names of a table are not there because a family is not."""
    _withheld[("tf", module)] = _withheld.get(("tf", module), family)
    _withheld.update({(module, name): family for name in _entries(text)})


def names_of(module: str) -> list[str]:
    """The names in the table of a module: ``"tf"``, ``"math"`` and so on.

    >>> names_of("bitwise")[:2]
    ['bitwise_and', 'bitwise_or']
    """
    return sorted(_table(module))


def rooms() -> set[str]:
    """The first parts of the modules that are imported when a name is asked for."""
    homes = {home for module in TABLES for home, _ in _table(module).values()}
    return {home.partition(".")[0] for home in homes} - {"message", "op", "tf"}


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
    if home == "op":
        return op_functions.by_any_name(other)
    if home == "message":
        return messages.get(other)
    return getattr(import_module(f"minitf.{home}"), other)


def lookup(module: str, namespace: dict[str, Any]) -> Callable[[str], Any]:
    """A ``__getattr__`` for a module; what it has found it leaves in the namespace."""

    def get(name: str) -> Any:
        found = find(module, name)
        if found is None:
            full_name = "minitf" if module == "tf" else f"minitf.{module}"
            family = _withheld.get((module, name))
            why = f": it belongs to the family {family!r}, which is not here" * bool(
                family
            )
            raise AttributeError(f"module {full_name!r} has no attribute {name!r}{why}")
        namespace[name] = found
        return found

    return get


def make_module(name: str) -> ModuleType:
    """The module ``tf.<name>``, which has the names of its table."""
    module = ModuleType(f"minitf.{name}", DOCS[name])
    module.__all__ = names_of(name)
    module.__getattr__ = lookup(name, module.__dict__)
    module.__dir__ = lambda: names_of(name)
    sys.modules[module.__name__] = module
    return module
