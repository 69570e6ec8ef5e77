"""Every protection matters: without it, an attack gets through that it stops.

Walls that stand behind each other are taken away together, but for the last one.
"""

import contextlib
import io
import os
import pty
import secrets
import signal
import socket
import subprocess
import sys
import tarfile
import time
from dataclasses import replace
from pathlib import Path

import lab_folder
import made_up
import pytest
from in_cpp import LOADING_HEAD, MEMORY, RUNNING_HEAD

from minitf_lab import project
from minitf_lab.course import judging
from minitf_lab.judge import compile_box, process, runner, sandbox
from minitf_lab.judge.runner import Worker
from minitf_lab.judge.wire import dumps
from minitf_lab.labs import grade, policy
from minitf_lab.labs.handin import archives, intake

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
    "data": (
        [],
        "import mmap\nkind = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS\n"
        "try:\n    m = [mmap.mmap(-1, 1 << 28, flags=kind) for _ in range(12)]\n"
        "    reached += ['three gigabytes']\nexcept (OSError, MemoryError): pass",
    ),
    "fsize": (
        [],
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "try:\n    for _ in range(80): os.write(2, bytes(1 << 20))\n"
        "    reached += ['80 MB of output']\nexcept OSError: pass",
    ),
    "nofile": (
        [],
        "try:\n    files = [os.open('/dev/null', 0) for _ in range(400)]\n"
        "    reached += ['400 files']\nexcept OSError: pass",
    ),
    "environment": (
        [],
        "reached += [k for k in os.environ if k == 'SECRET_OF_THE_JUDGE']",
    ),
    # For another user than root, bubblewrap drops them in any case.
    "--cap-drop": (
        ["user"],
        "line = [x for x in open('/proc/self/status') if x.startswith('CapEff')][0]\n"
        "reached += [line] * (int(line.split()[1], 16) > 0)",
    ),
    "user": (
        [],
        "try: open('/proc/sys/kernel/core_pattern', 'w'); reached += ['kernel']\n"
        "except OSError: pass",
    ),
}
if os.geteuid() != 0:
    # An ordinary user has no other to become, and no rights to lose.
    del REACHES["user"], REACHES["--cap-drop"]


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
def test_without_it_something_is_reached(tmp_path, places, monkeypatch, name):
    monkeypatch.setenv("SECRET_OF_THE_JUDGE", "42")
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
    case, slowly = made_up.doing(code), made_up.PATIENT
    assert made_up.outcome(driver, case, box=box, limits=slowly).passed


def test_without_the_guard_what_goes_beyond_is_right_by_luck(tmp_path, box):
    codes = [attack.code for attack in MEMORY]
    made = made_up.lab_00(tmp_path, RUNNING_HEAD, made_up.chosen(codes), box)
    driver = project.find_lab("00").tests / "driver.py"
    bare = replace(box, left_out=frozenset({"guard"}))
    with Worker(driver, made, box=bare) as worker:
        for number, attack in enumerate(MEMORY):
            if attack.name in LUCKY:
                result = worker.run(made_up.near_by_feed(number), made_up.PATIENT)
                assert result.passed, (attack.name, result)


FLOOD = """
import sys
for fd in range(3, 99):
    try:
        if stat.S_ISFIFO(os.fstat(fd).st_mode): os.write(fd, LINE)
    except OSError: pass
time.sleep(0.2)
"""


@pytest.mark.parametrize("name", ["REPLY_BYTES", "REPLY_PARTS"])
def test_a_message_is_measured_before_it_is_read(tmp_path, monkeypatch, name):
    lines = {"REPLY_BYTES": "b'[' + b' ' * (17 << 20) + b']\\n'",
             "REPLY_PARTS": "b'{\"a\":[' + b'1,' * 300_000 + b'1]}\\n'"}  # fmt: skip
    read = []
    real = runner.loads
    monkeypatch.setattr(
        runner, "loads", lambda text: read.append(len(text)) or real(text)
    )
    for limit, is_read in ((None, False), (1 << 30, True)):
        if limit:
            monkeypatch.setattr(runner.wire, name, limit)
        read.clear()
        case = made_up.doing(FLOOD.replace("LINE", lines[name]))
        with Worker(made_up.put_driver(tmp_path), box=sandbox.find_box()) as worker:
            worker.run(case, made_up.LIMITS)
        assert (max(read, default=0) > 500_000) == is_read, read


