"""``tf.Variable``: a tensor with a name that keeps its value between steps.

In a graph, a variable is the node VarHandleOp, whose output points to the state; reading
and assigning are nodes that take this handle. The value itself belongs to a session. In
eager mode the handle is made at once, and the state goes when the Variable goes.

The names of a variable "w"::

    w                           VarHandleOp
    w/Assign                    gives it its initial value
    w/Read/ReadVariableOp       what is fetched when the variable is

Compare: tensorflow/python/ops/resource_variable_ops.py. Read next:
    ``assigned_value.py``.
"""

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from minitf import _minitf
from minitf.control_flow.control_flow_ops import cond
from minitf.eager import context
from minitf.eager.tape import variable_accessed
from minitf.framework import op_def_library as ops
from minitf.framework.collections_ import GraphKeys
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.default_session import session_for
from minitf.framework.dtypes import DType, as_dtype
from minitf.framework.graph import name_as_string
from minitf.framework.op_def_library import call
from minitf.framework.tensor import Tensor, array_text
from minitf.framework.tensor_shape import TensorShape, as_shape
from minitf.ops import array_ops, operators
from minitf.variables.assigned_value import AssignedValue
from minitf.variables.variable_copies import CopyMethods
from minitf.variables.variable_creation import (
    VariableAggregation,
    VariableSynchronization,
    VariableType,
    checked_modes,
    require_resources,
)
from minitf.variables.variable_slices import SliceMethods

if TYPE_CHECKING:  # a stub of the build
    from minitf._tensor_members import VariableMembers
else:
    VariableMembers = object


