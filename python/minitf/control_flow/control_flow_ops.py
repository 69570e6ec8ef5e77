"""``tf.cond`` and ``tf.case``: choices that a graph makes while it runs.

In eager mode they are what Python has: ``if``. In a graph they become the nodes of
``minitf/ops/step/control_flow_ops.cc``.

Compare: tensorflow/python/ops/control_flow_ops.py, cond. Read next: ``while_loop.py``.
"""

from collections.abc import Callable, Mapping
from typing import Any

from minitf.control_flow.flow_contexts import CondContext
from minitf.eager import context
from minitf.framework.composite_tensor import flatten_parts, outline, pack_parts
from minitf.framework.constant_op import constant_value, convert_to_tensor
from minitf.framework.graph import control_dependencies
from minitf.framework.op_def_library import call
from minitf.framework.operation import Operation
from minitf.framework.scopes import group, name_scope, with_dependencies
from minitf.framework.tensor import Tensor


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
        true_fn: a function without arguments that returns a structure of tensors. An
            Operation in it becomes a scalar bool: whether this is the branch that ran.
        false_fn: one that returns the same structure, with the same types.
        strict: keep a list or tuple of one element as it is.
        name: of the scope, ``"cond"`` by default.
        fn1: an older name of true_fn.
        fn2: an older name of false_fn.

    Raises:
        TypeError: pred is a Python bool, or a tensor of another type than bool; an
            argument is not a function; or one function returns a list where the other
            returns a tuple.
        ValueError: the branches do not return the same, or nothing.

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
        pred = convert_to_tensor(pred)
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
            branches.append(_build_branch(function, flow, strict))
        return _merged(*branches)


def _branches(true_fn: Any, false_fn: Any, fn1: Any, fn2: Any) -> tuple:
    functions = []
    for word, new, old, former in (
        ("true_fn", true_fn, fn1, "fn1"),
        ("false_fn", false_fn, fn2, "fn2"),
    ):
        if new is not None and old is not None:
            raise TypeError(f"cond(): {former} and {word} may not be set simultaneously.")
        function = old if new is None else new
        if function is None:
            raise TypeError(f"cond(): {word} argument required")
        functions.append(function)
    for function, word in zip(functions, ("true_fn", "false_fn"), strict=True):
        if not callable(function):
            raise TypeError(f"{word} must be callable.")
    return tuple(functions)


def _build_branch(
    function: Callable, flow: CondContext, strict: bool
) -> tuple[Any, list]:
    """What ``function`` returned, and the tensors in it as nodes of the branch."""
    with flow:
        result = function()
        if result is None:
            word = "true_fn" if flow.branch else "false_fn"
            raise ValueError(f"{word} must have a return value.")
        if isinstance(result, (list, tuple)) and not result:
            raise ValueError("true_fn and false_fn must return at least one result.")
        tensors = [
            with_dependencies([part], flow.pivot)
            if isinstance(part, Operation)
            else call("Identity", [convert_to_tensor(part)], None, "Identity")
            for part in flatten_parts(result)
        ]
    return result if strict else unpack_if_one(result), tensors


def _merged(if_true: tuple[Any, list], if_false: tuple[Any, list]) -> Any:
    """The structure that both branches return, of what comes from the one that runs."""
    (true_result, true_tensors), (false_result, false_tensors) = if_true, if_false
    _require_same_structure(true_result, false_result)
    merges = []
    for true_tensor, false_tensor in zip(true_tensors, false_tensors, strict=True):
        if true_tensor.dtype != false_tensor.dtype:
            raise ValueError(
                "Outputs of true_fn and false_fn must have the same type: "
                f"{true_tensor.dtype.name}, {false_tensor.dtype.name}"
            )
        merges.append(call("Merge", [[false_tensor, true_tensor]], None, "Merge")[0])
    return pack_parts(true_result, merges)


def _require_same_structure(a: Any, b: Any) -> None:
    if _sequences_differ(a, b):
        raise TypeError(
            f"Incompatible return types of true_fn and false_fn: {a!r} and {b!r}"
        )
    if outline(a) != outline(b):
        raise ValueError(
            "Incompatible return values of true_fn and false_fn: The two structures "
            f"don't have the same nested structure: {a!r} and {b!r}"
        )


def _sequences_differ(a: Any, b: Any) -> bool:
    """Whether somewhere in two structures one has a list where the other has a tuple."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return any(_sequences_differ(a[key], b[key]) for key in a if key in b)
    if not isinstance(a, (list, tuple)) or not isinstance(b, (list, tuple)):
        return False
    return type(a) is not type(b) or any(map(_sequences_differ, a, b))


def unpack_if_one(result: Any) -> Any:
    """The only element of a list or tuple that has just one."""
    is_one = isinstance(result, (list, tuple)) and len(result) == 1
    return result[0] if is_one and not hasattr(result, "_fields") else result


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

    Raises:
        TypeError: a condition is no scalar bool, or what belongs to it is no
            function.
        ValueError: there are no pairs.
    """
    pairs = _pairs_of(pred_fn_pairs, "pred_fn_pairs")
    for pred, function in pairs:
        if not isinstance(pred, Tensor) and not context.executing_eagerly():
            raise TypeError(f"pred must be a Tensor, got: {pred!r}")
        if not isinstance(pred, (Tensor, bool)):
            raise TypeError(f"pred must be a Tensor or a bool, got: {pred!r}")
        if isinstance(pred, Tensor) and pred.dtype != "bool":
            raise TypeError(f"pred must be Tensor of type bool: {pred}")
        if not callable(function):
            raise TypeError(f"fn for pred {pred} must be callable.")
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
    if not isinstance(given, (list, tuple, Mapping)):
        raise TypeError(f"{name} must be a list, tuple, or dict, got {given!r}")
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
        branch_fns: a list of n functions, a dict of them by number, or pairs of both. The
            numbers are those of ``[0, n)``.
        default: called for any other number; the last function if None.
        name: of the scope.

    Raises:
        TypeError: the index is no int32 tensor, a number is no integer, or what belongs
            to it is no function.
        ValueError: there are no functions, or their numbers are not 0 to n - 1.
    """
    if not isinstance(branch_index, Tensor) or branch_index.dtype != "int32":
        raise TypeError(f"branch_index must be an int32 Tensor, got {branch_index!r}")
    if isinstance(branch_fns, (list, tuple)) and all(map(callable, branch_fns)):
        branch_fns = dict(enumerate(branch_fns))
    pairs = _pairs_of(branch_fns, "branch_fns")
    if not pairs:
        raise ValueError("Must provide at least one item in branch_fns")
    for number, function in pairs:
        if not isinstance(number, int):
            raise TypeError(f"key must be a Python `int`, got {type(number)}")
        if not callable(function):
            raise TypeError(f"fn for key {number} must be callable.")
    numbers = [number for number, _ in pairs]
    if sorted(numbers) != list(range(len(numbers))):
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(numbers)}) "
            f"but found {numbers}"
        )
    functions = dict(pairs)
    default = default or functions[max(functions)]
    with name_scope(name, "switch_case", [branch_index]):
        choice = default
        for number, function in functions.items():
            is_chosen = call("Equal", [branch_index, int(number)])
            choice = _choice(is_chosen, function, choice, False)
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
            return pack_parts(
                result := last(),
                [
                    group(part)
                    if isinstance(part, Operation)
                    else call("Identity", [convert_to_tensor(part)], None, None)
                    for part in flatten_parts(result)
                ],
            )

    return checked
