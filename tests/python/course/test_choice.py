"""The choice between submissions, due dates, and downloads."""

import argparse
import os
import time
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from test_collect import (
    CODE,
    DUE,
    GOOD,
    LAB,
    NOON,
    commit,
    git,
    note_of,
    put,
    run,
    text_of,
    zipped,
)

from minitf_lab import project
from minitf_lab.course import clock, collect, commands, unpack
from minitf_lab.course.collect import Terms

BERLIN = ZoneInfo("Europe/Berlin")


def terms(due=DUE, grace="5m", **more):
    return Terms(clock.Deadline.parse(due, BERLIN, clock.grace_of(grace)), **more)


def packed(text):
    return zipped((CODE, text))


def aside(course, student):
    return [(one["source"], one["why"]) for one in note_of(course, student)["set_aside"]]


# ---- The rule -------------------------------------------------------------------------


def test_a_late_hand_in_does_not_replace_one_in_time(source, course):
    put(source / "ada" / "right.zip", packed("in time"), NOON - 60)
    assert run(source, course, due=DUE).taken == ["ada"]
    put(source / "ada" / "wrong.zip", packed("late"), NOON + 7260)
    found = run(source, course, due=DUE, late=True)
    assert found.unchanged == ["ada"] and text_of(course, "ada") == "in time"
    [said] = found.choices
    assert "right.zip of 2026-10-01 11:59:00 counts" in said
    assert "wrong.zip of 2026-10-01 14:01:00 (2 hours 1 minute late)" in said
    assert aside(course, "ada") == [("wrong.zip", "2 hours 1 minute late")]
    put(source / "ada" / "wrong.zip", packed("later"), NOON + 9000)
    (source / "ada" / "right.zip").unlink()
    assert run(source, course, due=DUE, late=True).unchanged == ["ada"]
    assert text_of(course, "ada") == "in time"


def test_one_in_time_replaces_a_late_one(source, course):
    put(source / "ada" / "late.zip", packed("late"), NOON + 7200)
    assert run(source, course, due=DUE, late=True).taken == ["ada"]
    put(source / "ada" / "first.zip", packed("in time"), NOON - 60)
    assert run(source, course, due=DUE, late=True).taken == ["ada"]
    assert text_of(course, "ada") == "in time" and not note_of(course, "ada")["late"]
    assert ("late.zip", "2 hours late") in aside(course, "ada")


def test_the_same_files_in_time_are_not_late(source, course):
    put(source / "ada" / "again.zip", packed("same"), NOON + 7200)
    assert run(source, course, due=DUE, late=True).taken == ["ada"]
    put(source / "ada" / "first.zip", packed("same"), NOON - 60)
    assert run(source, course, due=DUE, late=True).taken == ["ada"]
    assert not note_of(course, "ada")["late"]
    assert note_of(course, "ada")["submitted_at"] == clock.moment(NOON - 60)
    assert run(source, course, due=DUE, late=True).unchanged == ["ada"]


def test_a_newer_archive_counts_before_loose_files_and_the_other_way(source, course):
    put(source / "ada" / CODE, "old", NOON - 300)
    put(source / "ada" / "new.zip", packed("new"), NOON - 200)
    put(source / "bob" / CODE, "new", NOON - 200)
    put(source / "bob" / "old.zip", packed("old"), NOON - 300)
    found = run(source, course, due=DUE)
    assert (text_of(course, "ada"), text_of(course, "bob")) == ("new", "new")
    assert aside(course, "ada") == [("ada", "earlier")]
    assert aside(course, "bob") == [("old.zip", "earlier")]
    assert len(found.choices) == 2 and not found.refused


