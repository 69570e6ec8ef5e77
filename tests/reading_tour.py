"""The tour through the source: ``Read next`` visits each header of the book once.

The headers of the core form one chain, which ``docs/reading_order.md`` cuts into rooms: a
room of its table begins at a header, and the chain has gone through all headers of the
room when it comes to the next one. Every other file, C++ or Python, points to one that is
there, and to none from which the way leads back to it. The book is what the document
visits: the chain, and the files that its stages name.

The walks of ``docs/walks.md`` are checked, too: a walk comes to a file once, and
the file has the function that is named beside it.

``python tests/reading_tour.py`` prints how long the book is.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

ORDER = Path("docs/reading_order.md")
WALKS = Path("docs/walks.md")
MOST_LINES = 14_000
ROOMS_HEADING = "Every header, once"
WALK_HEADING = "A walk: "

CORE = ["minitf", "kernels/cpu"]
CPP = [*CORE, "python"]
READ_NEXT = re.compile(r"^// Read next  (\S+)$", re.M)
PYTHON = Path("python/minitf")
PYTHON_READ_NEXT = re.compile(r"Read\s+next:\s+``([^`]+)``")
SOURCE = re.compile(r"`((?:minitf|kernels|python)/[\w/.]+\.(?:h|cc|py))`")
# A row of a walk: a file, and the function in which it does its part.
STEP = re.compile(r"^\| `([\w/.]+)` \| `([\w:]+)` \|", re.M)

Finding = tuple[str, str]  # a path, and a sentence


def section(page: Path, heading: str) -> str:
    """What stands in ``page`` below the heading that ends in ``heading``."""
    found = re.search(rf"^## [^\n]*{re.escape(heading)}[^\n]*\n(.*?)(?=^## |\Z)",
                      page.read_text(), re.M | re.S)  # fmt: skip
    return found[1] if found else ""


def sources(tops: list[str], suffixes: tuple[str, ...]) -> list[str]:
    """All files with these suffixes, without those of families and of the C API."""
    paths = (path for top in tops for path in Path(top).rglob("*"))
    return sorted(
        str(path)
        for path in paths
        if path.suffix in suffixes and not {"contrib", "c"} & set(path.parts)
    )


def read_next(path: str) -> str | None:
    """Where ``path`` leads, or None if it does not say so.

    A Python file names another one from its own folder, from that of the package, of the
    bindings, or from the top.
    """
    is_python = path.endswith(".py")
    found = (PYTHON_READ_NEXT if is_python else READ_NEXT).search(Path(path).read_text())
    if found is None or not is_python:
        return found and found[1]
    folders = [Path(path).parent, PYTHON, Path("python/bindings"), Path()]
    names = [str(folder / found[1]) for folder in folders]
    return next((name for name in names if Path(name).exists()), found[1])


def rooms() -> list[tuple[str, str]]:
    """The rooms of the tour, each with the header at which it begins."""
    rows = re.findall(r"^\| `([\w/]+)` \| `([\w/.]+)` \|", section(ORDER, ROOMS_HEADING),
                      re.M)  # fmt: skip
    return [(room, first) for room, first in rows]


def chain(first: str) -> list[str]:
    """The headers from ``first`` on, up to one that leads elsewhere or back."""
    found = [first]
    seen = {first}
    following = read_next(first)
    while following and following.endswith(".h") and following not in seen:
        if not Path(following).exists():
            break
        found.append(following)
        seen.add(following)
        following = read_next(following)
    return found


def book() -> list[str]:
    """The C++ files that docs/reading_order.md visits."""
    named = [name for name in SOURCE.findall(ORDER.read_text()) if name[-3:] != ".py"]
    visited = chain(rooms()[0][1]) + [name for name in named if Path(name).exists()]
    return list(dict.fromkeys(visited))


def lines_of(paths: Iterable[str]) -> int:
    """How many lines these files have together."""
    return sum(len(Path(path).read_text().splitlines()) for path in paths)


def chain_findings() -> Iterator[Finding]:
    """What is wrong with the chain of headers."""
    if not rooms():
        yield str(ORDER), f"has no table of rooms under '{ROOMS_HEADING}'"
        return
    visited = chain(rooms()[0][1])
    last, end = visited[-1], read_next(visited[-1])
    if end in visited:
        yield last, f"'Read next' leads back to {end}: the tour is a circle"
    elif not end or not Path(end).exists():
        yield last, f"'Read next' leads to {end}, which is not there"
    for header in sources(CORE, (".h",)):
        if header not in visited:
            yield header, "no 'Read next' of the tour leads here (docs/reading_order.md)"
    yield from room_findings(visited)


def room_findings(visited: list[str]) -> Iterator[Finding]:
    """Rooms that do not begin where the table says, or that the chain comes back to."""
    expected = dict(rooms())
    begun: list[str] = []
    for header in visited:
        room = next((name for name in expected if header.startswith(name + "/")), None)
        if room is None:
            yield header, f"is in no room of {ORDER}"
        elif room not in begun:
            begun.append(room)
            if expected[room] != header:
                yield str(ORDER), f"{room} begins at {header}, not at {expected[room]}"
        elif room != begun[-1]:
            yield header, f"the tour has left {room} before it comes here"
    if begun != list(expected):
        yield str(ORDER), f"the tour goes through the rooms in another order: {begun}"


def cycle_findings() -> Iterator[Finding]:
    """Files from which ``Read next`` comes back to where it was."""
    following = {path: read_next(path) for path in all_files()}
    for path in following:
        seen = [path]
        while (target := following.get(seen[-1])) is not None and target not in seen:
            seen.append(target)
        if target == path and path == min(seen):
            yield path, f"'Read next' leads in a circle: {' -> '.join(seen)}"
        if not Path(following[path] or path).exists():
            yield path, f"'Read next' leads to {following[path]}, which is not there"


def all_files() -> list[str]:
    """All files of C++ and of the package, those of families too."""
    cpp = [path for top in CPP for path in Path(top).rglob("*")]
    found = [path for path in cpp if path.suffix in (".h", ".cc")]
    return [str(path) for path in [*found, *PYTHON.rglob("*.py")]]


def book_findings() -> Iterator[Finding]:
    """A book that is too long, or names what is not there."""
    for name in SOURCE.findall(ORDER.read_text()):
        if not Path(name).exists():
            yield str(ORDER), f"{name} does not exist"
    if rooms() and (lines := lines_of(book())) > MOST_LINES:
        yield str(ORDER), f"the book has {lines} lines of C++, more than {MOST_LINES}"


def walks() -> dict[str, list[tuple[str, str]]]:
    """The steps of each walk, by its heading: a file, and a function in it."""
    headings = re.findall(rf"^## ({WALK_HEADING}.*)$", WALKS.read_text(), re.M)
    return {heading: STEP.findall(section(WALKS, heading)) for heading in headings}


def walk_findings() -> Iterator[Finding]:
    """Walks with a file twice, or with a file or a function that is not there."""
    found = walks()
    if len(found) != 2:
        yield str(WALKS), f"has {len(found)} walks, needs 2"
    for heading, steps in found.items():
        if len(steps) < 5:
            yield str(WALKS), f"'{heading}' has {len(steps)} steps"
        for name, count in Counter(name for name, _ in steps).items():
            if count > 1:
                yield str(WALKS), f"'{heading}' comes to {name} {count} times"
        for name, function in steps:
            if not Path(name).exists():
                yield str(WALKS), f"'{heading}' names {name}, which does not exist"
            elif not re.search(rf"\b{function}\(", Path(name).read_text()):
                yield str(WALKS), f"'{heading}': {name} has no {function}()"


def findings() -> Iterator[str]:
    """Everything that is wrong, as ``path: sentence``."""
    for check in (chain_findings, cycle_findings, book_findings, walk_findings):
        for path, sentence in check():
            yield f"{path}:1: {sentence}"


if __name__ == "__main__":
    files = book()
    print(f"the book: {len(files)} files, {lines_of(files)} lines of C++")
    for room, _ in rooms():
        inside = [name for name in files if name.startswith(room + "/")]
        print(f"  {room}: {len(inside)} files, {lines_of(inside)} lines")
    print("\n".join(findings()) or "nothing is wrong")
