"""The core without families: it imports, trains, and says what is missing."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import minitf as tf
from minitf import families, public_names

PACKAGE = Path(tf.__file__).parent

PROGRAM = """
import minitf as tf
from minitf import families

def answer(make):
    try:
        return make()
    except (AttributeError, ValueError) as error:
        return str(error)

assert families.present == {present}
print(answer(lambda: tf.image))
print(answer(lambda: tf.train.summary_iterator))
sparse = tf.SparseTensor([[0]], [1.0], [1])
print(answer(lambda: tf.train.batch([sparse], 2)))

x = tf.get_variable("x", [], initializer=tf.ones_initializer())
step = tf.train.GradientDescentOptimizer(0.25).minimize(x * x)
number = tf.train.batch([tf.train.range_input_producer(4, shuffle=False).dequeue()], 4)
assert tf.get_collection(tf.GraphKeys.SUMMARIES) == []
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    threads = tf.train.start_queue_runners(session, coord := tf.train.Coordinator())
    session.run(step)
    print(session.run(x), session.run(number))
    coord.request_stop()
"""


def run_with(folder, present):
    """What the program prints, with a package that has just these families."""
    package = folder / "minitf"
    contrib = package / "contrib"
    contrib.mkdir(parents=True)
    for path in PACKAGE.iterdir():
        if path.name != "contrib":
            (package / path.name).symlink_to(path)
    for name in ("__init__.py", *present):
        (contrib / name).symlink_to(PACKAGE / "contrib" / name)
    places = [str(folder), *(place for place in sys.path if place)]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(present=present)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(places)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_core_alone(tmp_path):
    image, iterator, batch, trained = run_with(tmp_path, [])
    assert image == (
        "module 'minitf' has no attribute 'image': it belongs to the family 'image', "
        "which is not here"
    )
    assert iterator == "module 'minitf.train' has no attribute 'summary_iterator'"
    assert "need the family 'sparse', which is not here" in batch
    assert trained == "0.5 [0 1 2 3]"


@pytest.mark.families("image")
def test_the_core_with_one_family(tmp_path):
    image, *_, trained = run_with(tmp_path, ["image"])
    assert image == "<module 'minitf.image'>"
    assert trained == "0.5 [0 1 2 3]"


def test_a_library_without_the_ops_of_a_family(monkeypatch):
    library = SimpleNamespace(built_families=lambda: ["image"])
    monkeypatch.setattr(families, "_minitf", library)
    assert families._is_built("image", has_ops=True)
    assert not families._is_built("sparse", has_ops=True)
    assert families._is_built("legacy", has_ops=False)


def test_a_name_of_a_family_without_ops_says_whose_it_is(monkeypatch):
    monkeypatch.setattr(public_names, "_withheld", {})
    public_names.withhold("nn", "embedding: lookup_of_many", "sparse")
    text = r"'minitf.nn' has no attribute 'lookup_of_many': .* family 'sparse'"
    with pytest.raises(AttributeError, match=text):
        tf.nn.lookup_of_many  # noqa: B018


def test_each_folder_is_in_the_list():
    folders = {path.parent.name for path in PACKAGE.glob("contrib/*/__init__.py")}
    assert folders <= set(families.FAMILIES)
    assert set(families.present) <= folders
