"""Wrong and unusual answers as text: what each changes in a right one.

A file of them, such as ``solutions/04_gradients/seeded.txt``, has an entry for each:

    04.4 factors_swapped: the gradients of the two factors are swapped
    -  return {grad * y, grad * x};
    +  return {grad * x, grad * y};

The first line has the task that a good report names, a name, and what is wrong. In a
``seeded.txt``, ``./lab faults`` writes the entry's failure signature behind the name:
``04.4 factors_swapped 18ec6b8a4bf45c64: ...`` (``labs/diagnoses.py``). The lines below
are removed (``-``), added (``+``) or context (a blank in front). ``@@`` separates two
places, and a place sees the changes of the one before. Removed lines and context must
stand together once in the regions of the task. If they are not there, they must stand
once in all files of the lab. Lines with ``#`` before the first entry are comments.

A lab with files of its own may also have patches in a folder. The first line of each is
such as ``task 50.1: the last window is left out``.
"""

import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from minitf_lab import project, texts
from minitf_lab.judge import regions

HEAD = re.compile(
    r"(?P<task>\d+\.\d+) (?P<name>\w+)(?: (?P<symptom>[0-9a-f]+))?: (?P<sentence>.+)"
)
HEAD_OF_PATCH = re.compile(r"task (?P<task>\d+\.\d+): (?P<sentence>.+)")
BETWEEN = "@@"
MOST_SHOWN = 5  # lines of an entry that does not apply


@dataclass(frozen=True)
class Entry:
    """A wrong or an unusual answer.

    Attributes:
        task: The one that it gets wrong.
        name: Its own among those of the lab.
        sentence: What is wrong with it, or unusual.
        body: The lines that it changes, as they are written.
        patch: In place of these, a difference as ``diff -u`` writes it.
    """

    task: str
    name: str
    sentence: str
    body: tuple[str, ...] = ()
    patch: str = ""

    @property
    def text(self) -> str:
        """All of it, as in its file, but for the failure signature."""
        return "\n".join(
            [f"{self.task} {self.name}: {self.sentence}", *self.body, self.patch]
        )


def read(path: Path) -> list[Entry]:
    """The entries of a file, or of a folder of patches; none if there is neither.

    Raises:
        LabError: the file is no text, or a line has no place in an entry.
    """
    if path.is_dir():
        return [_of_patch(patch) for patch in sorted(path.glob("*.patch"))]
    return [*_entries(path)] if path.exists() else []


def _text(path: Path) -> str:
    """The text of a file of entries, or of a patch."""
    try:
        return texts.read(path, project.shown(path))
    except ValueError as error:
        raise project.LabError(str(error)) from error


def _entries(path: Path) -> Iterator[Entry]:
    """The entries of a file."""
    shown = project.shown(path)
    head, body, names = None, [], set()
    for number, line in enumerate([*_text(path).split("\n"), None], start=1):
        found = HEAD.fullmatch(line) if line is not None else None
        if head and (found or line is None):
            yield Entry(head["task"], head["name"], head["sentence"], tuple(body))
        if found:
            if found["name"] in names:
                raise project.LabError(f"{shown}:{number}: a second {found['name']}")
            names.add(found["name"])
            head, body = found, []
        elif head and (not line or line[0] in "-+ " or line.startswith(BETWEEN)):
            body.append(line or "")
        elif line and (head or line[0] != "#"):
            raise project.LabError(
                f"{shown}:{number}: expected 'NN.N a_name: what is wrong', or below it "
                f"lines that begin with '-', '+', a blank or '@@'; got {line[:80]!r}"
            )


def note_symptoms(path: Path, symptoms: dict[str, str]) -> None:
    """Writes the failure signatures of entries, by name, into the heads of a file."""

    def head(line: str) -> str:
        found = HEAD.fullmatch(line)
        if not found:
            return line
        words = [found["task"], found["name"], symptoms.get(found["name"], "")]
        return f"{' '.join(filter(None, words))}: {found['sentence']}"

    path.write_text("\n".join(map(head, _text(path).split("\n"))))


