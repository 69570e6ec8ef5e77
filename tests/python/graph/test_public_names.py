"""Which names there are, and where: a name exists if TensorFlow has it in that module."""

import functools
import importlib
import time
from types import ModuleType

import api_page
import pytest
from runners import fresh_process

import minitf as tf
from minitf import families, public_names

MODULES = sorted(public_names.DOCS)

# What was answered once, by an op or by a function whose name begins alike.
NOWHERE = [
    "tf.mat_mul",
    "tf.add_v2",
    "tf.conv2d",
    "tf.bias_add_grad",
    "tf.var_handle_op",
    "tf.sin_",
    "tf.softmax",
    "tf.nn.sin",
    "tf.nn.embedding_lookup_nothing",
    "tf.nn.matmul",
    "tf.nn.np",
    "tf.math.conv2d",
    "tf.math.concat",
    "tf.math.convert_to_tensor",
    "tf.io.sin",
    "tf.linalg.sin",
    "tf.strings.sin",
]


@pytest.mark.parametrize("path", NOWHERE)
def test_no_name_is_answered_by_guessing(path):
    *modules, name = path.split(".")[1:]
    module = tf
    for part in modules:
        module = getattr(module, part)
    assert not hasattr(module, name)
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'"):
        getattr(module, name)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_has_what_its_table_says(name):
    module = importlib.import_module(f"minitf.{name}")
    assert dir(module) == public_names.names_of(name) == module.__all__
    for item in dir(module):
        assert getattr(module, item) is not None, item
    if name != "debug":
        assert functools.reduce(getattr, name.split("."), tf) is module


def test_tf_has_what_dir_says():
    names = dir(tf)
    assert set(public_names.names_of("tf")) <= set(names)
    assert not {"array_ops", "math_ops", "nn_ops"} & set(names)
    for name in names:
        getattr(tf, name)


SUMMARY = pytest.param("summary", marks=pytest.mark.families("summary"))
SHOWN = ("errors", "gfile", "graph_util", "initializers", "layers", "logging", "losses")


@pytest.mark.parametrize("name", [*SHOWN, "metrics", "python_io", SUMMARY, "train"])
def test_a_module_does_not_show_what_it_imports(name):
    module = getattr(tf, name)
    assert not {"Any", "call", "np", "os", "context", "Tensor", "base"} & set(dir(module))
    for item in dir(module):
        value = getattr(module, item)
        assert not isinstance(value, ModuleType) or item == "queue_runner"


def test_names_that_tensorflow_1_does_not_have():
    assert not hasattr(tf, "RewriterConfig")
    assert not hasattr(tf.train, "noam_decay")
    assert not hasattr(tf.logging, "WARNING")


def test_one_function_has_one_identity():
    assert tf.math.sin is tf.sin
    assert tf.math.mod is tf.floormod is tf.mod
    assert tf.linalg.transpose is tf.matrix_transpose
    assert tf.debugging.assert_equal is tf.assert_equal
    assert tf.nn.lrn is tf.nn.local_response_normalization
    assert tf.compat.v1 is tf


def test_a_missing_name_costs_little():
    start = time.perf_counter()
    for _ in range(1000):
        hasattr(tf, "nothing")
        hasattr(tf.nn, "nothing")
    assert time.perf_counter() - start < 0.2


# In a process of its own: the drivers of labs register ops for their cases.
OUT_OF_DATE = """
from minitf_lab.dev.checks import registry_files

print([path.name for path, text in registry_files.contents().items()
       if path.read_text() != text])
"""


@pytest.mark.families(*families.FAMILIES)
def test_the_page_of_names_is_up_to_date():
    assert fresh_process(OUT_OF_DATE) == "[]", "run ./lab gen"


def test_the_page_lists_its_own_names(monkeypatch, tmp_path):
    assert len(api_page.names()) >= 419
    page = tmp_path / "api.md"
    monkeypatch.setattr(api_page, "PAGE", page)
    page.write_text("| `nn.relu` | yes |\n| name |\n| `add` |\n")
    assert api_page.names() == ["add", "nn.relu"]
    page.write_text("no table")
    with pytest.raises(ValueError, match="no rows that begin with a name"):
        api_page.names()


def test_a_name_without_a_reason_is_found_out(monkeypatch):
    monkeypatch.setattr(api_page, "names", lambda: ["nothing"])
    with pytest.raises(ValueError, match="nothing is missing, and has not a reason"):
        api_page.page({})
    monkeypatch.setattr(api_page, "names", lambda: ["add"])
    assert "| `add` | yes | 12 |  |" in api_page.page({"add": 12})
    monkeypatch.setitem(api_page.MISSING, "add", "it is not")
    with pytest.raises(ValueError, match="add exists, and has a reason"):
        api_page.page({})


def test_members_of_shapes():
    shape = tf.TensorShape([2, None])
    shape.assert_has_rank(2)
    shape.assert_same_rank([None, None])
    assert shape.with_rank_at_most(2) is shape
    assert shape.most_specific_compatible_shape([3, None]).as_list() == [None, None]
    assert shape.most_specific_compatible_shape([2, 3, 4]).ndims is None
    assert [dim.size for dim in shape.as_proto().dim] == [2, -1]
    assert tf.TensorShape(None).as_proto().unknown_rank
    assert tf.TensorShape(None)[1:3].ndims == 2
    assert tf.TensorShape(None)[1:].ndims is None
    with pytest.raises(ValueError, match=r"\(2, \?\) must have rank 3"):
        shape.assert_has_rank(3)
    with pytest.raises(ValueError, match="must have rank at most 1"):
        shape.with_rank_at_most(1)
    with pytest.raises(ValueError, match="must have the same rank"):
        shape.assert_same_rank([1])


def test_types_by_kind_and_text():
    assert isinstance(3, tf.compat.integral_types)
    assert tf.compat.as_bytes("é") == b"\xc3\xa9" and tf.compat.as_text(b"a") == "a"
    assert tf.compat.as_str_any(3) == "3"
    assert tf.compat.dimension_value(tf.Dimension(4)) == 4
    with pytest.raises(TypeError, match="got 3"):
        tf.compat.as_bytes(3)


@pytest.mark.families("debug")
def test_the_paths_of_tensorflow_lead_to_the_same_modules():
    import minitf.python.client.timeline as renamed
    from minitf.python.client import device_lib
    from minitf.python.client.timeline import Timeline
    from minitf.python.framework import graph_util

    from minitf.client import device_lib as own
    from minitf.client.timeline import Timeline as OwnTimeline
    from minitf.python import debug

    assert device_lib is own and Timeline is OwnTimeline is renamed.Timeline
    assert graph_util is tf.graph_util
    assert debug.Debugger.__module__ == "minitf.contrib.debug.debugger"


def test_rooms_are_no_public_names():
    rooms = {"framework", "eager", "ops", "client", "training", "variables", "contrib"}
    assert not rooms & set(dir(tf))
    for room in rooms:
        assert not hasattr(tf, room)
