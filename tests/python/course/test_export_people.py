"""Exports: every mark goes to its student; an export names those that it leaves out."""

import pytest
from class_of_12 import make_record, write_record
from test_course_exports import canvas, course, export, rows_of


def of_canvas(tmp_path, *numbers):
    folder = tmp_path / "records"
    for number in numbers:
        name = f"student_{number}"
        known_as = {"canvas_id": str(number), "name": "student"}
        write_record(folder, make_record(name, submission__known_as=known_as))
    return folder


def test_a_download_of_canvas_goes_back_to_canvas(tmp_path, capsys):
    status, out = canvas(tmp_path, of_canvas(tmp_path, 101, 103))
    assert status == 0
    rows = rows_of(out.read_bytes().decode())[3:]
    assert [row[-1] for row in rows] == ["40", "EX", "40", ""]
    status, _ = canvas(tmp_path, of_canvas(tmp_path, 101, 103, 555))
    assert status == 1
    said = "not exported: student_555: not in the column 'ID' of the gradebook"
    assert said in capsys.readouterr().err


def test_an_export_of_nobody_fails_and_writes_nothing(tmp_path, capsys):
    status, out = canvas(tmp_path, of_canvas(tmp_path, 555))
    assert status == 1 and not out.exists()
    assert "nobody who has handed in is in the column 'ID'" in capsys.readouterr().err
    folder = of_canvas(tmp_path, 1)
    roster = tmp_path / "roster.csv"
    roster.write_text("id,email\nzoe,z@x.edu\n")
    for words in (["--roster", roster], []):
        assert course("export", "moodle", folder, "--out", out, *words) == 1
        assert "nobody of 2 students can be exported" in capsys.readouterr().err
        assert not out.exists()
    for format_ in ("lti", "nbgrader-csv"):
        assert course("export", format_, folder, "--roster", roster, "--out", out) == 1
        assert "nobody of 2 students can be exported" in capsys.readouterr().err
        assert not out.exists()


def test_two_records_of_one_row_are_refused(tmp_path, capsys):
    folder = of_canvas(tmp_path, 101)
    write_record(folder, make_record("other", submission__known_as={"canvas_id": "101"}))
    status, out = canvas(tmp_path, folder)
    assert status == 1 and not out.exists()
    assert "both have Canvas's ID 101" in capsys.readouterr().err


@pytest.mark.parametrize("format_", ["moodle", "lti", "nbgrader-csv"])
def test_who_is_not_in_the_roster_is_left_out_and_named(tmp_path, format_, capsys):
    folder, roster = tmp_path / "records", tmp_path / "roster.csv"
    roster.write_text("id,email,lti_user_id\n ada , ada@x.edu , 7 \n")
    for name in ("ada", "zoe"):
        write_record(folder, make_record(name, ["ok"] * 5))
    said = export(format_, folder, tmp_path, "--roster", roster, status=1)
    assert "ada" in said or '"7"' in said
    assert "zoe" not in said and "not exported: zoe: n" in capsys.readouterr().err


def test_a_roster_finds_students_by_all_that_a_download_says(tmp_path):
    folder, roster = tmp_path / "records", tmp_path / "roster.csv"
    people = {
        "a@x.edu": {"email": "a@x.edu", "sid": "1001"},
        "Bob Ng_772": {"moodle_id": "772", "name": "Bob Ng"},
        "Cleo Ó_773": {"moodle_id": "773", "name": "Cleo Ó"},
    }
    for name, known_as in people.items():
        record = make_record(name, ["ok"] * 5, submission__known_as=known_as)
        write_record(folder, record)
    rows = ["1001,A@x.edu,,", "772,b@x.edu,,", "login,c@x.edu,Cleo,Ó"]
    roster.write_text("\n".join(["id,email,first_name,last_name", *rows]))
    text = export("moodle", folder, tmp_path, "--roster", roster)
    assert [row[0] for row in rows_of(text)[1:]] == ["b@x.edu", "c@x.edu", "A@x.edu"]


def test_a_full_name_that_two_have_finds_nobody(tmp_path, capsys):
    folder, roster = tmp_path / "records", tmp_path / "roster.csv"
    for number in (1, 2):
        known_as = {"moodle_id": f"{number}", "name": "Ada B"}
        name = f"Ada B_{number}"
        record = make_record(name, ["ok"] * 5, submission__known_as=known_as)
        write_record(folder, record)
    write_record(folder, make_record("cleo", ["ok"] * 5))
    rows = ["u,u@x.edu,Ada,B", "v,v@x.edu,Ada,B", "cleo,c@x.edu,,"]
    roster.write_text("\n".join(["id,email,first_name,last_name", *rows]))
    text = export("moodle", folder, tmp_path, "--roster", roster, status=1)
    assert [row[0] for row in rows_of(text)[1:]] == ["c@x.edu"]
    said = capsys.readouterr().err
    assert said.count("not exported: Ada B_") == 2
