"""``tf.gfile``: files and folders of this machine, under TensorFlow's names.

Compare: tensorflow/python/platform/gfile.py, lib/io/file_io.py. Read next:
``lib/io/tf_record.py``.
"""

import contextlib
import errno
import glob as _glob
import os
import shutil
from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any

from minitf.framework import errors

__all__ = [
    "Copy",
    "DeleteRecursively",
    "Exists",
    "FastGFile",
    "GFile",
    "Glob",
    "IsDirectory",
    "ListDirectory",
    "MakeDirs",
    "MkDir",
    "Open",
    "Remove",
    "Rename",
    "Stat",
    "Walk",
    "copy",
    "exists",
    "glob",
    "isdir",
    "listdir",
    "makedirs",
    "mkdir",
    "remove",
    "rename",
    "rmtree",
    "stat",
    "walk",
]

_CODES = {
    errno.ENOENT: errors.NOT_FOUND,
    errno.EEXIST: errors.ALREADY_EXISTS,
    errno.EACCES: errors.PERMISSION_DENIED,
    errno.EPERM: errors.PERMISSION_DENIED,
    errno.EROFS: errors.PERMISSION_DENIED,
    errno.EISDIR: errors.FAILED_PRECONDITION,
    errno.ENOTDIR: errors.FAILED_PRECONDITION,
    errno.ENOTEMPTY: errors.FAILED_PRECONDITION,
    errno.ENOSPC: errors.RESOURCE_EXHAUSTED,
}


@contextlib.contextmanager
def _errors_of(path: Any) -> Iterator[None]:
    """Makes of an OSError within it the error of tf.errors that says the same."""
    text = _path(path)
    try:
        yield
    except OSError as error:
        code = _CODES.get(error.errno, errors.UNKNOWN)
        message = f"{text}; {error.strerror or error}"
        raise errors.exception_type_from_error_code(code)(None, None, message) from error


def _path(path: Any) -> Any:
    """A path as text or bytes. Raises TypeError if it is none: os takes integers, too."""
    try:
        os.fsencode(path)
    except TypeError:
        raise TypeError(f"a path is a string, not {path!r}") from None
    except UnicodeError:
        raise ValueError(f"{path!r} is no path: it has half a character") from None
    return os.fspath(path)


class GFile:
    """A file. It opens when it is first read or written.

    Args:
        name: its path.
        mode: "r", "w", "a", "r+" or "w+"; with "b" for bytes instead of text.
    """

    def __init__(self, name: Any, mode: str = "r"):
        if str(mode).replace("b", "") not in ("r", "w", "a", "r+", "w+", "a+"):
            raise errors.InvalidArgumentError(
                None,
                None,
                f"mode is not 'r' or 'w' or 'a' or one of these with '+' or "
                f"'b': '{mode}'",
            )
        self._name = _path(name)
        self._mode = mode
        self._file: Any = None

    @property
    def name(self) -> str:
        """The path."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode."""
        return self._mode

    def _opened(self, *needed: str) -> Any:
        if not any(letter in self._mode for letter in needed):
            what = "reading" if "r" in needed else "writing"
            raise errors.PermissionDeniedError(
                None, None, f"File isn't open for {what}: {self._name}"
            )
        if self._file is None:
            with _errors_of(self._name):
                self._file = open(self._name, self._mode)  # noqa: SIM115
        return self._file

    def read(self, n: int = -1) -> Any:
        """The next ``n`` characters or bytes; all the rest if -1."""
        file = self._opened("r", "+")
        with _errors_of(self._name):
            return file.read(n)

    def readline(self) -> Any:
        """The next line with its end; "" behind the last one."""
        file = self._opened("r", "+")
        with _errors_of(self._name):
            return file.readline()

    def readlines(self) -> list[Any]:
        """All lines that are left."""
        return list(self)

    def write(self, file_content: Any) -> None:
        """Appends text or bytes."""
        file = self._opened("w", "a", "+")
        if "b" in self._mode and isinstance(file_content, str):
            file_content = file_content.encode()
        elif "b" not in self._mode and isinstance(file_content, bytes):
            file_content = file_content.decode()
        with _errors_of(self._name):
            file.write(file_content)

    def seek(
        self, offset: int | None = None, whence: int = 0, position: int | None = None
    ) -> None:
        """Goes to ``offset``, counted from the start, from here (1) or the end (2).

        ``position`` is a former name of ``offset``.
        """
        offset = position if offset is None else offset
        if offset is None:
            raise TypeError("seek(): offset argument required")
        file = self._opened("r", "+")
        with _errors_of(self._name):
            file.seek(offset, whence)

    def tell(self) -> int:
        """The present place."""
        return 0 if self._file is None else self._file.tell()

    def size(self) -> int:
        """How many bytes the file has."""
        return stat(self._name).length

    def flush(self) -> None:
        """Hands what was written to the system."""
        if self._file is not None:
            with _errors_of(self._name):
                self._file.flush()

    def close(self) -> None:
        """Closes the file."""
        if self._file is None and self._mode[0] in "wa":
            self._opened("w", "a")  # an empty file is one, too
        if self._file is not None:
            with _errors_of(self._name):
                self._file.close()
            self._file = None

    def __enter__(self) -> "GFile":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __iter__(self) -> "GFile":
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line


