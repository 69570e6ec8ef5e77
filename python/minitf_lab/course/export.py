"""``./lab course export``: marks for the platforms that schools use.

Some formats are for the record of one hand-in, others for the whole class. Nothing is
exported of a class in which something is odd, and no format turns a fault of the grader
into a mark.
"""

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

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


def _need(args: argparse.Namespace, option: str, what: str) -> Any:
    value = getattr(args, option)
    if not value:
        raise project.LabError(f"{args.format} needs --{option}: {what}")
    return value


def give(said: str, out: Path | None) -> None:
    """Writes the text to a file, or prints it as UTF-8, whatever the terminal speaks."""
    if out:
        records.write_file(out, said.encode())
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(said.encode())
    sys.stdout.buffer.flush()


def _export_class(args: argparse.Namespace) -> list[str]:
    found = class_records.read_class(Path(args.source), args.roster, args.key_bytes)
    if found.problems:
        lines = "\n  ".join(found.problems)
        raise project.LabError(f"nothing is exported; put right first:\n  {lines}")
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
    if args.format == "nbgrader":
        path = _need(args, "out", "the gradebook.db of the course")
        return export_nbgrader.export(path, found)
    if args.format == "canvas":
        path = _need(args, "gradebook", "the CSV file that you exported from Canvas")
        wanted = _need(args, "assignment", "its name or id in Canvas")
        said, notes = export_csv.canvas(path, wanted, args.match, found)
    elif args.format == "moodle":
        said, notes = export_csv.moodle(found, args.identity)
    elif args.format == "nbgrader-csv":
        said, notes = export_csv.nbgrader(found, args.due)
    else:
        said, notes = export_lti.export(found, datetime.now(UTC))
    give(said, args.out)
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
        path = _need(args, "out", "the zip to write")
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
            give(export_classroom.log(record), None)
        if args.format != "classroom" or args.out:
            give(OF_RECORD[args.format](record), args.out)
    else:
        notes = _export_class(args)
    for note in notes:
        print(f"not exported: {note}", file=sys.stderr)
    return 1 if notes else 0
