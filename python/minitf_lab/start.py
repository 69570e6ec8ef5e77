"""``./lab start NN``: copies the starter of a lab to ``work/``, to be written in."""

import re
import shutil
import time
from pathlib import Path

from minitf_lab import project, questions


def handed_out(lab: project.Lab) -> list[Path]:
    """The files that a student gets.

    Raises:
        LabError: one of the lab's files is not among them.
    """
    if lab.home and not lab.is_own:  # cases and driver may lie beside them
        names = [*(Path(file).name for file in lab.files), "README.md", questions.NAME]
        found = [lab.starter / name for name in names if (lab.starter / name).is_file()]
    else:
        found = [path for path in lab.starter.glob("*") if path.name != "lab.json"]
        found += [lab.home / "README.md"] if lab.is_own else []
    for file in lab.files:
        path = lab.starter / Path(file).name
        if path not in found:
            hint = f": run ./lab gen {lab.called}" if lab.is_own else ""
            raise project.LabError(f"the lab has no {path.name} to begin with{hint}")
    return sorted(path for path in found if path.is_file())


def start(lab: project.Lab, force: bool = False) -> None:
    """Copies the lab's files. Work that is there already is kept.

    Args:
        lab: Which one.
        force: Begin anew; what was there is moved to ``work/NN_name.TIME``.

    Raises:
        LabError: there is work, and ``force`` is not given.
    """
    if lab.work.exists():
        place = lab.work.relative_to(project.ROOT)
        if not force:
            raise project.LabError(
                f"{place} is there already: go on in it, or begin anew with\n"
                f"  ./lab start {lab.called} --force"
            )
        backup = lab.work.with_name(f"{lab.folder}.{time.strftime('%Y%m%d-%H%M%S')}")
        lab.work.rename(backup)
        print(f"your work is kept in {backup.relative_to(project.ROOT)}")

    # A copy that was broken off must not look like a complete one.
    part = lab.work.with_name(f".{lab.folder}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for path in handed_out(lab):
        shutil.copy(path, part)
    part.rename(lab.work)

    work = lab.work.relative_to(project.ROOT)
    print(f"Lab {lab.number}, {lab.title}: your files are in {work}")
    kinds = (".cc", ".h", ".cu", ".cuh", ".py")
    code = [path for path in lab.work.iterdir() if path.suffix in kinds]
    for path in sorted(code, key=lambda path: (path.suffix == ".py", path.name)):
        places = len(
            re.findall(
                r"^ *(?://|#) TODO\([\d.]+\) begin", path.read_text(), re.MULTILINE
            )
        )
        if places:
            print(f"  {path.name}: {places} to fill in")
    print(f"Read {work}/README.md, then run ./lab test {lab.called}")
