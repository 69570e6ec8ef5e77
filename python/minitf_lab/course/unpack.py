"""Unpacks the zip of a whole class: the lab's files, archives and repositories.

Whole checkouts also contain builds, which stay packed. Other files near the top become
empty files, so that a message can name them.
"""

import errno
import functools
import os
import re
import stat
import struct
import zipfile
from datetime import datetime, tzinfo
from pathlib import Path
from typing import BinaryIO

from minitf_lab import project
from minitf_lab.course import clock, gradescope_metadata, layouts
from minitf_lab.course.identity import shown
from minitf_lab.labs.handin import archives, intake
from minitf_lab.labs.handin.archives import Rejected

MAX_MEMBERS, MAX_TOTAL = 1_000_000, 4 << 30  # of a download; bytes of what is unpacked
MAX_OF_GIT = 512 << 20  # bytes of a repository's file
CHUNK = 1 << 20
TOP, NEAR = 2, 4  # depths: all is unpacked; names are kept
UTF8_FLAG = 0x800
STAMP = 0x5455  # the extra field with the time in UTC
GIT = re.compile(r"(?:^|/)(?:\.git/|objects/|refs/)|/(?:HEAD|packed-refs|config)$")
HINT = "leave out build/ and .venv/: zip -r class.zip . -x '*/build/*' '*/.venv/*'"


def member_name(info: zipfile.ZipInfo) -> str:
    """The name of a member; UTF-8 also where the zip does not say so, as Debian's."""
    if info.flag_bits & UTF8_FLAG:
        return info.orig_filename
    try:
        return info.orig_filename.encode("cp437").decode()
    except UnicodeError:
        return info.orig_filename


class _Unpacker:
    def __init__(self, lab: project.Lab, into: Path, zone: tzinfo | None) -> None:
        self._into, self._zone = into, zone
        self._is_of_lab = functools.cache(functools.partial(layouts.is_of_lab, lab))
        self._folders: set[Path] = set()

    def is_wanted(self, info: zipfile.ZipInfo) -> bool:
        """Whether the contents of a member may be read later."""
        name = member_name(info)
        *folders, last = name.split("/")
        is_known = last == gradescope_metadata.NAME or self._is_of_lab(last)
        is_known |= last.lower().endswith(archives.PACKED)
        return len(folders) < TOP or is_known or bool(GIT.search(name))

    def unpack(self, file: zipfile.ZipFile, info: zipfile.ZipInfo) -> str:
        """Unpacks one member; why not, if it was left out."""
        try:
            name = archives.checked_name(member_name(info))
        except Rejected as error:
            return str(error)
        target = self._into / name
        if not name or self._is_placed(info, target, name.count("/") + 1):
            return ""
        mode = info.external_attr >> 16 if info.create_system == 3 else 0
        if stat.S_IFMT(mode) not in {0, stat.S_IFREG}:
            return "it is no plain file"
        is_git = bool(GIT.search(name))
        limit = MAX_OF_GIT if is_git else intake.MAX_ARCHIVE
        if info.file_size > limit:
            return f"it is longer than {limit} bytes; ask for the zip of ./lab submit"
        if info.flag_bits & 1:
            return "it is encrypted"
        try:
            self._make(target.parent)
            out = target.open("xb")
        except OSError as error:
            return self._left_out(error)
        return self._write(file, info, target, out)

    def _is_placed(self, info: zipfile.ZipInfo, target: Path, depth: int) -> bool:
        """Makes a folder, or an empty file for contents that nobody reads."""
        try:
            if info.is_dir():
                if depth <= TOP:
                    self._make(target)
                return True
            if self.is_wanted(info):
                return False
            if depth <= NEAR:
                self._make(target.parent)
                target.touch()
            else:
                self._make(
                    self._into.joinpath(*target.relative_to(self._into).parts[:TOP])
                )
        except OSError as error:
            self._left_out(error)
        return True

    def _make(self, folder: Path) -> None:
        if folder not in self._folders:
            folder.mkdir(parents=True, exist_ok=True)
            self._folders.add(folder)

    def _write(
        self, file: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path, out: BinaryIO
    ) -> str:
        try:
            with file.open(info) as source, out:
                while part := source.read(CHUNK):
                    out.write(part)
            moment = _time_of(info, self._zone)
            os.utime(target, (moment, moment))
        except OSError as error:
            target.unlink()
            return self._left_out(error)
        except Exception as error:  # zipfile raises half a dozen types
            target.unlink()
            return f"it is broken: {error}"
        return ""

    def _left_out(self, error: OSError) -> str:
        """Why a member was left out; a full disk is no fault of it."""
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise project.LabError(f"{self._into}: {error.strerror}") from error
        return error.strerror or str(error)


def _time_of(info: zipfile.ZipInfo, zone: tzinfo | None) -> float:
    """When a member was changed: in UTC if the zip says so, else by the wall clock."""
    extra = info.extra
    while len(extra) >= 4:
        kind, size = struct.unpack("<HH", extra[:4])
        if kind == STAMP and size >= 5 and extra[4] & 1:
            return float(struct.unpack("<i", extra[5:9])[0])
        extra = extra[4 + size :]
    try:
        return datetime(*info.date_time, tzinfo=zone).timestamp()
    except clock.ERRORS:
        return 0


def unpack(
    path: Path, into: Path, lab: project.Lab, zone: tzinfo | None = None
) -> list[str]:
    """Unpacks the zip of a download: files of students that are not too large.

    ``zone`` is for members without a time in UTC.

    Returns:
        A sentence for each member that was left out.

    Raises:
        Rejected: it is no zip, or one that no gradebook makes.
    """
    odd: list[str] = []
    unpacker = _Unpacker(lab, into, zone)
    try:
        with zipfile.ZipFile(path) as file:
            infos = file.infolist()
            total = sum(one.file_size for one in infos if unpacker.is_wanted(one))
            if len(infos) > MAX_MEMBERS or total > MAX_TOTAL:
                raise Rejected(
                    f"{path.name}: it has {len(infos)} members and {total} bytes of "
                    f"hand-ins, at most {MAX_MEMBERS} and {MAX_TOTAL} are taken; {HINT}"
                )
            for info in infos:
                if said := unpacker.unpack(file, info):
                    odd.append(f"{shown(member_name(info))}: {said}")
    except FileNotFoundError:
        raise Rejected(f"{path}: there is no such file or folder") from None
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise Rejected(f"{path.name}: it is no zip, or it is broken: {error}") from error
    return odd
