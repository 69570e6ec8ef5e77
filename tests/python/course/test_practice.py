"""Practice and grader give the same: same files, same folders, same text."""

import json
import os
import shutil
import sys

import lab_folder
import pytest
from lab_folder import CPP, PYTHON, judged, verdicts

from minitf_lab import project
from minitf_lab.__main__ import main
from minitf_lab.judge.case import forget_modules
from minitf_lab.labs import builds, grade
from minitf_lab.labs.handin import intake
from minitf_lab.labs.handin.archives import Rejected

NAME = "60_practice"


@pytest.fixture
def work(monkeypatch):
    """The folder of the student, in which commands are run."""
    path = project.ROOT / "work" / NAME
    monkeypatch.setattr(project.Lab, "work", property(lambda lab: path))
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    monkeypatch.chdir(path)
    yield path
    monkeypatch.chdir(project.ROOT)
    shutil.rmtree(path, ignore_errors=True)


def practised(folder):
    """What ``./lab test`` finds: the status of each case, or why nothing is run."""
    forget_modules("lab_60_twice")
    lab = project.lab_at(str(folder))
    try:
        answer = builds.build_version(lab, "work")
        found = [*grade.run_tasks(lab, answer)]
    except project.LabError as error:
        return str(error)
    return [result.status for _, results in found for result in results]


# ---- The same files ------------------------------------------------------------------

HELPER_H = "#pragma once\ninline double Two() { return 2; }\n"
USING = CPP.replace('#include "twice.h"', '#include "twice.h"\n#include "@"').replace(
    "return 2 * x", "return Two() * x"
)
SEES_OTHER_FILES = {
    "a module beside it": ("import helper\n", "helper.TWO"),
    "the current folder": ("", 'float(open("data.txt").read())'),
    "its own folder": (
        "from pathlib import Path\n",
        'float(Path(__file__).with_name("data.txt").read_text())',
    ),
}


@pytest.mark.parametrize("name", SEES_OTHER_FILES)
def test_python_finds_no_file_that_is_not_handed_in(tmp_path, work, name):
    begin, two = SEES_OTHER_FILES[name]
    text = begin + PYTHON.replace("return 2 * x", f"return {two} * x")
    (work / "twice.py").write_text(text)
    (work / "helper.py").write_text("TWO = 2\n")
    (work / "data.txt").write_text("2\n")
    folder = lab_folder.in_python(tmp_path)
    assert practised(folder) != ["passed", "passed"]
    record = judged(folder, tmp_path, text)
    assert record["score"] == (0 if name == "a module beside it" else 3)


@pytest.mark.parametrize("place", ["helper.h", f"work/{NAME}/helper.h", "absolute"])
def test_cpp_finds_no_header_that_is_not_handed_in(tmp_path, work, monkeypatch, place):
    place = str(work / "helper.h") if place == "absolute" else place
    text = USING.replace("@", place)
    (work / "twice.cc").write_text(text)
    (work / "helper.h").write_text(HELPER_H)
    monkeypatch.setenv("CPLUS_INCLUDE_PATH", str(work))
    said = practised(lab_folder.in_cpp(tmp_path))
    assert isinstance(said, str) and "helper.h" in said
    expected = "No such file" if place == "helper.h" else "it is neither handed in nor"
    assert expected in said


def test_minitfs_labs_find_no_such_header_either(work):
    lab = project.find_lab("00")
    text = lab.unit(lab.files[0]).read_text()
    (work / "helper.h").write_text(HELPER_H)
    for place, said in (("", "No such file"), (f"work/{NAME}/", "neither handed in")):
        mine = f'#include "{place}helper.h"\n{text}'
        (work / "approximate_equal.cc").write_text(mine)
        with pytest.raises(project.LabError, match=f"helper.h.*{said}"):
            builds.build_version(lab, "work")


