"""Files of labs in CUDA: the library that they are linked into, and the C++ made of them.

They are compiled for check mode of the emulator (docs/simt.md), so no GPU is needed. The
library is ``minitf_gpu_lab`` of ``cmake/gpu_lab.cmake``: such files, the emulator, and
nothing of minitf.
"""

import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from minitf_lab import project

FRAMEWORK = "python/minitf/libminitf.so"
CARDS = "labs/gpu/libminitf_gpu_lab.so"
TRANSLATOR = Path("kernels") / "simt" / "cu2cpp.py"


def is_cuda(unit: str | Path) -> bool:
    """Whether a file is compiled for the emulator."""
    return str(unit).endswith(".cu")


def library_of(units: Iterable[str]) -> str:
    """The library that files of minitf are linked into, from the build's folder.

    Raises:
        LabError: they do not all belong to the same one.
    """
    kinds = {is_cuda(unit) for unit in units}
    if len(kinds) > 1:
        raise project.LabError("a lab replaces files in CUDA or in C++, not both")
    return CARDS if kinds == {True} else FRAMEWORK


def _place(text: str, number: int) -> str:
    """What a compiler would call line ``number`` of ``text``.

    >>> _place('a\\n#line 7 "work/x.cu"\\nb\\nc', 4)
    'work/x.cu:8:1'
    """
    name, shift = "", 0
    for i, line in enumerate(text.split("\n")[:number], 1):
        if found := re.match(r'#line (\d+) "(.*)"', line):
            name, shift = found[2], int(found[1]) - i - 1
    return f"{name}:{number + shift}:1"


def as_cpp(text: str, target: Path, run: Callable[[list[str], Path], str]) -> str:
    """The C++ of a text in CUDA.

    Args:
        text: The text.
        target: The C++ file that it is for; the text is left beside it.
        run: Runs a program in a folder, with limits.

    Raises:
        BuildError: a launch in it is not complete.
    """
    source = target.with_suffix("")
    project.put(source, text)
    translator = str(project.ROOT / TRANSLATOR)
    try:
        run([sys.executable, "-I", translator, str(source), str(target)], target.parent)
    except project.BuildError as error:
        found = re.match(rf"{re.escape(str(source))}:(\d+): (.*)", error.said)
        if not found:
            raise
        said = f"{_place(text, int(found[1]))}: error: {found[2]}"
        raise project.BuildError(said, said) from error
    return target.read_text()
