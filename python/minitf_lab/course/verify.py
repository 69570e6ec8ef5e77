"""``./lab course verify``: whether all records and hand-ins are as they were written."""

from collections.abc import Iterator
from pathlib import Path

from minitf_lab import project
from minitf_lab.course import collect, identity, packs
from minitf_lab.course.run import LOCKS
from minitf_lab.labs.handin import intake, records


def _folders(course: Path) -> list[str]:
    """Of which labs the course has hand-ins, records or private cases."""
    return sorted(
        {
            path.name
            for kind in ("handins", "results", "records", "packs")
            if (course / kind).is_dir()
            for path in (course / kind).iterdir()
            if path.is_dir() or (kind == "packs" and path.name[0] != ".")
        }
    )


def _files(folder: Path) -> list[Path]:
    """What is in a folder; what a killed process has left of a record is not."""
    if not folder.is_dir():
        return []
    return [path for path in sorted(folder.iterdir()) if not path.name.startswith(".")]


def _of_record(
    path: Path, lab: str, key: bytes, name: str, pack: str | None
) -> Iterator[str]:
    """Sentences about a record of a lab, and about its private cases if known.

    The file must be named after the field ``name`` of ``submission``.
    """
    try:
        record = records.read(path, key)
    except records.RecordError as error:
        yield str(error).removeprefix(f"{path.name}: ")
        return
    if record["lab"].get("id") != lab:
        yield f"it is of lab {record['lab'].get('id')!a}"
    said = record["submission"].get(name)
    if not isinstance(said, str) or f"{identity.folder_name(said)}.json" != path.name:
        yield f"it is of {said!a}"
    theirs = record["lab"].get("pack", "")
    if record["status"] == "graded" and pack is not None and theirs != pack:
        yield (
            f"it was judged with {_pack(theirs)}, the course has {_pack(pack)}: "
            "./lab course grade --outdated"
        )


def _pack(name: str) -> str:
    return f"the private cases {name[:12]}" if name else "no private cases"


def _of_hand_in(
    folder: Path, lab: project.Lab, course: Path, key: bytes
) -> Iterator[str]:
    """What is wrong with the files of a student."""
    try:
        note = collect.read_note(folder)
        if not note:
            yield "there is no handin.json"
            return
        if "rejected" not in note:
            sha256 = intake.read(lab, folder).sha256
            if sha256 != note["sha256"]:
                yield "its files were changed after they were collected"
            path = course / "records" / lab.folder / f"{folder.name}.json"
            if not path.exists():
                yield "it is not judged yet"
            elif records.read(path, key)["submission"]["sha256"] != note["sha256"]:
                yield "its record is of an earlier hand-in: ./lab course grade"
    except records.RecordError:
        pass  # it is named where records are looked at
    except project.LabError as error:
        yield str(error)


def findings(
    course: Path, key: bytes, labs: list[project.Lab]
) -> Iterator[tuple[Path, str]]:
    """Every file that is not as it should be, with what is wrong with it.

    ``labs`` limits the search; without labs, all are checked.
    """
    known = {lab.folder: lab for lab in labs or project.all_labs()}
    for name in list(known) if labs else _folders(course):
        pack = None
        if name in known:
            path = packs.path_of(course, known[name])
            try:
                pack = packs.id_of(known[name], path, key)
            except project.LabError as error:
                yield path.relative_to(course), str(error).removeprefix(f"{path}: ")
        for kind, field in (("results", "sha256"), ("records", "id")):
            for path in _files(course / kind / name):
                for said in _of_record(path, name, key, field, pack):
                    yield path.relative_to(course), said
        folders = _files(course / "handins" / name)
        if folders and name not in known:
            place = (course / "handins" / name).relative_to(course)
            yield (
                place,
                "not looked at; name the lab's folder: ./lab course verify FOLDER",
            )
            continue
        for folder in folders:
            for said in _of_hand_in(folder, known[name], course, key):
                yield folder.relative_to(course), said


def verify(course: Path, key: bytes, labs: list[project.Lab]) -> int:
    """Prints every finding, and how many files were looked at; how many are wrong.

    Raises:
        LabError: there is nothing to look at.
    """
    looked = [
        path
        for kind in ("results", "records", "handins")
        for path in (course / kind).glob("*/*")
        if not path.name.startswith(".") and path.parent.name != LOCKS
    ]
    if not looked:
        raise project.LabError(f"there are no records and no hand-ins in {course}")
    found = list(findings(course, key, labs))
    for path, said in found:
        print(f"{path}: {said}")
    print(f"{len(looked)} files and folders, {len(found)} findings")
    return len(found)
