"""Many hand-ins of lab 04, judged while workers and judges are killed at random.

    ./lab python tests/judge/bulk.py --count 500 --jobs 2
    ./lab python tests/judge/bulk.py --count 100 --stub     # a lab of two lines of Python

makes hand-ins that differ: a right answer, of three, with a mutant of ``./lab mutate`` in
one of its files, sometimes in both. ``./lab course grade`` judges them, and every few
seconds some process of it is killed: a compiler, a worker, a case, the judge of one
hand-in, the command itself, or all of them as in a power cut. Others get the signal of
Ctrl+C. The command is started again until
all is done. Then nothing may be lost, no record may have been written twice, and those
whose judges were killed, and some others, are judged again and must be the same but for
times. With ``--folder`` it goes on where it was interrupted itself.
"""

import argparse
import contextlib
import ctypes
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from minitf_lab import project
from minitf_lab.course import collect, judging, keys, run
from minitf_lab.dev.quality.mutants import mutants_of
from minitf_lab.judge import sandbox
from minitf_lab.judge.process import children_of, descendants_of
from minitf_lab.judge.regions import find_regions
from minitf_lab.labs import builds
from minitf_lab.labs.handin import intake, records

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
import lab_folder

BASES = ("reference", *builds.HONEST)
BOTH = 0.1  # the part of hand-ins with mutants in two files
PR_SET_CHILD_SUBREAPER = 36
# What is killed, and how often: inside a judge, a judge, the command, everything.
# "interrupt" is SIGINT for the command; all others are SIGKILL.
KINDS = {"inside": 6, "judge": 2, "command": 1, "everything": 1, "interrupt": 1}


# ---- Hand-ins -------------------------------------------------------------------------


def _variants(lab: project.Lab, file: str) -> tuple[list[str], list[str]]:
    """The texts of a file: right ones, and those with one mutant."""
    right, wrong = [], []
    for base in BASES:
        text = builds.files_of(lab, base)[file].read_text().replace("LAB(", "TODO(")
        right.append(text)
        for number, region in enumerate(find_regions(text)):
            for mutant in mutants_of("\n".join(region.lines), "cpp"):
                wrong.append(_changed(text, number, mutant.text))
    return right, wrong


def _changed(text: str, number: int, answer: str) -> str:
    """``text`` with another answer in its region ``number``."""
    lines = text.split("\n")
    region = find_regions(text)[number]
    lines[region.first - 1 : region.first - 1 + len(region.lines)] = answer.split("\n")
    return "\n".join(lines)


def make_stubs(folder: Path, count: int, draw: random.Random) -> None:
    """Writes ``count`` different submissions of the stub; one of five is wrong."""
    for i in range(count):
        factor = draw.choice((2, 2, 2, 2, 3))
        text = lab_folder.PYTHON.replace("return 2 * x", f"return {factor} * x  # {i}")
        text = text.replace("LAB(", "TODO(")
        project.put(folder / f"student{i:03}" / "twice.py", text)


def make_hand_ins(
    lab: project.Lab, folder: Path, count: int, draw: random.Random
) -> None:
    """Writes ``count`` different submissions, and prints how many mutants there are."""
    texts = {file: _variants(lab, file) for file in lab.files}
    places = [file for file, (_, wrong) in texts.items() for _ in wrong]
    seen: set[tuple[str, ...]] = set()
    while len(seen) < count:
        faulty = {draw.choice(places)}
        if draw.random() < BOTH:
            faulty = set(lab.files)
        chosen = tuple(draw.choice(texts[file][file in faulty]) for file in lab.files)
        if chosen in seen:
            continue
        student = folder / f"student{len(seen):03}"
        seen.add(chosen)
        for file, text in zip(lab.files, chosen, strict=True):
            project.put(student / Path(file).name, text)
    print(f"{len(places)} mutants", flush=True)


# ---- Kills ----------------------------------------------------------------------------


