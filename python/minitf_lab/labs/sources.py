"""The files of an answer: the names they may have, and their text.

A file in C++ may end in ``.cpp``, and a module in Python may be a notebook.
``./lab test`` runs copies of exactly the files that are handed in, in a folder of their
own. It finds no other file beside them, and the grader finds none either.
"""

import ast
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from minitf_lab import project, texts

# Other endings of a submitted file, by the ending in lab.json.
OTHER_ENDINGS = {".cc": (".cpp", ".cxx"), ".py": (".ipynb",)}
ENDINGS = (".cc", ".cpp", ".cxx", ".cu", ".h", ".cuh", ".py", ".ipynb")
MAX_NOTEBOOK = 8 << 20  # bytes, with its pictures
# Magics that run the rest of their cell as Python.
TRANSPARENT = ("time", "timeit", "capture", "prun")
MAGIC = re.compile(r"\s*[%!?]|.*\?\s*$")


def names_of(name: str) -> list[str]:
    """The names that a submitted file may have; the lab's own name is the first.

    >>> names_of("mean.cc"), names_of("mean.h")
    (['mean.cc', 'mean.cpp', 'mean.cxx'], ['mean.h'])
    """
    path = Path(name)
    return [name, *(path.stem + end for end in OTHER_ENDINGS.get(path.suffix, ()))]


def find(name: str, has: Callable[[str], bool]) -> str:
    """Which of ``names_of`` is there; the lab's own name if none is.

    Raises:
        ValueError: there are several.
    """
    found = [one for one in names_of(name) if has(one)]
    if len(found) > 1:
        raise ValueError(f"there are {' and '.join(found)}: keep the one that counts")
    return found[0] if found else name


def text_of(name: str, data: bytes) -> str:
    """The source text of a submitted file; of a notebook, its cells in order.

    Raises:
        ValueError: the file is no text, or no notebook in Python.
    """
    text = texts.decode(data, name)
    return _code_of_notebook(text, name) if name.endswith(".ipynb") else text


def _code_of_notebook(text: str, name: str) -> str:
    """The code cells of a notebook as one module."""
    try:
        notebook = json.loads(text)
        sheets = notebook.get("worksheets") or [notebook]  # format 3 has worksheets
        cells = [
            _joined(cell.get("source", cell.get("input", "")))
            for sheet in sheets
            for cell in sheet["cells"]
            if cell["cell_type"] == "code"
        ]
        language = notebook.get("metadata", {}).get("kernelspec", {}).get("language")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{name}: it is no notebook: {error}") from error
    if language not in {None, "python"}:
        raise ValueError(f"{name}: the notebook is in {language!a:.40}, expected python")
    return "\n\n".join(map(_without_magics, cells)) + "\n"


def _joined(source: object) -> str:
    """A cell's source, which is a text or a list of lines."""
    joined = source if isinstance(source, str) else "".join(source)
    return joined.replace("\r\n", "\n")


def _without_magics(cell: str) -> str:
    r"""A cell with its magics and shell commands as comments.

    >>> _without_magics("%matplotlib inline\nx = 1")
    '# %matplotlib inline\nx = 1'
    """
    try:
        ast.parse(cell)
        return cell
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        lines = cell.split("\n")
    words = cell.split()
    first = words[0] if words else ""
    is_foreign = first.startswith("%%") and first[2:] not in TRANSPARENT
    return "\n".join(
        f"# {line}" if is_foreign or MAGIC.match(line) else line for line in lines
    )


def take_work(lab: project.Lab, into: Path) -> dict[str, Path]:
    """Copies the files of ``work/NN_name`` that are handed in, as UTF-8.

    The folder ``into`` is written anew. The copies lie in ``work/NN_name`` below it.

    Returns:
        The copy of each file of the lab.

    Raises:
        LabError: there is no work, or a file is missing, a link, or no text.
    """
    if not lab.work.exists():
        raise project.LabError(f"nothing to test yet: run ./lab start {lab.called}")
    shutil.rmtree(into, ignore_errors=True)
    taken = {}
    for file in lab.files:
        name = Path(file).name
        taken[file] = into / project.shown(lab.work) / name
        try:
            path = lab.work / find(name, lambda one: os.path.lexists(lab.work / one))
            project.put(taken[file], _own_text(path, lab.starter / name))
        except (ValueError, OSError) as error:
            raise project.LabError(f"{project.shown(lab.work)}: {error}") from error
    return taken


def _own_text(path: Path, starter: Path) -> str:
    """The text of a student's file.

    Raises:
        LabError: it is missing or a link.
        ValueError: it is no text.
    """
    place = project.shown(path)
    if path.is_symlink():
        raise project.LabError(f"{place} is a link; an answer is a file of its own")
    if not path.is_file():
        begin = project.shown(starter)
        raise project.LabError(f"{place} is missing: begin with a copy of {begin}")
    text = text_of(path.name, path.read_bytes())
    return text.replace("\r\n", "\n").replace("\r", "\n")
