"""Names that TensorFlow's users import from ``tensorflow.core.protobuf``.

Read next: ``rewriter_config_pb2.py``.
"""
