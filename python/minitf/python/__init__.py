"""``minitf.python``: the rooms, under the paths by which TensorFlow's users import them.

>>> from minitf.python.client import device_lib, timeline
>>> from minitf.python.framework import graph_util

What is imported here is the module itself under a second name, not a copy.

Compare: tensorflow/python/__init__.py. Read next: ``client/timeline.py``.
"""

import sys
from importlib import import_module

_ROOT = "minitf."

# These are imported by no other module.
for _name in ("client.device_lib", "client.timeline"):
    import_module(_ROOT + _name)

for _name, _module in [*sys.modules.items()]:
    if _name.startswith(_ROOT) and _module.__name__ == _name:
        sys.modules[f"{__name__}.{_name.removeprefix(_ROOT)}"] = _module
