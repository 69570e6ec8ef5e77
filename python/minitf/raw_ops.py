"""``tf.raw_ops``: one Python function for each op that is registered in C++.

A function is made from the op's definition when it is first asked for, so its name,
arguments, defaults and documentation cannot differ from that, and an op that is loaded
later (``tf.load_op_library``) is there at once:

>>> import minitf as tf
>>> with tf.Graph().as_default():
...     print(tf.raw_ops.MatMul(a=[[3.0, 3.0]], b=[[2.0], [2.0]]))
Tensor("MatMul:0", shape=(1, 1), dtype=float32)
>>> tf.raw_ops.MatMul.__signature__
<Signature (*, a, b, transpose_a=False, transpose_b=False, name=None)>

Arguments are given by name only, as in TensorFlow.

``raw_ops.pyi``, which the build makes of the registry, says the same to editors.

Compare: tensorflow/python/framework/python_op_gen.cc, which writes these functions out as
source text. Read next: ``ops/math_ops.py``.
"""

from minitf import _minitf
from minitf.framework import op_functions as _op_functions

# An op may have any name, such as Any: so no other name may stand here.


def __getattr__(name: str) -> _op_functions.RawOpFunction:
    if name.startswith("__") or not _minitf.has_op(name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _op_functions.raw_function_of(name)


def __dir__() -> list[str]:
    return _minitf.op_names()
