"""The lab tool on made-up labs: programs that crash, hang or cheat, points, starters."""

import subprocess

import pytest

from minitf_lab import cases, faults, grade, labgen, project, start

PROGRAM = """
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>
#include "gtest/gtest.h"
#include "minitf/base/lab.h"

TEST(Good, One) {}
TEST(Good, Two) {}
TEST(Missing, One) { MINITF_TODO("99.2"); }
TEST(Wrong, One) {
  RecordProperty("index", "(0,1)");
  RecordProperty("expected", "2");
  RecordProperty("got", "3");
  EXPECT_EQ(2, 3);
}
TEST(Wrong, Two) { throw std::runtime_error("no"); }
TEST(Bad, Crashes) { std::abort(); }
TEST(Bad, Hangs) { for (volatile int i = 0;; i = i + 1) {} }
TEST(Bad, LeavesAsIfAllWereWell) { std::exit(0); }
TEST(Bad, Passes) {}
TEST(Other, Skips) { GTEST_SKIP() << "no such machine"; }
TEST(Greedy, TakesAllMemory) {
  for (std::vector<std::vector<char>> all;;) all.emplace_back(1 << 20);
}
TEST(Greedy, PrintsWithoutEnd) { for (;;) std::puts("more and more and more and more"); }
TEST(Greedy, PrintsAVerdict) {
  std::puts("[       OK ] Greedy.PrintsAVerdict (0 ms)\\nx = 3");
  FAIL() << "no";
}
"""
LIMITS = cases.Limits(seconds=1, memory_mb=200)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("program")
    (folder / "cases.cc").write_text(PROGRAM)
    subprocess.run(
        [
            *("g++", "-std=c++20", f"-I{project.ROOT}", str(folder / "cases.cc")),
            *("-o", str(folder / "cases"), "-lgtest", "-lgtest_main", "-pthread"),
        ],
        check=True,
    )
    return folder / "cases"


def statuses(results):
    return {result.name: result.status for result in results}


def make_script(folder, shell):
    script = folder / "script"
    script.write_text(f"#!/bin/sh\n{shell}\n")
    script.chmod(0o755)
    return script


def named(program, *suites):
    """The program's cases in these suites."""
    return [name for name in cases.list_cases(program) if name.startswith(suites)]


def test_all_cases_are_listed(program):
    assert named(program, "Good", "Missing") == ["Good.One", "Good.Two", "Missing.One"]


@pytest.mark.parametrize(
    ("shell", "sentence"),
    [("exit 0", "with exit status 0"), ("kill -ABRT $$", "SIGABRT")],
)
def test_what_happens_before_the_tests_is_named(tmp_path, shell, sentence):
    with pytest.raises(project.LabError, match=f"the tests do not start: .*{sentence}"):
        cases.list_cases(make_script(tmp_path, shell))


def test_a_printed_list_of_cases_is_no_list(program, tmp_path):
    script = make_script(tmp_path, f"printf 'Fake.\\n  One\\n'; exec {program} \"$@\"")
    assert cases.list_cases(script) == cases.list_cases(program)


def test_a_case_that_ends_the_program_costs_only_itself(program):
    found = cases.run_cases(program, named(program, "Bad"), LIMITS)
    assert statuses(found) == {
        "Bad.Crashes": "crashed",
        "Bad.Hangs": "timeout",
        "Bad.LeavesAsIfAllWereWell": "left",
        "Bad.Passes": "passed",
    }


def test_what_is_not_written_is_told_from_what_is_wrong(program):
    names = named(program, "Missing", "Wrong", "Other")
    found = cases.run_cases(program, names, LIMITS)
    assert statuses(found) == {
        "Missing.One": "not written",
        "Wrong.One": "failed",
        "Wrong.Two": "failed",
        "Other.Skips": "skipped",
    }
    assert found[1].details == {"index": "(0,1)", "expected": "2", "got": "3"}


def test_memory_and_output_are_limited(program):
    greedy = named(program, "Greedy")
    memory, output, verdict = cases.run_alone(program, greedy, LIMITS)
    assert (memory.status, output.status) == ("failed", "crashed")
    assert "it needs more than 200 MB of memory" in memory.message
    assert output.message == f"SIGXFSZ: it printed more than {cases.MAX_OUTPUT_MB} MB"
    assert (verdict.status, verdict.printed) == ("failed", "x = 3")


def test_after_two_cases_without_end_the_others_are_not_tried(program):
    found = cases.run_alone(program, ["Bad.Hangs"] * 3, cases.Limits(seconds=0.2))
    assert [result.status for result in found] == ["timeout"] * 3
    assert found[2].message == "not tried, because 2 others came to no end"


def make_lab(*tasks):
    return project.Lab("99_made_up", "Made up", [], 1, 1, [], list(tasks))


