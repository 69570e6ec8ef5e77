"""``./lab course replay``: the hand-in of a student is judged again, and compared.

The numbers that the cases draw follow from the hand-in, so the record must come out the
same but for times. Nothing is changed: what is judged anew is compared with the record,
and shown as the student sees it.
"""

import json
import shlex
from collections.abc import Iterator
from typing import Any

from minitf_lab import project
from minitf_lab.course import collect, identity, judging, packs, run, wording
from minitf_lab.judge.sandbox import Box
from minitf_lab.labs.handin import intake, records

MOST = 20  # differences that are named


def again(
    place: run.Place, student: str, key: bytes, box: Box | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The record of a student, and that of the same files judged now.

    Raises:
        LabError: there is no hand-in or no record, or one of them was changed.
    """
    students = collect.students_of(place.course, place.lab)
    [student] = collect.find_students(students, [student], place.lab)
    folder = collect.home_of(place.course, place.lab, student)
    note = students[student]
    if "rejected" in note:
        raise project.LabError(f"it was not taken, so not judged: {note['rejected']}")
    first = records.read(place.record(student), key)
    if first["submission"]["sha256"] != note["sha256"]:
        raise project.LabError(
            f"the record of {student} is of an earlier hand-in: "
            f"./lab course grade {place.lab.number}"
        )
    with (
        judging.scratch() as made,
        packs.with_pack(place.lab, place.pack, key) as lab,
    ):
        hand_in = intake.take(lab, folder, made / "files")
        if hand_in.sha256 != note["sha256"]:
            raise project.LabError(
                f"{folder}: its files were changed after they were collected"
            )
        second = judging.judge(lab, hand_in, key, box=box)
    about = {
        name: first["submission"][name]
        for name in ("id", "submitted_at", *run.ABOUT)
        if name in first["submission"]
    }
    return first, records.signed_copy(second, key, **about)


def differences(first: dict[str, Any], second: dict[str, Any]) -> Iterator[str]:
    """What two records of the same files do not both say, times left out."""
    for name, field in (("lab", "sha256"), ("lab", "pack"), ("grader", "sandbox")):
        one, other = (record[name].get(field, "") for record in (first, second))
        if one != other:
            yield f"{name}.{field}: {_short(one)}, now {_short(other)}"
    for name in ("status", "score", "flags"):
        if first[name] != second[name]:
            yield f"{name}: {_short(first[name])}, now {_short(second[name])}"
    tests = {test["id"]: test for test in first["tests"]}
    for test in second["tests"]:
        before = {case["id"]: case for case in tests.get(test["id"], {}).get("cases", [])}
        for case in test["cases"]:
            old = before.pop(case["id"], {}).get("verdict", "not there")
            if old != case["verdict"]:
                yield f"{test['id']}, case {case['id']}: {old}, now {case['verdict']}"
        for name, case in before.items():
            yield f"{test['id']}, case {name}: {case['verdict']}, now not there"


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text[:60] or "nothing"


def show(place: run.Place, student: str, key: bytes, box: Box | None) -> int:
    """Judges again, prints what came of it, and returns the exit status."""
    first, second = again(place, student, key, box)
    score = "none" if second["score"] is None else f"{second['score']:g}"
    name = identity.shown(first["submission"]["id"])
    print(f"{name}, lab {place.lab.number}: {score} of {second['max_score']} points")
    for test in second["tests"]:
        said = wording.explanation(test).replace("\n", "\n    ")
        print(f"  {test['id']} {test['title']}: {said}")
    if records.same(first, second):
        print("the record is the same but for times")
        return 0
    found = list(differences(first, second)) or ["the texts of some messages"]
    print("\n  ".join(["the record is not the same:", *found[:MOST]]))
    if len(found) > MOST:
        print(f"  ... {len(found) - MOST} more")
    only = shlex.quote(name)
    print(f"./lab course grade {place.lab.number} --again --only {only} replaces it")
    return 1
