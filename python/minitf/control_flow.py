"""``tf.cond`` and ``tf.case``: choices that a graph makes while it runs.

In eager mode they are what Python has: ``if``. In a graph they become the nodes of
``minitf/ops/control_flow_ops.cc``. Gradients through them are not there yet.

Compare: tensorflow/python/ops/control_flow_ops.py, cond. Read next: ``while_loop.py``.
"""

from collections.abc import Callable
from typing import Any

from minitf import context
from minitf.constant_op import constant_value, convert_to_tensor
from minitf.flow_contexts import CondContext, FlowContext
from minitf.graph import control_dependencies
from minitf.nest import flatten, pack_like
from minitf.operation import Operation
from minitf.ops import call
from minitf.scopes import group, name_scope
from minitf.sparse_tensor import SparseTensor, flatten_parts, pack_parts
from minitf.tensor import Tensor


def smart_value(value: Any) -> bool | None:
    """A Boolean that is known now, or None for a tensor whose value is not."""
    known = constant_value(value) if isinstance(value, Tensor) else value
    return None if known is None else bool(known)


# ---- Branches --------------------------------------------------------------------------


def cond(
    pred: Any,
    true_fn: Callable | None = None,
    false_fn: Callable | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable | None = None,
    fn2: Callable | None = None,
) -> Any:
    """What ``true_fn()`` returns if ``pred`` is true, else what ``false_fn()`` returns.

    Only nodes made within the functions belong to a branch: what a branch takes from
    outside is computed in any case.

    Args:
        pred: a scalar bool.
        true_fn: a function without arguments that returns a structure of tensors.
        false_fn: one that returns the same structure, with the same types.
        strict: keep a list or tuple of one element as it is.
        name: of the scope, ``"cond"`` by default.
        fn1: an older name of true_fn.
        fn2: an older name of false_fn.

    Raises:
        TypeError: pred is a Python bool, or the functions are none.
        ValueError: the branches do not return the same.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.placeholder(tf.float32)
    ...     y = tf.cond(x > 0, lambda: x, lambda: -x)
    ...     session.run(y, {x: -3.0})
    np.float32(3.0)
    """
    true_fn, false_fn = _branches(true_fn, false_fn, fn1, fn2)
    if context.executing_eagerly():
        result = true_fn() if bool(pred) else false_fn()
        return result if strict else unpack_if_one(result)
    with name_scope(name, "cond", [pred]) as scope:
        if isinstance(pred, bool):
            raise TypeError("pred must not be a Python bool")
        pred = convert_to_tensor(pred, dtype="bool")
        graph = pred.op.graph
        switch = call("Switch", [pred, pred], None, "Switch")
        pivots = [
            call("Identity", [switch[1]], None, "switch_t"),
            call("Identity", [switch[0]], None, "switch_f"),
        ]
        pred = call("Identity", [pred], None, "pred_id")
        for op in (switch[0].op, pivots[0].op, pivots[1].op, pred.op):
            graph.prevent_fetching(op)
        branches = []
        for function, pivot, branch in (
            (true_fn, pivots[0], 1),
            (false_fn, pivots[1], 0),
        ):
            flow = CondContext(graph, f"{scope}cond_{branch}", pred, pivot, branch)
            branches.append(_build_branch(function, flow, pivot))
        return _merged(branches, strict)


def _branches(true_fn: Any, false_fn: Any, fn1: Any, fn2: Any) -> tuple:
    for new, old, number in ((true_fn, fn1, 1), (false_fn, fn2, 2)):
        if new is not None and old is not None:
            word = "true" if number == 1 else "false"
            raise TypeError(f"cond(): {word}_fn and fn{number} may not be set at once.")
    true_fn, false_fn = true_fn or fn1, false_fn or fn2
    for function, word in ((true_fn, "true"), (false_fn, "false")):
        if not callable(function):
            raise TypeError(f"{word}_fn must be callable.")
    return true_fn, false_fn


def _build_branch(function: Callable, flow: FlowContext, pivot: Any) -> tuple[Any, list]:
    """What ``function`` returned, and the tensors in it as nodes of the branch."""
    with flow:
        result = function()
        tensors = []
        for leaf in flatten_parts(result):
            if leaf is None or isinstance(leaf, Operation):
                waited = [leaf] if leaf is not None else []
                with control_dependencies(waited):
                    leaf = pivot if not waited else group(*waited)
                with control_dependencies([leaf]):
                    tensors.append(call("Identity", [pivot], None, "Identity"))
            else:
                tensors.append(
                    call("Identity", [convert_to_tensor(leaf)], None, "Identity")
                )
    return result, tensors


def _merged(branches: list[tuple[Any, list]], strict: bool) -> Any:
    (true_result, true_tensors), (false_result, false_tensors) = branches
    if (true_result is None) != (false_result is None):
        raise ValueError(
            "true_fn and false_fn must both return None or both return a value; got "
            f"{true_result!r} and {false_result!r}"
        )
    _require_same_structure(true_result, false_result)
    merges = []
    for if_true, if_false in zip(true_tensors, false_tensors, strict=True):
        if if_true.dtype != if_false.dtype:
            raise ValueError(
                "Outputs of true_fn and false_fn must have the same type: "
                f"{if_true.dtype.name}, {if_false.dtype.name}"
            )
        merges.append(call("Merge", [[if_false, if_true]], None, "Merge")[0])
    if true_result is None:
        return merges[0].op
    leaves = [
        merge.op if isinstance(leaf, Operation) else merge
        for merge, leaf in zip(merges, flatten_parts(true_result), strict=True)
    ]
    result = pack_parts(true_result, leaves)
    return result if strict else unpack_if_one(result)


