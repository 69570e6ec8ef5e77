"""``tf.python_io``: record files, written and read outside of any graph.

    with tf.python_io.TFRecordWriter("digits.tfrecord") as writer:
        writer.write(example.SerializeToString())
    for record in tf.python_io.tf_record_iterator("digits.tfrecord"):
        ...

Compare: tensorflow/python/lib/io/tf_record.py. Read next: ``data_flow/parsing_ops.py``.
"""

import os
from collections.abc import Iterator
from typing import Any

from minitf import _minitf
from minitf.framework.graph import name_as_string

__all__ = [
    "TFRecordCompressionType",
    "TFRecordOptions",
    "TFRecordWriter",
    "tf_record_iterator",
]


class TFRecordCompressionType:
    """The kinds of compression."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


_NAMES = {
    TFRecordCompressionType.NONE: "",
    TFRecordCompressionType.ZLIB: "ZLIB",
    TFRecordCompressionType.GZIP: "GZIP",
}


class TFRecordOptions:
    """How a record file is written.

    Args:
        compression_type: one of TFRecordCompressionType, or "", "ZLIB", "GZIP".
        flush_mode: accepted; what has been written is flushed when it is asked for.
        input_buffer_size: accepted; buffers have a size of their own.
        output_buffer_size: accepted, too.
        window_bits: 9 to 15, how far back zlib looks; 15 if None.
        compression_level: 0 to 9; 6 if None.
        compression_method: accepted; zlib has only 8, deflate.
        mem_level: 1 to 9; 9 if None.
        compression_strategy: 0 to 4; 0 if None.

    Raises:
        ValueError: there is no such compression_type.
    """

    compression_type_map = _NAMES

    def __init__(
        self,
        compression_type: int | str | None = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ):
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """The name of a compression: "", "ZLIB" or "GZIP".

        Args:
            options: a TFRecordOptions, a number or a name, or None.
        """
        if isinstance(options, TFRecordOptions):
            options = options.compression_type
        if options is None:
            return ""
        if options in _NAMES:
            return _NAMES[options]
        if options in _NAMES.values():
            return options
        raise ValueError(f'Not a valid compression_type: "{options}"')


class TFRecordWriter:
    """Writes a record file, in place of one that may be there.

    Args:
        path: of the file.
        options: a TFRecordOptions, or a compression.

    Raises:
        errors.NotFoundError: its folder is not there.
    """

    def __init__(self, path: str, options: Any = None):
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(compression_type=options)
        self._writer = _minitf.RecordWriter(
            name_as_string(os.fspath(path)),
            TFRecordOptions.get_compression_type_string(options),
            _number(options.compression_level, -1),
            _number(options.window_bits, 15),
            _number(options.mem_level, 9),
            _number(options.compression_strategy, 0),
        )

    def __enter__(self) -> "TFRecordWriter":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def write(self, record: bytes | str) -> None:
        """Adds a record."""
        if not isinstance(record, (str, bytes)):
            raise TypeError(f"a record is bytes or a string, not {record!r}")
        self._writer.write(record.encode() if isinstance(record, str) else record)

    def flush(self) -> None:
        """Makes all records so far readable to others."""
        self._writer.flush()

    def close(self) -> None:
        """Closes the file."""
        self._writer.close()


def _number(value: int | None, default: int) -> int:
    return default if value is None else value


def tf_record_iterator(path: str, options: Any = None) -> Iterator[bytes]:
    """The records of a file, one after another.

    Args:
        path: of the file.
        options: a TFRecordOptions, or a compression.

    Raises:
        errors.NotFoundError: the file is not there.
        errors.DataLossError: a record is damaged; the message says where it begins.
    """
    compression = TFRecordOptions.get_compression_type_string(options)
    return _minitf.RecordReader(name_as_string(os.fspath(path)), compression)


def __dir__() -> list[str]:
    return __all__
