"""What is public under which name: tables of ``tf``, ``tf.math``, ``tf.nn`` and others.

A line of a table says where names are at home, then lists them:

    op: sin multiply=Mul       functions made of ops; named alike, but for ``Mul``
    tf: gfile                  the same object as ``tf.gfile``
    message: Example           the class of a message
    ops.norms: norm            that of ``minitf.ops.norms``

Many objects of TensorFlow have second names: ``tf.abs`` is ``tf.math.abs``. A line of
``tensorflow_names.txt`` has all names of an object. If a table or a module has one of
them, the others exist, too. ``tf.math`` has what TensorFlow has there and nothing else.
An op that is in no table is in ``tf.raw_ops`` only. ``__init__.py`` imports what most
programs need. A name of this file is found when a program uses it. This keeps
``import minitf`` short, and lets a family be taken away (``families.py``).

Compare: tensorflow/core/api_def/python_api, tf_export. Read next: ``raw_ops.py``.
"""

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
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
        platform.tf_logging: get_logger
        platform.versions: COMPILER_VERSION CXX11_ABI_FLAG GIT_VERSION MONOLITHIC_BUILD
        framework.conversions: register_tensor_conversion_function
        ops.sizes: broadcast_dynamic_shape
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
        ops.shape_assertions: assert_shapes
        """,
    "io": """
        tf: gfile
        lib.io.tf_record: TFRecordCompressionType TFRecordOptions TFRecordWriter
        lib.io.tf_record: tf_record_iterator
        """,
    "linalg": """
        ops.linalg_ops: adjoint logdet matvec
        """,
    "math": """
        op: nextafter=NextAfter xlogy
        ops.math_ops: multiply_no_nan polyval reciprocal_no_nan xdivy
        ops.reductions: reduce_euclidean_norm reduce_std reduce_variance zero_fraction
        """,
    "nn": """
        op: depthwise_conv2d_native_backprop_filter
        op: depthwise_conv2d_native_backprop_input
        op: elu l2_loss lrn=LRN relu relu6 selu
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
        ops.nn.pools: max_pool max_pool1d max_pool2d max_pool3d
        ops.nn.pools: max_pool_v2 max_pool_with_argmax pool
        ops.nn.nn_ops: bias_add crelu in_top_k leaky_relu
        ops.nn.nn_ops: log_softmax silu=swish softmax swish top_k xw_plus_b
        ops.nn.volumes: conv3d conv3d_transpose
        ops.nn.batch_norm: fused_batch_norm
        ops.nn.dropout: dropout
        ops.nn.embedding_ops: embedding_lookup
        ops.nn.normalization: batch_normalization moments normalize_moments
        ops.nn.normalization: sufficient_statistics weighted_moments
        ops.norms: l2_normalize
        """,
    "random": """
        ops.random_ops: categorical normal shuffle uniform
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
    "queue": "``tf.queue``: queues.",
    "strings": "``tf.strings``: ops on text.",
    "version": "``tf.version``: numbers of versions.",
    "train": "``tf.train``: optimizers, learning rates, steps, input pipelines.",
    "train.queue_runner": "``tf.train.queue_runner``: threads that fill queues.",
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
        _homes[module] = _entries(TABLES.get(module, ""))
    return _homes[module]


@cache
def _second_names() -> dict[str, list[str]]:
    """For each name of TensorFlow 1.15 that is not the only one, all of its object."""
    text = Path(__file__).with_name("tensorflow_names.txt").read_text()
    lines = [line.split() for line in text.splitlines()]
    return {name: names for names in lines if len(names) > 1 for name in names}


def _split(full_name: str) -> tuple[str, str]:
    module, _, name = full_name.rpartition(".")
    return module or "tf", name


def _module_itself(module: str, name: str) -> Any:
    """``name`` of a module of Python, or None; not what it imports for itself."""
    path = "minitf" if module == "tf" else f"minitf.{module}"
    names = vars(sys.modules[path]) if path in sys.modules else {}
    return names.get(name) if name in names.get("__all__", names) else None


def _is_home(full_name: str) -> bool:
    """Whether a table or a module of Python has this name."""
    module, name = _split(full_name)
    return name in _table(module) or _module_itself(module, name) is not None


def extend(module: str, text: str, room: str) -> None:
    """Adds the names of a table, whose modules lie in ``room``, to a module."""
    TABLES.setdefault(module, "")
    _table(module).update(_entries(text, room))


def withhold(module: str, text: str, family: str) -> None:
    """Notes that the names of a table are not there because a family is not."""
    _withheld[("tf", module)] = _withheld.get(("tf", module), family)
    _withheld.update({(module, name): family for name in _entries(text)})


def names_of(module: str) -> list[str]:
    """The names of a module that are found when a program uses them.

    >>> names_of("bitwise")[:2]
    ['bitwise_and', 'bitwise_or']
    """
    second = {
        _split(name)[1]
        for name, names in _second_names().items()
        if _split(name)[0] == module and any(map(_is_home, names))
    }
    modules = {_split(name)[1] for name in DOCS if _split(name)[0] == module != "tf"}
    return sorted(modules | second | _table(module).keys())


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
        return _find_second(module, name)
    home, other = _table(module)[name]
    if home == "tf":
        return getattr(sys.modules["minitf"], other)
    if home == "op":
        return op_functions.by_any_name(other)
    if home == "message":
        return messages.get(other)
    return getattr(import_module(f"minitf.{home}"), other)


def _find_second(module: str, name: str) -> Any:
    """The object that is public as ``name`` and is at home under another name."""
    full_name = name if module == "tf" else f"{module}.{name}"
    for other in _second_names().get(full_name, ()):
        other_module, other_name = _split(other)
        if other_name in _table(other_module):
            return find(other_module, other_name)
        if (found := _module_itself(other_module, other_name)) is not None:
            return found
    return None


def lookup(module: str, namespace: dict[str, Any]) -> Callable[[str], Any]:
    """A ``__getattr__`` for a module; what it has found it leaves in the namespace."""

    def get(name: str) -> Any:
        if name == "__all__":
            return names_of(module)
        found = None if name.startswith("__") else find(module, name)
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


def open_module(name: str, module: ModuleType) -> ModuleType:
    """Gives a module the names of its table, and second names, besides its own."""
    own = getattr(module, "__all__", ())
    module.__getattr__ = lookup(name, module.__dict__)
    module.__dir__ = lambda: sorted({*own, *names_of(name)})
    return module


def make_modules() -> None:
    """Makes the modules of ``DOCS``, which have the names of their tables."""
    for name, doc in DOCS.items():
        module = open_module(name, ModuleType(f"minitf.{name}", doc))
        parent, _, child = module.__name__.rpartition(".")
        sys.modules[module.__name__] = module
        setattr(sys.modules[parent], child, module)
