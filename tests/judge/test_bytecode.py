"""Bytecode of minitf's own answer in the place of a student's: no points, and a flag."""

import bytecode
import lab_folder
import pytest

from minitf_lab import project
from minitf_lab.judge import imports
from minitf_lab.labs import policy


def judged(folder, box, code):
    lab = lab_folder.in_python(folder)
    text = bytecode.HEAD + code + bytecode.TAIL
    return lab_folder.judged(lab, folder, text.replace("LAB(", "TODO("), box)


@pytest.mark.parametrize("name", bytecode.OPEN)
def test_bytecode_that_the_text_shows_is_refused(tmp_path, box, name):
    record = judged(tmp_path, box, bytecode.OPEN[name])
    assert lab_folder.verdicts(record) == ["policy", "policy"], record
    assert "no lab needs" in record["tests"][0]["message"]
    assert any("no lab needs" in flag for flag in record["flags"])


@pytest.mark.parametrize("name", bytecode.HIDDEN)
def test_bytecode_that_is_hidden_is_refused_as_it_runs(tmp_path, box, name):
    record = judged(tmp_path, box, bytecode.HIDDEN[name])
    assert lab_folder.verdicts(record) == ["policy", "policy"], record


@pytest.mark.parametrize("name", [*bytecode.OPEN, *bytecode.HIDDEN])
def test_each_of_them_works_without_these_walls(name):
    """The attacks are right but for what refuses them."""
    space = {"__name__": "answer"}
    exec(bytecode.HEAD + {**bytecode.OPEN, **bytecode.HIDDEN}[name], space)
    assert space["numbers"](4) == 8


def test_what_the_standard_library_does_is_allowed(tmp_path, box):
    record = judged(tmp_path, box, bytecode.HONEST)
    assert lab_folder.verdicts(record) == ["ok", "ok"], record


@pytest.mark.parametrize("lab", project.all_labs(), ids=lambda lab: lab.number)
def test_no_lab_of_minitf_needs_what_is_refused(lab):
    for file in lab.python_files:
        names = imports.of_python(lab.unit(file).read_text())
        assert imports.matching(names, policy.REFUSED_PYTHON) == []
