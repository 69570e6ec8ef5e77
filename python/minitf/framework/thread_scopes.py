"""The scopes of a graph that each thread has for itself.

Threads that build one graph do not see each other's scopes: a thread starts without a
name scope, a device, or control dependencies, whatever others have open. After
``Graph.switch_to_thread_local`` a thread starts with the devices, colocations and control
dependencies that were open then.

Compare: tensorflow/python/framework/ops.py, Graph.switch_to_thread_local. Read next:
``graph_devices.py``.
"""

import threading
from typing import Any


class ThreadScopes(threading.local):
    """What is open in one thread of one graph."""

    def __init__(self, initial: dict[str, Any]):
        self.name_stack = ""  # the present name scope, without a slash at its end
        self.controls: list[Any] = []  # what new nodes wait for
        self.flow: Any = None  # the branch or loop that is being built
        self.devices: list[Any] = []  # strings, functions and None, outermost first
        self.device = ""  # what the strings since the last None or function merge to
        self.colocated: list[Any] = []  # the nodes that new ones share a device with
        # Whether a new node has to be looked at; mostly its device is known beforehand.
        self.devices_depend_on_op = False
        # What new nodes of an op are given: Graph.gradient_override_map.
        self.attrs: dict[str, dict[str, str]] = {}
        self.variable_creators: list[
            Any
        ] = []  # tf.variable_creator_scope, outermost first
        self.__dict__.update(initial)


def of_thread(name: str) -> property:
    """A property of a graph: what ``graph._thread`` has under ``name``."""

    def get(graph: Any) -> Any:
        return getattr(graph._thread, name)

    def set_(graph: Any, value: Any) -> None:
        setattr(graph._thread, name, value)

    return property(get, set_)
