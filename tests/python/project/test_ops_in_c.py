"""Ops, kernels and programs on the C API that are compiled and run: the examples too.

Read next: ``docs/examples/c/custom_op.c``.
"""

import shutil
import subprocess
from pathlib import Path

import pytest
from runners import told_by
from source_copy import LIBRARY, ROOT

EXAMPLES = ROOT / "docs" / "examples" / "c"
MOST_LINES_OF_WRAPPERS = 200

IN_GRAPH = """
add = tf.load_op_library(sys.argv[1]).c_scaled_add
x, y = tf.constant([1.0, 2.0]), tf.constant([10.0, 20.0])
open_shape = tf.placeholder(tf.float32, [None, 2])
unknown = tf.placeholder(tf.float32)
sums = [add(x, y), add(x, y, scale=3), add(tf.constant([1, 2]), tf.constant([3, 4]))]
session = tf.Session()
double = tf.constant([1.0], tf.float64)
feeds = {unknown: [1.0, 2.0, 3.0], y: [1.0, 2.0]}
tell({
    "values": [value.tolist() for value in session.run(sums)],
    "shapes": [str(add(open_shape, open_shape).shape), str(add(unknown, y).shape)],
    "rank": error(lambda: add(x, tf.constant(1.0))),
    "step": error(lambda: session.run(add(unknown, y), feeds)),
    "create": error(lambda: session.run(add(x, y, scale=1001))),
    "attr": error(lambda: add(x, y, scale=0)),
    "type": error(lambda: add(double, double)),
})
"""
EAGER = """
library = tf.load_op_library(sys.argv[1])
tf.enable_eager_execution()
mistakes = ("input", "output", "failure", "nothing", "create")
sum = library.c_scaled_add(tf.constant([1.0]), tf.constant([2.0]))
tell({
    "ops": library.OP_LIST,
    "value": sum.numpy().tolist(),
    "errors": [error(lambda: library.c_unruly(tf.constant(1.0), mistake=m))
               for m in mistakes],
})
"""


def compile_c(source: Path, output: Path, *flags: str) -> Path:
    """Compiles a file of C or C++ and links it with the C API."""
    is_c = source.suffix == ".c"
    command = ["gcc", "-std=c11", "-pedantic"] if is_c else ["g++", "-std=c++20"]
    command += ["-Wall", "-Wextra", "-Werror", f"-I{ROOT}", str(source), *flags]
    command += ["-o", str(output), f"-L{LIBRARY}", "-lminitf_c", f"-Wl,-rpath,{LIBRARY}"]
    command += [f"-Wl,-rpath-link,{LIBRARY}", "-lm"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return output


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("custom_op")
    source = ROOT / "tests" / "c" / "custom_op.c"
    return compile_c(source, folder / "custom_op.so", "-shared", "-fPIC")


def test_a_graph_runs_ops_of_a_library_in_c(library):
    told = told_by(IN_GRAPH, library)
    assert told["values"] == [[21.0, 42.0], [31.0, 62.0], [7, 10]]
    assert told["shapes"] == ["(?, 2)", "<unknown>"]
    assert "[] has rank 0; expected rank 1" in told["rank"]
    assert "x and y have different shapes" in told["step"]
    assert "scale is more than 1000" in told["create"]
    assert "which is less than the minimum 1" in told["attr"]
    assert "float64" in told["type"]


def test_eager_mode_runs_ops_of_a_library_in_c(library):
    told = told_by(EAGER, library)
    assert told["ops"] == ["CScaledAdd", "CUnruly"]
    assert told["value"] == [5.0]
    expected = [
        ("OutOfRangeError", "input 7 does not exist; number of inputs: 1"),
        ("OutOfRangeError", "output 7 does not exist; number of outputs: 1"),
        ("AbortedError", "the kernel gives up"),
        ("InternalError", "the kernel in C did not set output 0"),
        ("FailedPreconditionError", "the kernel cannot be made"),
    ]
    for error, (name, message) in zip(told["errors"], expected, strict=True):
        assert error.startswith(f"{name}: ") and message in error


def test_a_copy_of_a_library_in_c_is_an_error(library, tmp_path):
    copy = shutil.copy(library, tmp_path / "copy.so")
    program = """
tf.load_op_library(sys.argv[1])
tell(error(lambda: tf.load_op_library(sys.argv[2])))
"""
    error = told_by(program, library, copy)
    assert error.startswith("AlreadyExistsError: cannot load ")
    assert "op 'CScaledAdd' is registered twice" in error


def test_the_example_of_an_op_in_c_clips_by_norm(tmp_path):
    source = EXAMPLES / "custom_op.c"
    example = compile_c(source, tmp_path / "custom_op.so", "-shared", "-fPIC")
    program = """
clip = tf.load_op_library(sys.argv[1]).c_clip_by_norm
tf.enable_eager_execution()
tell([clip(tf.constant([3.0, 4.0]), limit=1.0).numpy().tolist(),
      clip(tf.constant([6, 8]), limit=5.0).numpy().tolist(),
      error(lambda: clip(tf.constant([1.0]), limit=0.0))])
"""
    floats, ints, error = told_by(program, example)
    assert floats == pytest.approx([0.6, 0.8])
    assert ints == [3, 4]
    assert "limit must be more than 0" in error


def test_the_example_with_wrappers_fits_a_line(tmp_path):
    source = EXAMPLES / "wrappers.cc"
    assert len(source.read_text().splitlines()) <= MOST_LINES_OF_WRAPPERS
    program = compile_c(source, tmp_path / "wrappers")
    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "w = 2.000, b = 1.000\n"
