"""Zip and tar files of strangers: what is in them, and the bytes of a few members.

Nothing here writes a file. A member's name is looked at before anything else, its size is
counted while it is unpacked, and what nobody asks for stays packed.
"""

import gzip
import io
import os
import stat
import tarfile
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from minitf_lab.project import LabError

MAX_MEMBERS = 5000
MAX_UNPACKED = 64 << 20  # bytes of all members together
MAX_RATIO = 200  # of an archive of more than MAX_PLAIN bytes
MAX_PLAIN = 8 << 20
MAX_HEADER = 1 << 12  # bytes of a tar's extra header, such as a long name
BLOCK = 512  # bytes of a tar
# What other archives begin with; they are named, not read.
OTHERS = {
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!\x1a\x07": "rar",
    b"\xfd7zXZ\x00": "xz",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
}
# What a member of a zip may be besides a file and a folder.
SPECIAL = {
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
PACKED = (".zip", ".tar", ".tar.gz", ".tgz", ".7z", ".rar", ".tar.xz")


class Rejected(LabError):  # noqa: N818 - it is no error of ours
    """A hand-in, or an archive of one, that is not taken; the text says why."""


def read_regular(
    path: str | Path, limit: int, name: str, folder: int | None = None
) -> bytes:
    """The bytes of a file, opened once: no link, nothing special, not too long.

    Messages call it ``name``. ``folder`` is the descriptor of the folder that it is in.

    Raises:
        FileNotFoundError: there is none.
        Rejected: it is not such a file.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        number = os.open(path, flags, dir_fd=folder)
    except FileNotFoundError:
        raise
    except OSError as error:
        is_link = os.path.islink(path) if folder is None else _is_link(path, folder)
        said = "is a link; hand in the file itself" if is_link else f"{error.strerror}"
        raise Rejected(f"{name}: {said}") from error
    try:
        found = os.fstat(number)
        if not stat.S_ISREG(found.st_mode):
            raise Rejected(f"{name}: it is not a plain file")
        if found.st_nlink > 1:
            raise Rejected(
                f"{name}: it is a hard link; hand in a file of its own (of a backup with "
                "hard links: copy the folder with cp -r, and take the copy)"
            )
        with open(number, "rb", closefd=False) as file:
            return _limited(file, limit, name)
    finally:
        os.close(number)


def _is_link(path: str | Path, folder: int) -> bool:
    try:
        return stat.S_ISLNK(os.lstat(path, dir_fd=folder).st_mode)
    except OSError:
        return False


def _limited(file: io.BufferedIOBase, limit: int, name: str) -> bytes:
    """All of ``file``, at most ``limit`` bytes."""
    try:
        data = file.read(limit + 1)
    except OSError as error:
        raise Rejected(f"{name}: it cannot be read: {error.strerror or error}") from error
    if len(data) > limit:
        raise Rejected(f"{name}: it is longer than the {limit} bytes that are taken")
    return data


def checked_name(name: str) -> str:
    r"""The path of a member below the archive's top.

    Raises:
        Rejected: it leads elsewhere, or no file could be called so.

    >>> checked_name("./work\\\\00_hello/a.cc")
    'work/00_hello/a.cc'
    """
    shown = ascii(name[:80])
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in name):
        raise Rejected(f"the archive has a member {shown}: a name has no such characters")
    name = name.replace("\\", "/")
    parts = [part for part in name.split("/") if part not in {"", "."}]
    if name.startswith("/") or (parts and parts[0][1:2] == ":"):
        raise Rejected(f"the archive has a member {shown}: a path from the disk's top")
    if ".." in parts:
        raise Rejected(f"the archive has a member {shown}, outside of its own folder")
    return "/".join(parts)


@dataclass
class Member:
    """One entry of an archive.

    Attributes:
        name: Its path below the top.
        kind: ``file``, ``folder``, or what else it is.
        entry: What the library knows of it.
    """

    name: str
    kind: str
    entry: zipfile.ZipInfo | tarfile.TarInfo | None


class Archive:
    """A zip or a tar whose members have been looked at.

    Attributes:
        members: By their paths; folders are left out.
        time: When it was changed, in seconds since 1970.
    """

    def __init__(self, entries: list[Member]) -> None:
        self.time = 0.0
        self.members: dict[str, Member] = {}
        self._twice: set[str] = set()
        for member in entries:
            if member.kind == "folder" or not member.name:
                continue
            if member.name in self.members:
                self._twice.add(member.name)
            self.members[member.name] = member

    def has(self, name: str) -> bool:
        """Whether a file has this path."""
        return name in self.members

    def names(self) -> list[str]:
        """The paths of all files."""
        return list(self.members)

    def tops(self) -> list[str]:
        """The folders at its top."""
        parts = [name.split("/") for name in self.members]
        return list(dict.fromkeys(path[0] for path in parts if len(path) > 1))

    def read(self, name: str, limit: int) -> bytes:
        """The bytes of a member.

        Raises:
            FileNotFoundError: there is none.
            Rejected: it is not a plain file, there are two, or it is too long.
        """
        shown = PurePosixPath(name).name
        if name not in self.members:
            raise FileNotFoundError(name)
        member = self.members[name]
        if name in self._twice:
            raise Rejected(f"the archive has {shown} twice: which one counts?")
        if member.kind != "file":
            raise Rejected(f"{shown}: it is {member.kind}; hand in a plain file")
        return self._read(member, limit, shown)

    def _read(self, member: Member, limit: int, shown: str) -> bytes:
        raise NotImplementedError


class Single(Archive):
    """One file of source, under a name that the lab knows."""

    def __init__(self, name: str, data: bytes) -> None:
        super().__init__([Member(name, "file", None)])
        self._data = data

    def _read(self, member: Member, limit: int, shown: str) -> bytes:
        return _limited(io.BytesIO(self._data), limit, shown)


class _Zip(Archive):
    def __init__(self, data: bytes) -> None:
        try:
            self._file = zipfile.ZipFile(io.BytesIO(data))
            infos = self._file.infolist()
        except Exception as error:  # zipfile raises half a dozen types
            raise Rejected(f"the zip file is broken: {error}") from error
        _check_sizes(len(infos), sum(info.file_size for info in infos), len(data))
        super().__init__([self._member(info) for info in infos])

    @staticmethod
    def _member(info: zipfile.ZipInfo) -> Member:
        name = checked_name(info.orig_filename)
        mode = info.external_attr >> 16 if info.create_system == 3 else 0
        kind = SPECIAL.get(stat.S_IFMT(mode), "file")
        is_folder = info.orig_filename.endswith(("/", "\\"))
        return Member(name, "folder" if is_folder else kind, info)

    def _read(self, member: Member, limit: int, shown: str) -> bytes:
        info = member.entry
        if info.flag_bits & 0x1:
            raise Rejected(f"{shown}: it is encrypted; make a zip without a password")
        if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise Rejected(f"{shown}: it is packed by a method that is not read here")
        try:
            with self._file.open(info) as file:
                data = _limited(file, limit, shown)
        except Rejected:
            raise
        except Exception as error:  # as above
            raise Rejected(f"{shown}: it is broken in the zip: {error}") from error
        if len(data) != info.file_size:
            raise Rejected(f"{shown}: this member of the zip is cut off")
        return data


class _Tar(Archive):
    def __init__(self, data: bytes, packed: int) -> None:
        _check_sizes(_check_tar(data), len(data), packed)
        entries: list[Member] = []
        try:
            self._file = tarfile.open(fileobj=io.BytesIO(data), mode="r:")  # noqa: SIM115
            for info in self._file:
                entries.append(self._member(info))
                _check_sizes(len(entries), 0, packed)  # it may lead in a circle
        except Rejected:
            raise
        except Exception as error:  # a recursion that is too deep among them
            raise Rejected(f"the tar file is broken: {error}") from error
        super().__init__(entries)

    @staticmethod
    def _member(info: tarfile.TarInfo) -> Member:
        kind = "a device or a pipe"
        if info.isreg() and not info.issparse():
            kind = "file"
        elif info.isdir():
            kind = "folder"
        elif info.issym() or info.islnk():
            kind = "a link"
        elif info.issparse():
            kind = "a file with holes"
        return Member(checked_name(info.name), kind, info)

    def _read(self, member: Member, limit: int, shown: str) -> bytes:
        try:
            return _limited(self._file.extractfile(member.entry), limit, shown)
        except Rejected:
            raise
        except Exception as error:
            raise Rejected(f"{shown}: it is broken in the tar: {error}") from error


def _check_sizes(num_members: int, unpacked: int, packed: int) -> None:
    """Raises Rejected if the archive holds more than a hand-in ever does."""
    if num_members > MAX_MEMBERS:
        raise Rejected(
            f"the archive has {num_members} members; pack the lab's files alone"
        )
    is_bomb = unpacked > MAX_PLAIN and unpacked > MAX_RATIO * packed
    if unpacked > MAX_UNPACKED or is_bomb:
        raise Rejected(
            f"the archive of {packed} bytes unpacks to {unpacked} or more; "
            "pack the lab's files alone"
        )


def _check_tar(data: bytes) -> int:
    """Walks over the headers of a tar, and counts them.

    The library would follow sizes that lead backwards, and reads extra headers of any
    length by a slow search.

    Raises:
        Rejected: a header is none, or the file ends too early.
    """
    at = count = extra = 0
    while at + BLOCK <= len(data) and any(data[at : at + BLOCK]) and count <= MAX_MEMBERS:
        header = data[at : at + BLOCK]
        kind = header[156:157]
        try:
            size = int(header[124:136].rstrip(b"\0 ") or b"0", 8)
        except ValueError:
            raise Rejected("the tar file is broken: a member's size is none") from None
        is_old_folder = kind == b"\0" and header[:100].rstrip(b"\0").endswith(b"/")
        if kind in b"123456" or is_old_folder:
            size = 0  # such members have no data, whatever they say
        at += BLOCK
        if size < 0 or at + size > len(data):
            raise Rejected("the tar file is cut off")
        if kind in b"xgLKXSN":
            extra += size
            is_long = size > MAX_HEADER or extra > 64 * MAX_HEADER
            if is_long or b"size=-" in data[at : at + size]:
                raise Rejected("the tar file is broken: an extra header of it is odd")
        count += 1
        at += -(-size // BLOCK) * BLOCK
    return count


def _gunzip(data: bytes) -> bytes:
    """What a gzip file holds."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            found = file.read(MAX_UNPACKED + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise Rejected(f"the gzip file is broken or cut off: {error}") from error
    _check_sizes(0, len(found), len(data))
    return found


def open_archive(data: bytes) -> Archive:
    """Looks at a zip, a tar or a tar.gz.

    Raises:
        Rejected: it is none of these, is broken, or holds what no hand-in has.
    """
    for magic, kind in OTHERS.items():
        if data.startswith(magic):
            raise Rejected(f"it is a {kind} archive; hand in a zip")
    if not data:
        raise Rejected("the file is empty")
    if data.startswith(b"PK"):
        return _Zip(data)
    packed = len(data)
    if data.startswith(b"\x1f\x8b"):
        data = _gunzip(data)
    if data[257:262] == b"ustar":
        return _Tar(data, packed)
    raise Rejected("it is neither a folder nor a zip, tar or tar.gz")