def _require_same_structure(a: Any, b: Any) -> None:
    def shape_of(structure: Any) -> Any:
        kinds = [isinstance(leaf, SparseTensor) for leaf in flatten(structure)]
        return pack_like(structure, kinds)

    if shape_of(a) != shape_of(b):
        raise ValueError(
            "Incompatible return values of true_fn and false_fn: The two structures "
            f"don't have the same nested structure: {a!r} and {b!r}"
        )


def unpack_if_one(result: Any) -> Any:
    """The only element of a list or tuple that has just one."""
    is_one = isinstance(result, (list, tuple)) and len(result) == 1
    return result[0] if is_one and not hasattr(result, "_fields") else result


def smart_cond(pred: Any, true_fn: Callable, false_fn: Callable, name: Any = None) -> Any:
    """As ``cond``; calls one function only if it is known now which one."""
    known = smart_value(pred)
    if known is None:
        return cond(pred, true_fn, false_fn, name=name)
    return true_fn() if known else false_fn()


def case(
    pred_fn_pairs: Any,
    default: Callable | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """What the function of the first true condition returns.

    Args:
        pred_fn_pairs: pairs of a scalar bool and a function, or a dict of such.
        default: called if no condition is true. Without it, that is an error of the step.
        exclusive: check that at most one condition is true.
        strict: see ``cond``.
        name: of the scope.
    """
    pairs = _pairs_of(pred_fn_pairs, "pred_fn_pairs")
    for pair in pairs:
        if not callable(pair[1]):
            raise TypeError(f"fn for pred {pair[0]} must be callable.")
    if not pairs:
        raise ValueError("pred_fn_pairs must not be empty")
    with name_scope(name, "case"):
        preds = [convert_to_tensor(pred, dtype="bool") for pred, _ in pairs]
        checks = [_assert_at_most_one(preds)] if exclusive and len(preds) > 1 else []
        if default is None:
            default = _with_check(preds, pairs[-1][1])
        choice = default
        for pred, (_, function) in list(zip(preds, pairs, strict=True))[::-1]:
            choice = _choice(pred, function, choice, strict)
        with control_dependencies([check for check in checks if check is not None]):
            return choice()


def _pairs_of(given: Any, name: str) -> list[Any]:
    """``given``, the argument ``name``: pairs, or a dict of them."""
    pairs = list(given.items() if hasattr(given, "items") else given)
    for pair in pairs:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise TypeError(f"Each entry in {name} must be a 2-tuple, not {pair!r}")
    return pairs


def switch_case(
    branch_index: Any,
    branch_fns: Any,
    default: Callable | None = None,
    name: str = "switch_case",
) -> Any:
    """What the function with the number ``branch_index`` returns.

    Args:
        branch_index: a scalar int32.
        branch_fns: a list of functions, a dict of them by number, or pairs of both.
        default: called for any other number; the function with the largest if None.
        name: of the scope.

    Raises:
        TypeError: a number is no integer, or a function is none.
        ValueError: there are no functions, or a number stands there twice.
    """
    if not hasattr(branch_fns, "items"):
        branch_fns = list(branch_fns)
        if all(callable(item) for item in branch_fns):
            branch_fns = dict(enumerate(branch_fns))
    pairs = _pairs_of(branch_fns, "branch_fns")
    if not pairs:
        raise ValueError("branch_fns must not be empty")
    for pair in pairs:
        if not isinstance(pair[0], int) or not callable(pair[1]):
            raise TypeError(f"a branch is an int and a callable, not {pair!r}")
    functions = dict(pairs)
    if len(functions) < len(pairs):
        raise ValueError(f"branch_fns has a number twice: {[i for i, _ in pairs]}")
    default = default or functions[max(functions)]
    with name_scope(name, "switch_case", [branch_index]):
        index = convert_to_tensor(branch_index, dtype="int32", name="branch_index")
        choice = default
        for number, function in functions.items():
            choice = _choice(call("Equal", [index, number]), function, choice, False)
        return choice()


def _choice(pred: Any, function: Callable, otherwise: Callable, strict: bool) -> Callable:
    return lambda: cond(pred, function, otherwise, strict=strict)


def _assert_at_most_one(preds: list[Any]) -> Any:
    stacked = call("Pack", [preds], {"axis": 0}, "preds")
    count = call(
        "Sum", [call("Cast", [stacked], {"DstT": "int32"}, None), [0]], None, None
    )
    is_good = call("Less", [count, 2], None, None)
    return call(
        "Assert",
        [is_good, ["More than one condition evaluated as True.", stacked]],
        {"summarize": len(preds)},
        None,
    )


def _with_check(preds: list[Any], last: Callable) -> Callable:
    """``last``, for the case that an earlier condition or its own is true."""

    def checked() -> Any:
        message = "None of conditions evaluated as True."
        check = call("Assert", [False, [message, *preds]], {"summarize": 10}, None)
        with control_dependencies([check] if check is not None else []):
            return pack_like(
                result := last(),
                [
                    call("Identity", [convert_to_tensor(leaf)], None, None)
                    for leaf in flatten(result)
                ],
            )

    return checked
