"""tf.logging: what is written, and how often."""

import logging

import pytest

import minitf as tf


@pytest.fixture
def lines():
    """The messages that the logger of minitf writes."""
    found = []

    class Handler(logging.Handler):
        def emit(self, record):
            found.append((record.levelno, record.getMessage()))

    handler, level = Handler(), tf.logging.get_verbosity()
    tf.get_logger().addHandler(handler)
    tf.logging.set_verbosity(tf.logging.INFO)
    yield found
    tf.logging.set_verbosity(level)
    tf.get_logger().removeHandler(handler)


def test_a_message_is_written_if_a_condition_holds(lines):
    for i in range(3):
        tf.logging.log_if(tf.logging.WARN, "%d of %d", i == 1, i, 3)
    assert lines == [(tf.logging.WARN, "1 of 3")]


def test_each_nth_call_of_a_line_is_written(lines):
    for i in range(7):
        tf.logging.log_every_n(tf.logging.INFO, "call %d", 3, i)
        tf.logging.log_every_n(tf.logging.DEBUG, "hidden", 1)
    assert [text for _, text in lines] == ["call 0", "call 3", "call 6"]


def test_the_first_calls_of_a_line_are_written(lines):
    for i in range(4):
        tf.logging.log_first_n(tf.logging.INFO, "call %d", 2, i)
    for i in range(2):
        tf.logging.log_first_n(tf.logging.INFO, "again %d", 1, i)
    assert [text for _, text in lines] == ["call 0", "call 1", "again 0"]


def test_a_message_of_a_task_is_an_error(lines):
    tf.logging.TaskLevelStatusMessage("lost")
    assert lines == [(tf.logging.ERROR, "lost")]
