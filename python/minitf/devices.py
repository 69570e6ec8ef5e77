"""Device strings: what ``tf.device`` takes, and how nested ones merge.

A string names some of four parts: ``/job:worker/task:0/gpu:1``. Where two are merged,
each part comes from the inner one if it has it. The text of a part stays as it was given,
and a string that is merged with nothing stays as it is: only the runtime brings names
into their full form.

Compare: tensorflow/python/framework/device.py. Read next: ``graph.py``.
"""

import re
from typing import Any

_PART = re.compile(
    r"/(?:(?P<job>job:[^/]+)|(?P<replica>replica:[^/]+)|(?P<task>task:[^/]+)"
    r"|(?P<device>(?:device:)?[A-Za-z_]+:(?:\d+|\*)|cpu|gpu))",
    re.IGNORECASE,
)
_ORDER = ("job", "replica", "task", "device")


def parse(device: str) -> dict[str, str]:
    """The parts of a device string, by kind.

    Raises:
        ValueError: it is none.

    >>> parse("/job:ps/task:1/cpu:0")
    {'job': '/job:ps', 'task': '/task:1', 'device': '/cpu:0'}
    """
    parts: dict[str, str] = {}
    position = 0
    while position < len(device):
        match = _PART.match(device, position)
        if match is None:
            raise ValueError(f"Malformed device specification '{device}'")
        parts[match.lastgroup] = match.group()
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
    """The text of a device string or a ``tf.DeviceSpec``."""
    return device if isinstance(device, str) else device.to_string()


class DeviceSpec:
    """A device, known in part.

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
        self.replica = replica
        self.task = task
        self.device_type = None if device_type is None else device_type.upper()
        self.device_index = device_index

    @classmethod
    def from_string(cls, spec: str) -> "DeviceSpec":
        """The device that ``spec`` names. Raises ValueError if it is no device string."""
        parts = {kind: text.split(":", 1)[-1] for kind, text in parse(spec).items()}
        result = cls(job=parts.get("job"))
        result.replica = int(parts["replica"]) if "replica" in parts else None
        result.task = int(parts["task"]) if "task" in parts else None
        if "device" in parts:
            text = parse(spec)["device"][1:].removeprefix("device:")
            kind, _, index = text.partition(":")
            result.device_type = kind.upper()
            result.device_index = int(index) if index.isdigit() else None
        return result

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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(self.to_string())
