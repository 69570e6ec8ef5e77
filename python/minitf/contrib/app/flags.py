"""``tf.flags``: arguments of the command line.

The module has the names of ``absl.flags``. Two things differ, as in TensorFlow 1.15. The
functions that define a flag also take the older names of their arguments. ``FLAGS`` reads
``sys.argv`` when a program reads the first flag, unless ``tf.app.run`` did it before.

Compare: tensorflow/python/platform/flags.py. Read next: ``entry.py``.
"""

import sys
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from absl import app as _app  # noqa: F401  defines its flags before the program does
from absl import flags as _absl
from absl.flags import *  # noqa: F403

from minitf.platform import tf_logging

__all__ = sorted({*_absl.__all__, "FLAGS", "DEFINE_bool"})

# The module itself, which is ``tf.flags`` and ``tf.app.flags``.
flags = sys.modules[__name__]

# Flags belong to the module that calls DEFINE_string, not to this one.
_absl.disclaim_key_flags()

_OLDER_NAMES = {"flag_name": "name", "default_value": "default", "docstring": "help"}


def _with_older_names(define: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(define)
    def function(*args: Any, **kwargs: Any) -> Any:
        older = _OLDER_NAMES.keys() & kwargs.keys()
        if older:
            tf_logging.warning(
                "%s: the arguments flag_name, default_value and docstring are "
                "deprecated: use name, default and help instead",
                define.__name__,
            )
        renamed = {_OLDER_NAMES[key]: kwargs.pop(key) for key in older}
        return define(*args, **renamed, **kwargs)

    return function


DEFINE_string = _with_older_names(_absl.DEFINE_string)
DEFINE_boolean = _with_older_names(_absl.DEFINE_boolean)
DEFINE_bool = DEFINE_boolean
DEFINE_float = _with_older_names(_absl.DEFINE_float)
DEFINE_integer = _with_older_names(_absl.DEFINE_integer)


class _FlagsOfProgram:
    """``absl.flags.FLAGS``, which reads ``sys.argv`` before it gives the first flag.

    Raises:
        absl.flags.UnrecognizedFlagError: the command line has an unknown flag.
        AttributeError: no flag has this name.
    """

    def __getattr__(self, name: str) -> Any:
        if name in _absl.FLAGS and not _absl.FLAGS.is_parsed():
            _absl.FLAGS(sys.argv)
        return getattr(_absl.FLAGS, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(_absl.FLAGS, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_absl.FLAGS, name)

    def __getitem__(self, name: str) -> Any:
        return _absl.FLAGS[name]

    def __setitem__(self, name: str, flag: Any) -> None:
        _absl.FLAGS[name] = flag

    def __iter__(self) -> Iterator[str]:
        return iter(_absl.FLAGS)

    def __len__(self) -> int:
        return len(_absl.FLAGS)

    def __contains__(self, name: str) -> bool:
        return name in _absl.FLAGS

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _absl.FLAGS(*args, **kwargs)

    def __dir__(self) -> list[str]:
        return dir(_absl.FLAGS)

    def __str__(self) -> str:
        return str(_absl.FLAGS)


FLAGS = _FlagsOfProgram()


def __dir__() -> list[str]:
    return __all__
