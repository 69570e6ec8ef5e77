"""Labs whose files are an instructor's own, and not the framework's.

    50_my_lab/
      lab.json             "files": ["running_mean.cc"]
      README.md            what to do
      reference/           the right answers, with marks as in minitf
      starter/             what is handed out: ./lab gen makes it of the marks; and given
                           headers
      driver.cc            a module of Python for the cases to call, by pybind11; or
      driver.py            functions for the cases to call; or both
      cases.py
      faults.txt           wrong answers
      honest/NAME/         other right answers

A module in Python is imported by the driver under its plain name. Files in C++ and CUDA
are compiled with ``driver.cc`` and linked into one module of Python, ``lab_50_driver``.
What is compiled of the driver is kept by what it is made of: a hand-in without headers
has the driver of all others.
"""

import functools
import itertools
import os
import re
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from minitf_lab import contents, cuda, messages, project
from minitf_lab.judge import regions, variant
from minitf_lab.judge.compile_box import check_includes, headers
from minitf_lab.judge.libraries import headers_of_bindings
from minitf_lab.judge.sandbox import Box
from minitf_lab.labs import machine, python_units
from minitf_lab.labs.answers import without_marks
from minitf_lab.results import plain

# Whose flags are taken: it is compiled as a module of Python that uses minitf.
MODEL = "python/bindings/numpy_bridge.cc"
# A warning is shown and costs nothing, however minitf itself is built.
DROPPED = re.compile(r"-O\d|-D\w+_EXPORTS|-Winvalid-pch|-MD|-Wno-.*|-Werror|--param=.*")
DROPPED_PAIRS = {"-include", "-MT", "-MF"}


class SeamError(project.BuildError):
    """The driver and an answer do not fit together: either may be at fault."""


@dataclass(frozen=True)
class Built:
    """What was made of the files of an answer.

    Attributes:
        folders: For PYTHONPATH.
        whole: Files that have lost the exercise's marks.
        warnings: What the compiler said.
        objects: What was made of each file in C++ or CUDA.
    """

    folders: tuple[Path, ...]
    whole: tuple[str, ...]
    warnings: str
    objects: dict[str, Path]


@functools.cache
def _flags() -> tuple[str, ...]:
    """How a module is compiled that may use minitf."""
    words = contents.compile_flags("release")[str(project.ROOT / MODEL)]
    kept: list[str] = []
    skip = False
    for word in words:
        if not skip and word not in DROPPED_PAIRS and not DROPPED.fullmatch(word):
            kept.append(word)
        skip = word in DROPPED_PAIRS and not skip
    return (*kept, *variant.FLAGS)


def _given(lab: project.Lab) -> list[Path]:
    """Headers that are handed out, and are no part of an answer."""
    found = sorted([*lab.starter.glob("*.h"), *lab.starter.glob("*.cuh")])
    return [path for path in found if path.name not in lab.files]


