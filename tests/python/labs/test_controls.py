"""Right answers by others, and wrong ones: what the tests of a lab make of them."""

# ruff: noqa: F811

import difflib

import pytest
from overlay_lab import PACKAGE
from test_overlay import lab, top  # noqa: F401

from minitf_lab import project, verdicts
from minitf_lab.labs import builds
from minitf_lab.quality import controls, faults

FILE = "python/minitf/training/optimizers.py"
RIGHT = PACKAGE["training/optimizers.py"].replace("LAB(", "TODO(")
# As right as minitf's own, and not the same.
A = RIGHT.replace("rate * UNIT", "UNIT * rate")
B = RIGHT.replace("here - distance for", "-distance + here for")


@pytest.fixture
def kept(tmp_path_factory):
    return verdicts.Verdicts(tmp_path_factory.mktemp("kept"))


@pytest.fixture
def put(lab):
    """Writes an answer to the whole lab."""

    def put(text, version="honest/a"):
        folder = lab.solution / version
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "optimizers.py").write_text(text)

    put(A)
    return put


def put_patch(lab, name, old, new, text=A, task="99.2"):
    assert old in text
    sides = [one.splitlines(keepends=True) for one in (text, text.replace(old, new))]
    patch = "".join(difflib.unified_diff(*sides, f"a/{FILE}", f"b/{FILE}"))
    path = lab.solution / f"{name}.patch"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"task {task}: it is {path.stem}\n{patch}")


def problems(lab, known):
    return {one.name: one.problem for one in controls.try_all(lab, known)}


def test_right_answers_pass_and_are_known_then(lab, put, kept):
    put(B, "honest/b")
    put_patch(lab, "honest/odd/backwards", "here - distance", "-(distance - here)")
    put_patch(
        lab, "honest/odd/twice_b", "-distance + here", "2 * here - here - distance", B
    )
    found = {"honest/a": "", "backwards": "", "honest/b": "", "twice_b": ""}
    assert problems(lab, kept) == found
    assert all(one.is_kept for one in controls.try_all(lab, kept))
    assert controls.run(lab, kept) == 0
    for word, names in (
        ("b", ["honest/b", "backwards", "twice_b"]),
        ("wards", ["backwards"]),
    ):
        assert [one.name for one in controls.try_all(lab, kept, word)] == names
    put(B.replace("-distance", "- distance"), "honest/b")
    asked = [one.name for one in controls.try_all(lab, kept) if not one.is_kept]
    assert sorted(asked) == ["honest/b", "twice_b"]


def test_a_case_that_refuses_one_is_named(lab, put, kept, capsys):
    put(A.replace("here - distance", "here + distance"))
    for _ in range(2):  # what does not pass is not kept
        [(name, problem)] = problems(lab, kept).items()
        assert name == "honest/a"
        assert problem.startswith(
            "step_goes_against_the_gradient refuses what is right: "
        )
    assert controls.run(lab, kept) == 1
    assert "0 of 1 right answers pass" in capsys.readouterr().out


def test_an_odd_answer_that_is_refused_is_named(lab, put, kept):
    put_patch(lab, "honest/odd/up", "here - distance", "here + distance")
    put_patch(lab, "honest/odd/gone", "UNIT * rate", "none * rate", task="99.1")
    found = problems(lab, kept)
    assert found.pop("honest/a") == ""
    for name, case in (
        ("up", "step_goes_against_the_gradient"),
        ("gone", "rate_is_halved"),
    ):
        said = found.pop(name)
        assert said.startswith(f"{case} refuses what is right (it is {name}): ") and (
            len(said) > len(f"{case} refuses what is right (it is {name}): ")
        )
    assert not found


def test_an_answer_to_two_tasks_is_judged_by_the_cases_of_both(lab, put, kept):
    old = "UNIT * rate"
    both = A.replace("here - distance", "here + distance")
    assert both != A and A.count(old) == 1
    patch = lab.solution / "honest/odd/both.patch"
    put_patch(lab, "honest/odd/both", A, both.replace(old, "rate * 1 * UNIT"))
    assert patch.read_text().count("\n-") > 2
    found = problems(lab, kept)
    assert found["both"].startswith("step_goes_against_the_gradient refuses")


def test_a_patch_that_changes_nothing_is_no_answer(lab, put, kept):
    put_patch(lab, "honest/odd/nothing", "UNIT * rate", "rate")
    patch = lab.solution / "honest/odd/nothing.patch"
    patch.write_text(
        patch.read_text().replace("+    return rate", "+    return UNIT * rate")
    )
    assert problems(lab, kept)["nothing"] == "changes nothing"


def test_what_does_not_load_or_apply_is_told(lab, put, kept):
    put_patch(lab, "honest/odd/no_place", "UNIT * rate", "rate")
    put(A.replace("UNIT * rate", "(rate * UNIT"))
    found = problems(lab, kept)
    assert "SyntaxError" in found["honest/a"] or "start" in found["honest/a"]
    assert found["no_place"].startswith("does not apply")


def test_of_an_answer_only_regions_and_imports_are_kept(lab, put, kept):
    bodies = """import math
# TODO(99.1) begin
    return rate if rate > 0 and math.isfinite(rate) else schedules.checked(rate)
# TODO(99.1) end
# TODO(99.2) begin
        return [here - self.rate * part for here, part in zip(x, gradient)]
# TODO(99.2) end
"""
    put(bodies.replace("else schedules.checked(rate)", 'else [][int("a positive rate")]'))
    [path] = builds.files_of(lab, "honest/a").values()
    text = path.read_text()
    assert "import math\nfrom minitf.training import schedules\n" in text
    assert text.count("TODO(99.1) begin: return the rate if it is positive") == 1
    assert "def __init__(self, rate)" in text and "NotImplementedError" not in text
    for old, new in (("99.2", "99.3"), ("end\n", "\n"), (bodies, "")):
        put(bodies.replace(old, new, 1))
        with pytest.raises(project.LabError, match="honest/a/optimizers.py: "):
            problems(lab, kept)


def test_a_lab_without_any_has_none(lab, kept):
    assert problems(lab, kept) == {}
    assert controls.run(lab, kept) == 0


def test_wrong_answers_by_others_are_patches_of_their_right_one(lab, put, kept, capsys):
    put_patch(lab, "adversary/up", "here - distance", "here + distance")
    put_patch(lab, "adversary/unit", "UNIT * rate", "rate - 1", task="99.1")
    put_patch(lab, "adversary/right", "UNIT * rate", "rate", task="99.1")
    assert faults.run(lab, "", kept, "adversary") == 1
    said = capsys.readouterr().out
    assert "right (task 99.1" in said and "NOT FOUND" in said
    assert "2 of 3 faults found; 2 reported under their own task" in said
    put(B, "honest/b")
    put_patch(lab, "adversary/up_b", "-distance + here", "distance + here", B)
    put_patch(lab, "adversary/right_b", "-distance + here", "here - distance", B)
    assert faults.run(lab, "_b", kept, "adversary") == 1
    said = capsys.readouterr().out
    assert "up_b (task 99.2" in said and "1 of 2 faults found; 1 reported" in said
    # The planted faults and what reports say are another matter.
    assert not (lab.tests / "diagnoses.json").exists()
