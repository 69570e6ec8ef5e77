"""What a scope decides about a node: the prefix of its name, its container, its gradient.

Compare: tensorflow/python/framework/ops.py, Graph. Read next: ``graph_devices.py``.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from minitf.framework import op_def_registry
from minitf.framework.graph_devices import DeviceScopes

# What the name of a scope looks like: of one on the outside, and of one within another.
_SCOPE_NAME = (
    re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*"),
    re.compile(r"[A-Za-z0-9_.\\/>-]*"),
)


class GraphScopes(DeviceScopes):
    """The part of a Graph that knows about scopes.

    It is the Graph that has the nodes (``_core``) and knows which names are taken.
    """

    def __init__(self):
        super().__init__()
        self._container = ""

    # ---- Names ----------------------------------------------------------------------

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """``name`` below the present name scope, with a number if it is taken."""
        name = name_as_string(name)
        if self._thread.name_stack:
            name = f"{self._thread.name_stack}/{name}"
        return self._core.unique_name(name, mark_as_used)

    def get_name_scope(self) -> str:
        """The present name scope, without a slash at its end."""
        return self._thread.name_stack

    @contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Within it, the names of new nodes start with ``name`` and a slash.

        A name that ends in a slash is a scope that was left and is entered again. None
        and ``""`` mean the outermost scope. Any other name is made unique. A name may
        be bytes (``name_as_string``).

        Yields:
            The scope with a slash at its end; ``""`` for the outermost.

        Raises:
            ValueError: the name, with a slash at its end or without, does not match
                ``_SCOPE_NAME``.
        """
        # LAB(06.1) begin: set self._thread.name_stack, yield the scope, and set it back
        former = self._thread.name_stack
        if not name:
            self._thread.name_stack = ""
        else:
            name, pattern = name_as_string(name), _SCOPE_NAME[bool(former)]
            if not pattern.fullmatch(name):
                raise ValueError(
                    f"'{name}' is not a valid scope name; one must match "
                    f"{pattern.pattern}"
                )
            is_full = name[-1] == "/"
            self._thread.name_stack = name[:-1] if is_full else self.unique_name(name)
        try:
            yield f"{self._thread.name_stack}/" if self._thread.name_stack else ""
        finally:
            self._thread.name_stack = former
        # LAB(06.1) end

    # ---- Gradients ------------------------------------------------------------------

    @contextmanager
    def gradient_override_map(self, op_type_map: dict[str, str]) -> Iterator[None]:
        """Within it, new nodes of some ops have the gradients of others.

        Args:
            op_type_map: from ops to names that ``tf.RegisterGradient`` has registered.
                The inner map comes before the outer one, op by op.

        Raises:
            TypeError: it is no dict from strings to strings.
        """
        with self._with_attr("_gradient_op_type", "op_type_map", op_type_map):
            yield

    # ---- Kernels --------------------------------------------------------------------

    @contextmanager
    def _kernel_label_map(self, op_to_kernel_label_map: dict[str, str]) -> Iterator[None]:
        """Within it, new nodes of some ops are computed by the kernel of a label.

        Args:
            op_to_kernel_label_map: such as ``{"Conv2D": "winograd"}``; that there is no
                such kernel is found out when a session runs the node. The inner map comes
                before the outer one, op by op; the label ``""`` is the usual kernel.

        Raises:
            TypeError: it is no dict from strings to strings.
        """
        with self._with_attr("_kernel", "op_to_kernel_label_map", op_to_kernel_label_map):
            yield

    @contextmanager
    def _with_attr(
        self, attr: str, called: str, values: dict[str, str]
    ) -> Iterator[None]:
        """Within it, a new node of an op in ``values`` has ``attr``."""
        if not isinstance(values, dict):
            raise TypeError(f"{called} must be a dictionary mapping strings to strings")
        for name in (*values, *values.values()):
            if not isinstance(name, str):
                raise TypeError(f"{called} is from strings to strings, got {name!r}")
        former = self._thread.attrs
        new = {op: {**former.get(op, {}), attr: value} for op, value in values.items()}
        self._thread.attrs = {**former, **new}
        try:
            yield
        finally:
            self._thread.attrs = former

    # ---- Containers -----------------------------------------------------------------

    def _with_container(self, op_type: str, attrs: dict[str, Any] | None) -> Any:
        """The attributes of a node, with the present container if it keeps state."""
        attrs = attrs or {}
        op = op_def_registry.get(op_type)
        if op.is_stateful and "container" in op.attrs and not attrs.get("container"):
            return {**attrs, "container": self._container}
        return attrs

    @contextmanager
    def container(self, container_name: str) -> Iterator[str]:
        """Within it, variables, queues and readers are kept under ``container_name``."""
        former, self._container = self._container, container_name
        try:
            yield container_name
        finally:
            self._container = former


def name_as_string(name: Any) -> str:
    """A name that was given as text or as bytes. Raises TypeError, ValueError."""
    if not isinstance(name, (str, bytes)):
        raise TypeError(f"a name must be a string, got {name!r}")
    try:
        if isinstance(name, bytes):
            return name.decode()
        name.encode()
        return name
    except UnicodeError:
        raise ValueError(f"{name!r} is not a valid name: it has no UTF-8 form") from None
