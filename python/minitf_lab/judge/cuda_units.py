"""Files of labs in CUDA: what they are compiled by, and the C++ made of them.

They are compiled for check mode of the emulator (docs/simt.md), so no GPU is needed. The
library is ``minitf_gpu_lab`` of ``cmake/gpu_lab.cmake``: such files, the emulator, and
nothing of minitf.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path

from minitf_lab import project
from minitf_lab.judge.regions import LAB_INCLUDE

# Not optimized: that would take accesses away, also wrong ones.
FLAGS = ("-Werror=return-type", "-Wno-unused", "-Wno-attributes", "-Wno-unknown-pragmas")
TRANSLATOR = Path("kernels") / "simt" / "cu2cpp.py"


def is_cuda(unit: str | Path) -> bool:
    """Whether a file is compiled for the emulator."""
    return str(unit).endswith(".cu")


def _place(text: str, number: int) -> str:
    r"""What a compiler would call line ``number`` of ``text``.

    >>> _place('a\n#line 7 "work/x.cu"\nb\nc', 4)
    'work/x.cu:8:1'
    """
    name, shift = "", 0
    for i, line in enumerate(text.split("\n")[:number], 1):
        if found := re.match(r'#line (\d+) "(.*)"', line):
            name, shift = found[2], int(found[1]) - i - 1
    return f"{name}:{number + shift}:1"


def translate(
    text: str, source: Path, run: Callable[[list[str], Path], str]
) -> tuple[Path, str]:
    """The file in C++ for a text in CUDA, and what stands in it.

    Args:
        text: The text. Of what stands before its first ``#line`` only the header for
            labs is kept: ``assert`` in a kernel is the emulator's.
        source: Where it is left.
        run: Runs a program in a folder, with limits.

    Raises:
        BuildError: a launch in it is not complete.
    """
    target = source.with_name(f"{source.name}.cc")
    head, mark, rest = text.partition("#line")
    kept = f"{LAB_INCLUDE}\n" if LAB_INCLUDE in head else ""
    text = f"{kept}{mark}{rest}"
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
    return target, target.read_text()
