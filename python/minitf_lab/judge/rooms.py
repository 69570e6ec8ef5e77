"""What a boxed worker finds: Python, minitf, one driver, and one answer.

What would give answers away is not there: cases, what computes expected values,
solutions, and the framework's own library or module in whose place the student's stands.
"""

import ast
import json
import os
from pathlib import Path

from minitf_lab import project, texts
from minitf_lab.judge import guard
from minitf_lab.judge.case import COMMON
from minitf_lab.judge.libraries import FRAMEWORK, MODULE, is_module
from minitf_lab.judge.overlay import kept_in
from minitf_lab.judge.sandbox import Room, python_folders

PACKAGE = Path(__file__).parents[1]
# All that a worker imports of the tool.
PARTS = (
    *("__init__.py", "judge/__init__.py", "judge/overlay.py", "judge/worker.py"),
    *("judge/wire.py", "judge/case.py", "judge/draw.py", "judge/seccomp.py"),
    *("judge/regions.py", "judge/guard.py", "judge/packed.py"),
    "leftovers.py",
)


def files_of_driver(driver: Path) -> list[Path]:
    """A driver, and the files of its lab and of ``lab_common`` that it imports."""
    if driver.suffix == ".cc":
        return []  # it is compiled, and lies with the answer
    return with_imports([driver])


def with_imports(paths: list[Path]) -> list[Path]:
    """Files of a lab, and those of the lab and of ``lab_common`` that they import."""
    folder = paths[0].parent
    folders = {f"lab_{folder.name}": folder, "lab_common": COMMON}
    found = list(paths)
    for path in found:
        for node in ast.walk(ast.parse(texts.read(path))):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [a.name for a in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                first, _, rest = (name or "").partition(".")
                imported = folders.get(first, folder) / f"{rest}.py"
                if first in folders and imported.is_file() and imported not in found:
                    found.append(imported)
    return found


def _of_overlay(folder: Path) -> tuple[list[Path], list[Path]]:
    """What an overlay needs, and what must not be there beside it."""
    description = folder / "overlay.json"
    read, masks = [folder], []
    if not description.exists():
        return read, masks
    for unit in json.loads(description.read_text())["units"]:
        read.append(Path(unit["file"]))
        if unit["file"] != unit["reference"]:
            masks += [Path(path) for path in kept_in(unit["reference"])]
    return read, [path for path in masks if path.exists()]


def room_of_worker(
    driver: Path, library: Path | None, environment: dict[str, str]
) -> Room:
    """What a worker needs that calls ``driver`` on an answer.

    A folder in the PYTHONPATH of ``environment`` is an overlay, or the project's.
    """
    build = project.build_folder()
    read = [*python_folders(), *files_of_driver(driver), *(PACKAGE / p for p in PARTS)]
    read += [project.ROOT / "python" / name for name in ("minitf", "minitf_wrap")]
    read.append(build / "python" / "minitf")
    drivers = build / "labs" / "drivers"
    read += sorted(drivers.glob(f"lab_{driver.parent.name[:2]}_driver.*"))
    read.append(drivers / guard.NAME)
    masks = []
    if library:
        read.append(library)
        masks.append(build / (MODULE if is_module(library) else FRAMEWORK))
        masks += (build / FRAMEWORK).parent.glob("libminitf_gpu_*")
    own = {project.ROOT / "python", build / "python", drivers, PACKAGE.parent}
    for entry in environment.get("PYTHONPATH", "").split(os.pathsep):
        if entry and Path(entry) not in own:
            more, hidden = _of_overlay(Path(entry))
            read += more
            masks += hidden
    unique = tuple(dict.fromkeys(path for path in read if path.exists()))
    return Room(unique, tuple(masks), environment=environment)
