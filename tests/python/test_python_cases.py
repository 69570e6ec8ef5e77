"""Cases of labs in Python: bad ones, what they leave for the report, comparisons."""

import pytest

from minitf_lab import cases, expect, project, python_units, report

BAD_CASES = """
import os, sys, time
import pytest

@pytest.fixture
def broken():
    raise RuntimeError("not set up")

class TestBad:
    def test_crashes(self): os.abort()
    def test_hangs(self): time.sleep(60)
    def test_leaves(self): os._exit(0)
    def test_exits(self): sys.exit(0)
    def test_stops_pytest(self): pytest.exit("enough")
    def test_fails(self): print("x = 3"); assert 1 == 2
    def test_is_not_set_up(self, broken): pass
    @pytest.mark.skip(reason="no such machine")
    def test_skips(self): pass
    def test_passes(self): pass
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Makes a program of a text of cases."""
    monkeypatch.setattr(project, "ROOT", tmp_path)
    lab = project.Lab("99_made_up", "Made up", [], 1, 1, [], [])

    def make(text):
        lab.cases(".py").parent.mkdir(parents=True)
        lab.cases(".py").write_text(text)
        (tmp_path / "python").mkdir()
        (tmp_path / "python" / "minitf.py").write_text("")
        return python_units.write_program(lab, tmp_path / "made", None)

    return make


def test_a_bad_case_costs_only_itself(program):
    program = program(BAD_CASES)
    names = cases.list_cases(program)
    found = cases.run_cases(program, names, cases.Limits(3, 1000))
    statuses = {result.name.removeprefix("TestBad.test_"): result for result in found}
    assert {name: result.status for name, result in statuses.items()} == {
        "crashes": "crashed",
        "hangs": "timeout",
        "leaves": "left",
        "exits": "failed",
        "stops_pytest": "left",
        "fails": "failed",
        "is_not_set_up": "failed",
        "skips": "skipped",
        "passes": "passed",
    }
    assert statuses["fails"].printed == "x = 3"
    assert "not set up" in statuses["is_not_set_up"].message


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("def test_(: pass", "SyntaxError"),
        (
            "import pytest\n@pytest.mark.parametrize('x', 'ab', ids=[':', '_'])\n"
            "def test(x): pass",
            r"there are two cases 99_made_up_test.test\[_\]",
        ),
    ],
)
def test_cases_that_cannot_be_read_are_an_error(program, text, sentence):
    match = rf"(?s)the tests do not start.*{sentence}"
    with pytest.raises(project.LabError, match=match):
        cases.list_cases(program(text))


@pytest.mark.parametrize(
    ("got", "expected", "message"),
    [
        ([1, 2], [[1, 2]], "dx has shape (2,), expected (1, 2)"),
        ([[1, 2], [3, 5]], [[1, 2], [3, 4]], "dx (1,1) is 5, expected 4"),
        ([1.0, float("nan")], [1.0, 0.0], "dx (1) is nan, expected 0.0"),
        ([1.0, 0.0], [1.0, float("nan")], "dx (1) is 0.0, expected nan"),
        ([float("inf")], [float("-inf")], "dx (0) is inf, expected -inf"),
        (2.0, 1.0, "dx () is 2.0, expected 1.0"),
        ([100.2], [100.0], "dx (0) is 100.2, expected 100.0"),
    ],
)
def test_the_first_difference_is_named(got, expected, message):
    with pytest.raises(expect.DifferenceError) as raised:
        expect.all_close(got, expected, tolerance=1e-3, what="dx")
    assert str(raised.value) == message
    assert set(raised.value.details) == {"index", "expected", "got", "shape"}


@pytest.mark.parametrize("value", [[], 1, [float("nan"), float("inf")], [100.05]])
def test_what_is_close_is_no_difference(value):
    near = [100.0] if value == [100.05] else value
    expect.all_close(value, near, tolerance=1e-3)


def test_the_report_of_a_case_in_python_is_a_sentence():
    task = project.Task("99.1", "Steps", 5, "TestStep.*", 1, "README.md")
    missing = cases.Result(
        "TestStep.test_of_nothing",
        "not written",
        "E   NotImplementedError: task 99.1 is not written yet",
    )
    wide = report.console(80)
    with wide.capture() as captured:
        report.print_failure(wide, task, missing)
    assert captured.get().strip() == "Step of nothing: task 99.1 is not written yet"
