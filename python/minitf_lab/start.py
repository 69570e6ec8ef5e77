"""``./lab start NN``: copies the starter of a lab to ``work/``, to be written in."""

import re
import shutil
import time

from minitf_lab import project


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
                f"  ./lab start {lab.number} --force"
            )
        backup = lab.work.with_name(f"{lab.folder}.{time.strftime('%Y%m%d-%H%M%S')}")
        lab.work.rename(backup)
        print(f"your work is kept in {backup.relative_to(project.ROOT)}")

    # A copy that was broken off must not look like a complete one.
    part = lab.work.with_name(f".{lab.folder}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for path in sorted(lab.starter.iterdir()):
        if path.name != "lab.json":
            shutil.copy(path, part)
    part.rename(lab.work)

    work = lab.work.relative_to(project.ROOT)
    print(f"Lab {lab.number}, {lab.title}: your files are in {work}")
    for path in sorted(lab.work.glob("*.cc")) + sorted(lab.work.glob("*.py")):
        places = len(
            re.findall(
                r"^ *(?://|#) TODO\([\d.]+\) begin", path.read_text(), re.MULTILINE
            )
        )
        if places:
            print(f"  {path.name}: {places} to fill in")
    print(f"Read {work}/README.md, then run ./lab test {lab.number}")