# ---- The other box, the terminal, the compiler -----------------------------------------


def test_without_landlock_its_box_reads_files(tmp_path):
    code = (
        "try: reached += [len(open('/etc/passwd').read())]\nexcept OSError: pass\n"
        "try: open(TOP + '/x', 'r')\nexcept OSError: pass"
    ).replace("TOP", repr(str(project.ROOT)))
    driver = made_up.put_driver(tmp_path)
    for left_out, is_reached in (([], False), (["landlock"], True)):
        box = sandbox.Box("landlock", frozenset(left_out))
        found = made_up.outcome(driver, made_up.doing(code), box=box)
        assert found.message.startswith("reached [") == is_reached, found


ON_A_TERMINAL = r"""
import subprocess, sys
sys.path[:0] = sys.argv[2].split(":")
import made_up
from minitf_lab.judge import sandbox
from pathlib import Path
real, words = subprocess.Popen, set(sys.argv[3:])
if "session" in words:
    subprocess.Popen = lambda *a, **k: real(*a, **(k | {"start_new_session": False}))
code = "try: os.open('/dev/tty', os.O_RDWR); reached += ['tty']\nexcept OSError: pass"
box = sandbox.Box("bwrap", frozenset(words - {"session"}))
found = made_up.outcome(Path(sys.argv[1]), made_up.doing(code), box=box)
print("it is", found.status, found.message, flush=True)
"""


def on_a_terminal(driver, *left_out):
    """What became of a case whose judge sits before a terminal."""
    places = f"{Path(__file__).parent}:{Path(__file__).parent / 'attacks'}"
    command = [sys.executable, "-c", ON_A_TERMINAL, str(driver), places, *left_out]
    process, terminal = pty.fork()
    if process == 0:
        os.execv(command[0], command)
    said = b""
    with contextlib.suppress(OSError):  # its end is an error here
        while part := os.read(terminal, 4096):
            said += part
    os.waitpid(process, 0)
    os.close(terminal)
    return said.decode()


def test_a_terminal_is_behind_two_walls(tmp_path):
    """A session of its own for the box, and one more inside: neither has a terminal."""
    driver = made_up.put_driver(tmp_path)
    for left_out in ((), ("--new-session",), ("session",)):
        assert "it is passed" in on_a_terminal(driver, *left_out)
    assert "reached [['tty']]" in on_a_terminal(driver, "--new-session", "session")


@pytest.mark.parametrize("kind", sandbox.KINDS)
def test_without_its_filter_a_compiler_has_sockets(kind):
    """Where there are no name spaces, nothing else keeps it off the network."""
    for left_out, status in (([], 1), (["filter"], 0)):
        room = sandbox.Room(tuple(sandbox.python_folders()), is_filtered=True)
        code = "import socket, subprocess; subprocess.run(['/usr/bin/true'], check=True)"
        process = sandbox.Box(kind, frozenset(left_out)).start(
            [sys.executable, "-I", "-c", f"{code}; socket.socket()"],
            room,
            stderr=subprocess.PIPE,
        )
        said = process.communicate()[1].decode()
        assert process.returncode == status, said
        assert ("Operation not permitted" in said) == bool(status), said


def compiled(folder, box, read):
    """What a compiler has made of a file that takes in another one, as bytes."""
    source, target = folder / "in" / "a.cc", folder / "out" / "a.o"
    project.put(source, f'__asm__(".incbin \\"{folder / "secret"}\\"");\n')
    target.parent.mkdir(exist_ok=True)
    command = ["g++", "-o", str(target), "-c", str(source)]
    said = compile_box.run_tool(box, command, target, [source, *read])
    return target.read_bytes() if not said.cause else b""


def test_a_room_that_holds_more_gives_it_away(tmp_path, box):
    secret = tmp_path / "secret"
    secret.write_text("the canary sings")
    assert compiled(tmp_path, box, []) == b""
    assert b"the canary sings" in compiled(tmp_path, box, [secret])


