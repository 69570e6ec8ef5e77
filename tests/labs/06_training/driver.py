"""What cases of lab 06 call: scopes, variables, steps of optimizers.

Nothing here knows what is expected.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
from lab_06_training.averages import (
    average_of_trained,
    averages,
)
from lab_06_training.graphs import (
    calls_of_an_initializer,
    nodes_of_a_step,
    order_of_several_steps,
    own_changes,
    slots_behind_a_gate,
    steps_in_one_run,
)
from lab_06_training.own_rules import (
    calls_of_a_step,
    end_in_eager_mode,
    own_ends,
    rates_that_change,
    several_calls,
    steps_within_steps,
)
from lab_06_training.steps import (
    Gradient,
    as_slices,
    error_of,
    mode_of,
    train,
    two_graphs,
)

import minitf as tf
from minitf.framework.constant_op import constant_value
from minitf.training import learning_rate_decay
from minitf.variables import init_ops
from minitf.variables.partitioned_variables import Part

# ---- Scopes and variables -------------------------------------------------------------


class _Stop(BaseException):
    """What is no error, and ends a block all the same, as KeyboardInterrupt does."""


def _scoped(program: list, kept: list[str], out: list) -> None:
    for kind, name, *body in program:
        if kind == "node":
            out.append(tf.no_op(name).name)
        elif kind == "free":
            out.append(tf.get_default_graph().unique_name(name, mark_as_used=False))
        elif kind == "escape":
            raise (KeyError if name == "error" else _Stop)(name)
        else:
            name = kept[name] if kind == "again" else name
            try:
                with tf.get_default_graph().name_scope(name) as scope:
                    kept.append(scope)
                    out.append(scope)
                    _scoped(body[0], kept, out)
            except (KeyError, _Stop):
                pass
            except (ValueError, TypeError) as error:
                out.append(error_of(error))
            out.append("in " + tf.get_default_graph().get_name_scope())


def name_scopes(program: list) -> list:
    """Opens scopes and adds nodes.

    Args:
        program: Of steps ``(kind, name, body)``. A ``scope`` has the name; one that is
            entered ``again`` has the number of one before; a ``node`` has no body;
            ``free`` asks what a node of that name would be called; an ``escape`` leaves
            the body by an ``error`` or a ``stop``.

    Returns:
        For each scope, what opening it gives or the error, and the scope after it; for
        each node its name.
    """
    out: list = []
    with tf.Graph().as_default():
        _scoped(program, [], out)
    return out


REUSE = {"True": True, "False": False, "None": None, "AUTO_REUSE": tf.AUTO_REUSE}


def _initializer(form: Any) -> Any:
    """An initializer: of one number, by its name, or what a word says.

    A list is a shape: of a value of which no more is known than that.
    """
    if isinstance(form, int):
        return tf.constant_initializer(form)
    if isinstance(form, list):
        whole = tf.ones([2 if size is None else size for size in form])
        return lambda: tf.placeholder_with_default(whole, form)
    if isinstance(form, dict):
        return getattr(init_ops, form["of"])(**form.get("options", {}))
    named = {
        "function": lambda: tf.constant([5.0, 6.0]),
        "whole": lambda: tf.constant([5, 6]),
        "defaults": lambda shape=(5,), dtype="float64": tf.ones(shape, dtype),
        "keywords": lambda shape, **options: tf.ones(shape, **options),
    }
    return named[form] if isinstance(form, str) else form


def _partitioner(parts: list[int] | None) -> Any:
    return None if parts is None else (lambda **_: parts)


def shared_variables(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Asks for variables, one after the other, in one graph.

    Args:
        requests: The ``scope`` in which, and ``scope_reuse``; ``name``, ``reuse``,
            ``shape``, ``dtype`` and ``initializer``; ``parts``, how many along each
            axis; ``validate_shape``.

    Returns:
        For each, its name, shape and type, and the number of the first request that gave
        the same variable; or the error. At the end the names of all variables.
    """
    out: list[dict[str, Any]] = []
    found: list[Any] = []
    with tf.Graph().as_default():
        for request in requests:
            arguments = {
                "shape": request.get("shape"),
                "dtype": tf.as_dtype(request.get("dtype", "float32")),
                "initializer": _initializer(request.get("initializer")),
                "use_resource": request.get("use_resource"),
                "validate_shape": request.get("validate_shape", True),
                "partitioner": _partitioner(request.get("parts")),
            }
            if "reuse" in request:
                arguments["reuse"] = REUSE[request["reuse"]]
            try:
                with ExitStack() as stack:
                    for scope in request.get("scope", []):
                        reuse = REUSE[request.get("scope_reuse", "None")]
                        stack.enter_context(tf.variable_scope(scope, reuse=reuse))
                    store = tf.get_variable_scope()
                    if "reuse" in arguments:
                        store.reuse = arguments.pop("reuse")
                    variable = tf.get_variable(request["name"], **arguments)
            except (ValueError, TypeError) as error:
                found.append(object())
                out.append(error_of(error))
                continue
            found.append(variable)
            first = [other is variable for other in found].index(True)
            shape = variable.shape.as_list() if variable.shape.ndims is not None else None
            out.append(
                {
                    "name": variable.name,
                    "shape": shape,
                    "dtype": variable.dtype.name,
                    "same_as": first,
                }
            )
        out.append({"all": sorted(v.name for v in tf.global_variables())})
    return out


