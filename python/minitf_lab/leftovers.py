"""Removes the files that a case leaves, before the next case runs.

All cases of a worker share the temporary folder and /dev/shm of their sandbox. A case
that could read a file of the case before it would know that case's inputs.
"""

import os
import tempfile


def remove_tree(folder: str) -> None:
    """Removes a folder, whatever its depth, its names and its rights are.

    Folders that lie deeper move up into ``folder`` first, so that no path grows too long.
    Nothing else may change the folder meanwhile.

    Raises:
        OSError: something cannot be removed.
    """
    waiting, number = [folder], 0
    while waiting:
        one = waiting.pop()
        os.chmod(one, 0o700)
        with os.scandir(one) as entries:
            found = list(entries)
        for entry in found:
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.path)
                continue
            target = entry.path
            if one != folder:
                while os.path.lexists(target := os.path.join(folder, str(number))):
                    number += 1
                os.chmod(entry.path, 0o700)  # a folder that moves changes its ".."
                os.rename(entry.path, target)
            waiting.append(target)
        if one != folder:
            os.rmdir(one)
    os.rmdir(folder)


def _is_own(folder: str) -> bool:
    """Whether a folder is this process's own, and it may make files there.

    A sandbox gives such a folder, or none that can be written to. Landlock does not say
    what it allows, so a file is made to find out.
    """
    try:
        with tempfile.TemporaryFile(dir=folder):
            return os.stat(folder).st_uid == os.getuid()
    except OSError:
        return False


class Leftovers:
    """The writable folders of a process in a sandbox, as they are now.

    Sandboxes mount files below these folders; what is there already stays.
    """

    def __init__(self) -> None:
        places = dict.fromkeys((tempfile.gettempdir(), "/dev/shm"))
        self._known: dict[str, os.stat_result] = {}
        self._tops = [place for place in places if _is_own(place)]
        for place in self._tops:
            self._learn(place)

    def _learn(self, folder: str) -> None:
        """Notes a folder, and folders in it of the same file system."""
        self._known[folder] = found = os.lstat(folder)
        with os.scandir(folder) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                is_inner = entry.is_dir(follow_symlinks=False)
                if is_inner and status.st_dev == found.st_dev:
                    self._learn(entry.path)
                else:
                    self._known[entry.path] = status

    def remove(self) -> None:
        """Removes everything that came since, and resets what folders have besides.

        Raises:
            OSError: something cannot be removed.
        """
        for place in self._tops:
            self._restore(place)

    def _restore(self, folder: str) -> None:
        known = self._known[folder]
        os.chmod(folder, known.st_mode & 0o7777)
        with os.scandir(folder) as entries:
            found = list(entries)
        for entry in found:
            is_folder = entry.is_dir(follow_symlinks=False)
            if entry.path not in self._known:
                if is_folder:
                    remove_tree(entry.path)
                else:
                    os.unlink(entry.path)
            elif is_folder and os.lstat(entry.path).st_dev == known.st_dev:
                self._restore(entry.path)
        for name in os.listxattr(folder):
            if name.startswith("user."):
                os.removexattr(folder, name)
        os.utime(folder, ns=(known.st_atime_ns, known.st_mtime_ns))