def test_submit_tries_what_is_in_the_zip(tmp_path, work, monkeypatch, capsys):
    folder = lab_folder.in_cpp(tmp_path)
    (work / "helper.h").write_text(HELPER_H)
    words = ["submit", str(folder), "--hours", "1", "--out", str(tmp_path / "a.zip")]
    monkeypatch.setattr(sys, "argv", ["lab", *words])

    def submitted(text):
        (work / "twice.cc").write_text(text)
        status = main()
        return status, capsys.readouterr().out

    status, said = submitted(USING.replace("@", "helper.h"))
    assert status == 1
    assert "twice.cc:3:10: fatal error: helper.h" in said
    assert "the files in the zip do not run: they would get 0 points" in said
    status, said = submitted(CPP.replace("return 2 * x", "return 3 * x"))
    assert status == 0 and "task 60.1: 0 of 1 cases pass" in said
    assert "the files in the zip pass 1 of 2 cases" in said
    status, said = submitted(CPP)
    assert status == 0 and "the files in the zip pass 2 of 2 cases" in said


# ---- The same text -------------------------------------------------------------------

ENCODINGS = {
    "utf-8 with a mark": lambda text: text.encode("utf-8-sig"),
    "utf-16": lambda text: text.encode("utf-16"),
    "utf-16 big": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "utf-32": lambda text: text.encode("utf-32"),
    "crlf": lambda text: text.replace("\n", "\r\n").encode(),
    "crlf in utf-16": lambda text: text.replace("\n", "\r\n").encode("utf-16"),
    "a mark and crlf": lambda text: text.replace("\n", "\r\n").encode("utf-8-sig"),
}
NOTED = "# -*- coding: latin-1 -*-\n" + PYTHON.replace("return x + x", 'return "äöü" + x')


@pytest.mark.parametrize("name", ENCODINGS)
def test_python_is_read_in_every_encoding_of_editors(tmp_path, work, name):
    data = ENCODINGS[name](PYTHON)
    (work / "twice.py").write_bytes(data)
    (work / "answers.md").write_bytes(ENCODINGS[name]("## Question 1\n"))
    folder = lab_folder.in_python(tmp_path)
    (folder / "lab.json").write_bytes(ENCODINGS[name]((folder / "lab.json").read_text()))
    assert practised(folder) == ["passed", "passed"]
    lab = project.lab_at(str(folder))
    found = intake.take(lab, work, tmp_path / "into")
    assert found.text("twice.py").replace("\r", "") == PYTHON


@pytest.mark.parametrize("name", ENCODINGS)
def test_cpp_is_read_in_every_encoding_of_editors(tmp_path, name):
    lab = project.find_lab("00")
    text = lab.unit(lab.files[0]).read_text()
    source = tmp_path / "source" / "approximate_equal.cc"
    source.parent.mkdir()
    source.write_bytes(ENCODINGS[name](text))
    builds.build_answer(lab, {lab.files[0]: source}, tmp_path / "practice")
    taken = intake.take(lab, source.parent, tmp_path / "into").files_of(lab)
    builds.build_for_marks(lab, taken, tmp_path / "marks", None)
    made = [*tmp_path.glob("*/kernels_cpu_cwise_approximate_equal.cc")]
    assert len(made) == 2
    assert not any("\ufeff" in one.read_text() for one in made)


def test_a_comment_does_not_choose_another_encoding(tmp_path, work):
    (work / "twice.py").write_text(NOTED)
    folder = lab_folder.in_python(tmp_path)
    cases = (folder / "cases.py").read_text()
    (folder / "cases.py").write_text(cases.replace('"abab"', '"äöüab"'))
    assert practised(folder) == ["passed", "passed"]
    assert judged(folder, tmp_path, NOTED)["score"] == 5


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (PYTHON.encode() + b"# \xe4\n", "twice.py: byte [0-9]+ is not UTF-8; save"),
        (PYTHON.encode("utf-16-le"), "twice.py: the file has a zero byte"),
        (b"\xff\xfea", "twice.py: byte [0-9]+ is not UTF-16"),
    ],
)
def test_what_cannot_be_read_is_one_sentence_in_both(tmp_path, work, data, said):
    (work / "twice.py").write_bytes(data)
    folder = lab_folder.in_python(tmp_path)
    found = practised(folder)
    assert isinstance(found, str)
    with pytest.raises(Rejected, match=said) as error:
        intake.read(project.lab_at(str(folder)), work)
    assert str(error.value).removeprefix("twice.py") in found
    assert "\n" not in found


