"""``device_lib.list_local_devices``: the devices of this process.

It is imported as in TensorFlow: ``from minitf.python.client import device_lib``. There is
the CPU, and there are GPUs: where no card is, they are emulated, which their
``physical_device_desc`` says. ``CUDA_VISIBLE_DEVICES`` hides them.

Compare: tensorflow/python/client/device_lib.py. Read next: ``framework/devices.py``.
"""

from typing import Any

from minitf import _minitf


class DeviceLocality:
    """How near a device is to others. Nothing is known of that."""

    bus_id = 0

    def __str__(self) -> str:
        return ""


class DeviceAttributes:
    """What a device says about itself.

    Attributes:
        name: such as ``/device:GPU:0``.
        device_type: ``CPU`` or ``GPU``.
        memory_limit: how many bytes may be in use there.
        locality: not known.
        incarnation: a number drawn anew for each list of devices.
        physical_device_desc: what it is in truth; empty for a CPU.
    """

    def __init__(
        self,
        name: str,
        device_type: str,
        memory_limit: int,
        incarnation: int,
        physical_device_desc: str,
    ):
        self.name = name
        self.device_type = device_type
        self.memory_limit = memory_limit
        self.locality = DeviceLocality()
        self.incarnation = incarnation
        self.physical_device_desc = physical_device_desc

    def __repr__(self) -> str:
        lines = [
            f'name: "{self.name}"',
            f'device_type: "{self.device_type}"',
            f"memory_limit: {self.memory_limit}",
            "locality {",
            "}",
            f"incarnation: {self.incarnation}",
        ]
        if self.physical_device_desc:
            lines.append(f'physical_device_desc: "{self.physical_device_desc}"')
        return "\n".join([*lines, ""])


def list_local_devices(session_config: Any = None) -> list[DeviceAttributes]:
    """The devices of this process.

    Args:
        session_config: a ConfigProto, whose ``device_count`` and ``gpu_options`` count.

    >>> list_local_devices()[0].name
    '/device:CPU:0'
    """
    config = b"" if session_config is None else session_config.SerializeToString()
    return [
        DeviceAttributes("/device:" + name.rpartition("/device:")[2], *attributes)
        for name, *attributes in _minitf.list_devices(config)
    ]
