"""Names that TensorFlow's users import from ``tensorflow.python.client``.

Read next: ``device_lib.py``.
"""
