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

# The same on all machines.
NEW_CALLS = {
    **{"pidfd_send_signal": 424, "io_uring_setup": 425, "io_uring_enter": 426},
    **{"io_uring_register": 427, "open_tree": 428, "move_mount": 429, "fsopen": 430},
    **{"fsconfig": 431, "fsmount": 432, "fspick": 433, "pidfd_open": 434, "clone3": 435},
    **{"pidfd_getfd": 438, "process_madvise": 440, "mount_setattr": 442},
    **{"quotactl_fd": 443, "memfd_secret": 447, "process_mrelease": 448},
}
CALLS = {
    "x86_64": {
        **{
            "prctl": 157,
            "ioctl": 16,
            "socket": 41,
            "connect": 42,
            "accept": 43,
            "sendto": 44,
        },
        **{"sendmsg": 46, "bind": 49, "listen": 50, "socketpair": 53, "clone": 56},
        **{
            "fork": 57,
            "vfork": 58,
            "execve": 59,
            "shmget": 29,
            "shmat": 30,
            "semget": 64,
        },
        **{"msgget": 68, "ptrace": 101, "syslog": 103, "uselib": 134, "personality": 135},
        **{"ustat": 136, "sysfs": 139, "vhangup": 153, "modify_ldt": 154},
        **{"pivot_root": 155, "adjtimex": 159, "chroot": 161, "acct": 163},
        **{"settimeofday": 164, "mount": 165, "umount2": 166, "swapon": 167},
        **{"swapoff": 168, "reboot": 169, "sethostname": 170, "setdomainname": 171},
        **{"iopl": 172, "ioperm": 173, "init_module": 175, "delete_module": 176},
        **{"quotactl": 179, "clock_settime": 227, "mbind": 237},
        **{"set_mempolicy": 238, "mq_open": 240, "kexec_load": 246, "add_key": 248},
        **{"setpgid": 109, "setsid": 112},
        **{"setpriority": 141, "sched_setparam": 142, "sched_setscheduler": 144},
        **{"ioprio_set": 251, "prlimit64": 302, "sched_setattr": 314},
        **{"sched_setaffinity": 203, "timer_create": 222},  # of what is timed
        **{"request_key": 249, "keyctl": 250, "inotify_init": 253, "migrate_pages": 256},
        **{"unshare": 272, "move_pages": 279, "accept4": 288},
        **{"inotify_init1": 294, "perf_event_open": 298, "fanotify_init": 300},
        **{"name_to_handle_at": 303, "open_by_handle_at": 304, "clock_adjtime": 305},
        **{"sendmmsg": 307, "setns": 308, "process_vm_readv": 310},
        **{"process_vm_writev": 311, "kcmp": 312, "finit_module": 313, "seccomp": 317},
        **{
            "kexec_file_load": 320,
            "memfd_create": 319,
            "bpf": 321,
            "execveat": 322,
            "userfaultfd": 323,
        },
        **NEW_CALLS,
    },
    "aarch64": {
        **{"prctl": 167, "ioctl": 29, "umount2": 39, "mount": 40, "pivot_root": 41},
        **{"chroot": 51, "vhangup": 58, "quotactl": 60, "acct": 89, "personality": 92},
        **{"unshare": 97, "kexec_load": 104, "init_module": 105, "delete_module": 106},
        **{"clock_settime": 112, "syslog": 116, "ptrace": 117, "reboot": 142},
        **{"sethostname": 161, "setdomainname": 162, "settimeofday": 170},
        **{"adjtimex": 171, "mq_open": 180, "msgget": 186, "semget": 190, "shmget": 194},
        **{"shmat": 196, "socket": 198, "socketpair": 199, "bind": 200, "listen": 201},
        **{"accept": 202, "connect": 203, "sendto": 206, "sendmsg": 211, "add_key": 217},
        **{"setpgid": 154, "setsid": 157},
        **{"ioprio_set": 30, "sched_setparam": 118, "sched_setscheduler": 119},
        **{"setpriority": 140, "prlimit64": 261, "sched_setattr": 274},
        **{"sched_setaffinity": 122, "timer_create": 107},
        **{"request_key": 218, "keyctl": 219, "clone": 220, "execve": 221},
        **{"swapon": 224, "swapoff": 225, "mbind": 235, "set_mempolicy": 237},
        **{"migrate_pages": 238, "move_pages": 239, "perf_event_open": 241},
        **{"accept4": 242, "inotify_init1": 26, "fanotify_init": 262},
        **{"name_to_handle_at": 264, "open_by_handle_at": 265, "clock_adjtime": 266},
        **{"setns": 268, "sendmmsg": 269, "process_vm_readv": 270},
        **{"process_vm_writev": 271, "kcmp": 272, "finit_module": 273, "seccomp": 277},
        **{
            "memfd_create": 279,
            "bpf": 280,
            "execveat": 281,
            "userfaultfd": 282,
            "kexec_file_load": 294,
        },
        **NEW_CALLS,
    },
}
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
