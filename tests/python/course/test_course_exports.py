"""Exports of marks: fields as the formats have them, checked by readers of our own."""

import base64
import csv
import io
import json
import re
from datetime import datetime

import class_of_12
import pytest
from class_of_12 import STUDENTS, make_record, write_class, write_record, write_roster

from minitf_lab.course import commands

# For each field, what it may be. A field behind which "?" stands may be missing.
NUMBER = (int, float)
CLASSROOM = {
    "version": {1},
    "status": {"pass", "fail", "error"},
    "max_score": NUMBER,
    "tests": [
        {
            "name": str,
            "status": {"pass", "fail", "error"},
            "score": NUMBER,
            "message": str,
            "test_code": str,
            "filename": str,
            "line_no": int,
            "duration": NUMBER,
        }
    ],
}
CHECK50 = {
    "slug": str,
    "version": str,
    "results": [
        {
            "name": str,
            "description": str,
            "passed": {True, False, None},
            "log": [str],
            "cause": (dict, type(None)),
            "data": dict,
            "dependency": {None},
        }
    ],
}
CHECK50_ERROR = {
    "slug": str,
    "version": str,
    "error": {"type": str, "value": str, "traceback": [str], "data": dict},
}
LTI = {
    "userId": str,
    "scoreGiven?": NUMBER,
    "scoreMaximum?": NUMBER,
    "comment": str,
    "timestamp": str,
    "activityProgress": {"Completed"},
    "gradingProgress": {"FullyGraded", "PendingManual", "Failed"},
}
AUTOLAB_VERDICT = {"scores": dict, "scoreboard": [NUMBER]}

CANVAS = """\
\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Lab 3 (77),Lab 4 (78),Final (read only)
,,,,,,Manual Posting,
    Points Possible,,,,,10,40,(read only)
"Byron, Ada",101,u1,ada@example.org,"S1, morning",9,,
"=Evil, Grace",102,u2,grace,S1,1,EX,
"Nobody, Nora",103,u3,nora,S1,1,,
"Ursula, Un",104,u4,unlucky-ursula,S1,1,5,
"Student, Test",999,,,S1,,,
"""


def fits(value, schema, where="it"):
    """Asserts that ``value`` has the fields of ``schema`` and no others."""
    if isinstance(schema, dict):
        assert isinstance(value, dict), where
        must = {name for name in schema if not name.endswith("?")}
        may = {name.rstrip("?") for name in schema}
        assert must <= set(value) <= may, f"{where}: {sorted(value)}"
        for name, one in value.items():
            fits(one, schema.get(name, schema.get(f"{name}?")), f"{where}.{name}")
    elif isinstance(schema, list):
        assert isinstance(value, list), where
        for one in value:
            fits(one, schema[0], f"{where}[]")
    elif isinstance(schema, set):
        assert any(value is one or value == one for one in schema), f"{where}: {value!r}"
    else:
        assert isinstance(value, schema), f"{where}: {value!r}"


def strict_json(text):
    """Reads JSON that has no NaN, no name twice, and no half of a pair."""

    def pairs(items):
        assert len({name for name, _ in items}) == len(items)
        return dict(items)

    def refuse(word):
        raise AssertionError(word)

    value = json.loads(text, object_pairs_hook=pairs, parse_constant=refuse)
    json.dumps(value, ensure_ascii=False).encode()
    return value


def course(*arguments):
    return commands.main([str(argument) for argument in arguments])


def export(format_, source, tmp_path, *options, status=0):
    """The text of the export; ``status`` is 1 if somebody is left out."""
    out = tmp_path / "out"
    assert course("export", format_, source, "--out", out, *options) == status
    return out.read_bytes().decode()


def record_of(tmp_path, student, **changes):
    return write_record(tmp_path, make_record(student, **changes))


def rows_of(text):
    """The rows of a CSV file in which every cell is in quotes, and none a formula."""
    assert re.fullmatch(r'("([^"]|"")*"(,|\r\n))*', text)
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert not [c for row in rows for c in row if c.startswith(tuple("=+-@\t\r"))]
    assert len({len(row) for row in rows}) == 1
    return rows


@pytest.fixture
def folder(tmp_path):
    return write_class(tmp_path / "records")


