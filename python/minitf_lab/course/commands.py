"""The commands ``./lab judge`` and those of ``./lab course``."""

import argparse
import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

from minitf_lab import project
from minitf_lab.course import (
    class_records,
    clock,
    collect,
    export,
    judging,
    keys,
    late,
    packs,
    replay,
    report,
    run,
    similar,
    verify,
)
from minitf_lab.course.release import release_cli
from minitf_lab.judge import sandbox
from minitf_lab.labs import answers, builds
from minitf_lab.labs.handin import intake, records

Run = Callable[[argparse.Namespace], int]
Shared = argparse.ArgumentParser  # options that several commands have
Add = Callable[..., argparse.ArgumentParser]


# ---- ./lab judge ----------------------------------------------------------------------


def _judge(args: argparse.Namespace) -> int:
    lab = project.lab_at(args.lab)
    # Who has no course has nothing to keep secret.
    key = keys.open_key(args.key, args.passphrase_file) if args.key else b""
    project.share_cores(max(1, args.share))
    with run.locked(args.out) if args.keep else contextlib.nullcontext():
        if args.keep and not args.again and run.is_judged(args.out, key):
            print(f"{args.out}: judged already")
            return 0
        record = _judged(lab, args, key)
        records.write(args.out, record)
    score = "no mark" if record["score"] is None else f"{record['score']:g}"
    print(f"{record['status']}: {score} of {record['max_score']} points; see {args.out}")
    if record["status"] != "graded":
        print(records.failure(record))
    else:
        for test in record["tests"]:
            print(f"  {test['id']} {test['title']}: {test['verdict']}")
    return 0 if record["status"] == "graded" else 1 if not args.keep else 0


def _box(args: argparse.Namespace) -> sandbox.Box | None:
    """What contains the code of students.

    Raises:
        LabError: nothing does here, and nobody has said that this is for practice.
    """
    return None if args.no_sandbox else sandbox.find_box()


def _judged(lab: project.Lab, args: argparse.Namespace, key: bytes) -> dict:
    """The record of a hand-in, also of one that is not taken."""
    if not args.no_build:
        builds.build_framework(lab)
    try:
        with answers.scratch() as folder:
            hand_in = intake.take(lab, args.hand_in, folder / "files")
            if args.keep and args.out.name != f"{hand_in.sha256}.json":
                raise project.LabError(
                    f"{args.hand_in}: its files were changed after they were collected"
                )
            if not args.pack:
                return judging.judge(lab, hand_in, key, box=_box(args))
            with packs.with_pack(lab, args.pack, key) as packed:
                return judging.judge(packed, hand_in, key, box=_box(args))
    except intake.Rejected as error:
        if args.keep:
            raise
        return judging.refused(lab, judging.digest_of(args.hand_in), str(error), key)


# ---- ./lab course ---------------------------------------------------------------------


def _key(args: argparse.Namespace) -> bytes:
    return keys.open_key(args.course / "key", args.passphrase_file)


def _place(args: argparse.Namespace) -> run.Place:
    return run.Place(args.course.absolute(), project.lab_at(args.lab))


def _keys(args: argparse.Namespace) -> int:
    path = args.course / "key"
    if args.new:
        keys.refuse_to_replace(path)  # before anybody is asked for a passphrase
        passphrase = ""
        if args.encrypt:
            passphrase = keys.read_passphrase(args.passphrase_file, is_new=True)
        key = keys.make(path, passphrase)
        print(f"{path}: a new key, {records.key_id(key)}; keep a copy in another place")
        return 0
    if args.encrypt:
        if keys.needs_passphrase(path):
            raise project.LabError(f"{path} is encrypted already")
        keys.encrypt(path, "", keys.read_passphrase(args.passphrase_file, is_new=True))
    elif args.decrypt:
        keys.encrypt(path, keys.read_passphrase(args.passphrase_file), "")
    state = "encrypted" if keys.needs_passphrase(path) else "not encrypted"
    name = records.key_id(_key(args)) if state == "not encrypted" else keys.name_of(path)
    print(f"{path}: the key {name}, {state}")
    return 0


def _collect(args: argparse.Namespace) -> int:
    lab = project.lab_at(args.lab)
    extensions = late.read_extensions(args.extensions) if args.extensions else {}
    if not args.due and (extensions or args.grace != clock.GRACE):
        raise project.LabError("--extensions and --grace need a due date: add --due TIME")
    due = clock.deadline_of(args)
    zone = clock.zone_of(args.zone, args.course)
    terms = collect.Terms(due, args.late, args.accept, extensions, zone)
    found = collect.collect(lab, args.source, args.course, terms)
    collect.print_summary(found, lab)
    return 1 if found.refused or found.odd else 0


