"""The page that follows a product to its kernel: true now, and true of a new run."""

import json

import kernel_walk
import pytest

from minitf_lab import project


@pytest.fixture(scope="module")
def recorded():
    return json.loads(kernel_walk.RECORD.read_text())


def test_the_page_is_that_of_the_record():
    assert kernel_walk.PAGE.read_text() == kernel_walk.page(), "run ./lab gen"


def test_lines_are_those_at_which_functions_begin():
    text = kernel_walk.PAGE.read_text()
    rows = [line.split("`") for line in text.splitlines() if line.startswith("| [`")]
    assert len(rows) > 90
    for row in rows:
        path, line = row[1].split(":")
        lines = (project.ROOT / path).read_text().splitlines()
        name = row[3].replace("::", ".").rpartition(".")[2]
        if path.endswith(".i"):  # the name of the wrapper has that of the method within
            name = lines[int(line) - 1].partition("(")[0].split()[-1]
            assert name in row[3], row
        assert name in lines[int(line) - 1], row


def test_log_lines_are_those_of_their_statements():
    text = kernel_walk.PAGE.read_text()
    rows = [line.split("`") for line in text.splitlines() if line.startswith("| 2 | [`")]
    assert len(rows) > 5
    for row in rows:
        path, line = row[1].split(":")
        statement = (project.ROOT / path).read_text().splitlines()[int(line) - 1]
        assert 'VLOG(2) << "' in statement
        assert row[3].startswith(statement.split('"')[1]), row


def test_the_log_shows_each_binding_and_the_kernel(recorded):
    for run, lines in recorded["log"].items():
        kernel = ["matmul.cc", "MatMul: m = 1, k = 2, n = 1"]
        binding = "pybind11: " if run.startswith("pybind11") else "C API: "
        ours = [text for _, text in lines if text.startswith(binding)]
        assert "MatMul" in "".join(ours), run
        assert lines[-1] == kernel, run


@pytest.mark.parametrize("binding", kernel_walk.BINDINGS)
def test_a_run_takes_the_same_way(binding, recorded):
    if reason := kernel_walk.why_not(binding):
        pytest.skip(reason)
    found = kernel_walk.record(binding)
    walks = [walk for walk in kernel_walk.WALKS if walk.binding == binding]
    assert found["calls"].keys() == {walk.title for walk in walks}
    for title, calls in found["calls"].items():
        calls, known = [list(hop) for hop in calls], recorded["calls"][title]
        assert (calls[0], calls[-1]) == (known[0], known[-1])
        in_python = [hop for hop in calls if hop[0].endswith(".py")]
        assert in_python == [hop for hop in known if hop[0].endswith(".py")]
        # Another compiler inlines other functions.
        assert any(
            path.startswith(("python/bindings/", "minitf/c/")) for path, _ in calls
        )
    for run, lines in found["log"].items():
        places = [kernel_walk.log_place(*line) for line in lines]
        assert places == [kernel_walk.log_place(*line) for line in recorded["log"][run]]


@pytest.mark.parametrize(
    ("path", "function"),
    [
        ("kernels/cpu/math/matmul.cc", "MatMulOp::NoSuchFunction"),
        ("kernels/cpu/~math/no_such_file.cc", "MatMulOp::Multiply"),
        ("python/minitf/ops/math_ops.py", "mat_mull"),
        ("python/minitf/framework/graph.py", "Graph.no_such_method"),
        ("minitf/eager/dispatch.h", "Dispatch"),  # declared there, and not defined
        ("minitf/c/c_api_session.h", "TF_SessionRun"),
        ("python/swig/session.i", "_wrap_Step_no_such_method"),
        ("tests/python/walks/c_calls.c", "NoSuchFunction"),
    ],
)
def test_a_function_that_is_gone_is_an_error(path, function):
    with pytest.raises(project.LabError, match=f"{path} has no function {function}"):
        kernel_walk.line_of(path, function)


def test_a_log_statement_that_is_gone_is_an_error():
    with pytest.raises(project.LabError, match="matmul.cc has no VLOG of 'No such text'"):
        kernel_walk.log_place("matmul.cc", "No such text")
    with pytest.raises(project.LabError, match="no_such_file.cc has no VLOG of 'MatMul:"):
        kernel_walk.log_place("no_such_file.cc", "MatMul: m = 1")


def test_generated_functions_are_where_they_are_declared():
    lines = (project.ROOT / "python/swig/session.i").read_text().splitlines()
    for name in ("Step.run", "_wrap_Step_run", "wrap_Step_run_0"):
        line = kernel_walk.line_of("python/swig/session.i", name)
        assert lines[line - 1].startswith("  void run("), name


def test_names_of_frames():
    assert kernel_walk._function("#3  0x1 in minitf::Graph::AddNode(long) () from x") == (
        "Graph::AddNode"
    )
    assert kernel_walk._function("#4  0x1 in minitf::c::RunStep(int) () from x") == (
        "RunStep"
    )
    assert kernel_walk._function("#5  0x1 in _wrap_Step_run () from x") == (
        "_wrap_Step_run"
    )
    assert kernel_walk._function("#6  0x1 in main (argc=2) at /x/c_calls.c:82") == ""
    assert kernel_walk._function("#0  minitf::MatMulShape(int)@plt () from x") == ""
    assert kernel_walk._function("#7  PyObject_Call (x=1) at call.c:1") == ""


def test_a_run_that_misses_the_kernel_is_an_error():
    with pytest.raises(project.LabError, match="did not come to MatMulShape"):
        kernel_walk._cpp_hops("nothing", "MatMulShape")
    with pytest.raises(project.LabError, match="did not call execute"):
        kernel_walk._python_hops("nothing", "execute")
