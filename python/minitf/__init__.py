"""minitf: TensorFlow 1.x in a size that can be read.

    import minitf as tf

    product = tf.matmul([[3.0, 3.0]], [[2.0], [2.0]])
    with tf.Session() as session:
        print(session.run(product))  # [[12.]]

The names, arguments, defaults and errors are those of TensorFlow 1.15. A name that is in
no import here is in the tables of ``public_names.py``.

Read next: ``eager/context.py``.
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

import minitf.ops.operators as _operators  # puts them on the classes of tensors
import minitf.ops.packing as _packing  # makes tensors of lists of tensors
from minitf import compat, data, layers, raw_ops, test
from minitf import families as _families
from minitf import public_names as _public_names
from minitf._minitf import (
    GRAPH_DEF_VERSION,
    GRAPH_DEF_VERSION_MIN_CONSUMER,
    GRAPH_DEF_VERSION_MIN_PRODUCER,
)
from minitf.client.session import InteractiveSession, Session
from minitf.control_flow.control_flow_ops import case, cond, switch_case
from minitf.control_flow.while_loop import while_loop
from minitf.data_flow.data_flow_ops import (
    FIFOQueue,
    PaddingFIFOQueue,
    PriorityQueue,
    QueueBase,
    RandomShuffleQueue,
)
from minitf.data_flow.io_ops import (
    FixedLengthRecordReader,
    IdentityReader,
    ReaderBase,
    TextLineReader,
    TFRecordReader,
    WholeFileReader,
)
from minitf.data_flow.parsing_config import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    VarLenFeature,
)
from minitf.data_flow.parsing_ops import (
    decode_csv,
    decode_raw,
    parse_example,
    parse_single_example,
)
from minitf.eager.backprop import GradientTape
from minitf.eager.context import (
    disable_eager_execution,
    enable_eager_execution,
    executing_eagerly,
    get_default_graph,
    init_scope,
    reset_default_graph,
)
from minitf.framework import dtypes, errors, graph_util
from minitf.framework.collections_ import (
    GraphKeys,
    add_to_collection,
    add_to_collections,
    get_collection,
    get_collection_ref,
)
from minitf.framework.constant_op import constant, convert_to_tensor, from_dlpack
from minitf.framework.constant_op import constant_value as get_static_value
from minitf.framework.default_session import get_default_session
from minitf.framework.devices import DeviceSpec
from minitf.framework.dtypes import *
from minitf.framework.dtypes import DType, as_dtype
from minitf.framework.errors import OpError
from minitf.framework.gradient_registry import (
    NoGradient,
    NotDifferentiable,
    RegisterGradient,
)
from minitf.framework.graph import (
    Graph,
    colocate_with,
    container,
    control_dependencies,
    device,
)
from minitf.framework.importer import import_graph_def
from minitf.framework.indexed_slices import (
    IndexedSlices,
    IndexedSlicesSpec,
    convert_to_tensor_or_indexed_slices,
)
from minitf.framework.op_functions import load_op_library
from minitf.framework.operation import Operation
from minitf.framework.scopes import group, name_scope, no_op, tuple
from minitf.framework.sparse_tensor import SparseTensor, SparseTensorValue
from minitf.framework.tensor import Tensor, is_tensor
from minitf.framework.tensor_shape import Dimension, TensorShape, broadcast_static_shape
from minitf.framework.tensor_util import make_ndarray, make_tensor_proto
from minitf.lib.io import tf_record as python_io
from minitf.ops import logging_ops as _printing
from minitf.ops.array_ops import (
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
from minitf.ops.clip_ops import (
    clip_by_average_norm,
    clip_by_global_norm,
    clip_by_norm,
    global_norm,
)
from minitf.ops.custom_gradient import custom_gradient, grad_pass_through, recompute_grad
from minitf.ops.gathering import gather_nd
from minitf.ops.gradients_impl import AggregationMethod, gradients, hessians
from minitf.ops.limits import clip_by_value, saturate_cast
from minitf.ops.losses import losses_impl as losses
from minitf.ops.math_ops import (
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
from minitf.ops.metrics import metrics_impl as metrics
from minitf.ops.norms import norm
from minitf.ops.op_arguments import (
    depth_to_space,
    ensure_shape,
    matrix_diag,
    matrix_diag_part,
    matrix_set_diag,
    reverse_sequence,
    setdiff1d,
    space_to_depth,
)
from minitf.ops.patterns import meshgrid, repeat, sequence_mask
from minitf.ops.random_ops import (
    get_seed,
    multinomial,
    random_normal,
    random_shuffle,
    random_uniform,
    set_random_seed,
    truncated_normal,
)
from minitf.ops.reductions import (
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
from minitf.ops.script_ops import numpy_function, py_func, py_function
from minitf.ops.slicing import boolean_mask, slice, strided_slice
from minitf.ops.step_checks import (
    Assert,
    add_check_numerics_ops,
    verify_tensor_all_finite,
)
from minitf.ops.tensordot import tensordot
from minitf.ops.unconnected_gradients import UnconnectedGradients
from minitf.platform import gfile
from minitf.platform import tf_logging as logging
from minitf.platform.versions import VERSION
from minitf.variables import init_ops as initializers
from minitf.variables.init_ops import (
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
from minitf.variables.partitioned_variables import (
    fixed_size_partitioner,
    min_max_variable_partitioner,
    variable_axis_size_partitioner,
)
from minitf.variables.shared_variables import (
    AUTO_REUSE,
    VariableScope,
    get_local_variable,
    get_variable,
    get_variable_scope,
)
from minitf.variables.state_ops import (
    assert_variables_initialized,
    assign,
    assign_add,
    assign_sub,
    count_up_to,
    global_variables,
    global_variables_initializer,
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
from minitf.variables.variable_creation import variable_creator_scope
from minitf.variables.variable_scope import variable_scope
from minitf.variables.variable_store import no_regularizer
from minitf.variables.variables import (
    Variable,
    VariableAggregation,
    VariableSynchronization,
)

__version__ = VERSION

bool = dtypes.bool_

Print = _printing.print_v1
print = _printing.print_v2

_families.load()
_public_names.make_modules()

_MODULES = {
    *("compat", "data", "dtypes", "errors", "gfile", "graph_util", "initializers"),
    *("layers", "logging", "losses", "metrics", "python_io", "raw_ops", "test"),
    *(name for name in _public_names.DOCS.keys() - {"debug"} if "." not in name),
}
# A public module is imported under its public name, wherever it lies.
for _name in _MODULES:
    _module = _sys.modules.setdefault(f"minitf.{_name}", globals()[_name])
    if not hasattr(_module, "__getattr__"):
        _public_names.open_module(_name, _module)
# What is no public name is no attribute of tf: the rooms that the imports have left here,
# and those that a name imports when it is asked for.
for _name in _public_names.rooms():
    _importlib.import_module(f"minitf.{_name}")
for _name, _value in [*globals().items()]:
    if isinstance(_value, _ModuleType) and _name[0] != "_" and _name not in _MODULES:
        del globals()[_name]

__getattr__ = _public_names.lookup("tf", globals())


def __dir__() -> list[str]:
    loaded = {
        name
        for name, value in globals().items()
        if name in _MODULES or not isinstance(value, _ModuleType)
    }
    private = {name for name in loaded if name[:1] == "_" != name[1:2]}
    return sorted(loaded - private | _MODULES | {*_public_names.names_of("tf")})