def _grade(args: argparse.Namespace) -> int:
    place = _place(args)
    key = _key(args)
    box = _box(args)
    options = run.Options(
        jobs=max(1, args.jobs),
        again=args.again,
        outdated=args.outdated,
        only=tuple(args.only),
        no_sandbox=args.no_sandbox,
        is_shown=True,
    )
    builds.build_framework(place.lab)
    if run.waiting(place, key, options):
        packs.refuse_wrong(place.lab, place.pack, key, box)
    if args.list:
        more = []
        if args.passphrase_file:
            more += ["--passphrase-file", str(args.passphrase_file.absolute())]
        for line in run.commands(place, key, options, more):
            print(line)
        return 0
    found = run.grade(place, key, options)
    run.print_progress(found, place.lab)
    return 1 if found.failed else 0


def _pack(args: argparse.Namespace) -> int:
    place, key = _place(args), _key(args)
    if args.remove or args.out:
        if args.out:
            packs.take_out(place.course, place.lab, key, args.out)
            print(f"wrote {args.out}: in clear, so keep it where students are not")
        if args.remove:
            packs.remove(place.course, place.lab)
            print(f"lab {place.lab.number} has no private cases any more")
        return 0
    if args.source:
        if os.path.lexists(place.pack) and not args.replace:
            raise project.LabError(
                f"{place.pack} is there already: --replace puts this one in its place"
            )
        builds.build_framework(place.lab)
        packs.put(place.course, place.lab, args.source, key, _box(args))
    with packs.with_pack(place.lab, place.pack, key) as lab:
        if not lab.pack:
            print(f"lab {lab.number} has no private cases")
            return 0
        print(packs.describe(packs.cases_of(lab), lab.pack_id))
    return 0


def _replay(args: argparse.Namespace) -> int:
    place, key = _place(args), _key(args)
    builds.build_framework(place.lab)
    return replay.show(place, args.student, key, _box(args))


def _verify(args: argparse.Namespace) -> int:
    labs = [project.lab_at(args.lab)] if args.lab else []
    return 1 if verify.verify(args.course, _key(args), labs) else 0


def _of_records(does: Run) -> Run:
    """The command on the records of a lab, or on those that are named.

    A lab stands for its records in the course, checked with the course's key.
    """

    def find_and_run(args: argparse.Namespace) -> int:
        source = Path(args.source)
        is_lab = (source / "lab.json").is_file() or not source.exists()
        if getattr(args, "format", "") == export.OF_LAB:
            project.find_lab(args.source)
            args.key = args.key or args.course / "key"
        elif is_lab:
            args.source = args.course / "records" / _lab_of(source).folder
            args.key = args.key or args.course / "key"
        args.key_bytes = None
        if args.key:
            args.key_bytes = keys.open_key(args.key, args.passphrase_file)
        return does(args)

    return find_and_run


def _lab_of(source: Path) -> project.Lab:
    """The lab of a number or a folder, where a path of records may be given too."""
    if (source / "lab.json").is_file():
        return project.lab_at(str(source))
    try:
        return project.find_lab(str(source))
    except project.LabError as error:
        raise project.LabError(f"there is no file {source}, and {error}") from error


def _similar(args: argparse.Namespace) -> int:
    if not args.handins:
        folder = project.lab_at(args.lab).folder
        args.handins = args.course / "handins" / folder
    return similar.run(args)


def _book(args: argparse.Namespace) -> int:
    found = class_records.read_class(Path(args.source), args.roster, args.key_bytes)
    rule, strangers = late.rule_for(found, args)
    said, notes = late.book(found, rule)
    export.give(said, args.out)
    notes += late.strangers_said(found, strangers)
    for note in [*notes, *found.problems]:
        print(f"look at: {note}", file=sys.stderr)
    return 1 if found.problems else 0


# ---- What argparse is told ------------------------------------------------------------


def _shared() -> argparse.ArgumentParser:
    return argparse.ArgumentParser(add_help=False)


def _own(*, has_key: bool = True) -> argparse.ArgumentParser:
    """The options of a command on a course, which may need its key."""
    own = _shared()
    text = "where everything is (default: $MINITF_COURSE, or course/)"
    place = project.course_folder()
    own.add_argument("--course", type=Path, metavar="FOLDER", default=place, help=text)
    if has_key:
        text = "of the key"
        own.add_argument("--passphrase-file", type=Path, metavar="FILE", help=text)
    return own