@pytest.mark.parametrize("student", STUDENTS)
def test_classroom_gets_its_result_and_two_notices(tmp_path, student, capsys):
    path = record_of(tmp_path, student)
    if student == "unlucky-ursula":
        assert course("export", "classroom", path, "--out", tmp_path / "out") == 1
        said = capsys.readouterr()
        assert said.out == "" and "has no score" in said.err
        assert not (tmp_path / "out").exists()
        return
    line = export("classroom", path, tmp_path)
    encoded = re.fullmatch(r"result=([A-Za-z0-9+/]+=*)\n", line)[1]
    got = strict_json(base64.b64decode(encoded))
    fits(got, CLASSROOM)
    assert got["status"] == ("pass" if student == "ada@example.org" else "fail")
    score = json.loads(path.read_text())["score"]
    assert sum(test["score"] for test in got["tests"]) == pytest.approx(score)

    lines = capsys.readouterr().out.split("\n")
    token = re.fullmatch(r"::stop-commands::([0-9a-f]{32})", lines[0])[1]
    end = lines.index(f"::{token}::")
    assert [line for line in lines[1:end] if token in line] == []
    shown, report = lines[end + 1 : end + 3]
    assert shown == f"::notice title=Autograding complete::Points {score:g}/40"
    points = report.removeprefix("::notice title=Autograding report::")
    assert strict_json(points) == {"totalPoints": score, "maxPoints": 40}
    assert lines[end + 3 :] == [""]


@pytest.mark.parametrize("student", STUDENTS)
def test_autolab_reads_the_last_line(tmp_path, student, capsys):
    path = record_of(tmp_path, student)
    if student == "unlucky-ursula":
        assert course("export", "autolab", path) == 1
        said = capsys.readouterr()
        assert said.out == "" and "has no score" in said.err
        return
    lines = export("autolab", path, tmp_path).splitlines()
    assert len(lines) == 2
    feedback, verdict = map(strict_json, lines)
    fits(verdict, AUTOLAB_VERDICT)
    record = json.loads(path.read_text())
    assert verdict["scores"] == {t["id"]: t["score"] for t in record["tests"]}
    assert verdict["scoreboard"] == [record["score"], 1.25]
    assert feedback["_presentation"] == "semantic"
    assert feedback["stages"] == ["Build", "Test"]
    for stage in feedback["stages"]:
        for case in feedback[stage].values():
            fits(case, {"passed": bool, "hint?": str})
    assert [case["passed"] for case in feedback["Test"].values()] == [
        test["verdict"] == "ok" for test in record["tests"]
    ]


@pytest.mark.parametrize("student", STUDENTS)
def test_check50_has_a_result_for_each_case(tmp_path, student):
    path = record_of(tmp_path, student)
    got = strict_json(export("check50", path, tmp_path))
    if student in ("unlucky-ursula", "rejected-rita"):
        fits(got, CHECK50_ERROR)
        return
    fits(got, CHECK50)
    assert len(got["results"]) == 15
    for result in got["results"]:
        assert (result["cause"] is None) == (result["passed"] is True)
    skipped = student in {'bob, the "builder"', "grace"}
    assert any(result["passed"] is None for result in got["results"]) == skipped
    wrong = [one for one in got["results"] if "expected" in (one["cause"] or {})]
    assert all(one["cause"]["expected"] == "1.5" for one in wrong)
    assert all(one["cause"]["actual"].startswith("2.5") for one in wrong)


def canvas(tmp_path, folder, text=CANVAS, assignment="Lab 4", **options):
    book = tmp_path / "canvas.csv"
    book.write_text(text, encoding="utf-8", newline="")
    flags = [part for key, value in options.items() for part in (f"--{key}", value)]
    out = tmp_path / "out.csv"
    status = course(
        *("export", "canvas", folder, "--gradebook", book, "--assignment", assignment),
        *("--out", out, *flags),
    )
    return status, out


@pytest.mark.parametrize("wanted", ["Lab 4", "78", "Lab 4 (78)"])
def test_canvas_gets_its_own_file_filled(tmp_path, folder, wanted, capsys):
    status, out = canvas(tmp_path, folder, assignment=wanted)
    assert status == 1, "some are left out"
    assert rows_of(out.read_bytes().decode()) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Lab 4 (78)"],
        ["", "", "", "", "", "Manual Posting"],
        ["    Points Possible", "", "", "", "", "40"],
        ["Byron, Ada", "101", "u1", "ada@example.org", "S1, morning", "40"],
        ["'=Evil, Grace", "102", "u2", "grace", "S1", "EX"],
        ["Nobody, Nora", "103", "u3", "nora", "S1", ""],
        ["Ursula, Un", "104", "u4", "unlucky-ursula", "S1", ""],
    ]
    notes = capsys.readouterr().err
    assert "not exported: ivan: not in the column 'SIS Login ID'" in notes
    assert "not exported: unlucky-ursula: no score: the grader failed" in notes


