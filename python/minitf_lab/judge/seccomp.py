"""A filter of system calls, set by a process for itself and all that it starts.

It is the second wall: what a student's code is not for, such as to look into another
process, is refused with EPERM, so that the code goes on and can say so. The name spaces
of the box, the first wall, do not depend on it; without them (``sandbox.py``) this is
what keeps code off the network and from other programs.

A filter is a program for a small machine of the kernel (BPF): load a word, compare, jump
on, return. It is made here without a library.
"""

import ctypes
import os
import platform
import struct
from collections.abc import Iterable

PR_SET_NO_NEW_PRIVS, PR_SET_CHILD_SUBREAPER = 38, 36
SET_MODE_FILTER, OF_ALL_THREADS = 1, 1
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, ERRNO, KILL = 0x7FFF0000, 0x00050000, 0x80000000
EPERM, ENOSYS = 1, 38
NUMBER, MACHINE, FIRST, SECOND = 0, 4, 16, 24  # where a word lies; arguments have 8 bytes
X32 = 0x40000000  # calls of another kind, with the same numbers
NEWEST = 462  # calls that are newer are unknown here, and as good as missing

CLONE_THREAD = 0x10000
CLONE_PARENT = 0x8000  # the new process is a sibling: no child of who has started it
# Name spaces of its own: mount, cgroup, uts, ipc, user, pid, net, time.
CLONE_NEW = 0x20000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000
CLONE_NEW |= 0x20000000 | 0x40000000 | 0x80
TIOCSTI, TIOCLINUX = 0x5412, 0x541C  # types for whoever sits before the terminal

# A system call, and its number on each of the machines; "-" if the machine lacks it.
MACHINES = ("x86_64", "aarch64")
NUMBERS = """
    accept 43 202, accept4 288 242, acct 163 89, add_key 248 217, adjtimex 159 171,
    bind 49 200, bpf 321 280, chroot 161 51, clock_adjtime 305 266, clock_settime 227 112,
    clone 56 220, clone3 435 435, connect 42 203, delete_module 176 106, execve 59 221,
    execveat 322 281, fanotify_init 300 262, finit_module 313 273, fork 57 -,
    fsconfig 431 431, fsmount 432 432, fsopen 430 430, fspick 433 433,
    init_module 175 105, inotify_init 253 -, inotify_init1 294 26, io_uring_enter 426 426,
    io_uring_register 427 427, io_uring_setup 425 425, ioctl 16 29, ioperm 173 -,
    iopl 172 -, ioprio_set 251 30, kcmp 312 272, kexec_file_load 320 294,
    kexec_load 246 104, keyctl 250 219, listen 50 201, mbind 237 235,
    memfd_create 319 279, memfd_secret 447 447, migrate_pages 256 238, modify_ldt 154 -,
    mount 165 40, mount_setattr 442 442, move_mount 429 429, move_pages 279 239,
    mq_open 240 180, msgget 68 186, name_to_handle_at 303 264, open_by_handle_at 304 265,
    open_tree 428 428, perf_event_open 298 241, personality 135 92, pidfd_getfd 438 438,
    pidfd_open 434 434, pidfd_send_signal 424 424, pivot_root 155 41, prctl 157 167,
    prlimit64 302 261, process_madvise 440 440, process_mrelease 448 448,
    process_vm_readv 310 270, process_vm_writev 311 271, ptrace 101 117, quotactl 179 60,
    quotactl_fd 443 443, reboot 169 142, request_key 249 218, sched_setaffinity 203 122,
    sched_setattr 314 274, sched_setparam 142 118, sched_setscheduler 144 119,
    seccomp 317 277, semget 64 190, sendmmsg 307 269, sendmsg 46 211, sendto 44 206,
    set_mempolicy 238 237, setdomainname 171 162, sethostname 170 161, setns 308 268,
    setpgid 109 154, setpriority 141 140, setsid 112 157, settimeofday 164 170,
    shmat 30 196, shmget 29 194, socket 41 198, socketpair 53 199, swapoff 168 225,
    swapon 167 224, sysfs 139 -, syslog 103 116, timer_create 222 107, umount2 166 39,
    unshare 272 97, uselib 134 -, userfaultfd 323 282, ustat 136 -, vfork 58 -,
    vhangup 153 58
"""
CALLS: dict[str, dict[str, int]] = {machine: {} for machine in MACHINES}
for _row in NUMBERS.split(","):
    _name, *_numbers = _row.split()
    for _machine, _number in zip(MACHINES, _numbers, strict=True):
        if _number != "-":
            CALLS[_machine][_name] = int(_number)
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# Arguments that must be 0, so that a process changes itself alone. For setpriority the
# first argument says that the second one names a process, and not a user.
OF_ITSELF = {
    "setpriority": (FIRST, SECOND),
    "sched_setparam": (FIRST,),
    "sched_setscheduler": (FIRST,),
    "sched_setattr": (FIRST,),
    "prlimit64": (FIRST,),
}
WITH_CONDITIONS = {"ioctl", "prctl", "seccomp", "clone", "clone3", "fork", "vfork"}
WITH_CONDITIONS |= set(OF_ITSELF)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("words", ctypes.c_char_p))


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _refuse(error: int = EPERM) -> bytes:
    return _step(RETURN, ERRNO | error)