def _add_no_sandbox(parser: argparse.ArgumentParser) -> None:
    text = "for practice only: nothing keeps the code of students from doing harm"
    parser.add_argument("--no-sandbox", action="store_true", help=text)


def _box_options() -> argparse.ArgumentParser:
    box = _shared()
    _add_no_sandbox(box)
    return box


def _records_options() -> argparse.ArgumentParser:
    records = _shared()
    text = "everybody: a CSV file with a column id"
    records.add_argument("--roster", type=Path, metavar="FILE", help=text)
    text = "check that it has signed all records"
    records.add_argument("--key", type=Path, metavar="FILE", help=text)
    return records


def _days() -> argparse.ArgumentParser:
    """The options that say how times are read."""
    days = _shared()
    text = "a CSV file student,days: who may be later"
    days.add_argument("--extensions", type=Path, metavar="FILE", help=text)
    place = f"COURSE/{clock.ZONE_FILE}"
    text = f"the course's time zone, such as Europe/Berlin (default: {place})"
    days.add_argument("--zone", default="", metavar="NAME", help=text)
    text = f"so much later is still in time: 90s, 5m, 1h or 0 (default: {clock.GRACE})"
    days.add_argument("--grace", default=clock.GRACE, metavar="TIME", help=text)
    return days


def add_commands(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds ``judge`` and ``course`` to the tool's commands."""
    sub = command("judge", _judge, "judge a hand-in: its record, as a JSON file")
    sub.add_argument("lab", metavar="LAB_FOLDER", help="or a number, such as 04")
    sub.add_argument("hand_in", metavar="HAND_IN", type=Path, help="a folder, zip or tar")
    sub.add_argument("--out", type=Path, metavar="FILE.json", required=True)
    sub.add_argument("--key", type=Path, metavar="FILE", help="of the course; or -")
    sub.add_argument("--passphrase-file", type=Path, metavar="FILE", help="of the key")
    text = "do nothing if FILE.json is there already"
    sub.add_argument("--keep", action="store_true", help=text)
    sub.add_argument("--again", action="store_true", help="keep: judge it nevertheless")
    sub.add_argument("--pack", type=Path, metavar="FILE", help="private cases, sealed")
    _add_no_sandbox(sub)
    sub.add_argument("--no-build", action="store_true", help="minitf is up to date")
    sub.add_argument("--share", type=int, default=1, help="so many do this at a time")

    text = "run a course: release, keys, collect, grade, report, export, and more"
    add_course(
        command("course", None, text).add_subparsers(required=True, metavar="WHAT")
    )


def add_course(commands: argparse._SubParsersAction) -> None:
    """Adds the commands of ``./lab course``."""

    def add(
        name: str, does: Run, text: str, *shared: argparse.ArgumentParser
    ) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text, parents=shared)
        sub.set_defaults(run=does)
        return sub

    _add_judging(add, _own(), _box_options(), _days())
    release_cli.add_command(commands)
    _add_output(add, _own(), _records_options(), _days())


def _add_judging(add: Add, own: Shared, box: Shared, days: Shared) -> None:
    """Adds the commands that collect and grade submissions."""
    sub = add("keys", _keys, "the key that signs records and draws numbers", own)
    sub.add_argument("--new", action="store_true", help="make one; replaces none")
    sub.add_argument("--encrypt", action="store_true", help="by a passphrase")
    sub.add_argument("--decrypt", action="store_true", help="keep it without one")

    text = "take the hand-ins of a class"
    sub = add("collect", _collect, text, _own(has_key=False), days)
    sub.add_argument("lab", metavar="LAB")
    text = "a folder, a download of a gradebook, or a .txt of Git repositories"
    sub.add_argument("source", metavar="FROM", type=Path, help=text)
    text = "such as 2026-10-01T23:59, or 2026-10-01 for the end of that day"
    sub.add_argument("--due", default="", metavar="TIME", help=text)
    text = "take what came later of those who have nothing in time"
    sub.add_argument("--late", action="store_true", help=text)
    text = "these hand-ins count before all others, as after an appeal"
    sub.add_argument("--accept", action="store_true", help=text)

    sub = add("pack", _pack, "private cases of your own, kept encrypted", own, box)
    sub.add_argument("lab", metavar="LAB")
    text = "a file of cases, or a folder with some and their data; shows the pack if none"
    sub.add_argument("source", metavar="FROM", type=Path, nargs="?", help=text)
    sub.add_argument("--replace", action="store_true", help="take the place of another")
    sub.add_argument("--remove", action="store_true", help="have none any more")
    text = "write what is in it to a new folder, in clear"
    sub.add_argument("--out", type=Path, metavar="FOLDER", help=text)

    sub = add("grade", _grade, "judge all hand-ins that are not judged yet", own, box)
    sub.add_argument("lab", metavar="LAB")
    sub.add_argument("--jobs", type=int, default=1, metavar="N", help="at the same time")
    sub.add_argument("--again", action="store_true", help="also those that are judged")
    text = "also those judged with an earlier version of the lab, or other private cases"
    sub.add_argument("--outdated", action="store_true", help=text)
    text = "these students alone"
    sub.add_argument("--only", nargs="+", default=[], metavar="STUDENT", help=text)
    text = "print a command for each, for GNU parallel or a Slurm array; run none"
    sub.add_argument("--list", action="store_true", help=text)

    text = "judge a hand-in again, compare, show what its student sees; changes nothing"
    sub = add("replay", _replay, text, own, box)
    sub.add_argument("student", metavar="STUDENT")
    sub.add_argument("lab", metavar="LAB")

    sub = add("verify", _verify, "check the signatures of all records", own)
    sub.add_argument("lab", metavar="LAB", nargs="?")


