"""``tf.gradients``, and gradient functions that are written in Python.

The chain rule is C++ (``minitf/gradients/add_gradients.h``). Here is the way into it, and
the way out again to functions that were registered with ``@tf.RegisterGradient``: they
get an object with the op's inputs, outputs and attributes, whose tensors are graph
tensors while ``tf.gradients`` runs, and eager ones on a tape.

Compare: tensorflow/python/ops/gradients_impl.py. Read next: ``eager/backprop.py``.
"""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from minitf import _minitf
from minitf.control_flow.flow_contexts import EmitterContext, place_in_flows
from minitf.control_flow.while_loop import while_loop
from minitf.eager import context
from minitf.framework import dtypes, errors
from minitf.framework import op_def_library as ops
from minitf.framework.graph import name_as_string
from minitf.framework.indexed_slices import (
    IndexedSlices,
    convert_to_tensor_or_indexed_slices,
    of_parts,
    parts_of,
)
from minitf.framework.op_def_registry import get as get_op_def
from minitf.framework.operation import attr_from_core
from minitf.framework.tensor import GraphTensor, Tensor
from minitf.framework.tensor_shape import TensorShape
from minitf.ops import array_ops
from minitf.ops.unconnected_gradients import UnconnectedGradients


class AggregationMethod:
    """How several gradients of one tensor are added up: by AddN in any case."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def _require_method(method: int | None) -> None:
    if method not in (None, *range(3)):
        raise ValueError(f"Invalid aggregation_method specified {method}.")


# ---- From C++ to a Python gradient function --------------------------------------------


class _EagerOp:
    """What a gradient function sees of a call that a tape has recorded."""

    def __init__(self, op_type: str, attrs: dict, inputs: list, outputs: list):
        self.type = op_type
        self.name = op_type
        self.inputs = inputs
        self.outputs = outputs
        self._attrs = attrs

    @property
    def op_def(self) -> Any:
        return get_op_def(self.type)

    def get_attr(self, name: str) -> Any:
        if name not in self._attrs:
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")
        return attr_from_core(*self._attrs[name])


def _results(function: Callable, op: Any, result: Any) -> list[Any]:
    """What a gradient function has returned: a gradient, or None, for each input."""
    gradients = list(result) if isinstance(result, (list, tuple)) else [result]
    if len(gradients) != len(op.inputs):
        raise ValueError(
            f"Num gradients {len(gradients)} generated for op {op.name} ({op.type}) by "
            f"{getattr(function, '__name__', function)} do not match num inputs "
            f"{len(op.inputs)}"
        )
    return [
        None
        if item is None
        else _fitting(op, i, convert_to_tensor_or_indexed_slices(item))
        for i, item in enumerate(gradients)
    ]


def _fitting(op: Any, index: int, gradient: Any) -> Tensor | IndexedSlices:
    """``gradient``, which must be of the type and the shape of input ``index``."""
    x = op.inputs[index]
    if not (x.dtype.is_floating or x.dtype.is_complex):
        return gradient
    if gradient.dtype is not x.dtype:
        raise ValueError(
            f"The gradient of input {index} of op {op.name} ({op.type}) has type "
            f"{gradient.dtype.name}, the input has type {x.dtype.name}"
        )
    if not gradient.shape.is_compatible_with(x.shape):
        raise ValueError(
            "Incompatible shapes between op input and calculated input gradient. Forward "
            f"operation: {op.name}. Input index: {index}. Original input shape: "
            f"{x.shape}. Calculated input gradient shape: {gradient.shape}"
        )
    return gradient


def _zeros(output: Tensor) -> Tensor | None:
    """The gradient of an output on which nothing depends."""
    return None if output.dtype is dtypes.resource else ops.call("ZerosLike", [output])


def _grads(outputs: list, dy: list[list[Tensor]]) -> list[Any]:
    """The gradients of ``outputs``, of which ``dy`` has the parts; zeros for none."""
    return [
        _zeros(output) if not parts else of_parts(parts)
        for parts, output in zip(dy, outputs, strict=True)
    ]


def _call_in_graph(
    function: Callable,
    graph: Any,
    node: int,
    dy: list[list[int]],
    scope: str,
    in_flow: bool,
) -> list[list[int]]:
    op = graph._operation(node)
    flow = EmitterContext(graph) if in_flow else nullcontext()
    with graph.as_default(), graph.name_scope(scope + "/"), flow:
        dy_parts = [[graph._tensor(handle) for handle in handles] for handles in dy]
        results = _results(function, op, function(op, *_grads(op.outputs, dy_parts)))
        return [[part._handle for part in parts_of(item)] for item in results]


def _call_on_tape(
    function: Callable, op_type: str, attrs: dict, inputs: list, outputs: list, dy: list
) -> list[Any]:
    op = _EagerOp(op_type, attrs, inputs, outputs)
    with context.entered(None):
        results = _results(function, op, function(op, *_grads(outputs, dy)))
        return [parts_of(item) for item in results]


_minitf.set_gradient_callers(_call_in_graph, _call_on_tape)


def with_lookup_errors(work: Callable[[], Any]) -> Any:
    """What ``work`` returns, with TensorFlow's exceptions.

    That an op has no gradient is a LookupError, a tensor of a loop a ValueError.
    """
    try:
        return work()
    except errors.NotFoundError as error:
        if error.message.startswith("No gradient defined"):
            raise LookupError(error.message) from None
        raise
    except errors.InvalidArgumentError as error:
        if error.message.startswith("Cannot use '"):
            raise ValueError(error.message) from None
        raise


# ---- tf.gradients ----------------------------------------------------------------------


def _as_list(values: Any) -> list[Any]:
    return list(values) if isinstance(values, (list, tuple)) else [values]


def _as_x(x: Any) -> GraphTensor:
    """What a gradient is asked for: a variable by its handle."""
    return x.handle if hasattr(x, "handle") else ops.convert_to_tensor(x)


def _graph_of(tensors: list[GraphTensor]) -> Any:
    """The graph of all of ``tensors``; the default graph if there are none."""
    for tensor in tensors:
        if tensor.graph is not tensors[0].graph:
            raise ValueError(f"{tensor} must be from the same graph as {tensors[0]}.")
    return tensors[0].graph if tensors else context.get_default_graph()


def _grad_ys(ys: list[GraphTensor], grad_ys: Any) -> list[GraphTensor | None]:
    given = [None] * len(ys) if grad_ys is None else _as_list(grad_ys)
    if len(given) != len(ys):
        raise ValueError(f"Passed {len(given)} grad_ys for {len(ys)} ys")
    weights: list[GraphTensor | None] = []
    for i, (y, grad) in enumerate(zip(ys, given, strict=True)):
        if grad is None:
            if y.dtype.is_complex:
                raise TypeError(
                    "Gradients of complex tensors must set grad_ys "
                    f"(y.dtype = {y.dtype!r})"
                )
            weights.append(None)
            continue
        weights.append(ops.convert_to_tensor(grad, y.dtype, name=f"grad_ys_{i}"))
    return weights


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: Any = None,
    unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
) -> list[Any]:
    """dL/dx for every x in ``xs``, where L is the sum of all of ``ys``.

    Each is a new tensor; IndexedSlices where x was only looked up, as by ``tf.gather``.

    Args:
        ys: a tensor, or a list of them.
        xs: a tensor or variable, or a list of them.
        grad_ys: weights of the ys; ones where None.
        name: the scope of the new nodes.
        colocate_gradients_with_ops: put each new node on the device of the op whose
            gradient it belongs to; else they follow the present scopes.
        gate_gradients: whether all gradients of an op must be there before one is used.
            That guards what an op reads against a change in between, and is void here: a
            value that was read never changes.
        aggregation_method: an AggregationMethod; sums are made by AddN in any case.
        stop_gradients: tensors to take as constants.
        unconnected_gradients: None or zeros, where no y depends on x.

    Raises:
        LookupError: an op between ys and xs has no gradient.
        ValueError: one of ys or xs is inside of a ``while_loop`` that is not being built;
            tensors of two graphs are given; or a gradient has not the shape of its x.
        tf.errors.UnimplementedError: ys depend on xs through earlier iterations of a loop
            that is being built, or through a loop outside of that one.
        RuntimeError: in eager mode; see GradientTape.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.constant(3.0)
    ...     session.run(tf.gradients(x * x + x, x))
    [np.float32(7.0)]
    """
    del gate_gradients
    _require_method(aggregation_method)
    if context.executing_eagerly():
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. "
            "Use tf.GradientTape instead."
        )
    y_tensors = [ops.convert_to_tensor(y) for y in _as_list(ys)]
    x_list = _as_list(xs)
    x_tensors = [_as_x(x) for x in x_list]
    stops = [] if stop_gradients is None else _as_list(stop_gradients)
    stop_tensors = [_as_x(stop) for stop in stops]
    graph = _graph_of(y_tensors + x_tensors + stop_tensors)
    graph._require_not_finalized()
    with graph.as_default():
        weights = _grad_ys(y_tensors, grad_ys)
    _graph_of(y_tensors + [weight for weight in weights if weight is not None])
    found = sweep(
        graph,
        y_tensors,
        x_tensors,
        weights,
        stop_tensors,
        name,
        colocate_gradients_with_ops,
    )
    for gradient, x in zip(found, x_list, strict=True):
        if isinstance(gradient, GraphTensor):
            _give_shape_of(x, gradient)
    if UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.NONE:
        return found
    return [
        ops.call("ZerosLike", [x]) if gradient is None else gradient
        for gradient, x in zip(found, x_list, strict=True)
    ]


def _give_shape_of(x: Any, gradient: GraphTensor) -> None:
    """A gradient has the shape of its x, which may be known better.

    Raises:
        ValueError: it has another one.
    """
    shape = ops.convert_to_tensor(x).shape if not hasattr(x, "shape") else x.shape
    if not gradient.shape.is_compatible_with(shape):
        raise ValueError(
            f"Incompatible shapes between op input and calculated input gradient: {x!r} "
            f"has shape {shape}, and its gradient '{gradient.name}' {gradient.shape}"
        )
    gradient.set_shape(shape)


def sweep(
    graph: Any,
    ys: list[GraphTensor],
    xs: list[GraphTensor],
    dys: list[GraphTensor | None],
    stops: list[GraphTensor],
    name: str,
    colocate: bool = False,
) -> list[GraphTensor | None]:
    """The gradients of the sum of ``ys`` for each x; None where there is none."""
    stops = [*stops, *graph._loop_results_without_gradient]
    scope = graph.get_name_scope()
    name = name_as_string(name)
    first = graph.num_operations
    flow = graph._flow
    found = with_lookup_errors(
        lambda: _minitf.graph_gradients(
            graph,
            graph._core,
            [y._handle for y in ys],
            [x._handle for x in xs],
            [None if dy is None else dy._handle for dy in dys],
            [stop._handle for stop in stops],
            f"{scope}/{name}" if scope else name,
            graph._device,
            bool(colocate),
            None if flow is None else flow.pivot_node(),
        )
    )
    place_in_flows(graph, first)
    graph.wait_from(first)
    if graph._devices_depend_on_op and not colocate:
        for node in range(first, graph.num_operations):
            graph._place(graph._operation(node))
    return [of_parts([graph._tensor(part) for part in handles]) for handles in found]


def hessians(
    ys: Any,
    xs: Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
) -> list[Any]:
    """The second derivatives of the sum of ``ys``: ``[x's shape, x's shape]``.

    The other arguments are those of ``gradients``.
    """
    del gate_gradients
    _require_method(aggregation_method)
    results = []
    for x, gradient in zip(
        _as_list(xs),
        gradients(
            ys, xs, name=name, colocate_gradients_with_ops=colocate_gradients_with_ops
        ),
        strict=True,
    ):
        if gradient is None:
            raise ValueError(f"ys does not depend on {x}")
        flat = array_ops.reshape(gradient, [-1])

        def row(i: Any, flat: Tensor = flat, x: Any = x) -> Any:
            zero = UnconnectedGradients.ZERO
            return gradients(flat[i], x, name=name, unconnected_gradients=zero)[0]

        if x.shape.is_fully_defined():
            sizes = x.shape.as_list() * 2
            rows = array_ops.stack([row(i) for i in range(x.shape.num_elements())])
        else:
            sizes = array_ops.concat([array_ops.shape(x)] * 2, 0)
            rows = _rows_in_step(row, flat)
        results.append(array_ops.reshape(rows, sizes))
    return results


def _rows_in_step(row: Callable[[Tensor], Tensor], flat: Tensor) -> Tensor:
    """``row(i)`` for each element i of ``flat``, whose size only the step knows."""
    count = array_ops.size(flat)
    none = array_ops.zeros(array_ops.stack([0, count]), flat.dtype)

    def body(i: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
        another = array_ops.reshape(row(i), [1, -1])
        return i + 1, array_ops.concat([rows, another], 0)

    shapes = [TensorShape([]), TensorShape([None, None])]
    return while_loop(lambda i, _: i < count, body, [0, none], shapes)[1]
