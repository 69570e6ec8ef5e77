"""The lab tool on made-up labs: points, starters, answers that are none."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from minitf_lab import project
from minitf_lab.labs import builds, grade, report, start
from minitf_lab.labs.answers import Answer

DRIVER = '''"""What the cases call."""


def give(value):
    return value


def not_written():
    raise NotImplementedError("task 96.2 is not written yet")


def leave():
    import os

    os._exit(0)
'''
CASES = '''"""Cases that pass, fail, and are not written."""

from minitf_lab.judge.case import Call, Trial, case


def trial(function, wanted=1, **arguments):
    check = lambda values: None if values == [wanted] else "it is wrong"
    return Trial("one", [Call(function, arguments)], check)


@case("96.1", over=range(2))
def good(draw, number):
    "It is what it is"
    yield trial("give", number, value=number)


@case("96.2")
def missing(draw):
    "It is written"
    yield trial("not_written")


@case("96.2", over=range(2))
def good_too(draw, number):
    "It is what it is"
    yield trial("give", number, value=number)


@case("96.3")
def leaves(draw):
    "It stays"
    yield trial("leave")


@case("96.3")
def wrong(draw):
    "It is 1"
    yield trial("give", 1, value=2)


@case("96.1", hidden=True)
def hidden(draw):
    "Nobody sees it"
    yield trial("give", 1, value=2)
'''


def make_task(number, cases, points=10):
    return project.Task(number, "", points, cases, "")


def make_lab(*tasks, files=()):
    return project.Lab("96_made_up", "Made up", list(files), 2, [], list(tasks))


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    monkeypatch.setattr(project, "ROOT", tmp_path)
    lab = make_lab()
    lab.starter.mkdir(parents=True)
    (lab.starter / "math.cc").write_text("// TODO(96.1) begin: x\n// TODO(96.1) end\n")
    (lab.starter / "lab.json").write_text("{}")
    lab.tests.mkdir(parents=True)
    (lab.tests / "driver.py").write_text(DRIVER)
    (lab.tests / "cases.py").write_text(CASES)
    yield lab
    for name in [name for name in sys.modules if name.startswith("lab_96_made_up")]:
        del sys.modules[name]


def graded(*tasks):
    return grade.grade_answer(make_lab(*tasks), Answer(None, {}))


def with_answers(*lines):
    """A file with an answer to 96.1 for each of ``lines``, and a line on its own."""
    regions = [f"// TODO(96.1) begin: x\n{line}\n// TODO(96.1) end\n" for line in lines]
    return "".join(regions)


def test_an_answer_is_a_copy_only_if_it_is_long(made_up, tmp_path):
    file = "minitf/base/text.cc"
    (tmp_path / file).parent.mkdir(parents=True)
    lab = make_lab(make_task("96.1", 2), files=[file])
    lab.work.mkdir(parents=True)

    def copied(mine, theirs):
        (lab.work / "text.cc").write_text(with_answers(*mine))
        (tmp_path / file).write_text(with_answers(*theirs))
        return grade.copied_tasks(lab)

    line = f"int result = {'a + ' * grade.SHORTEST_COPY}a;"
    assert copied([line], [line]) == ["96.1"]
    assert copied([line], ["return 1;"]) == []
    assert copied(["return 1;"], ["return 1;"]) == [], "anybody would write that"
    half = line[: grade.SHORTEST_COPY]
    assert copied([half, half], [half, half]) == ["96.1"], "all its places count"


# ---- Points --------------------------------------------------------------------------


def test_points_are_given_in_proportion_and_rounded_down(made_up):
    result = graded(make_task("96.1", 2), make_task("96.2", 3), make_task("96.3", 2))
    assert [task.points for task in result.tasks] == [10, 6, 0]
    assert [task.passed for task in result.tasks] == [2, 2, 0]
    assert (result.points, result.lab.points) == (16, 30)


def test_cases_that_do_not_pass_are_told_apart(made_up):
    result = graded(make_task("96.1", 2), make_task("96.2", 3), make_task("96.3", 2))
    found = {one.name: (task.number, one.status) for task, one in result.failures}
    assert found == {
        "missing": ("96.2", "not written"),
        "leaves": ("96.3", "left"),
        "wrong": ("96.3", "failed"),
    }


def test_a_report_says_where_a_case_is_written_but_for_hidden_ones(made_up, tmp_path):
    tasks = [make_task("96.1", 2), make_task("96.3", 2)]
    result = grade.grade_answer(make_lab(*tasks), Answer(None, {}), hidden_seed=1)
    found = {one.name: (task, one) for task, one in result.failures}
    line = CASES.split("\n").index("def wrong(draw):")  # its decorator, counted from 1
    place = f"{made_up.tests.relative_to(tmp_path)}/cases.py:{line}"
    assert ("see", place) in report.failure_lines(*found["wrong"])
    assert "see" not in dict(report.failure_lines(*found["hidden"]))


@pytest.mark.parametrize("promised", [1, 3])
def test_a_lab_with_another_number_of_cases_than_promised_earns_nothing(
    made_up, promised
):
    result = graded(make_task("96.1", promised), make_task("96.2", 3))
    assert [task.points for task in result.tasks] == [0, 6]
    assert result.tasks[0].note == f"there are 2 of {promised} cases"


def test_a_task_without_cases_earns_nothing(made_up):
    result = graded(make_task("96.7", 2))
    assert (result.points, result.tasks[0].note) == (0, "there are 0 of 2 cases")


def test_cases_are_chosen_by_a_word_and_a_task(made_up):
    lab = make_lab(make_task("96.1", 2), make_task("96.2", 3))

    def names(**chosen):
        found = grade.run_tasks(lab, Answer(None, {}), **chosen)
        return [one.name for _, results in found for one in results]

    assert names(word="GOOD") == ["good-0", "good-1", "good_too-0", "good_too-1"]
    assert names(word="too", task="96.2") == ["good_too-0", "good_too-1"]
    assert names(task="96.1") == ["good-0", "good-1"]
    assert names(word="nothing") == []


def test_a_driver_that_does_not_load_is_an_error(made_up):
    (made_up.tests / "driver.py").write_text("1 / 0")
    with pytest.raises(
        project.LabError, match=r"the tests do not start:\n(.*\n)*ZeroDiv"
    ):
        graded(make_task("96.1", 2))


# ---- Starters and answers ------------------------------------------------------------


def test_start_copies_the_files_but_not_the_manifest(made_up, capsys):
    start.start(made_up)
    assert [path.name for path in made_up.work.iterdir()] == ["math.cc"]
    assert "math.cc: 1 to fill in" in capsys.readouterr().out


def test_start_keeps_work_that_is_there(made_up):
    start.start(made_up)
    (made_up.work / "math.cc").write_text("mine")
    with pytest.raises(project.LabError, match="is there already"):
        start.start(made_up)
    assert (made_up.work / "math.cc").read_text() == "mine"
    start.start(made_up, force=True)
    assert "TODO" in (made_up.work / "math.cc").read_text()
    kept = [path for path in made_up.work.parent.iterdir() if path != made_up.work]
    assert [(path / "math.cc").read_text() for path in kept] == ["mine"]


def test_many_who_start_at_the_same_time_all_begin_anew(made_up, capsys):
    start.start(made_up)
    (made_up.work / "math.cc").write_text("mine")
    count = 8
    with ThreadPoolExecutor(count) as pool:
        list(pool.map(lambda _: start.start(made_up, force=True), range(count)))
    names = {path.name for path in made_up.work.parent.iterdir()}
    assert names == {made_up.folder, *(f"{made_up.folder}.{i + 1}" for i in range(count))}
    kept = made_up.work.with_name(f"{made_up.folder}.1")
    assert (kept / "math.cc").read_text() == "mine"
    assert "TODO" in (made_up.work / "math.cc").read_text()


def test_a_lab_that_cannot_be_begun_says_why(made_up, tmp_path):
    (tmp_path / "work").write_text("a file, where a folder belongs")
    with pytest.raises(project.LabError, match="cannot begin the lab: .*work"):
        start.start(made_up)


def test_an_answer_is_a_file_of_its_own(made_up, tmp_path):
    lab = make_lab(files=["math.cc"])
    with pytest.raises(project.LabError, match="run ./lab start 96"):
        builds.build_version(lab, "work")
    start.start(made_up)
    (made_up.work / "math.cc").unlink()
    with pytest.raises(project.LabError, match="math.cc is missing: begin with a copy"):
        builds.build_version(lab, "work")
    (tmp_path / "other.cc").write_text("")
    (made_up.work / "math.cc").symlink_to(tmp_path / "other.cc")
    with pytest.raises(project.LabError, match="math.cc is a link"):
        builds.build_version(lab, "work")


def test_a_compiler_error_is_cut():
    said = project.compiler_output(f"{project.ROOT}/a.cc:1: no\n" * 100)
    assert said.startswith("a.cc:1: no\n")
    assert said.endswith(f"... {100 - project.MAX_LINES} more lines")


def test_an_unknown_lab_is_answered_with_those_there_are():
    with pytest.raises(project.LabError, match=r"there is no lab 77; there are: .*04"):
        project.find_lab("77")


@pytest.mark.parametrize("number", ["0", "00", "00_hello"])
def test_a_lab_has_a_number_and_a_name(number):
    assert project.find_lab(number).folder == "00_hello"


def test_no_lab_is_called_nothing():
    with pytest.raises(project.LabError, match="there is no lab ; there are: 00"):
        project.find_lab("")


def test_a_manifest_that_is_none_is_named(tmp_path):
    path = tmp_path / "lab.json"
    for text in ("{", "{}", json.dumps({"tasks": {"96.1": {"tests": "F.*"}}})):
        path.write_text(text)
        with pytest.raises(project.LabError, match=f"^{path}: "):
            project.load_lab(path)
