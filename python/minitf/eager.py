"""``tf.GradientTape``: gradients of what eager mode has computed.

Within ``with tf.GradientTape() as tape:`` the C++ tape (``minitf/eager/tape.h``)
remembers every op that depends on a watched tensor. Trainable variables are watched when
they are read, tensors when they are told to be.

Compare: tensorflow/python/eager/backprop.py. Read next: ``gradients_impl.py``.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from minitf import _minitf, context, ops
from minitf.nest import flatten, pack_like
from minitf.tensor import EagerTensor, Tensor
from minitf.unconnected import UnconnectedGradients

_variable_watchers: list["GradientTape"] = []


class GradientTape:
    """Records ops, and gives gradients of their results.

    Args:
        persistent: whether ``gradient`` may be called more than once.
        watch_accessed_variables: whether trainable variables are watched when read.

    >>> from minitf import context
    >>> with context.entered(None):  # eager mode
    ...     x = ops.convert_to_tensor(3.0)
    ...     with GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = x * x
    ...     tape.gradient(y, x).numpy()
    np.float32(6.0)
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True):
        self._persistent = bool(persistent)
        self._watch_variables = bool(watch_accessed_variables)
        self._recording = False
        self._make_tape()

    def _make_tape(self) -> None:
        self._tape = _minitf.Tape(self._persistent, self._watch_variables)
        self._variables: dict[int, Any] = {}

    def __enter__(self) -> "GradientTape":
        if self._recording:
            raise ValueError("Tape is already recording.")
        self._start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._recording:
            self._stop()

    def _start(self) -> None:
        self._tape.start()
        self._recording = True
        _variable_watchers.append(self)

    def _stop(self) -> None:
        self._tape.stop()
        self._recording = False
        _variable_watchers.remove(self)

    def watch(self, tensor: Any) -> None:
        """Makes what is computed from ``tensor`` differentiable."""
        for item in flatten(tensor):
            if hasattr(item, "handle"):
                self._tape.watch(item.handle)
                self._variables[id(item)] = item
                continue
            if not isinstance(item, EagerTensor):
                raise ValueError(f"Passed in object of type {type(item)}, not tf.Tensor")
            if not (item.dtype.is_floating or item.dtype.is_complex):
                from minitf import logging

                logging.warning(
                    "The dtype of the watched tensor must be floating (e.g. "
                    "tf.float32), got %r",
                    item.dtype,
                )
            self._tape.watch(item)

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables that were watched, in the order in which they were first read."""
        return tuple(self._variables.values())

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
    ) -> Any:
        """dL/dx for every x in ``sources``, where L is the sum of all of ``target``.

        Args:
            target: a tensor, or a list of them.
            sources: tensors and variables, nested at will.
            output_gradients: weights of the targets; ones if None.
            unconnected_gradients: None or zeros, where a target does not depend on x.

        Raises:
            RuntimeError: a tape that is not persistent is asked again.
            LookupError: an op has no gradient.
        """
        if self._tape is None:
            raise RuntimeError(
                "GradientTape.gradient can only be called once on non-persistent tapes."
            )
        if self._recording and not self._persistent:
            self._stop()
        targets = [_source(item) for item in flatten(target)]
        flat = flatten(sources)
        xs = [_source(item) for item in flat]
        weights = [None] * len(targets)
        if output_gradients is not None:
            weights = [
                None if item is None else ops.convert_to_tensor(item)
                for item in flatten(output_gradients)
            ]
        found = _with_lookup_errors(lambda: self._tape.gradient(targets, xs, weights))
        if not self._persistent:
            self._tape = None
        results = []
        for gradient, x in zip(found, flat, strict=True):
            if gradient is None and (
                UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
            ):
                gradient = ops.call("ZerosLike", [x])
            results.append(gradient)
        return pack_like(sources, results)

    def jacobian(self, target: Any, sources: Any, **_: Any) -> Any:
        """The derivatives of every element of ``target``, one gradient for each.

        The tape must be persistent.
        """
        from minitf import array_ops

        if not self._persistent:
            raise RuntimeError(
                "jacobian asks the tape once for each element: make it with "
                "persistent=True"
            )
        with self.stop_recording():
            target = ops.convert_to_tensor(target)
            size = int(array_ops.size(target))
            flat = [[] for _ in flatten(sources)]
            for i in range(size):
                weight = array_ops.reshape(
                    array_ops.one_hot(i, size, dtype=target.dtype), target.shape
                )
                rows = self.gradient(target, sources, weight, UnconnectedGradients.ZERO)
                for column, row in zip(flat, flatten(rows), strict=True):
                    column.append(row)
            stacked = [
                array_ops.reshape(
                    array_ops.stack(column),
                    target.shape.concatenate(column[0].shape).as_list(),
                )
                for column in flat
            ]
        return pack_like(sources, stacked)

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Within it, this tape does not record."""
        was_recording = self._recording
        if was_recording:
            self._stop()
        try:
            yield
        finally:
            if was_recording:
                self._start()

    def reset(self) -> None:
        """Forgets all that was recorded and watched."""
        was_recording = self._recording
        if was_recording:
            self._stop()
        self._make_tape()
        if was_recording:
            self._start()


def _source(item: Any) -> Tensor:
    """What the tape knows ``item`` by: a variable by its handle."""
    if hasattr(item, "handle"):
        return item.handle
    if not isinstance(item, EagerTensor):
        item = ops.convert_to_tensor(item)
    return item


def _with_lookup_errors(work: Callable[[], Any]) -> Any:
    from minitf.gradients_impl import with_lookup_errors

    return with_lookup_errors(work)


def variable_accessed(variable: Any) -> None:
    """Told by a variable when it is read."""
    for tape in _variable_watchers:
        if tape._watch_variables and variable.trainable:
            tape._variables.setdefault(id(variable), variable)


@contextmanager
def stop_recording() -> Iterator[None]:
    """Within it, no tape of this thread records."""
    scope = _minitf.StopRecording()
    scope.enter()
    try:
        yield
    finally:
        scope.exit()


def gradients_function(
    function: Callable, params: Any = None
) -> Callable[..., list[Any]]:
    """A function that gives the gradients of ``function`` for its arguments.

    Args:
        function: takes tensors and gives a tensor.
        params: the positions of the arguments to differentiate for; all if None.
    """

    def gradients(*args: Any) -> list[Any]:
        with context.entered(None):
            tensors = [ops.convert_to_tensor(argument) for argument in args]
            with GradientTape() as tape:
                tape.watch(tensors)
                result = function(*tensors)
            chosen = tensors if params is None else [tensors[i] for i in params]
            return tape.gradient(result, chosen)

    return gradients