# ---- Other names ---------------------------------------------------------------------


def notebook(*cells, **more):
    """A notebook with code cells."""
    made = [{"cell_type": "markdown", "source": "# Mine"}]
    made += [
        {"cell_type": "code", "source": cell.splitlines(keepends=True), "outputs": ["x"]}
        for cell in cells
    ]
    return json.dumps({"cells": made, "nbformat": 4, **more})


def test_a_notebook_is_a_module(tmp_path, work):
    marked = PYTHON.replace("LAB(", "TODO(")
    one, two = marked.split("\n\ndef word", 1)
    text = notebook("%matplotlib inline\n!ls\nx = 1", one, "%%bash\nls", f"def word{two}")
    (work / "twice.ipynb").write_text(text)
    folder = lab_folder.in_python(tmp_path)
    assert practised(folder) == ["passed", "passed"]
    record = judged(folder, tmp_path, text, name="twice.ipynb")
    assert record["score"] == 5
    assert not any("marks" in flag for flag in record["flags"])
    (work / "twice.py").write_text(PYTHON)
    said = "there are twice.py and twice.ipynb: keep the one that counts"
    assert said in practised(folder)
    with pytest.raises(Rejected, match=said):
        intake.read(project.lab_at(str(folder)), work)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1", "twice.ipynb: it is no notebook"),
        ("[]", "twice.ipynb: it is no notebook"),
        ('{"cells": [{"source": "x"}]}', "twice.ipynb: it is no notebook"),
        (notebook("x", metadata={"kernelspec": {"language": "R"}}), "notebook is in 'R'"),
    ],
)
def test_what_is_no_notebook_is_refused(tmp_path, text, said):
    folder = lab_folder.in_python(tmp_path)
    path = tmp_path / "twice.ipynb"
    path.write_text(text)
    with pytest.raises(Rejected, match=said):
        intake.read(project.lab_at(str(folder)), path)


@pytest.mark.parametrize("name", ["ada_17_twice.cpp", "twice.cc", "TWICE.CXX"])
def test_one_file_is_a_hand_in_of_a_lab_with_one_file(tmp_path, name):
    lab = project.lab_at(str(lab_folder.in_cpp(tmp_path)))
    path = tmp_path / name
    path.write_text(CPP)
    assert intake.read(lab, path).contents == {"twice.cc": CPP.encode()}
    inside = tmp_path / "in"
    inside.mkdir()
    (inside / "twice.cpp").write_text(CPP)
    assert intake.read(lab, inside).contents == {"twice.cc": CPP.encode()}


def test_one_file_of_another_kind_or_of_several_is_refused(tmp_path):
    lab = project.lab_at(str(lab_folder.in_cpp(tmp_path)))
    path = tmp_path / "twice.py"
    path.write_text(PYTHON)
    with pytest.raises(Rejected, match=r"twice.py: lab 60 needs twice.cc, not \*.py"):
        intake.read(lab, path)
    with pytest.raises(Rejected, match="twice.py is one file, and lab 04 needs"):
        intake.read(project.find_lab("04"), path)


def test_cpp_is_tested_and_judged_under_both_names(tmp_path, work):
    (work / "twice.cpp").write_text(CPP)
    folder = lab_folder.in_cpp(tmp_path)
    assert practised(folder) == ["passed", "passed"]
    assert verdicts(judged(folder, tmp_path, CPP, name="twice.cpp")) == ["ok", "ok"]
    assert os.listdir(work) == ["twice.cpp"]
