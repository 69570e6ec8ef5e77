"""Stubs, public names, the registry and ``inspect`` say the same.

``./lab lint`` has mypy and pyright read the stubs (``dev/checks/type_checkers.py``).
"""

import ast
import inspect
import json
import re
from pathlib import Path

import pytest
import stub_differences
from runners import fresh_process

import minitf as tf
from minitf import _minitf
from minitf_lab.dev.checks import type_checkers
from minitf_lab.dev.stubs import definitions, modules

# A new process has no ops of libraries that other tests load.
MADE_NOW = "import json; from minitf_lab.dev.stubs import modules as m; "
MADE_NOW += "print(json.dumps(m.all_stubs()))"


def test_the_stubs_are_as_the_build_would_write_them(monkeypatch):
    monkeypatch.delenv("MINITF_GPU", raising=False)
    made = json.loads(fresh_process(MADE_NOW))
    assert {"__init__.pyi", "raw_ops.pyi", "nn.pyi", "train/__init__.pyi"} <= made.keys()
    for name, text in made.items():
        path = Path(modules.FOLDER, name)
        assert path.exists() and path.read_text() == text, f"{name}: run ./lab build"
    on_disk = {str(p.relative_to(modules.FOLDER)) for p in modules.FOLDER.rglob("*.pyi")}
    assert on_disk == made.keys()


def test_stubs_and_python_agree_on_names_and_signatures():
    assert fresh_process(Path(stub_differences.__file__).read_text()) == ""


def test_minitf_says_that_it_has_types():
    assert Path(modules.FOLDER, "py.typed").read_text() == ""


@pytest.mark.parametrize(
    ("before", "after", "difference"),
    [
        ("def invert(", "def inverse(", "minitf.bitwise.invert has no stub"),
        ("def invert(", "def inverse(", "minitf.bitwise.inverse is in the stub only"),
        ("def invert(x", "def invert(y", r"minitf.bitwise.invert: .*'y'.*'x'"),
        ("name: str | None = None", "name: str | None", "'name', ''.*'name', 'None'"),
        ("x: Any, y: Any, ", "x: Any, ", "minitf.bitwise.bitwise_and: "),
        ("(x: Any, name", "(x: Any, *, name", r"minitf.bitwise.invert: .*'\*', 'name'"),
    ],
)
def test_a_stub_that_differs_is_found(before, after, difference):
    text = modules.module_stub("minitf.bitwise", tf.bitwise)
    assert stub_differences.differences("minitf.bitwise", text, tf.bitwise) == []
    assert before in text
    wrong = text.replace(before, after)
    found = stub_differences.differences("minitf.bitwise", wrong, tf.bitwise)
    assert any(re.search(difference, line) for line in found), found


def test_every_op_has_a_stub():
    text = Path(modules.FOLDER, "raw_ops.pyi").read_text()
    names = {node.name for node in ast.parse(text).body if hasattr(node, "name")}
    code = "from minitf import _minitf; print(*_minitf.op_names())"
    # An underscore stands before what only the runtime puts into graphs.
    public = {name for name in fresh_process(code).split() if name[0] != "_"}
    assert names == public
    assert len(names) > 400 and {"MatMul", "Any", "Conv2D"} <= names


def test_stubs_need_no_name_that_they_do_not_import():
    for path in modules.FOLDER.rglob("*.pyi"):
        compile(path.read_text(), str(path), "exec")


def test_members_of_public_classes_are_known():
    missing = {
        f"{path}.{name}": unknown
        for path, module in modules.public_modules().items()
        for name in modules.names_of(module)
        if (unknown := stub_differences.unknown_members(getattr(module, name)))
    }
    assert missing == {}


def test_tensors_have_the_operators_in_their_stub():
    text = Path(modules.FOLDER, "_tensor_members.pyi").read_text()
    classes = {node.name: node for node in ast.parse(text).body if hasattr(node, "name")}
    operators = {node.name for node in classes["Operators"].body}
    assert {"__add__", "__rsub__", "__matmul__", "__getitem__", "__lt__"} <= operators
    assert all(hasattr(tf.Tensor, name) for name in operators)
    members = {node.name for node in classes["TensorMembers"].body}
    assert {"shape", "dtype", "numpy", "eval", "op", "name"} <= members


def test_messages_have_their_fields_in_their_stub():
    text = Path(modules.FOLDER, "_messages.pyi").read_text()
    (config,) = [
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef) and node.name == "ConfigProto"
    ]
    known = {getattr(node, "name", "") for node in config.body}
    known |= {node.target.id for node in config.body if isinstance(node, ast.AnnAssign)}
    fields = {field.name for field in tf.ConfigProto.DESCRIPTOR.fields}
    assert fields and fields <= known


def test_types_and_defaults_as_source():
    imports = definitions.Imports(["Any", "bool"])
    assert definitions.type_text(list[bool] | None, imports) == "list[_bool] | None"
    assert definitions.type_text(inspect.Parameter.empty, imports) == "_Any"
    assert definitions.type_text(tf.Tensor, imports) == "Tensor"
    assert "from builtins import bool as _bool" in imports.lines()
    assert definitions.default_text(float("nan")) == "..."
    assert definitions.default_text((1, [2, "a"])) == "(1, [2, 'a'])"


def test_a_program_uses_every_public_name():
    text = modules.uses()
    assert "    tf.train.AdamOptimizer,\n" in text and "    tf.raw_ops.Any,\n" in text
    assert text.count("use(\n") == len(modules.public_modules())
    assert len(text.splitlines()) > 1000 + len(_minitf.op_names())


def test_wrong_calls_are_compared_line_by_line():
    marked = type_checkers.marked_lines(type_checkers.WRONG.read_text())
    assert len(marked) > 25

    def checker(files):
        assert files == [type_checkers.WRONG]
        lines = [*sorted(marked)[1:], 1]
        return {("wrong_calls.py", line): "an error" for line in lines}

    missed, unexpected = type_checkers.wrong_calls(checker).split("\n")
    assert missed == f"wrong_calls.py:{min(marked)}: not reported"
    assert unexpected == "wrong_calls.py:1: an error"


def test_a_type_checker_that_is_not_installed_is_skipped(monkeypatch):
    monkeypatch.setitem(type_checkers.CHECKERS, "mypy", ("no-such-program", None))
    (outcome,) = type_checkers.answers("mypy")
    assert outcome.status == "skipped"
    assert "no-such-program is not installed" in outcome.message