def first_value(
    shape: list | None, dtype: str, initializer: Any = None, mode: str = "graph"
) -> Any:
    """The first value of a new variable, or the error."""
    with mode_of(mode):
        tf.set_random_seed(7)
        try:
            variable = tf.get_variable(
                "w", shape, tf.as_dtype(dtype), _initializer(initializer)
            )
        except (ValueError, TypeError) as error:
            return error_of(error)
        if mode == "eager":
            return variable.numpy()
        if dtype == "bfloat16":
            variable = tf.cast(variable, "float32")
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(variable)


class _Noted(dict):
    """An initializer of zeros that notes what it is told of the part it is for."""

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        given = partition_info is not None
        found = (*partition_info.full_shape, *partition_info.var_offset) if given else ()
        self.setdefault("parts", []).append([int(number) for number in found])
        return tf.zeros(shape, dtype)


def parts_told(shape: list[int], parts: list[int] | None, takes_it: str) -> list:
    """What the initializer of a variable in parts is told.

    Args:
        shape: Of the whole variable.
        parts: How many along each axis; None for a variable in one.
        takes_it: How the initializer takes ``partition_info``: by ``name``, among
            ``any`` keywords, or ``not`` at all.

    Returns:
        For each call of it, the whole shape and the offsets; nothing if it is not told.
        Of one that takes any keywords, the names of these come first.
    """
    noted = _Noted()

    def plain(shape: Any, dtype: Any = None) -> Any:
        return noted(shape, dtype)

    def keywords(shape: Any, **options: Any) -> Any:
        value = noted(shape, **options)
        noted["parts"][-1] = [sorted(options), *noted["parts"][-1]]
        return value

    with tf.Graph().as_default():
        tf.get_variable(
            "w",
            shape,
            initializer={"name": noted, "any": keywords, "not": plain}[takes_it],
            partitioner=_partitioner(parts),
        )
    return noted["parts"]


def fans(shape: list[int]) -> list[list[float]]:
    """fan_in and fan_out, asked for twice with the same list."""
    return [[float(fan) for fan in init_ops.compute_fans(shape)] for _ in range(2)]


