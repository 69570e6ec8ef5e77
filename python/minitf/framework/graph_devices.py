"""Which device a new node is for: ``tf.device`` and ``tf.colocate_with``.

A scope of ``tf.device`` names a device, in full or in part, or has a function choose
one for each node. Nested scopes are merged, the inner one first. A scope of
``tf.colocate_with`` names a node instead, and leaves open where that is: the new node
gets the attribute ``_class`` with ``loc:@`` and the node's name, and the placer
(``minitf/runtime/placer.h``) gives both one device.

Compare: tensorflow/python/framework/ops.py, Graph.device and Graph.colocate_with. Read
next: ``operation.py``.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from minitf.framework import devices
from minitf.framework.thread_scopes import ThreadScopes, of_thread


class DeviceScopes:
    """The part of a Graph that knows about devices."""

    def __init__(self) -> None:
        super().__init__()
        self._scopes_of_new_threads: dict[str, Any] = {}
        self._thread = ThreadScopes(self._scopes_of_new_threads)

    _devices = of_thread("devices")
    _device = of_thread("device")
    _colocated = of_thread("colocated")
    _devices_depend_on_op = of_thread("devices_depend_on_op")

    def switch_to_thread_local(self) -> None:
        """Lets threads start in the present devices, colocations and dependencies.

        The first call decides. The scopes of each thread are its own at all times.
        """
        names = ("controls", "devices", "device", "colocated", "devices_depend_on_op")
        for name in names if not self._scopes_of_new_threads else ():
            self._scopes_of_new_threads[name] = getattr(self._thread, name)

    @contextmanager
    def device(self, device_name_or_function: Any) -> Iterator[None]:
        """Within it, new nodes are for this device.

        Args:
            device_name_or_function: a string such as ``"/gpu:0"``; a function that is
                given each new Operation and returns such a string; or None, which forgets
                the devices of the scopes around it.

        Raises:
            TypeError: it is nothing of that kind.
            ValueError: it is no device string.
        """
        device = device_name_or_function
        if device is not None and not callable(device):
            device = devices.as_string(device)
        with self._restoring_devices():
            self._devices = [*self._devices, device]
            self._device = self._merged_strings()
            self._devices_depend_on_op |= callable(device)
            yield

    @contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """Within it, new nodes are placed together with ``op``.

        Args:
            op: an Operation, a tensor or a variable; None for no node at all.
            ignore_existing: forget the scopes of this kind around it.

        Raises:
            TypeError: ``op`` is nothing of that kind.
            ValueError: ``op`` is None, and ``ignore_existing`` is not set.
        """
        if op is None and not ignore_existing:
            raise ValueError(
                "Trying to reset colocation (op is None) but ignore_existing is not True"
            )
        former = [] if ignore_existing else self._colocated
        with self._restoring_devices():
            # The device is that of the node, so what was asked for around it is off.
            self._devices, self._device = [], ""
            self._colocated = [*former, *([] if op is None else [_node_of(op)])]
            self._devices_depend_on_op = bool(self._colocated)
            yield

    @contextmanager
    def _on_device_of(self, op: Any) -> Iterator[None]:
        """Within it, new nodes ask for what ``op`` asks for."""
        with self._restoring_devices():
            self._devices = [op.device] if op.device else []
            self._device = op.device
            self._colocated, self._devices_depend_on_op = [], False
            yield

    @contextmanager
    def _restoring_devices(self) -> Iterator[None]:
        former = self._devices, self._device, self._colocated, self._devices_depend_on_op
        try:
            yield
        finally:
            (
                self._devices,
                self._device,
                self._colocated,
                self._devices_depend_on_op,
            ) = former

    def _merged_strings(self) -> str:
        """What the innermost strings merge to, up to the next function or None."""
        merged = ""
        for device in reversed(self._devices):
            if not isinstance(device, str):
                break
            merged = devices.merge(device, merged)
        return merged

    def _place(self, op: Any) -> None:
        """Calls the device functions for a new node, and puts it beside others."""
        if any(callable(device) for device in self._devices):
            self._call_device_functions(op)
        if not self._colocated:
            return
        groups = {
            group for other in self._colocated for group in other.colocation_groups()
        }
        op._set_attr("_class", sorted(groups))
        for other in self._colocated:
            if other.device:
                op._set_device(other.device)

    def _call_device_functions(self, op: Any) -> None:
        """Merges the devices of all scopes, innermost first, up to a None."""
        merged = ""
        for device in reversed(self._devices):
            if device is None:
                break
            if callable(device):
                op._set_device(merged)
                chosen = device(op)
                merged = "" if chosen is None else devices.as_string(chosen)
            else:
                merged = devices.merge(device, merged)
        op._set_device(merged)


def _node_of(op: Any) -> Any:
    """The Operation behind a tensor or a variable, or ``op`` itself."""
    node = getattr(op, "op", op)
    if not hasattr(node, "colocation_groups"):
        raise TypeError(
            "colocate_with takes an Operation, a tensor or a variable, got "
            f"{op!r} of type {type(op).__name__}"
        )
    return node
