"""Private cases of an instructor, added to the hidden cases of a lab when it is graded.

A pack is a file of cases, as those in tests/labs/NN_name/, or a folder with such files
and the data that they read. ``COURSE/packs/LAB`` holds it encrypted under the course's
key, and signed over what is encrypted: nobody without the key can read it, change it, or
have the judge run other code in its name. It is taken out into the judge's own folder
while a hand-in is judged; the worker never sees it.

Every record says by a hash which pack it was judged with.
"""

import base64
import contextlib
import hashlib
import hmac
import importlib
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from minitf_lab import project
from minitf_lab.course import judging, keys
from minitf_lab.judge.case import Case, load_cases
from minitf_lab.judge.runner import WorkerError
from minitf_lab.judge.sandbox import Box
from minitf_lab.labs import grade
from minitf_lab.labs.answers import Answer
from minitf_lab.labs.handin import archives, records
from minitf_lab.project import LabError

SCHEMA = "minitf pack 1"
MAX_FILES, MAX_BYTES = 200, 20 << 20
TRIED_SEEDS = (1, 2, 3)  # with which minitf's own answers must pass
OWN = "cases_private"  # what a single file is called in a pack: like no file of a lab


def path_of(course: Path, lab: project.Lab) -> Path:
    """Where the pack of a lab is, if it has one."""
    return course / "packs" / lab.folder


# ---- Sealing --------------------------------------------------------------------------


def _secret(key: bytes) -> str:
    """What encrypts packs: it follows from the course's key, and says nothing of it."""
    return hmac.new(key, b"minitf packs", hashlib.sha256).hexdigest()


def _files_of(source: Path) -> dict[str, bytes]:
    """What goes into a pack: names from its top, and contents.

    Raises:
        LabError: there is nothing, too much, or something that is no plain file.
    """
    if source.is_file() and source.suffix != ".py":
        raise LabError(f"{source}: a file of cases is called like cases_mine.py")
    if source.is_file():
        paths = {f"{OWN}.py": source}
    elif source.is_dir():
        found = sorted(path for path in source.rglob("*") if not path.is_dir())
        named = {str(path.relative_to(source)): path for path in found}
        paths = {name: path for name, path in named.items() if "__pycache__" not in name}
    else:
        raise LabError(f"{source}: there is no such file or folder")
    if len(paths) > MAX_FILES:
        raise LabError(f"{source}: it has {len(paths)} files, a pack has {MAX_FILES}")
    if not any("/" not in name and _is_cases(name) for name in paths):
        raise LabError(f"{source}: it has no file cases*.py at its top")
    made: dict[str, bytes] = {}
    for name, path in paths.items():
        left = MAX_BYTES - sum(map(len, made.values()))
        made[name] = archives.read_regular(path, left, str(path))
    return made


def _is_cases(name: str) -> bool:
    return name.startswith("cases") and name.endswith(".py")


def _packed(files: dict[str, bytes]) -> bytes:
    """The files as one text, the same for the same files."""
    texts = {name: base64.b64encode(data).decode() for name, data in files.items()}
    return json.dumps(texts, sort_keys=True).encode()


def _unpack(data: bytes, folder: Path) -> None:
    for name, text in json.loads(data).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(text))


def seal(lab: project.Lab, source: Path, key: bytes, box: Box | None) -> bytes:
    """The file of a pack, when minitf's own answers have been run on all of it.

    Raises:
        LabError: it is no pack for this lab; the text says why.
    """
    data = _packed(_files_of(source))
    with _taken_out(lab, data, key) as packed:
        check(packed, box)
    found = {
        "schema": SCHEMA,
        "lab": lab.folder,
        "seed_id": records.key_id(key),
        "tried": judging.lab_digest(lab),
        "data": keys.encrypt_data(data, _secret(key)),
    }
    return json.dumps(records.sign(found, key), indent=1).encode() + b"\n"


