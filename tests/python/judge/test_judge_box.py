"""The parts of the judge's box that need no box: filters, rooms, texts to compile."""

import platform
import struct

import pytest

from minitf_lab import project
from minitf_lab.judge import regions, rooms, runner, sandbox, seccomp, variant
from minitf_lab.judge.wire import Raised, loads
from minitf_lab.results import Result, plain

ALLOWED, REFUSED, MISSING = seccomp.ALLOW, seccomp.ERRNO | 1, seccomp.ERRNO | 38


def ruling(words, number, first=0, second=0, machine=None):
    """What a filter says of a system call: its program, step by step."""
    machine = machine or seccomp.AUDIT["x86_64"]
    memory = {0: number, 4: machine, 16: first, 24: second}
    steps = list(struct.iter_unpack("=HBBI", words))
    at = word = 0
    while True:
        code, if_true, if_false, value = steps[at]
        at += 1
        if code == seccomp.RETURN:
            return value
        if code == seccomp.LOAD:
            word = memory[value]
            continue
        holds = {
            seccomp.EQUAL: word == value,
            seccomp.AT_LEAST: word >= value,
            seccomp.ANY_BIT: bool(word & value),
        }[code]
        at += if_true if holds else if_false


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("may_fork", [False, True])
def test_a_filter_refuses_its_calls_and_no_others(machine, may_fork):
    words = seccomp.program(machine, may_fork=may_fork)
    calls, audit = seccomp.CALLS[machine], seccomp.AUDIT[machine]
    named = set(calls.values())
    assert len(words) // 8 < 4096
    for name, number in calls.items():
        if name not in seccomp.WITH_CONDITIONS:
            assert ruling(words, number, machine=audit) == REFUSED, name
    for number in set(range(seccomp.NEWEST + 1)) - named:
        assert ruling(words, number, machine=audit) == ALLOWED, number
    assert ruling(words, calls["clone3"], machine=audit) == MISSING
    assert ruling(words, seccomp.NEWEST + 1, machine=audit) == MISSING


def test_threads_may_always_begin_and_processes_if_allowed():
    clone = seccomp.CALLS["x86_64"]["clone"]
    thread, process, fork = 0x3D0F00, 0x1200011, seccomp.CALLS["x86_64"]["fork"]
    for may_fork, verdict in ((False, REFUSED), (True, ALLOWED)):
        words = seccomp.program("x86_64", may_fork=may_fork)
        assert ruling(words, clone, thread) == ALLOWED
        assert ruling(words, clone, process) == verdict
        assert ruling(words, fork) == verdict
        assert ruling(words, clone, process | 0x10000000) == REFUSED


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_a_process_changes_its_own_limits_and_priority_alone(machine):
    words = seccomp.program(machine, may_fork=False)
    calls, audit = seccomp.CALLS[machine], seccomp.AUDIT[machine]
    for name in ("prlimit64", "sched_setattr", "sched_setparam", "sched_setscheduler"):
        assert ruling(words, calls[name], 0, 7, machine=audit) == ALLOWED
        assert ruling(words, calls[name], 1, 7, machine=audit) == REFUSED
    for kind, who, verdict in ((0, 0, ALLOWED), (0, 1, REFUSED), (2, 0, REFUSED)):
        assert ruling(words, calls["setpriority"], kind, who, machine=audit) == verdict


def test_calls_of_another_machine_are_not_taken_for_these():
    words = seccomp.program("x86_64", may_fork=True)
    assert ruling(words, 0x40000000 | 39) == REFUSED
    assert ruling(words, 39, machine=0x40000003) == seccomp.KILL
    with pytest.raises(OSError, match="system calls of riscv64 are not known"):
        seccomp.program("riscv64", may_fork=True)
    assert platform.machine() in seccomp.CALLS


def test_a_room_holds_the_driver_and_no_case():
    for lab in project.all_labs():
        room = rooms.room_of_worker(lab.tests / "driver.py", None, {})
        names = [p.name for p in room.read if p.is_relative_to(project.ROOT / "tests")]
        assert "driver.py" in names
        assert not [name for name in names if name.startswith("cases")]
        assert "jets.py" not in [path.name for path in room.read]
        forbidden = [project.ROOT / n for n in ("", "tests", "solutions", "exercises")]
        assert not set(room.read) & set(forbidden)


def test_what_is_compiled_for_marks_holds_one_task_of_minitf_at_most(tmp_path):
    unit = "kernels/cpu/cwise/approximate_equal.cc"
    own = "result[i] = Distance(a[i], b[i]) < tolerance_;"
    starter = project.ROOT / "exercises" / "00_hello" / "approximate_equal.cc"
    assert own in (project.ROOT / unit).read_text()
    assert own not in variant.compose_alone(starter, unit, "")[0]
    assert own not in variant.compose_alone(starter, unit, "00.2")[0]
    text = variant.compose_alone(starter, unit, "00.1")[0]
    assert own in text and 'MINITF_TODO("00.1")' in text and "UsesReference" not in text


def test_marks_that_are_not_those_of_the_exercise_are_refused():
    ours = regions.answers_of("// LAB(01.1) begin: x\nint x;\n// LAB(01.1) end")
    with pytest.raises(ValueError, match="marks of its regions are not those"):
        regions.leave_one("int y;", ours, "01.1")


@pytest.mark.parametrize(
    ("raised", "verdict"),
    [
        (Raised("ValueError", "no"), "raised"),
        (Raised("MemoryError", ""), "memory_limit"),
        (Raised("RuntimeError", "std::bad_alloc"), "memory_limit"),
        (Raised("OSError", "[Errno 27] File too large"), "output_limit"),
        (Raised("BlockingIOError", ""), "process_limit"),
        (Raised("OSError", "[Errno 1] Operation not permitted"), "policy"),
    ],
)
def test_the_verdict_on_an_error(raised, verdict):
    assert runner._cause_of(raised) == verdict


def test_every_status_has_a_verdict():
    for status in ("passed", "failed", "crashed", "timeout", "left", "not written"):
        assert Result("a", status).verdict
    assert Result("a", "failed", cause="policy").verdict == "policy"


@pytest.mark.parametrize(
    "name", ["f8,f8", "O", "V8", "float64", "<f8" * 99, "(1000,1000)f8", "M8[ns],f8"]
)
def test_an_odd_element_type_is_refused(name):
    with pytest.raises(ValueError):
        loads(f'{{"$array": ["{name}", [0], ""]}}')


def test_no_box_for_marks_is_an_error_that_says_why(monkeypatch):
    monkeypatch.setattr(sandbox, "probe", lambda: ("", "bwrap: not installed"))
    with pytest.raises(project.LabError, match=r"cannot be run for marks.*bwrap: not in"):
        sandbox.find_box()
    assert sandbox.find_box(for_practice=True) is None


def test_text_that_turns_or_ends_lines_is_not_kept():
    assert plain("a\x1b[1m\u202eb\u2028c\ud800d\x85") == "a?[1m?b?c?d?"
    assert plain("żółw 語\n\t") == "żółw 語\n\t"
