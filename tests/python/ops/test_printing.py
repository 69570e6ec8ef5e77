"""Tensors as text: what TensorFlow 2.21 prints for the same, and what is refused."""

import sys

import numpy as np
import pytest

import minitf as tf


@pytest.fixture
def printed(eager, capfd):
    """A function that calls tf.print and returns what came out on standard output."""

    def run(*inputs, **options):
        tf.print(*inputs, output_stream=sys.stdout, **options)
        return capfd.readouterr().out

    return run


ODD = [1e-5, 1e10, np.nan, np.inf, -0.0, 1 / 3, 1e8]


@pytest.mark.parametrize(
    ("make", "options", "expected"),
    [
        (lambda: ("a", tf.constant([1, 2, 3]), 1.5), {}, "a [1 2 3] 1.5\n"),
        (lambda: (tf.constant("abc"),), {}, "abc\n"),
        (lambda: ("x", tf.constant("abc")), {}, 'x "abc"\n'),
        (lambda: (tf.constant(["a\n", 'b"q']),), {}, '["a\\n" "b\\"q"]\n'),
        (lambda: (tf.constant([True, False]), True), {}, "[1 0] True\n"),
        (lambda: (tf.range(20),), {}, "[0 1 2 ... 17 18 19]\n"),
        (lambda: (tf.range(6),), {}, "[0 1 2 3 4 5]\n"),
        (lambda: (tf.range(7),), {"summarize": -1}, "[0 1 2 3 4 5 6]\n"),
        (
            lambda: (tf.reshape(tf.range(8) / 3, [2, 2, 2]),),
            {},
            "[[[0 0.33333333333333331]\n  [0.66666666666666663 1]]\n\n"
            " [[1.3333333333333333 1.6666666666666667]\n  [2 2.3333333333333335]]]\n",
        ),
        (
            lambda: (tf.reshape(tf.range(40), [8, 5]),),
            {"summarize": 1},
            "[[0 ... 4]\n ...\n [35 ... 39]]\n",
        ),
        (
            lambda: ({"k": tf.constant(1), "j": [tf.constant(2.5), "s"]},),
            {},
            "{'j': [2.5, 's'], 'k': 1}\n",
        ),
        (
            lambda: (tf.constant(ODD),),
            {"summarize": -1},
            "[1e-05 1e+10 nan inf -0 0.333333343 1e+08]\n",
        ),
        (lambda: (tf.constant([0.1], tf.float16),), {}, "[0.0999755859]\n"),
        (lambda: (tf.range(20), 5), {"sep": "|", "end": "!"}, "[0 1 2 ... 17 18 19]|5!"),
        (lambda: (), {}, "\n"),
        (lambda: ("{} {{}}", tf.constant(1)), {}, "{} {{}} 1\n"),
    ],
)
def test_it_prints_as_tensorflow_does(printed, make, options, expected):
    assert printed(*make(), **options) == expected


def test_in_a_graph_it_is_a_node_that_prints_when_it_runs(tmp_path):
    path = tmp_path / "out"
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2])
        with tf.control_dependencies([tf.print("x:", x, output_stream=f"file://{path}")]):
            y = x * 2
        assert not path.exists()
        session.run(y, {x: [1, 2]})
        session.run(y, {x: [3, 4]})
    assert path.read_text() == "x: [1 2]\nx: [3 4]\n"


def test_the_older_print_hands_its_input_on(capfd):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([1.0, 2.0])
        y = tf.Print(x, [x, tf.shape(x)], message="seen ", first_n=1)
        assert session.run(y).tolist() == session.run(y).tolist() == [1, 2]
    assert capfd.readouterr().err == "seen [1 2][2]\n"


def test_format():
    with tf.Graph().as_default(), tf.Session() as session:
        text = tf.strings.format("a {} b {}", (tf.constant([1, 2]), tf.constant("q")))
        assert session.run(text) == b'a [1 2] b "q"'
        with pytest.raises(ValueError, match=r"1 placeholder\(s\).*2 tensor"):
            tf.strings.format("{}", (1, 2))


@pytest.mark.parametrize(
    "options", [{"output_stream": 3}, {"output_stream": "out.txt"}, {"colour": "red"}]
)
def test_what_makes_no_sense_is_refused(options):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"output|Unrecognized"):
        tf.print("x", **options)


def test_a_file_that_cannot_be_written_is_an_error():
    with tf.Graph().as_default(), tf.Session() as session:
        op = tf.print("x", output_stream="file:///nowhere/at/all")
        with pytest.raises(tf.errors.InvalidArgumentError, match="cannot write"):
            session.run(op)
