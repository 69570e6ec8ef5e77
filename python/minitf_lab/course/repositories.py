"""Hand-ins in Git repositories: the last commit before the due date.

A repository of a student is never used as one: its settings may name programs that Git
would run. Its objects are read by way of an empty repository of ours.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from minitf_lab import project
from minitf_lab.handin import archives, intake
from minitf_lab.handin.archives import Rejected

LIMIT_S = 120
PROTOCOLS = "https:ssh:git:file"
MAX_REFS = 16 << 20


def is_repository(path: Path) -> bool:
    """Whether a folder is one, with its files beside it or bare."""
    return _objects(path) is not None


def _objects(path: Path) -> Path | None:
    """Where its objects are."""
    for folder in (path / ".git", path):
        if (folder / "HEAD").is_file() and (folder / "objects").is_dir():
            return folder / "objects"
    return None


def _git(folder: Path, objects: Path | None, *words: str, limit: int = 1 << 20) -> bytes:
    """Runs Git in the empty repository ``folder``, with other objects."""
    environment = {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": str(folder),
        "GIT_DIR": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_NO_REPLACE_OBJECTS": "1",
        "LC_ALL": "C",
    }
    if objects:
        environment["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = str(objects)
    # No shortcuts but the objects themselves.
    plain = ["-c", "core.commitGraph=false", "-c", "core.multiPackIndex=false"]
    return _run(["git", *plain, *words], environment, words[0])[:limit]


def _run(command: list[str], environment: dict[str, str], name: str) -> bytes:
    """What a command of Git prints.

    Raises:
        Rejected: it fails, or takes too long.
        LabError: there is no Git.
    """
    if not shutil.which("git"):
        raise project.LabError("Git repositories need git: apt-get install git")
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, timeout=LIMIT_S
        )
    except subprocess.TimeoutExpired:
        raise Rejected(f"git {name}: no answer within {LIMIT_S} s") from None
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().split("\n")[-1]
        raise Rejected(f"git {name}: {ascii(said[:200])[1:-1]}")
    return done.stdout


def _head(folder: Path) -> str:
    """The commit that HEAD is."""
    try:
        head = archives.read_regular(folder / "HEAD", 1000, "HEAD").decode().strip()
        if match := re.fullmatch(r"ref: (refs/heads/[\w./-]+)", head):
            name = match[1]
            loose = folder / name
            if ".." not in name and loose.is_file():
                head = archives.read_regular(loose, 1000, name).decode().strip()
            else:
                packed = archives.read_regular(
                    folder / "packed-refs", MAX_REFS, "packed-refs"
                ).decode()
                lines = [line.split(" ") for line in packed.split("\n")]
                head = next(line[0] for line in lines if line[1:] == [name])
    except (FileNotFoundError, StopIteration, UnicodeDecodeError):
        raise Rejected("the repository has no commit") from None
    if not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", head):
        raise Rejected("the repository's HEAD is no commit")
    return head


def check_out(path: Path, lab: project.Lab, due: float, into: Path) -> float:
    """Writes the files that a hand-in may have, as they were before ``due``.

    A link becomes a link, and what is too long a file that is too long: intake refuses
    both in its own words.

    Args:
        path: Of the repository.
        lab: Whose files.
        due: In seconds since 1970; any time if 0.
        into: An empty folder.

    Returns:
        When the commit was made, as the student's machine said.

    Raises:
        Rejected: there is no commit, or none before ``due``.
    """
    objects = _objects(path)
    if objects is None or objects.is_symlink() or objects.parent.is_symlink():
        raise Rejected("it is no Git repository")
    if os.path.lexists(objects / "info" / "alternates"):
        raise Rejected("the repository borrows the objects of another one")
    head = _head(objects.parent)
    own = into.with_name(f"{into.name}.git")
    own.mkdir(parents=True)
    _git(own, None, "init", "--quiet", "--bare", "--template=")
    bound = [f"--before={int(due)}"] if due else []
    said = _git(own, objects, "rev-list", "-1", "--format=%ct", *bound, head).decode()
    if not (found := re.fullmatch(r"commit ([0-9a-f]+)\n(\d+)\n", said)):
        raise Rejected("the repository has no commit before the due date")
    folders = ["", f"{lab.folder}/", f"work/{lab.folder}/"]
    names = [*intake.all_names(lab), intake.RECEIPT]
    paths = [f"{folder}{name}" for folder in folders for name in names]
    listed = _git(own, objects, "ls-tree", "-r", "-l", "-z", found[1], "--", *paths)
    for line in listed.decode(errors="replace").split("\0"):
        if entry := re.fullmatch(r"(\d+) (\w+) +([0-9a-f]+) +(\d+|-)\t(.*)", line):
            _write(own, objects, entry, into, intake.max_bytes(lab))
    return float(found[2])


def _write(own: Path, objects: Path, entry: re.Match, into: Path, limit: int) -> None:
    """Writes one entry of a commit."""
    mode, _, name, size, path = entry.groups()
    target = into / path
    target.parent.mkdir(parents=True, exist_ok=True)
    if mode == "120000":
        target.symlink_to("a link")
    elif mode in {"100644", "100755", "100664"} and int(size) <= limit:
        target.write_bytes(_git(own, objects, "cat-file", "blob", name, limit=limit + 1))
    elif mode in {"100644", "100755", "100664"}:
        with target.open("wb") as file:
            file.truncate(limit + 1)


def clone(address: str, into: Path) -> Path:
    """Fetches a repository; its settings are ours.

    Raises:
        Rejected: it cannot be fetched.
    """
    if address.startswith("-"):
        raise Rejected(f"{ascii(address)[1:-1]} is no address")
    environment = {
        **os.environ,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": PROTOCOLS,
    }
    words = ["git", "clone", "--quiet", "--bare", "--no-local", "--template=", "--"]
    _run([*words, address, str(into)], environment, "clone")
    return into


def read_list(path: Path) -> dict[str, str]:
    """Addresses by student, from lines such as ``ada https://...``.

    Raises:
        LabError: a line is none of these, or names a student again.
    """
    found: dict[str, str] = {}
    try:
        lines = path.read_text().split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise project.LabError(f"{path}: {error}") from error
    for number, line in enumerate(lines, start=1):
        words = re.split(r"[\s,]+", line.strip(), maxsplit=1)
        if line.strip() and not line.startswith("#"):
            if len(words) != 2 or words[0] in found:
                raise project.LabError(
                    f"{path}, line {number}: expected a student, once, and an address"
                )
            found[words[0]] = words[1]
    return found
