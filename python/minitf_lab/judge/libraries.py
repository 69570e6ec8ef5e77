"""The library that files of a lab are linked into: the same for all of its files."""

import sysconfig
from collections.abc import Iterable
from pathlib import Path

from minitf_lab import project
from minitf_lab.judge.cuda_units import is_cuda

FRAMEWORK = "python/minitf/libminitf.so"
MODULE = f"python/minitf/_minitf{sysconfig.get_config_var('EXT_SUFFIX')}"
CARDS = "labs/gpu/libminitf_gpu_lab.so"
BINDINGS = "python/bindings/"


def headers_of_bindings() -> list[Path]:
    """Headers of minitf's binding to Python."""
    return sorted((project.ROOT / BINDINGS).glob("*.h"))


def is_module(library: Path) -> bool:
    """Whether a library is the Python module ``minitf._minitf``, or a variant of it."""
    return library.name == Path(MODULE).name


def library_of(units: Iterable[str]) -> str:
    """The library that files of minitf are linked into, from the build's folder.

    Raises:
        LabError: they do not all belong to the same one.

    >>> library_of(["minitf/tensor/shape.cc"])
    'python/minitf/libminitf.so'
    """

    def library(unit: str) -> str:
        if is_cuda(unit):
            return CARDS
        return MODULE if unit.startswith(BINDINGS) else FRAMEWORK

    found = {library(unit): unit for unit in units}
    if len(found) > 1:
        first, second, *_ = found.values()
        raise project.LabError(
            "a lab replaces files in CUDA, in C++ or of the Python module, not of two: "
            f"{first} and {second}"
        )
    return next(iter(found), FRAMEWORK)
