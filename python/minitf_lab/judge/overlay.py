"""The overlay: files of a student in front of modules of the package.

A lab whose unit is ``python/minitf/training/optimizers.py`` is run with the student's
``optimizers.py`` as the module ``minitf.training.optimizers``. The package is not
touched: ``install`` puts a finder before Python's own, which knows a few modules by name
and leaves all others to Python. So whoever imports the module, from wherever and in
whatever order, has the student's file, and the file's own relative imports are those of
the package.

An overlay is a folder with two files, which ``python_units.py`` writes:

    overlay.json       the modules, and the files that take their places
    sitecustomize.py   installs the overlay in every Python that has the folder in its
                       path, so also in those that a test starts

This module imports as little as it can: it runs first in each of these processes.
"""

import importlib.machinery
import importlib.util
import json
import os
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType, ModuleType


@dataclass(frozen=True)
class Unit:
    """A module, and the file that takes its place.

    Attributes:
        lab: Number of the lab, such as "06".
        module: Such as "minitf.training.optimizers".
        file: The file that is used.
        place: The same file, from the top folder.
        reference: The package's own file.
        names: What the package's own file defines for others.
        others: Other answers to each marked region, as the fields of ``regions.Other``;
            empty if only what the file says is used.
    """

    lab: str
    module: str
    file: str
    place: str
    reference: str
    names: list[str]
    others: list[list[dict]] = field(default_factory=list)


_answered = "all"


def use_answer(task: str) -> None:
    """Has the student's answer used for one task, for "all", or for none if empty."""
    global _answered
    _answered = task


def uses_reference(task: str) -> bool:
    """Whether the package's own answer to ``task`` is to be used."""
    return _answered not in {"all", task}


class _Loader(importlib.machinery.SourceFileLoader):
    """Runs a file as a module, and says which file it was if that fails."""

    def __init__(self, unit: Unit) -> None:
        super().__init__(unit.module, unit.file)
        self._unit = unit

    def get_code(self, fullname: str) -> CodeType:
        """Compiles the file as it is now.

        Python would take a ``.pyc`` that is as old, to the second, and was made of as
        many bytes: an answer may be changed twice within a second.
        """
        # As text: a comment cannot choose another encoding than practice has.
        source = self.get_data(self.path).decode("utf-8-sig")
        if not self._unit.others:
            return self.source_to_code(source, self.path)
        from minitf_lab.judge import regions  # not needed by most processes

        others = [[regions.Other(**one) for one in found] for found in self._unit.others]
        tree = regions.compose_python(source, others, self.path)
        return compile(tree, self.path, "exec")

    def exec_module(self, module: ModuleType) -> None:
        """Runs the file.

        Raises:
            ImportError: it lacks a name that the package's own file has.
        """
        unit = self._unit
        module.__dict__["_uses_reference"] = uses_reference
        try:
            super().exec_module(module)
        except Exception as error:
            error.add_note(
                f"lab {unit.lab}: {unit.place} takes the place of {unit.module}"
            )
            raise
        missing = [name for name in unit.names if not hasattr(module, name)]
        if missing:
            raise ImportError(
                f"lab {unit.lab}: {unit.place} lacks {', '.join(missing)}, which the "
                f"rest of minitf expects in {unit.module}",
                name=unit.module,
                path=unit.file,
            )


class _Finder:
    """Finds the modules of the overlay; the others are left to Python's own finders."""

    def __init__(self, units: list[Unit]) -> None:
        self.units = {unit.module: unit for unit in units}

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        """What ``import fullname`` asks first."""
        unit = self.units.get(fullname)
        if unit is None:
            return None
        return importlib.util.spec_from_file_location(
            fullname, unit.file, loader=_Loader(unit)
        )


def kept_in(reference: str) -> list[str]:
    """The files that a module may be read from: source, cache, or bytecode alone."""
    return [reference, importlib.util.cache_from_source(reference), f"{reference}c"]


def _forbid_reading(units: list[Unit]) -> None:
    """Refuses, for as long as this process lives, to open what the files replace.

    A file that runs the package's version of itself is no answer. This catches whoever
    does so by mistake; a course that gives marks reads the files as well.
    """
    forbidden = {}
    for unit in units:
        if unit.file == unit.reference:
            continue  # it takes its own place
        for path in kept_in(unit.reference):
            forbidden[os.path.realpath(path)] = unit
    names = {os.path.basename(path) for path in forbidden}

    def watch(event: str, args: tuple) -> None:
        if event != "open" or not isinstance(args[0], str | bytes):
            return
        path = os.fsdecode(args[0])
        if os.path.basename(path) not in names:
            return
        unit = forbidden.get(os.path.realpath(path))
        if unit is not None:
            raise ImportError(
                f"lab {unit.lab}: an answer does not read {unit.module}, the module that "
                f"it replaces: {unit.place} is all there is of it",
                name=unit.module,
                path=unit.file,
            )

    sys.addaudithook(watch)


