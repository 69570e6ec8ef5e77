"""Answers that have another process compute for them, which no clock of theirs counts.

Each is the text of a driver, so it runs when an answer is loaded. A helper doubles a
number for the call and uses ``WORK_S`` of processor time, while the call itself sleeps.
"""

import platform

from minitf_lab.judge.seccomp import CALLS

WORK_S = 0.3
_NUMBERS = CALLS.get(platform.machine(), {})
CLONE_VM, CLONE_VFORK, CLONE_PARENT = 0x100, 0x4000, 0x8000
SIGCHLD = 17

HEAD = f"""
import ctypes, mmap, os, signal, threading, time

ASKED, DONE, ALIVE, CALLED = range(4)
shared = mmap.mmap(-1, 4096)
libc = ctypes.PyDLL(None, use_errno=True)

def work():
    end = time.thread_time() + {WORK_S}
    while time.thread_time() < end: pass

def help():
    shared[ALIVE] = 1
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if shared[ASKED]:
            shared[ASKED] = 0
            work()
            shared[DONE] = 1
        time.sleep(0.001)
    os._exit(0)

def call(*arguments):
    return libc.syscall(*arguments)

def clone3(flags):
    block = (ctypes.c_uint64 * 11)(flags, 0, 0, 0, {SIGCHLD})
    return call({_NUMBERS.get("clone3", -1)}, ctypes.byref(block), 88)

def is_helped():
    shared[CALLED] = 1
    time.sleep(0.3)
    return shared[ALIVE] == 1

def doubled(x):
    if not is_helped():
        work()
        return x * 2
    shared[ASKED] = 1
    while not shared[DONE]: time.sleep(0.001)
    shared[DONE] = 0
    return x * 2

def one():
    is_helped()
    return 1

def at_first_call(start):
    def run():
        while not shared[CALLED]: time.sleep(0.001)
        start()
    threading.Thread(target=run, daemon=True).start()
"""

# An expression that gives 0 in a new process.
FORKS = {
    "fork": "os.fork()",
    "clone": f"call({_NUMBERS.get('clone', -1)}, {SIGCHLD}, 0, 0, 0, 0)",
    "clone as a sibling": (
        f"call({_NUMBERS.get('clone', -1)}, {SIGCHLD | CLONE_PARENT}, 0, 0, 0, 0)"
    ),
    "clone3": "clone3(0)",
    "vfork": f"call({_NUMBERS.get('vfork', -1)})",
    "clone that shares memory": (
        f"call({_NUMBERS.get('clone', -1)}, {SIGCHLD | CLONE_VM | CLONE_VFORK}, 0,0,0,0)"
    ),
}
START = """
def start():
    try:
        if {fork} == 0: help()
    except OSError: pass
"""
# Its parent ends, so nobody finds it among the children of the worker.
START_TWICE = """
def start():
    try:
        child = {fork}
        if child == 0:
            try: os.setsid()
            except OSError: pass
            if os.fork() == 0: help()
            os._exit(0)
        if child > 0: os.waitpid(child, 0)
    except OSError: pass
"""
SPAWN = """
def start():
    try: os.posix_spawn("/usr/bin/sleep", ["sleep", "60"], {})
    except OSError: return
    shared[ALIVE] = 1
"""
NOW, LATER = "\nstart()\n", "\nat_first_call(start)\n"
AT_FORK = "\nos.register_at_fork(after_in_child=lambda: shared[ALIVE] or start())\n"
FORK = START.format(fork="os.fork()")
TWO_FORKS = START_TWICE.format(fork="os.fork()")
SIBLING = START.format(fork=FORKS["clone as a sibling"])

# What a timed answer does when it is loaded, by name.
TIMED = {
    **{f"{one} in a thread": START.format(fork=FORKS[one]) + LATER for one in FORKS},
    "a fork at load": FORK + NOW,
    "a double fork at load": TWO_FORKS + NOW,
    "a double fork in a thread": TWO_FORKS + LATER,
    "a sibling at load": SIBLING + NOW,
    "a program in a thread": SPAWN + LATER,
    "a thread": "\nthreading.Thread(target=help, daemon=True).start()\n",
}
# What an answer does whose cases run in children of the process that has loaded it, and
# the verdict: "ok" where the helper does not even start.
UNTIMED = {
    "a fork at load": (FORK + NOW, "policy"),
    "a double fork at load": (TWO_FORKS + NOW, "policy"),
    "a sibling at load": (SIBLING + NOW, "ok"),
    "a fork while a case runs": (FORK + LATER, "policy"),
    "a double fork while a case runs": (TWO_FORKS + LATER, "policy"),
    # It has the pipe by which the case begins, which therefore never does.
    "a fork at the fork of a case": (FORK + AT_FORK, "timeout"),
}
