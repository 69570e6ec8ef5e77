"""What an answer tries in order to look quick, and that it is worthless.

No assertion depends on how quick the machine is: what is late is late by far, and what
must not run is looked at for as long as it takes.
"""

import os
import time

import made_up
import numpy as np
import pytest

from minitf_lab.judge import stopwatch
from minitf_lab.judge.case import Call, Case, Trial
from minitf_lab.judge.process import is_at_work
from minitf_lab.judge.sandbox import Box
from minitf_lab.judge.stopwatch import Failed, Stopwatch
from minitf_lab.results import Limits

LIMITS = Limits(20)
PATIENCE_S = 60
# What the code of an attack finds: the files of memory, and the pipe to the judge.
FIND = """
import ctypes, os, signal, stat, sys, threading, time
def memory():
    for fd in range(256):
        try:
            if 'memfd:' in os.readlink(f'/proc/self/fd/{fd}'): yield fd
        except OSError: pass
def pipes():
    for fd in range(3, 256):
        try:
            if stat.S_ISFIFO(os.fstat(fd).st_mode): yield fd
        except OSError: pass
def say(line):
    for fd in pipes():
        try: os.write(fd, line)
        except OSError: pass
"""
DRIVER = """
SEEN = [os.fstat(fd).st_size for fd in range(256) if is_memory(fd)]
KEPT = []

def seen():
    return [size for size in SEEN if size]

def doubled(x):
    return x * 2

def cached(x):
    KEPT.append(x * 2)
    return KEPT[0]

def third_is_wrong(x):
    KEPT.append(x)
    return x * 2 if len(KEPT) != 3 else x
"""
IS_MEMORY = """
def is_memory(fd):
    try:
        return "memfd:" in os.readlink(f"/proc/self/fd/{fd}")
    except OSError:
        return False
"""


@pytest.fixture
def watch(tmp_path, box):
    """A worker that does as it is told, and is timed."""
    with started(tmp_path, box) as one:
        yield one


def started(folder, box, **more):
    path = made_up.put_driver(folder)
    path.write_text(made_up.DRIVER + IS_MEMORY + DRIVER)
    cores = sorted(os.sched_getaffinity(0))[-1:]
    return Stopwatch(path, box=box, cores=cores, **more)


def case_of(function, arguments, wanted):
    def check(values):
        return None if np.array_equal(values[0], wanted) else f"it gives {values[0]}"

    trial = Trial("call", [Call(function, arguments)], check)
    return Case("call", "97.1", "It works", lambda draw: [trial]), trial


def doing(watch, code, limits=LIMITS):
    case, trial = case_of("do", {"code": FIND + code}, [])
    return watch.time(case, trial, limits)


def failure(watch, code, limits=LIMITS):
    with pytest.raises(Failed) as caught:
        doing(watch, code, limits)
    return caught.value.result


def doubling(watch, number, function="doubled"):
    x = np.random.default_rng(number).random(5000)
    return watch.time(*case_of(function, {"x": x}, x * 2), LIMITS)


def busy_until_changed(watch):
    """The processor time of a worker, once it is another than now."""
    begin, deadline = watch._count(), time.monotonic() + PATIENCE_S
    while watch._count() - begin <= stopwatch.STILL_NS:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_calls_are_made_and_checked(watch):
    for number in range(3):
        found = doubling(watch, number)
        assert 0 < found.busy <= found.seconds + 0.01  # one core


def test_nothing_is_there_before_the_first_call(watch):
    case, trial = case_of("seen", {}, [])
    watch.time(case, trial, LIMITS)


def test_a_result_of_an_earlier_call_is_wrong(watch):
    doubling(watch, 1, "cached")
    with pytest.raises(Failed) as caught:
        doubling(watch, 2, "cached")
    assert caught.value.result.verdict == "wrong_answer"


def test_each_call_is_checked(watch):
    doubling(watch, 1, "third_is_wrong")
    doubling(watch, 2, "third_is_wrong")
    with pytest.raises(Failed, match="it gives"):
        doubling(watch, 3, "third_is_wrong")


# Says that it is done, and computes afterwards.
EARLY = "say(b'done\\n')\ntime.sleep(0.5)\n"


def test_done_before_it_is_done(watch):
    try:
        # The judge was not there in half a second: then that is counted.
        assert doing(watch, EARLY).seconds >= 0.5
    except Failed as error:
        assert error.result.verdict == "protocol_error"
        assert "it says that it is done, but there is no value" in str(error)


def test_done_for_calls_to_come(watch):
    code = """
def later():
    while True:
        time.sleep(0.001)
        say(b'done\\n' * 3)
threading.Thread(target=later, daemon=True).start()
time.sleep(0.2)
"""
    with pytest.raises(Failed) as caught:
        doing(watch, code)
        for number in range(1000):  # one of them ends too early
            doubling(watch, number)
    assert caught.value.result.verdict == "protocol_error"


SPIN = """
def spin():
    while True: pass
threading.Thread(target=spin, daemon=True).start()
"""


def test_nothing_runs_between_calls(watch):
    for _ in range(3):
        doing(watch, SPIN)
        begin = watch._count()
        time.sleep(0.2)
        assert watch._count() == begin


def test_threads_share_one_core(watch):
    found = doing(watch, SPIN * 3 + "time.sleep(0.3)")
    assert found.busy <= found.seconds + 0.01


LAZY = """
class Lazy(float):
    def hex(self):
        end = time.process_time() + 0.3
        while time.process_time() < end: pass
        return float(self).hex()
reached.append(Lazy(1.0))
"""


