"""The lock of the machine: who times something is alone."""

import fcntl
import multiprocessing
import os
import signal

import pytest

from minitf_lab import project
from minitf_lab.judge import quiet


def test_who_times_is_alone(tmp_path):
    path = tmp_path / "lock"
    with quiet.at_work(path), quiet.at_work(path):
        pass
    with quiet.alone(path):
        for other in (quiet.alone, quiet.at_work):
            done = _in_other_process(other, path)
            assert (
                done
                == f"{path}: another process has held this lock for 0.1 s, so "
                + ("nothing can be timed")
            )
    for other in (quiet.alone, quiet.at_work):
        assert _in_other_process(other, path) == ""
    with quiet.at_work(path):
        assert _in_other_process(quiet.at_work, path) == ""
        assert _in_other_process(quiet.alone, path) != ""
        with quiet.alone(path):
            assert _in_other_process(quiet.at_work, path) != ""
        assert _in_other_process(quiet.at_work, path) == ""
        assert _in_other_process(quiet.alone, path) != ""


def _try(lock, path, out):
    quiet._held.clear()  # that of the parent
    try:
        with lock(path, limit_s=0.1):
            out.send("")
    except project.LabError as error:
        out.send(str(error))


def _in_other_process(lock, path):
    """What the lock says to another process; nothing if it gets it."""
    context = multiprocessing.get_context("fork")
    result, out = context.Pipe(duplex=False)
    child = context.Process(target=_try, args=(lock, path, out))
    child.start()
    out.close()  # so that the end of the child ends the wait
    said = result.recv()
    child.join()
    return said


@pytest.mark.parametrize("kind", ["link", "fifo", "folder"])
def test_a_lock_that_is_something_else(tmp_path, kind):
    path = tmp_path / "lock"
    make = {
        "link": lambda: path.symlink_to(tmp_path / "other"),
        "fifo": lambda: os.mkfifo(path),
        "folder": lambda: path.mkdir(),
    }
    make[kind]()
    with (
        pytest.raises(project.LabError, match="no lock for what is timed"),
        quiet.alone(path),
    ):
        pass


def test_a_process_that_is_killed_leaves_no_lock(tmp_path):
    path = tmp_path / "lock"
    child = os.fork()
    if child == 0:
        with quiet.alone(path):
            os.kill(os.getpid(), 9)
    os.waitpid(child, 0)
    with (
        quiet.alone(path, limit_s=0.1),
        path.open() as file,
        pytest.raises(BlockingIOError),
    ):
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)


@pytest.mark.parametrize("kind", ["alone", "at_work"])
def test_a_process_that_hangs_loses_the_lock(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(quiet, "HOLD_S", 0.3)
    path = tmp_path / "lock"
    child = os.fork()
    if child == 0:
        status = 1
        try:
            with getattr(quiet, kind)(path):
                os.kill(os.getpid(), signal.SIGSTOP)  # no thread of it runs, as in a hang
            status = 0
        except project.LabError:
            status = 2
        finally:
            os._exit(status)
    assert os.WIFSTOPPED(os.waitpid(child, os.WUNTRACED)[1])
    monkeypatch.setattr(quiet, "HOLD_S", 60)
    with quiet.alone(path, limit_s=60):
        pass
    os.kill(child, signal.SIGCONT)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status == {"alone": 2, "at_work": 0}[kind]


def test_two_at_work_time_one_after_the_other(tmp_path):
    """Neither waits for what the other holds."""
    path, marks = tmp_path / "lock", tmp_path / "marks"
    context = multiprocessing.get_context("fork")
    both = context.Barrier(2)

    def work():
        with quiet.at_work(path):
            both.wait(60)
            with quiet.alone(path, limit_s=60), marks.open("a") as file:
                for _ in range(50):
                    file.write(f"{os.getpid()}\n")
                    file.flush()

    children = [context.Process(target=work) for _ in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0, 0]
    names = marks.read_text().split()
    assert len(names) == 100
    assert len({*names[:50]}) == len({*names[50:]}) == 1
