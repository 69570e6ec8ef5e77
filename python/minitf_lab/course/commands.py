"""The commands ``./lab judge`` and those of ``./lab course``."""

import argparse
import contextlib
import os
from collections.abc import Callable
from pathlib import Path

from minitf_lab import project
from minitf_lab.course import (
    clock,
    collect,
    judging,
    keys,
    late,
    output_cli,
    packs,
    replay,
    run,
    verify,
)
from minitf_lab.course.release import release_cli
from minitf_lab.judge import sandbox
from minitf_lab.labs import builds
from minitf_lab.labs.handin import intake, records

Command = Callable[..., argparse.ArgumentParser]


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
        with judging.scratch() as folder:
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
        if os.path.lexists(path):
            keys.refuse_to_replace(path)
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
    found = collect.collect(lab, args.source, args.course, terms=terms)
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


def add_commands(command: Command) -> None:
    """Adds ``judge`` and ``course`` to the tool's commands."""
    sub = command("judge", _judge, "judge a hand-in: its record, as a JSON file")
    sub.add_argument("lab", metavar="LAB_FOLDER", help="or a number, such as 04")
    sub.add_argument("hand_in", metavar="HAND_IN", type=Path, help="a folder, zip or tar")
    sub.add_argument("--out", type=Path, metavar="FILE.json", required=True)
    sub.add_argument("--key", type=Path, metavar="FILE", help="of the course; or -")
    sub.add_argument("--passphrase-file", type=Path, metavar="FILE", help="of the key")
    sub.add_argument(
        "--keep", action="store_true", help="do nothing if FILE.json is there already"
    )
    sub.add_argument("--again", action="store_true", help="keep: judge it nevertheless")
    sub.add_argument("--pack", type=Path, metavar="FILE", help="private cases, sealed")
    _add_no_sandbox(sub)
    sub.add_argument("--no-build", action="store_true", help="minitf is up to date")
    sub.add_argument("--share", type=int, default=1, help="so many do this at a time")

    text = "run a course: release, keys, collect, grade, report, export, and more"
    course = command("course", None, text).add_subparsers(required=True, metavar="WHAT")
    for add in (_add_keys, _add_collect, _add_pack, _add_grade, _add_replay, _add_verify):
        add(course)
    release_cli.add_command(course)
    output_cli.add_commands(course)


def _add_no_sandbox(sub: argparse.ArgumentParser) -> None:
    text = "for practice only: nothing keeps the code of students from doing harm"
    sub.add_argument("--no-sandbox", action="store_true", help=text)


def _part(
    course: argparse._SubParsersAction, name: str, does: Callable, text: str
) -> argparse.ArgumentParser:
    sub = course.add_parser(name, help=text, description=text)
    sub.set_defaults(run=does)
    sub.add_argument(
        "--course",
        type=Path,
        metavar="FOLDER",
        default=project.course_folder(),
        help="where everything is (default: $MINITF_COURSE, or course/)",
    )
    sub.add_argument("--passphrase-file", type=Path, metavar="FILE", help="of the key")
    return sub


def _add_keys(course: argparse._SubParsersAction) -> None:
    sub = _part(course, "keys", _keys, "the key that signs records and draws numbers")
    sub.add_argument("--new", action="store_true", help="make one; replaces none")
    sub.add_argument("--encrypt", action="store_true", help="by a passphrase")
    sub.add_argument("--decrypt", action="store_true", help="keep it without one")


def _add_collect(course: argparse._SubParsersAction) -> None:
    sub = _part(course, "collect", _collect, "take the hand-ins of a class")
    sub.add_argument("lab", metavar="LAB")
    text = "a folder, a download of a gradebook, or a .txt of Git repositories"
    sub.add_argument("source", metavar="FROM", type=Path, help=text)
    text = "such as 2026-10-01T23:59, or 2026-10-01 for the end of that day"
    sub.add_argument("--due", default="", metavar="TIME", help=text)
    text = "take what came later of those who have nothing in time"
    sub.add_argument("--late", action="store_true", help=text)
    text = "these hand-ins count before all others, as after an appeal"
    sub.add_argument("--accept", action="store_true", help=text)
    text = "a CSV file student,days: who may be later"
    sub.add_argument("--extensions", type=Path, metavar="FILE", help=text)
    clock.add_options(sub)


def _add_grade(course: argparse._SubParsersAction) -> None:
    sub = _part(course, "grade", _grade, "judge all hand-ins that are not judged yet")
    sub.add_argument("lab", metavar="LAB")
    sub.add_argument("--jobs", type=int, default=1, metavar="N", help="at the same time")
    _add_no_sandbox(sub)
    sub.add_argument("--again", action="store_true", help="also those that are judged")
    text = "also those judged with an earlier version of the lab, or other private cases"
    sub.add_argument("--outdated", action="store_true", help=text)
    text = "these students alone"
    sub.add_argument("--only", nargs="+", default=[], metavar="STUDENT", help=text)
    text = "print a command for each, for GNU parallel or a Slurm array; run none"
    sub.add_argument("--list", action="store_true", help=text)


def _add_pack(course: argparse._SubParsersAction) -> None:
    sub = _part(course, "pack", _pack, "private cases of your own, kept encrypted")
    sub.add_argument("lab", metavar="LAB")
    text = "a file of cases, or a folder with some and their data; shows the pack if none"
    sub.add_argument("source", metavar="FROM", type=Path, nargs="?", help=text)
    sub.add_argument("--replace", action="store_true", help="take the place of another")
    sub.add_argument("--remove", action="store_true", help="have none any more")
    text = "write what is in it to a new folder, in clear"
    sub.add_argument("--out", type=Path, metavar="FOLDER", help=text)
    _add_no_sandbox(sub)


def _add_replay(course: argparse._SubParsersAction) -> None:
    text = "judge a hand-in again, compare, show what its student sees; changes nothing"
    sub = _part(course, "replay", _replay, text)
    sub.add_argument("student", metavar="STUDENT")
    sub.add_argument("lab", metavar="LAB")
    _add_no_sandbox(sub)


def _add_verify(course: argparse._SubParsersAction) -> None:
    sub = _part(course, "verify", _verify, "check the signatures of all records")
    sub.add_argument("lab", metavar="LAB", nargs="?")
