"""The page that follows ``tf.matmul`` to its kernel: true now, and true of a new run."""

import json

import kernel_walk
import pytest

from minitf_lab import project


def test_the_page_is_that_of_the_record():
    assert kernel_walk.PAGE.read_text() == kernel_walk.page(), "run ./lab gen"


def test_lines_are_those_at_which_functions_begin():
    text = kernel_walk.PAGE.read_text()
    rows = [line.split("`") for line in text.splitlines() if line.startswith("| [`")]
    assert len(rows) > 25
    for row in rows:
        path, line = row[1].split(":")
        lines = (project.ROOT / path).read_text().splitlines()
        name = row[3].replace("::", ".").rpartition(".")[2]
        assert name in lines[int(line) - 1], row


def test_a_run_takes_the_same_way():
    if reason := kernel_walk.why_not():
        pytest.skip(reason)
    recorded, found = json.loads(kernel_walk.RECORD.read_text()), kernel_walk.record()
    assert found.keys() == recorded.keys()
    for mode, walks in found.items():
        for walk, known in zip(walks, recorded[mode], strict=True):
            walk = [list(hop) for hop in walk]
            assert (walk[0], walk[-1]) == (known[0], known[-1])
            in_python = [hop for hop in walk if hop[0].endswith(".py")]
            assert in_python == [hop for hop in known if hop[0].endswith(".py")]
            # Another compiler inlines other functions.
            assert any(path.startswith("python/bindings/") for path, _ in walk)


@pytest.mark.parametrize(
    ("path", "function"),
    [
        ("kernels/cpu/math/matmul.cc", "MatMulOp::NoSuchFunction"),
        ("kernels/cpu/~math/no_such_file.cc", "MatMulOp::Multiply"),
        ("python/minitf/ops/math_ops.py", "mat_mull"),
        ("python/minitf/framework/graph.py", "Graph.no_such_method"),
        ("minitf/eager/dispatch.h", "Dispatch"),  # declared there, and not defined
    ],
)
def test_a_function_that_is_gone_is_an_error(path, function):
    with pytest.raises(project.LabError, match=f"{path} has no function {function}"):
        kernel_walk.line_of(path, function)


def test_names_of_frames():
    assert kernel_walk._function("#3  0x1 in minitf::Graph::AddNode(long) () from x") == (
        "Graph::AddNode"
    )
    assert kernel_walk._function("#0  minitf::MatMulShape(int)@plt () from x") == ""
    assert kernel_walk._function("#7  PyObject_Call (x=1) at call.c:1") == ""


def test_a_run_that_misses_the_kernel_is_an_error():
    with pytest.raises(project.LabError, match="did not come to MatMulShape"):
        kernel_walk._cpp_hops("nothing", "MatMulShape")
    with pytest.raises(project.LabError, match="did not call _minitf.execute"):
        kernel_walk._python_hops("nothing", "execute")