def _of_patch(path: Path) -> Entry:
    """A patch as an entry."""
    first, _, rest = _text(path).partition("\n")
    head = HEAD_OF_PATCH.fullmatch(first)
    if not head:
        raise project.LabError(
            f"{project.shown(path)}: the first line must be 'task NN.N: what is wrong'"
        )
    return Entry(head["task"], path.stem, head["sentence"], patch=rest)


def _hunks(entry: Entry) -> Iterator[tuple[list[str], list[str]]]:
    """For each place, the lines that are there now, and those that are to be."""
    hunk: list[str] = []
    for line in [*entry.body, BETWEEN]:
        if not line.startswith(BETWEEN):
            hunk.append(line)
            continue
        for end in (0, -1):
            while hunk and not hunk[end].strip():
                del hunk[end]
        if hunk:
            old = [text[1:] for text in hunk if text[:1] != "+"]
            yield old, [text[1:] for text in hunk if text[:1] != "-"]
        hunk = []


def _places(lines: list[str], old: list[str]) -> list[int]:
    """Where ``old`` stands in ``lines``."""
    last = len(lines) - len(old)
    return [i for i in range(last + 1) if lines[i : i + len(old)] == old]


def _in_regions(text: str, task: str, first: int, count: int) -> bool:
    """Whether ``count`` lines from the ``first`` on are in a region of ``task``."""
    return any(
        region.first - 1 <= first
        and first + count <= region.first - 1 + len(region.lines)
        for region in regions.find_regions(text)
        if region.task == task
    )


def _place_of(entry: Entry, old: list[str], texts: dict[str, str]) -> tuple[str, int]:
    """The file in which ``old`` stands, and the number of its first line, from 0."""
    split = {file: text.split("\n") for file, text in texts.items()}
    found = [(file, at) for file in split for at in _places(split[file], old)]
    inside = [
        (file, at)
        for file, at in found
        if _in_regions(texts[file], entry.task, at, len(old))
    ]
    fits = inside or found
    if len(fits) != 1:
        shown = "\n".join(map(repr, old[:MOST_SHOWN]))
        where = "".join(f", {file}:{at + 1}" for file, at in fits[:MOST_SHOWN])
        raise ValueError(
            f"does not apply: {len(fits)} places have these lines{where}:\n{shown}"
        )
    return fits[0]


def changed(entry: Entry, texts: dict[str, str]) -> dict[str, str]:
    """The files of a right answer, ``texts``, with an entry's changes.

    Raises:
        ValueError: nothing changes; the lines to change are not there, or stand in
            several places; or a mark of a region is gone.
    """
    made = _patched(entry, texts) if entry.patch else dict(texts)
    for old, new in _hunks(entry):
        if not any(map(str.strip, old)):
            raise ValueError(f"does not apply: nothing says where to put {new}")
        file, at = _place_of(entry, old, made)
        lines = made[file].split("\n")
        lines[at : at + len(old)] = new
        made[file] = "\n".join(lines)
    if made == texts:
        raise ValueError("changes nothing")
    for file, text in made.items():
        try:
            regions.find_regions(text)
        except ValueError as error:
            raise ValueError(
                f"does not apply: then {file} has no regions: {error}"
            ) from None
    return made


def _patched(entry: Entry, texts: dict[str, str]) -> dict[str, str]:
    """``changed`` of a patch, by the program ``patch``."""
    with tempfile.TemporaryDirectory() as name:
        for file, text in texts.items():
            project.put(Path(name) / file, text)
        done = subprocess.run(
            ["patch", "--strip=1", "--fuzz=0", "--quiet", "--no-backup-if-mismatch"],
            cwd=name,
            input=entry.patch,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise ValueError(f"does not apply: {done.stdout.strip()}")
        return {file: (Path(name) / file).read_text() for file in texts}
