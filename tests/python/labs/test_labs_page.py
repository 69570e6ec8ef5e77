"""What docs/labs.md says of a lab."""

import pytest

from minitf_lab import project
from minitf_lab.quality import labs_page

FILE = "minitf/base/text.cc"
ANSWER = """int Given();  // a line outside of the marks
  // LAB(96.1) begin: one
{}
  // LAB(96.1) end
// LAB(96.2) begin: two
  return 1;
// LAB(96.2) end
"""


@pytest.fixture
def lab(tmp_path, monkeypatch):
    monkeypatch.setattr(project, "ROOT", tmp_path)
    return project.Lab("96_made_up", "Made up", [FILE])


def put(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(ANSWER.format(lines))


def test_lines_of_code_between_the_marks_are_counted(lab, tmp_path):
    put(tmp_path / FILE, "  // Why.\n\n  Do();  // so\n  Do();\n")
    assert labs_page._lines(lab) == "3"
    put(lab.solution / "honest" / "a" / "text.cc", "Do();\n" * 4)
    assert labs_page._lines(lab) == "3; 5-5"
    put(lab.solution / "honest" / "b" / "text.cc", "Do();")
    assert labs_page._lines(lab) == "3; 2-5"


def test_what_has_watched_a_lab_is_told():
    threads, plain, in_python = map(project.find_lab, ("03", "04", "06"))
    asan = {"all": 128, "passed": 128}
    cell = labs_page._sanitizers
    assert cell(threads, {"asan": asan}) == "asan 128 of 128; tsan not measured"
    assert cell(plain, {"asan": asan | {"passed": 127}}) == "asan 127 of 128"
    assert cell(in_python, {}) == "none"
