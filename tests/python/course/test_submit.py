"""``./lab submit``: the zip, what it says, and that intake takes it again."""

import io
import json
import shutil
import sys
import zipfile

import pytest

from minitf_lab import project
from minitf_lab.__main__ import main
from minitf_lab.labs.handin import intake, submit

CODE = "approximate_equal.cc"


@pytest.fixture
def work(tmp_path, monkeypatch):
    """The work folder of lab 00 in a project of its own, as handed out."""
    exercises = tmp_path / "exercises" / "00_hello"
    shutil.copytree(project.ROOT / "exercises" / "00_hello", exercises)
    monkeypatch.setattr(project, "ROOT", tmp_path)
    folder = tmp_path / "work" / "00_hello"
    folder.mkdir(parents=True)
    for name in (CODE, "answers.md", "hello.py"):
        shutil.copy(exercises / name, folder)
    return folder


def run(monkeypatch, *words):
    # The project of these tests has no build; test_practice.py tries what is in a zip.
    monkeypatch.setattr(sys, "argv", ["lab", *map(str, words), "--untried"])
    return main()


def test_the_zip_is_what_intake_takes(work, tmp_path, monkeypatch, capsys):
    out = tmp_path / "mine.zip"
    assert run(monkeypatch, "submit", "00", "--out", out, "--hours", "2.5") == 0
    said = capsys.readouterr().out
    assert "not written yet: 00.1, 00.2" in said
    assert "questions not answered yet: 1, 2, 3, 4, 5, 6, 7" in said
    found = intake.take(project.find_lab("00"), out, tmp_path / "into")
    assert list(found.contents) == [CODE, "answers.md", "time.txt"]
    assert found.contents["time.txt"] == b"2.5\n"
    assert found.receipt["sha256"] == found.sha256
    assert (found.receipt["lab"], found.receipt["version"]) == ("00_hello", "1")
    assert found.sha256[:16] in said
    assert found.sha256 == intake.read(project.find_lab("00"), work).sha256


def test_the_same_files_make_the_same_zip(work, tmp_path):
    lab = project.find_lab("00")
    first = submit.submit(lab, tmp_path / "a.zip", 3).read_bytes()
    (work / CODE).touch()
    assert submit.submit(lab, tmp_path / "b.zip").read_bytes() == first
    with (work / CODE).open("a") as file:
        file.write("\n")
    assert submit.submit(lab, tmp_path / "c.zip").read_bytes() != first


def test_tasks_that_are_written_are_not_named(work, tmp_path, capsys):
    text = (work / CODE).read_text().replace('MINITF_TODO("00.1");', "return;")
    (work / CODE).write_text(text)
    submit.submit(project.find_lab("00"), tmp_path / "a.zip", 3)
    assert "not written yet: 00.2\n" in capsys.readouterr().out
    (work / CODE).write_text("int no_marks;")
    submit.submit(project.find_lab("00"), tmp_path / "a.zip", 3)
    assert "not written yet" not in capsys.readouterr().out


def test_it_goes_to_work_and_holds_the_files_alone(work):
    submit.submit(project.find_lab("00"), hours=1)
    data = (work.parent / "00_submission.zip").read_bytes()
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        assert file.namelist() == [CODE, "answers.md", "time.txt", "receipt.json"]
        receipt = json.loads(file.read("receipt.json"))
    assert receipt["files"] == [CODE, "answers.md", "time.txt"]


@pytest.mark.parametrize("name", [CODE, "answers.md"])
def test_a_missing_file_is_refused(work, monkeypatch, capsys, name):
    (work / name).unlink()
    assert run(monkeypatch, "submit", "00", "--hours", "1") == 1
    said = capsys.readouterr().err
    assert f"work/00_hello/{name} is missing" in said
    assert f"exercises/00_hello/{name}" in said
    assert not (work.parent / "00_submission.zip").exists()


def test_what_intake_refuses_is_refused_now(work, monkeypatch, capsys):
    (work / CODE).write_bytes("// 你好".encode("gbk"))
    assert run(monkeypatch, "submit", "00", "--hours", "1") == 1
    assert f"{CODE}: byte 3 is not UTF-8" in capsys.readouterr().err
    shutil.rmtree(work)
    assert run(monkeypatch, "submit", "00", "--hours", "1") == 1
    assert "run ./lab start 00" in capsys.readouterr().err


def test_hours_are_asked_for_until_they_are_a_number(work, monkeypatch, capsys):
    lab = project.find_lab("00")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    answers = iter(["long", "-1", "nan", "6,5 or so"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(answers))
    submit.submit(lab)
    assert (work / "time.txt").read_text() == "6.5\n"
    assert capsys.readouterr().out.count("a number from 0 to 1000, please") == 3
    submit.submit(lab)  # it is known now
    submit.submit(lab, hours=7)
    assert (work / "time.txt").read_text() == "7\n"


def test_hours_that_nobody_says_are_an_error(work, monkeypatch, capsys):
    assert run(monkeypatch, "submit", "00") == 1
    assert "./lab submit 00 --hours 5" in capsys.readouterr().err
    assert run(monkeypatch, "submit", "00", "--hours", "1e9") == 1
    assert "from 0 to 1000" in capsys.readouterr().err
    assert run(monkeypatch, "submit", "00", "--hours", "nan") == 1


def test_a_zip_that_cannot_be_written_leaves_the_old_one(work, tmp_path):
    lab = project.find_lab("00")
    submit.submit(lab, tmp_path / "a.zip", 3)
    with pytest.raises(project.LabError, match="b.zip cannot be written: "):
        submit.submit(lab, tmp_path / "a.zip" / "b.zip")
    intake.read(lab, tmp_path / "a.zip")