def _add_output(add: Add, own: Shared, of_class: Shared, days: Shared) -> None:
    """Adds the commands that write reports and exports, and change no record."""
    text = "pages for each student, and one for the class"
    sub = add("report", _of_records(report.run), text, own, of_class)
    sub.add_argument("source", metavar="LAB", help="a lab, or a folder of records")
    text = "folder to write (default: report)"
    sub.add_argument("--out", type=Path, default=Path("report"), help=text)
    text = "show what waits for the due date"
    sub.add_argument("--after-due", action="store_true", help=text)

    text = "passages that answers have in common, side by side"
    sub = add("similar", _similar, text, _own(has_key=False))
    sub.add_argument("lab", metavar="NN")
    text = "with one for each student"
    sub.add_argument("handins", metavar="FOLDER", type=Path, nargs="?", help=text)
    another = {"metavar": "FOLDER", "type": Path, "help": "another year's"}
    sub.add_argument("--earlier", action="append", default=[], **another)
    text = "page to write (default: similar.html)"
    sub.add_argument("--out", type=Path, default=Path("similar.html"), help=text)
    text = "write what is compared there too, for a tool such as copydetect"
    sub.add_argument("--files", type=Path, metavar="FOLDER", help=text)

    cost = {"metavar": "RULE", "help": 'what days after --due cost: "10%%/day,max 3"'}
    text = "points of a class after late days, as a table"
    sub = add("book", _of_records(_book), text, own, of_class, days)
    sub.add_argument("source", metavar="LAB", help="a number, or a folder of records")
    sub.add_argument("--due", metavar="TIME", required=True, help="2026-10-01T23:59")
    sub.add_argument("--late", required=True, **cost)
    sub.add_argument("--out", type=Path, metavar="FILE", help="to write (default: print)")

    text = "marks for the platforms that schools use"
    sub = add("export", _of_records(export.run), text, own, of_class, days)
    sub.add_argument("format", choices=export.FORMATS)
    text = "a lab's number, a record, or a folder of them"
    sub.add_argument("source", metavar="SOURCE", help=text)
    sub.add_argument("--out", type=Path, metavar="FILE", help="to write (default: print)")
    text = "canvas: the file it exported"
    sub.add_argument("--gradebook", type=Path, metavar="FILE", help=text)
    sub.add_argument("--assignment", metavar="NAME", help="canvas: its name or id")
    text = (
        "canvas: how hand-ins are called (default: ID if Canvas gave them, else SIS "
        "Login ID)"
    )
    sub.add_argument("--match", default="", metavar="COLUMN", help=text)
    kinds = ("Email address", "ID number")
    text = "moodle: how it knows students (default: Email address)"
    sub.add_argument("--identity", choices=kinds, default=kinds[0], help=text)
    sub.add_argument("--due", default="", metavar="TIME", help="when it was due")
    sub.add_argument("--late", default="", **cost)


def main(arguments: list[str]) -> int:
    """Runs one command of ``./lab course``; returns the exit status."""
    parser = argparse.ArgumentParser(prog="./lab course")
    add_course(parser.add_subparsers(required=True, metavar="COMMAND"))
    args = parser.parse_args(arguments)
    try:
        return args.run(args)
    except project.LabError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
