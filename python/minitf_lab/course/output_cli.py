"""The commands of ``./lab course`` that give something out: report, similar, export.

They read records and hand-ins, and change neither.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

from minitf_lab import project
from minitf_lab.course import (
    class_records,
    clock,
    export,
    keys,
    late,
    report,
    similar,
)


def _in_course(run: Any) -> Any:
    """The command on a lab of the course, or on the files that are named.

    A lab's number stands for its records in the course, checked with the course's key.
    """

    def find_and_run(args: argparse.Namespace) -> int:
        is_lab = getattr(args, "format", "") == export.OF_LAB
        source = Path(args.source)
        is_lab_folder = (source / "lab.json").is_file()
        if is_lab:
            project.find_lab(args.source)
            args.key = args.key or Path(args.course) / "key"
        elif is_lab_folder or not source.exists():
            course = Path(args.course)
            args.source = course / "records" / _lab(args.source).folder
            args.key = args.key or course / "key"
        args.key_bytes = None
        if args.key:
            secret = Path(args.passphrase_file) if args.passphrase_file else None
            args.key_bytes = keys.open_key(Path(args.key), secret)
        return run(args)

    return find_and_run


def _lab(said: str) -> project.Lab:
    """The lab of a number, where a path may be given too."""
    if (Path(said) / "lab.json").is_file():
        return project.lab_at(said)
    try:
        return project.find_lab(said)
    except project.LabError as error:
        raise project.LabError(f"there is no file {said}, and {error}") from error


def _similar(args: argparse.Namespace) -> int:
    if not args.handins:
        folder = project.lab_at(args.lab).folder
        args.handins = Path(args.course) / "handins" / folder
    return similar.run(args)


def _book(args: argparse.Namespace) -> int:
    roster = class_records.read_roster(Path(args.roster)) if args.roster else None
    found = class_records.read_class(Path(args.source), roster, args.key_bytes)
    rule, strangers = late.rule_for(found, args)
    said, notes = late.book(found, rule)
    export.give(args, said)
    notes += late.strangers_said(found, strangers)
    for note in [*notes, *found.problems]:
        print(f"look at: {note}", file=sys.stderr)
    return 1 if found.problems else 0


def _add_late(sub: argparse.ArgumentParser, *, is_needed: bool) -> None:
    said = 'what days after --due cost, such as "10%%/day,max 3"'
    sub.add_argument("--late", metavar="RULE", default="", help=said, required=is_needed)
    said = "a CSV file student,days: who may be later"
    sub.add_argument("--extensions", type=Path, metavar="FILE", help=said)
    clock.add_options(sub)


def _add_course(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--course",
        metavar="FOLDER",
        default=str(project.course_folder()),
        help="where everything is (default: $MINITF_COURSE, or course/)",
    )


def _add_common(sub: argparse.ArgumentParser) -> None:
    _add_course(sub)
    sub.add_argument(
        "--roster", metavar="FILE", help="everybody: a CSV file with a column id"
    )
    sub.add_argument("--key", metavar="FILE", help="check that it has signed all records")
    sub.add_argument("--passphrase-file", metavar="FILE", help="of the key")


def add_commands(commands: Any) -> None:
    """Adds the commands to the subparsers of ``./lab course``."""
    said = "pages for each student, and one for the class"
    sub = commands.add_parser("report", help=said, description=said)
    sub.add_argument("source", metavar="LAB", help="a lab, or a folder of records")
    sub.add_argument("--out", default="report", help="folder to write (default: report)")
    sub.add_argument(
        "--after-due", action="store_true", help="show what waits for the due date"
    )
    _add_common(sub)
    sub.set_defaults(run=_in_course(report.run))

    said = "passages that answers have in common, side by side"
    sub = commands.add_parser("similar", help=said, description=said)
    sub.add_argument("lab", metavar="NN")
    sub.add_argument(
        "handins", metavar="FOLDER", nargs="?", help="with one for each student"
    )
    _add_course(sub)
    sub.add_argument(
        "--earlier", metavar="FOLDER", action="append", default=[], help="another year's"
    )
    sub.add_argument(
        "--out", default="similar.html", help="page to write (default: similar.html)"
    )
    sub.add_argument(
        "--files",
        metavar="FOLDER",
        help="write what is compared there too, for a tool such as copydetect",
    )
    sub.set_defaults(run=_similar)

    said = "points of a class after late days, as a table"
    sub = commands.add_parser("book", help=said, description=said)
    sub.add_argument("source", metavar="LAB", help="a number, or a folder of records")
    sub.add_argument("--due", metavar="TIME", required=True, help="2026-10-01T23:59")
    sub.add_argument("--out", metavar="FILE", help="to write (default: print)")
    _add_late(sub, is_needed=True)
    _add_common(sub)
    sub.set_defaults(run=_in_course(_book))

    said = "marks for the platforms that schools use"
    sub = commands.add_parser("export", help=said, description=said)
    sub.add_argument("format", choices=export.FORMATS)
    sub.add_argument(
        "source", metavar="SOURCE", help="a lab's number, a record, or a folder of them"
    )
    sub.add_argument("--out", metavar="FILE", help="to write (default: print)")
    _add_common(sub)
    sub.add_argument("--gradebook", metavar="FILE", help="canvas: the file it exported")
    sub.add_argument("--assignment", metavar="NAME", help="canvas: its name or id")
    sub.add_argument(
        "--match",
        default="",
        metavar="COLUMN",
        help="canvas: how hand-ins are called (default: ID if Canvas gave them, else SIS "
        "Login ID)",
    )
    sub.add_argument(
        "--identity",
        choices=("Email address", "ID number"),
        default="Email address",
        help="moodle: how it knows students (default: Email address)",
    )
    sub.add_argument("--due", default="", metavar="TIME", help="when it was due")
    _add_late(sub, is_needed=False)
    sub.set_defaults(run=_in_course(export.run))


def main(arguments: list[str]) -> int:
    """Runs one command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="./lab course")
    add_commands(parser.add_subparsers(required=True, metavar="COMMAND"))
    args = parser.parse_args(arguments)
    try:
        return args.run(args)
    except project.LabError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
