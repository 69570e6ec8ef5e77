"""Work that several processes share."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from minitf_lab import processes, project
from minitf_lab.judge import process


@pytest.fixture(params=[1, 2, 5])
def cores(request, monkeypatch):
    monkeypatch.setattr(project, "num_cores", lambda: request.param)
    return request.param


def squares(numbers):
    for number in numbers:
        yield number**2


@pytest.mark.parametrize("num_items", [0, 1, 2, 3, 40])
def test_every_item_is_done_once(cores, num_items):
    found = processes.shared_out(squares, num_items)
    assert sorted(found) == [number**2 for number in range(num_items)]


def test_each_process_works_for_itself(cores):
    def who(numbers):
        yield os.getpid()
        for _ in numbers:
            time.sleep(0.01)

    found = processes.shared_out(who, 10)
    assert len(set(found)) == len(found) == cores
    assert (os.getpid() in found) == (cores == 1)


def test_who_is_free_takes_the_next(cores):
    def slow_first(numbers):
        for number in numbers:
            time.sleep(0.5 if number == 0 else 0.001)
            yield os.getpid(), number

    found = processes.shared_out(slow_first, 20)
    slow = next(who for who, number in found if number == 0)
    assert sum(who == slow for who, _ in found) < (21 if cores == 1 else 10)


def test_a_process_is_started_for_enough_items_alone(cores):
    def who(numbers):
        yield from ((os.getpid(), number) for number in [*numbers, "none"])

    for num_items in (0, 3, 7, 8, 40):
        found = processes.shared_out(who, num_items, at_least=4)
        assert sorted(n for _, n in found if n != "none") == [*range(num_items)]
        assert len({pid for pid, _ in found}) == max(1, min(cores, num_items // 4))


def test_what_is_shared_out_again_stays_in_its_process(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})

    def inner(numbers):
        for _ in numbers:
            yield os.getpid(), project.num_cores()

    def outer(numbers):
        for _ in numbers:
            yield os.getpid(), processes.shared_out(inner, 6)

    for num_items, cores_of_each in ((2, 2), (4, 1), (9, 1)):
        for pid, found in processes.shared_out(outer, num_items):
            assert len(found) == 6
            assert {cores for _, cores in found} == {1}
            assert ({who for who, _ in found} == {pid}) == (cores_of_each == 1)
    assert project.num_cores() == 4


class OddError(Exception):
    """One that cannot be made anew from its text alone."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (project.LabError("no driver"), project.LabError),
        (project.BuildError("shown", "said"), project.BuildError),
        (OddError("this", "that"), Exception),
        (KeyboardInterrupt("stop"), KeyboardInterrupt),
    ],
)
def test_an_error_comes_through_and_ends_all(cores, error, kind):
    def fails(numbers):
        for number in numbers:
            if number == 3:
                raise error
            yield number
            time.sleep(0.01)

    start = time.monotonic()
    with pytest.raises(kind, match=str(error)):
        processes.shared_out(fails, 2000)
    assert time.monotonic() - start < 15


def test_a_process_that_ends_by_itself_is_an_error(monkeypatch):
    monkeypatch.setattr(project, "num_cores", lambda: 2)

    def dies(numbers):
        for number in numbers:
            if number == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            yield number

    with pytest.raises(project.LabError, match="ended by itself"):
        processes.shared_out(dies, 2)


def test_nothing_is_left_behind(monkeypatch):
    monkeypatch.setattr(project, "num_cores", lambda: 3)
    processes.shared_out(squares, 10)  # what the library opens once stays open
    gc.collect()  # what earlier tests left would be closed in between
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        processes.shared_out(squares, 10)
    assert len(os.listdir("/proc/self/fd")) == before
    assert multiprocessing.active_children() == []


EXIT = 60 if os.uname().machine == "x86_64" else 93  # the call that ends a thread
LEADER_ENDS = """
import ctypes, threading, time
threading.Thread(target=time.sleep, args=[600]).start()
ctypes.CDLL(None).syscall(ctypes.c_long({exit}), ctypes.c_long(0))
"""


@pytest.mark.parametrize(
    ("code", "state", "is_at_work"),
    [
        ("import time; time.sleep(600)", "S", True),
        ("pass", "Z", False),  # nobody waits for it
        (LEADER_ENDS.format(exit=EXIT), "Z", True),
    ],
)
def test_what_has_ended_is_not_at_work(code, state, is_at_work):
    with subprocess.Popen([sys.executable, "-c", code]) as started:
        stat = Path(f"/proc/{started.pid}/stat")
        while stat.read_text().rpartition(")")[2].split()[0] != state:
            time.sleep(0.01)
        assert process.is_at_work(started.pid) == is_at_work
        started.kill()
    assert not process.is_at_work(started.pid)
