"""The box: where a student's code runs, and what it may read there.

A box is made by bubblewrap: name spaces of its own, in which there are no other users,
processes, networks or files than those it is given. A process of root first becomes a
user that owns nothing (``enter.py``). Where the machine refuses user name spaces, as
containers often do, Landlock takes care of files and a filter of system calls of the
rest; that is weaker, and named in every result.

    box = find_box()
    process = box.start(["/bin/true"], Room(read=[...]))

Read next: ``seccomp.py``, the filter that is set inside.
"""

import functools
import json
import os
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from minitf_lab import project
from minitf_lab.judge import landlock, seccomp

KINDS = ("bwrap", "landlock")
FIRST_USER, NUM_USERS = 50_000, 10_000  # of nobody else, when root starts a box
START = Path(__file__).with_name("enter.py")
# Debian's folders besides /usr: links into it, or folders on machines that are old.
FOLDERS_OF_SYSTEM = ("/bin", "/lib", "/lib64", "/sbin")
# Names of libraries and of programs: no secrets, and the loader is lost without.
FILES_OF_SYSTEM = ("/etc/ld.so.cache", "/etc/alternatives")
PATH = "/usr/bin:/bin"
PROBE_LIMIT_S = 20
TMP_MB, SHARED_MB = 64, 8
UNSHARED = (
    *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc"),
    *("--unshare-uts", "--unshare-cgroup-try", "--disable-userns"),
    # Without the last, a process of bubblewrap's that has no filter is there to be taken.
    *("--die-with-parent", "--new-session", "--as-pid-1"),
)
# Protections of the box itself; a test can leave one out.
OPTIONS = frozenset(
    {*UNSHARED, "--remount-ro", "--cap-drop", "user", "masks", "environment", "landlock"}
)
# What a filter that is set before a program is started cannot refuse.
STARTING = ("execve", "execveat")


@dataclass(frozen=True)
class Room:
    """What a boxed process may use, besides the system's programs and libraries.

    Attributes:
        read: Files and folders that are there, under their own names.
        masks: Files in them that are empty, or as good as.
        devices: Files of devices that it may use.
        write: The only folder, besides /tmp, that it may change.
        environment: All its variables but PATH.
        limits: For ``prlimit``, such as ``{"cpu": 60}``.
        folder: Where it starts.
        is_filtered: Whether the filter of system calls is set before it starts: for
            programs that do not set one themselves, and start others.
    """

    read: tuple[Path, ...] = ()
    masks: tuple[Path, ...] = ()
    devices: tuple[Path, ...] = ()
    write: Path | None = None
    environment: dict[str, str] = field(default_factory=dict)
    limits: dict[str, int | str] = field(default_factory=dict)
    folder: Path = Path("/tmp")
    is_filtered: bool = False


def _limited(argv: list[str], limits: dict[str, int | str]) -> list[str]:
    """``argv`` under limits, core files not wanted."""
    options = [f"--{name}={value}" for name, value in limits.items()]
    return ["/usr/bin/prlimit", "--core=0", *options, "--", *argv]


def python_folders() -> list[Path]:
    """Where this Python and its packages lie."""
    found = []
    for folder in (sys.base_prefix, sys.prefix):
        path = Path(folder)
        if not path.is_relative_to("/usr") and path not in found:
            found.append(path)
    return found


def _system_mounts() -> list[str]:
    words = ["--ro-bind", "/usr", "/usr"]
    for name in FOLDERS_OF_SYSTEM:
        path = Path(name)
        if path.is_symlink():
            words += ["--symlink", os.readlink(path).lstrip("/"), name]
        elif path.exists():
            words += ["--ro-bind", name, name]
    for name in FILES_OF_SYSTEM:
        if Path(name).exists():
            words += ["--ro-bind", name, name]
    return words


def _allowed(paths: tuple[Path, ...], masks: tuple[Path, ...]) -> list[str]:
    """``paths`` without ``masks``: a folder with one in it is taken apart."""
    found = []
    for path in paths:
        if not any(mask.is_relative_to(path) for mask in masks):
            found.append(str(path))
        elif path.is_dir():
            found += _allowed(tuple(sorted(path.iterdir())), masks)
    return found


