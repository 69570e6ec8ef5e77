"""Text files of students and instructors, in the encodings that editors write.

Notepad and Visual Studio write a byte-order mark, and may write UTF-16. Practice and
grader read such files by these functions, so both get the same text.
"""

import codecs
from pathlib import Path

BOM = "\ufeff"
# UTF-32 comes first: its mark begins with that of UTF-16.
MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


def decode(data: bytes, name: str) -> str:
    r"""The text in ``data``, without a byte-order mark. Line ends stay as they are.

    Args:
        data: UTF-8, or UTF-16 or UTF-32 with a byte-order mark.
        name: Of the file, for the message.

    Raises:
        ValueError: ``data`` is in another encoding, or has a zero byte.

    >>> decode("\ufeffint a;".encode("utf-16"), "a.cc")
    'int a;'
    """
    encoding = next((word for mark, word in MARKS if data.startswith(mark)), "UTF-8")
    try:
        text = data.decode(encoding).lstrip(BOM)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{name}: byte {error.start} is not {encoding}; save the file as UTF-8"
        ) from error
    if "\0" in text:
        raise ValueError(
            f"{name}: the file has a zero byte, so it is no text in UTF-8; "
            "save it as UTF-8"
        )
    return text


def read(path: Path, name: str = "") -> str:
    r"""The text of a file, as ``decode``; every line ends with ``\n``.

    Raises:
        ValueError: as ``decode``.
        OSError: the file cannot be read.
    """
    text = decode(path.read_bytes(), name or path.name)
    return text.replace("\r\n", "\n").replace("\r", "\n")
