"""The folder that a release goes to: a Git repository with one commit for each release.

A release that follows another one changes what differs, and what students have of their
own stays: it lies in ``work/``, where a release has no file. The same release of the
same checkout is the same commit everywhere.
"""

import hashlib
import json
import os
import subprocess
from pathlib import Path

from minitf_lab import project

_NAME = "minitf"
_ADDRESS = "minitf@localhost"


def digest(data: bytes) -> str:
    """How the list of a release names the contents of a file."""
    return hashlib.sha256(data).hexdigest()


def list_of(files: dict[str, bytes], facts: dict) -> bytes:
    """The text of the file that says what was released."""
    listed = {path: digest(data) for path, data in sorted(files.items())}
    return _text({"schema": 1, **facts, "files": listed})


def _text(said: dict) -> bytes:
    return (json.dumps(said, indent=1) + "\n").encode()


def _earlier(folder: Path) -> dict[str, set[str]]:
    """The files of the release that is there, and the hashes that each may have.

    Raises:
        LabError: the folder is something else.
    """
    path = folder / project.RELEASED
    try:
        said = json.loads(path.read_text())
        found: dict[str, set[str]] = {}
        # While a release is written, the one before it counts too.
        for listed in (said["files"], said.get("before", {})):
            for name, expected in listed.items():
                found.setdefault(name, set()).add(expected)
        if all(map(_is_inside, found)):
            return found
    except FileNotFoundError:
        raise project.LabError(
            f"{folder} is not empty, and no release made by ./lab course release; name "
            "another folder by --out"
        ) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    raise project.LabError(f"{path} is damaged: name another folder by --out")


def past_of(folder: Path) -> list[str]:
    """The labs whose answers the release that is there has as source."""
    try:
        said = json.loads((folder / project.RELEASED).read_text())["past"]
        return [str(number) for number in said]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _is_inside(path: str) -> bool:
    """Whether a path of a list can be one of ours."""
    parts = path.split("/")
    return not path.startswith("/") and not {"..", ".git", ""} & set(parts)


def check(folder: Path, files: dict[str, bytes] | None = None) -> dict[str, set[str]]:
    """Looks at the folder before ``files`` are written, if these are known.

    Returns:
        The files of the release that is there, and the hashes that each may have.

    Raises:
        LabError: it is no folder for a release, or what somebody has written there
            would be lost.
    """
    folder = folder.absolute()
    root = project.ROOT.resolve()
    if root == folder.resolve() or folder.resolve() in root.parents:
        raise project.LabError(f"{folder} holds minitf itself: name another by --out")
    if not os.path.lexists(folder):
        return {}
    if folder.is_symlink() or not folder.is_dir():
        raise project.LabError(f"{folder} is no folder: name another one by --out")
    if not any(folder.iterdir()):
        return {}
    listed = _earlier(folder)
    own = {path: {digest(data)} for path, data in (files or {}).items()}
    changed = []
    for path in sorted({*listed, *own} - {project.RELEASED}):
        known = listed.get(path, set()) | own.get(path, set())
        if os.path.lexists(folder / path) and _digest_of(folder / path) not in known:
            changed.append(path)
    if changed:
        names = ", ".join(changed[:5]) + (" and more" if len(changed) > 5 else "")
        raise project.LabError(
            f"{folder}: not as it was released: {names}. Nothing is changed: move "
            "these away, or take them back by git restore"
        )
    return listed


def _digest_of(path: Path) -> str:
    """The hash of a file; none for what is no file."""
    return digest(path.read_bytes()) if path.is_file() and not path.is_symlink() else ""


def _git(folder: Path, *words: str, said: bytes = b"", **more: str) -> str:
    """Runs Git, whatever its user has set; what it prints."""
    nothing = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    own = {key: v for key, v in os.environ.items() if not key.startswith("GIT_")}
    options = ("core.hooksPath=/dev/null", "core.autocrlf=false", "safe.directory=*")
    given = [word for option in options for word in ("-c", option)]
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *given, *words],
            env={**own, **nothing, **more},
            input=said,
            capture_output=True,
        )
    except FileNotFoundError:
        raise project.LabError("Git is missing: apt-get install git") from None
    if done.returncode != 0:
        text = done.stderr.decode(errors="replace").strip()
        raise project.LabError(f"{folder}: git {words[0]}: {text}")
    return done.stdout.decode(errors="replace")


def checkout_date() -> str:
    """When the last commit of the checkout was made, which is the date of a release."""
    return _git(project.ROOT, "log", "-1", "--format=%ct +0000").strip()


def _put(path: Path, data: bytes, *, is_program: bool) -> None:
    """Writes one file as a whole, unless it is there already."""
    mode = 0o755 if is_program else 0o644
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            part.write_bytes(data)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    path.chmod(mode)


def _remove(folder: Path, path: str) -> None:
    """Removes a file, and the folders that are empty without it."""
    (folder / path).unlink(missing_ok=True)
    for parent in Path(path).parents:
        if parent == Path() or not (folder / parent).is_dir():
            continue
        if any((folder / parent).iterdir()):
            return
        (folder / parent).rmdir()


def write(
    folder: Path, files: dict[str, bytes], programs: set[str], message: str
) -> str | None:
    """Writes a release and commits it; the commit, or None if nothing is new.

    ``files`` contains the list of them too. A write that was stopped can begin anew.

    Raises:
        LabError: it cannot be written, or something would be lost.
    """
    folder = folder.absolute()
    earlier = check(folder, files)
    gone = set(earlier) - set(files)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        listed = json.loads(files[project.RELEASED])
        if earlier:
            before = {path: _digest_of(folder / path) for path in earlier}
            listed["before"] = {path: one for path, one in before.items() if one}
        _put(folder / project.RELEASED, _text(listed), is_program=False)
        for path in sorted(set(files) - {project.RELEASED}):
            _put(folder / path, files[path], is_program=path in programs)
        for path in sorted(gone):
            _remove(folder, path)
        _put(folder / project.RELEASED, files[project.RELEASED], is_program=False)
    except OSError as error:
        place = error.filename or folder
        raise project.LabError(f"{place}: {error.strerror or error}") from error
    return _commit(folder, sorted(files), sorted(gone), message)


def _commit(folder: Path, paths: list[str], gone: list[str], message: str) -> str | None:
    """Commits these paths and no others; the commit, or None if nothing is new."""
    if not (folder / ".git").exists():
        _git(folder, "init", "--quiet", "--initial-branch=main", "--template=")
    listed = ("--pathspec-from-file=-", "--pathspec-file-nul")
    for words, names in (
        (("add", "--force"), paths),
        (("rm", "--cached", "--quiet", "--ignore-unmatch"), gone),
    ):
        if names:
            said = b"\0".join(name.encode() for name in names)
            _git(folder, "--literal-pathspecs", *words, *listed, said=said)
    if not _git(folder, "diff", "--cached", "--name-only").strip():
        return None
    people = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (
            ("NAME", _NAME),
            ("EMAIL", _ADDRESS),
            ("DATE", checkout_date()),
        )
    }
    _git(folder, "commit", "--quiet", "--no-gpg-sign", f"--message={message}", **people)
    return _git(folder, "rev-parse", "HEAD").strip()
