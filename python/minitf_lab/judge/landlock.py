"""Landlock: rules about files that a process sets itself, and never gets rid of.

The box of machines without user name spaces. Only the standard library is used: a process
imports this file before it becomes another program (``enter.py``).
"""

import ctypes
import os
import stat

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on all machines
RULE_PATH_BENEATH = 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
TRUNCATE = 1 << 14
# How many kinds of access to files each version of Landlock knows; 13 is the first.
NUM_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
NUM_RIGHTS_LATER = 16  # since version 5
READ = EXECUTE | READ_FILE | READ_DIR
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
TCP = 3  # to bind and to connect, since version 4
SCOPES = 3  # abstract sockets and signals, since version 6


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("access", ctypes.c_uint64), ("parent", ctypes.c_int32))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def version() -> int:
    """What the kernel offers; 0 if it has no Landlock."""
    return max(0, _libc().syscall(CREATE_RULESET, None, 0, 1))


def is_there() -> bool:
    """Whether the kernel can do what ``restrict`` asks for, truncation included."""
    return version() >= 3


def restrict(read: list[str], write: list[str]) -> None:
    """From now on, no files but these; what does not exist is left out.

    Args:
        read: Files and folders that may be read, and run.
        write: Those that may be changed too.

    Raises:
        OSError: the kernel refuses.
    """
    libc, known = _libc(), version()
    everything = (1 << NUM_RIGHTS.get(known, NUM_RIGHTS_LATER)) - 1
    rules = _Ruleset(everything, TCP if known >= 4 else 0, SCOPES if known >= 6 else 0)
    size = 24 if known >= 6 else 16 if known >= 4 else 8
    ruleset = libc.syscall(CREATE_RULESET, ctypes.byref(rules), size, 0)
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "Landlock makes no rules")
    for paths, access in ((read, READ), (write, everything)):
        for path in paths:
            try:
                parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except FileNotFoundError:
                continue
            is_folder = stat.S_ISDIR(os.fstat(parent).st_mode)
            rule = _PathBeneath(access if is_folder else access & OF_FILES, parent)
            if libc.syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, ctypes.byref(rule), 0):
                raise OSError(ctypes.get_errno(), f"Landlock takes no rule about {path}")
            os.close(parent)
    if libc.syscall(RESTRICT_SELF, ruleset, 0):
        raise OSError(ctypes.get_errno(), "Landlock does not begin")
    os.close(ruleset)
