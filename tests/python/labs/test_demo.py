"""The demo's parts: both modes train alike, pictures are drawn, a stop leaves no mess."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import minitf as tf
from minitf import data
from minitf_lab import project
from minitf_lab.dev.demo import demo, drawing
from minitf_lab.dev.demo.history import History
from minitf_lab.dev.demo.train import confusion_matrix

STEPS = 20


def train(folder, mode, *options, steps=STEPS):
    folder.mkdir(exist_ok=True)
    subprocess.run(
        [
            *(sys.executable, "-m", "minitf_lab.dev.demo.train", mode),
            *("--steps", str(steps), "--folder", str(folder), *options),
        ],
        check=True,
    )
    return History(**json.loads((folder / f"{mode}.json").read_text()))


def test_static_and_eager_losses_agree_without_dropout(tmp_path):
    static = train(tmp_path, "static", "--dropout", "0")
    eager = train(tmp_path, "eager", "--dropout", "0")
    assert len(static.losses) == STEPS
    np.testing.assert_allclose(static.losses, eager.losses, rtol=0, atol=1e-4)
    assert static.losses[-1] < static.losses[0] / 2
    page = (tmp_path / "graph.html").read_text()
    assert "<title>The graph</title>" in page
    drawn = re.findall(r">▸ (.*?)</text>", page)
    assert {"conv1", "conv2", "fc1", "fc2", "gradients", "optimizer"} <= set(drawn)


def test_the_frozen_graph_recognises_as_the_session_does(tmp_path):
    """It has the trained weights, and needs nothing but images."""
    history = train(tmp_path, "static", "--epochs", "1", steps=80)
    graph_def = tf.GraphDef.FromString((tmp_path / "frozen/frozen.pb").read_bytes())
    assert not {node.op for node in graph_def.node} & {"VarHandleOp", "ReadVariableOp"}
    _, _, images, labels = data.mnist_5k()
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        digits = session.run("digits:0", {"images:0": images[..., None]})
    assert confusion_matrix(labels, digits).tolist() == history.confusion
    assert graph.get_tensor_by_name("digits:0").shape.as_list() == [None]
    for digit in range(10):
        head, pixels = (tmp_path / f"frozen/{digit}.pgm").read_bytes().split(b"255\n", 1)
        assert head == b"P5\n28 28\n"
        first = images[labels == digit][0]
        shown = np.frombuffer(pixels, np.uint8).reshape(28, 28) / 255
        np.testing.assert_allclose(shown, first, atol=1 / 510)


@pytest.mark.parametrize("mode", ["static", "eager"])
def test_the_same_seed_gives_the_same_result(tmp_path, mode):
    first = train(tmp_path / "first", mode, steps=5)
    second = train(tmp_path / "second", mode, steps=5)
    assert first.losses == second.losses


def make_history(mode):
    labels = np.arange(20) % 10
    confusion = confusion_matrix(labels, labels[::-1]).tolist()
    return History(mode, [2.3, 1.1], [0.5, 0.9], confusion, 100, 7)


def test_the_page_shows_the_pictures(tmp_path):
    histories = [make_history("static"), make_history("eager")]
    drawing.draw_curves(histories, tmp_path / "curves.png")
    drawing.draw_confusion(histories, tmp_path / "confusion.png")
    row = {"version": "starter", "points": 0, "of": 45, "missing": 43, "wrong": 0}
    demo.write_page(tmp_path, histories, [row])
    page = (tmp_path / "index.html").read_text()
    assert "90.0 %" in page
    assert "0 of 45" in page
    assert '<iframe src="graph.html"' in page
    for name in ("curves.png", "confusion.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
        assert name in page


def test_a_run_that_stops_leaves_the_last_result(tmp_path):
    target = tmp_path / "demo"
    with demo.result_folder(target) as folder:
        (folder / "index.html").write_text("first")
    with pytest.raises(KeyboardInterrupt), demo.result_folder(target) as folder:
        (folder / "index.html").write_text("second")
        raise KeyboardInterrupt
    assert [path.name for path in tmp_path.iterdir()] == ["demo"]
    assert (target / "index.html").read_text() == "first"


def test_a_folder_of_somebody_else_is_not_replaced(tmp_path):
    (tmp_path / "thesis.txt").write_text("dear")
    with pytest.raises(project.LabError, match="is no result of"):
        demo.check_target(tmp_path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    place = tmp_path / "file"
    place.write_text("")
    with (
        pytest.raises(project.LabError, match=r"cannot write to .*--out"),
        demo.result_folder(place / "demo"),
    ):
        pass
    assert os.listdir(tmp_path) == ["file"]
