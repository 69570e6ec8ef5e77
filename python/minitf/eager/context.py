"""Where an op goes when it is called: into a graph, or to be run at once.

Each thread has a stack of the graphs that it has entered. With none entered, ops go to
the default graph, or, after ``tf.enable_eager_execution()``, are run at once. Threads do
not share it: one that shall add to another's graph enters that, ``with g.as_default():``.

Compare: tensorflow/python/eager/context.py. Read next: ``framework/tensor.py``.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from minitf.eager.tape import stop_recording
from minitf.framework import messages

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class _ThreadState(threading.local):
    def __init__(self) -> None:
        self.entered: list[Any] = []  # graphs, and None for eager mode
        self.default_graph: Any = None  # where ops go that enter none
        self.eager_name_scope = ""  # without a slash at its end


class _ProcessState:
    is_eager = False
    make_graph: Callable[[], Any]  # set by graph.py, which is above this module
    eager_seed: int | None = None


_thread = _ThreadState()
process = _ProcessState()


def executing_eagerly() -> bool:
    """Whether an op that is called here is run at once.

    >>> executing_eagerly()
    False
    """
    entered = _thread.entered
    return entered[-1] is None if entered else process.is_eager


def get_default_graph() -> Any:
    """The graph to which this thread adds ops: the innermost that it has entered."""
    for graph in reversed(_thread.entered):
        if graph is not None:
            return graph
    if _thread.default_graph is None:
        _thread.default_graph = process.make_graph()
    return _thread.default_graph


def present_name_scope() -> str:
    """The name scope that is open, without a slash at its end; eager mode has its own."""
    if executing_eagerly():
        return _thread.eager_name_scope
    return get_default_graph().get_name_scope()


@contextmanager
def eager_name_scope(name: str | None) -> Iterator[str]:
    """Within it, ``name`` goes before the names of variables made in eager mode.

    As in a graph, a name that ends in a slash is one in full, and None and ``""`` mean
    the outermost scope. A name is used again, not made unique.
    """
    former = _thread.eager_name_scope
    if not name:
        scope = ""
    elif name[-1] == "/":
        scope = name[:-1]
    else:
        scope = f"{former}/{name}" if former else name
    _thread.eager_name_scope = scope
    try:
        yield f"{scope}/" if scope else ""
    finally:
        _thread.eager_name_scope = former


def reset_default_graph() -> None:
    """Forgets the default graph; a new one takes its place.

    Raises:
        AssertionError: inside of ``with graph.as_default():``.
    """
    if any(graph is not None for graph in _thread.entered):
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a "
            "cleared graph, exit the nesting and create a new graph."
        )
    _thread.default_graph = None


@contextmanager
def entered(graph: Any) -> Iterator[Any]:
    """Within it, ops go to ``graph``; if that is None, they are run at once."""
    stack = _thread.entered
    stack.append(graph)
    try:
        yield graph
    finally:
        if not stack or stack[-1] is not graph:
            raise AssertionError(
                "Nesting of graphs violated: they must be left in the "
                "reverse of the order in which they were entered"
            )
        stack.pop()


def enable_eager_execution(
    config: Any = None,
    device_policy: Any = None,
    execution_mode: Any = None,
) -> None:
    """Runs every op at once from now on, for the life of the program.

    Args:
        config: a ConfigProto without numbers of threads and limits of time, which are
            those of sessions.
        device_policy: None or 2 (``DEVICE_PLACEMENT_SILENT``): inputs on another device
            are copied.
        execution_mode: None or 0 (``SYNC``): an op has run when its call returns.

    Raises:
        TypeError: config is no ConfigProto.
        ValueError: a graph has been built already; or something else is asked for.
    """
    _refuse_other_modes(config, device_policy, execution_mode)
    graph = _thread.default_graph
    if not process.is_eager and graph is not None and graph.num_operations > 0:
        raise ValueError("tf.enable_eager_execution must be called at program startup.")
    process.is_eager = True


def _refuse_other_modes(config: Any, device_policy: Any, execution_mode: Any) -> None:
    if config is not None:
        if not isinstance(config, messages.get("ConfigProto")):
            raise TypeError(f"config must be a tf.ConfigProto, but got {config!r}")
        for name in (
            "intra_op_parallelism_threads",
            "inter_op_parallelism_threads",
            "operation_timeout_in_ms",
        ):
            if value := getattr(config, name):
                raise ValueError(f"config.{name} is {value}: in eager mode it must be 0")
    if device_policy not in (None, 2):
        raise ValueError(
            f"device_policy must be None or 2, which copies silently, not {device_policy}"
        )
    if execution_mode not in (None, 0):
        raise ValueError(f"execution_mode must be None or 0 (SYNC), not {execution_mode}")


def disable_eager_execution() -> None:
    """Adds ops to the default graph from now on."""
    process.is_eager = False


@contextmanager
def init_scope() -> Iterator[None]:
    """Lifts ops out of control dependencies and tapes, as initial values need it."""
    with stop_recording():
        if executing_eagerly():
            yield
            return
        with get_default_graph().control_dependencies(None):
            yield


def users_stack() -> list[tuple[Any, int]]:
    """Code and line of each caller outside of this package, the innermost first."""
    stack = []
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(_PACKAGE):
            stack.append((code, frame.f_lineno))
        frame = frame.f_back
    return stack


def line_of(stack: list[tuple[Any, int]]) -> str:
    """The innermost line of ``users_stack``, such as ``"train.py:12"``."""
    if not stack:
        return ""
    path = stack[0][0].co_filename
    return f"{path[path.rfind(os.sep) + 1 :]}:{stack[0][1]}"
