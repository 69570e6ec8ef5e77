"""``./lab course similar``: answers that have much in common, for a person to read.

Only the regions that students write are compared, or the whole file if its marks are
gone; not what was handed out, and nothing that more than ``COMMON`` of the class has. The
report shows passages side by side. How much two answers share only puts the pairs in
order: it is no measure of guilt, and is not shown.
"""

import argparse
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from minitf_lab import project
from minitf_lab.course import collect, pages, text, winnowing
from minitf_lab.judge.regions import find_regions
from minitf_lab.labs.handin import archives, records

COMMON = 0.4  # of the class
FEW = 3  # as many may have the same without being the class
LEAST = 3  # shared hashes that make a pair
HALF = 0.5  # of the smaller one's hashes, that make a cluster
MAX_FILE = 1 << 20  # bytes
MOST_PAIRS, MOST_PASSAGES, MOST_LINES = 100, 8, 60


@dataclass
class Answer:
    """What one student wrote.

    Attributes:
        name: As the report calls the student; an earlier year stands in front.
        is_earlier: Whether it is of an earlier year.
        lines: The lines of each file.
        parts: First and last line of what is compared of each file.
        prints: For each hash, the places that have it: file, first line and last line.
    """

    name: str
    is_earlier: bool = False
    lines: dict[str, list[str]] = field(default_factory=dict)
    parts: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    prints: dict[bytes, list[tuple[str, int, int]]] = field(default_factory=dict)


@dataclass
class Passage:
    """The same in two answers: a file and two line numbers of each."""

    left: tuple[str, int, int]
    right: tuple[str, int, int]


@dataclass
class Pair:
    """Two answers, and what they share."""

    left: Answer
    right: Answer
    shared: list[bytes]


def add_file(answer: Answer, name: str, source: str) -> None:
    """Adds what a student has written in a file."""
    source = source.replace("\r\n", "\n")
    answer.lines[name] = source.split("\n")
    try:
        regions = [(region.first, region.lines) for region in find_regions(source)]
    except ValueError:  # somebody has changed the marks
        regions = []
    regions = regions or [(1, answer.lines[name])]
    answer.parts[name] = [(first, first + len(lines) - 1) for first, lines in regions]
    for first, lines in regions:
        is_python = name.endswith(".py")
        part = "\n".join(lines)
        for one in winnowing.prints(part, is_python=is_python, first_line=first):
            answer.prints.setdefault(one.digest, []).append((name, one.first, one.last))


def read_answers(
    folder: Path, files: list[str], *, year: str = ""
) -> tuple[list[Answer], list[str]]:
    """The answers in a folder that has a folder for each student, and what is not there.

    Raises:
        LabError: it is no folder, or nobody in it has one of the files.
    """
    if not folder.is_dir():
        raise project.LabError(f"{folder} is not a folder with one for each student")
    answers, notes = [], []
    groups: dict[tuple, Answer] = {}
    homes = (path for path in folder.iterdir() if path.is_dir())
    for home in sorted(path for path in homes if not path.name.startswith(".")):
        name, group = _owner(home, notes)
        if group and group in groups:
            groups[group].name += f" and {name}"  # they have handed in together
            continue
        answer = Answer(f"{year}{name}", is_earlier=bool(year))
        for name in files:
            try:
                content = archives.read_regular(home / name, MAX_FILE, name)
            except FileNotFoundError:
                continue
            except (archives.Rejected, OSError) as error:
                notes.append(f"{answer.name}: {text.one_line(error)}")
                continue
            add_file(answer, name, content.decode(errors="replace"))
        if answer.lines:
            answers.append(answer)
            groups |= {group: answer} if group else {}
        else:
            notes.append(f"{answer.name}: none of {', '.join(files)}")
    if not answers:
        raise project.LabError(
            f"{folder}: no folder of a student in it holds {' or '.join(files)}"
        )
    return answers, notes


def _owner(home: Path, notes: list[str]) -> tuple[str, tuple]:
    """The student of a folder, and a key that the members of a group share."""
    try:
        note = collect.read_note(home)
    except project.LabError as error:
        notes.append(text.one_line(error))
        note = {}
    group = tuple(note.get("group", []))
    name = note.get("student", home.name)
    return name, (note["sha256"], *sorted(group)) if group else ()


def handed_out(files: dict[str, str]) -> Answer:
    """All that stands in the files of a starter, by name.

    Every hash counts, not only the kept ones: a region keeps others than the whole file.
    """
    starter = Answer("starter")
    for name, source in files.items():
        for one in winnowing.grams(source, is_python=name.endswith(".py")):
            starter.prints.setdefault(one.digest, []).append((name, one.first, one.last))
    return starter


def drop_common(answers: list[Answer], starter: Answer) -> None:
    """Removes what was handed out, and what too many have for it to mean anything."""
    current = [answer for answer in answers if not answer.is_earlier]
    counts = Counter(digest for answer in current for digest in answer.prints)
    most = max(COMMON * len(current), FEW)
    dropped = {digest for digest, count in counts.items() if count > most}
    dropped |= set(starter.prints)
    for answer in answers:
        for digest in dropped & set(answer.prints):
            del answer.prints[digest]


