"""The worker on a made-up lab: what crashes, hangs or cheats costs its own case only."""

import os
import re
import signal
import subprocess
import time

import numpy as np
import pytest

from minitf_lab import project, results
from minitf_lab.judge import case as judge_case
from minitf_lab.judge import guard
from minitf_lab.judge.case import Call, Case, Ref, Trial, close_to
from minitf_lab.judge.runner import Worker, WorkerError, run_here

DRIVER = '''"""Functions that do as they are told."""

import ctypes, os, signal, sys, threading, time
import numpy as np


def double(x):
    return [2 * np.asarray(x)]

def give(value):
    return value

def raise_error(message):
    raise ValueError(message)

def do(code):
    exec(code, globals())
    return [np.float64(1)]
'''
LIMITS = results.Limits(seconds=3, memory_mb=600)


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    path = tmp_path_factory.mktemp("labs") / "97_worker" / "driver.py"
    path.parent.mkdir()
    path.write_text(DRIVER)
    return path


@pytest.fixture(scope="module")
def worker(driver):
    with Worker(driver) as worker:
        yield worker


def double(x):
    x = np.asarray(x)
    call = Call("double", {"x": x})
    return Trial(f"double {x}", [call], close_to([2 * x]))


def make_case(*trials, name="one"):
    return Case(name, "97.1", "It works", lambda draw: trials)


GOOD = make_case(double(1.0), double([2, 3]), name="good")


def running(code, seconds=LIMITS.seconds):
    """A case whose second trial runs ``code``, and its limits."""
    odd = Trial("odd", [Call("do", {"code": code})], close_to([np.float64(1)]))
    return make_case(double(0.5), odd, double(1.5)), results.Limits(seconds, 600)


def run(worker, code, seconds=LIMITS.seconds):
    """What became of the case; the next one must pass."""
    result = worker.run(*running(code, seconds))
    following = worker.run(GOOD, LIMITS)
    assert following.passed, following
    return result


WELL = "it ended the process before the case was over"


@pytest.mark.parametrize(
    ("code", "status", "sentence"),
    [
        ("os.abort()", "crashed", "SIGABRT: it called std::abort"),
        ("ctypes.string_at(0)", "crashed", "SIGSEGV: it used memory that is not"),
        ("os.kill(os.getpid(), signal.SIGFPE)", "crashed", "SIGFPE: it divided"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "crashed", "SIGKILL: it was killed"),
        ("os._exit(0)", "left", WELL),
        ("os._exit(3)", "left", WELL),
        ("sys.exit(0)", "failed", "it raised SystemExit: 0"),
        ("raise KeyboardInterrupt", "failed", "it raised KeyboardInterrupt: "),
        ("raise GeneratorExit('odd')", "failed", "it raised GeneratorExit: odd"),
        ("assert 2 < 1, 'no'", "failed", "it raised AssertionError: no"),
        ("def f(): f()\nf()", "failed", "it raised RecursionError: maximum recursion"),
        ("b = bytearray(10 << 30)", "failed", "it raised MemoryError: "),
        ("np.ones(10 << 27)", "failed", "Unable to allocate 10.0 GiB"),
        ("raise ValueError('task 97.1 is not written yet')", "not written", "task 97.1"),
    ],
)
def test_a_bad_case_costs_only_itself(worker, code, status, sentence):
    result = run(worker, code)
    assert (result.status, sentence in result.message) == (status, True), result
    assert result.details["case"] == "odd"
    assert result.details["claim"] == "It works"


@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "time.sleep(60)",
        "lock = threading.Lock(); lock.acquire(); lock.acquire()",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass",
        "t = threading.Thread(target=time.sleep, args=(60,)); t.start(); t.join()",
    ],
)
def test_a_case_without_end_is_stopped(worker, code):
    start = time.monotonic()
    result = run(worker, code, seconds=0.7)
    assert result.status == "timeout"
    # A case that gets less of the processor than it asks for has longer.
    said = re.match(r"still running after (\d\.\d) s: an endless loop", result.message)
    assert said and float(said[1]) >= 0.7
    assert result.details["case"] == "odd"
    assert time.monotonic() - start < 8


