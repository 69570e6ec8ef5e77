"""``tf.version``: which TensorFlow minitf follows, and what it was built with.

Compare: tensorflow/python/framework/versions.py. Read next: ``tf_logging.py``.
"""

from minitf import _minitf

# minitf has the API of this version. Programs compare it: ``tf.VERSION >= "1.4"``.
VERSION = "1.15.0"
MINITF_VERSION = "0.1.0"
GIT_VERSION = f"v{VERSION}-minitf-{MINITF_VERSION}"
COMPILER_VERSION = _minitf.COMPILER_VERSION
CXX11_ABI_FLAG = 1
MONOLITHIC_BUILD = 0
