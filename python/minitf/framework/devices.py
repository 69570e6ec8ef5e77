"""Device strings: what ``tf.device`` takes, and how nested ones merge.

A string names some of four parts: ``/job:worker/task:0/gpu:1``. Where two are merged,
each part comes from the inner one if it has it. The text of a part stays as it was given,
and a string that is merged with nothing stays as it is: only the runtime brings names
into their full form.

Compare: tensorflow/python/framework/device.py. Read next: ``graph_devices.py``.
"""

import re
from typing import Any

from minitf import _minitf

_PART = re.compile(
    r"/(?:(?P<job>job:(?:[A-Za-z]\w*|\*))|(?P<replica>replica:(?:\d+|\*))"
    r"|(?P<task>task:(?:\d+|\*))"
    r"|(?P<device>(?:device:(?:[A-Za-z_]\w*|\*)|cpu|gpu)(?::(?:\d+|\*))?))(?=/|$)",
    re.IGNORECASE | re.ASCII,
)
_ORDER = ("job", "replica", "task", "device")


def parse(device: str) -> dict[str, str]:
    """The parts of a device string, by kind. ``gpu:0`` is read as ``/gpu:0``.

    Raises:
        ValueError: it is none.

    >>> parse("/job:ps/task:1/cpu:0")
    {'job': '/job:ps', 'task': '/task:1', 'device': '/cpu:0'}
    """
    parts: dict[str, str] = {}
    position = 0
    text = device if device[:1] in ("", "/") else f"/{device}"
    while position < len(text) and text != "/":
        match = _PART.match(text, position)
        if match is None:
            raise ValueError(f"Malformed device specification '{device}'")
        kind = match.lastgroup
        if kind == "device" and kind in parts:
            raise ValueError(
                f"Multiple device types are not allowed in a device specification: "
                f"'{device}'"
            )
        parts[kind] = match.group()
        position = match.end()
    return parts


def merge(outer: str, inner: str) -> str:
    """``inner``, completed with the parts that only ``outer`` has.

    >>> merge("/job:ps/gpu:1", "/cpu:0")
    '/job:ps/cpu:0'
    """
    if not outer or not inner or outer == inner:
        return inner or outer
    parts = {**parse(outer), **parse(inner)}
    return "".join(parts[kind] for kind in _ORDER if kind in parts)


def as_string(device: Any) -> str:
    """The text of a device string or a ``tf.DeviceSpec``.

    Raises:
        TypeError: it is neither.
        ValueError: the text is no device string.
    """
    if not isinstance(device, (str, DeviceSpec)):
        raise TypeError(f"a device must be a string or a tf.DeviceSpec, got {device!r}")
    text = str(device)
    parse(text)
    return text


class DeviceSpec:
    """A device, known in part. A part that is None may be anything.

    >>> DeviceSpec(job="ps", device_type="CPU", device_index=0).to_string()
    '/job:ps/device:CPU:0'
    """

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ):
        self.job = job
        self.replica = _as_int(replica)
        self.task = _as_int(task)
        self.device_type = None if device_type is None else str(device_type).upper()
        self.device_index = _as_int(device_index)

    @classmethod
    def from_string(cls, spec: str) -> "DeviceSpec":
        """The device that ``spec`` names. Raises ValueError if it is no device string.

        >>> DeviceSpec.from_string("/job:ps/gpu:1").device_type
        'GPU'
        """
        return cls().parse_from_string(spec)

    def parse_from_string(self, spec: str) -> "DeviceSpec":
        """Forgets what it was, and becomes the device that ``spec`` names."""
        parts = {kind: text[1:] for kind, text in parse(spec).items()}
        named = {kind: parts[kind].split(":", 1)[1] for kind in parts if kind != "device"}
        kind, _, index = parts.get("device", "").removeprefix("device:").partition(":")
        known = {name: None if text == "*" else text for name, text in named.items()}
        DeviceSpec.__init__(
            self,
            known.get("job"),
            known.get("replica"),
            known.get("task"),
            None if kind in ("", "*") else kind,
            None if index in ("", "*") else index,
        )
        return self

    def to_string(self) -> str:
        """The device in its full form."""
        text = "" if self.job is None else f"/job:{self.job}"
        text += "" if self.replica is None else f"/replica:{self.replica}"
        text += "" if self.task is None else f"/task:{self.task}"
        if self.device_type is not None:
            index = "*" if self.device_index is None else self.device_index
            text += f"/device:{self.device_type}:{index}"
        return text

    def merge_from(self, dev: "DeviceSpec") -> None:
        """Takes over every part that ``dev`` has."""
        for name, value in vars(dev).items():
            if value is not None:
                setattr(self, name, value)

    def replace(self, **changed: Any) -> "DeviceSpec":
        """A new device with some parts changed."""
        return type(self)(**{**vars(self), **changed})

    def __str__(self) -> str:
        return self.to_string()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(self.to_string())


def memory_of(session: Any) -> dict[str, dict[str, int]]:
    """What each device's allocator has counted, by the full name of the device.

    CPU:0 is counted for the whole process. A limit of 0 stands for none.
    """
    return _minitf.session_memory(session._core)


def transfers_of(session: Any) -> dict[str, int]:
    """How many tensors have gone from one memory to another in ``session`` so far.

    ``bytes`` counts all of them; ``bytes_copied`` leaves out those that went between
    devices that share their memory.
    """
    return _minitf.session_transfers(session._core)


def _as_int(number: Any) -> int | None:
    return None if number is None else int(number)
