"""Labs in Python: which module a file replaces, and the overlay that does it.

The files of a lab that end in ``.py`` replace modules of the package by an overlay
(``overlay.py``), as its files in C++ replace objects when a library is linked.
"""

import ast
import json
from dataclasses import asdict, replace
from pathlib import Path

from minitf_lab import project, texts
from minitf_lab.judge import regions
from minitf_lab.judge.overlay import Unit

TOP = "python/"
PACKAGES = (f"{TOP}minitf/", f"{TOP}minitf_wrap/")  # whose modules labs replace
START = '''"""Puts the overlay in this folder in front of the package. Made by ./lab."""

import importlib.machinery
import sys
import traceback
from pathlib import Path

from minitf_lab.judge import overlay

folder = Path(__file__).resolve().parent
try:
    overlay.install(folder)
except Exception:
    traceback.print_exc()
    # Without it, the tests would be run on the package's own files.
    raise SystemExit(f"{folder}: this overlay cannot be used") from None
# The file of this name that Python would have found without this one.
others = [entry for entry in sys.path if Path(entry).resolve() != folder]
spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
if spec is not None:
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
'''


def module_of(file: str) -> str:
    """The name of the module that ``file`` is.

    Raises:
        LabError: it is not a module of ``PACKAGES``.

    >>> module_of("python/minitf/training/optimizers.py")
    'minitf.training.optimizers'
    """
    if not file.startswith(PACKAGES) or file.endswith("/__init__.py"):
        known = " or ".join(PACKAGES)
        raise project.LabError(f"{file}: a lab replaces modules of {known}, no __init__")
    return file.removeprefix(TOP).removesuffix(".py").replace("/", ".")


def _bound(node: ast.stmt) -> list[str]:
    """The names that a statement of a module defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign):
        targets = [node.target]
    return [
        name.id
        for target in targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    ]


def names_of(source: str) -> list[str]:
    r"""What a module defines for others: its functions, classes and variables.

    >>> names_of("import os\na, b = 1, 2\n_c = 3\ndef f():\n  d = 4")
    ['a', 'b', 'f']
    """
    names = [name for node in ast.parse(source).body for name in _bound(node)]
    return [name for name in dict.fromkeys(names) if not name.startswith("_")]


def unit_of(lab: project.Lab, file: str, used: Path) -> Unit:
    """``file`` of the framework, replaced by ``used``."""
    reference = lab.unit(file)
    return Unit(
        lab=lab.number,
        module=file.removesuffix(".py") if lab.is_own else module_of(file),
        file=str(used),
        place=project.shown(used),
        reference=str(reference),
        names=names_of(texts.read(project.marked(lab, file))),
    )


def write_overlay(folder: Path, units: list[Unit], *, is_guarded: bool) -> None:
    """Makes ``folder`` an overlay; if it is guarded, replaced files are not opened."""
    folder.mkdir(parents=True, exist_ok=True)
    description = {"is_guarded": is_guarded, "units": [asdict(unit) for unit in units]}
    (folder / "overlay.json").write_text(json.dumps(description, indent=1))
    (folder / "sitecustomize.py").write_text(START)


def _copied(
    unit: Unit,
    folder: Path,
    task: str = "",
    others: list[list[regions.Other]] | None = None,
) -> Unit:
    """A unit whose file is a copy, in a folder of its own: nothing else is beside it.

    All regions but those of ``task`` hold ``others``, the framework's answers, if given.

    Raises:
        LabError: the file cannot be read as text.
    """
    try:
        text = texts.read(Path(unit.file), unit.place)
    except (OSError, ValueError) as error:
        raise project.LabError(f"{unit.place} cannot be read: {error}") from error
    if others is not None:
        text = regions.leave_one(text, others, task)
    copy = folder / "files" / unit.module / Path(unit.file).name
    project.put(copy, text)
    return replace(unit, file=str(copy))


def overlay_of(
    lab: project.Lab,
    files: dict[str, Path],
    folder: Path,
    others: dict[str, list[list[regions.Other]]] | None = None,
) -> Path:
    """Writes the overlay that tests ``files`` into ``folder``, for PYTHONPATH.

    Beside the answers in the regions of each file stand ``others``; if these are not
    given, the framework's own.
    """
    units = []
    for file in lab.python_files:
        unit = _copied(unit_of(lab, file, files[file]), folder)
        found = (others or {}).get(file)
        if found is None:
            found = regions.answers_of(texts.read(Path(unit.reference)))
        fields = [[asdict(other) for other in one] for one in found]
        units.append(replace(unit, others=fields))
    write_overlay(folder, units, is_guarded=True)
    return folder


def overlay_alone(
    lab: project.Lab, files: dict[str, Path], folder: Path, task: str
) -> Path:
    """Writes the overlay that gives marks to ``files`` into ``folder``, for PYTHONPATH.

    No answer of the framework stands beside the student's, so the code that is tested
    cannot take one. The files are copies. If ``task`` is given, all regions but those of
    this task are the framework's, or are not written if the task does not use them.

    Raises:
        LabError: a file cannot be read as text.
    """
    units = []
    for file in lab.python_files:
        others = None
        if task:
            reference = texts.read(lab.unit(file))
            others = regions.answers_of(reference, lab.helpers(task))
        units.append(_copied(unit_of(lab, file, files[file]), folder, task, others))
    write_overlay(folder, units, is_guarded=True)
    return folder


def overlay_of_answers(chosen: str) -> Path | None:
    """Writes the overlay for ``MINITF_LAB=NN ./lab python``: answers as far as begun.

    Args:
        chosen: Numbers, such as "06" or "06;12", or "all".

    Returns:
        Its folder; None if these labs have no Python.
    """
    labs = project.all_labs()
    if chosen != "all":
        labs = [project.find_lab(number) for number in chosen.split(";")]
    units = [
        unit_of(
            lab, file, (lab.work if lab.work.exists() else lab.starter) / Path(file).name
        )
        for lab in labs
        for file in lab.python_files
    ]
    if not units:
        return None
    folder = project.ROOT / ".lab" / "answers"
    write_overlay(folder, units, is_guarded=False)
    return folder