def find_pairs(answers: list[Answer]) -> list[Pair]:
    """The pairs that share something, those that share most first."""
    owners: dict[bytes, list[int]] = defaultdict(list)
    for i, answer in enumerate(answers):
        for digest in answer.prints:
            owners[digest].append(i)
    shared: dict[tuple[int, int], list[bytes]] = defaultdict(list)
    for digest, holders in owners.items():
        for i, j in combinations(holders, 2):
            if not (answers[i].is_earlier and answers[j].is_earlier):
                shared[i, j].append(digest)
    pairs = [
        Pair(answers[i], answers[j], digests)
        for (i, j), digests in shared.items()
        if len(digests) >= LEAST
    ]
    return sorted(pairs, key=lambda p: (-len(p.shared), p.left.name, p.right.name))


def find_clusters(pairs: list[Pair]) -> list[list[str]]:
    """Groups of three or more whose answers hang together; large ones first."""
    group: dict[str, set[str]] = {}
    for pair in pairs:
        smaller = min(len(pair.left.prints), len(pair.right.prints))
        if len(pair.shared) < HALF * smaller:
            continue
        names = {pair.left.name, pair.right.name}
        joined = names.union(*(group.get(name, set()) for name in names))
        for name in joined:
            group[name] = joined
    clusters = {tuple(sorted(names)) for names in group.values() if len(names) > 2}
    return sorted(map(list, clusters), key=lambda names: (-len(names), names))


def find_passages(pair: Pair) -> list[Passage]:
    """The passages that two answers share, in the order of the left one."""
    places = sorted(
        (left, right)
        for digest in pair.shared
        for left in pair.left.prints[digest][:1]
        for right in pair.right.prints[digest][:1]
    )
    found: list[Passage] = []
    for left, right in places:
        if found and _touches(found[-1].left, left) and _touches(found[-1].right, right):
            found[-1] = Passage(
                _join(found[-1].left, left), _join(found[-1].right, right)
            )
        else:
            found.append(Passage(left, right))
    return found


def _touches(one: tuple[str, int, int], other: tuple[str, int, int]) -> bool:
    same_file = one[0] == other[0]
    return same_file and other[1] <= one[2] + 1 and one[1] <= other[2] + 1


def _join(one: tuple[str, int, int], other: tuple[str, int, int]) -> tuple[str, int, int]:
    return one[0], min(one[1], other[1]), max(one[2], other[2])


def _side(answer: Answer, place: tuple[str, int, int]) -> dict[str, str]:
    name, first, last = place
    lines = answer.lines[name][first - 1 : last]
    return {
        "title": text.one_line(f"{answer.name}, {name}, lines {first} to {last}"),
        "code": text.clip("\n".join(lines), lines=MOST_LINES),
    }


def page(title: str, pairs: list[Pair], notes: list[str]) -> str:
    """The report."""
    shown = []
    for pair in pairs[:MOST_PAIRS]:
        passages = find_passages(pair)
        shown.append(
            {
                "left": text.one_line(pair.left.name),
                "right": text.one_line(pair.right.name),
                "passages": [
                    (_side(pair.left, one.left), _side(pair.right, one.right))
                    for one in passages[:MOST_PASSAGES]
                ],
                "more": max(0, len(passages) - MOST_PASSAGES),
            }
        )
    return pages.render(
        "similar",
        title=title,
        pairs=shown,
        more=max(0, len(pairs) - MOST_PAIRS),
        clusters=[
            [text.one_line(one) for one in names] for names in find_clusters(pairs)
        ],
        notes=[text.one_line(note) for note in notes],
    )


def write_files(folder: Path, answers: list[Answer]) -> None:
    """Writes what is compared, a folder a student, for other tools to read."""
    for answer in answers:
        for name, lines in answer.lines.items():
            parts = [lines[first - 1 : last] for first, last in answer.parts[name]]
            said = "".join(f"{line}\n" for part in parts for line in part)
            path = folder / text.slug(answer.name) / name
            records.write_file(path, said.encode(errors="replace"))


def run(args: argparse.Namespace) -> int:
    """Writes the report; returns the exit status.

    Raises:
        LabError: a folder is not what it should be, or the report cannot be written.
    """
    lab = project.lab_at(args.lab)
    files = [Path(file).name for file in lab.files]
    answers, notes = read_answers(args.handins, files)
    for folder in args.earlier:
        older, odd = read_answers(folder, files, year=f"{folder.name}/")
        answers, notes = answers + older, notes + odd
    starter = handed_out({name: (lab.starter / name).read_text() for name in files})
    if args.files:
        write_files(args.files, answers)
    drop_common(answers, starter)
    pairs = find_pairs(answers)
    made = page(f"Lab {lab.number}, {lab.title}", pairs, notes)
    records.write_file(args.out, made.encode())
    print(f"wrote {args.out}: {len(answers)} answers, {len(pairs)} pairs to look at")
    return 0
