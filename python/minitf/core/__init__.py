"""Names that TensorFlow's users import from below ``tensorflow.core``.

Read next: ``protobuf/rewriter_config_pb2.py``.
"""
