"""Flags and the entry point, in programs of their own: flags belong to a process."""

import os
import subprocess
import sys
import textwrap

import pytest

import minitf as tf

HEAD = """
import sys
import minitf as tf

flags = tf.app.flags
flags.DEFINE_string("name", "mlp", "Which network.")
flags.DEFINE_integer("steps", 10, "How many steps.", lower_bound=1)
flags.DEFINE_float("rate", 0.5, "The learning rate.")
flags.DEFINE_boolean("train", True, "Whether to train.")
flags.DEFINE_bool("fast", False, "Whether to hurry.")
flags.DEFINE_enum("mode", "a", ["a", "b"], "One of two.")
flags.DEFINE_list("sizes", ["1", "2"], "Sizes.")
flags.DEFINE_multi_integer("gpu", None, "Devices.")
FLAGS = tf.flags.FLAGS
"""


def run(program, *arguments):
    """The exit code, what a program prints, and its errors."""
    text = HEAD + textwrap.dedent(program)
    path = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", text, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=path)
    return done.returncode, done.stdout.strip(), done.stderr


SHOW = """
print(FLAGS.name, FLAGS.steps, FLAGS.rate, FLAGS.train, FLAGS.fast, FLAGS.mode)
print(FLAGS.sizes, FLAGS.gpu)
"""


def test_flags_have_their_defaults():
    code, out, err = run(SHOW)
    assert (code, out) == (0, "mlp 10 0.5 True False a\n['1', '2'] None"), err


def test_the_first_flag_that_is_read_reads_the_command_line():
    arguments = ["--name=cnn", "--steps", "3", "--rate=1e-3", "--notrain", "--fast"]
    arguments += ["--mode=b", "--sizes=7,8", "--gpu=0", "--gpu=2"]
    code, out, err = run(SHOW, *arguments)
    assert (code, out) == (0, "cnn 3 0.001 False True b\n['7', '8'] [0, 2]"), err


def test_run_calls_main_with_the_rest_and_exits_with_its_result():
    program = """
    def main(rest):
        print(FLAGS.steps, rest[1:])
        return 5

    tf.app.run()
    """
    code, out, err = run(program, "file", "--steps=4", "--unknown=1")
    assert (code, out) == (5, "4 ['file', '--unknown=1']"), err


def test_run_takes_another_main_and_another_command_line():
    program = (
        "tf.app.run(main=lambda rest: print(FLAGS.name, rest), argv=['p', '--name=x'])"
    )
    assert run(program)[:2] == (0, "x ['p']")


def test_run_needs_a_main():
    code, _, err = run("tf.app.run()")
    assert code == 1 and "has no attribute 'main'" in err


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("--steps=x", "flag --steps=x: invalid literal for int() with base 10: 'x'"),
        ("--steps=0", "flag --steps=0: 0 is not a positive integer"),
        ("--mode=c", "flag --mode=c: value should be one of <a|b>"),
        ("--stepz=3", "Unknown command line flag 'stepz'. Did you mean: steps ?"),
    ],
)
def test_a_wrong_flag_is_an_error_that_names_it(argument, message):
    code, _, err = run("print(FLAGS.steps)", argument)
    assert code == 1 and message in err


def test_a_flag_that_nothing_defines():
    code, _, err = run("print(FLAGS.nothing)")
    assert code == 1 and "AttributeError: nothing" in err


def test_flags_are_set_and_listed_and_deleted():
    program = """
    FLAGS.steps = 12
    print(FLAGS.steps, FLAGS["steps"].default, "steps" in FLAGS, "x" in FLAGS)
    print({"name", "rate"} <= set(FLAGS), len(FLAGS) > 8, "steps" in dir(FLAGS))
    del FLAGS.steps
    print("steps" in FLAGS)
    """
    code, out, err = run(program)
    assert (code, out) == (0, "12 10 True False\nTrue True True\nFalse"), err


def test_older_names_of_arguments_are_taken_with_a_warning():
    program = """
    flags.DEFINE_integer(flag_name="depth", default_value=3, docstring="Depth.")
    print(FLAGS.depth, FLAGS["depth"].help)
    """
    code, out, err = run(program)
    assert (code, out) == (0, "3 Depth.")
    assert "use name, default and help instead" in err


def test_help_shows_the_flags_of_the_program_with_its_own_text():
    program = """
    def main(rest):
        raise SystemExit("main was called")

    tf.app.run(main)
    """
    code, out, _ = run(program, "--help")
    assert code == 1
    assert "--steps: How many steps." in out and "(default: '10')" in out


def test_a_flag_is_defined_once():
    program = 'flags.DEFINE_string("log_dir", None, "absl has one of this name.")'
    code, _, err = run(program)
    assert code == 1 and "DuplicateFlagError: The flag 'log_dir' is defined twice" in err


def test_flags_are_one_module_with_two_names():
    assert tf.flags is tf.app.flags
    assert tf.flags.DEFINE_bool is tf.flags.DEFINE_boolean
    assert {"DEFINE_enum", "FLAGS", "mark_flag_as_required"} <= set(dir(tf.flags))


def test_import_minitf_does_not_import_absl():
    text = "import sys, minitf; assert 'absl' not in sys.modules"
    path = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", text], env=path).returncode == 0