def test_what_a_compiler_has_made_is_no_link(tmp_path, monkeypatch):
    (tmp_path / "secret").write_text("the canary sings")
    (tmp_path / "a.o").symlink_to(tmp_path / "secret")
    with pytest.raises(project.BuildError, match="made no file"):
        compile_box._take(tmp_path / "a.o", tmp_path / "b.o")
    monkeypatch.setattr(os, "O_NOFOLLOW", 0)
    compile_box._take(tmp_path / "a.o", tmp_path / "b.o")
    assert (tmp_path / "b.o").read_text() == "the canary sings"


# ---- Hand-ins --------------------------------------------------------------------------

HELLO = project.find_lab("00")
CODE = "approximate_equal.cc"


def test_without_nofollow_a_hand_in_takes_the_judges_files(tmp_path, monkeypatch):
    (tmp_path / "secret").write_text("the canary sings")
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / CODE).symlink_to(tmp_path / "secret")
    with pytest.raises(intake.Rejected, match="is a link"):
        intake.read(HELLO, tmp_path / "source")
    monkeypatch.setattr(os, "O_NOFOLLOW", 0)
    assert intake.read(HELLO, tmp_path / "source").contents[CODE] == b"the canary sings"


def test_without_a_ratio_a_bomb_is_unpacked(tmp_path, monkeypatch):
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as file:
        for name, size in ((CODE, 9), ("zeros", 60 << 20)):
            info = tarfile.TarInfo(name)
            info.size = size
            file.addfile(info, io.BytesIO(b" " * size))
    path = tmp_path / "bomb.tar.gz"
    path.write_bytes(made.getvalue())
    with pytest.raises(intake.Rejected, match="unpacks to"):
        intake.read(HELLO, path)
    monkeypatch.setattr(archives, "MAX_RATIO", 1 << 30)
    assert intake.read(HELLO, path).contents == {CODE: b" " * 9}


def drawn(sha256):
    """The scripts that the cases of lab 00 make for a hand-in."""
    seed = judging.seed_of(HELLO, sha256, b"a course's key")
    cases = [case for case in grade.cases_of(HELLO) if case.task == "00.2"]
    trials = [trial for case in cases for trial in case.trials(seed)]
    return {dumps([vars(call) for call in trial.calls]) for trial in trials}


def test_without_a_seed_of_its_own_an_answer_can_be_learnt(monkeypatch):
    """Who has seen one judgement would know what the next hand-in is asked."""
    learnt = drawn("a" * 64)
    fixed = drawn("b" * 64) & learnt
    assert len(fixed) < 0.6 * len(learnt)  # a few cases draw nothing
    monkeypatch.setattr(judging, "seed_of", lambda *all: 5)
    assert drawn("b" * 64) == drawn("a" * 64)


def test_without_the_audit_another_method_gets_the_points(tmp_path, box, monkeypatch):
    forbidden = {"*": ["operator.add"]}
    folder = lab_folder.in_python(tmp_path, forbid_imports=forbidden)
    text = lab_folder.PYTHON.replace("LAB(", "TODO(")
    text = text.replace("return 2 * x", "import operator; return operator.add(x, x)")
    record = lab_folder.judged(folder, tmp_path, text, box)
    assert lab_folder.verdicts(record) == ["policy", "policy"]
    monkeypatch.setattr(policy, "audit", lambda *all: policy.Audit())
    record = lab_folder.judged(folder, tmp_path, text, box)
    assert lab_folder.verdicts(record) == ["ok", "ok"]


FORGED = (
    'say("{\\"ready\\": true}\\n{\\"started\\": 1, \\"token\\": \\"t\\"}\\n'
    '{\\"values\\": [1], \\"token\\": \\"t\\"}\\n{\\"done\\": true, \\"token\\": '
    '\\"t\\"}\\n{\\"ended\\": 0, \\"token\\": \\"t\\"}\\n"); for (;;) pause();'
)


def test_a_token_keeps_answers_from_being_given_in_advance(tmp_path, box, monkeypatch):
    """A library that is loaded knows the protocol, and not what comes next."""
    monkeypatch.setattr(runner, "START_LIMIT_S", 3)
    driver = made_up.put_driver(tmp_path)
    made = made_up.library(tmp_path, "forged", LOADING_HEAD, FORGED)
    found = made_up.outcome(driver, made_up.GOOD, box=box, library=made)
    assert found.verdict == "protocol_error"
    monkeypatch.setattr(runner.secrets, "token_hex", lambda count: "t")
    assert made_up.outcome(driver, made_up.GOOD, box=box, library=made).passed
