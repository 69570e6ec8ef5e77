"""Honest answers to lab 00 with exact points: whole, half, wrong."""

import platform

import pytest

from minitf_lab import project
from minitf_lab.course import judging
from minitf_lab.judge.regions import replace_regions
from minitf_lab.labs.handin import intake

LAB = project.find_lab("00")
FIRST = 'OP_REQUIRES_OK(construction, construction->GetAttr("tolerance", &tolerance_));'
SECOND = "result[i] = Distance(a[i], b[i]) < tolerance_;"
NONE = 'MINITF_TODO("00.{}");'

# The first and the second answer, and for both tasks the points and the verdict.
ANSWERS = {
    "both": (FIRST, SECOND, 2, 2, "ok", "ok"),
    "the first alone": (FIRST, NONE.format(2), 2, 0, "ok", "not_written"),
    "the second alone": (NONE.format(1), SECOND, 0, 2, "not_written", "ok"),
    "neither": (NONE.format(1), NONE.format(2), 0, 0, "not_written", "not_written"),
    "by another name": (
        "float t = 0; OP_REQUIRES_OK(construction, construction->GetAttr("
        '"tolerance", &t)); tolerance_ = t;',
        SECOND,
        2,
        2,
        "ok",
        "ok",
    ),
    "the other way round": (
        FIRST,
        "result[i] = tolerance_ > Distance(a[i], b[i]);",
        2,
        2,
        "ok",
        "ok",
    ),
    "by an if": (
        FIRST,
        "if (Distance(a[i], b[i]) < tolerance_) { result[i] = true; } "
        "else { result[i] = false; }",
        2,
        2,
        "ok",
        "ok",
    ),
    "noisy": (FIRST, 'if (i == 0) printf("here\\n"); ' + SECOND, 2, 2, "ok", "ok"),
    "with a thread": (
        FIRST,
        "if (i == 0) std::thread([] {}).join(); " + SECOND,
        2,
        2,
        "ok",
        "ok",
    ),
    "slow": (FIRST, "if (i == 0) usleep(1000); " + SECOND, 2, 2, "ok", "ok"),
    "with memory": (
        FIRST,
        "std::vector<double> v(1000, 1.0); result[i] = v[9] * Distance(a[i], b[i]) < "
        "tolerance_;",
        2,
        2,
        "ok",
        "ok",
    ),
    "or equal": (
        FIRST,
        "result[i] = Distance(a[i], b[i]) <= tolerance_;",
        2,
        0,
        "ok",
        "wrong_answer",
    ),
    "always near": (FIRST, "result[i] = true;", 2, 0, "ok", "wrong_answer"),
    "always far": (FIRST, "result[i] = false;", 2, 0, "ok", "wrong_answer"),
    "tolerance fixed": ("tolerance_ = 1;", SECOND, 0, 2, "wrong_answer", "ok"),
    "crashes for some": (
        FIRST,
        "if (tolerance_ == 10) abort(); " + SECOND,
        2,
        1,
        "ok",
        "crashed",
    ),
}
HEAD = "#include <unistd.h>\n#include <cstdio>\n#include <thread>\n#include <vector>\n"


def judged(folder, first, second, box):
    """The record of a hand-in with these two answers."""
    text = (LAB.starter / "approximate_equal.cc").read_text()

    def answer(region):
        mark = f"{region.indent}// TODO({region.task})"
        code = first if region.task == "00.1" else second
        return [f"{mark} begin: {region.hint}", code, f"{mark} end"]

    file = folder / "source" / "approximate_equal.cc"
    project.put(file, HEAD + replace_regions(text, answer))
    hand_in = intake.take(LAB, file.parent, folder / "into")
    return judging.judge(LAB, hand_in, b"a course's key", box=box)


@pytest.mark.parametrize("name", ANSWERS)
def test_points(tmp_path, box, name):
    first, second, *expected = ANSWERS[name]
    record = judged(tmp_path, first, second, box)
    assert record["status"] == "graded", record["tests"][0]["message"]
    scores = [test["score"] for test in record["tests"]]
    verdicts = [test["verdict"] for test in record["tests"]]
    assert [*scores, *verdicts] == expected
    assert (record["score"], record["max_score"]) == (sum(expected[:2]), 4)
    for test in record["tests"]:
        is_run = test["verdict"] != "not_written"
        assert (test["time_ms"] > 0, test["mem_mb"] > 10) == (is_run, is_run)
    assert record["grader"]["host"] == platform.node()