@dataclass
class Killer:
    """Kills processes of the judge.

    Attributes:
        counts: How many of each kind were killed.
        hit: Hashes of hand-ins at whose judges, or inside them, something was killed.
    """

    draw: random.Random
    counts: Counter = field(default_factory=Counter)
    hit: set[str] = field(default_factory=set)

    def _of_hand_in(self, number: int) -> str:
        """The hash of the hand-in that a process judges; empty if it is no judge."""
        words = _words(number)
        if "judge" not in words or "--out" not in words:
            return ""
        return Path(words[words.index("--out") + 1]).stem

    def strike(self, command: int) -> None:
        """Kills something of what runs now, if there is something of the kind drawn.

        Args:
            command: The number of ``./lab course grade``.
        """
        [kind] = self.draw.choices([*KINDS], KINDS.values())
        below = descendants_of(os.getpid())
        judges = {number: sha for number in below if (sha := self._of_hand_in(number))}
        tops = [n for n in judges if not judges.keys() & set(_above(n))]
        if kind == "inside":
            chosen = self.draw.choice(tops) if tops else 0
            inside = [n for n in descendants_of(chosen) if n] if chosen else []
            targets = [self.draw.choice(inside)] if inside else []
            self.hit |= {judges[chosen]} if targets else set()
        elif kind == "judge":
            targets = [self.draw.choice(tops)] if tops else []
            self.hit |= {judges[one] for one in targets}
        else:
            targets = below if kind == "everything" else [command]
            self.hit |= set(judges.values()) if kind == "everything" else set()
        number_of_signal = signal.SIGINT if kind == "interrupt" else signal.SIGKILL
        for number in targets:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, number_of_signal)
        self.counts[kind] += bool(targets)


def _words(number: int) -> list[str]:
    try:
        data = Path(f"/proc/{number}/cmdline").read_bytes()
    except OSError:
        return []
    return data.decode(errors="replace").split("\0")


def _above(number: int) -> list[int]:
    """The processes that a process comes from, up to this one."""
    found = []
    while number not in {os.getpid(), 0, 1}:
        try:
            text = Path(f"/proc/{number}/stat").read_text()
        except OSError:
            break
        number = int(text.rpartition(")")[2].split()[1])
        found.append(number)
    return found


def _bury(command: int) -> None:
    """Waits for orphans that have ended: what a killed command has started is ours."""
    for number in children_of(os.getpid()):
        if number != command:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(number, os.WNOHANG)


# ---- The class ------------------------------------------------------------------------


@dataclass
class Written:
    """Which records there are, and which file each is: a second one would be another."""

    folder: Path
    files: dict[str, tuple[int, int]] = field(default_factory=dict)
    twice: list[str] = field(default_factory=list)

    def look(self) -> None:
        """Compares what is there with what was there."""
        for path in self.folder.glob("[0-9a-f]*.json"):
            status = path.stat()
            file = status.st_ino, status.st_mtime_ns
            if self.files.setdefault(path.name, file) != file:
                self.twice.append(path.name)


def judge_all(place: run.Place, args: argparse.Namespace, killer: Killer) -> Written:
    """Has a class judged, with ``args.kills`` kills every ``args.pause`` seconds or so.

    Without an end of them, a machine that is slow would never get to the end of one.
    """
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    written = Written(place.course / "results" / place.lab.folder)
    words = ["course", "grade", args.lab, "--course", str(place.course)]
    words += ["--jobs", str(args.jobs)]
    starts = 0
    while True:
        starts += 1
        command = [sys.executable, "-m", "minitf_lab", *words]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=sys.stderr)
        next_strike = time.monotonic() + killer.draw.expovariate(1 / args.pause)
        while process.poll() is None:
            time.sleep(0.05)
            is_left = sum(killer.counts.values()) < args.kills
            if is_left and time.monotonic() > next_strike:
                killer.strike(process.pid)
                next_strike = time.monotonic() + killer.draw.expovariate(1 / args.pause)
            _bury(process.pid)
            written.look()
        if process.returncode == 0:
            break
        # Orphans of the command go on; another one waits for them where it must.
    written.look()
    killer.counts["command started"] = starts
    return written


def check_again(place: run.Place, key: bytes, chosen: list[str]) -> list[str]:
    """Judges hand-ins again; the sentences about records that are not the same."""
    wrong = []
    course, lab = place.course, place.lab
    box = sandbox.find_box()
    of = {note["sha256"]: s for s, note in collect.students_of(course, lab).items()}
    for sha256 in chosen:
        folder = collect.folder_of(course, lab) / of[sha256]
        with judging.scratch() as made:
            hand_in = intake.take(lab, folder, made / "files")
            again = judging.judge(lab, hand_in, key, box=box)
        first = records.read(place.result(sha256), key)
        if not records.same(first, again):
            wrong.append(f"{of[sha256]}: {_difference(first, again)}")
    return wrong