def random_values(
    options: dict[str, Any],
    shape: list[int],
    dtype: str,
    base: str,
    *,
    seed: int,
    rows: int | None = None,
) -> list[np.ndarray]:
    """What VarianceScaling gives, and the numbers that the same seed gives unscaled.

    The latter come from a random op such as ``truncated_normal``. If ``rows`` are given,
    only these first rows are made, as of a part of the variable.
    """
    part, given = list(shape), {}
    if rows is not None:
        part[0] = rows
        given["partition_info"] = Part(shape, [0] * len(shape), part)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(11)
        initializer = init_ops.VarianceScaling(seed=seed, **options)
        limits = [-1.0, 1.0] if base == "random_uniform" else [0.0, 1.0]
        kind = tf.as_dtype(dtype)
        values = [initializer(part, kind, **given), initializer(part, kind, **given)]
        plain = getattr(tf, base)(part, *limits, kind, seed)
        return session.run([*values, plain])


# ---- Rates and clipping ---------------------------------------------------------------


def rates(
    function: str,
    arguments: dict[str, Any],
    steps: list[int],
    dtype: str = "int64",
    mode: str = "graph",
    as_tensors: Sequence[str] = (),
) -> Any:
    """The rate at each step, or the error; some lists are made tensors before."""
    with mode_of(mode):
        make: Callable = getattr(learning_rate_decay, function)
        step_name = "x" if function == "piecewise_constant" else "global_step"
        made = {name: [*map(tf.constant, arguments[name])] for name in as_tensors}
        arguments = {**arguments, **made}
        try:
            if mode == "eager":
                count = tf.Variable(np.zeros([], dtype), name="count")
                rate = make(**{step_name: count}, **arguments)
                values = []
                for step in steps:
                    count.assign(np.asarray(step, dtype))
                    values.append(rate().numpy())
                return np.stack(values)
            count = tf.placeholder(dtype, [])
            rate = make(**{step_name: count}, **arguments)
        except (ValueError, TypeError) as error:
            return error_of(error)
        with tf.Session() as session:
            return np.stack([session.run(rate, {count: step}) for step in steps])


def _known(shape: Any) -> list[int] | None:
    """The shape of IndexedSlices, if they have one, as a list."""
    if shape is None:
        return None
    found = constant_value(shape)
    return None if found is None else [int(size) for size in found]


def clipped(
    gradients: list[Gradient],
    limit: Any,
    norm: float | None = None,
    mode: str = "graph",
) -> Any:
    """What clip_by_global_norm gives: values, indices where there are any, the norm."""
    with mode_of(mode):
        given = [as_slices(g, [9] + [1] * 3) for g in gradients]
        limit = tf.constant(limit) if isinstance(limit, np.ndarray) else limit
        found, length = tf.clip_by_global_norm(given, limit, norm)
        flat: list[Any] = []
        for one in found:
            parts = (
                [one.values, one.indices] if isinstance(one, tf.IndexedSlices) else [one]
            )
            flat += [part for part in parts if part is not None]
        if mode == "eager":
            numbers = [part.numpy() for part in [*flat, tf.convert_to_tensor(length)]]
        else:
            with tf.Session() as session:
                numbers = session.run([*flat, tf.convert_to_tensor(length)])
        values = iter(numbers)
        out = []
        for one in found:
            if isinstance(one, tf.IndexedSlices):
                out.append((next(values), next(values), _known(one.dense_shape)))
            else:
                out.append(None if one is None else next(values))
        return {"clipped": out, "norm": next(values), "is_list": isinstance(found, list)}


def global_norm(gradients: list[Gradient]) -> np.ndarray:
    """The global norm."""
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.global_norm([as_slices(g, [9, 1]) for g in gradients]))


def names_of_norms(name: str | None, clip_name: str | None, scope: str) -> list[str]:
    """The names of a norm and of a clipped tensor that are made in ``scope``."""
    with tf.Graph().as_default(), tf.name_scope(scope):
        w = tf.ones([2], name="w")
        norm = tf.global_norm([w], name)
        [clipped], _ = tf.clip_by_global_norm([w], 1.0, use_norm=norm, name=clip_name)
        return [norm.op.name, clipped.op.name]
