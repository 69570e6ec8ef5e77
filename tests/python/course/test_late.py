"""Late days: what is left of points, and whom a rule does not fit."""

import csv
import io

import pytest
from class_of_12 import make_record, write_record

from minitf_lab import project
from minitf_lab.course import class_records, clock, commands, late
from minitf_lab.labs.handin import records

DUE = "2026-10-04T12:30:00+02:00"  # the records were handed in a day later
OK = ["ok"] * 5


DEADLINE = clock.Deadline.parse(DUE, None, clock.grace_of(clock.GRACE))


def class_of(folder, *made):
    for one in made:
        write_record(folder, one)
    return class_records.read_class(folder)


def sent(name, moment, verdicts=None):
    return make_record(name, verdicts or OK, submission__submitted_at=moment)


@pytest.fixture
def extensions(tmp_path):
    path = tmp_path / "extensions.csv"
    path.write_text("student,days\nbob,1\ncleo,2.5\n")
    return path


@pytest.mark.parametrize(
    ("moment", "days"),
    [
        ("2026-10-04T12:30:00+02:00", 0),
        ("2026-10-04T10:29:00Z", 0),
        ("2026-10-04T10:30:30Z", 0),  # the grace period
        ("2026-10-04T10:35:00Z", 0),
        ("2026-10-04T10:35:01Z", 1),
        ("2026-10-05T12:35:00+02:00", 1),
        ("2026-10-05T12:35:01+02:00", 2),
        ("", 0),
    ],
)
def test_days_that_have_begun_count(tmp_path, moment, days):
    rule = late.make_rule(DEADLINE, "10%/day,max 3", None)
    assert rule.days(sent("ada", moment)) == days


@pytest.mark.parametrize(
    ("said", "days", "penalty"),
    [
        ("10%/day", 1, 4),
        ("10%/day", 20, 40),
        ("10%/day,max 3", 3, 12),
        ("10%/day, max 3", 4, 40),
        (" 2.5 % / day ", 2, 2),
        ("0%/day,max 0", 1, 40),
    ],
)
def test_what_days_cost(said, days, penalty):
    rule = late.make_rule(DEADLINE, said, None)
    record = sent("ada", f"2026-10-{4 + days:02}T10:00:00Z")
    assert rule.days(record) == days and rule.penalty(record) == penalty


def test_an_extension_moves_the_due_date_of_one(extensions):
    rule = late.make_rule(DEADLINE, "10%/day", extensions)
    moment = "2026-10-06T13:00:00+02:00"
    days = [rule.days(sent(name, moment)) for name in ("ada", "bob", "cleo")]
    assert days == [3, 2, 0]


@pytest.mark.parametrize("said", ["", "10", "10%", "10/day", "101%/day", "10%/day,max x"])
def test_a_rule_that_is_none(said):
    with pytest.raises(project.LabError, match='write it like "10%/day"'):
        late.make_rule(DEADLINE, said, None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "first line must be student,days"),
        ("name,days\n", "first line must be student,days"),
        ("student,days\nada,x\n", "row 2 is 'ada,x'"),
        ("student,days\nada,-1\n", "row 2"),
        ("student,days\nada\n", "row 2"),
        ("student,days\nada,1\nada,2\n", "ada is there twice"),
    ],
)
def test_extensions_that_make_no_sense(tmp_path, text, said):
    path = tmp_path / "x.csv"
    path.write_text(text)
    with pytest.raises(project.LabError, match=said):
        late.make_rule(DEADLINE, "10%/day", path)


