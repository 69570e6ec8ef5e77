"""Graphs in files: ``tf.train.write_graph``.

Compare: tensorflow/python/framework/graph_io.py. Read next: ``graph_util.py``.
"""

import os
from typing import Any

from minitf.platform import gfile
from minitf.util.arguments import require


def write_graph(
    graph_or_graph_def: Any, logdir: str, name: str, as_text: bool = True
) -> str:
    """Writes a graph to the file ``logdir/name``, whose path is returned.

    Args:
        graph_or_graph_def: a ``tf.Graph``, or its ``GraphDef``.
        logdir: the folder, which is made if it is not there.
        name: of the file.
        as_text: whether to write text, or bytes, which are smaller and faster to read.

    Raises:
        errors.OpError: the file cannot be written: NotFoundError, PermissionDeniedError.
    """
    message = graph_or_graph_def
    if hasattr(message, "as_graph_def"):
        message = message.as_graph_def()
    require(message, "SerializeToString", "tf.io.write_graph", "a graph or a GraphDef")
    gfile.makedirs(logdir)
    path = os.path.join(logdir, name)
    if as_text:
        from google.protobuf import text_format

        data = text_format.MessageToString(message).encode()
    else:
        data = message.SerializeToString(deterministic=True)
    # A reader sees the whole file or none of it.
    with gfile.GFile(path + ".tmp", "wb") as file:
        file.write(data)
    gfile.rename(path + ".tmp", path, overwrite=True)
    return path
