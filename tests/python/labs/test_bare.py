"""Answers without minitf's own beside them: students may have these compiled."""

from pathlib import Path

import pytest

from minitf_lab import project
from minitf_lab.judge import variant
from minitf_lab.judge.regions import fill_in, find_regions
from minitf_lab.labs import bare, builds, grade
from minitf_lab.labs.answers import is_begun


@pytest.fixture(scope="module")
def lab():
    return project.find_lab("06")


@pytest.fixture
def files(lab, tmp_path):
    """Right answers in one file, and in one task of another; the rest as handed out."""
    found = {}
    for file in lab.files:
        name = Path(file).name
        text = (lab.starter / name).read_text()
        right = (project.ROOT / file).read_text().replace("LAB(", "TODO(")
        if name == "clip_ops.py":
            text = fill_in(text, right)
        elif name == "moving_averages.py":
            lines = next(r.lines for r in find_regions(right) if r.task == "06.13")
            stub = 'raise NotImplementedError("task 06.13 is not written yet")'
            at = next(line for line in text.split("\n") if stub in line)
            text = text.replace(at, "\n".join(lines), 1)
        found[file] = tmp_path / name
        found[file].write_text(text)
    return found


def statuses(lab, answer, task):
    for one, results in grade.run_tasks(lab, answer, task=task):
        if one.number == task:
            return {result.status for result in results}
    return None


def test_a_right_file_counts_among_files_that_are_not_begun(lab, files, tmp_path):
    answer = bare.build(lab, files, tmp_path / "made")
    whole = {
        result.status for result in grade.run_cases(lab, answer, cases(lab, "06.12"))
    }
    assert whole != {"passed"}  # it needs what stands in other files
    assert statuses(lab, answer, "06.12") == {"passed"}


def cases(lab, task):
    return [case for case in grade.cases_of(lab) if case.task == task]


def test_what_is_not_begun_is_not_written_and_what_is_in_part_says_so(
    lab, files, tmp_path
):
    answer = bare.build(lab, files, tmp_path / "made")
    assert statuses(lab, answer, "06.1") == {"not written"}
    assert "passed" not in statuses(lab, answer, "06.13")


def test_tasks_of_the_same_files_share_what_is_built(lab, files, tmp_path):
    answer = bare.build(lab, files, tmp_path / "made")
    assert answer.alone("06.12") is answer.alone("06.12")
    assert answer.alone("06.1") is None
    one_file = project.find_lab("00")
    starter = {file: one_file.starter / Path(file).name for file in one_file.files}
    assert not is_begun(one_file, starter, "00.1")


def test_no_answer_of_minitf_is_beside_it(lab, files, tmp_path):
    answer = bare.build(lab, files, tmp_path / "made")
    for overlay in (tmp_path / "made").rglob("overlay.json"):
        assert "the answer of minitf" not in overlay.read_text()
    assert answer.alone is not None


def test_a_file_whose_source_is_not_here_is_compiled_like_its_neighbours():
    here = project.ROOT / "minitf" / "graph" / "graph.cc"
    made = "CMakeFiles/minitf_core_objects.dir/minitf/graph/graph.cc.o"
    compiles = {here: ["c++", "-DX", "-o", made, "-c", str(here)]}
    shipped = "/a/objects/release/minitf/graph/cut.cc.o"
    found = variant._of_objects(compiles, ["c++", made, shipped])
    unit = project.ROOT / "minitf" / "graph" / "cut.cc"
    assert found == {unit: ["c++", "-DX", "-o", shipped, "-c", str(here)]}


def test_the_reference_is_refused_where_it_is_compiled(lab, monkeypatch):
    monkeypatch.setattr(project, "has_reference", lambda lab: False)
    with pytest.raises(project.LabError, match="no answer to lab 06 here as source"):
        builds.build_version(lab, "reference")
