"""Runs of one lab at the same time: they take turns, and whoever waits is told."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from minitf_lab import __main__ as commands
from minitf_lab import locks, project
from minitf_lab.labs import builds


@pytest.fixture
def top(tmp_path, monkeypatch):
    monkeypatch.setattr(project, "ROOT", tmp_path)
    return tmp_path


def test_two_runs_of_a_lab_take_turns(top, monkeypatch, capsys):
    lab = project.Lab("96_made_up", "Made up", ["a.cc"])
    monkeypatch.setattr(commands, "_chosen", lambda text: (lab, ""))
    monkeypatch.setattr(project, "lab_at", lambda place: lab)
    events = []

    def run(*_args):
        events.append("begin")
        time.sleep(0.3)
        events.append("end")
        return 0

    monkeypatch.setattr(commands, "_test_lab", run)
    monkeypatch.setattr(commands, "_grade_lab", run)
    test, grade = commands.parse(["test", "96"]), commands.parse(["grade", "96"])
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda args: args.run(args), [test, grade, test, test]))
    assert done == [0] * 4
    assert events == ["begin", "end"] * 4
    assert capsys.readouterr().err == "waiting for another run of lab 96\n" * 3


def test_versions_do_not_wait_for_each_other(top, capsys):
    lab = project.Lab("96_made_up", "Made up", ["a.cc"])
    with builds.alone(lab, "work"), builds.alone(lab, "starter"):
        pass
    assert capsys.readouterr().err == ""


def test_a_lock_goes_with_its_process(top, capsys):
    code = "import pathlib, sys, time\nfrom minitf_lab import locks, project\n"
    code += f"project.ROOT = pathlib.Path({str(top)!r})\n"
    code += "with locks.alone('a', 'it'):\n  print('held', flush=True); time.sleep(60)"
    path = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, env=path
    )
    assert process.stdout.readline() == b"held\n"
    process.kill()
    process.wait()
    process.stdout.close()
    with locks.alone("a", "it"):
        assert capsys.readouterr().err == ""


def test_where_nothing_can_be_written_the_place_is_named(top):
    (top / ".lab").write_text("a file, where a folder belongs")
    with pytest.raises(project.LabError, match=r"\.lab/a\.lock: "), locks.alone("a", ""):
        pass
