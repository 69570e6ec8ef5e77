"""Right answers by others, and wrong ones: what the tests of a lab make of them."""

# ruff: noqa: F811

import pytest
from overlay_lab import PACKAGE
from test_overlay import lab, top  # noqa: F401

from minitf_lab import project, verdicts
from minitf_lab.dev.quality import controls, faults
from minitf_lab.labs import builds

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
        path = lab.solution / f"{version}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"=== optimizers.py\n{text}")

    put(A)
    return put


def add(lab, kind, name, old, new, text=A, task="99.2"):
    """Adds an entry to a file of answers: ``text`` with ``new`` in place of ``old``."""
    [line] = [line for line in text.split("\n") if old in line]
    with (lab.solution / kind).open("a") as file:
        file.write(f"{task} {name}: it is {name}\n")
        file.write(f"-{line}\n+{line.replace(old, new)}\n")


def problems(lab, known):
    return {one.name: one.problem for one in controls.try_all(lab, known)}


def test_right_answers_pass_and_are_known_then(lab, put, kept):
    put(B, "honest/b")
    add(lab, faults.ODD, "backwards", "here - distance", "-(distance - here)")
    add(lab, faults.ODD, "twice_b", "-distance + here", "2 * here - here - distance", B)
    found = {"honest/a": "", "backwards": "", "honest/b": "", "twice_b": ""}
    assert problems(lab, kept) == found
    assert all(one.is_kept for one in controls.try_all(lab, kept))
    assert controls.run(lab, kept) == 0
    for word, names in (
        ("b", ["honest/b", "backwards", "twice_b"]),
        ("wards", ["backwards"]),
    ):
        tried = controls.try_all(lab, kept, lambda name, word=word: word in name)
        assert [one.name for one in tried] == names
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
    add(lab, faults.ODD, "up", "here - distance", "here + distance")
    add(lab, faults.ODD, "gone", "UNIT * rate", "none * rate", task="99.1")
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
    add(lab, faults.ODD, "both", "UNIT * rate", "rate * 1 * UNIT")
    add(lab, faults.ODD, "step", "here - distance", "here + distance")
    path = lab.solution / faults.ODD
    path.write_text(path.read_text().replace("99.2 step: it is step", "@@"))
    found = problems(lab, kept)
    assert set(found) == {"honest/a", "both"}
    assert found["both"].startswith("step_goes_against_the_gradient refuses")


def test_an_entry_that_changes_nothing_is_no_answer(lab, put, kept):
    add(lab, faults.ODD, "nothing", "UNIT * rate", "UNIT * rate")
    assert problems(lab, kept)["nothing"] == "changes nothing"


def test_what_does_not_load_or_apply_is_told(lab, put, kept):
    add(lab, faults.ODD, "no_place", "UNIT * rate", "rate")
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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (A, "got none"),
        (f"one line\n=== optimizers.py\n{A}", "got optimizers.py"),
        (f"=== schedules.py\n{A}", "got schedules.py"),
        (f"=== optimizers.py\n{A}=== schedules.py\n{A}", "optimizers.py, schedules.py"),
        (b"=== optimizers.py\n\xff", "honest/a.txt: .*UTF-8"),
    ],
)
def test_each_file_of_the_lab_has_a_part(lab, put, kept, text, said):
    path = lab.solution / "honest" / "a.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(project.LabError, match=said):
        problems(lab, kept)


def test_a_lab_without_any_has_none(lab, kept):
    assert problems(lab, kept) == {}
    assert controls.run(lab, kept) == 0


def test_wrong_answers_by_others_are_changes_of_their_right_one(lab, put, kept, capsys):
    planted = (lab.solution / faults.PLANTED).read_text()
    add(lab, faults.STRANGERS, "up", "here - distance", "here + distance")
    add(lab, faults.STRANGERS, "unit", "UNIT * rate", "rate - 1", task="99.1")
    add(lab, faults.STRANGERS, "right", "UNIT * rate", "rate", task="99.1")
    assert faults.run(lab, "", kept, faults.STRANGERS) == 1
    said = capsys.readouterr().out
    assert "right (task 99.1" in said and "NOT FOUND" in said
    assert "2 of 3 faults found; 2 reported under their own task" in said
    put(B, "honest/b")
    add(lab, faults.STRANGERS, "up_b", "-distance + here", "distance + here", B)
    add(lab, faults.STRANGERS, "right_b", "-distance + here", "here - distance", B)
    assert faults.run(lab, "_b", kept, faults.STRANGERS) == 1
    said = capsys.readouterr().out
    assert "up_b (task 99.2" in said and "1 of 2 faults found; 1 reported" in said
    # The planted faults and what reports say are another matter.
    assert (lab.solution / faults.PLANTED).read_text() == planted
