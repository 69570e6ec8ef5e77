"""A training on a student's files: which are used, and what comes of it."""

# ruff: noqa: F811

import pytest
from test_overlay import answer, graded, lab, top  # noqa: F401

from minitf_lab import project
from minitf_lab.dev.demo import milestone
from minitf_lab.dev.demo.milestone import Part

FILE = "python/minitf/training/optimizers.py"


def test_a_file_whose_tasks_have_all_points_is_the_students(lab, answer):
    path = answer()
    assert milestone.parts_of(lab, graded(lab)) == [Part(lab, FILE, path)]


def test_a_file_with_an_open_task_is_not_used(lab, answer):
    answer("here - distance", "here + distance")
    [part] = milestone.parts_of(lab, graded(lab))
    assert (part.answer, part.why) == (None, "99.2 without all points")


def test_labs_are_tested_if_they_were_begun(lab, answer):
    [part] = milestone._parts([lab])
    assert (part.answer, part.why) == (None, "not begun")
    answer("def checked(rate):", "def checked(rate:")
    [part] = milestone._parts([lab])
    assert part.answer is None
    assert part.why.startswith("it cannot be tested: ")
    path = answer()
    assert milestone._parts([lab]) == [Part(lab, FILE, path)]


# ---- The program, on files of labs 04 and 06 ------------------------------------------

GRADIENTS = "minitf/gradients/math/math_grad.cc"
STEPS = "python/minitf/training/optimizers.py"


@pytest.fixture
def written(tmp_path):
    """Minitf's own answers as a student's, with changes in some files."""
    if not (project.build_folder() / "build.ninja").exists():
        pytest.skip("nothing is built")

    def write(changes):
        parts = []
        for number, file in (("04", GRADIENTS), ("06", STEPS)):
            path = tmp_path / file.rpartition("/")[2]
            text = (project.ROOT / file).read_text().replace("LAB(", "TODO(")
            for old, new in changes.get(file, []):
                assert old in text
                text = text.replace(old, new)
            path.write_text(text)
            parts.append(Part(project.find_lab(number), file, path))
        return parts

    return write


def test_right_answers_learn_the_digits(written):
    said = {STEPS: [("from typing", "print('mine')\nfrom typing")]}
    figures = milestone.run_program("mlp", written(said))
    assert figures["accuracy"] > milestone.MIN_ACCURACY


def test_a_wrong_gradient_shows(written):
    uphill = '  return {da, ctx.Call("Neg", {db})};\n'
    parts = written({GRADIENTS: [("  return {da, db};\n", uphill)]})
    assert milestone.run_program("mlp", parts)["accuracy"] < milestone.MIN_ACCURACY


def test_an_answer_that_raises_is_named(written):
    parts = written({STEPS: [("from typing", "raise KeyError('mine')\nfrom typing")]})
    with pytest.raises(project.LabError, match="mlp has not come to its end:(.|\n)*mine"):
        milestone.run_program("mlp", parts[1:])


def test_other_milestones_are_refused():
    with pytest.raises(project.LabError, match="no milestone lenet; there are: mlp"):
        milestone.run("lenet")
