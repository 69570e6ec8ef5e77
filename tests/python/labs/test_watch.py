"""``./lab test NN --watch``, with a thread in place of an editor."""

import threading
import time

import pytest

from minitf_lab import project
from minitf_lab.labs import watch


@pytest.fixture
def lab(tmp_path, monkeypatch):
    monkeypatch.setattr(project, "ROOT", tmp_path)
    lab = project.Lab("98_watched", "", ["a.cc"], 1, [], [])
    lab.work.mkdir(parents=True)
    (lab.work / "a.cc").write_text("int a;")
    return lab


def watched(lab, *actions):
    """How often the tests run when each run is followed by an action, and then Ctrl-C."""
    runs = []
    waiting = list(actions)

    def run():
        runs.append(len(runs))
        if len(runs) > len(actions):
            raise KeyboardInterrupt
        action = waiting.pop(0)
        if getattr(action, "at_once", False):
            action()
        else:
            threading.Timer(0.5, action).start()
        return len(runs)

    return watch.repeat(lab, run), len(runs)


def test_what_is_saved_is_tested_again(lab):
    path = lab.work / "a.cc"

    def same_size():
        path.write_text("int b;")

    def other_file():
        (lab.work / "b.h").write_text("")

    def replaced():
        new = lab.work / "new"
        new.write_text("int c;")
        path.unlink()
        new.rename(path)

    def in_steps():
        path.write_text("")
        time.sleep(0.05)
        path.write_text("int d;")

    actions = (same_size, other_file, replaced, in_steps)
    assert watched(lab, *actions) == (len(actions), len(actions) + 1)


def test_what_is_saved_during_the_tests_counts(lab):
    def save():
        (lab.work / "a.cc").write_text("int long_name;")

    save.at_once = True
    assert watched(lab, save) == (1, 2)


def test_it_waits_for_a_change(lab):
    start = time.monotonic()
    assert watched(lab, lambda: (lab.work / "a.cc").write_text("int ab;")) == (1, 2)
    assert time.monotonic() - start > 0.4


def test_an_error_is_told_and_the_next_version_tested(lab, capsys):
    errors = [project.BuildError("a.cc:1:1: error: nonsense")]

    def run():
        if not errors:
            raise KeyboardInterrupt
        threading.Timer(0.4, lambda: (lab.work / "a.cc").write_text("int x;")).start()
        raise errors.pop()

    assert watch.repeat(lab, run) == 1
    assert "nonsense" in capsys.readouterr().out


def test_there_must_be_something_to_watch(tmp_path, monkeypatch):
    monkeypatch.setattr(project, "ROOT", tmp_path)
    lab = project.Lab("98_watched", "", ["a.cc"], 1, [], [])
    with pytest.raises(project.LabError, match="run ./lab start 98"):
        watch.repeat(lab, lambda: 0)
