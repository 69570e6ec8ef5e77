"""The debugger: runs a step in a thread of its own, and holds it where it is told to.

The executor tells an observer of every node that starts and ends
(``minitf/runtime/executor/step_observer.h``). The observer here keeps what came out of
each node, and makes the step wait while the user looks: no further node starts. No pass
changes the graph, so that what is seen is what was built.

Compare: tensorflow/python/debug/wrappers/framework.py, and Eric Jang's tdb.
Read next: ``filters.py``.
"""

import threading
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from minitf.client.session import Session
from minitf.framework.operation import Operation
from minitf.framework.tensor import GraphTensor


class Stop(NamedTuple):
    """Where a step stands.

    Attributes:
        when: ``"before"`` or ``"after"`` a node, ``"finished"``, or ``"failed"``.
        node: the node's name, or ``""``.
        op: its op.
        reason: why the step stopped here: a breakpoint, a step, the name of a filter, or
            the error.
    """

    when: str
    node: str = ""
    op: str = ""
    reason: str = ""

    def __str__(self) -> str:
        where = f"{self.when} {self.node} ({self.op})" if self.node else self.when
        return f"{where}: {self.reason}" if self.reason else where


class _AbandonedError(Exception):
    """Raised in the step's thread when the user gives the step up."""


class Debugger:
    """Runs steps of a session, node by node.

    Attributes:
        stop: where the step stands; None before the first one.
        values: the values of all tensors of this step so far, by name.
        order: the names of the nodes that have run, in order.
        result: what the step returned, when it has finished.

    Args:
        session: whose graph and variables are used.
    """

    def __init__(self, session: Session):
        self._session = session
        self._filters: dict[str, Callable[[str, Any], bool]] = {}
        self._breakpoints: set[str] = set()
        self._watched: dict[str, list[Any]] = {}
        self._condition = threading.Condition()
        self._thread: threading.Thread | None = None
        self._is_stepping = False
        self._is_abandoned = False
        self._may_run = False
        self.stop: Stop | None = None
        self.values: dict[str, Any] = {}
        self.order: list[str] = []
        self.result: Any = None

    # ---- What to stop for -----------------------------------------------------------

    def break_at(self, *nodes: Any) -> None:
        """Stops before these nodes: names, tensors or Operations."""
        self._breakpoints.update(self._name_of(node) for node in nodes)

    def clear(self, *nodes: Any) -> None:
        """Forgets these breakpoints, or all if none are named."""
        if not nodes:
            self._breakpoints.clear()
        self._breakpoints.difference_update(self._name_of(node) for node in nodes)

    @property
    def breakpoints(self) -> list[str]:
        """The names of the nodes to stop at, sorted."""
        return sorted(self._breakpoints)

    def watch(self, *tensors: Any) -> None:
        """Keeps every value that these tensors get: one for each iteration of a loop."""
        for tensor in tensors:
            element = self._session.graph.as_graph_element(tensor)
            outputs = [element] if isinstance(element, GraphTensor) else element.outputs
            for output in outputs:
                self._watched.setdefault(output.name, [])

    @property
    def watched(self) -> dict[str, list[Any]]:
        """The values of the watched tensors, in order, by name."""
        return {name: list(values) for name, values in self._watched.items()}

    def add_filter(self, name: str, function: Callable[[str, Any], bool]) -> None:
        """Stops after a node if ``function(tensor_name, value)`` is true of an output."""
        if not callable(function):
            raise TypeError(f"a filter must be callable, got {function!r}")
        self._filters[name] = function

    def remove_filter(self, name: str) -> None:
        """Forgets a filter. Raises KeyError if there is none of that name."""
        del self._filters[name]

    def _name_of(self, node: Any) -> str:
        element = self._session.graph.as_graph_element(node)
        op = element if isinstance(element, Operation) else element.op
        return op.name

    # ---- Going on -------------------------------------------------------------------

    def start(
        self, fetches: Any, feed_dict: dict | None = None, breakpoints: Iterable = ()
    ) -> Stop:
        """Begins a step and runs it up to the first stop.

        Args:
            fetches: as for ``Session.run``.
            feed_dict: as for ``Session.run``.
            breakpoints: further nodes to stop at. Without any, and without filters, the
                step stops before its first node.

        Raises:
            RuntimeError: another step is under way.
        """
        if self._thread is not None:
            raise RuntimeError("a step is under way: resume() or abandon() it first")
        self.break_at(*breakpoints)
        self.stop, self.result = None, None
        self.values, self.order = {}, []
        for values in self._watched.values():
            values.clear()
        self._is_abandoned, self._may_run = False, True
        self._is_stepping = not self._breakpoints and not self._filters
        self._thread = threading.Thread(
            target=self._run,
            args=(fetches, feed_dict),
            name="debugged step",
            daemon=True,
        )
        self._session._debuggers.add(self)
        self._thread.start()
        return self._wait()

    def step(self) -> Stop:
        """Runs one node."""
        return self._go(stepping=True)

    def resume(self) -> Stop:
        """Runs up to the next breakpoint or filter, or to the end."""
        return self._go(stepping=False)

    def abandon(self) -> None:
        """Gives the step up. Does nothing if none is under way."""
        if self._thread is None:
            return
        with self._condition:
            self._is_abandoned = self._may_run = True
            self._condition.notify_all()
        self._wait()

    @property
    def is_finished(self) -> bool:
        """Whether no step is under way."""
        return self._thread is None

    def value(self, tensor: Any) -> Any:
        """What ``tensor`` holds, once its node has run in this step.

        Raises:
            KeyError: it has no value yet, or its node is not run.
        """
        element = self._session.graph.as_graph_element(tensor)
        if isinstance(element, Operation):
            element = element.outputs[0]
        if element.name not in self.values:
            raise KeyError(f"{element.name} has no value yet: its node has not run")
        return self.values[element.name]

    def _go(self, stepping: bool) -> Stop:
        if self._thread is None:
            raise RuntimeError("no step is under way: start() one first")
        with self._condition:
            self._is_stepping = stepping
            self.stop = None
            self._may_run = True
            self._condition.notify_all()
        return self._wait()

    def _wait(self) -> Stop:
        """Until the step stands still."""
        with self._condition:
            while self._may_run:
                self._condition.wait(0.1)  # so that Ctrl-C is noticed
        if self.stop is not None and self.stop.when in ("finished", "failed"):
            assert self._thread is not None
            self._thread.join()
            self._thread = None
        assert self.stop is not None
        return self.stop

    # ---- In the thread of the step --------------------------------------------------

    def _run(self, fetches: Any, feed_dict: dict | None) -> None:
        try:
            self.result = self._session._run_watched(fetches, feed_dict, self)
            stop = Stop("finished")
        except Exception as error:
            reason = "abandoned" if self._is_abandoned else str(error)
            node = getattr(getattr(error, "op", None), "name", "") or ""
            op = getattr(getattr(error, "op", None), "type", "") or ""
            stop = Stop("failed", "" if self._is_abandoned else node, op, reason)
        with self._condition:
            self.stop, self._may_run = stop, False
            self._condition.notify_all()

    def _hold(self, stop: Stop) -> None:
        """Stands still until the user lets the step go on. Requires: the condition."""
        self.stop, self._may_run = stop, False
        self._condition.notify_all()
        while not self._may_run:
            self._condition.wait()
        if self._is_abandoned:
            raise _AbandonedError

    def node_starts(self, name: str, op: str, inputs: list[Any]) -> None:
        """Called by the executor before a node runs."""
        del inputs
        with self._condition:
            while not self._may_run:  # another thread of the step is held
                self._condition.wait()
            if self._is_abandoned:
                raise _AbandonedError
            if name in self._breakpoints:
                self._hold(Stop("before", name, op, "breakpoint"))
            elif self._is_stepping:
                self._hold(Stop("before", name, op, "step"))

    def node_ends(
        self,
        name: str,
        op: str,
        outputs: list[Any],
        nanoseconds: int,
        iteration: int,
        device: str,
    ) -> None:
        """Called by the executor when a node has run."""
        del nanoseconds, iteration, device
        with self._condition:
            self.order.append(name)
            found = ""
            for i, value in enumerate(outputs):
                if value is None:
                    continue
                tensor = f"{name}:{i}"
                self.values[tensor] = value
                if tensor in self._watched:
                    self._watched[tensor].append(value)
                for filter_name, function in self._filters.items():
                    if not found and function(tensor, value):
                        found = f"{filter_name} is true of {tensor}"
            if found:
                self._hold(Stop("after", name, op, found))
