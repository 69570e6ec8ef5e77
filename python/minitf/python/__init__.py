"""Names that TensorFlow's users import from below ``tensorflow.python``.

Read next: ``client/device_lib.py``.
"""