def make_task(number, tests, count, points=10, parents=()):
    return project.Task(number, "", points, tests, count, "", list(parents))


def test_points_are_given_in_proportion_and_rounded_down(program):
    lab = make_lab(
        make_task("99.1", "Good.*", 2), make_task("99.2", "Wrong.One:Good.*", 3)
    )
    result = grade.grade_programs(lab, [program])
    assert [task.points for task in result.tasks] == [10, 6]
    assert result.points == 16


def test_a_task_counts_once_its_parent_is_complete(program):
    lab = make_lab(
        make_task("99.1", "Wrong.*", 2), make_task("99.2", "Good.*", 2, parents=["99.1"])
    )
    result = grade.grade_programs(lab, [program])
    assert result.points == 0
    assert result.tasks[1].note == "counts once task 99.1 is complete"


def test_a_program_with_fewer_cases_than_promised_earns_nothing(program):
    lab = make_lab(make_task("99.1", "Good.*", 3))
    result = grade.grade_programs(lab, [program])
    assert result.points == 0
    assert result.tasks[0].note == "2 of 3 cases ran to their end"


def test_leaving_early_earns_nothing(program):
    lab = make_lab(make_task("99.1", "Bad.LeavesAsIfAllWereWell", 1))
    assert grade.grade_programs(lab, [program]).points == 0


SOLUTION = """int f() {
  // LAB(99.1) begin: return seven
  return three_and_four_make_what_is_wanted();
  // LAB(99.1) end
}
"""


def test_an_exercise_holds_the_hint_and_not_the_solution():
    exercise = labgen.make_exercise(SOLUTION)
    assert exercise == (
        'int f() {\n  // TODO(99.1): return seven\n  MINITF_TODO("99.1");\n}\n'
    )
    assert labgen.leaks(SOLUTION, exercise) == []
    assert labgen.leaks(SOLUTION, SOLUTION) == [
        ("99.1", "return three_and_four_make_what_is_wanted();")
    ]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("LAB(99.1) end", "LAB(99.2) end", "line 4: ends 99.2, not 99.1"),
        ("  // LAB(99.1) end\n", "", "task 99.1 has no end"),
        ("LAB(99.1) begin: ", "LAB(99.1) begin ", "line 2: not a mark"),
        ("  return", "  // LAB(99.2) begin: x\n", "line 3: task 99.1 is still open"),
    ],
)
def test_a_mark_that_does_not_fit_is_named(old, new, sentence):
    with pytest.raises(ValueError, match=sentence.replace("(", r"\(")):
        labgen.make_exercise(SOLUTION.replace(old, new))


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    monkeypatch.setattr(project, "ROOT", tmp_path)
    lab = make_lab()
    lab.starter.mkdir(parents=True)
    (lab.starter / "math.cc").write_text("// TODO(99.1): x\n")
    (lab.starter / "lab.json").write_text("{}")
    return lab


def test_start_copies_the_files_but_not_the_manifest(made_up):
    start.start(made_up)
    assert [path.name for path in made_up.work.iterdir()] == ["math.cc"]


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


def test_an_answer_is_a_file_of_its_own(made_up, tmp_path):
    lab = project.Lab("99_made_up", "", ["math.cc"], 1, 1, [], [])
    with pytest.raises(project.LabError, match="run ./lab start 99"):
        grade.build_programs(lab, "work")
    start.start(made_up)
    (made_up.work / "math.cc").unlink()
    with pytest.raises(project.LabError, match="math.cc is missing"):
        grade.build_programs(lab, "work")
    (tmp_path / "other.cc").write_text("")
    (made_up.work / "math.cc").symlink_to(tmp_path / "other.cc")
    with pytest.raises(project.LabError, match="math.cc is a link"):
        grade.build_programs(lab, "work")


def test_a_compiler_error_is_cut():
    said = project.compiler_output(f"{project.ROOT}/a.cc:1: no\n" * 100)
    assert said.startswith("a.cc:1: no\n")
    assert said.endswith(f"... {100 - project.MAX_LINES} more lines")


def test_a_fault_says_what_it_is(made_up, tmp_path):
    patch = tmp_path / "swapped.patch"
    patch.write_text("task 99.1: the two are swapped\n--- a/x\n")
    fault = faults.read_fault(patch)
    assert (fault.name, fault.task, fault.sentence) == (
        "swapped",
        "99.1",
        "the two are swapped",
    )
    patch.write_text("--- a/x\n")
    with pytest.raises(project.LabError, match="the first line must be"):
        faults.read_fault(patch)


def test_an_unknown_lab_is_answered_with_those_there_are():
    with pytest.raises(project.LabError, match="there is no lab 77; there are: 04"):
        project.find_lab("77")
