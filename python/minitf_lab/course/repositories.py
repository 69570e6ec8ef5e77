"""Hand-ins in Git repositories: the last commit before the due date.

A repository of a student is never used as one: its settings may name programs that Git
would run. Its objects are read by way of an empty repository of ours.
"""

import itertools
import os
import re
import shutil
import subprocess
from pathlib import Path

from minitf_lab import project, texts
from minitf_lab.labs import sources
from minitf_lab.labs.handin import archives, intake
from minitf_lab.labs.handin.archives import Rejected
from minitf_lab.results import plain

LIMIT_S = 120
PROTOCOLS = "https:ssh:git:file"
MAX_REFS = 16 << 20
MAX_FOLDERS, MAX_NAMED = 1000, 5  # of branches
BRANCHES = "refs/heads/"
COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
SHA1_DIGITS = 40


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


def _text(path: Path, limit: int) -> str:
    """A file of a repository; names in it may be of any bytes."""
    return os.fsdecode(archives.read_regular(path, limit, path.name))


def _branches(folder: Path) -> dict[str, str]:
    """The commit of each branch.

    Git itself keeps a branch in a file of its own, or in ``packed-refs``.
    """
    found = {}
    if os.path.lexists(folder / "packed-refs"):
        for line in _text(folder / "packed-refs", MAX_REFS).split("\n"):
            commit, _, name = line.partition(" ")
            if name.startswith(BRANCHES) and COMMIT.fullmatch(commit):
                found[name.removeprefix(BRANCHES)] = commit
    top = folder / "refs" / "heads"
    for place, _, files in itertools.islice(os.walk(top), MAX_FOLDERS):
        for file in files:
            path = Path(place) / file
            name = path.relative_to(top)
            # Git takes no such names; systems leave such files, as .DS_Store.
            if not any(
                part.startswith(".") or part.endswith(".lock") for part in name.parts
            ):
                found[str(name)] = _text(path, 1000).strip()
    return found


def _head(folder: Path) -> str:
    """The commit that HEAD names.

    In a bare repository HEAD may name a branch that nobody has pushed. Then the only
    branch counts.

    Raises:
        Rejected: there is no such commit, or several branches could be meant.
    """
    head = _text(folder / "HEAD", 1000).strip()
    if (folder / "reftable").is_dir():
        raise Rejected(
            "the repository keeps its branches as a reftable; run "
            "git refs migrate --ref-format=files"
        )
    if head.startswith(f"ref: {BRANCHES}"):
        branches = _branches(folder)
        name = head.removeprefix(f"ref: {BRANCHES}")
        if not branches:
            raise Rejected("the repository has no commit")
        is_bare = folder.name != ".git"
        if name not in branches and (len(branches) > 1 or not is_bare):
            known = ", ".join(sorted(branches)[:MAX_NAMED])
            raise Rejected(
                f"HEAD names the branch {plain(name)}, which has no commit; the "
                f"repository has the branches {plain(known)}"
            )
        head = branches.get(name) or next(iter(branches.values()))
    if not COMMIT.fullmatch(head):
        raise Rejected("the repository's HEAD is no commit")
    return head


def _begin(folder: Path, objects: Path, own: Path, head: str) -> bool:
    """Makes the empty repository ``own`` for objects of the kind of ``head``.

    Returns:
        Whether the student's repository is a shallow clone, which lacks early commits.

    Raises:
        Rejected: the list of commits whose parents are missing is broken.
    """
    kind = "sha1" if len(head) == SHA1_DIGITS else "sha256"
    own.mkdir(parents=True)
    _git(own, None, "init", "--quiet", "--bare", "--template=", f"--object-format={kind}")
    if not os.path.lexists(folder / "shallow"):
        return False
    commits = _text(folder / "shallow", MAX_REFS).split()
    if not all(COMMIT.fullmatch(commit) for commit in commits):
        raise Rejected("the repository's file shallow is broken")
    (own / "shallow").write_text("".join(f"{commit}\n" for commit in commits))
    return True


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
    is_shallow = _begin(objects.parent, objects, own, head)
    bound = [f"--before={int(due)}"] if due else []
    said = _git(own, objects, "rev-list", "-1", "--format=%ct", *bound, head).decode()
    if not (found := re.fullmatch(r"commit ([0-9a-f]+)\n(\d+)\n", said)):
        why = (
            "; it is a shallow clone, so clone it with all commits" if is_shallow else ""
        )
        raise Rejected(f"the repository has no commit before the due date{why}")
    folders = ["", f"{lab.folder}/", f"work/{lab.folder}/"]
    names = [*intake.all_names(lab), intake.RECEIPT]
    possible = [one for name in names for one in sources.names_of(name)]
    paths = [f"{folder}{name}" for folder in folders for name in possible]
    listed = _git(own, objects, "ls-tree", "-r", "-l", "-z", found[1], "--", *paths)
    if not listed:
        raise Rejected(
            f"commit {found[1][:12]} has no file of lab {lab.number}; if .gitignore "
            f"names work/, add them by git add --force work/{lab.folder}"
        )
    for line in listed.decode(errors="replace").split("\0")[:-1]:
        entry = re.fullmatch(r"(\d+) (\w+) +([0-9a-f]+) +(\d+|-)\t(.*)", line)
        if not entry:  # Git writes BAD for the size of a missing file
            raise Rejected(
                f"the repository lacks the contents of {plain(line.split(chr(9))[-1])}; "
                "clone it whole, without --filter"
            )
        is_notebook = entry[5].endswith(".ipynb")
        limit = sources.MAX_NOTEBOOK if is_notebook else intake.max_bytes(lab)
        _write(own, objects, entry, into, limit)
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
    """Addresses by student, from lines such as ``Ada Lovelace https://...``.

    The address is the last word. A tab or a comma may stand before it.

    Raises:
        LabError: a line is none of these, or names a student again.
    """
    found: dict[str, str] = {}
    try:
        lines = texts.read(path, str(path)).split("\n")
    except (OSError, ValueError) as error:
        raise project.LabError(f"{path}: {error}") from error
    for number, line in enumerate(lines, start=1):
        if line.strip() and not line.startswith("#"):
            match = re.fullmatch(r"\s*(\S.*?)[\s,]+([^\s,]+)\s*", line)
            if not match or match[1] in found:
                raise project.LabError(
                    f"{path}, line {number}: expected a student, once, and an address; "
                    f"it is '{plain(line.strip())}'"
                )
            found[match[1]] = match[2]
    return found
