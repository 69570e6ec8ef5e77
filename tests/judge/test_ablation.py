"""Every protection matters: without it, an attack gets through that it stops.

Walls that stand behind each other are taken away together, but for the last one.
"""

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace

import made_up
import pytest
from in_cpp import MEMORY, RUNNING_HEAD

from minitf_lab import project
from minitf_lab.judge import process, runner, sandbox
from minitf_lab.judge.runner import Worker

# What no other wall sees: past the end, before the start, freed, stale, an input.
LUCKY = {
    "reads past the end",
    "reads a page past the end",
    "writes past the end",
    "writes before the start",
    "reads before the start",
    "reads what is freed",
    "leaves what was there before",
    "changes an input",
}
# A protection, what else has to be gone, and what is reached then.
REACHES = {
    "--unshare-pid": (
        ["filter"],
        "reached += [p for p in os.listdir('/proc') if p.isdigit() and int(p) > 90]",
    ),
    "--unshare-net": (
        ["filter"],
        "s = socket.socket()\ntry: s.connect(('127.0.0.1', PORT)); reached += ['net']\n"
        "except OSError: pass",
    ),
    "--unshare-uts": ([], "reached += [n for n in [os.uname().nodename] if n != 'lab']"),
    "--unshare-ipc": (
        ["filter"],
        "libc = ctypes.CDLL(None)\n"
        "reached += [n for n in [libc.shmget(KEY, 4096, 0o666)] if n >= 0]",
    ),
    "--disable-userns": (
        ["filter"],
        "n = ctypes.CDLL(None).unshare(0x10000000)\nreached += ['namespace'] * (n == 0)",
    ),
    "--remount-ro": (
        [],
        "try: open('/x', 'w').close(); reached += ['root']\nexcept OSError: pass",
    ),
    "filter": (
        [],
        "try: socket.socket(); reached += ['socket']\nexcept OSError: pass",
    ),
    "keyctl": (
        [],
        "n = ctypes.CDLL(None).syscall(250, 0, -3, 1)\nreached += ['key'] * (n >= 0)",
    ),
    "limits": (
        [],
        "import resource\nn = resource.getrlimit(resource.RLIMIT_NPROC)[0]\n"
        "reached += ['threads'] * (n < 0 or n > 64)",
    ),
    "dumpable": (
        [],
        "try: open(f'/proc/{os.getppid()}/mem', 'r+b'); reached += ['parent']\n"
        "except OSError: pass",
    ),
    "--as-pid-1": (
        [],
        "try: open('/proc/1/mem', 'r+b'); reached += ['first']\nexcept OSError: pass",
    ),
    "user": (
        [],
        "try: open('/proc/sys/kernel/core_pattern', 'w'); reached += ['kernel']\n"
        "except OSError: pass",
    ),
}
if os.geteuid() != 0:
    del REACHES["user"]  # an ordinary user has no other to become


@pytest.fixture(scope="module")
def places():
    """Things of the judge's machine that a case must not reach."""
    key = secrets.randbelow(1 << 30) + 1
    with socket.create_server(("127.0.0.1", 0)) as server:
        subprocess.run(["ipcmk", "-M", "4096", "-p", "0666"], check=True)
        listed = subprocess.run(["ipcs", "-m"], capture_output=True, text=True).stdout
        key = int(listed.strip().split("\n")[-1].split()[0], 16)
        yield {"PORT": str(server.getsockname()[1]), "KEY": str(key)}
        subprocess.run(["ipcrm", "-M", str(key)], check=True)


def ways_out(folder, box, code, places):
    for name, value in places.items():
        code = code.replace(name, value)
    return made_up.outcome(made_up.put_driver(folder), made_up.doing(code), box=box)


FORKS = (
    "try:\n    if os.fork() == 0: os._exit(0)\n    reached += ['fork']\n"
    "except OSError: pass"
)


def test_without_the_filter_a_case_forks(tmp_path):
    driver = made_up.put_driver(tmp_path)
    for left_out, is_reached in (([], False), (["clone"], True)):
        box = sandbox.Box("bwrap", frozenset(left_out))
        found = made_up.outcome(driver, made_up.doing(FORKS), box=box)
        assert found.message.startswith("reached [") == is_reached, found


@pytest.mark.parametrize("name", REACHES)
def test_without_it_something_is_reached(tmp_path, places, name):
    others, code = REACHES[name]
    result = ways_out(tmp_path, sandbox.Box("bwrap", frozenset(others)), code, places)
    assert result.passed, result
    left_out = frozenset({name, *others})
    result = ways_out(tmp_path, sandbox.Box("bwrap", left_out), code, places)
    assert result.message.startswith("reached ["), result


