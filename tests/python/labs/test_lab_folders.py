"""Labs in folders of their own, in Python: commands, and folders that are not right.

Those in C++ and CUDA are in ``tests/judge/test_own_units.py``, ``./lab qa`` is in
``tests/judge/test_qa.py``, since they take longer.
"""

import json
import shutil
import sys

import lab_folder
import pytest
from lab_folder import PYTHON, judged, verdicts

from minitf_lab import cuda, project
from minitf_lab.__main__ import main
from minitf_lab.labs.handin import records


@pytest.fixture
def folder(tmp_path):
    return lab_folder.in_python(tmp_path)


@pytest.fixture
def tool(monkeypatch, capsys):
    """Runs a command; its status, and what it says."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["lab", *map(str, words)])
        status = main()
        said = capsys.readouterr()
        return status, said.out + said.err

    return run


@pytest.fixture
def work(tmp_path, monkeypatch):
    """Where ./lab start puts files, instead of minitf's own folder."""
    monkeypatch.setattr(
        project.Lab, "work", property(lambda lab: project.ROOT / "work" / f"t_{NAME}")
    )
    path = project.ROOT / "work" / f"t_{NAME}"
    shutil.rmtree(path, ignore_errors=True)
    yield path
    shutil.rmtree(path, ignore_errors=True)


NAME = "60_twice"


# ---- From the first command to the mark ----------------------------------------------


def test_the_commands_of_a_student_and_of_an_instructor(folder, work, tool, tmp_path):
    status, said = tool("start", folder)
    assert status == 1 and "the lab has no twice.py to begin with: run ./lab gen" in said
    assert tool("gen", "--check", folder)[0] == 1
    assert tool("gen", folder) == (0, "wrote twice.py\n")
    assert tool("gen", "--check", folder) == (0, "")
    status, said = tool("start", folder)
    assert status == 0 and "twice.py: 2 to fill in" in said
    assert sorted(path.name for path in work.iterdir()) == ["README.md", "twice.py"]
    status, said = tool("test", folder)
    assert status == 1 and "0 passed, 0 failed, 2 not written yet" in said
    text = (work / "twice.py").read_text()
    stub = 'raise NotImplementedError("task 60.{} is not written yet")'
    (work / "twice.py").write_text(text.replace(stub.format(1), "return 3 * x"))
    status, said = tool("test", f"{folder}.1")
    assert status == 1 and "it is [1.5]" in said and "0 passed, 1 failed, 0 not" in said
    assert tool("test", f"{folder}.7")[1].startswith("there is no task 60.7")
    (work / "twice.py").write_text(text.replace(stub.format(2), "return 2 * x"))
    status, said = tool("grade", folder)
    assert status == 1 and "3 of 5 points; 1 cases not written yet" in said
    status, said = tool("submit", folder, "--hours", 1, "--out", tmp_path / "a.zip")
    assert status == 0 and "not written yet: 60.1" in said
    out = tmp_path / "a.json"
    assert tool("judge", folder, tmp_path / "a.zip", "--out", out, "--no-build")[0] == 0
    record = records.read(out)
    assert record["score"] == 3 and verdicts(record) == ["not_written", "ok"]
    assert record["flags"] == ["hours: 1"]


def test_a_class_is_collected_and_graded_by_the_folder(folder, tmp_path, tool):
    place = ["--course", tmp_path / "course"]
    for name, text in (("ada", PYTHON), ("bob", PYTHON.replace("2 * x", "x"))):
        lab_folder.write(tmp_path / "all" / name, twice__py=text)
    assert tool("course", "keys", "--new", *place)[0] == 0
    assert tool("gen", folder)[0] == 0
    assert tool("course", "collect", folder, tmp_path / "all", *place)[0] == 0
    status, said = tool("course", "grade", folder, *place)
    assert status == 0 and "2 of 2 students have points, 4.0 on average" in said
    assert tool("course", "verify", folder, *place)[0] == 0
    out = tmp_path / "report"
    assert tool("course", "report", folder, "--out", out, *place)[0] == 0
    assert (out / "index.html").is_file()
    similar = tmp_path / "similar.html"
    assert tool("course", "similar", folder, "--out", similar, *place)[0] == 0


LIAR = "class Liar(float):\n    __eq__ = lambda *_: True\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("raise SystemExit\n", ["raised", "raised"]),
        ("import os\nos._exit(0)\n", ["exited", "exited"]),
        ("def number(x):\n    return 2 * x\n", ["raised", "raised"]),
        ("def number(x:\n", ["compile_error", "compile_error"]),
        (PYTHON.replace("2 * x", "1 / 0"), ["raised", "ok"]),
        (LIAR + PYTHON.replace("2 * x", "Liar()"), ["wrong_answer", "ok"]),
        (PYTHON.replace("2 * x", "open(REFERENCE).read()"), ["raised", "ok"]),
    ],
    ids=range(7),
)
def test_what_a_wrong_answer_gets(folder, tmp_path, text, expected):
    text = text.replace("REFERENCE", repr(str(folder / "reference" / "twice.py")))
    record = judged(folder, tmp_path, text)
    assert verdicts(record) == expected
    assert record["score"] == (3 if expected[1] == "ok" else 0)