# Events of Python by which data become code.
MAKES_CODE = {"marshal.loads", "marshal.load", "code.__new__", "function.__new__"}


def _has_own_path(frame: FrameType) -> bool:
    """Whether a frame of ``get_code`` reads the file that its loader names."""
    loader = frame.f_locals.get("self")
    own = (_Loader, importlib.machinery.SourceFileLoader)
    own += (importlib.machinery.SourcelessFileLoader,)
    return type(loader) in own and vars(loader).keys() <= {"name", "path", "_unit"}


def _forbid_bytecode(units: list[Unit], folder: str) -> None:
    """Refuses code that is made of data, but for imports from Python's own folders.

    A release hands out minitf's own answers as bytecode, which is no answer. Code of the
    standard library may make code while it is imported.
    """
    here = {os.path.realpath(folder), os.getcwd()}
    known = (os.path.abspath(path) for path in sys.path if path)
    trusted = tuple(f"{path}{os.sep}" for path in known if path not in here)

    def is_trusted(file: object) -> bool:
        path = os.path.normpath(file) if isinstance(file, str) else ""
        return path.startswith(trusted) and "zip" not in os.path.splitext(path)[1]

    def is_allowed(frame: FrameType | None) -> bool:
        is_behind = False  # whether code of a module that is imported comes before
        while frame:
            file, name = frame.f_code.co_filename, frame.f_code.co_name
            if file.startswith("<frozen importlib"):
                if name == "get_code":
                    path = getattr(frame.f_locals.get("self"), "path", None)
                    return _has_own_path(frame) and is_trusted(path)
                if name == "exec_module" and is_behind:
                    return True
            elif is_trusted(file) or file.startswith("<frozen runpy"):
                is_behind = True
            else:
                return False
            frame = frame.f_back
        return True

    def watch(event: str, args: tuple) -> None:
        is_code = event in MAKES_CODE
        if event == "object.__setattr__":
            is_code = args[1] == "__code__"
        elif event == "compile":  # under the name of a file that is trusted
            is_code = is_trusted(args[1]) or str(args[1]).startswith("<frozen")
        if is_code and not is_allowed(sys._getframe(1)):
            raise PermissionError(
                f"lab {units[0].lab}: an answer does not make code of data ({event})"
            )

    sys.addaudithook(watch)


def install(folder: str | Path) -> list[Unit]:
    """Puts the overlay in ``folder`` in front, unless it is there already.

    Raises:
        RuntimeError: one of its modules is imported already.
    """
    description = json.loads((Path(folder) / "overlay.json").read_text())
    units = [Unit(**unit) for unit in description["units"]]
    installed = [finder for finder in sys.meta_path if isinstance(finder, _Finder)]
    if any([*finder.units.values()] == units for finder in installed):
        return units
    for unit in units:
        if unit.module in sys.modules:
            raise RuntimeError(f"{unit.module} is imported already, before the overlay")
    sys.meta_path.insert(0, _Finder(units))
    if description["is_guarded"]:
        _forbid_reading(units)
        _forbid_bytecode(units, str(folder))
    return units


def installed_units() -> list[Unit]:
    """The units of every overlay of this process."""
    finders = [finder for finder in sys.meta_path if isinstance(finder, _Finder)]
    return [unit for finder in finders for unit in finder.units.values()]


def explain(error: BaseException, units: list[Unit]) -> str:
    """Why the modules cannot be imported: the lab, the file and its line, if it has one.

    >>> unit = Unit("06", "minitf.x", "/top/work/06/x.py", "work/06/x.py", "", [])
    >>> try:
    ...     _ = compile("a = (", unit.file, "exec")
    ... except SyntaxError as error:
    ...     print(explain(error, [unit]))
    lab 06: work/06/x.py, line 1: SyntaxError: '(' was never closed
        a = (
    """
    by_file = {unit.file: unit for unit in units}
    frames = [
        (frame.filename, frame.lineno, frame.line)
        for frame in traceback.extract_tb(error.__traceback__)
    ]
    sentence = f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError):
        frames.append((error.filename, error.lineno, error.text))
        sentence = f"{type(error).__name__}: {error.msg}"
    for file, line, text in reversed(frames):
        if file in by_file:
            unit = by_file[file]
            shown = f"\n    {text.strip()}" if text else ""
            return f"lab {unit.lab}: {unit.place}, line {line}: {sentence}{shown}"
    if str(error).startswith("lab "):
        return str(error)
    return "".join(traceback.format_exception(error))