@pytest.mark.parametrize(
    ("change", "options", "error"),
    [
        (("Lab 4 (78)", "Lab 4"), {}, "no assignment 'Lab 4' with an id from Canvas"),
        (("Lab 3 (77)", "Lab 4 (77)"), {}, "several assignments 'Lab 4'"),
        (("10,40", "10,50"), {}, "Canvas has '50' points possible, the lab has 40"),
        (("    Points Possible", ""), {}, "no line 'Points Possible'"),
        (("101", ""), {}, "Byron, Ada has no ID"),
        (("nora", "grace"), {}, "grace is there twice"),
        (("SIS Login ID", "Login"), {}, "has no column 'SIS Login ID'"),
        (("", ""), {"match": "E-mail"}, "has no column 'E-mail'"),
        (("\ufeffStudent", '"Student'), {}, "not a CSV file"),
    ],
)
def test_canvas_is_never_given_what_it_did_not_ask_for(
    tmp_path, folder, change, options, error, capsys
):
    text = CANVAS.replace(*change) if change[0] else CANVAS
    status, out = canvas(tmp_path, folder, text, **options)
    assert status == 1
    assert error in capsys.readouterr().err
    assert not out.exists()


def test_canvas_with_semicolons_gets_semicolons(tmp_path, folder):
    text = "Student;ID;SIS Login ID;Section;Lab 4 (78)\n    Points Possible;;;;40\n"
    status, out = canvas(tmp_path, folder, text + "Ada;101;ada@example.org;S1;\n")
    assert status == 1, "some are left out"
    assert out.read_text().splitlines()[-1] == '"Ada";"101";"ada@example.org";"S1";"40"'


def test_moodle_gets_grade_and_feedback_or_neither(tmp_path, folder, capsys):
    roster = write_roster(tmp_path / "roster.csv")
    text = export("moodle", folder, tmp_path, "--roster", roster, status=1)
    header, *rows = rows_of(text)
    assert header == ["Email address", "04_gradients", "04_gradients (feedback)"]
    assert len(rows) == len(STUDENTS) - 1
    assert all(grade and feedback for _, grade, feedback in rows)
    # In the order of the names; the roster numbers them in the order of STUDENTS.
    by_email = {email: grade for email, grade, _ in rows}
    assert by_email["s0@example.org"] == "40"
    assert "s11@example.org" not in by_email
    notes = capsys.readouterr().err
    assert "not exported: unlucky-ursula: no score" in notes
    assert "mallory: handed in nothing" in notes


def test_moodle_knows_students_by_number_too(tmp_path, folder, capsys):
    text = export("moodle", folder, tmp_path, "--identity", "ID number", status=1)
    header, *rows = rows_of(text)
    assert header[0] == "ID number"
    assert {"grace", "../../etc/passwd", "ivan"} <= {row[0] for row in rows}
    # No platform knows these as a cell would hold them.
    left_out = capsys.readouterr().err
    assert "not exported: =cmd|' /C calc'!A0: no cell of a CSV file" in left_out
    assert len(rows) == len(STUDENTS) - 3


def test_nbgrader_columns_survive_a_comma_in_a_name(tmp_path, folder):
    roster = write_roster(tmp_path / "roster.csv")
    text = export(
        *("nbgrader-csv", folder, tmp_path, "--roster", roster, "--due", "2026-10-06"),
        status=1,
    )
    header, *rows = rows_of(text)
    assert ",".join(header) == (
        "assignment,duedate,timestamp,student_id,last_name,first_name,email,"
        "raw_score,late_submission_penalty,score,max_score"
    )
    ada = dict(
        zip(header, next(row for row in rows if row[3].startswith("ada")), strict=True)
    )
    assert ada["last_name"] == "Last, 0" and ada["first_name"] == "'=First"
    assert (ada["raw_score"], ada["late_submission_penalty"]) == ("40", "0")
    assert ada["timestamp"] == "2026-10-05T12:30:00+02:00"
    assert not [row for row in rows if row[3] == "unlucky-ursula"]


def test_lti_gives_no_score_for_a_fault_of_the_grader(tmp_path, folder, capsys):
    roster = write_roster(tmp_path / "roster.csv")
    scores = strict_json(export("lti", folder, tmp_path, "--roster", roster))
    assert len(scores) == len(STUDENTS)
    for score in scores:
        fits(score, LTI)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", score["timestamp"])
        datetime.fromisoformat(score["timestamp"])
    by_user = {score["userId"]: score for score in scores}
    assert by_user["lti-0"]["scoreGiven"] == by_user["lti-0"]["scoreMaximum"] == 40
    failed = by_user["lti-11"]
    assert failed["gradingProgress"] == "Failed"
    assert "scoreGiven" not in failed and "scoreMaximum" not in failed
    assert strict_json(export("lti", folder, tmp_path, status=1))[0]["userId"] in STUDENTS
    assert "not exported: heidi" in capsys.readouterr().err


def test_an_id_for_lti_is_never_invented(tmp_path, folder, capsys):
    roster = tmp_path / "roster.csv"
    roster.write_text("id,lti_user_id\ngrace,77\nivan,\n")
    scores = strict_json(export("lti", folder, tmp_path, "--roster", roster, status=1))
    assert [score["userId"] for score in scores] == ["77"]
    assert "not exported: ivan: no lti_user_id in the roster" in capsys.readouterr().err


