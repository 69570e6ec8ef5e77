"""``tf.resource_loader``: files beside the program that calls.

Compare: tensorflow/python/platform/resource_loader.py. Read next: ``build.py``.
"""

import os
import sys
from pathlib import Path
from typing import Any


def load_resource(path: str) -> bytes:
    """The bytes of a file, whose path is relative to the folder of minitf.

    Raises:
        OSError: the file cannot be read.
    """
    return (Path(__file__).parents[2] / path).read_bytes()


def _folder_of_caller(depth: int) -> str:
    return os.path.dirname(sys._getframe(depth + 1).f_code.co_filename)


def get_data_files_path() -> str:
    """The folder of the file that calls."""
    return _folder_of_caller(1)


def get_path_to_datafile(path: str) -> str:
    """The path of a file in the folder of the file that calls."""
    return os.path.join(_folder_of_caller(1), path)


def get_root_dir_with_all_resources() -> str:
    """The folder below Bazel's ``.runfiles``; elsewhere that of the file that calls."""
    folder = Path(_folder_of_caller(1))
    for inner, outer in zip([folder, *folder.parents], folder.parents, strict=False):
        if ".runfiles" in outer.name:
            return str(inner)
    return str(folder)


def readahead_file_path(path: Any, readahead: str = "128M") -> Any:
    """``path``. TensorFlow's own file system would read ahead; this one does not."""
    del readahead
    return path
