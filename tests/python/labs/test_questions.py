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

import minitf as tf
from minitf_lab import project
from minitf_lab.labs import questions

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
    with pytest.raises(project.LabError, match=r"answers.md: byte 0 is not UTF-8"):
        said()


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


def program_of(number):
    """The program that the questions of a lab are about."""
    starter = project.find_lab(number).starter
    if number == "00":
        return (starter / "hello.py").read_text()
    lines = (starter / questions.NAME).read_text().split("\n")
    return "\n".join(line[4:] for line in lines if line.startswith("    "))


@pytest.mark.parametrize("number", ["00", "07"])
def test_the_numbers_are_what_minitf_prints(number):
    said = printed(program_of(number), 2)
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


def test_the_executors_of_lab_03():
    said = re.sub(r"bind_\w+\.cc:.*\n", "", printed(program_of("03"), 2))
    executors = re.findall(r"Executor: (\d+) nodes", said)
    [first_step] = re.findall(r"Executor.*?((?:\n.*Run .*){3})", said)[:1]
    ops = re.findall(r"\((\w+)\)", first_step)
    answers = known_answers("03")
    assert [answers[n] for n in "123"] == [str(len(executors)), executors[-1], ops[-1]]


def test_the_parts_of_lab_13():
    host, *cards = [
        {name: op for op, name in re.findall(r"\('(\w+)', '([^']+)'\)", line)}
        for line in printed(program_of("13"), 0).splitlines()
    ]
    received = [
        name for part in (host, *cards) for name, op in part.items() if op == "_Recv"
    ]
    answers = known_answers("13")
    assert answers["1"] == str(len(received))
    for card in cards:
        variables = [name for name in card if name.startswith("receive/ReadVariableOp")]
        assert answers["2"] == str(len(variables))
        [sent] = [name for name, op in card.items() if op == "_Send"]
        assert answers["3"] == card[sent.removeprefix("send/")]


def test_the_arithmetic_of_labs_06_and_14(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        out = tf.placeholder(tf.float32, [None, 784])
        for i, sizes in enumerate([(784, 100), (100, 50), (50, 10)]):
            weights = tf.get_variable(f"weights_{i}", sizes)
            out = tf.matmul(out, weights) + tf.get_variable(f"bias_{i}", sizes[1:])
        tf.train.AdamOptimizer().minimize(tf.reduce_mean(out))
        assert known_answers("06")["1"] == str(len(tf.global_variables()))

        variable = tf.Variable(1.0)
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
        step = optimizer.apply_gradients([(tf.constant(2.0), variable)])
        session.run(tf.global_variables_initializer())
        for _ in range(2):
            session.run(step)
        expected = pytest.approx(float(known_answers("06")["2"]))
        assert session.run(variable) == expected

    with tf.python_io.TFRecordWriter(str(tmp_path / "records")) as writer:
        writer.write(b"x" * 100)
    assert known_answers("14")["1"] == str((tmp_path / "records").stat().st_size)


def test_the_batch_of_lab_14():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.RandomShuffleQueue(50, 20, [tf.int32], [[]])
        put, batch = queue.enqueue(1), queue.dequeue_many(8)
        enough = int(known_answers("14")["2"])
        for _ in range(enough - 1):
            session.run(put)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(batch, options=tf.RunOptions(timeout_in_ms=200))
        # What was taken out before the time was up is put back.
        session.run(put)
        assert session.run(batch).tolist() == [1] * 8


def test_the_shapes_of_lab_02_and_the_gradients_of_lab_04():
    with tf.Graph().as_default():
        images = tf.placeholder(tf.float32, [None, 28, 28, 3])
        for number, padding in (("1", "SAME"), ("2", "VALID")):
            out = tf.nn.conv2d(images, tf.zeros([5, 5, 3, 8]), [1, 2, 2, 1], padding)
            assert known_answers("02")[number] == str(out.shape[1])

        pooled = tf.nn.max_pool(images, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        [gradient] = tf.gradients(pooled, images)
        assert known_answers("04")["2"] == gradient.op.type

        x = tf.constant(0.0)
        [slope] = tf.gradients(tf.sin(x) + x, x)
        with tf.Session() as session:
            assert session.run(slope) == float(known_answers("04")["1"])
