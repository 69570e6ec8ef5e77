"""minitf: TensorFlow 1.x in a size that can be read.

    import minitf as tf

    product = tf.matmul([[3.0, 3.0]], [[2.0], [2.0]])
    with tf.Session() as session:
        print(session.run(product))  # [[12.]]

The names, arguments, defaults and errors are those of TensorFlow 1.15. A name that is in
no file here is that of an op (``public_ops.py``).

Read next: ``context.py``.
"""

import os as _os
import sys as _sys

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
from minitf import math_ops as math
from minitf import messages as _messages
from minitf import nn_ops as nn
from minitf import printing as _printing
from minitf import random_ops as random
from minitf import reductions as _reductions
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
from minitf.check_ops import Assert, add_check_numerics_ops, verify_tensor_all_finite
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
from minitf.devices import DeviceSpec
from minitf.dtypes import *
from minitf.dtypes import DType, as_dtype
from minitf.eager import GradientTape
from minitf.errors import OpError
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
from minitf.library import custom_gradient, load_op_library
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
    gather_nd,
    matrix_diag,
    matrix_diag_part,
    matrix_set_diag,
    reverse_sequence,
    setdiff1d,
    space_to_depth,
)
from minitf.op_functions import snake_case as _snake_case
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
from minitf.public_ops import find as _find
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
    clip_by_average_norm,
    clip_by_global_norm,
    clip_by_norm,
    count_nonzero,
    global_norm,
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
from minitf.template import make_template
from minitf.tensor import Tensor, is_tensor
from minitf.tensor_proto import make_ndarray, make_tensor_proto
from minitf.tensor_shape import Dimension, TensorShape
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
from minitf.variable_scopes import variable_op_scope, variable_scope
from minitf.variable_store import no_regularizer
from minitf.variables import Variable, VariableAggregation, VariableSynchronization
from minitf.while_loop import while_loop

__version__ = VERSION = "0.1.0"

bool = _dtypes.bool_

for _name in (
    "reduce_euclidean_norm",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_std",
    "reduce_sum",
    "reduce_variance",
    "reduce_all",
    "reduce_any",
    "count_nonzero",
    "zero_fraction",
):
    setattr(math, _name, getattr(_reductions, _name))
for _name in ("log_softmax", "softmax"):
    setattr(math, _name, getattr(nn, _name))
for _name in ("depth_to_space", "space_to_depth"):
    setattr(nn, _name, globals()[_name])

math.tensordot = tensordot
math.l2_normalize = nn.l2_normalize
math.saturate_cast = saturate_cast

Print = _printing.print_v1
print = _printing.print_v2

# Modules that are loaded when somebody asks for them.
_LAZY = ("data", "gfile", "image", "io", "python_io", "strings")


def __getattr__(name: str):
    if name in _LAZY:
        import importlib

        return importlib.import_module(f"minitf.{name}")
    if name in ("extract_image_patches", "random_crop"):
        from minitf import image_geometry

        return getattr(image_geometry, name)
    found = _messages.get(name) if name in _messages.IN_TF else _find(name)
    if found is None:
        raise AttributeError(f"module 'minitf' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    from minitf import _minitf

    names = {_snake_case(name) for name in _minitf.op_names()}
    return sorted(names | set(globals()))
