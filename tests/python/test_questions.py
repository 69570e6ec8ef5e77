"""Questions of labs: what is read, what is checked, and the answers that we have."""

# ruff: noqa: F811

import dataclasses
import os
import re
import subprocess
import sys
from collections import Counter

import pytest
from test_overlay import answer, lab, top  # noqa: F401

from minitf_lab import project, questions

TEXT = """# Questions

## 1. How many? (a number)

Answer: 12

## 2. Why
is it so?

Answer:

## 3. Who? (a name)

Answer:
  `Const`.

## 4. When?

Answer: later,
when all is done
"""


def test_questions_are_read():
    found = {q.number: (q.is_checked, q.answer) for q in questions.read(TEXT)}
    assert found == {
        "1": (True, "12"),
        "2": (False, ""),
        "3": (True, "`Const`."),
        "4": (False, "later,\nwhen all is done"),
    }
    assert questions.read("") == []


@pytest.mark.parametrize("text", ["12", " 12 ", "12.", "`12`", "1 2", '"12"', "12.0"])
def test_spaces_and_quotes_do_not_matter(text):
    assert questions.digest("99", "1", text) == questions.digest("99", "1", "12")


@pytest.mark.parametrize("text", ["13", "1.2", "-12", "", "12 or 13"])
def test_other_answers_are_others(text):
    assert questions.digest("99", "1", text) != questions.digest("99", "1", "12")


def test_what_a_student_is_told(lab, answer):
    assert questions.of_work(lab) == []
    (lab.starter / questions.NAME).write_text(re.sub("Answer:[^#]*", "Answer:\n", TEXT))
    known = {
        "1": questions.digest("99", "1", "12"),
        "3": questions.digest("99", "3", "a"),
    }
    lab = dataclasses.replace(lab, answers=known)

    def said():
        return [questions.verdict(lab, one) for one in questions.of_work(lab)]

    assert said() == ["not answered yet"] * 4
    answer()
    assert said() == ["not answered yet"] * 4
    (lab.work / questions.NAME).write_text(TEXT)
    person = "answered, for a person to read"
    assert said() == ["right", "not answered yet", "not right", person]
    (lab.work / questions.NAME).write_bytes(b"\xff## 1. x (a number)\nAnswer: 12")
    assert said() == []


LABS = [one for one in project.all_labs() if (one.starter / questions.NAME).exists()]


@pytest.mark.parametrize("real", LABS, ids=lambda one: one.number)
def test_every_question_has_an_answer(real):
    asked = questions.read((real.starter / questions.NAME).read_text())
    answered = questions.read((real.solution / questions.NAME).read_text())
    assert [q.text for q in asked] == [q.text for q in answered]
    assert not any(q.answer for q in asked)
    assert all(q.answer for q in answered)
    assert {q.number for q in asked if q.is_checked} == set(real.answers)
    said = {questions.verdict(real, q) for q in answered if q.is_checked}
    assert said == {"right"}
    # No answer to a checked question stands beside the questions.
    text = (real.starter / questions.NAME).read_text()
    for question in answered:
        if question.is_checked and not question.answer.isdigit():
            assert question.answer not in text


def printed(program, level):
    """What minitf prints when a program runs."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "MINITF_VLOG": str(level)},
        capture_output=True,
        text=True,
        cwd=project.ROOT,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr + done.stdout


def known_answers(number):
    path = project.find_lab(number).solution / questions.NAME
    return {q.number: q.answer for q in questions.read(path.read_text())}


@pytest.mark.parametrize("number", ["00", "07"])
def test_the_numbers_are_what_minitf_prints(number):
    if number == "00":
        program = (project.find_lab("00").starter / "hello.py").read_text()
    else:
        text = (project.find_lab("07").starter / questions.NAME).read_text()
        program = "\n".join(
            line[4:] for line in text.split("\n") if line.startswith("    ")
        )
    said = printed(program, 2)
    passes = re.findall(r"pass (\w+): (\d+) nodes before, (\d+) after", said)
    taken = Counter()
    for name, before, after in passes:
        taken[name] += int(before) - int(after)
    first, last = passes[0][1], passes[-1][2]
    [(most, _)] = taken.most_common(1)
    ops = re.findall(r"Run '.*' \((\w+)\)", said)
    answers = known_answers(number)
    if number == "00":
        assert [answers[n] for n in "123"] == [first, last, most]
        assert ops == [answers["5"]]
    else:
        assert [answers[n] for n in "13"] == [first, most]
        assert ops[-1] == "_FusedElementwise"