@pytest.mark.parametrize(
    ("names", "counts"),
    [
        (["x.zip", "x (1).zip"], "x (1).zip"),
        (["x (9).zip", "x (10).zip", "x.zip"], "x (10).zip"),
        (["a.zip", "b.zip"], "b.zip"),
        ([CODE, "a.zip"], "a.zip"),
    ],
)
def test_at_equal_times(source, course, names, counts):
    for name in names:
        data = name if name == CODE else packed(name)
        put(source / "ada" / name, data, NOON - 60)
    [said] = run(source, course, due=DUE).choices
    assert text_of(course, "ada") == counts
    assert said.startswith(f"ada: {counts} of 2026-10-01 11:59:00 counts; set aside: ")
    reasons = {why for _, why in aside(course, "ada")}
    assert len(reasons) == 1 and reasons.pop().startswith("of the same time; ")
    again = run(source, course, due=DUE)
    assert (again.taken, again.unchanged) == ([], ["ada"])


def test_the_last_that_can_be_taken_counts(source, course):
    put(source / "ada" / "first.zip", packed("1"), NOON - 300)
    put(source / "ada" / "second.zip", b"PK no zip", NOON - 200)
    found = run(source, course, due=DUE)
    assert text_of(course, "ada") == "1"
    assert found.refused[0].startswith("ada: second.zip: the zip file is broken")
    [(name, why)] = aside(course, "ada")
    assert name == "second.zip" and why.startswith("not taken: second.zip")


def test_the_same_files_are_no_choice_to_worry_about(source, course):
    put(source / "ada" / CODE, "1", NOON - 300)
    put(source / "ada" / "a.zip", packed("1"), NOON - 200)
    run(source, course, due=DUE)
    assert aside(course, "ada") == [("ada", "the same files")]


def test_what_an_instructor_accepts_counts_before_all_others(source, course, tmp_path):
    put(source / "ada" / CODE, "in time", NOON - 60)
    run(source, course, due=DUE)
    put(tmp_path / "appeal" / "ada" / CODE, "accepted", NOON + 99_999)
    run(tmp_path / "appeal", course, terms=Terms(accepts=True))
    assert text_of(course, "ada") == "accepted"
    put(source / "ada" / CODE, "better", NOON - 30)
    found = run(source, course, due=DUE, late=True)
    assert found.unchanged == ["ada"] and text_of(course, "ada") == "accepted"
    assert ("ada", "not later") in aside(course, "ada")


# ---- Time -----------------------------------------------------------------------------


def test_a_day_alone_means_its_end():
    last = datetime(2026, 10, 31, 23, 59, 59, tzinfo=BERLIN).timestamp()
    due = clock.Deadline.parse("2026-10-31", BERLIN)
    assert due.late_s(last) == 0 and due.days_late(last) == 0
    assert due.at() == last + 1
    assert due.late_s(last + 31) == 30 and due.days_late(last + 31) == 1


@pytest.mark.parametrize(
    ("moment", "days"),
    [
        ("2026-10-24T23:59:00", 0),
        ("2026-10-25T23:58:00", 1),  # daylight saving has ended that night
        ("2026-10-25T23:59:00", 1),
        ("2026-10-25T23:59:01", 2),
        ("2026-10-26T23:59:00", 2),
    ],
)
def test_days_are_those_of_the_calendar(moment, days):
    due = clock.Deadline.parse("2026-10-24T23:59", BERLIN)
    came = datetime.fromisoformat(moment).replace(tzinfo=BERLIN).timestamp()
    assert due.days_late(came) == days


def test_an_extension_ends_at_the_same_time_of_day():
    due = clock.Deadline.parse("2026-10-24T23:59+02:00", BERLIN)
    evening = datetime(2026, 10, 25, 23, 59, tzinfo=BERLIN).timestamp()
    assert due.days_late(evening, 1) == 0 and due.days_late(evening + 1, 1) == 1
    spring = clock.Deadline.parse("2026-03-28T02:30", BERLIN)
    assert spring.at(1) - spring.at() == 86_400, "02:30 is not on the next day"


