"""minitf: TensorFlow 1.x in a size that can be read.

    import minitf as tf

    product = tf.matmul([[3.0, 3.0]], [[2.0], [2.0]])
    with tf.Session() as session:
        print(session.run(product))  # [[12.]]

The names, arguments, defaults and errors are those of TensorFlow 1.15. A name that is in
no import here is in the tables of ``public_names.py``.

Read next: ``context.py``.
"""

import importlib as _importlib
import os as _os
import sys as _sys
from types import ModuleType as _ModuleType

# In a build tree the C++ module lies in a folder of its own; installed, beside this file.
for _entry in _sys.path:
    _folder = _os.path.join(_entry, "minitf")
    if _folder not in __path__ and _os.path.exists(
        _os.path.join(_folder, "libminitf.so")
    ):
        __path__.append(_folder)

import minitf.operators as _operators  # puts them on the classes of tensors
from minitf import dtypes as _dtypes
from minitf import (
    errors,
    graph_util,
    initializers,
    layers,
    logging,
    losses,
    raw_ops,
    summary,
    test,
    train,
)
from minitf import messages as _messages
from minitf import printing as _printing
from minitf import public_names as _public_names
from minitf._minitf import (
    GRAPH_DEF_VERSION,
    GRAPH_DEF_VERSION_MIN_CONSUMER,
    GRAPH_DEF_VERSION_MIN_PRODUCER,
)
from minitf.array_ops import (
    broadcast_to,
    concat,
    expand_dims,
    fill,
    gather,
    guarantee_const,
    identity,
    matrix_transpose,
    newaxis,
    one_hot,
    ones,
    ones_like,
    pad,
    parallel_stack,
    placeholder,
    placeholder_with_default,
    rank,
    reshape,
    shape,
    size,
    split,
    squeeze,
    stack,
    stop_gradient,
    transpose,
    unique,
    unstack,
    where,
    where_v2,
    zeros,
    zeros_like,
)
from minitf.clipping import (
    clip_by_average_norm,
    clip_by_global_norm,
    clip_by_norm,
    global_norm,
)
from minitf.collections_ import (
    GraphKeys,
    add_to_collection,
    add_to_collections,
    get_collection,
    get_collection_ref,
)
from minitf.constant_op import constant, convert_to_tensor, from_dlpack
from minitf.constant_op import constant_value as get_static_value
from minitf.context import (
    disable_eager_execution,
    enable_eager_execution,
    executing_eagerly,
    get_default_graph,
    init_scope,
    reset_default_graph,
)
from minitf.control_flow import case, cond, switch_case
from minitf.custom_gradients import custom_gradient, grad_pass_through, recompute_grad
from minitf.devices import DeviceSpec
from minitf.dtypes import *
from minitf.dtypes import DType, as_dtype
from minitf.eager import GradientTape
from minitf.errors import OpError
from minitf.gathering import gather_nd
from minitf.gradient_registry import NoGradient, NotDifferentiable, RegisterGradient
from minitf.gradients_impl import AggregationMethod, gradients, hessians
from minitf.graph import (
    Graph,
    colocate_with,
    container,
    control_dependencies,
    device,
)
from minitf.graph_io import import_graph_def
from minitf.indexed_slices import (
    IndexedSlices,
    IndexedSlicesSpec,
    convert_to_tensor_or_indexed_slices,
)
from minitf.initializers import (
    constant_initializer,
    glorot_normal_initializer,
    glorot_uniform_initializer,
    ones_initializer,
    orthogonal_initializer,
    random_normal_initializer,
    random_uniform_initializer,
    truncated_normal_initializer,
    uniform_unit_scaling_initializer,
    variance_scaling_initializer,
    zeros_initializer,
)
from minitf.library import load_op_library
from minitf.limits import clip_by_value, saturate_cast
from minitf.math_ops import (
    abs,
    accumulate_n,
    add_n,
    angle,
    argmax,
    argmin,
    cast,
    complex,
    conj,
    cumprod,
    cumsum,
    div,
    div_no_nan,
    divide,
    floordiv,
    imag,
    lin_space,
    linspace,
    log_sigmoid,
    logical_xor,
    matmul,
    maximum,
    minimum,
    pow,
    range,
    real,
    round,
    scalar_mul,
    sigmoid,
    to_double,
    to_float,
    to_int32,
    to_int64,
    truediv,
)
from minitf.norms import norm
from minitf.op_arguments import (
    depth_to_space,
    ensure_shape,
    matrix_diag,
    matrix_diag_part,
    matrix_set_diag,
    reverse_sequence,
    setdiff1d,
    space_to_depth,
)
from minitf.operation import Operation
from minitf.parsing_config import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    SparseFeature,
    VarLenFeature,
)
from minitf.parsing_ops import (
    decode_csv,
    decode_raw,
    parse_example,
    parse_single_example,
)
from minitf.partitioned_variables import (
    fixed_size_partitioner,
    min_max_variable_partitioner,
    variable_axis_size_partitioner,
)
from minitf.patterns import meshgrid, repeat, sequence_mask
from minitf.queues import (
    FIFOQueue,
    PaddingFIFOQueue,
    PriorityQueue,
    QueueBase,
    RandomShuffleQueue,
)
from minitf.random_ops import (
    get_seed,
    multinomial,
    random_normal,
    random_shuffle,
    random_uniform,
    set_random_seed,
    truncated_normal,
)
from minitf.readers import (
    FixedLengthRecordReader,
    IdentityReader,
    ReaderBase,
    TextLineReader,
    TFRecordReader,
    WholeFileReader,
)
from minitf.reductions import (
    count_nonzero,
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from minitf.scopes import group, name_scope, no_op, op_scope, tuple
from minitf.script_ops import numpy_function, py_func, py_function
from minitf.sequence_parsing import parse_single_sequence_example
from minitf.session import (
    InteractiveSession,
    Session,
    get_default_session,
)
from minitf.shared_variables import (
    AUTO_REUSE,
    VariableScope,
    get_local_variable,
    get_variable,
    get_variable_scope,
)
from minitf.slicing import boolean_mask, slice, strided_slice
from minitf.sparse_ops import (
    deserialize_many_sparse,
    serialize_many_sparse,
    serialize_sparse,
    sparse_merge,
    sparse_reorder,
)
from minitf.sparse_tensor import (
    SparseTensor,
    SparseTensorValue,
    sparse_placeholder,
    sparse_tensor_to_dense,
    sparse_to_dense,
)
from minitf.state_ops import (
    all_variables,
    assert_variables_initialized,
    assign,
    assign_add,
    assign_sub,
    count_up_to,
    global_variables,
    global_variables_initializer,
    initialize_all_variables,
    initialize_local_variables,
    initialize_variables,
    is_variable_initialized,
    local_variables,
    local_variables_initializer,
    model_variables,
    moving_average_variables,
    report_uninitialized_variables,
    scatter_add,
    scatter_div,
    scatter_max,
    scatter_min,
    scatter_mul,
    scatter_sub,
    scatter_update,
    trainable_variables,
    variables_initializer,
)
from minitf.step_checks import Assert, add_check_numerics_ops, verify_tensor_all_finite
from minitf.template import make_template
from minitf.tensor import Tensor, is_tensor
from minitf.tensor_proto import make_ndarray, make_tensor_proto
from minitf.tensor_shape import Dimension, TensorShape, broadcast_static_shape
from minitf.tensordot import tensordot
from minitf.unconnected import UnconnectedGradients
from minitf.v2_behavior import (
    control_flow_v2_enabled,
    disable_control_flow_v2,
    disable_resource_variables,
    disable_v2_behavior,
    enable_control_flow_v2,
    enable_resource_variables,
    resource_variables_enabled,
)
from minitf.variable_creation import variable_creator_scope
from minitf.variable_scopes import (
    create_partitioned_variables,
    variable_op_scope,
    variable_scope,
)
from minitf.variable_store import no_regularizer
from minitf.variables import Variable, VariableAggregation, VariableSynchronization
from minitf.while_loop import while_loop

__version__ = VERSION = "0.1.0"

bool = _dtypes.bool_

Print = _printing.print_v1
print = _printing.print_v2

# Modules that are loaded when somebody asks for them.
_LAZY = ("compat", "data", "gfile", "image", "metrics", "python_io")

bitwise = _public_names.make_module("bitwise", "``tf.bitwise``: the bits of integers.")
debugging = _public_names.make_module("debugging", "``tf.debugging``: checks.")
io = _public_names.make_module("io", "``tf.io``: reading, writing and parsing.")
linalg = _public_names.make_module("linalg", "``tf.linalg``: matrices.")
manip = _public_names.make_module("manip", "``tf.manip``: moving elements about.")
math = _public_names.make_module("math", "``tf.math``: functions of numbers.")
nn = _public_names.make_module("nn", "``tf.nn``: layers of networks, as functions.")
random = _public_names.make_module("random", "``tf.random``: numbers made by chance.")
sparse = _public_names.make_module("sparse", "``tf.sparse``: tensors that are mostly 0.")
strings = _public_names.make_module("strings", "``tf.strings``: ops on text.")

_MODULES = {
    *("bitwise", "debugging", "dtypes", "errors", "graph_util", "initializers", "io"),
    *("layers", "linalg", "logging", "losses", "manip", "math", "nn", "random"),
    *("raw_ops", "sparse", "strings", "summary", "test", "train", *_LAZY),
}
_find_name = _public_names.lookup("tf", globals())


def __getattr__(name: str):
    if name in _LAZY:
        return _importlib.import_module(f"minitf.{name}")
    if name in _messages.IN_TF:
        return globals().setdefault(name, _messages.get(name))
    return _find_name(name)


def __dir__() -> list[str]:
    loaded = {
        name
        for name, value in globals().items()
        if name in _MODULES or not isinstance(value, _ModuleType)
    }
    private = {name for name in loaded if name[:1] == "_" != name[1:2]}
    return sorted(
        loaded - private | _MODULES | _messages.IN_TF | {*_public_names.names_of("tf")}
    )
