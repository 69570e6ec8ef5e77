"""``minitf.debug``: stops a step at nodes, and shows what tensors hold.

>>> import minitf as tf
>>> from minitf import debug
>>> with tf.Graph().as_default(), tf.Session() as session:
...     x = tf.constant(3.0, name="x")
...     y = tf.square(x, name="y")
...     debugger = debug.Debugger(session)
...     stop = debugger.start(y - 1.0, breakpoints=["y"])
...     print(stop)
...     print(debugger.step().reason, debugger.value("y:0"))
...     _ = debugger.resume()
...     print(debugger.result)
before y (Square): breakpoint
step 9.0
8.0

Read next: ``debugger.py``.
"""

from minitf.contrib.debug.cli import DebugShell, LocalCLIDebugWrapperSession
from minitf.contrib.debug.debugger import Debugger, Stop
from minitf.contrib.debug.filters import has_inf_or_nan
from minitf.contrib.debug.picture import step_dot, step_svg

__all__ = [
    "DebugShell",
    "Debugger",
    "LocalCLIDebugWrapperSession",
    "Stop",
    "has_inf_or_nan",
    "step_dot",
    "step_svg",
]