class Variable(SliceMethods, CopyMethods, VariableMembers, metaclass=VariableType):
    """A tensor that keeps its value between steps.

    Args:
        initial_value: the first value, or a function that makes it.
        trainable: whether optimizers change it unless told otherwise.
        collections: the collections it goes into; the global variables if None.
        validate_shape: whether the static shape is that of the initial value. If not, the
            static shape is unknown, and ``assign`` takes the shape of the present value.
        caching_device: where the value is kept for a step: all who read the variable get
            one copy, which was read once and brought to this device.
        name: made unique.
        variable_def: must be None: there is no making of variables from a message.
        dtype: of the value.
        expected_shape: of the initial value, if it must be this.
        import_scope: must be None; it belongs to variable_def.
        constraint: a function that optimizers apply to the new value.
        use_resource: True or None: all variables are resources.
        synchronization: a VariableSynchronization; ON_READ is not trained unless told.
        aggregation: a VariableAggregation. There is one copy, so nothing is added up.
        shape: the static shape, if it is not that of the initial value. If it is known
            in part, values of different shapes can be assigned.

    Raises:
        ValueError: the shape of the initial value is not ``shape``; or is unknown, while
            ``validate_shape`` is True and ``use_resource`` is None.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     w = tf.Variable(tf.zeros((2, 2)), name="weights")
    ...     session.run(w.initializer)
    ...     print(w, session.run(w), sep=" = ")
    <tf.Variable 'weights:0' shape=(2, 2) dtype=float32> = [[0. 0.]
     [0. 0.]]
    """

    __array_priority__ = 100

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        expected_shape: Any = None,
        import_scope: str | None = None,
        constraint: Any = None,
        use_resource: bool | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
    ):
        if variable_def is not None or import_scope is not None:
            raise NotImplementedError(
                "tf.Variable makes no variable from a message: variable_def and "
                "import_scope must be None"
            )
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        if constraint is not None and not callable(constraint):
            raise ValueError("The `constraint` argument must be a callable.")
        if not isinstance(collections, (list, tuple, set, type(None))):
            raise ValueError(
                "collections argument to Variable constructor must be a list, tuple, or "
                f"set. Got {collections!r} of type {type(collections)}"
            )
        require_resources(use_resource)
        self._synchronization, self._aggregation, self._trainable = checked_modes(
            name, synchronization, aggregation, trainable
        )
        self.constraint = constraint
        self._save_slice_info = None
        self._cached_value: Tensor | None = None
        self._dtype = None if dtype is None else as_dtype(dtype)
        self._in_graph = not context.executing_eagerly()
        # AssignVariableOp compares the shape of a new value with the present value if
        # this is True, and with the static shape if it is None.
        self._validates = None if validate_shape or shape is not None else True
        if self._in_graph:
            with context.init_scope():
                self._make_in_graph(initial_value, shape, name, validate_shape)
                if caching_device is not None:
                    self._cache_on(caching_device)
            if validate_shape and not use_resource:
                self._require_known_shape()
            self._collect(collections)
        elif caching_device is not None:
            raise NotImplementedError(
                "Caching devices are not supported when eager execution is enabled: "
                f"{caching_device!r}"
            )
        else:
            self._make_now(initial_value, shape, name)
        if expected_shape is not None:
            as_shape(expected_shape).assert_is_compatible_with(self._shape)

    # ---- Making ------------------------------------------------------------------------

    def _make_now(self, initial_value: Any, shape: Any, name: str | None) -> None:
        scope = context.present_name_scope()
        name = (name or "Variable").rstrip("/")
        self._name = f"{scope}/{name}:0" if scope else f"{name}:0"
        with context.init_scope():
            value = initial_value() if callable(initial_value) else initial_value
            value = convert_to_tensor(value, self._dtype)
        self._dtype = value.dtype
        self._shape = value.shape if shape is None else as_shape(shape)
        self._graph = None
        self._handle = _minitf.new_variable(
            self._name[:-2], value.dtype.as_datatype_enum, ops._sizes(self._shape)
        )
        self._assign_now(value)

    def _make_in_graph(
        self, initial_value: Any, shape: Any, name: str | None, validate_shape: bool
    ) -> None:
        graph = self._graph = context.get_default_graph()
        default_name = name_as_string(name or "Variable")
        # As for a scope, a name that ends in a slash is full already.
        is_full = default_name.endswith("/")
        full_name = default_name[:-1] if is_full else graph.unique_name(default_name)
        self._name = f"{full_name}:0"
        with graph.name_scope(full_name + "/"):
            with graph.name_scope(f"{full_name}/Initializer/"):
                if callable(initial_value):
                    initial_value = initial_value()
                value = convert_to_tensor(initial_value, self._dtype, "initial_value")
            self._dtype = value.dtype
            self._shape = value.shape if validate_shape else TensorShape(None)
            if shape is not None:
                self._shape = as_shape(shape)
            if not self._shape.is_compatible_with(value.shape):
                raise ValueError(
                    f"variable '{self._name}': the initial value has shape "
                    f"{value.shape}, expected {self._shape}"
                )
            attrs = {
                "dtype": value.dtype,
                "shape": self._shape,
                "shared_name": full_name,
            }
            self._handle = call("VarHandleOp", [], attrs, full_name + "/")
            self._initial_value = value
            with graph._on_device_of(self._handle.op):
                with graph.name_scope(f"{full_name}/IsInitialized/"):
                    call("VarIsInitializedOp", [self._handle])
                self._initializer = call(
                    "AssignVariableOp", [self._handle, value], None, "Assign"
                )
                with graph.name_scope(f"{full_name}/Read/"):
                    self._snapshot = self._read()

    def _require_known_shape(self) -> None:
        if not self._initial_value.shape.is_fully_defined():
            raise ValueError(
                f"variable '{self._name}': initial_value must have a shape specified: "
                f"{self._initial_value}; or set validate_shape=False"
            )

    def _cache_on(self, device: Any) -> None:
        """Has all who read the variable share one copy of its value on ``device``."""
        graph = self._graph
        with (
            graph.colocate_with(None, ignore_existing=True),
            graph.device(device),
            graph.name_scope(f"{self.op.name}/Read/"),
        ):
            self._cached_value = array_ops.identity(self._snapshot)

    def _collect(self, collections: Any) -> None:
        names = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
        if self._trainable and GraphKeys.TRAINABLE_VARIABLES not in names:
            names.append(GraphKeys.TRAINABLE_VARIABLES)
        self._graph.add_to_collections(names, self)

    # ---- What it is --------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of the variable's tensor, such as ``"weights:0"``."""
        return self._name

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the value."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """The shape of the value."""
        return self._shape

    def set_shape(self, shape: Any) -> None:
        """Adds knowledge about the shape."""
        self._shape = self._shape.merge_with(shape)

    @property
    def handle(self) -> Tensor:
        """What points to the state: the tensor that reading and assigning take."""
        return self._handle

    @property
    def trainable(self) -> bool:
        """Whether optimizers change it unless told otherwise."""
        return self._trainable

    @property
    def synchronization(self) -> VariableSynchronization:
        """How copies would be kept equal; see ``tf.VariableSynchronization``."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """How values for copies would be put together."""
        return self._aggregation

    @property
    def op(self) -> Any:
        """The node, a VarHandleOp."""
        return self._handle.op

    @property
    def graph(self) -> Any:
        """The graph; None in eager mode."""
        return self._graph

    @property
    def device(self) -> str:
        """The device that was asked for, as it was given."""
        return self._handle.device

    @property
    def initializer(self) -> Any:
        """The node that gives the variable its initial value; None in eager mode."""
        return self._initializer if self._in_graph else None

    @property
    def initial_value(self) -> Tensor:
        """The tensor of the initial value."""
        if not self._in_graph:
            raise RuntimeError("initial_value not supported in EAGER mode.")
        return self._initial_value

    def initialized_value(self) -> Tensor:
        """The value; the initial one, where the variable has none yet."""
        if not self._in_graph:
            return self.read_value()
        with context.init_scope():
            return cond(
                self.is_initialized(), self.read_value, lambda: self.initial_value
            )

    def is_initialized(self, name: str | None = None) -> Tensor:
        """Whether the variable has a value, as a tensor."""
        return call("VarIsInitializedOp", [self._handle], None, name)

    # ---- Reading -----------------------------------------------------------------------

    def _read(self, name: str | None = None) -> Tensor:
        attrs = {"dtype": self._dtype}
        variable_accessed(self)
        if not self._in_graph:
            return call("ReadVariableOp", [self._handle], attrs)
        value = call("ReadVariableOp", [self._handle], attrs, name)
        if self._shape.ndims is not None:
            value.set_shape(self._shape)
        return value

    def value(self) -> Tensor:
        """The value, as a tensor; the copy on the caching device if there is one."""
        return self._read() if self._cached_value is None else self._cached_value

    def read_value(self) -> Tensor:
        """The value, as a tensor, read where this is called."""
        if not self._in_graph:
            return self._read()
        with self._graph.name_scope("Read"):
            value = self._read()
        return array_ops.identity(value)

    def _as_tensor(self) -> Tensor:
        return self.value()

    def _as_graph_element(self) -> Tensor:
        return self._snapshot

    def _feed_parts(self, value: Any) -> tuple[list[Any], list[Any]]:
        """Returns the handle: C++ takes a value of the variable as feed for it."""
        return [self._handle], [value]

    def _as_control_input(self) -> Any:
        return self._handle.op

    def eval(self, session: Any = None) -> np.ndarray:
        """The value in ``session`` or the default one."""
        if not self._in_graph:
            raise RuntimeError(
                f"Trying to eval variable '{self.name}' in eager mode; numpy() gives its "
                "value there"
            )
        return self._snapshot.eval(session=session)

    def load(self, value: Any, session: Any = None) -> None:
        """Sets the value in ``session`` or the default one, without adding nodes."""
        session = session_for(self, "load variable", session)
        session.run(self._initializer, {self._initial_value: value})

    def numpy(self) -> Any:
        """The value, in eager mode."""
        if self._in_graph:
            raise NotImplementedError(
                "numpy() is only available when eager execution is enabled."
            )
        return self._read().numpy()

    def count_up_to(self, limit: int) -> Tensor:
        """The value before it is counted up; fails when it is ``limit``."""
        attrs = {"limit": limit, "T": self._dtype}
        return call("ResourceCountUpTo", [self._handle], attrs)

    # ---- Assigning ---------------------------------------------------------------------

    def _assign_now(self, value: Tensor) -> None:
        if not self._shape.is_compatible_with(value.shape):
            raise ValueError(f"Shapes {self._shape} and {value.shape} are incompatible")
        ops._execute("AssignVariableOp", [self._handle, value], None, None)

    def _update(
        self,
        op_type: str,
        value: Any,
        name: str | None,
        read_value: bool,
        validates: bool | None = None,
    ) -> Any:
        with self._graph.as_default() if self._in_graph else nullcontext():
            value = convert_to_tensor(value, self._dtype)
            self._shape.assert_is_compatible_with(value.shape)
            if not self._in_graph:
                ops._execute(op_type, [self._handle, value], None, None)
                return self
            attrs = {"_validate_shape": validates}
            node = call(op_type, [self._handle, value], attrs, name)
            if not read_value:
                return node
            changed = self._changed(node)
            changed._value.set_shape(value.shape)
            return changed

    def _assign_any_shape(self, value: Any, name: str | None) -> Any:
        """As ``assign``, of a value of any shape; the static shape stays as it is."""
        with self._graph.as_default():
            value = convert_to_tensor(value, self._dtype)
            attrs = {"_validate_shape": False}
            node = call("AssignVariableOp", [self._handle, value], attrs, name)
            with self._graph.control_dependencies([node]):
                return AssignedValue(self, node, array_ops.identity(value))

    def _changed(self, node: Any) -> Any:
        """What a change by ``node`` returns: in a graph, the value after it."""
        if not self._in_graph:
            return self
        with self._graph.control_dependencies([node]):
            return AssignedValue(self, node, self._read())

    def assign(
        self,
        value: Any,
        use_locking: bool | None = None,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Sets the value; in a graph, a tensor with the new value whose run sets it.

        Raises:
            ValueError: ``value`` has another static shape.
            errors.InvalidArgumentError: in the step, if ``value`` has another shape. For
                a variable made with ``validate_shape=False`` the present value counts.
        """
        del use_locking  # minitf locks always
        return self._update("AssignVariableOp", value, name, read_value, self._validates)

    def assign_add(
        self,
        delta: Any,
        use_locking: bool | None = None,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Adds to the value; returns as ``assign`` does."""
        del use_locking  # minitf locks always
        return self._update("AssignAddVariableOp", delta, name, read_value)

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool | None = None,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Subtracts from the value; returns as ``assign`` does."""
        del use_locking  # minitf locks always
        return self._update("AssignSubVariableOp", delta, name, read_value)

    # ---- As a value --------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self._read().__array__(dtype, copy)

    def __bool__(self) -> bool:
        return bool(self._read())

    def __int__(self) -> int:
        return int(self.numpy())

    def __float__(self) -> float:
        return float(self.numpy())

    def __index__(self) -> int:
        return self._read().__index__()

    def __iter__(self) -> Any:
        if self._in_graph:
            raise TypeError("'Variable' object is not iterable.")
        return iter(self._read())

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __repr__(self) -> str:
        text = f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}"
        return (
            f"{text}>" if self._in_graph else f"{text}, numpy={array_text(self.numpy())}>"
        )


operators.give_operators(Variable)
