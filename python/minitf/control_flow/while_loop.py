"""``tf.while_loop``: a loop that a graph runs.

Compare: tensorflow/python/ops/control_flow_ops.py, while_loop. Read next:
``flow_contexts.py``.
"""

from collections.abc import Callable
from typing import Any

from minitf.control_flow.control_flow_ops import unpack_if_one
from minitf.control_flow.flow_contexts import WhileContext
from minitf.eager import context
from minitf.framework.composite_tensor import flatten_parts, outline, pack_parts, parts_of
from minitf.framework.constant_op import constant, convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.sparse_tensor import SparseTensor
from minitf.framework.tensor import GraphTensor, Tensor
from minitf.framework.tensor_shape import TensorShape, as_shape
from minitf.util.nest import flatten


def while_loop(
    cond: Callable,
    body: Callable,
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """Calls ``body`` on its own results while ``cond`` is true of them.

    Args:
        cond: takes the loop variables, returns a scalar bool.
        body: takes them and returns them as they are in the next iteration.
        loop_vars: their values before the loop: a list, nested at will, of tensors and
            SparseTensors.
        shape_invariants: what stays true of their shapes, in the same structure; by
            default, the shapes that they have before the loop. For a SparseTensor it is
            the shape of its ``dense_shape``, ``[rank]``; how many values it lists, and
            its sizes, may always change.
        parallel_iterations: how many iterations may run at once, as far as what they need
            is there.
        back_prop: whether the loop can be differentiated; if not, it stands for a
            constant in ``tf.gradients``.
        swap_memory: whether what is kept for the gradient may lie in the memory of the
            CPU, where minitf keeps it in any case.
        name: of the scope, ``"while"`` by default.
        maximum_iterations: an upper limit for the number of iterations, or None.
        return_same_structure: keep a list of one tensor as it is.

    Returns:
        The loop variables after the loop.

    Raises:
        TypeError: cond or body cannot be called.
        ValueError: there are no variables, or body returns others than it takes.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.while_loop(lambda i: i < 100, lambda i: i * 2, [3]))
    np.int32(192)
    """
    del swap_memory
    if not callable(cond):
        raise TypeError("cond must be callable.")
    if not callable(body):
        raise TypeError("body must be callable.")
    if not flatten(loop_vars):
        raise ValueError("No loop variables provided")
    if parallel_iterations < 1:
        raise TypeError("parallel_iterations must be a positive integer.")
    if not isinstance(loop_vars, (list, tuple)) or hasattr(loop_vars, "_fields"):
        loop_vars = [loop_vars]
    with name_scope(name, "while", loop_vars) as scope:
        if maximum_iterations is not None:
            return _limited_loop(
                cond,
                body,
                loop_vars,
                shape_invariants,
                parallel_iterations,
                maximum_iterations,
                return_same_structure,
                back_prop,
                scope,
            )
        if context.executing_eagerly():
            result = _loop_now(cond, body, loop_vars)
        else:
            loop = _Loop(scope, loop_vars, shape_invariants, parallel_iterations)
            result = loop.build(cond, body)
            if not back_prop:
                loop.withhold_gradient()
    # As in TensorFlow, a single variable of several tensors stays in its list.
    is_one = len(flatten_parts(result)) == 1 and not return_same_structure
    return unpack_if_one(result) if is_one else result


def _limited_loop(
    cond: Callable,
    body: Callable,
    loop_vars: Any,
    shape_invariants: Any,
    parallel_iterations: int,
    maximum: Any,
    return_same_structure: bool,
    back_prop: bool,
    scope: str,
) -> Any:
    """The loop with one more variable, which counts its iterations."""
    maximum = convert_to_tensor(maximum, name="maximum_iterations")
    if maximum.shape.ndims not in (0, None):
        raise ValueError(
            f"maximum_iterations must be a scalar, saw shape: {maximum.shape}"
        )
    invariants = None
    if shape_invariants is not None:
        invariants = [TensorShape([]), shape_invariants]

    def goes_on(iteration: Any, variables: Any) -> Any:
        return call("LogicalAnd", [iteration < maximum, cond(*variables)], None, None)

    def next_iteration(iteration: Any, variables: Any) -> Any:
        return [iteration + 1, _as_list(body(*variables), variables)]

    counter = constant(0, dtype=maximum.dtype, name="iteration_counter")
    _, result = while_loop(
        goes_on,
        next_iteration,
        [counter, loop_vars],
        invariants,
        parallel_iterations,
        back_prop,
        name=scope,
        return_same_structure=True,
    )
    return result if return_same_structure else unpack_if_one(result)


def _as_list(result: Any, variables: Any) -> Any:
    """What a body returned, as a list also if it returned the only variable itself."""
    is_list = isinstance(result, (list, tuple)) and not hasattr(result, "_fields")
    if not is_list and len(variables) == 1:
        return type(variables)([result])
    if is_list and type(result) is not type(variables):
        return type(variables)(result)
    return result


def _kind_of(returned: Any, variables: Any) -> Any:
    """``variables`` as a tuple or a list, whichever the body returned."""
    if type(returned) in (tuple, list) and type(variables) in (tuple, list):
        return type(returned)(variables)
    return variables


def _loop_now(cond: Callable, body: Callable, loop_vars: Any) -> Any:
    def packed(values: Any) -> Any:
        parts = [convert_to_tensor(part) for part in flatten_parts(values)]
        return pack_parts(loop_vars, parts)

    variables = packed(loop_vars)
    returned = loop_vars
    while bool(cond(*variables)):
        returned = body(*variables)
        result = _as_list(returned, variables)
        _require_same_variables(loop_vars, result)
        variables = packed(result)
    return _kind_of(returned, variables)


def _require_same_variables(before: Any, after: Any) -> None:
    if outline(before) != outline(after):
        raise ValueError(
            "The two structures don't have the same nested structure: the loop variables "
            f"are {before!r}, and the body returns {after!r}"
        )


class _Loop:
    """The nodes of one loop. For every variable they are these.

    Enter -> Merge -> Switch -> Identity -> body -> NextIteration -> back to Merge
                         |
                         +----> Exit
    """

    def __init__(self, scope: str, loop_vars: Any, invariants: Any, parallel: int):
        self._structure = loop_vars
        self._graph = context.get_default_graph()
        self._outside = [convert_to_tensor(part) for part in flatten_parts(loop_vars)]
        self._shapes = self._invariant_shapes(invariants)
        frame = f"{scope.rstrip('/')}/while_context"
        self._scope = scope.rstrip("/")
        self._flow = WhileContext(self._graph, frame, parallel)

    def _invariant_shapes(self, invariants: Any) -> list[TensorShape]:
        """The shapes of all tensors, several for a SparseTensor or IndexedSlices."""
        variables = flatten(self._structure)
        given = [None] * len(variables)
        if invariants is not None:
            given = [as_shape(shape) for shape in _flatten_shapes(invariants)]
        if len(given) != len(variables):
            raise ValueError(
                f"shape_invariants has {len(given)} shapes for {len(variables)} loop "
                "variables"
            )
        outside = iter(self._outside)
        shapes = []
        for variable, shape in zip(variables, given, strict=True):
            parts = [next(outside) for _ in parts_of(variable)]
            if isinstance(variable, SparseTensor):
                shapes += _sparse_shapes(parts, shape)
            elif shape is None:
                shapes += [part.shape for part in parts]
            else:  # of IndexedSlices, that of the values
                rank = TensorShape([shape.ndims])
                shapes += [shape, shape[:1], rank][: len(parts)]
        for tensor, shape in zip(self._outside, shapes, strict=True):
            if not _is_less_specific(shape, tensor.shape):
                raise ValueError(
                    "The shape invariant specified for "
                    f"{tensor.name} is not compatible with the initial shape of the loop "
                    f"variable. It enters the loop with shape {tensor.shape}, but the "
                    f"specified shape invariant is {shape}."
                )
        return shapes

    def build(self, cond: Callable, body: Callable) -> Any:
        graph, flow = self._graph, self._flow
        merges = [
            self._merge(tensor, shape)
            for tensor, shape in zip(self._outside, self._shapes, strict=True)
        ]
        with flow:
            flow.pivot = merges[0]
            pred = convert_to_tensor(cond(*pack_parts(self._structure, merges)))
            if pred.dtype.name != "bool":
                raise TypeError(f"cond must return a bool, not {pred.dtype.name}: {pred}")
            pivot = call("LoopCond", [pred], None, "LoopCond")
            switches = [
                call("Switch", [merge, pivot], None, "Switch") for merge in merges
            ]
            inside = [call("Identity", [s[1]], None, "Identity") for s in switches]
            flow.pivot = inside[0]
            returned = body(*pack_parts(self._structure, inside))
            result = _as_list(returned, self._structure)
            _require_same_variables(self._structure, result)
            for merge, value, shape in zip(
                merges, flatten_parts(result), self._shapes, strict=True
            ):
                self._close(merge, value, shape)
        exits = []
        for switch, shape in zip(switches, self._shapes, strict=True):
            op = graph._insert_node("Exit", f"{self._scope}/Exit", [switch[0]], None)
            if flow.outer is not None:
                graph._set_flow(op, flow.outer)
            op.outputs[0].set_shape(shape)
            exits.append(op.outputs[0])
        self._exits = exits
        return _kind_of(returned, pack_parts(self._structure, exits))

    def withhold_gradient(self) -> None:
        """Lets ``tf.gradients`` take the loop, which has been built, as a constant."""
        self._graph._loop_results_without_gradient += self._exits

    def _merge(self, tensor: GraphTensor, shape: TensorShape) -> GraphTensor:
        flow = self._flow
        controls = self._graph._control_inputs([tensor])
        if flow.outer is not None:
            tensor = flow.outer.bring_in(tensor, self._scope)
        entered = flow.enter(tensor, self._scope, is_constant=False)
        for node in controls:
            entered.op._add_control_input(self._graph._operation(node))
        if isinstance(flow.outer, WhileContext) and flow.outer.is_constant(tensor):
            entered.op._add_control_input(flow.outer.pivot.op)
        entered.set_shape(shape)
        with flow:
            merge = call("Merge", [[entered, entered]], None, "Merge")[0]
        merge.set_shape(shape)
        return merge

    def _close(self, merge: GraphTensor, value: Any, shape: TensorShape) -> None:
        value = convert_to_tensor(value, dtype=None if _is_tensor(value) else merge.dtype)
        if value.dtype != merge.dtype:
            raise TypeError(
                f"Input tensor '{merge.name}' enters the loop with type "
                f"{merge.dtype.name}, but has type {value.dtype.name} after one "
                "iteration."
            )
        if not _is_less_specific(shape, value.shape):
            raise ValueError(
                f"Input tensor '{merge.op.inputs[0].op.inputs[0].name}' enters the loop "
                f"with shape {shape}, but has shape {value.shape} after one iteration. "
                "To allow the shape to vary across iterations, use the "
                "`shape_invariants` argument of tf.while_loop to specify a less-specific "
                "shape."
            )
        following = call("NextIteration", [value], None, "NextIteration")
        merge.op._update_input(1, following)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor) or hasattr(value, "_as_graph_element")


