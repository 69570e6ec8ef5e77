"""``./lab submit NN``: the files of a lab as one zip, which the course takes.

The zip of the same files has the same bytes on every machine. Its receipt names the lab
and a hash of what is handed in, which is shown too: so both sides can tell later which
files they speak of.
"""

import io
import json
import os
import sys
import zipfile
from pathlib import Path

from minitf_lab import project, texts
from minitf_lab.judge.regions import find_regions
from minitf_lab.labs import questions, sources
from minitf_lab.labs.handin import intake, records

MAX_HOURS = 1000


def hours_of(text: str) -> float | None:
    """The number that a ``time.txt`` begins with; None if there is none in it.

    >>> hours_of("6.5 hours"), hours_of("6,5"), hours_of("long"), hours_of("nan")
    (6.5, 6.5, None, None)
    """
    words = text.replace(",", ".").split()
    try:
        hours = float(words[0]) if words else -1
    except ValueError:
        return None
    return hours if 0 <= hours <= MAX_HOURS else None


def unwritten(found: intake.HandIn) -> list[str]:
    """The tasks with a place that is as it was handed out.

    A file whose marks are gone or broken has none that could be told.
    """
    tasks = []
    for name, data in found.contents.items():
        if not name.endswith((".cc", ".py", ".h", ".cu", ".cuh")):
            continue
        try:
            regions = find_regions(data.decode())
        except ValueError:
            continue
        tasks += [region.task for region in regions if not region.is_written]
    return list(dict.fromkeys(tasks))


def _ask_hours(lab: project.Lab) -> float:
    """Asks in the terminal."""
    if not sys.stdin.isatty():
        raise project.LabError(
            "how many hours did it take you? say so by --hours, as in\n"
            f"  ./lab submit {lab.called} --hours 5"
        )
    while True:
        try:
            said = input("How many hours did it take you, about? ")
        except EOFError:
            raise project.LabError("stopped: nothing was handed in") from None
        hours = hours_of(said)
        if hours is not None:
            return hours
        print(f"a number from 0 to {MAX_HOURS}, please, such as 5")


def _text_of(path: Path) -> str:
    """A text file of the student's.

    Raises:
        LabError: it is no text.
    """
    try:
        return texts.read(path, project.shown(path))
    except (ValueError, OSError) as error:
        raise project.LabError(f"{error}") from error


def note_hours(lab: project.Lab, hours: float | None) -> None:
    """Sees to it that ``time.txt`` says how long it took: as given, or as asked for.

    Raises:
        LabError: nobody can be asked, or the number is none.
    """
    path = lab.work / intake.TIME
    if hours is None:
        if path.is_file() and hours_of(_text_of(path)) is not None:
            return
        hours = _ask_hours(lab)
    if not 0 <= hours <= MAX_HOURS:
        raise project.LabError(f"--hours {hours:g}: it is from 0 to {MAX_HOURS}")
    try:
        path.write_text(f"{hours:g}\n")
    except OSError as error:
        raise project.LabError(f"{path}: {error.strerror}") from error


def receipt_of(lab: project.Lab, found: intake.HandIn) -> dict:
    """What goes into the zip besides the files."""
    return {
        "lab": lab.folder,
        "version": lab.version,
        "sha256": found.sha256,
        "files": list(found.contents),
    }


def packed(lab: project.Lab, found: intake.HandIn) -> bytes:
    """The zip: files in a fixed order, without the time or the machine.

    They are stored as they are; what a compressor makes differs between its versions.
    """
    receipt = json.dumps(receipt_of(lab, found), indent=1, sort_keys=True) + "\n"
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as file:
        for name, data in {**found.contents, intake.RECEIPT: receipt.encode()}.items():
            info = zipfile.ZipInfo(name)  # of 1980
            info.create_system = 3
            info.external_attr = 0o100644 << 16
            file.writestr(info, data)
    return made.getvalue()


def submit(lab: project.Lab, out: Path | None = None, hours: float | None = None) -> Path:
    """Makes the zip of a student's work, and says what is in it.

    The zip is ``work/NN_submission.zip`` if ``out`` is not given. Unknown hours are
    asked for.

    Raises:
        LabError: there is no work, a file is missing, or it cannot be written.
    """
    place = project.shown(lab.work)
    if not lab.work.exists():
        raise project.LabError(f"nothing to hand in yet: run ./lab start {lab.called}")
    has_questions = (lab.starter / questions.NAME).exists()
    for name in [*intake.code_names(lab), *([questions.NAME] if has_questions else [])]:
        if not any(os.path.lexists(lab.work / one) for one in sources.names_of(name)):
            starter = project.shown(lab.starter / name)
            raise project.LabError(
                f"{place}/{name} is missing: begin with a copy of {starter}"
            )
    intake.read(lab, lab.work)  # before somebody is asked for hours
    note_hours(lab, hours)
    found = intake.read(lab, lab.work)
    path = out or lab.work.parent / f"{lab.number}_submission.zip"
    records.write_file(path, packed(lab, found), mode=0o644)

    for name, data in found.contents.items():
        print(f"  {name}: {len(data)} bytes")
    if tasks := unwritten(found):
        print(f"not written yet: {', '.join(tasks)}")
    said = questions.read(found.text(questions.NAME))
    if left := [one.number for one in said if not one.answer]:
        print(f"questions not answered yet: {', '.join(left)}")
    print(f"hand in {path}; its hash is {found.sha256[:16]}")
    return path
