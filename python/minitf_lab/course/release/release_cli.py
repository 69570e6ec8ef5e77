"""The command ``./lab course release``, and what it says of what it has made."""

import argparse
from collections import Counter
from pathlib import Path

from rich.table import Table

from minitf_lab.course.release import release, release_files, release_out
from minitf_lab.course.release.reference_objects import OBJECTS
from minitf_lab.labs import report


def _size(count: int) -> str:
    """A number of bytes for a person.

    >>> _size(512), _size(6481410)
    ('512 bytes', '6.5 MB')
    """
    for unit, name in ((1_000_000, "MB"), (1000, "kB")):
        if count >= unit:
            return f"{count / unit:.1f} {name}"
    return f"{count} bytes"


def _print_left(made: release.Made) -> None:
    """Prints what students do not get, and why."""
    table = Table(title="Left out", title_justify="left")
    table.add_column("what")
    table.add_column("number", justify="right")
    table.add_column("size", justify="right")
    numbers, sizes = Counter(), Counter()
    for one in made.left:
        numbers[one.why] += 1
        sizes[one.why] += one.bytes
    for why, number in numbers.most_common():
        table.add_row(why, str(number), _size(sizes[why]))
    report.console().print(table)


def _run(args: argparse.Namespace) -> int:
    choice = release_files.choose(args.labs, args.track, args.past)
    release_out.check(args.out)
    over = {lab.number for lab in choice.past}
    known = [number for number in release_out.past_of(args.out) if number not in over]
    made = release.make(choice)
    if args.list:
        for one in sorted(made.left, key=lambda one: one.name):
            print(f"{one.name}: {one.why}")
    _print_left(made)
    if unknown := release_files.unknown_files():
        print(f"Git does not know these files, so nobody gets them: {', '.join(unknown)}")
    commit = release.write(made, choice, args.out)
    objects = sum(path.startswith(f"{OBJECTS}/") for path in made.files)
    size = _size(sum(map(len, made.files.values())))
    print(f"{args.out}: {len(made.files) + 1} files, {size}; {objects} are compiled")
    print(f"labs: {', '.join(lab.number for lab in choice.labs)}")
    if choice.past:
        print(f"with minitf's answers: {', '.join(lab.number for lab in choice.past)}")
    if known:
        print(f"minitf's answers to {', '.join(known)} went out before: Git keeps them")
    print("canary: none of the secrets came out, and no passage of them stands in a file")
    print(
        f"a new commit: {commit}" if commit else "nothing is new: there is no new commit"
    )
    return 0


def add_command(course: argparse._SubParsersAction) -> None:
    """Adds ``release`` to the commands of ``./lab course``."""
    text = "make a repository for students, without answers and hidden cases"
    sub = course.add_parser("release", help=text, description=text)
    sub.set_defaults(run=_run)
    which = sub.add_mutually_exclusive_group()
    text = "the labs to hand out, such as 00,01 (default: all)"
    which.add_argument("--labs", default="", metavar="NN,NN", help=text)
    text = "the labs of a course in exercises/tracks.json"
    which.add_argument("--track", default="", metavar="NAME", help=text)
    text = "labs that are over: minitf's own answers go along as source"
    sub.add_argument("--past", default="", metavar="NN,NN", help=text)
    text = "a new or empty folder, or an earlier release"
    sub.add_argument("--out", type=Path, required=True, metavar="FOLDER", help=text)
    sub.add_argument("--list", action="store_true", help="name every file left out")