def _opened(lab: project.Lab, path: Path, key: bytes) -> tuple[bytes, str]:
    """What is in a pack, and the version of the lab it was tried with.

    Raises:
        LabError: it is damaged, changed, of another key or another lab.
    """
    try:
        text = archives.read_regular(path, 3 * MAX_BYTES, str(path))
        found = json.loads(text)
        if not isinstance(found, dict) or found.get("schema") != SCHEMA:
            raise LabError("it is no pack")
        records.check(found, key)
        if found["lab"] != lab.folder:
            raise LabError(f"it is a pack of lab {found['lab']}, not of {lab.folder}")
        return keys.decrypt_data(found["data"], _secret(key)), str(found["tried"])
    except archives.Rejected:
        raise
    except KeyError as error:
        raise LabError(f"{path}: it is damaged: it lacks {error}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise LabError(f"{path}: it is damaged: {error}") from error
    except LabError as error:
        raise LabError(f"{path}: {error}") from error


def name_of(data: bytes, key: bytes) -> str:
    """A name for what is in a pack, which says nothing of it."""
    return hmac.new(key, b"minitf pack\n" + data, hashlib.sha256).hexdigest()


# ---- Using ----------------------------------------------------------------------------


@contextlib.contextmanager
def _taken_out(lab: project.Lab, data: bytes, key: bytes) -> Iterator[project.Lab]:
    """The lab with the pack ``data``, as long as its files are on the disk."""
    with judging.scratch() as top:
        folder = top / "pack"
        folder.mkdir(mode=0o700)
        _unpack(data, folder)
        importlib.invalidate_caches()
        try:
            yield replace(lab, pack=folder, pack_id=name_of(data, key))
        finally:
            for name, module in list(sys.modules.items()):
                if Path(getattr(module, "__file__", None) or "/").is_relative_to(folder):
                    del sys.modules[name]


@contextlib.contextmanager
def with_pack(lab: project.Lab, path: Path, key: bytes) -> Iterator[project.Lab]:
    """The lab with the cases of a pack, if there is one at ``path``.

    Raises:
        LabError: there is one, and it cannot be used; the text says why.
    """
    if not os.path.lexists(path):
        yield lab
        return
    with _taken_out(lab, _opened(lab, path, key)[0], key) as packed:
        yield packed


def id_of(lab: project.Lab, path: Path, key: bytes) -> str:
    """The name of the pack at ``path``; empty if there is none.

    Raises:
        LabError: there is one, and it cannot be used.
    """
    return name_of(_opened(lab, path, key)[0], key) if os.path.lexists(path) else ""


def refuse_wrong(lab: project.Lab, path: Path, key: bytes, box: Box | None) -> None:
    """Raises LabError if there is a pack at ``path`` that nobody can be judged with."""
    with with_pack(lab, path, key) as packed:
        if packed.pack and _opened(lab, path, key)[1] != judging.lab_digest(lab):
            check(packed, box)  # the lab has changed since the pack was made
        elif packed.pack:
            cases_of(packed)


def cases_of(lab: project.Lab) -> list[Case]:
    """The cases of a lab's pack.

    Raises:
        LabError: they cannot be imported, are none, or do not fit the lab.
    """
    try:
        found = load_cases(lab.tests, lab.pack)
    except Exception as error:  # whatever an instructor's file does
        said = f"{type(error).__name__}: {error}"
        raise LabError(f"the cases of the pack cannot be loaded: {said}") from error
    lab_has = {one.name for one in load_cases(lab.tests)}
    private = [one for one in found if one.name not in lab_has]
    if not private:
        raise LabError("there is no case in the pack: no function with @case")
    known = [task.number for task in lab.tasks]
    for one in private:
        if one.task not in known:
            raise LabError(
                f"the case {one.name} of the pack is of task {one.task}; lab "
                f"{lab.number} has {', '.join(known)}"
            )
    return private


def check(lab: project.Lab, box: Box | None) -> list[Case]:
    """The cases of a lab's pack, when minitf's own answers pass all of them.

    Raises:
        LabError: as ``cases_of``, or one fails.
    """
    private = cases_of(lab)
    reference = Answer(None, {}, box=box)
    for seed in TRIED_SEEDS:
        try:
            results = [*grade.run_cases(lab, reference, private, "", seed)]
        except (WorkerError, project.GraderError):
            raise
        except Exception as error:  # a generator that raises
            said = f"{type(error).__name__}: {error}"
            raise LabError(f"a case of the pack cannot be made: {said}") from error
        for result in results:
            if not result.passed:
                where = result.details.get("case", "")
                raise LabError(
                    f"the case {result.name} of the pack is wrong: minitf's own answer "
                    f"does not pass it ({where}): {result.message}"
                )
    return private


def describe(private: list[Case], name: str) -> str:
    """One line on a pack."""
    counts = Counter(one.task for one in private)
    tasks = ", ".join(f"{count} of task {task}" for task, count in counts.items())
    return f"pack {name[:12]}: {len(private)} private cases, {tasks}"


# ---- ./lab course pack ----------------------------------------------------------------


def put(
    course: Path, lab: project.Lab, source: Path, key: bytes, box: Box | None
) -> None:
    """Seals a pack and puts it in its place.

    Raises:
        LabError: it is not as it should be, or cannot be written; what was there stays.
    """
    records.write_file(path_of(course, lab), seal(lab, source, key, box))


def take_out(course: Path, lab: project.Lab, key: bytes, into: Path) -> None:
    """Writes the files of a pack to a new folder.

    Raises:
        LabError: there is no pack, it cannot be opened, or the folder is there.
    """
    path = path_of(course, lab)
    if not path.exists():
        raise LabError(f"lab {lab.number} has no pack in {course}")
    data, _ = _opened(lab, path, key)
    try:
        into.mkdir(parents=True)
        _unpack(data, into)
    except OSError as error:
        raise LabError(f"{into}: {error.strerror or error}") from error


def remove(course: Path, lab: project.Lab) -> None:
    """Removes a pack.

    Raises:
        LabError: there is none, or it cannot be removed.
    """
    path = path_of(course, lab)
    try:
        path.unlink()
    except FileNotFoundError:
        raise LabError(f"lab {lab.number} has no pack in {course}") from None
    except OSError as error:
        raise LabError(f"{path}: {error.strerror or error}") from error
