"""The rows of docs/labs.md and exercises/README.md about labs."""

import re

import pytest

from minitf_lab import project
from minitf_lab.dev.quality import labs_page

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


def put(path, lines, head=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(head + ANSWER.format(lines))


def test_lines_of_code_between_the_marks_are_counted(lab, tmp_path):
    put(tmp_path / FILE, "  // Why.\n\n  Do();  // so\n  Do();\n")
    assert labs_page._lines(lab) == "3"
    put(lab.solution / "honest" / "a.txt", "Do();\n" * 4, "=== text.cc\n")
    assert labs_page._lines(lab) == "3; 5-5"
    put(lab.solution / "honest" / "b.txt", "Do();", "=== text.cc\n")
    assert labs_page._lines(lab) == "3; 2-5"


def test_what_has_watched_a_lab_is_told():
    threads, plain, in_python = map(project.find_lab, ("03", "04", "06"))
    asan = {"all": 128, "passed": 128}
    cell = labs_page._sanitizers
    assert cell(threads, {"asan": asan}) == "asan 128 of 128; tsan not measured"
    assert cell(plain, {"asan": asan | {"passed": 127}}) == "asan 127 of 128"
    assert cell(in_python, {}) == "none"


def test_the_page_of_exercises_has_a_row_for_every_lab() -> None:
    page = (project.ROOT / "exercises" / "README.md").read_text()
    rows = []
    for lab in project.all_labs():
        files = ", ".join(f"`{file.rpartition('/')[2]}`" for file in lab.files)
        rows.append(f"| {lab.number} | [{lab.title}]({lab.folder}/README.md) | {files} |")
    assert [line for line in page.splitlines() if re.match(r"\| \d\d ", line)] == rows
    for lab in project.all_labs():
        heading = (lab.starter / "README.md").read_text().partition("\n")[0]
        assert heading.lower() == f"# lab {lab.number}: {lab.title}".lower()
