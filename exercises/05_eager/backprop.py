"""``tf.GradientTape``: gradients of what was computed while the tape was recording.

Within ``with tf.GradientTape() as tape:`` the C++ tape (``minitf/eager/tape.h``)
remembers every op of eager mode that depends on a watched tensor. Trainable variables are
watched when they are read, tensors when they are told to be. In a graph the tape notes
which nodes were added meanwhile (``graph_tape.py``).

Compare: tensorflow/python/eager/backprop.py. Read next: ``graph_tape.py``.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from minitf import _minitf
from minitf.eager import jacobians
from minitf.eager.graph_tape import GraphTape
from minitf.eager.tape import recorders, stop_recording
from minitf.framework import op_def_library as ops
from minitf.framework.indexed_slices import of_parts
from minitf.framework.tensor import EagerTensor, Tensor
from minitf.ops.gradients_impl import with_lookup_errors
from minitf.ops.unconnected_gradients import UnconnectedGradients
from minitf.platform import tf_logging
from minitf.util.nest import flatten, pack_like


class GradientTape:
    """Records ops, and gives gradients of their results.

    Args:
        persistent: whether ``gradient`` may be called more than once.
        watch_accessed_variables: whether trainable variables are watched when read.

    >>> from minitf.eager import context
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
        self._stops_around = 0  # how many stop_recording() were open when it started
        self._tapes_of_thread: list[Any] = []  # of the thread it records: recorders.tapes
        self._tape: Any = None
        self._variables: dict[int, Any] = {}

    def _make_tape(self) -> None:
        # It could be asked any number of times; this class checks that it is asked once.
        self._tape = _minitf.Tape(True)
        self._graphs: dict[Any, GraphTape] = {}
        self._variables = {}

    def __enter__(self) -> "GradientTape":
        if self._recording:
            raise ValueError("Tape is already recording.")
        self._start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._recording:
            self._stop()

    def _start(self) -> None:
        """Records from now on, and is the innermost tape of this thread."""
        # TODO(05.12) begin: make what is not there yet; start it, and those of graphs
        raise NotImplementedError("task 05.12 is not written yet")
        # TODO(05.12) end

    def _stop(self) -> None:
        """Records no more; what there is stays. Another thread may have started it."""
        # TODO(05.12) begin: the reverse of _start
        raise NotImplementedError("task 05.12 is not written yet")
        # TODO(05.12) end

    def _records(self) -> bool:
        """Whether what this thread does is recorded: started, and not stopped since."""
        return self._recording and self._stops_around >= recorders.stops

    def _follow_stops(self) -> None:
        """Has the tapes of graphs record if this one does."""
        for graph_tape in self._graphs.values():
            if self._records():
                graph_tape.start()
            else:
                graph_tape.stop()

    def _tape_of(self, tensor: Tensor) -> Any:
        """What records ops on ``tensor``: the eager tape, or that of its graph."""
        if isinstance(tensor, EagerTensor):
            return self._tape
        graph = tensor.graph
        # TODO(05.12) begin: the GraphTape of the graph, which may have to be made
        raise NotImplementedError("task 05.12 is not written yet")
        # TODO(05.12) end

    def watch(self, tensor: Any) -> None:
        """Makes what is computed from ``tensor`` differentiable.

        Args:
            tensor: tensors and variables, nested at will.

        Raises:
            ValueError: it is something else.
            RuntimeError: the tape was not started, or was asked and is not persistent.
        """
        for item in flatten(tensor):
            if not isinstance(item, Tensor) and not hasattr(item, "handle"):
                raise ValueError(f"Passed in object of type {type(item)}, not tf.Tensor")
            self._require_tape()
            if hasattr(item, "handle"):
                self._watch_variable(item)
                continue
            if not (item.dtype.is_floating or item.dtype.is_complex):
                tf_logging.warning(
                    "The dtype of the watched tensor must be floating (e.g. "
                    "tf.float32), got %r",
                    item.dtype,
                )
            self._tape_of(item).watch(item)

    def _watch_variable(self, variable: Any) -> None:
        self._tape_of(variable.handle).watch(variable.handle)
        self._variables[id(variable)] = variable

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables that were watched, in the order in which they were made."""

        def age(variable: Any) -> int:
            handle = variable.handle
            return handle._id if isinstance(handle, EagerTensor) else handle.op._id

        return tuple(sorted(self._variables.values(), key=age))

    def _require_tape(self) -> None:
        if self._tape is None:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of "
                "gradients (or jacobians); and only after it has recorded"
            )

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
    ) -> Any:
        """dL/dx for every x in ``sources``, where L is the sum of all of ``target``.

        Args:
            target: tensors and variables, nested at will.
            sources: tensors and variables, nested at will.
            output_gradients: weights of the targets; ones if None.
            unconnected_gradients: None or zeros, where a target does not depend on x.

        Raises:
            RuntimeError: a tape that is not persistent is asked again.
            TypeError: a target or source is no tensor and no variable.
            ValueError: unconnected_gradients is none of its values.
            LookupError: an op has no gradient.
        """
        with self._asked(target):
            return self._gradient(
                target, sources, output_gradients, unconnected_gradients
            )

    def _gradient(
        self, target: Any, sources: Any, output_gradients: Any, unconnected: Any
    ) -> Any:
        flat = flatten(sources)
        wants_zeros = UnconnectedGradients(unconnected) is UnconnectedGradients.ZERO
        targets = flatten(target)
        given = [] if output_gradients is None else flatten(output_gradients)
        if len(given) > len(targets):
            raise ValueError(
                f"{len(given)} output_gradients were given for {len(targets)} targets"
            )
        given += [None] * (len(targets) - len(given))
        weights = [_weight(y, dy) for y, dy in zip(targets, given, strict=True)]
        ys = [_source(item, "target") for item in targets]
        xs = [_source(item, "source") for item in flat]
        found = self._found(ys, xs, weights)
        # TODO(05.11) begin: if zeros are wanted, put them where there is no gradient
        raise NotImplementedError("task 05.11 is not written yet")
        # TODO(05.11) end
        return pack_like(sources, found)

    def _found(self, ys: list[Tensor], xs: list[Tensor], weights: list) -> list[Any]:
        """The gradient for each x. One that was not watched is a target at most."""
        if not xs:
            return []
        graph = getattr(xs[0], "graph", None)  # graphs number their nodes alike
        if any(getattr(x, "graph", None) is not graph for x in xs):
            return [self._found(ys, [x], weights)[0] for x in xs]
        here = [i for i, y in enumerate(ys) if getattr(y, "graph", None) is graph]
        ys, weights = [ys[i] for i in here], [weights[i] for i in here]
        tape = self._tape_of(xs[0])
        if isinstance(tape, GraphTape):
            watched = tape.watched(xs)
        else:
            watched = [tape.is_watched(x) for x in xs]
        # TODO(05.11) begin: ask the tape for the watched ones, _own_weight for the others
        raise NotImplementedError("task 05.11 is not written yet")
        # TODO(05.11) end

    @contextmanager
    def _asked(self, target: Any) -> Iterator[None]:
        """One question to the tape, the last one unless it is persistent."""
        self._require_tape()
        if self._recording and not self._persistent:
            self._stop()
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors or "
                "Variables to be differentiated, but received None."
            )
        try:
            yield
        finally:
            # TODO(05.12) begin: unless persistent, let go of all that was recorded
            raise NotImplementedError("task 05.12 is not written yet")
            # TODO(05.12) end

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivatives of every element of ``target``, one gradient for each.

        Args:
            target: a tensor; in a graph, one whose shape is known.
            sources: tensors and variables, nested at will.
            unconnected_gradients: None or zeros, where ``target`` does not depend on x.
            parallel_iterations: the most gradients to compute at a time. One is.
            experimental_use_pfor: False for the loop that is used anyway: there is no
                other way.

        Returns:
            For each x a tensor of the shape of ``target`` with that of x behind it.

        Raises:
            RuntimeError: a tape that is not persistent is asked again.
        """
        del experimental_use_pfor
        jacobians.require_count(parallel_iterations)
        with self._asked(target), self._paused():
            return jacobians.jacobian(
                self._gradient, target, sources, unconnected_gradients
            )

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The Jacobian of every example of a batch: ``target[i]`` by ``source[i]``.

        Args:
            target: ``[N, ...]``, whose row i depends on row i of ``source`` only.
            source: ``[N, ...]``.
            unconnected_gradients: zeros come of both, as TensorFlow has it.
            parallel_iterations: see ``jacobian``.
            experimental_use_pfor: see ``jacobian``.

        Returns:
            ``[N, ...]``, the shape of a row of ``target`` with that of ``source`` behind.

        Raises:
            ValueError: N differs, or one of them has no axis behind the first.
        """
        del experimental_use_pfor
        UnconnectedGradients(unconnected_gradients)
        jacobians.require_count(parallel_iterations)
        with self._asked(target), self._paused():
            return jacobians.batch_jacobian(self._gradient, target, source)

    @contextmanager
    def _paused(self) -> Iterator[None]:
        was_recording, stops_around = self._recording, self._stops_around
        if was_recording:
            self._stop()
        try:
            yield
        finally:
            if was_recording:
                self._start()
                # What had stopped it before stops it still.
                self._stops_around = min(self._stops_around, stops_around)
                self._tape.ignore_stops(stops_around)
                self._follow_stops()

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Within it, this tape does not record.

        Raises:
            RuntimeError: there is nothing to record any more, or was not yet.
            ValueError: the tape is not recording.
        """
        if self._tape is None:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        if not self._recording:
            raise ValueError("Tape is not recording.")
        with self._paused():
            yield

    def reset(self) -> None:
        """Forgets all that was recorded and watched.

        Raises:
            ValueError: the tape is not recording.
        """
        if not self._recording:
            raise ValueError("Tape is not recording.")
        # TODO(05.12) begin: go on with nothing recorded, started and stopped as it is
        raise NotImplementedError("task 05.12 is not written yet")
        # TODO(05.12) end


def _source(item: Any, what: str) -> Tensor:
    """What the tape knows ``item`` by: a variable by its handle."""
    if hasattr(item, "handle"):
        return item.handle
    if hasattr(item, "_as_tensor"):
        item = item._as_tensor()
    if not isinstance(item, Tensor):
        raise TypeError(
            f"a {what} of a gradient is a tensor or a variable, not {item!r} of type "
            f"{type(item).__name__}"
        )
    return item


def _weight(target: Any, weight: Any) -> Tensor | None:
    """The weight of a target, None for ones; a variable's must be made here."""
    if weight is not None:
        return ops.convert_to_tensor(weight)
    if not hasattr(target, "handle"):
        return None
    with stop_recording():
        return ops.call("OnesLike", [target])


def _own_weight(x: Tensor, ys: list[Tensor], weights: list) -> Tensor | None:
    """The weight of ``x`` among the targets, summed up; None if it is none of them.

    In eager mode two objects with the same ``_id`` are one tensor.
    """
    # TODO(05.11) begin: add up the weights of the targets that are x; None means ones
    raise NotImplementedError("task 05.11 is not written yet")
    # TODO(05.11) end
