"""Paths of minitf and of a program, and numbers of versions."""

import os
from pathlib import Path

import pytest

import minitf as tf
from minitf.contrib.app import build

HERE = os.path.dirname(os.path.abspath(__file__))


def test_the_version_is_that_of_the_api():
    assert tf.VERSION == tf.__version__ == tf.version.VERSION == "1.15.0"
    assert tf.GIT_VERSION == tf.version.GIT_VERSION == "v1.15.0-minitf-0.1.0"
    assert tf.COMPILER_VERSION.split(".")[0].isdigit()
    assert (tf.CXX11_ABI_FLAG, tf.MONOLITHIC_BUILD) == (1, 0)
    assert tf.version.GRAPH_DEF_VERSION == tf.GRAPH_DEF_VERSION


def test_the_version_of_minitf_is_that_of_the_package():
    text = (Path(__file__).parents[3] / "pyproject.toml").read_text()
    assert f'\nversion = "{tf.GIT_VERSION.rpartition("-")[2]}"\n' in text


def test_paths_of_the_file_that_calls():
    assert tf.resource_loader.get_data_files_path() == HERE
    assert tf.resource_loader.get_path_to_datafile("a/b") == os.path.join(HERE, "a/b")
    assert tf.resource_loader.get_root_dir_with_all_resources() == HERE
    assert tf.resource_loader.readahead_file_path("p", readahead="1M") == "p"


def test_the_root_of_a_program_of_bazel():
    code = "import minitf as tf\nx = tf.resource_loader.get_root_dir_with_all_resources()"
    space = {}
    exec(compile(code, "/b/main.runfiles/repository/a/c.py", "exec"), space)
    assert space["x"] == "/b/main.runfiles/repository"


def test_a_resource_is_a_file_below_minitf():
    assert tf.resource_loader.load_resource("compat.py").startswith(b'"""``tf.compat``')
    with pytest.raises(FileNotFoundError, match=r"nothing\.txt"):
        tf.resource_loader.load_resource("nothing.txt")


def test_flags_for_the_compiler():
    include = tf.sysconfig.get_include()
    assert os.path.exists(os.path.join(include, "minitf", "framework", "op.h"))
    assert tf.sysconfig.get_compile_flags() == [
        f"-I{include}",
        "-D_GLIBCXX_USE_CXX11_ABI=1",
        "-std=c++20",
    ]
    assert tf.sysconfig.get_link_flags() == [
        f"-L{tf.sysconfig.get_lib()}",
        "-l:libminitf.so",
    ]
    assert os.path.exists(os.path.join(tf.sysconfig.get_lib(), "libminitf.so"))


def test_headers_that_are_not_there(monkeypatch, tmp_path):
    monkeypatch.setattr(build, "__file__", str(tmp_path / "a.py"))
    with pytest.raises(tf.errors.NotFoundError, match=r"without its C\+\+ headers"):
        tf.sysconfig.get_include()
