"""The checks of ``tests/op_names.py``: what they find, and what they leave alone."""

import sys
from pathlib import Path

import pytest
from source_copy import ROOT

sys.path.append(str(ROOT / "tests"))

import op_names


@pytest.fixture(autouse=True)
def top(monkeypatch):
    """The checks run in the top folder."""
    monkeypatch.chdir(ROOT)


def said(path, code):
    lines = code.splitlines()
    return [text for _, text in op_names.check_named_in_python(Path(path), lines)]


@pytest.mark.parametrize(
    "code",
    [
        'is_variable = op.type == "VarHandleOp"',
        'is_variable = op.type in ("VarHandleOp", "TemporaryVariable")',
        'kept = {"VarHandleOp"}',
        'axes = {"VarHandleOp": "axis"}',
    ],
)
def test_a_fact_about_an_op_is_found_in_python(code):
    expected = ["names the op VarHandleOp: facts about ops stand in OpFacts"]
    assert said("python/minitf/framework/graph.py", code) == expected
    assert said("python/minitf/ops/array_ops.py", code) == []
    assert said("python/minitf/framework/graph_util.py", code) == []
    assert said("python/minitf_lab/dev/checks/suite.py", code) == []


def test_python_calls_ops_and_makes_scopes_of_their_names():
    code = 'with name_scope(name, "Relu", [x]):\n    y = call("Relu", [x], None, "Relu")'
    assert said("python/minitf/framework/graph.py", code) == []
    assert said("python/minitf/framework/graph.py", 'y = call("Relo", [x])') == [
        "no op is called Relo"
    ]
    assert (
        said("python/minitf/ops/array_ops.py", 'words = ["Relu", "other", "words"]') == []
    )


def test_each_kernel_and_gradient_lies_in_the_room_of_its_op():
    assert list(op_names.misplaced(op_names.sources())) == []


def test_what_lies_in_another_room_is_found():
    files = op_names.sources()
    files["kernels/cpu/array/gather.cc"] += files.pop("kernels/cpu/math/search_sorted.cc")
    files["minitf/gradients/array/gather_grad.cc"] += files.pop(
        "minitf/gradients/random/random_grad.cc"
    )
    found = sorted(op_names.misplaced(files))
    home = "minitf/ops/math/search_ops.cc"
    assert found[:2] == [
        f"kernels/cpu/array/gather.cc: has the kernel of {op}, which is defined in {home}"
        for op in ("LowerBound", "UpperBound")
    ]
    assert len(found) == 2 + 6
    assert all("which is defined in minitf/ops/random/" in text for text in found[2:])


def test_an_exception_that_stands_for_nothing_is_found(monkeypatch):
    monkeypatch.setitem(op_names.ELSEWHERE, "kernels/cpu/none/", "no reason")
    [found] = op_names.misplaced(op_names.sources())
    assert found.startswith("kernels/cpu/none/: is in ELSEWHERE")
