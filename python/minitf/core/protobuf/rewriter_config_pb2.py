"""``rewriter_config_pb2.RewriterConfig``: which passes rewrite a graph.

It is imported as in TensorFlow: ``from minitf.core.protobuf import rewriter_config_pb2``.

Compare: tensorflow/core/protobuf/rewriter_config.proto. Read next: ``client/session.py``.
"""

from minitf.framework import messages

RewriterConfig = messages.get("RewriterConfig")
