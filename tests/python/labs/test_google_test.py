"""GoogleTest programs that crash, hang or leave: one bad case costs only itself."""

import subprocess

import pytest

from minitf_lab import project, results
from minitf_lab.dev.checks import google_test

PROGRAM = """
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include "gtest/gtest.h"

TEST(Good, One) {}
TEST(Good, Two) {}
TEST(Wrong, One) { EXPECT_EQ(2, 3); }
TEST(Wrong, Two) { throw std::runtime_error("no"); }
TEST(Bad, Crashes) { std::abort(); }
TEST(Bad, Hangs) { for (volatile int i = 0;; i = i + 1) {} }
TEST(Bad, LeavesAsIfAllWereWell) { std::exit(0); }
TEST(Bad, Passes) {}
TEST(Other, Skips) { GTEST_SKIP() << "no such machine"; }
TEST(Other, PrintsAVerdict) {
  std::puts("[       OK ] Other.PrintsAVerdict (0 ms)");
  FAIL() << "no";
}
"""
LIMITS = results.Limits(seconds=1)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("program")
    (folder / "cases.cc").write_text(PROGRAM)
    subprocess.run(
        [
            *("g++", "-std=c++20", str(folder / "cases.cc"), "-o", str(folder / "cases")),
            *("-lgtest", "-lgtest_main", "-pthread"),
        ],
        check=True,
    )
    return folder / "cases"


def named(program, suite):
    return [name for name in google_test.list_cases(program) if name.startswith(suite)]


def statuses(found):
    return {result.name: result.status for result in found}


def make_script(folder, shell):
    script = folder / "script"
    script.write_text(f"#!/bin/sh\n{shell}\n")
    script.chmod(0o755)
    return script


def test_all_cases_are_listed(program):
    assert named(program, "Good") == ["Good.One", "Good.Two"]
    assert len(google_test.list_cases(program)) == 10


@pytest.mark.parametrize(
    ("shell", "sentence"),
    [("exit 0", "with exit status 0"), ("kill -ABRT $$", "SIGABRT")],
)
def test_what_happens_before_the_tests_is_named(tmp_path, shell, sentence):
    with pytest.raises(project.LabError, match=f"the tests do not start: .*{sentence}"):
        google_test.list_cases(make_script(tmp_path, shell))


def test_a_printed_list_of_cases_is_no_list(program, tmp_path):
    script = make_script(tmp_path, f"printf 'Fake.\\n  One\\n'; exec {program} \"$@\"")
    assert google_test.list_cases(script) == google_test.list_cases(program)


def test_a_case_that_ends_the_program_costs_only_itself(program):
    found = google_test.run_cases(program, named(program, "Bad"), LIMITS)
    assert statuses(found) == {
        "Bad.Crashes": "crashed",
        "Bad.Hangs": "timeout",
        "Bad.LeavesAsIfAllWereWell": "left",
        "Bad.Passes": "passed",
    }


def test_what_is_wrong_is_told_from_what_is_skipped(program):
    names = named(program, "Wrong") + named(program, "Other")
    found = google_test.run_cases(program, names, LIMITS)
    assert statuses(found) == {
        "Wrong.One": "failed",
        "Wrong.Two": "failed",
        "Other.Skips": "skipped",
        "Other.PrintsAVerdict": "failed",
    }
    assert "Expected equality of these values:\n  2\n  3" in found[0].message
    assert google_test.run_cases(program, [], LIMITS) == []
