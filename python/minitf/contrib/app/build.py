"""``tf.sysconfig``: what the compiler of a library with new ops needs.

Compare: tensorflow/python/platform/sysconfig.py. Read next:
``contrib/legacy/__init__.py``.
"""

from pathlib import Path

from minitf import _minitf
from minitf.framework.errors import NotFoundError
from minitf.platform.versions import CXX11_ABI_FLAG


def get_include() -> str:
    """The folder of the headers of C++, such as ``minitf/framework/op.h``.

    Raises:
        errors.NotFoundError: minitf was installed without its sources.
    """
    for folder in Path(__file__).parents:
        if (folder / "minitf" / "framework" / "op.h").exists():
            return str(folder)
    raise NotFoundError(
        None,
        None,
        "get_include: minitf is installed without its C++ headers; they are in its "
        "source repository",
    )


def get_lib() -> str:
    """The folder of ``libminitf.so``."""
    return str(Path(_minitf.__file__).parent)


def get_compile_flags() -> list[str]:
    """The options with which a file of C++ finds the headers."""
    abi = f"-D_GLIBCXX_USE_CXX11_ABI={CXX11_ABI_FLAG}"
    return [f"-I{get_include()}", abi, "-std=c++20"]


def get_link_flags() -> list[str]:
    """The options with which a library is linked to minitf."""
    return [f"-L{get_lib()}", "-l:libminitf.so"]