def test_the_machines_zone_counts_if_none_is_named(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        due = clock.Deadline.parse("2026-10-24")
        evening = datetime(2026, 10, 25, 23, 59, tzinfo=BERLIN).timestamp()
        assert (due.days_late(evening), due.days_late(evening, 1)) == (1, 0)
        assert due.days_late(evening + 61, 1) == 1
    finally:
        monkeypatch.undo()
        time.tzset()


def test_the_grace_period_is_after_each_deadline():
    due = clock.Deadline.parse(DUE, BERLIN, clock.grace_of("5m"))
    at = [due.days_late(NOON + s) for s in (30, 300, 301, 86_700, 86_701)]
    assert at == [0, 0, 1, 1, 2]


def test_lateness_is_said_in_words(source, course):
    put(source / "ada" / CODE, at=NOON + 30)
    put(source / "bob" / CODE, at=NOON + 90_000)
    found = run(source, course, terms(grace="0"))
    assert found.refused == [
        "ada: ada is 30 seconds late; --late takes it if nothing came in time",
        "bob: bob is 1 day 1 hour late; --late takes it if nothing came in time",
    ]
    assert run(source, course, terms(grace="30s")).taken == ["ada"]


def test_an_extension_is_collected_as_in_time(source, course):
    put(source / "ada" / "draft.zip", packed("draft"), NOON - 60)
    put(source / "ada" / "final.zip", packed("final"), NOON + 80_000)
    found = run(source, course, terms(takes_late=True, extensions={"ada": 1}))
    assert text_of(course, "ada") == "final" and found.taken == ["ada"]
    assert not note_of(course, "ada")["late"]


def test_canvas_says_who_is_late(source, course):
    """The files have the time of the download, whatever --due says."""
    put(source / "lovelaceada_12_1_a.zip", GOOD, NOON + 99_999)
    put(source / "ngbob_LATE_13_2_a.zip", GOOD, NOON - 99_999)
    found = run(source, course, due=DUE)
    assert found.taken == ["lovelaceada_12"]
    assert found.refused == [
        "ngbob_13: ngbob_LATE_13_2_a.zip is late, as the gradebook says; --late takes "
        "it if nothing came in time"
    ]
    assert run(source, course, due=DUE, late=True).taken == ["ngbob_13"]
    assert note_of(course, "ngbob_13")["marked_late"]
    assert note_of(course, "lovelaceada_12")["submitted_at"] == ""


@pytest.mark.parametrize("said", ["Europe/Nowhere", "../../etc/passwd", "\x1b"])
def test_a_zone_that_is_none_is_refused(tmp_path, said):
    with pytest.raises(project.LabError, match="is no time zone"):
        clock.zone_of(said)
    (tmp_path / clock.ZONE_FILE).write_text(said)
    with pytest.raises(project.LabError, match=f"in {tmp_path}"):
        clock.zone_of("", tmp_path)


def test_the_zone_of_a_course_counts(source, course, monkeypatch):
    extensions = put(source.parent / "extensions.csv", "student,days\nada,1\n")
    monkeypatch.setenv("TZ", "UTC")
    course.mkdir()
    (course / clock.ZONE_FILE).write_text("Europe/Berlin\n")
    put(source / "ada" / CODE, at=NOON - 7200 + 301)
    words = ["collect", "00", str(source), "--course", str(course)]
    args = parsed([*words, "--due", "2026-10-01T12:00"])
    assert args.run(args) == 1, "it is noon in Berlin two hours before"
    args = parsed([*words, "--due", "2026-10-01T12:00", "--zone", "UTC"])
    assert args.run(args) == 0
    for option in (["--grace", "1h"], ["--extensions", str(extensions)]):
        args = parsed([*words, *option])
        with pytest.raises(project.LabError, match="need a due date: add --due"):
            args.run(args)
    args = parsed([*words, "--due", "2026-09-30", "--extensions", str(extensions)])
    assert args.run(args) == 0, "ada has another day"


def parsed(words):
    parser = argparse.ArgumentParser()
    kinds = parser.add_subparsers()

    def command(name, does, text):
        sub = kinds.add_parser(name, help=text)
        sub.set_defaults(run=does)
        return sub

    commands.add_commands(command)
    return parser.parse_args(["course", *words])


@pytest.mark.parametrize("said", ["-5m", "5 days", "", "1e3"])
def test_a_grace_period_that_is_none_is_refused(said):
    with pytest.raises(project.LabError, match="is no grace period"):
        clock.grace_of(said)


# ---- Downloads ------------------------------------------------------------------------


def test_moodle_without_folders_and_loose_files(source, course):
    put(source / f"Ada Lovelace_771_assignsubmission_file_{CODE}", "1")
    put(source / "Ada Lovelace_771_assignsubmission_file_time.txt", "7")
    put(source / "Bob Ng_772_assignsubmission_file_00_submission.zip", GOOD)
    put(source / "Cleo_773_assignsubmission_file_notes.pdf", "x")
    found = run(source, course)
    assert found.taken == ["Ada Lovelace_771", "Bob Ng_772"]
    home = collect.home_of(course, LAB, "Ada Lovelace_771")
    assert sorted(os.listdir(home)) == [CODE, "handin.json", "time.txt"]
    assert note_of(course, "Ada Lovelace_771")["submitted_at"] == "2026-10-01T11:59:00Z"
    assert found.refused == ["Cleo_773: it is empty"]
    said = "Cleo_773_assignsubmission_file_notes.pdf: lab 00 has no such file"
    assert found.odd == [said]


def test_a_backup_with_hard_links_says_what_to_do(source, course, tmp_path):
    put(source / "ada" / CODE)
    (tmp_path / "backup" / "ada").mkdir(parents=True)
    os.link(source / "ada" / CODE, tmp_path / "backup" / "ada" / CODE)
    [said] = run(tmp_path / "backup", course).refused
    assert "it is a hard link" in said and "copy the folder with cp -r" in said


def test_a_zip_of_whole_checkouts_is_taken(source, course, tmp_path, monkeypatch):
    monkeypatch.setattr(unpack, "MAX_TOTAL", 1 << 20)
    students = [f"s{number}" for number in range(12)]
    members = []
    for name in students:
        members += [
            (f"class/{name}/minitf/build/release/libminitf.so", bytes(1 << 20)),
            (f"class/{name}/minitf/.venv/lib/python/site/{CODE}.so", bytes(1 << 18)),
            (f"class/{name}/minitf/kernels/cpu/cwise/add.cc", b"int a;"),
            (f"class/{name}/minitf/work/00_hello/{CODE}", name.encode()),
        ]
    path = put(tmp_path / "class.zip", zipped(*members))
    found = run(path, course)
    assert sorted(found.taken) == sorted(students) and not found.odd
    assert text_of(course, "s7") == "s7"
    monkeypatch.setattr(unpack, "MAX_TOTAL", 10)
    with pytest.raises(
        project.LabError, match=r"at most 1000000 and 10 are taken; leave"
    ):
        run(path, course)


def test_a_zipped_checkout_is_its_files_and_a_folder_its_commits(source, course):
    folder = source / "ada"
    folder.mkdir()
    git(folder, "init", "-q")
    commit(folder, "committed", NOON - 300)
    put(folder / CODE, "not committed", NOON - 200)
    run(source, course / "folder", due=DUE)
    assert text_of(course / "folder", "ada") == "committed"
    members = [
        (str(path.relative_to(source)), path.read_bytes())
        for path in source.rglob("*")
        if path.is_file()
    ]
    put(source.parent / "class.zip", zipped(*members, ("bob/x", b"")))
    run(source.parent / "class.zip", course, due=DUE)
    assert text_of(course, "ada") == "not committed"


def test_a_zipped_repository_without_files_is_read(source, course):
    git(source.parent, "init", "-q", "ada")
    commit(source.parent / "ada", "1", NOON - 300)
    git(source, "clone", "-q", "--bare", "../ada", "ada")
    members = [
        (f"class/{path.relative_to(source)}", path.read_bytes())
        for path in source.rglob("*")
        if path.is_file() and "hooks" not in path.parts
    ]
    members.append(("class/ada/refs/heads/x", b"0" * 40))
    put(source.parent / "class.zip", zipped(*members, ("class/bob/x", b"")))
    run(source.parent / "class.zip", course, due=DUE)
    assert text_of(course, "ada") == "1"
