"""Files of labs that students get compiled: objects of C++, bytecode of Python.

Objects are compiled for any processor of this architecture, file by file, once as they
are and once for the thread sanitizer (the presets ``portable`` and ``portable-tsan``);
those of CUDA once, for the emulator.
What only a debugger wants is taken out of them. ``cmake/reference_objects.cmake`` links
them where their sources are missing.
"""

import json
import marshal
import platform
import re
import subprocess
import tempfile
from importlib.util import MAGIC_NUMBER
from pathlib import Path

from minitf_lab import contents, project
from minitf_lab.judge import cuda_units, libraries, variant

OBJECTS = "objects"
# The folder of each set, and the preset that it is made by.
SETS = {"release": "portable", "tsan": "portable-tsan"}
# 32 bits of flags, a time and a size, which nobody asks for without a source.
_HEADER = MAGIC_NUMBER + bytes(12)
# The layout of Eigen's types depends on the processor for which they are compiled. An
# object must therefore not share Eigen's functions with files that a student compiles.
_EIGEN = "5Eigen"
_OWN = ("--wildcard", f"--localize-symbol=*{_EIGEN}*")


def bytecode(file: str, source: str) -> bytes:
    """Bytecode that Python imports instead of a source; tracebacks name ``file``."""
    code = compile(source, file, "exec", dont_inherit=True, optimize=0)
    # Version 2 writes nothing that depends on what else the process has in memory.
    return _HEADER + marshal.dumps(code, 2)


def _targets(files: list[str]) -> list[str]:
    """Names the objects of files for ninja: ``SOURCE^`` is what is made of a source."""
    return [
        f"{contents.TRANSLATED}/{Path(file).name}.cc^"
        if cuda_units.is_cuda(file)
        else f"{project.ROOT / file}^"
        for file in files
    ]


def _output(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise project.LabError(f"{' '.join(command[:2])}: {done.stderr.strip()}")
    return done.stdout


def _stripped(path: Path) -> bytes:
    """An object without names and lines that linking needs not, with its own Eigen.

    Raises:
        LabError: it would not work on another processor, or it tells where it was made.
    """
    with tempfile.TemporaryDirectory() as folder:
        made, alone = Path(folder) / path.name, path
        options = ["--strip-unneeded", "--strip-debug", "--remove-section=.comment"]
        if _EIGEN in (names := _output("nm", str(path))):
            alone = Path(folder) / "alone.o"
            # The linker drops no function that is in no group. Other objects have the
            # unique variables (u), too.
            _output("ld", "-r", "--force-group-allocation", "-o", str(alone), str(path))
            unique = re.findall(r" u (\S+)$", names, re.MULTILINE)
            options += [*_OWN, *(f"--weaken-symbol={name}" for name in unique)]
        _output("objcopy", *options, str(alone), str(made))
        if _EIGEN in _output("nm", "--extern-only", str(made)):
            raise project.LabError(
                f"{path.name} calls functions with types of Eigen in other files, which "
                "differ between processors: keep Eigen inside a file that a lab replaces"
            )
        data = made.read_bytes()
    if str(project.ROOT).encode() in data:
        raise project.LabError(f"{path.name} names {project.ROOT}")
    return data


def compile_all(files: list[str]) -> dict[str, bytes]:
    """The objects of files in C++, by the paths that students get.

    Raises:
        BuildError: one does not compile.
        LabError: one would not work elsewhere.
    """
    groups = [
        (folder, preset, [f for f in files if libraries.library_of([f]) == library])
        for folder, preset in SETS.items()
        for library in (libraries.FRAMEWORK, libraries.MODULE, libraries.CARDS)
        if folder == "release" or library != libraries.CARDS
    ]
    found = {}
    for folder, preset, chosen in groups:
        if not chosen:
            continue
        project.build(*_targets(chosen), preset=preset, is_shown=True)
        for file, made in zip(chosen, variant.objects_of(chosen, preset), strict=True):
            found[f"{OBJECTS}/{folder}/{file}.o"] = _stripped(made)
    return found


def _version(*command: str) -> str:
    """The first two numbers of a version."""
    found = re.search(r"\d+\.\d+", _output(*command))
    return found[0] if found else ""


def made_for(files: list[str]) -> str:
    """The text of ``objects.json``: what a machine must have to use them."""
    version = platform.python_version_tuple()
    facts = {
        "processor": platform.machine(),
        "compiler": _version("c++", "-dumpfullversion").partition(".")[0],
        "protobuf": _version("protoc", "--version"),
        "python": f"{version[0]}.{version[1]}",
        "files": sorted(files),
    }
    return json.dumps(facts, indent=1) + "\n"