class _Build:
    """One answer in C++ on its way to a module, which is made in ``folder``."""

    def __init__(
        self, lab: project.Lab, folder: Path, box: Box | None, flags: tuple[str, ...]
    ) -> None:
        self._lab, self._folder, self._box, self._more = lab, folder, box, flags
        self._source, self._given = folder / "source", folder / "given"
        self._beside = folder / "driver"
        # Nothing of another answer, such as a header, is left. The lab's own files are
        # copied: not everybody may enter its folder.
        for made in (self._source, self._given, self._beside):
            shutil.rmtree(made, ignore_errors=True)
            made.mkdir(parents=True)
        for path in _given(lab):
            shutil.copyfile(path, self._given / path.name)
        for path in [lab.home / "driver.cc", *lab.home.glob("*.h")]:
            shutil.copyfile(path, self._beside / path.name)
        self._sources: dict[str, str] = {}
        self.said: list[str] = []

    def write(self, file: str, answer: Path, task: str) -> None:
        """Puts a file of the answer where it is compiled."""
        unit = str(self._lab.unit(file))
        text = variant.compose_alone(answer, unit, task, self._lab.helpers(task))[0]
        project.put(self._source / file, text)
        self._sources[project.shown(answer)] = answer.read_text()

    def _run(self, command: list[str], target: Path, read: list[Path]) -> str:
        """Has a tool make ``target``; what it said, but for what Python will define.

        Raises:
            BuildError: it was not content.
        """
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            said = variant.run(command, target, read, self._folder, self._box)
            return messages.without_python(said)
        except project.BuildError as error:
            said = messages.without_python(error.said)
            for place in (self._source, self._given, self._beside):
                said = said.replace(f"{place}/", "")
            twice = messages.names_after(
                "multiple definition of", messages.lines_of(said)
            )
            if names := [name.partition("'")[0] for name in twice]:
                text = _listed("your files define what is there already", names)
            else:
                text = messages.student_messages(said, self._sources)
            raise project.BuildError(text, said, error.verdict) from error

    def _headers(self) -> list[Path]:
        """Those of the answer."""
        return sorted([*self._source.glob("*.h"), *self._source.glob("*.cuh")])

    def _compile(
        self, source: Path, target: Path, includes: list[Path], read: list[Path]
    ) -> None:
        """Compiles a file, which finds headers in ``includes`` and may read ``read``."""
        read = [source, *self._headers(), *self._given.iterdir(), *headers(), *read]
        if source.suffix == ".cu":
            command, more = _nvcc()
            read += more
        else:
            command = ["c++", *_flags(), *self._more]
            pairs = itertools.pairwise(command)
            system = [path for word, path in pairs if word == "-isystem"]
            read += [Path(path) for path in system if not path.startswith("/usr/")]
        command += [f"-I{path}" for path in includes]
        depends = target.with_suffix(".d")
        is_checked = self._box is None and source.suffix != ".cu"
        command += ["-MD", "-MF", str(depends)] if is_checked else []
        command += ["-c", str(source), "-o", str(target)]
        said = messages.student_messages(self._run(command, target, read), self._sources)
        if is_checked:
            check_includes(depends, self._folder, [*includes, *read])
        if said:
            self.said.append(said)

    def answers(self, files: list[str]) -> dict[str, Path]:
        """Compiles files of the answer; the object of each.

        Raises:
            BuildError: with what the compiler said.
        """

        def one(file: str) -> Path:
            target = self._folder / "objects" / f"{file}.o"
            includes = [self._source, self._given]
            self._compile(self._source / file, target, includes, [])
            return target

        with ThreadPoolExecutor(project.num_cores()) as pool:
            return dict(zip(files, pool.map(one, files), strict=True))

    def driver(self) -> Path:
        """The driver as an object, which may be there already.

        Raises:
            BuildError: with what the compiler said.
        """
        beside = sorted(self._beside.iterdir())
        parts = [*beside, *sorted(self._given.iterdir()), *self._headers()]
        # Without a box a header of a student's may include anything.
        is_open = self._box is None and bool(self._headers())
        key = contents.digest(
            f"{is_open}",
            *(part for path in parts for part in (path.name, path.read_bytes())),
            contents.of_files([*headers(), *headers_of_bindings()]),
            contents.tools(),
            *_flags(),
            *self._more,
        )
        kept = project.build_folder() / "labs" / "own" / f"driver-{key[:32]}.o"
        if kept.is_file():
            return kept
        includes = [self._source, self._given, self._beside]
        read = [*beside, *headers_of_bindings()]
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as name:
            os.chmod(name, 0o755)
            made = Path(name) / "driver.o"
            self._compile(self._beside / "driver.cc", made, includes, read)
            made.chmod(0o644)
            made.replace(kept)  # whoever comes second writes the same
        return kept

    def link(self, objects: list[Path]) -> Path:
        """Makes the module of Python; the folder that it is in.

        Raises:
            BuildError: something is missing, or there twice.
        """
        target = self._folder / "module" / f"lab_{self._lab.number}_driver.so"
        command = ["c++", "-shared", *self._more, "-Wl,--no-undefined"]
        command.append("-Wl,--warn-unresolved-symbols")
        command += ["-fno-lto", "-fno-use-linker-plugin", "-o", str(target)]
        read = list(objects)
        if "minitf" in self._lab.needs:
            build = project.build_folder()
            bridge = (build / "python" / "bridge_objects.txt").read_text().split()
            library = build / variant.LIBRARY
            read += [*(Path(made) for made in bridge if made.endswith(".o")), library]
            command.append(f"-Wl,-rpath,{library.parent}")
        command += map(str, read)
        if machine.is_compiled(self._lab):
            toolkit = cuda.nvcc().parents[1]
            command += [f"-L{toolkit}/lib64", "-lcudart_static", "-ldl", "-lrt"]
            command += ["-lpthread"]
            read += [] if toolkit.is_relative_to("/usr") else [toolkit]
        said = self._run(command, target, read)
        if names := messages.names_after(
            "undefined reference to", messages.lines_of(said)
        ):
            raise project.BuildError(_listed("your files lack what is called", names))
        return target.parent


def _listed(sentence: str, names: list[str]) -> str:
    return plain("\n".join([f"{sentence}:", *(f"  {name}" for name in names[:20])]))


def _nvcc() -> tuple[list[str], list[Path]]:
    """How a file in CUDA is compiled, and what that needs to read."""
    compiler = cuda.nvcc()
    command = [str(compiler), "-std=c++20", "-O1", "-Xcompiler=-fPIC,-Wall"]
    command.append(f"-I{project.ROOT}")
    is_system = compiler.is_relative_to("/usr")
    return command, [] if is_system else [compiler.parents[1]]


def _used(lab: project.Lab, files: dict[str, Path], task: str) -> dict[str, Path]:
    """``files``, and the lab's own in place of those that have nothing of ``task``."""

    def has_task(file: str) -> bool:
        return task in regions.tasks_in_order(lab.unit(file).read_text())

    return {
        file: path if not task or has_task(file) else lab.unit(file)
        for file, path in files.items()
    }


def build(
    lab: project.Lab,
    files: dict[str, Path],
    folder: Path,
    box: Box | None = None,
    *,
    task: str = "",
    flags: tuple[str, ...] = (),
) -> Built:
    """Makes the files of an answer ready to be run; for one task, as ``build_own``.

    Raises:
        SeamError: the driver does not compile or link with them.
        BuildError: a file does not compile.
        LabError: a file cannot be read.
    """
    used = _used(lab, files, task)
    folders: list[Path] = []
    said = ""
    objects: dict[str, Path] = {}
    if lab.python_files:
        part = replace(lab, files=lab.python_files)
        folders.append(python_units.overlay_alone(part, used, folder / "overlay", task))
    if lab.cpp_files and not (machine.is_compiled(lab) and cuda.nvcc() is None):
        made = _Build(lab, folder, box, flags)
        for file in lab.cpp_files:
            made.write(file, used[file], task)
        sources = [file for file in lab.cpp_files if file.endswith((".cc", ".cu"))]
        objects = made.answers(sources)
        try:
            folders.append(made.link([*objects.values(), made.driver()]))
        except project.BuildError as error:
            raise SeamError(str(error), error.said, error.verdict) from error
        said = "\n".join(made.said)
    return Built(tuple(folders), without_marks(lab, used), said, objects)
