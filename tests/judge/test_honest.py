"""Honest answers to lab 00 with exact points: whole, half, wrong."""

import made_up
import pytest

from minitf_lab import builds, grade, project
from minitf_lab.judge.regions import replace_regions

LAB = project.find_lab("00")
UNIT = made_up.UNIT
FIRST = 'OP_REQUIRES_OK(construction, construction->GetAttr("tolerance", &tolerance_));'
SECOND = "result[i] = Distance(a[i], b[i]) < tolerance_;"
NONE = 'MINITF_TODO("00.{}");'

# The first and the second answer, and the points of the two tasks.
ANSWERS = {
    "both": (FIRST, SECOND, "full", "full"),
    "the first alone": (FIRST, NONE.format(2), "full", 0),
    "the second alone": (NONE.format(1), SECOND, 0, "full"),
    "neither": (NONE.format(1), NONE.format(2), 0, 0),
    "by another name": (
        "float t = 0; OP_REQUIRES_OK(construction, construction->GetAttr("
        '"tolerance", &t)); tolerance_ = t;',
        SECOND,
        "full",
        "full",
    ),
    "the other way round": (
        FIRST,
        "result[i] = tolerance_ > Distance(a[i], b[i]);",
        "full",
        "full",
    ),
    "by an if": (
        FIRST,
        "if (Distance(a[i], b[i]) < tolerance_) { result[i] = true; } "
        "else { result[i] = false; }",
        "full",
        "full",
    ),
    "noisy": (FIRST, 'if (i == 0) printf("here\\n"); ' + SECOND, "full", "full"),
    "with a thread": (
        FIRST,
        "if (i == 0) std::thread([] {}).join(); " + SECOND,
        "full",
        "full",
    ),
    "slow": (FIRST, "if (i == 0) usleep(1000); " + SECOND, "full", "full"),
    "with memory": (
        FIRST,
        "std::vector<double> v(1000, 1.0); result[i] = v[9] * Distance(a[i], b[i]) < "
        "tolerance_;",
        "full",
        "full",
    ),
    "or equal": (
        FIRST,
        "result[i] = Distance(a[i], b[i]) <= tolerance_;",
        "full",
        "part",
    ),
    "always near": (FIRST, "result[i] = true;", "full", "part"),
    "always far": (FIRST, "result[i] = false;", "full", "part"),
    "tolerance fixed": ("tolerance_ = 1;", SECOND, "part", "full"),
    "crashes for some": (
        FIRST,
        "if (tolerance_ == 10) abort(); " + SECOND,
        "full",
        "part",
    ),
}
HEAD = "#include <unistd.h>\n#include <cstdio>\n#include <thread>\n#include <vector>\n"


def graded(folder, first, second, box):
    text = (LAB.starter / "approximate_equal.cc").read_text()

    def answer(region):
        mark = f"{region.indent}// TODO({region.task})"
        code = first if region.task == "00.1" else second
        return [f"{mark} begin: {region.hint}", code, f"{mark} end"]

    file = folder / "work" / "approximate_equal.cc"
    project.put(file, HEAD + replace_regions(text, answer))
    made = builds.build_for_marks(LAB, {UNIT: file}, folder / "made", box)
    return grade.grade_answer(LAB, made, 7)


@pytest.mark.parametrize("name", ANSWERS)
def test_points(tmp_path, box, name):
    first, second, *expected = ANSWERS[name]
    tasks = graded(tmp_path, first, second, box).tasks
    for task, points in zip(tasks, expected, strict=True):
        wrong = [
            f"{r.name}: {r.verdict}: {r.message}" for r in task.results if not r.passed
        ]
        if points == "full":
            assert task.points == task.task.points, wrong
        elif points == 0:
            assert task.points == 0
            assert {r.verdict for r in task.results} == {"not_written"}, wrong
        else:
            assert wrong
            right = len(task.results) - len(wrong)
            assert task.points == task.task.points * right // len(task.results)
