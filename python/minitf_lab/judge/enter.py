"""Enters a box: started by ``sandbox.py`` as a program, it ends as another one.

    python -I -S enter.py '{"command": [...], ...}'

Root cannot be kept in a box of user name spaces: the kernel still takes it for root. So a
process of root first mounts, where it alone sees them, what the box may read, then
becomes a user that owns nothing, and only then starts bubblewrap: a folder such as /root,
which others may not enter, is no hindrance. Where there is no bubblewrap, the rules of
Landlock are set here; to reach what they allow in such a folder, that user keeps the one
right of root to read files.

Nothing but Python's own library is imported, and nothing of the environment is used.
"""

import ctypes
import json
import os
import signal
import sys

CLONE_NEWNS = 0x20000
MS_RDONLY, MS_NOSUID, MS_NODEV = 1, 2, 4
MS_BIND, MS_REC, MS_SLAVE = 4096, 16384, 1 << 19
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 36, 38
PR_SET_SECUREBITS, NO_SETUID_FIXUP = 28, 4
PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 47, 2
CAP_DAC_READ_SEARCH, CAPABILITIES_V3 = 2, 0x20080522
STAGE = "/tmp"  # there is one everywhere, and bubblewrap hides it


def _call(result: int, what: str) -> None:
    """Raises OSError if a function of C was not content."""
    if result:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _mount(libc: ctypes.CDLL, source: str, target: str, kind: str, flags: int) -> None:
    data = b"mode=0755" if kind else None
    result = libc.mount(source.encode(), target.encode(), kind.encode(), flags, data)
    _call(result, f"mount {source}")


def _stage(libc: ctypes.CDLL, paths: list[str]) -> dict[str, str]:
    """Mounts each of ``paths`` where every user can reach it; says where."""
    _call(libc.unshare(CLONE_NEWNS), "unshare")
    _mount(libc, "none", "/", "", MS_REC | MS_SLAVE)
    opened = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in paths}
    _mount(libc, "box", STAGE, "tmpfs", MS_NOSUID | MS_NODEV)
    staged = {}
    for number, (path, file) in enumerate(opened.items()):
        staged[path] = target = f"{STAGE}/{number}"
        if os.path.isdir(f"/proc/self/fd/{file}"):
            os.mkdir(target)
        else:
            os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
        _mount(libc, f"/proc/self/fd/{file}", target, "", MS_BIND | MS_REC)
        os.close(file)
    return staged


def _become(libc: ctypes.CDLL, user: int, *, reads_all: bool) -> None:
    """Becomes a user without rights, but for the one to read all files."""
    os.setgroups([])
    os.setresgid(user, user, user)
    if reads_all:  # another user keeps it, also where a program asks for access(2)
        _call(libc.prctl(PR_SET_SECUREBITS, NO_SETUID_FIXUP, 0, 0, 0), "prctl")
    os.setresuid(user, user, user)
    if reads_all:
        only = 1 << CAP_DAC_READ_SEARCH
        header = (ctypes.c_uint32 * 2)(CAPABILITIES_V3, 0)
        sets = (ctypes.c_uint32 * 6)(only, only, only, 0, 0, 0)
        _call(libc.capset(header, sets), "capset")
        raised = libc.prctl(
            PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_READ_SEARCH, 0, 0
        )
        _call(raised, "prctl")


def _with_sources(command: list[str], staged: dict[str, str]) -> list[str]:
    """``command`` of bubblewrap with what it binds taken from where it is staged."""
    words = list(command)
    for i, word in enumerate(words[:-2]):
        if word == "--":
            break
        if word in {"--ro-bind", "--bind"}:
            words[i + 1] = staged.get(words[i + 1], words[i + 1])
    return words


def main() -> None:
    """Does as the description says, and becomes the command in it."""
    spec = json.loads(sys.argv[1])
    libc = ctypes.CDLL(None, use_errno=True)
    command = spec["command"]
    if spec["stage"]:
        command = _with_sources(command, _stage(libc, spec["stage"]))
    if spec["user"]:
        _become(libc, spec["user"], reads_all=spec["reads_all"])
    # The parent may be gone before it is asked to take this one along.
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    # Its descendants stay below it when a process between them ends.
    _call(libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "prctl")
    _call(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")
    if spec["landlock"] or spec["filter"]:
        sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
        import landlock
        import seccomp

        if spec["landlock"]:
            landlock.restrict(**spec["landlock"])
        if spec["filter"]:
            seccomp.install(may_fork=True, left_out=spec["filter"])
    os.execve(command[0], command, spec["environment"])


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.stderr.write(f"the box cannot be entered: {error}\n")
        sys.exit(125)