# ---- Folders that are not as they should be ------------------------------------------


def said_of(folder):
    with pytest.raises(project.LabError) as error:
        project.lab_at(str(folder))
    return str(error.value)


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        ("lab.json", "is no lab: it has no lab.json"),
        ("reference/twice.py", "its file twice.py is not in "),
        ("driver.py", "there is no driver.py or driver.cc in it"),
        ("cases.py", "there is no cases.py in it"),
    ],
)
def test_a_file_that_is_missing_is_named(folder, gone, said):
    (folder / gone).unlink()
    assert said in said_of(folder)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("json.py", "files: json.py: this name is taken"),
        ("numpy.py", "files: numpy.py: this name is taken"),
        ("driver.py", "files: driver.py: this name is taken"),
        ("twice.rs", "is no name of a file in reference/"),
        ("..", "is no name of a file in reference/"),
        (".py", "is no name of a file in reference/"),
        ("a b.py", "is no name of a file in reference/"),
        ("zwö.py", "is no name of a file in reference/"),
        ("../../x.py", "is none of the framework"),
        ("/etc/passwd", "is none of the framework"),
        ("python/minitf", "is none of the framework"),
        ("twice.cc", "the lab needs a driver.cc for its C++"),
    ],
)
def test_a_name_that_no_file_may_have(folder, name, said):
    (folder / "lab.json").write_text(json.dumps(lab_folder.MANIFEST | {"files": [name]}))
    lab_folder.write(folder, reference___twice__cc="")
    assert said in said_of(folder)


def test_files_of_minitf_and_others_are_not_mixed(folder):
    files = ["twice.py", "python/minitf/ops/clip_ops.py"]
    (folder / "lab.json").write_text(json.dumps(lab_folder.MANIFEST | {"files": files}))
    assert "labs have files of minitf or all their own" in said_of(folder)


@pytest.mark.parametrize("name", ["twice", "6_twice", "60-twice", "60_zwö", "060_x"])
def test_a_folder_that_is_called_wrongly(folder, name):
    other = folder.rename(folder.with_name(name))
    assert "a lab's folder is named like 50_my_lab" in said_of(other)


def test_a_folder_that_every_answer_can_read_is_refused(folder, monkeypatch):
    monkeypatch.setattr(project.Path, "is_relative_to", lambda self, other: True)
    assert "answers can read /usr" in said_of(folder)


# ---- Without a GPU -------------------------------------------------------------------


def test_tasks_that_need_a_gpu_cost_nothing_without_one(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(cuda, "DEVICE", tmp_path / "none")
    tasks = json.loads(json.dumps(lab_folder.MANIFEST["tasks"]))
    tasks["60.1"]["needs"] = ["cuda"]
    lab_folder.in_python(tmp_path, tasks=tasks)
    record = judged(folder, tmp_path, PYTHON)
    assert (record["score"], record["max_score"]) == (3, 3)
    assert verdicts(record) == ["skipped", "ok"]
    test = record["tests"][0]
    assert (test["points"], test["score"]) == (0, 0)
    assert test["message"] == "skipped: there is no GPU here"
    assert "task 60.1: skipped: there is no GPU here" in record["flags"]


def test_what_cannot_be_run_at_all_has_no_mark(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(cuda, "DEVICE", tmp_path / "none")
    lab_folder.in_python(tmp_path, needs=["cuda"])
    record = judged(folder, tmp_path, PYTHON)
    assert record["status"] == "grader_error" and record["score"] is None
    assert verdicts(record) == ["skipped", "skipped"]


def test_on_a_machine_with_a_gpu_the_reference_comes_first(folder, tmp_path, monkeypatch):
    """What it fails is the machine's fault."""
    monkeypatch.setattr(cuda, "DEVICE", tmp_path / "nvidiactl")
    cuda.DEVICE.touch()
    lab_folder.in_python(tmp_path, needs=["cuda"])
    assert judged(folder, tmp_path, PYTHON)["score"] == 5
    (folder / "reference" / "twice.py").write_text(PYTHON.replace("2 * x", "x"))
    record = judged(folder, tmp_path, PYTHON.replace("LAB", "TODO"))
    assert record["status"] == "grader_error"
    assert "the lab's own answer fails here: numbers" in record["tests"][0]["message"]