def _difference(first: dict, again: dict) -> str:
    """What two records say of the cases that are not the same."""
    said = [
        f"{one['id']}: {one['verdict']}, then {other['verdict']}: {one.get('message')!a}"
        for test, test_again in zip(first["tests"], again["tests"], strict=True)
        for one, other in zip(test["cases"], test_again["cases"], strict=True)
        if one != other
    ]
    return "; ".join(said[:3]) or f"{first['status']}, then {again['status']}"


def main() -> int:
    """Makes a class, has it judged, and says what came of it; 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=12, help="hand-ins")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--pause", type=float, default=5, help="seconds between kills")
    parser.add_argument("--kills", type=int, help="so many (default: one a hand-in)")
    parser.add_argument("--again", type=int, default=4, help="judge so many once more")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stub", action="store_true", help="a lab of two lines")
    parser.add_argument("--folder", type=Path, help="keep everything there")
    args = parser.parse_args()
    args.kills = args.count if args.kills is None else args.kills
    with tempfile.TemporaryDirectory(prefix="minitf-bulk-") as name:
        return try_class(args.folder or Path(name), args)


def try_class(top: Path, args: argparse.Namespace) -> int:
    """As ``main``, in a folder."""
    draw = random.Random(args.seed)
    args.lab = str(top / "60_twice") if args.stub else "04"
    if args.stub:
        lab_folder.in_python(top)
    lab = project.lab_at(args.lab) if args.stub else project.find_lab(args.lab)
    builds.build_framework(lab)
    course = top / "course"
    place = run.Place(course, lab)
    if course.exists():
        key = keys.load(course / "key")
        draw.seed()  # other kills than before
    else:
        if args.stub:
            make_stubs(top / "source", args.count, draw)
        else:
            make_hand_ins(lab, top / "source", args.count, draw)
        key = keys.make(course / "key")
        found = collect.collect(lab, top / "source", course)
        print(f"{len(found.taken)} hand-ins", flush=True)
    killer, begin = Killer(draw), time.monotonic()
    written = judge_all(place, args, killer)
    seconds = time.monotonic() - begin
    counts = ", ".join(f"{kind} {n}" for kind, n in sorted(killer.counts.items()))
    print(f"judged in {seconds:.0f} s; {counts}")

    wrong = [f"{name} was written twice" for name in written.twice]
    for student, note in collect.students_of(course, lab).items():
        record = records.read(place.result(note["sha256"]), key)
        own = records.read(place.record(student), key)
        if own["score"] != record["score"] or record["status"] != "graded":
            wrong.append(f"{student}: {record['status']}")
        hashes = intake.read(lab, collect.folder_of(course, lab) / student).sha256
        if hashes != note["sha256"]:
            wrong.append(f"{student}: files were changed")
    if len(written.files) != args.count:
        wrong.append(f"{len(written.files)} records of {args.count}")
    own_records = sorted((course / "records" / lab.folder).glob("*.json"))
    if len(own_records) != args.count:
        wrong.append(f"{len(own_records)} records of students of {args.count}")
    command = [sys.executable, "-m", "minitf_lab", "course", "verify", args.lab]
    done = subprocess.run([*command, "--course", str(course)], stdout=subprocess.PIPE)
    if done.returncode != 0:
        wrong.append(f"verify: {done.stdout.decode(errors='replace')}")
    hit = sorted(killer.hit & {name.removesuffix(".json") for name in written.files})
    others = sorted({Path(name).stem for name in written.files} - set(hit))
    chosen = hit[: args.again] + others[: max(0, args.again - len(hit)) + 1]
    again = check_again(place, key, chosen)
    print(
        f"{len(hit)} were hit by a kill; {len(chosen)} judged again, {len(again)} differ"
    )
    print("\n".join(wrong + again) or "nothing is lost, and nothing judged twice")
    return 1 if wrong or again else 0


if __name__ == "__main__":
    sys.exit(main())