def test_a_value_that_is_computed_as_it_is_sent(watch):
    case, trial = case_of("do", {"code": FIND + LAZY}, [1.0])
    assert watch.time(case, trial, LIMITS).busy >= 0.3


# Wakes the process by signals that the kernel sends, some of them after it was stopped.
ALARM = """
libc = ctypes.CDLL(None)
signal.signal(signal.SIGCONT, lambda *_: None)
event = (ctypes.c_int * 16)()
event[2], event[3] = signal.SIGCONT, 0
for half_seconds in (1, 2, 4, 8, 16, 32, 64):
    timer = ctypes.c_void_p()
    if libc.timer_create(1, event, ctypes.byref(timer)) == 0:
        once = (ctypes.c_long * 4)(0, 0, half_seconds // 2, half_seconds % 2 * 500000000)
        libc.timer_settime(timer, 0, once, None)
        reached.append('timer')
"""


def test_it_cannot_wake_itself(watch):
    doing(watch, SPIN + ALARM)
    begin = watch._count()
    time.sleep(0.2)
    assert watch._count() == begin


def test_it_is_seen_if_it_wakes_itself(tmp_path, box):
    """Without the filter's refusal: the second wall."""
    box = Box(box.kind, box.left_out | {"timer_create"})
    with started(tmp_path, box) as watch:
        # The timer wakes it while it is stopped, so it may never be seen to stand still.
        doing(watch, SPIN + ALARM + "reached.clear()")
        busy_until_changed(watch)
        with pytest.raises(Failed) as caught:
            doubling(watch, 1)
        assert caught.value.result.verdict == "policy"
        assert str(caught.value) == "it ran when it was to stand still"


def test_it_stays_on_its_core(watch):
    code = """
try:
    os.sched_setaffinity(0, range(os.cpu_count()))
    reached.append('affinity')
except PermissionError: pass
if len(os.sched_getaffinity(0)) > 1: reached.append('cores')
"""
    doing(watch, code)


def test_it_has_no_second_process(watch):
    code = """
for start in (os.fork, lambda: os.posix_spawn(sys.executable, ['x'], {})):
    try:
        start()
        reached.append('process')
    except OSError: pass
"""
    doing(watch, code)


def test_it_does_not_see_the_reference(tmp_path, box):
    code = """
try: names = os.listdir('/proc')
except OSError: names = []
for name in names:
    if name.isdigit() and int(name) != os.getpid():
        try: said = open(f'/proc/{name}/cmdline').read()
        except OSError: continue
        if '--timed' in said: reached.append(said)
"""
    with started(tmp_path / "a", box), started(tmp_path / "b", box) as own:
        doing(own, code)


def test_inputs_that_it_changes_are_not_what_is_checked(watch):
    code = "for fd in memory(): os.pwrite(fd, bytes(4096), 0); os.ftruncate(fd, 8)"
    doing(watch, code)
    doubling(watch, 1)


@pytest.mark.parametrize(
    ("code", "verdict"),
    [
        ("os._exit(0)", "exited"),
        ("sys.exit(0)", "raised"),
        ("os.abort()", "crashed"),
        ("raise ValueError('no')", "raised"),
        ("bytearray(3 << 30)", "memory_limit"),
        ("reached.append(len('x' * (70 << 20)) * 'x')", "output_limit"),
        ("reached.append(threading)", "raised"),
        ("os.close(0); os.close(1)", "ok exited"),
        ("[os.close(fd) for fd in [*memory()]]", "raised exited crashed ok"),
        ("[os.close(fd) for fd in [*pipes()]]", "exited crashed ok"),
    ],
)
def test_how_a_call_ends(tmp_path, box, code, verdict):
    with started(tmp_path, box) as watch:
        try:
            doing(watch, code)
            found = "ok"
        except Failed as error:
            found = error.result.verdict
    assert found in verdict.split()


def test_an_endless_call_ends(watch):
    result = failure(watch, "while True: pass", Limits(0.5))
    assert (result.verdict, result.status) == ("timeout", "timeout")
    assert "still running after 0.5 s" in result.message


def test_what_it_prints_is_told(watch):
    result = failure(watch, "print('here I am', flush=True); reached.append(1)")
    assert "here I am" in result.printed


def test_a_worker_that_ends_after_it_is_done_has_no_time(watch, monkeypatch):
    """Its processor time cannot be read any more."""
    halt = watch._halt

    def halt_in_the_end(deadline):
        while is_at_work(watch._inner):
            assert time.monotonic() < deadline
        return halt(deadline)

    monkeypatch.setattr(watch, "_halt", halt_in_the_end)
    code = """
from minitf_lab.judge import packed
outputs = [fd for fd in memory() if 'outputs' in os.readlink(f'/proc/self/fd/{fd}')][0]
packed.write(outputs, {'values': [[]]})
say(b'done\\n')
os._exit(0)
"""
    assert failure(watch, code).verdict == "exited"


def test_a_count_that_is_late_accuses_nobody(watch, monkeypatch):
    """The kernel adds what a thread has run when it leaves its processor."""
    count, halt = stopwatch.processor_ns, watch._halt
    late = {"ns": 0, "until": 0.0}

    def stopped_late(deadline):
        late["ns"] += 4_000_000
        late["until"] = time.monotonic() + 0.001
        return halt(deadline)

    def late_count(number):
        missing = 4_000_000 if time.monotonic() < late["until"] else 0
        return count(number) + late["ns"] - missing

    monkeypatch.setattr(watch, "_halt", stopped_late)
    monkeypatch.setattr(stopwatch, "processor_ns", late_count)
    for number in range(5):
        assert doubling(watch, number).busy > 0.004  # nothing of it is lost
