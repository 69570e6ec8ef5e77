"""The check of imports finds circles, imports in functions, and those from above."""

import ast
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2]))

import python_imports


def lines_found(name, text):
    package = () if name.startswith("minitf_lab/") else ("minitf",)
    path = python_imports.HOME.joinpath(*package, name)
    return list(python_imports.check_imports(path, text.split("\n")))


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        (
            "ops/a.py",
            "def f():\n    import json",
            "json is imported in a function",
        ),
        (
            "ops/a.py",
            "class A:\n  def f(self):\n    from os import path",
            "in a function",
        ),
        ("ops/a.py", "if True:\n    import json", None),
        (
            "ops/a.py",
            "def f():\n    from google.protobuf import text_format",
            None,
        ),
        ("ops/a.py", "def f():\n    import matplotlib.pyplot as plt", None),
        (
            "framework/a.py",
            "from minitf.ops import math_ops",
            "lies below minitf.ops.math_ops",
        ),
        ("framework/a.py", "from minitf.eager.context import entered", None),
        ("eager/context.py", "import minitf.eager.backprop", "must not import it"),
        (
            "ops/a.py",
            "from minitf.training.optimizer import Optimizer",
            "lies below",
        ),
        ("training/a.py", "from minitf.ops import math_ops, array_ops", None),
        ("ops/a.py", "from minitf import layers", "must not import it"),
        (
            "ops/a.py",
            "from minitf.contrib.image import files",
            "must not import it",
        ),
        (
            "contrib/image/a.py",
            "from minitf.contrib.sparse import embedding",
            "no other",
        ),
        ("contrib/image/a.py", "from minitf.contrib.image import files", None),
        (
            "ops/a.py",
            "from minitf import constant",
            "minitf.constant is no module",
        ),
        ("ops/a.py", "from minitf import _minitf", None),
        ("ops/a.py", "from minitf_lab import project", "nothing of its tool"),
        ("minitf_lab/judge/a.py", "from minitf_lab.labs import grade", "lies below"),
        ("minitf_lab/project.py", "from minitf_lab.judge import case", "lies below"),
        ("minitf_lab/labs/a.py", "from minitf_lab.judge import case", None),
        ("minitf_lab/labs/a.py", "def f():\n  import minitf", None),
        ("minitf_lab/judge/a.py", "def f():\n  from minitf_lab.labs import b", "below"),
        (
            "minitf_lab/judge/a.py",
            "if TYPE_CHECKING:\n  from minitf_lab.labs import b",
            "lies below",
        ),
    ],
)
def test_what_a_module_may_import(name, text, sentence):
    found = [finding for _, finding in lines_found(name, text)]
    assert (len(found) == 1 and sentence in found[0]) if sentence else found == []


def test_a_circle_is_found_wherever_it_begins():
    imports = {"a": {"b", "x"}, "b": {"c"}, "c": {"a"}, "d": {"d"}, "x": set()}
    assert python_imports.circles(imports) == [["a", "b", "c"], ["d"]]
    two = {"a": {"b"}, "b": {"a", "c"}, "c": {"e"}, "e": {"c"}}
    assert sorted(python_imports.circles(two)) == [["a", "b"], ["c", "e"]]
    assert python_imports.circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_an_import_for_types_alone_closes_a_circle(tmp_path, monkeypatch):
    monkeypatch.setattr(python_imports, "HOME", tmp_path)
    (tmp_path / "minitf_lab").mkdir()
    for_types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    {}\n"
    late = for_types.format("from minitf_lab.b import C")
    (tmp_path / "minitf_lab" / "a.py").write_text(late)
    (tmp_path / "minitf_lab" / "b.py").write_text("class C: ...\n")
    python_imports._modules.cache_clear()
    assert list(python_imports.findings()) == []
    (tmp_path / "minitf_lab" / "b.py").write_text("from minitf_lab import a\n")
    found = list(python_imports.findings())
    python_imports._modules.cache_clear()
    assert len(found) == 1
    assert found[0].endswith("import each other: minitf_lab.a, minitf_lab.b")


def test_imports_are_found_with_their_lines():
    tree = ast.parse("import os\n\ndef f():\n    from a.b import c, d\n")
    assert python_imports.imports_of(tree) == [
        (1, "os", False),
        (4, "a.b.c", True),
        (4, "a.b.d", True),
    ]
