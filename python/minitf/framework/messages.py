"""Messages: ``tf.GraphDef``, ``tf.train.Example``, ``tf.Summary`` and the like.

They are protocol buffers, as in TensorFlow, with its fields and numbers: ``CopyFrom``,
``SerializeToString`` and ``google.protobuf.text_format`` do what they do there. The
classes are made from the descriptions that the C++ library holds (``minitf/protos``).

To import protobuf takes longer than to import minitf. So it happens when a message is
first touched, and no other file imports it.

Compare: tensorflow/core/framework/graph_pb2.py. Read next: ``graph_io.py``.
"""

from functools import cache
from typing import Any

from minitf import _minitf

PACKAGE = "minitf.proto"


@cache
def _pool() -> Any:
    """The descriptions: a pool of our own, which no other library can disturb."""
    from google.protobuf.descriptor_pool import DescriptorPool

    pool = DescriptorPool()
    for file in _minitf.proto_files():
        pool.AddSerializedFile(file)
    return pool


@cache
def get(name: str) -> type:
    r"""The class of the message called ``name``.

    >>> from minitf.framework import messages
    >>> messages.get("Feature")(int64_list={"value": [3]}).SerializeToString()
    b'\x1a\x03\n\x01\x03'
    """
    from google.protobuf.message_factory import GetMessageClass

    return GetMessageClass(_pool().FindMessageTypeByName(f"{PACKAGE}.{name}"))