FastGFile = Open = GFile

FileStatistics = namedtuple("FileStatistics", ["length", "mtime_nsec", "is_directory"])


def exists(path: Any) -> bool:
    """Whether there is a file or folder."""
    return os.path.exists(_path(path))


def isdir(path: Any) -> bool:
    """Whether it is a folder."""
    return os.path.isdir(_path(path))


def stat(path: Any) -> FileStatistics:
    """How long the file is, when it was changed, whether it is a folder."""
    with _errors_of(path):
        about = os.stat(_path(path))
    return FileStatistics(about.st_size, about.st_mtime_ns, os.path.isdir(path))


def glob(pattern: Any) -> list[str]:
    """The paths that match a pattern, or any of a list of patterns."""
    patterns = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    return [path for item in patterns for path in sorted(_glob.glob(_path(item)))]


def listdir(path: Any) -> list[str]:
    """The names in a folder.

    Raises:
        errors.NotFoundError: there is no such folder.
    """
    if not isdir(path):
        raise errors.NotFoundError(None, None, "Could not find directory")
    with _errors_of(path):
        return sorted(os.listdir(path))


def mkdir(path: Any) -> None:
    """Makes a folder in one that is there."""
    with _errors_of(path):
        os.mkdir(path)


def makedirs(path: Any) -> None:
    """Makes a folder and those that it lies in. One that is there will do."""
    with _errors_of(path):
        os.makedirs(path, exist_ok=True)


def remove(path: Any) -> None:
    """Deletes a file."""
    with _errors_of(path):
        os.remove(path)


def rmtree(path: Any) -> None:
    """Deletes a folder and all that is in it."""
    with _errors_of(path):
        shutil.rmtree(path)


def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Moves a file or folder.

    Raises:
        errors.AlreadyExistsError: there is a ``dst``, and ``overwrite`` is False.
    """
    _check_target(dst, overwrite)
    with _errors_of(src):
        os.replace(src, dst)


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies a file.

    Raises:
        errors.AlreadyExistsError: there is a ``dst``, and ``overwrite`` is False.
    """
    _check_target(dst, overwrite)
    with _errors_of(src):
        shutil.copyfile(src, dst)


def _check_target(path: Any, overwrite: bool) -> None:
    if exists(path) and not overwrite:
        raise errors.AlreadyExistsError(None, None, f"file already exists: {_path(path)}")


def walk(
    top: Any, topdown: bool = True, onerror: Callable | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """For each folder in ``top``: its path, the folders and the files in it.

    ``onerror`` is called with the OpError of a folder that cannot be read.
    """

    def report(error: OSError) -> None:
        try:
            with _errors_of(error.filename):
                raise error
        except errors.OpError as reported:
            onerror(reported)

    for folder, folders, files in os.walk(top, topdown, report if onerror else None):
        folders.sort()
        yield folder, folders, sorted(files)


# ---- The same under their former names, and with their former arguments ----------------


def Exists(filename: Any) -> bool:  # noqa: N802
    """As exists."""
    return exists(filename)


def IsDirectory(dirname: Any) -> bool:  # noqa: N802
    """As isdir."""
    return isdir(dirname)


def Stat(filename: Any) -> FileStatistics:  # noqa: N802
    """As stat."""
    return stat(filename)


def Glob(filename: Any) -> list[str]:  # noqa: N802
    """As glob."""
    return glob(filename)


def ListDirectory(dirname: Any) -> list[str]:  # noqa: N802
    """As listdir."""
    return listdir(dirname)


def MkDir(dirname: Any) -> None:  # noqa: N802
    """As mkdir."""
    mkdir(dirname)


def MakeDirs(dirname: Any) -> None:  # noqa: N802
    """As makedirs."""
    makedirs(dirname)


def Remove(filename: Any) -> None:  # noqa: N802
    """As remove."""
    remove(filename)


def DeleteRecursively(dirname: Any) -> None:  # noqa: N802
    """As rmtree."""
    rmtree(dirname)


def Rename(oldname: Any, newname: Any, overwrite: bool = False) -> None:  # noqa: N802
    """As rename."""
    rename(oldname, newname, overwrite)


def Copy(oldpath: Any, newpath: Any, overwrite: bool = False) -> None:  # noqa: N802
    """As copy."""
    copy(oldpath, newpath, overwrite)


def Walk(  # noqa: N802
    top: Any, in_order: bool = True
) -> Iterator[tuple[str, list[str], list[str]]]:
    """As walk; folders come before those in them if ``in_order``."""
    return walk(top, in_order)


def __dir__() -> list[str]:
    return __all__