def test_a_thread_that_never_ends_does_not_hold_up_its_case(worker):
    code = "threading.Thread(target=threading.Event().wait).start()"
    assert run(worker, code).passed


def is_alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{process}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize("how", ["", "signal.signal(signal.SIGHUP, signal.SIG_IGN); "])
def test_a_process_that_a_case_leaves_is_ended(worker, tmp_path, how):
    file = tmp_path / "child"
    code = (
        "if (child := os.fork()) == 0:\n"
        f"    {how}time.sleep(60)\n"
        f"open({str(file)!r}, 'w').write(str(child))"
    )
    assert run(worker, code).passed
    child = int(file.read_text())
    for _ in range(50):
        if not is_alive(child):
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        raise AssertionError("it still runs")


def test_a_fork_that_goes_on_as_the_case_is_no_second_answer(worker):
    """Both processes answer: the case has more answers than trials, the next its own."""
    result = worker.run(*running("os.fork()"))
    assert result.status in {"passed", "failed"}
    following = [worker.run(GOOD, LIMITS) for _ in range(3)]
    assert [one.status for one in following] == ["passed"] * 3


# ---- What is printed -----------------------------------------------------------------


def test_a_case_may_print_a_megabyte(worker):
    assert run(worker, "print('x' * (1 << 20))").passed


def test_the_end_of_what_a_wrong_case_prints_is_kept(worker):
    code = "for i in range(100): print('line', i)\nsys.stdout.flush(); os._exit(0)"
    lines = run(worker, code).printed.split("\n")
    assert lines[0] == "..."
    assert lines[-1] == "line 99"
    assert len(lines) == 1 + results.MAX_PRINTED


def test_a_case_that_prints_without_end_is_stopped(worker):
    code = "signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
    code += "while True: os.write(1, b'more and more\\n' * 10000)"
    result = run(worker, code, seconds=20)
    assert (result.status, result.message) == ("crashed", "SIGXFSZ: it printed too much")
    result = run(worker, "while True: print('more and more' * 10000)", seconds=20)
    assert result.status == "failed"
    assert "it raised OSError: [Errno 27] File too large" in result.message


@pytest.mark.parametrize("end", ["raise ValueError('no')", "os._exit(0)", "os.abort()"])
def test_what_a_wrong_answer_prints_in_c_is_kept_too(worker, end):
    code = f"c = ctypes.CDLL(None)\nc.puts(b'from C')\nc.fflush(None)\n{end}"
    assert "from C" in run(worker, code).printed
    result = run(worker, "ctypes.CDLL(None).puts(b'from C'); raise ValueError('no')")
    assert "from C" in result.printed


def test_what_a_terminal_would_obey_is_not_kept(worker):
    code = (
        "print('a\\x1b[2J\\x1b]0;title\\x07\\rb\\x9b1m'); raise ValueError('\\x1b[2Jno')"
    )
    result = run(worker, code)
    assert result.printed == "a?[2J?]0;title??b?1m"


def test_an_error_does_not_talk_to_the_terminal(worker):
    message = run(worker, "raise ValueError('\\x1b[2Jno')").message
    assert "\x1b" not in message, message


def test_what_one_case_prints_is_not_shown_with_another(worker):
    run(worker, "print('mine'); sys.stdout.flush(); os._exit(0)")
    assert run(worker, "os._exit(0)").printed == ""


# ---- Answers -------------------------------------------------------------------------


FIND_PIPE = """
import stat
for fd in range(3, 64):
    try:
        if stat.S_ISFIFO(os.fstat(fd).st_mode): os.write(fd, LINES)
    except OSError:
        pass
"""


MESSAGES = [
    b'{"values": [1]}\n',
    b'{"done": true}\n',
    b'{"ended": 0}\n',
    b'{"ended": "x"}\n',
    b'{"ended": -99}\n',
    b'{"started": "x"}\n',
    b'{"raised": 1}\n',
]