@dataclass(frozen=True)
class Box:
    """A way to start processes that can do no harm.

    Attributes:
        kind: One of ``KINDS``.
        left_out: Protections that are not used, for tests of what each is good for:
            some of ``OPTIONS``, or what ``worker.py`` knows.
        compile_s: Processor time of a compiler, if not that of ``compile_box.py``.
        compile_mem_mb: Its memory.
    """

    kind: str
    left_out: frozenset[str] = frozenset()
    compile_s: int = 0
    compile_mem_mb: int = 0

    @property
    def user(self) -> int:
        """As whom a process of root runs in the box; 0 if this is none of root."""
        is_root = os.geteuid() == 0 and "user" not in self.left_out
        return FIRST_USER + os.getpid() % NUM_USERS if is_root else 0

    @property
    def depth(self) -> int:
        """How many processes stand between the one that is started and its command."""
        if self.kind != "bwrap":
            return 0
        return 1 + bool("--as-pid-1" in self.left_out)

    def _bwrap(self, argv: list[str], room: Room, filter_file: int) -> list[str]:
        words = [shutil.which("bwrap") or "bwrap"]
        words += [one for one in UNSHARED if one not in self.left_out]
        if "--unshare-pid" not in words and "--as-pid-1" in words:
            words.remove("--as-pid-1")  # there is no such process then
        words += ["--cap-drop", "ALL"] if "--cap-drop" not in self.left_out else []
        words += ["--seccomp", str(filter_file)] if filter_file else []
        if "--unshare-uts" in words:
            words += ["--hostname", "lab"]
        words += [*_system_mounts(), "--proc", "/proc", "--dev", "/dev"]
        words += ["--size", str(SHARED_MB << 20), "--tmpfs", "/dev/shm"]
        for path in room.devices:
            words += ["--dev-bind", str(path), str(path)]
        words += ["--remount-ro", "/dev", "--size", str(TMP_MB << 20), "--tmpfs", "/tmp"]
        for path in room.read:
            words += ["--ro-bind", str(path), str(path)]
        for path in () if "masks" in self.left_out else room.masks:
            words += ["--ro-bind", "/dev/null", str(path)]
        if room.write:
            words += ["--bind", str(room.write), str(room.write)]
        if "--remount-ro" not in self.left_out:
            words += ["--remount-ro", "/"]
        words += ["--clearenv"] if "environment" not in self.left_out else []
        words += ["--setenv", "PATH", PATH]
        for name, value in room.environment.items():
            words += ["--setenv", name, value]
        return [*words, "--chdir", str(room.folder), "--", *argv]

    def _is_filtered(self, room: Room) -> bool:
        return room.is_filtered and "filter" not in self.left_out

    def command(self, argv: list[str], room: Room, filter_file: int = 0) -> list[str]:
        """The command line that runs ``argv``; its own environment must be empty."""
        argv = _limited(argv, room.limits)
        spec: dict[str, Any] = {
            "user": self.user,
            "stage": [],
            "landlock": None,
            "reads_all": False,
            "environment": {},
            "filter": [],
        }
        if "environment" in self.left_out:
            spec["environment"] = dict(os.environ)
        if self.kind == "bwrap":
            spec["command"] = self._bwrap(argv, room, filter_file)
            if not self.user:
                return spec["command"]
            paths = [*room.read, *([room.write] if room.write else [])]
            spec["stage"] = [str(path) for path in paths]
        else:
            spec["command"] = argv
            spec["environment"] |= {"PATH": PATH, **room.environment}
            spec["filter"] = STARTING if self._is_filtered(room) else []
            read = [*_allowed(room.read, room.masks), "/usr", *FOLDERS_OF_SYSTEM]
            read += [*FILES_OF_SYSTEM, "/dev/null", "/dev/urandom", "/dev/zero"]
            write = [str(room.write)] if room.write else []
            # Landlock says what may be read; a folder such as /root must not forbid it.
            spec["reads_all"] = bool(self.user and _is_closed(room.read))
            ours = [path for path in room.read if path not in python_folders()]
            spec["landlock"] = {
                "read": read,
                "write": [*write, "/dev/null", *map(str, room.devices)],
                "look": sorted({str(path.parent) for path in ours}),
            }
            if "landlock" in self.left_out:
                spec["landlock"] = None
        enter = [sys.executable, "-I", "-S", str(START), json.dumps(spec)]
        return enter

    def start(self, argv: list[str], room: Room, **options: Any) -> subprocess.Popen:
        """Starts ``argv`` in a box; ``options`` are those of ``subprocess.Popen``."""
        if room.write and self.user:
            os.chown(room.write, self.user, self.user)
        given = tuple(options.pop("pass_fds", ()))
        file = 0
        if self.kind == "bwrap" and self._is_filtered(room):
            file = os.memfd_create("filter", 0)
            os.write(file, seccomp.here(may_fork=True, left_out=STARTING))
            os.lseek(file, 0, os.SEEK_SET)
        try:
            return subprocess.Popen(
                self.command(argv, room, file),
                env=None if "environment" in self.left_out else {},
                cwd="/" if self.kind == "bwrap" else room.folder,
                pass_fds=(*given, *([file] if file else [])),
                start_new_session=True,
                **options,
            )
        finally:
            if file:
                os.close(file)


def _is_closed(paths: tuple[Path, ...]) -> bool:
    """Whether a folder on the way to one of ``paths``, or to Python, is not for all."""
    folders = {parent for path in (*paths, *python_folders()) for parent in path.parents}
    return any(not folder.stat().st_mode & 0o001 for folder in folders)


def _fault_of(box: Box) -> str:
    """Why nothing can be started in ``box``; empty if something can."""
    if box.kind == "bwrap" and not shutil.which("bwrap"):
        return "bubblewrap is not installed (apt-get install bubblewrap)"
    if box.kind == "landlock" and not landlock.is_there():
        return "this kernel has no Landlock"
    try:
        process = box.start(
            ["/usr/bin/true"],
            Room(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        said = process.communicate(timeout=PROBE_LIMIT_S)[1]
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{error}"
    return "" if process.returncode == 0 else said.decode(errors="replace").strip()


def check_addresses() -> None:
    """Checks that the guard of tensors can reserve its addresses.

    Raises:
        GraderError: ``ulimit -v`` is set.
    """
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    if most != resource.RLIM_INFINITY:
        raise project.GraderError(
            f"ulimit -v is {most >> 10} kB; the guard of tensors reserves 1.3 TB of "
            "addresses: run ulimit -v unlimited, or limit the memory of a control group"
        )


@functools.cache
def probe() -> tuple[str, str]:
    """The best kind of box that works here, empty if none; and why not a better one."""
    faults = []
    for kind in KINDS:
        fault = _fault_of(Box(kind))
        if not fault:
            return kind, "; ".join(faults)
        faults.append(f"{kind}: {fault}")
    return "", "; ".join(faults)


def find_box(*, for_practice: bool = False) -> Box | None:
    """The best box of this machine.

    None is good enough ``for_practice``, where no marks depend on what follows.

    Raises:
        LabError: there is none, and marks do.
    """
    kind, faults = probe()
    if kind:
        return Box(kind)
    if for_practice:
        return None
    raise project.LabError(
        "answers cannot be run for marks here, since nothing keeps them from doing harm: "
        f"{faults}"
    )
