"""The compiler in a box: it reads headers and one answer, and writes one object.

A source can ask a compiler for any file (``#include``, ``.incbin``), for all the memory
and for years of time. So it finds no source of minitf, no case and no solution here, and
what it makes is looked at before it is used. The linker stands in the same box: what it
reads was made of a student's source. It is told to make no code of its own (no LTO), for
which it would run what an object asks for.
"""

import os
import shlex
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from minitf_lab import project
from minitf_lab.judge.process import LOOK_S, descendants_of, resident_mb, stop_tree
from minitf_lab.judge.sandbox import Box, Room

CPU_S, MEMORY_MB, MAX_MB, PROCESSES = 120, 4000, 300, 32
MAX_SAID = 1 << 20  # bytes of messages; who has more to say is stopped
SIGXCPU_STATUS = 128 + 24
MORE_WALL_S = 60  # than processor time


# Variables by which compilers and linkers search more folders.
SEARCHED = frozenset(
    {
        *("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH"),
        *("LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX", "LD_RUN_PATH"),
        *("DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES"),
    }
)


@dataclass(frozen=True)
class Said:
    """How a program in the box ended.

    Attributes:
        cause: ``compile_error`` or ``compile_timeout``; empty if it was content.
    """

    text: str
    cause: str = ""


@cache
def headers() -> tuple[Path, ...]:
    """All that a student's file may include of minitf."""
    folders = [project.ROOT / "minitf", project.ROOT / "kernels"]
    return tuple(sorted(path for one in folders for path in one.rglob("*.h")))


def environment() -> dict[str, str]:
    """The variables of a compiler outside a box, without those that add folders."""
    return {name: text for name, text in os.environ.items() if name not in SEARCHED}


def check_includes(depends: Path, folder: Path, allowed: list[Path]) -> None:
    """Checks that a file includes only what a compiler in a box finds.

    Args:
        depends: What the compiler has written for make.
        folder: Where the compiler ran.
        allowed: Files, and folders, besides the system's.

    Raises:
        LabError: the file includes another file.
    """
    compiler = Path(os.path.realpath(shutil.which("c++") or "/usr/bin/c++"))
    folders = [Path("/usr"), compiler.parents[1]]
    folders += [path.resolve() for path in allowed if path.is_dir()]
    files = {path.resolve() for path in allowed}
    text = depends.read_text().replace("\\\n", " ").partition(":")[2]
    for word in shlex.split(text)[1:]:
        path = (folder / word).resolve()
        if path in files or any(path.is_relative_to(one) for one in folders):
            continue
        place = project.shown(path.parent)
        if path.suffix in {".cc", ".cpp"}:
            why = "an answer includes headers only"
        else:
            why = "it is neither handed in nor a header that the grader has"
        raise project.LabError(f"a file includes {path.name} of {place}: {why}")


def listen(
    process: subprocess.Popen, cpu_s: int = CPU_S, memory_mb: int = MEMORY_MB
) -> Said:
    """What a program says until it ends, or is ended."""
    wall_s = cpu_s + MORE_WALL_S
    deadline = time.monotonic() + wall_s
    output = process.stdout.fileno()
    os.set_blocking(output, False)
    said, fault = bytearray(), ""
    while not fault:
        try:
            part = os.read(output, 1 << 16)
        except BlockingIOError:
            part = None
        if part == b"":
            break
        said += part or b""
        if time.monotonic() > deadline:
            fault = f"the compiler is not done after {wall_s} s"
        elif len(said) > MAX_SAID:
            fault = "the compiler has more to say than anybody reads"
        elif part is None:
            inside = [process.pid, *descendants_of(process.pid)]
            if resident_mb(inside) > memory_mb:
                fault = f"the compiler needs more than {memory_mb} MB"
            time.sleep(LOOK_S / 10)
    stop_tree(process)
    text = bytes(said[:MAX_SAID]).decode(errors="replace")
    if fault:
        is_late = fault.startswith("the compiler is not")
        return Said(fault, "compile_timeout" if is_late else "compile_error")
    if process.returncode == SIGXCPU_STATUS or "CPU time limit exceeded" in text:
        sentence = f"the compiler is not done after {cpu_s} s"
        return Said(sentence, "compile_timeout")
    if process.returncode in {-signal.SIGKILL, 128 + signal.SIGKILL}:
        text += "\ng++: fatal error: Killed signal"  # as it says of what it starts
    return Said(text, "compile_error" if process.returncode else "")