def test_masks_hide_the_answer(tmp_path):
    """Python's own guard against that is no wall: a function of C opens the file."""
    reference = str(project.ROOT / made_up.CLIPPING).encode()
    code = f"f = ctypes.CDLL(None).open({reference!r}, 0)\nreached += [f] * (f >= 0)"
    files = made_up.lab_06(tmp_path, "", [])
    driver = made_up.put_driver(tmp_path)
    for left_out, is_reached in (([], False), (["masks"], True)):
        box = sandbox.Box("bwrap", frozenset(left_out))
        found = made_up.outcome(driver, made_up.doing(code), box=box, environment=files)
        assert found.message.startswith("reached [") == is_reached, found


def test_a_box_ends_with_its_judge(tmp_path):
    """It is bubblewrap's to see to that: code in the box may never look."""
    driver = made_up.put_driver(tmp_path)
    program = (
        "import sys, time\nfrom pathlib import Path\n"
        "from minitf_lab.judge import runner, sandbox\n"
        "box = sandbox.Box('bwrap', frozenset(sys.argv[2:]))\n"
        "worker = runner.Worker(Path(sys.argv[1]), box=box).__enter__()\n"
        "print(worker._process.inner(), flush=True)\ntime.sleep(60)\n"
    )
    for left_out, ends in (([], True), (["--die-with-parent"], False)):
        command = [sys.executable, "-c", program, str(driver), *left_out]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as judge:
            inner = int(judge.stdout.readline())
            os.kill(inner, signal.SIGSTOP)  # it cannot see that its input has ended
            judge.kill()
        deadline = time.monotonic() + 2
        while time.monotonic() < deadline and os.path.exists(f"/proc/{inner}"):
            time.sleep(0.01)
        assert os.path.exists(f"/proc/{inner}") != ends
        if not ends:
            os.kill(inner, signal.SIGKILL)


def test_a_look_at_the_memory_ends_what_limits_do_not_count(tmp_path, monkeypatch):
    code = (
        "import mmap\nfor _ in range(3):\n    m = mmap.mmap(-1, 1 << 28)\n"
        "    for i in range(0, 1 << 28, 4096): m[i] = 1\n    reached.append(m.close())\n"
        "time.sleep(0.5)\nreached.clear()\n"
    ).replace("reached.append(m.close())", "reached.append(m)")
    driver, box = made_up.put_driver(tmp_path), sandbox.find_box()
    monkeypatch.setattr(runner, "MORE_MB", 0)
    found = made_up.outcome(driver, made_up.doing(code), box=box)
    assert found.verdict == "memory_limit"
    monkeypatch.setattr(process, "LOOK_S", 60)
    slowly = replace(made_up.LIMITS, seconds=20)
    assert made_up.outcome(driver, made_up.doing(code), box=box, limits=slowly).passed


def test_without_the_guard_what_goes_beyond_is_right_by_luck(tmp_path, box):
    codes = [attack.code for attack in MEMORY]
    made = made_up.lab_00(tmp_path, RUNNING_HEAD, made_up.chosen(codes), box)
    driver = project.find_lab("00").tests / "driver.py"
    bare = replace(box, left_out=frozenset({"guard"}))
    with Worker(driver, made, box=bare) as worker:
        for number, attack in enumerate(MEMORY):
            if attack.name in LUCKY:
                result = worker.run(made_up.near_by_feed(number), made_up.LIMITS)
                assert result.passed, (attack.name, result)


FLOOD = """
import sys
for fd in range(3, 99):
    try:
        if stat.S_ISFIFO(os.fstat(fd).st_mode): os.write(fd, LINE)
    except OSError: pass
time.sleep(0.2)
"""


@pytest.mark.parametrize("name", ["BOXED_LINE", "MAX_PARTS"])
def test_a_message_is_measured_before_it_is_read(tmp_path, monkeypatch, name):
    lines = {"BOXED_LINE": "b'[' + b' ' * (17 << 20) + b']\\n'",
             "MAX_PARTS": "b'{\"a\":[' + b'1,' * 300_000 + b'1]}\\n'"}  # fmt: skip
    read = []
    real = runner.loads
    monkeypatch.setattr(
        runner, "loads", lambda text: read.append(len(text)) or real(text)
    )
    for limit, is_read in ((None, False), (1 << 30, True)):
        if limit:
            monkeypatch.setattr(runner, name, limit)
        read.clear()
        case = made_up.doing(FLOOD.replace("LINE", lines[name]))
        with Worker(made_up.put_driver(tmp_path), box=sandbox.find_box()) as worker:
            worker.run(case, made_up.LIMITS)
        assert (max(read, default=0) > 500_000) == is_read, read
