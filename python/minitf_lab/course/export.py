"""``./lab course export``: marks for the platforms that schools use.

Some formats are for the record of one hand-in, others for the whole class. Nothing is
exported of a class in which something is odd, and no format turns a fault of the grader
into a mark.
"""

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path

from minitf_lab import project
from minitf_lab.course import class_records, clock, late, text
from minitf_lab.course.formats import (
    export_autolab,
    export_check50,
    export_classroom,
    export_csv,
    export_gradescope,
    export_lti,
    export_nbgrader,
    gradescope_zip,
)
from minitf_lab.labs.handin import records

# Of one record: what is written, or printed if no --out is given.
OF_RECORD = {
    "gradescope": export_gradescope.export,
    "classroom": export_classroom.output,
    "autolab": export_autolab.export,
    "check50": export_check50.export,
}
OF_CLASS = ("canvas", "moodle", "nbgrader", "nbgrader-csv", "lti")
OF_LAB = "gradescope-zip"
FORMATS = (*OF_RECORD, *OF_CLASS, OF_LAB)


def _need(args: argparse.Namespace, option: str, what: str) -> str:
    value = getattr(args, option)
    if not value:
        raise project.LabError(f"{args.format} needs --{option}: {what}")
    return value


def _print(said: str) -> None:
    """Prints it as UTF-8, whatever the terminal speaks."""
    sys.stdout.flush()
    sys.stdout.buffer.write(said.encode())
    sys.stdout.buffer.flush()


def give(args: argparse.Namespace, said: str) -> None:
    """Writes the text to ``--out``, or prints it."""
    if args.out:
        records.write_file(Path(args.out), said.encode())
    else:
        _print(said)


def _class(args: argparse.Namespace) -> class_records.ClassRecords:
    """The records of the class; none of them is odd."""
    roster = class_records.read_roster(Path(args.roster)) if args.roster else None
    found = class_records.read_class(Path(args.source), roster, args.key_bytes)
    if found.problems:
        lines = "\n  ".join(found.problems)
        raise project.LabError(f"nothing is exported; put right first:\n  {lines}")
    return found


def _export_class(args: argparse.Namespace) -> list[str]:
    found = _class(args)
    late_notes: list[str] = []
    if not args.late and (args.extensions or args.zone or args.grace != clock.GRACE):
        raise project.LabError(
            "--extensions, --zone and --grace are for late days: add --late RULE"
        )
    if args.late:
        if args.format == "nbgrader":
            raise project.LabError("nbgrader counts late days itself: leave --late out")
        rule, strangers = late.rule_for(found, args)
        late_notes = late.notes(found, rule) + late.strangers_said(found, strangers)
        late.apply(found, rule)
    for name in found.missing:
        print(f"{text.one_line(name)}: handed in nothing", file=sys.stderr)
    roster = class_records.read_roster(Path(args.roster)) if args.roster else None
    if args.format == "nbgrader":
        path = _need(args, "out", "the gradebook.db of the course")
        return export_nbgrader.export(Path(path), found, roster)
    if args.format == "canvas":
        path = Path(
            _need(args, "gradebook", "the CSV file that you exported from Canvas")
        )
        wanted = _need(args, "assignment", "its name or id in Canvas")
        said, notes = export_csv.canvas(path, wanted, args.match, found)
    elif args.format == "moodle":
        said, notes = export_csv.moodle(found, roster, args.identity)
    elif args.format == "nbgrader-csv":
        said, notes = export_csv.nbgrader(found, roster, args.due)
    else:
        said, notes = export_lti.export(found, roster, datetime.now(UTC))
    give(args, said)
    for note in late_notes:
        print(f"look at: {note}", file=sys.stderr)
    return notes


def run(args: argparse.Namespace) -> int:
    """Runs the command; returns the exit status, 1 if somebody is left out.

    Raises:
        LabError: the format, the records or an option does not fit.
    """
    notes: list[str] = []
    if args.format == OF_LAB:
        path = Path(_need(args, "out", "the zip to write"))
        lab = project.find_lab(args.source)
        records.write_file(path, gradescope_zip.make(lab, args.key_bytes))
        print(f"wrote {path}: upload it as the autograder of lab {lab.number}")
    elif args.format in OF_RECORD:
        path = Path(args.source)
        if path.is_dir():
            raise project.LabError(
                f"{args.format} is of one hand-in: name its record, a file in {path}"
            )
        record = class_records.read_record(path, args.key_bytes)
        if args.format == "classroom":
            _print(export_classroom.log(record))
        if args.format != "classroom" or args.out:
            give(args, OF_RECORD[args.format](record))
    else:
        notes = _export_class(args)
    for note in notes:
        print(f"not exported: {note}", file=sys.stderr)
    return 1 if notes else 0
