"""The op of docs/adding_an_op.md: its four files are compiled, tested and loaded.

Read next: ``docs/adding_an_op.md``.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from source_copy import (
    LIBRARY,
    ROOT,
    SourceCopy,
    compile_files,
    definitions_with,
    named_by,
)

GUIDE = ROOT / "docs" / "adding_an_op.md"
BLOCK = re.compile(r"```cpp (?P<name>\w+\.cc)\n(?P<code>.*?)```", re.DOTALL)
# Where the guide says that a block goes.
PLACES = {
    "hypot_op.cc": "minitf/ops/cwise/cwise_binary_ops.cc",
    "hypot_kernel.cc": "kernels/cpu/cwise/cwise_power.cc",
    "hypot_grad.cc": "minitf/gradients/cwise/cwise_binary_grad.cc",
}
NAME = "cwise/hypot_test.cc"
NEXT = "data/queues_test.cc"  # in front of it, the list of tests has the new one
TEST = f"tests/kernels/{NAME}"

PROGRAM = """
import sys
import numpy as np
import minitf as tf

library = tf.load_op_library(sys.argv[1])
x, y = tf.placeholder(tf.float64, [None]), tf.placeholder(tf.float64, [None])
z = library.hypot(x, y)
feed = {x: np.array([3.0]), y: np.array([4.0])}
values = tf.Session().run([z, *tf.gradients(z, [x, y])], feed)
print([round(float(value[0]), 6) for value in values], z.op.type)
print("sqrt" in library.hypot.__doc__)
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the blocks of the guide."""
    folder = tmp_path_factory.mktemp("hypot")
    blocks = {m["name"]: m["code"] for m in BLOCK.finditer(GUIDE.read_text())}
    assert list(blocks) == [
        "hypot_op.cc",
        "hypot_kernel.cc",
        "hypot_grad.cc",
        "hypot_test.cc",
    ]
    for name, code in blocks.items():
        (folder / name).write_text(code)
    return folder


def test_its_own_test_passes(files: Path):
    names = ["hypot_op.cc", "hypot_kernel.cc", "hypot_grad.cc", "hypot_test.cc"]
    program = compile_files(files, names, "hypot_test", "-lgtest", "-lgtest_main")
    done = subprocess.run([str(program)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "[  PASSED  ] 3 tests." in done.stdout


def test_python_can_load_it(files: Path):
    names = ["hypot_op.cc", "hypot_kernel.cc", "hypot_grad.cc"]
    library = compile_files(files, names, "hypot.so", "-shared", "-fPIC")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(library)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["[5.0, 0.6, 0.8] Hypot", "True"]


def test_no_file_is_touched_but_those_that_the_guide_names(files: Path, tmp_path: Path):
    copy = SourceCopy(tmp_path / "copy")
    for block, name in PLACES.items():
        code = (files / block).read_text()
        begin, end = "namespace {\n", "}  // namespace\n"
        copy.insert(name, end, code.partition(begin)[2].partition(end)[0])
    copy.write(TEST, (files / "hypot_test.cc").read_text())
    place = f"  kernels/{NEXT}\n"
    copy.insert("tests/CMakeLists.txt", place, f"  kernels/{NAME}\n")
    library = compile_files(files, list(PLACES), "registered.so", "-shared", "-fPIC")
    copy.write("docs/ops.pbtxt", definitions_with(library, LIBRARY))
    assert copy.findings() == set()
    # ./lab gen writes the page of names too; it has no line for a new op.
    assert copy.changed() == named_by(GUIDE, "hypot") - {"docs/api.md"}
