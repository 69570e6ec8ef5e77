"""``./lab start NN``: copies the starter of a lab to ``work/``, to be written in."""

import re
import shutil
import tempfile
from pathlib import Path

from minitf_lab import locks, project
from minitf_lab.labs import questions


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


def _keep(work: Path) -> Path:
    """Moves a folder with work aside, and returns where it is: ``work/NN_name.2``."""
    taken = [path.name.rpartition(".")[2] for path in work.parent.glob(f"{work.name}.*")]
    last = max((int(word) for word in taken if word.isdecimal()), default=0)
    return work.rename(work.with_name(f"{work.name}.{last + 1}"))


def _put_in_place(lab: project.Lab, force: bool) -> None:
    """Copies the lab's files; ``start`` says the rest."""
    place = lab.work.relative_to(project.ROOT)
    if lab.work.exists() and not force:
        raise project.LabError(
            f"{place} is there already: go on in it, or begin anew with\n"
            f"  ./lab start {lab.called} --force"
        )
    lab.work.parent.mkdir(parents=True, exist_ok=True)
    # A copy that was broken off must not look like a complete one.
    with tempfile.TemporaryDirectory(prefix=".part-", dir=lab.work.parent) as part:
        copy = Path(part) / lab.folder
        copy.mkdir()
        for path in handed_out(lab):
            shutil.copy(path, copy)
        if lab.work.exists():
            kept = _keep(lab.work)
            print(f"your work is kept in {kept.relative_to(project.ROOT)}")
        copy.rename(lab.work)


def start(lab: project.Lab, force: bool = False) -> None:
    """Copies the lab's files. Work that is there already is kept.

    With ``force`` that work is moved to ``work/NN_name.1``, or ``.2``.

    Raises:
        LabError: there is work, and ``force`` is not given; or nothing can be written.
    """
    with locks.alone(f"start-{lab.folder}", f"another ./lab start {lab.called}"):
        try:
            _put_in_place(lab, force)
        except OSError as error:
            raise project.LabError(f"cannot begin the lab: {error}") from error

    work = lab.work.relative_to(project.ROOT)
    print(f"Lab {lab.number}, {lab.title}: your files are in {work}")
    # Of the starter: whoever begins anew at the same time may just move the copy aside.
    kinds = (".cc", ".h", ".cu", ".cuh", ".py")
    code = [path for path in handed_out(lab) if path.suffix in kinds]
    for path in sorted(code, key=lambda path: (path.suffix == ".py", path.name)):
        places = len(
            re.findall(
                r"^ *(?://|#) TODO\([\d.]+\) begin", path.read_text(), re.MULTILINE
            )
        )
        if places:
            print(f"  {path.name}: {places} to fill in")
    print(f"Read {work}/README.md, then run ./lab test {lab.called}")