def test_a_book_of_a_class(tmp_path, capfdbinary, extensions):
    folder = tmp_path / "records"
    moment = "2026-10-05T12:30:00+02:00"
    failed = make_record("dan", ["ok", "grader_error", "ok", "ok", "ok"])
    class_of(folder, sent("ada", moment), sent("bob", moment), sent("eve", ""), failed)
    write_record(folder, make_record("finn", [], submission__submitted_at=""))
    before = {path: path.read_bytes() for path in folder.iterdir()}
    words = ["--due", DUE, "--late", "10%/day,max 3", "--extensions", str(extensions)]
    assert commands.main(["book", str(folder), *words]) == 0
    said = capfdbinary.readouterr()
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(said.out.decode()))}
    assert set(rows) == {"ada", "bob", "eve", "finn"}, "a fault of the grader is no mark"
    shown = [rows["ada"][name] for name in ("days_late", "score", "penalty", "points")]
    assert shown == ["1", "40", "4", "36"]
    assert (rows["bob"]["penalty"], rows["bob"]["points"]) == ("0", "40")
    notes = said.err.decode()
    assert "eve: no time is known" in notes and "dan: no score" in notes
    assert "finn" not in notes, "0 points at any time"
    assert "cleo: an extension, but no hand-in" in notes
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_exports_have_what_is_left(tmp_path, capfdbinary):
    folder = tmp_path / "records"
    class_of(folder, sent("ada@example.org", "2026-10-05T12:30:00+02:00"))
    words = [str(folder), "--due", DUE, "--late", "10%/day"]
    assert commands.main(["export", "nbgrader-csv", *words]) == 0
    [row] = csv.DictReader(io.StringIO(capfdbinary.readouterr().out.decode()))
    shown = [row[name] for name in ("raw_score", "late_submission_penalty", "score")]
    assert shown == ["40", "4", "36"]
    assert commands.main(["export", "moodle", *words]) == 0
    said = capfdbinary.readouterr().out.decode()
    assert '"36"' in said and "late: 4 points less" in said
    assert commands.main(["export", "lti", *words]) == 0
    assert '"scoreGiven": 36' in capfdbinary.readouterr().out.decode()
    assert commands.main(["export", "nbgrader", *words, "--out", "x"]) == 1
    assert b"leave --late out" in capfdbinary.readouterr().err


def test_options_of_late_days_without_a_rule_are_refused(tmp_path, capfdbinary):
    folder = tmp_path / "records"
    class_of(folder, sent("ada", "2026-10-05T12:30:00+02:00"))
    for option in (["--grace", "0"], ["--zone", "UTC"], ["--extensions", "x.csv"]):
        assert commands.main(["export", "lti", str(folder), *option]) == 1
        assert b"are for late days: add --late RULE" in capfdbinary.readouterr().err


def test_late_without_a_due_date(tmp_path, capfdbinary):
    folder = tmp_path / "records"
    class_of(folder, sent("ada", "2026-10-05T12:30:00+02:00"))
    assert commands.main(["export", "lti", str(folder), "--late", "10%/day"]) == 1
    assert b"--due 2026-10-01T23:59" in capfdbinary.readouterr().err


def test_a_penalty_is_never_in_a_record_of_the_disk():
    assert "late_penalty" not in records.FIELDS


def test_a_mark_of_the_gradebook_costs_one_day_and_is_named(tmp_path, capfdbinary):
    folder, extensions = tmp_path / "records", tmp_path / "x.csv"
    extensions.write_text("student,days\n12,1\n")
    late_ones = {"ada_11": {"canvas_id": "11"}, "bob_12": {"canvas_id": "12"}}
    for name, known_as in late_ones.items():
        more = {"submission__marked_late": True, "submission__known_as": known_as}
        more["submission__submitted_at"] = ""
        write_record(folder, make_record(name, OK, **more))
    words = ["--due", DUE, "--late", "10%/day", "--extensions", str(extensions)]
    assert commands.main(["book", str(folder), *words]) == 0
    said = capfdbinary.readouterr()
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(said.out.decode()))}
    assert [rows[name]["days_late"] for name in late_ones] == ["1", "0"]
    assert rows["bob_12"]["extension"] == "1", "it is found by Canvas's number"
    notes = said.err.decode()
    assert "ada_11: the gradebook says late and not when: one day counts" in notes
    assert "bob_12: marked as late, but has an extension" in notes


def test_a_book_says_lateness_in_words(tmp_path, capfdbinary):
    folder = tmp_path / "records"
    class_of(folder, sent("ada", "2026-10-04T10:30:30Z"))
    words = [str(folder), "--due", DUE, "--late", "10%/day", "--grace", "0"]
    assert commands.main(["book", *words]) == 0
    [row] = csv.DictReader(io.StringIO(capfdbinary.readouterr().out.decode()))
    assert (row["late"], row["days_late"]) == ("30 seconds late", "1")
    assert commands.main(["book", *words[:-2]]) == 0
    [row] = csv.DictReader(io.StringIO(capfdbinary.readouterr().out.decode()))
    assert (row["late"], row["days_late"]) == ("", "0")


def test_two_extensions_of_one_student_are_refused(tmp_path, capfdbinary):
    folder, extensions = tmp_path / "records", tmp_path / "x.csv"
    extensions.write_text("student,days\nada,1\nADA,2\n")
    class_of(folder, sent("ada", "2026-10-05T12:30:00+02:00"))
    words = ["--due", DUE, "--late", "10%/day", "--extensions", str(extensions)]
    assert commands.main(["book", str(folder), *words]) == 1
    assert b"'ada' and 'ADA' are the same student" in capfdbinary.readouterr().err