@pytest.mark.parametrize(
    "lines",
    [
        *MESSAGES,
        b"noise\n",
        b"{\n",
        b"\xff\xfe\n",
        b'{"raised": {"$raised": [1]}}\n',
        b'{"values": [{"$array": ["float64", [1e9], ""]}]}\n',
        b"[" * 100_000 + b"\n",
        b"9" * 10_000 + b"\n",
        b"no end of line",
    ],
)
def test_lines_in_the_pipe_cost_only_their_case(driver, lines):
    with Worker(driver) as worker:
        result = worker.run(*running(FIND_PIPE.replace("LINES", repr(lines)), seconds=2))
        following = [worker.run(GOOD, LIMITS) for _ in range(2)]
    # A message without the token of the case is ignored; what is none ends the case.
    assert result.passed == (lines in MESSAGES)
    assert [one.status for one in following] == ["passed", "passed"], following


def test_no_process_is_ended_because_a_case_names_it(worker):
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as other:
        for line in (f'{{"started": {other.pid}}}\n', f'{{"started": "{other.pid}"}}\n'):
            run(worker, FIND_PIPE.replace("LINES", repr(line.encode())), seconds=2)
        assert other.poll() is None
        other.kill()


def test_an_answer_without_end_is_refused(worker):
    code = FIND_PIPE.replace("os.write(fd, LINES)", "endless(fd)")
    code = "def endless(fd):\n    while True: os.write(fd, b'x' * 65536)\n" + code
    result = run(worker, code, seconds=20)
    assert not result.passed


@pytest.mark.parametrize(
    ("made", "name"),
    [("object()", "object"), ("{1}", "set"), ("double", "function")],
)
def test_what_cannot_be_sent_is_named(worker, made, name):
    call = Call("do", {"code": f"def give(value): return {made}"})
    odd = Trial("odd", [call, Call("give", {"value": 1})], lambda values: None)
    result = worker.run(make_case(odd, double(1)), LIMITS)
    assert result.status == "failed"
    assert result.message.startswith(f"it raised TypeError: a {name} cannot be sent")
    assert worker.run(GOOD, LIMITS).passed


def test_a_value_whose_text_raises_costs_only_its_case(worker):
    code = """
class Odd:
    def __repr__(self): raise OSError("no text")
def give(value): return Odd()
"""
    call = Call("do", {"code": code})
    odd = Trial("odd", [call, Call("give", {"value": 1})], lambda values: None)
    result = worker.run(make_case(odd), LIMITS)
    assert not result.passed
    assert worker.run(GOOD, LIMITS).passed


def test_an_error_whose_text_raises_costs_only_its_case(worker):
    code = """
class Odd(Exception):
    def __str__(self): raise OSError("no text")
raise Odd
"""
    assert not run(worker, code).passed


def test_a_value_that_is_no_list_is_wrong(worker):
    for value in (3, None, "text", [], {"a": 1}):
        trial = Trial("odd", [Call("give", {"value": value})], close_to([np.ones(1)]))
        result = worker.run(make_case(trial), LIMITS)
        assert result.status == "failed"
        assert result.message.startswith("there are ")


def test_a_check_that_fails_itself_is_a_wrong_value(worker):
    trial = Trial(
        "t", [Call("give", {"value": 3})], lambda values: values[0]["gradients"]
    )
    result = worker.run(make_case(trial), LIMITS)
    assert result.status == "failed"
    assert result.message.startswith("the value is none that can be checked: 'int' ob")


# ---- Scripts -------------------------------------------------------------------------


def test_calls_use_the_values_of_earlier_ones(worker):
    script = [
        Call("give", {"value": (1, 2)}, name="pair"),
        Call("give", {"value": {"inside": [Ref("pair"), Ref("pair")]}}),
        Call("give", {"value": Ref("pair")}),
    ]
    seen = []
    trial = Trial("refs", script, seen.append)
    assert worker.run(make_case(trial), LIMITS).passed
    assert seen == [[{"inside": [(1, 2), (1, 2)]}, (1, 2)]]


