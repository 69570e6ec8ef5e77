"""Wrong and unusual answers as text: what each changes in a right one.

A file of them, such as ``solutions/04_gradients/seeded.txt``, has an entry for each:

    04.4 factors_swapped: the gradients of the two factors are swapped
    -  return {grad * y, grad * x};
    +  return {grad * x, grad * y};

The first line is the task that a good report names, a name, and what is wrong. Lines
with ``-`` leave the right answer, lines with ``+`` come. Lines with a blank in front
stay; they are needed only where the other lines fit several places. ``@@`` stands
between places.

``changed`` looks for the lines in the regions of the task, and then in the rest of the
lab's files. It must find them once.

A lab with files of its own may have a folder of patches in place of the file, as ``diff
-u`` writes them, each below a line such as ``task 50.1: the last window is left out``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from minitf_lab import project, texts
from minitf_lab.judge import regions

HEAD = re.compile(r"(?P<task>\d+\.\d+) (?P<name>\w+): (?P<sentence>.+)")
HEAD_OF_PATCH = re.compile(r"task (?P<task>[\d.]+): (?P<sentence>.+)")
FILES_OF_PATCH = re.compile(r"^--- .*\n\+\+\+ .*\n(?=@@ -)", re.M)
BETWEEN = "@@"


@dataclass(frozen=True)
class Entry:
    """A wrong or an unusual answer.

    Attributes:
        task: The one that it gets wrong.
        name: Its own among those of the lab.
        sentence: What is wrong with it, or unusual.
        body: The lines that it changes, as they are written.
    """

    task: str
    name: str
    sentence: str
    body: tuple[str, ...]

    @property
    def text(self) -> str:
        """The entry as it stands in its file."""
        return "\n".join([f"{self.task} {self.name}: {self.sentence}", *self.body, ""])


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
    head, body, names = None, [], set()
    for number, line in enumerate([*_text(path).split("\n"), None], start=1):
        found = HEAD.fullmatch(line) if line is not None else None
        if head and (found or line is None):
            while body and not body[-1]:
                body.pop()
            yield Entry(head["task"], head["name"], head["sentence"], tuple(body))
        place = f"{project.shown(path)}:{number}"
        if found:
            if found["name"] in names:
                raise project.LabError(f"{place}: a second answer {found['name']}")
            names.add(found["name"])
            head, body = found, []
        elif head and line is not None:
            if line and line[0] not in "-+ " and line != BETWEEN:
                raise project.LabError(
                    f"{place}: expected 'NN.N name: what is wrong', or a line that "
                    f"begins with '-', '+' or a blank; got {line[:80]!r}"
                )
            body.append(line)
        elif line and not line.startswith("#"):
            raise project.LabError(f"{place}: belongs to no entry: {line[:80]!r}")


def _of_patch(path: Path) -> Entry:
    """A patch as an entry."""
    first, _, rest = _text(path).partition("\n")
    head = HEAD_OF_PATCH.fullmatch(first)
    if not head:
        raise project.LabError(
            f"{project.shown(path)}: the first line must be 'task NN.N: what is wrong'"
        )
    lines = FILES_OF_PATCH.sub("", rest).rstrip("\n").split("\n")
    body = (BETWEEN if line.startswith(f"{BETWEEN} -") else line for line in lines)
    kept = [line for line in body if not line.startswith("\\")]
    return Entry(head["task"], path.stem, head["sentence"], tuple(kept))


def _hunks(entry: Entry) -> Iterator[tuple[list[str], list[str]]]:
    """For each place, the lines that are there now, and those that are to be."""
    old: list[str] = []
    new: list[str] = []
    for line in [*entry.body, BETWEEN]:
        if line == BETWEEN:
            if old or new:
                yield old, new
            old, new = [], []
            continue
        sign, text = line[:1] or " ", line[1:]
        if sign != "+":
            old.append(text)
        if sign != "-":
            new.append(text)


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


def changed(entry: Entry, texts: dict[str, str]) -> dict[str, str]:
    """The files of a right answer, ``texts``, with an entry's changes.

    Raises:
        ValueError: what leaves is not there, or fits several places.
    """
    made = dict(texts)
    for old, new in _hunks(entry):
        shown = "\n".join(old)
        if not any(map(str.strip, old)):
            raise ValueError(f"does not apply: nothing says where to put {new}")
        split = {file: text.split("\n") for file, text in made.items()}
        found = [(file, at) for file in split for at in _places(split[file], old)]
        inside = [
            (file, at)
            for file, at in found
            if _in_regions(made[file], entry.task, at, len(old))
        ]
        fits = inside or found
        if len(fits) != 1:
            raise ValueError(
                f"does not apply: {len(fits)} places have these lines:\n{shown}"
            )
        file, at = fits[0]
        split[file][at : at + len(old)] = new
        made[file] = "\n".join(split[file])
    return made