def _if_call(number: int, steps: list[bytes]) -> list[bytes]:
    """``steps`` for one system call; they end by a return, or load the number again."""
    return [_step(EQUAL, number, 0, len(steps)), *steps]


def program(machine: str, *, may_fork: bool, left_out: Iterable[str] = ()) -> bytes:
    """The filter for a machine.

    Args:
        machine: As ``platform.machine`` names it.
        may_fork: Whether processes may be started, and one more filter set, which
            forbids that; threads may always be started.
        left_out: Calls that are not refused, for tests of what that is good for.

    Raises:
        OSError: its system calls are not known here.
    """
    if machine not in CALLS:
        raise OSError(f"system calls of {machine} are not known: no filter")
    left_out = set(left_out)
    calls = {name: n for name, n in CALLS[machine].items() if name not in left_out}
    steps = [_step(LOAD, MACHINE), _step(EQUAL, AUDIT[machine], 1, 0)]
    steps += [_step(RETURN, KILL), _step(LOAD, NUMBER)]
    if machine == "x86_64":
        steps += [_step(AT_LEAST, X32, 0, 1), _refuse()]
    steps += [_step(AT_LEAST, NEWEST + 1, 0, 1), _refuse(ENOSYS)]
    for name, number in calls.items():
        if name not in WITH_CONDITIONS:
            steps += _if_call(number, [_refuse()])
    if "clone3" in calls:  # its flags cannot be seen; callers take clone then
        steps += _if_call(calls["clone3"], [_refuse(ENOSYS)])
    for name in {"fork", "vfork", "seccomp"} & set(calls):
        steps += _if_call(calls[name], [] if may_fork else [_refuse()])
    if "clone" in calls:
        refused = CLONE_NEW | CLONE_PARENT
        look = [_step(LOAD, FIRST), _step(ANY_BIT, refused, 0, 1), _refuse()]
        if not may_fork:
            look += [_step(ANY_BIT, CLONE_THREAD, 1, 0), _refuse()]
        steps += _if_call(calls["clone"], [*look, _step(RETURN, ALLOW)])
    for name in OF_ITSELF.keys() & calls.keys():
        look = []
        for place in OF_ITSELF[name]:
            look += [_step(LOAD, place), _step(EQUAL, 0, 1, 0), _refuse()]
        steps += _if_call(calls[name], [*look, _step(RETURN, ALLOW)])
    if "ioctl" in calls:
        look = [_step(LOAD, SECOND), _step(EQUAL, TIOCSTI, 1, 0)]
        look += [_step(EQUAL, TIOCLINUX, 0, 1), _refuse()]
        steps += _if_call(calls["ioctl"], [*look, _step(RETURN, ALLOW)])
    if "prctl" in calls:  # orphans stay below the process that must answer for them
        look = [_step(LOAD, FIRST), _step(EQUAL, PR_SET_CHILD_SUBREAPER, 0, 1)]
        steps += _if_call(calls["prctl"], [*look, _refuse(), _step(RETURN, ALLOW)])
    return b"".join([*steps, _step(RETURN, ALLOW)])


def here(*, may_fork: bool, left_out: Iterable[str] = ()) -> bytes:
    """The filter for this machine, as ``program``."""
    return program(platform.machine(), may_fork=may_fork, left_out=left_out)


def install(*, may_fork: bool, left_out: Iterable[str] = ()) -> None:
    """Sets the filter for all threads of this process; it stays for its whole life.

    Raises:
        OSError: the kernel refuses, a thread has a filter of its own, or the machine is
            not known.
    """
    words = here(may_fork=may_fork, left_out=left_out)
    filtering = _Program(len(words) // 8, words)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    number = CALLS[platform.machine()]["seccomp"]
    found = libc.syscall(number, SET_MODE_FILTER, OF_ALL_THREADS, ctypes.byref(filtering))
    if found > 0:
        raise OSError(f"no filter of system calls: thread {found} has set another one")
    if found:
        number = ctypes.get_errno()
        raise OSError(number, f"no filter of system calls: {os.strerror(number)}")
