"""Wrong answers that stand beside the right one: in Python, and in one library in C++."""

# ruff: noqa: F811

import pytest
from test_overlay import lab, top  # noqa: F401

from minitf_lab import project
from minitf_lab.dev.quality import together
from minitf_lab.labs import builds, grade
from minitf_lab.results import Limits

UNIT = "python/minitf/training/optimizers.py"
MATH = "minitf/gradients/math/math_grad.cc"


def changed(name, old, new, file=UNIT):
    text = (project.ROOT / file).read_text()
    assert old in text
    differ = {file: together.differing_regions(text.replace(old, new), text)}
    return together.difference(name, differ)


def test_a_change_in_one_region_is_an_answer_to_its_task(lab):
    wrong = changed("up", "here - distance", "here + distance")
    [change] = wrong.changes
    assert (wrong.task, change.region, wrong.key) == ("99.2", 1, "99.2/up")
    lines = (project.ROOT / UNIT).read_text().split("\n")
    assert lines[change.first - 2].strip().startswith("# LAB(99.2) begin")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def checked", "import math\n\n\ndef checked"),  # outside
        ("rate", "rata"),  # inside and outside
        ("distance", "way"),  # nothing but the region, and then its marks too
        ("Steps", "Steps"),  # nothing at all
        ("    # LAB(99.1) end\n", ""),
    ],
)
def test_other_changes_are_none(lab, old, new):
    wrong = None
    try:
        wrong = changed("x", old, new)
    except ValueError:
        assert "end" in old
    assert (wrong is None) == (old != "distance")


def tried(lab, wrongs, tmp_path, cases_for=None):
    cases = grade.cases_of(lab)

    def own(wrong):
        return [case for case in cases if case.task == wrong.task]

    right = builds.files_of(lab, "reference")
    found = together.try_all(
        lab, right, wrongs, cases_for or own, Limits(10), tmp_path / "made"
    )
    return {
        wrong.name: (result.name if result else None, problem)
        for wrong, result, problem in found
    }


def test_each_is_tried_alone_and_the_right_answer_stays(lab, tmp_path):
    wrongs = [
        changed("up", "here - distance", "here + distance"),
        changed("same", "here - distance", "-distance + here"),
        changed("negative", "if rate <= 0", "if rate < 0"),
        changed("broken", "return rate * UNIT", "return (rate * UNIT"),
        changed("raises", "return rate * UNIT", "return rate * none"),
    ]
    found = tried(lab, wrongs, tmp_path)
    assert found.pop("broken")[1].startswith("no Python: ")
    assert found == {
        "up": ("step_goes_against_the_gradient", ""),
        "same": (None, ""),
        "negative": ("rate_must_be_positive-0", ""),
        "raises": ("rate_is_halved", ""),
    }
    assert not (tmp_path / "made").exists()


def test_an_answer_may_change_several_regions(lab, tmp_path):
    text = (project.ROOT / UNIT).read_text()
    half = text.replace("rate * UNIT", "rate / 2")
    both = half.replace("here - distance", "here + distance")
    right = text.replace("rate * UNIT", "UNIT * rate")
    right = right.replace("here - distance", "-distance + here")
    wrongs = []
    for name, other in (("half", half), ("both", both), ("right", right)):
        differ = {UNIT: together.differing_regions(other, text)}
        wrongs.append(together.difference(name, differ))
    assert [len(wrong.changes) for wrong in wrongs] == [1, 2, 2]
    assert [wrong.task for wrong in wrongs] == ["99.1"] * 3
    cases = grade.cases_of(lab)
    steps = [case for case in cases if case.task == "99.2"]
    found = tried(
        lab, wrongs, tmp_path, lambda wrong: steps if wrong.name == "both" else cases
    )
    assert found == {
        "half": ("rate_is_halved", ""),
        "both": ("step_goes_against_the_gradient", ""),
        "right": (None, ""),
    }


def test_cases_of_another_task_see_it_too(lab, tmp_path):
    wrongs = [changed("half", "return rate * UNIT", "return rate / 2")]
    found = tried(lab, wrongs, tmp_path, lambda wrong: grade.cases_of(lab)[3:])
    assert found == {"half": ("step_goes_against_the_gradient", "")}


def test_in_cpp_what_does_not_compile_is_left_out(
    tmp_path,
):
    real = project.find_lab("04")
    builds.build_framework(real)
    file = "minitf/gradients/add_gradients.cc"
    loop = "for (size_t i = 0; i < dx.size(); ++i)"
    wrongs = [
        changed("later", loop, loop.replace("i = 0", "i = 1"), file),
        changed("unknown", loop, "for (nothing)", file),
        changed("mistyped", loop, loop.replace("size_t i = 0", 'size_t i = "0"'), file),
        changed("endless", loop, loop.replace("++i", "i += 0"), file),
        changed("elsewhere", 'ctx.Call("Cos", {x})', "x", MATH),
        changed(
            "no_return", 'return {ctx.Call("Mul", {dz, ctx.Call("Cos", {x})})};', "", MATH
        ),
    ]
    cases, right = grade.cases_of(real), builds.files_of(real, "reference")

    def one_case(wrong):
        return [next(case for case in cases if case.task == wrong.task)]

    found = {
        wrong.name: (result.status if result else "", problem[:40])
        for wrong, result, problem in together.try_all(
            real, right, wrongs, one_case, Limits(3), tmp_path / "made"
        )
    }
    assert found.pop("unknown")[1].startswith("04.9/unknown:")
    assert found.pop("mistyped")[1]
    assert found.pop("no_return")[1] == ""  # whatever comes of it, it is tried
    failed = ("failed", "")
    assert found == {"later": failed, "elsewhere": failed, "endless": ("timeout", "")}


GENERATOR = """

def halves(rate):
    # LAB(99.1) begin: yield the halves
    if rate > 0:
        rate = rate / 2
    yield rate
    # LAB(99.1) end
"""


def test_what_yields_is_not_put_beside_what_does_not(lab, tmp_path):
    path = project.ROOT / UNIT
    path.write_text(path.read_text() + GENERATOR)
    wrongs = [
        changed("nothing", "yield rate", "pass"),
        changed("whole", "yield rate", "yield 2 * rate"),
        changed("negative", "if rate <= 0", "if rate < 0"),
    ]
    found = tried(lab, wrongs, tmp_path)
    assert found.pop("nothing")[1].endswith("the other does not")
    assert found == {"whole": (None, ""), "negative": ("rate_must_be_positive-0", "")}
