"""What cases of lab 06 call to take steps by rules of their own, or in several calls.

Nothing here knows what is expected.
"""

from contextlib import nullcontext
from typing import Any

import numpy as np
from lab_06_training.steps import Gradient, as_slices, mode_of, optimizer_of

import minitf as tf
from minitf.eager import context


class _OwnAccumulator(tf.train.MomentumOptimizer):
    """Momentum that keeps its accumulator itself, and makes no slot."""

    def __init__(self, shape: Any, *args: Any, **options: Any):
        super().__init__(*args, **options)
        self.own = tf.Variable(np.zeros(shape, "f"), trainable=False, name="own")

    def _create_slots(self, var_list: Any) -> None:
        del var_list

    def _input(self, name: str, grad: Any) -> Any:
        return self.own.handle if name == "accum" else super()._input(name, grad)


class _CountingAdam(tf.train.AdamOptimizer):
    """Adam whose betas are functions: one value of ``betas`` for each step.

    When the settings of a step are there, the functions give the values of the next.
    """

    def __init__(self, betas: list[tuple[float, float]], **options: Any):
        functions = [lambda i=i: betas[min(self.now, len(betas) - 1)][i] for i in (0, 1)]
        super().__init__(beta1=functions[0], beta2=functions[1], **options)
        self.now = 0

    def _prepare(self) -> None:
        super()._prepare()
        self.now += 1


def several_calls(
    kind: str,
    options: dict[str, Any],
    starts: list[np.ndarray],
    calls: list[list[tuple[int, Gradient]]],
    mode: str,
    *,
    caching_device: str | None = None,
    limit: float | None = None,
    betas: list[tuple[float, float]] = (),
) -> list[Any]:
    """The values of all variables after each of several calls of apply_gradients.

    A call has pairs of the number of a variable and its gradient.

    Args:
        kind: Of the optimizer; ``OwnAccumulator`` is a Momentum that has no slot.
        options: Its settings.
        starts: What variables start with.
        calls: See above.
        mode: Graph or eager.
        caching_device: Of the variables.
        limit: A constraint: variables must be between -limit and limit.
        betas: Of Adam in eager mode, for each call.
    """

    def within(value: Any) -> Any:
        return tf.minimum(tf.maximum(value, -limit), limit)

    with mode_of(mode):
        if kind == "OwnAccumulator":
            optimizer = _OwnAccumulator(starts[0].shape, **options)
        elif betas:
            optimizer = _CountingAdam(betas, **options)
        else:
            optimizer = optimizer_of(kind, options)
        scope: Any = nullcontext()
        if caching_device is not None:
            scope = tf.variable_scope("cached", caching_device=caching_device)
        steps, values = [], []
        with scope:
            variables = [
                tf.Variable(
                    start, name=f"w{i}", caching_device=caching_device,
                    constraint=None if limit is None else within,
                )
                for i, start in enumerate(starts)
            ]  # fmt: skip
            for call in calls:
                pairs = [(as_slices(g, starts[i].shape), variables[i]) for i, g in call]
                steps.append(optimizer.apply_gradients(pairs))
                if mode == "eager":
                    values.append([v.numpy() for v in variables])
        if mode == "eager":
            return values
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for step in steps:
                session.run(step)
                values.append(session.run(variables))
        return values


def rates_that_change(rates: list[float], num_variables: int) -> dict[str, Any]:
    """Eager steps of rows, whose rate is a function that gives others each time.

    Variables have one element; its gradient comes in two rows of 1/2.

    Returns:
        The values of all variables after each step, and how often the function was asked.
    """
    given: list[float] = []

    def rate() -> float:
        given.append(rates[len(given) % len(rates)])
        return given[-1]

    with mode_of("eager"):
        variables = [tf.Variable([0.0]) for _ in range(num_variables)]
        rows = as_slices((np.full([2], 0.5, "f"), np.zeros([2], "int32")), [1])
        optimizer = tf.train.GradientDescentOptimizer(rate)
        values = []
        for _ in rates:
            optimizer.apply_gradients([(rows, variable) for variable in variables])
            values.append([float(v.numpy()[0]) for v in variables])
    return {"values": values, "asked": len(given)}


class _Noting(tf.train.MomentumOptimizer):
    """Momentum that notes which of its methods are called, and in which name scope."""

    def __init__(self):
        super().__init__(0.5, 0.5)
        self.notes: list[tuple[str, str]] = []

    def _note(self, what: str, *variables: Any) -> None:
        names = [variable.name.split(":")[0] for variable in variables]
        self.notes.append((" ".join([what, *names]), context.present_name_scope()))

    def _create_slots(self, var_list: Any) -> None:
        self._note("slots", *dict.fromkeys(var_list))
        super()._create_slots(var_list)

    def _prepare(self) -> None:
        self._note("settings")
        super()._prepare()

    def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
        self._note("change", handle)
        return super()._resource_apply_dense(grad, handle)

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        self._note("change", handle)
        return super()._resource_apply_sparse(grad, handle, indices)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        self._note("end")
        return super()._finish(update_ops, name_scope)