def test_an_error_is_a_value_where_it_may_be(worker):
    script = [
        Call("raise_error", {"message": "no"}, may_raise=True),
        Call("give", {"value": 1}),
    ]
    seen = []
    assert worker.run(make_case(Trial("errors", script, seen.append)), LIMITS).passed
    [[raised, one]] = seen
    assert (raised.type, raised.message, one) == ("ValueError", "no", 1)
    missing = Call(
        "raise_error", {"message": "task 97.1 is not written yet"}, may_raise=True
    )
    result = worker.run(make_case(Trial("t", [missing], seen.append)), LIMITS)
    assert (result.status, result.message) == (
        "not written",
        "task 97.1 is not written yet",
    )


def test_the_first_wrong_trial_is_shown(worker):
    wrong = [
        Trial(f"wrong {i}", [Call("double", {"x": i})], close_to([np.asarray(5)]))
        for i in (1, 2)
    ]
    result = worker.run(make_case(double(1), *wrong), LIMITS)
    assert result.details == {
        "claim": "It works",
        "case": "wrong 1",
        "index": "[]",
        "expected": "5",
        "got": "2",
        "differ": "1 of 1",
        "max_abs": "3",
        "max_rel": "0.6",
    }


def test_no_case_sees_what_another_left(worker):
    leave = "global left; left = 1; os.environ['LEFT'] = '1'; np.LEFT = 1"
    assert run(worker, leave).passed
    look = "assert 'left' not in globals() and 'LEFT' not in os.environ\n"
    assert run(worker, look + "assert not hasattr(np, 'LEFT')").passed


def test_a_case_says_the_same_in_this_process(worker, driver):
    module = judge_case.load_module(driver)
    wrong = Trial("wrong", [Call("double", {"x": 1})], close_to([np.asarray(5)]))
    bad = Trial("bad", [Call("raise_error", {"message": "no"})], close_to([]))
    for one in (GOOD, make_case(wrong), make_case(bad)):
        assert run_here(module, one) == worker.run(one, LIMITS)


# ---- The worker itself ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("import os; os.abort()", "SIGABRT: it called std::abort"),
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("a = 1 / 0", "ZeroDivisionError: division by zero"),
        ("a = (", "SyntaxError: '(' was never closed"),
        ("raise ValueError('task 97.2 is not written yet')", "task 97.2 is not written"),
    ],
)
def test_a_worker_that_does_not_start_is_explained(tmp_path, text, sentence):
    path = tmp_path / "98_broken" / "driver.py"
    path.parent.mkdir()
    path.write_text(text)
    with (
        pytest.raises(WorkerError, match="the tests do not start:") as raised,
        Worker(path),
    ):
        pass
    assert sentence in str(raised.value)


def test_a_worker_that_hangs_while_it_is_loaded_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr("minitf_lab.judge.runner.START_LIMIT_S", 1.0)
    path = tmp_path / "98_hanging" / "driver.py"
    path.parent.mkdir()
    path.write_text("while True: pass\n")
    with pytest.raises(WorkerError, match="it is still being loaded"), Worker(path):
        pass


def test_nothing_stays_behind(driver):
    with Worker(driver) as worker:
        assert worker.run(GOOD, LIMITS).passed
        process, folder = worker._process.pid, worker._folder.name
    assert not is_alive(process)
    assert not os.path.exists(folder)


def test_the_student_cannot_look_up_what_is_expected(worker):
    """The process that runs answers has not loaded what checks them."""
    code = "found = [n for n in sys.modules if 'cases' in n or 'jets' in n]\n"
    assert run(worker, code + "assert not found, found").passed


def test_tensors_are_watched_outside_a_box_if_that_is_asked_for(
    driver, tmp_path, monkeypatch
):
    monkeypatch.setattr(project, "build_folder", lambda preset="release": tmp_path)
    assert "--guard" not in Worker(driver)._command
    with pytest.raises(project.LabError, match="is not built"):
        Worker(driver, is_guarded=True)
    library = tmp_path / "labs" / "drivers" / guard.NAME
    library.parent.mkdir(parents=True)
    library.touch()
    assert Worker(driver, is_guarded=True)._command[-2:] == ["--guard", str(library)]