def test_nbgrader_that_is_not_installed_is_named(tmp_path, folder, capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "nbgrader.api", None)
    assert course("export", "nbgrader", folder, "--out", tmp_path / "gradebook.db") == 1
    assert "pip install nbgrader" in capsys.readouterr().err
    assert course("export", "nbgrader", folder) == 1
    assert "nbgrader needs --out" in capsys.readouterr().err


@pytest.mark.parametrize("format_", ["moodle", "nbgrader-csv", "lti", "canvas"])
def test_nothing_is_exported_of_a_class_with_a_broken_record(
    tmp_path, folder, format_, capsys
):
    (folder / "broken.json").write_text('{"schema": 1')
    book = tmp_path / "book.csv"
    book.write_text(CANVAS)
    out = tmp_path / "out"
    options = ("--gradebook", book, "--assignment", "78", "--out", out)
    assert course("export", format_, folder, *options) == 1
    said = capsys.readouterr().err
    assert "nothing is exported" in said and "broken.json" in said
    assert not out.exists()


def test_records_are_checked_with_the_key(tmp_path, folder, capsys):
    key = tmp_path / "key"
    key.write_text(class_of_12.KEY.hex())
    key.chmod(0o600)
    forged = make_record("mallory", ["ok"] * 5)
    write_record(folder, forged | {"score": 41})
    assert course("export", "moodle", folder, "--identity", "ID number") == 1
    assert '"mallory","41"' in capsys.readouterr().out
    assert course("export", "moodle", folder, "--key", key) == 1
    said = capsys.readouterr().err
    assert "changed after it was signed" in said
    assert forged["submission"]["sha256"] in said


def test_a_number_stands_for_a_lab_of_the_course(tmp_path, capsys):
    place = tmp_path / "course"
    folder = write_class(place / "records" / "04_gradients")
    options = ("--course", place, "--identity", "ID number")
    assert course("export", "moodle", "04", *options) == 1
    assert "there is no key" in capsys.readouterr().err
    (place / "key").write_text(class_of_12.KEY.hex())
    (place / "key").chmod(0o600)
    assert course("export", "moodle", "04", *options) == 1, "some are left out"
    assert '"grace"' in capsys.readouterr().out
    out = tmp_path / "report"
    assert course("report", "04", "--course", place, "--out", out) == 0
    assert (out / "index.html").exists()
    write_record(folder, make_record("ada@example.org") | {"score": 39})
    assert course("export", "moodle", "04", *options) == 1
    assert "changed after it was signed" in capsys.readouterr().err
    assert course("similar", "04", "--course", place) == 1
    assert "handins/04_gradients is not a folder" in capsys.readouterr().err


def test_a_task_that_the_grader_failed_on_takes_the_score_away(tmp_path):
    record = make_record("ada@example.org")
    record["tests"][0]["cases"][0]["verdict"] = "grader_error"
    got = strict_json(export("gradescope", write_record(tmp_path, record), tmp_path))
    assert "score" not in got


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"score": None}, "score is no number"),
        ({"tests": {}}, "no list of tests"),
        ({"lab__id": 4}, "no lab.id"),
        ({"submission__id": ""}, "no submission.id"),
        ({"submission__submitted_at": "yesterday"}, "Invalid isoformat"),
        ({"tests": [{"id": "04.1"}]}, "test 04.1 has no title"),
        ({"max_score": True}, "max_score is no number"),
        ({"schema": 2}, "schema is 2"),
    ],
)
def test_what_is_no_record_is_said(tmp_path, change, error, capsys):
    path = record_of(tmp_path, "ada@example.org", **change)
    assert course("export", "gradescope", path) == 1
    said = capsys.readouterr()
    assert error in said.err and path.name in said.err and said.out == ""


def test_a_place_that_is_wrong_is_said(tmp_path, folder, capsys):
    path = record_of(tmp_path / "one", "ada@example.org")
    lines = {
        ("gradescope", folder): "gradescope is of one hand-in",
        ("moodle", tmp_path / "none"): "there is no file",
        ("moodle", "99"): "there is no file 99, and there is no lab 99",
        ("moodle", path): "is not a folder of records",
        ("moodle", tmp_path): "holds no record",
        ("gradescope", tmp_path / "none"): "and there is no lab",
        ("gradescope-zip", "99"): "there is no lab 99",
    }
    for (format_, source), error in lines.items():
        assert course("export", format_, source, "--out", tmp_path / "out") == 1
        assert error in capsys.readouterr().err
    assert course("export", "gradescope", path, "--out", path / "deeper") == 1
    assert "cannot be written" in capsys.readouterr().err