def calls_of_a_step(
    names: list[str], pairs: list[tuple[int, Gradient]], counts: bool, mode: str
) -> list[tuple[str, str]]:
    """Which methods of an optimizer a step calls, in turn, each with the name scope.

    Variables have the shape [3,2]; pairs are the number of one and its gradient.
    """
    with mode_of(mode):
        variables = [tf.Variable(np.zeros([3, 2], "f"), name=name) for name in names]
        count = tf.Variable(0) if counts else None
        given = [(as_slices(g, [3, 2]), variables[i]) for i, g in pairs]
        optimizer = _Noting()
        with tf.name_scope("outer"):
            try:
                optimizer.apply_gradients(given, global_step=count, name="step")
            except ValueError:
                optimizer.notes.append(("error", ""))
        return optimizer.notes


def steps_within_steps(
    outer: dict[str, Any], inner: dict[str, Any], num_steps: int
) -> list[list[float]]:
    """Eager steps of two optimizers of one class, with the gradient 1 each.

    A setting of the outer one, ``momentum``, is a function that takes a step of the inner
    one before it says what it is.

    Returns:
        The values of both variables, which start at 0, after each step.
    """
    with mode_of("eager"):
        variables = [tf.Variable(0.0), tf.Variable(0.0)]
        ones = [(tf.constant(1.0), variable) for variable in variables]
        second = tf.train.MomentumOptimizer(**inner)

        def momentum() -> float:
            second.apply_gradients(ones[1:])
            return outer["momentum"]

        first = tf.train.MomentumOptimizer(**{**outer, "momentum": momentum})
        values = []
        for _ in range(num_steps):
            first.apply_gradients(ones[:1])
            values.append([float(variable.numpy()) for variable in variables])
        return values


class _OwnEnd(tf.train.GradientDescentOptimizer):
    """Gradient descent with another end of the step: a function of the changes."""

    def __init__(self, end: Any):
        super().__init__(0.5)
        self.end = end

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        return self.end(update_ops, name_scope)


def own_ends(what: str, counts: bool) -> dict[str, Any]:
    """Two calls of apply_gradients, whose ``_finish`` returns something of its own.

    Args:
        what: It returns a new ``tensor``, what an assignment returns (``assigned``), or
            both times the ``same`` node.
        counts: Whether there is a count of steps.

    Returns:
        How many are ``collected``, whether these are ``nodes`` and those ``returned``;
        and, after the first of them was run, the ``values`` of the variable, of what only
        ``_finish`` changes, and of the count.
    """
    with tf.Graph().as_default() as graph, tf.Session() as session:
        w = tf.Variable(1.0, name="w")
        ended = tf.Variable(0, name="ended")
        count = tf.Variable(0, name="count") if counts else None
        same = tf.no_op("same")

        def end(updates: list[Any], name: str) -> Any:
            if what == "same":
                return same
            with tf.control_dependencies(updates):
                ends = ended.assign_add(1)
            if what == "assigned":
                return ends
            with tf.control_dependencies([ends]):
                return tf.constant(1.0, name=name)

        optimizer = _OwnEnd(end)
        pairs = [(tf.constant(1.0), w)]
        steps = [optimizer.apply_gradients(pairs, global_step=count) for _ in range(2)]
        session.run(tf.global_variables_initializer())
        collected = graph.get_collection("train_op")
        session.run(collected[0])
        return {
            "collected": len(collected),
            "nodes": all(isinstance(node, tf.Operation) for node in collected),
            "returned": [any(step is node for node in collected) for step in steps],
            "values": [
                float(session.run(v))
                for v in (w, ended, ended if count is None else count)
            ],
        }


def end_in_eager_mode(num_variables: int, gives: bool) -> dict[str, Any]:
    """A step in eager mode: what ``_finish`` sees, and what apply_gradients returns.

    If it ``gives``, ``_finish`` returns a tensor.
    """
    with mode_of("eager"):
        variables = [tf.Variable(1.0) for _ in range(num_variables)]
        count = tf.Variable(3)
        seen: list[Any] = []

        def end(_updates: list[Any], _name: str) -> Any:
            seen.append([int(count.numpy()), *(float(v.numpy()) for v in variables)])
            return tf.constant(1.0) if gives else None

        pairs = [(tf.constant(1.0), v) for v in variables]
        returned = _OwnEnd(end).apply_gradients(pairs, global_step=count)
        plain = tf.train.GradientDescentOptimizer(0.5).apply_gradients(pairs)
        return {
            "seen": seen,
            "count": int(count.numpy()),
            "returned": [returned is None, plain is None],
        }