def _flatten_shapes(structure: Any) -> list[Any]:
    """The shapes in a structure, in which a TensorShape is a leaf."""
    if isinstance(structure, TensorShape):
        return [structure]
    if isinstance(structure, dict):
        return [s for key in sorted(structure) for s in _flatten_shapes(structure[key])]
    if isinstance(structure, (list, tuple)):
        return [shape for item in structure for shape in _flatten_shapes(item)]
    raise TypeError(f"shape_invariants must hold TensorShapes, not {structure!r}")


def _sparse_shapes(
    parts: list[GraphTensor], invariant: TensorShape | None
) -> list[TensorShape]:
    """What stays true of indices, values and dense_shape of a SparseTensor."""
    indices, _, sizes = parts
    if invariant is None:
        rank = sizes.shape.merge_with(indices.shape[1:])[0].value
    elif invariant.ndims in (1, None):
        rank = invariant[0].value if invariant.ndims else None
    else:
        raise ValueError(
            "The shape invariant of a SparseTensor is the shape of its dense_shape, "
            f"which has 1 dimension; got {invariant} with {invariant.ndims} dimensions"
        )
    return [TensorShape([None, rank]), TensorShape([None]), TensorShape([rank])]


def _is_less_specific(general: TensorShape, special: TensorShape) -> bool:
    """Whether every tensor of shape ``special`` has shape ``general``."""
    if general.ndims is None:
        return True
    if special.ndims != general.ndims:
        return False
    pairs = zip(general.as_list(), special.as_list(), strict=True)
    return all(size is None or size == other for size, other in pairs)