def _take(made: Path, target: Path) -> None:
    """Copies what was made, if it is a file.

    Raises:
        BuildError: it is something else, or too large.
    """
    try:
        file = os.open(made, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise project.BuildError(f"the compiler made no file {made.name}") from error
    with open(file, "rb") as source:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_MB << 20:
            raise project.BuildError(f"{made.name} is no file, or has over {MAX_MB} MB")
        target.unlink(missing_ok=True)
        with target.open("wb") as copy:
            shutil.copyfileobj(source, copy)
    target.chmod(0o755)


def _says_killed(text: str) -> bool:
    r"""Whether the compiler says that one of the programs that it starts was killed.

    >>> _says_killed("x\ng++: fatal error: Killed signal terminated program cc1plus")
    True
    """
    for line in text.split("\n"):
        tool, _, rest = line.partition(": fatal error: ")
        is_tool = "++" in tool or tool == "collect2"
        if is_tool and " " not in tool and "Kill" in rest:
            return True
    return False


def without_launcher(command: list[str]) -> list[str]:
    """A command of the build without what keeps results for later.

    >>> without_launcher(["cmake", "-E", "env", "A=1", "/usr/bin/ccache", "c++", "-c"])
    ['c++', '-c']
    """
    names = [Path(word).name for word in command]
    return command[names.index("ccache") + 1 :] if "ccache" in names else command


def run_tool(box: Box, command: list[str], target: Path, read: list[Path]) -> Said:
    """Runs a compiler or a linker, which makes ``target``; once more if it was killed.

    Args:
        box: Where.
        command: With ``-o`` and ``target``; a name after ``-MF`` is not kept.
        target: Whose folder only the judge can write to.
        read: What the program may read, besides the system.
    """
    begin = time.monotonic()
    said = _run_once(box, command, target, read)
    # So ends who has no time or memory left; but also who is killed by the machine.
    if (
        said.cause
        and _says_killed(said.text)
        and time.monotonic() < begin + (box.compile_s or CPU_S)
    ):
        said = _run_once(box, command, target, read)
    return said


def _run_once(box: Box, command: list[str], target: Path, read: list[Path]) -> Said:
    command = [*without_launcher(command)]
    cpu_s, memory_mb = box.compile_s or CPU_S, box.compile_mem_mb or MEMORY_MB
    with tempfile.TemporaryDirectory(dir=target.parent) as name:
        folder = Path(name)
        command[command.index("-o") + 1] = str(folder / target.name)
        if "-MF" in command:
            command[command.index("-MF") + 1] = str(folder / "depends")
        compiler = shutil.which(command[0]) or command[0]
        command[0] = os.path.realpath(compiler)
        room = Room(
            tuple(read),
            write=folder,
            environment={"TMPDIR": name, "LC_ALL": "C.UTF-8"},
            limits={
                "cpu": f"{cpu_s}:{cpu_s + 5}",  # the signal of the first says why
                "data": memory_mb << 20,
                "fsize": MAX_MB << 20,
                "nproc": PROCESSES,
            },
            folder=folder,
            is_filtered=True,
        )
        process = box.start(
            command,
            room,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        said = listen(process, cpu_s, memory_mb)
        process.stdout.close()
        text = said.text.replace(f"{name}/", "").replace(f"{target.parent}/", "")
        if not said.cause:
            _take(folder / target.name, target)
        return Said(text, said.cause)
