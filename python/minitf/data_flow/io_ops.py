"""``tf.TextLineReader`` and its kin: from the names of files to their records.

A reader is state in a session, and a queue tells it what to read::

    names = tf.train.string_input_producer(["a.txt", "b.txt"])
    key, line = tf.TextLineReader().read(names)  # b"a.txt:1", the first line

Each step that fetches ``line`` reads one record.

Compare: tensorflow/python/ops/io_ops.py. Read next: ``training/coordinator.py``.
"""

from typing import Any, NamedTuple

from minitf.data_flow.data_flow_ops import QueueBase
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.tensor import Tensor


class ReaderRead(NamedTuple):
    """What ``read`` returns: two string scalars."""

    key: Tensor
    value: Tensor


class ReaderReadUpTo(NamedTuple):
    """What ``read_up_to`` returns: two vectors of strings."""

    keys: Tensor
    values: Tensor


class ReaderBase:
    """What all readers can do. Make one of the classes below.

    Args:
        reader_ref: the handle.
    """

    def __init__(self, reader_ref: Tensor):
        self._reader_ref = reader_ref

    @property
    def reader_ref(self) -> Tensor:
        """The handle, a tensor of type resource."""
        return self._reader_ref

    def read(self, queue: QueueBase | Tensor, name: str | None = None) -> ReaderRead:
        """The next record; takes a work item from ``queue`` when it needs one.

        Args:
            queue: a queue of string scalars, such as names of files, or its handle.
            name: of the node.

        Returns:
            ``key``, which says where the record comes from, and ``value``. They fail
            with OutOfRangeError when the queue is closed and there is nothing left.
        """
        return ReaderRead(*call("ReaderReadV2", self._with(queue), None, name))

    def read_up_to(
        self, queue: QueueBase | Tensor, num_records: Any, name: str | None = None
    ) -> ReaderReadUpTo:
        """The next records: up to ``num_records``, at least one, all of one work item."""
        count = convert_to_tensor(num_records, "int64")
        inputs = [*self._with(queue), count]
        return ReaderReadUpTo(*call("ReaderReadUpToV2", inputs, None, name))

    def _with(self, queue: QueueBase | Tensor) -> list[Tensor]:
        ref = queue.queue_ref if isinstance(queue, QueueBase) else queue
        return [self._reader_ref, ref]

    def num_records_produced(self, name: str | None = None) -> Tensor:
        """How many records the reader has read."""
        return self._ask("ReaderNumRecordsProducedV2", name)

    def num_work_units_completed(self, name: str | None = None) -> Tensor:
        """How many work items the reader has read to their end."""
        return self._ask("ReaderNumWorkUnitsCompletedV2", name)

    def reset(self, name: str | None = None) -> Any:
        """Lets the reader forget everything."""
        return self._ask("ReaderResetV2", name)

    def _ask(self, op_type: str, name: str | None) -> Any:
        return call(op_type, [self._reader_ref], None, name)


class IdentityReader(ReaderBase):
    """A reader whose records are the work items themselves, as key and as value."""

    def __init__(self, name: str | None = None):
        super().__init__(call("IdentityReaderV2", [], None, name))


class WholeFileReader(ReaderBase):
    """A reader whose records are whole files; the key is the file's name."""

    def __init__(self, name: str | None = None):
        super().__init__(call("WholeFileReaderV2", [], None, name))


class TextLineReader(ReaderBase):
    """A reader of lines, without their ends; the key is ``file:line``, from 1.

    Args:
        skip_header_lines: so many lines of each file are left out; 0 if None.
        name: of the node.
    """

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None):
        attrs = {"skip_header_lines": skip_header_lines}
        super().__init__(call("TextLineReaderV2", [], attrs, name))


class FixedLengthRecordReader(ReaderBase):
    """A reader of records of ``record_bytes`` bytes; the key is ``file:record``, from 0.

    Args:
        record_bytes: the length of a record.
        header_bytes: bytes before the first record.
        footer_bytes: bytes behind the last one.
        hop_bytes: from the beginning of one record to that of the next; None or 0 if
            they follow each other.
        name: of the node.
        encoding: ``"ZLIB"`` or ``"GZIP"`` for files that are packed.
    """

    def __init__(
        self,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        hop_bytes: int | None = None,
        name: str | None = None,
        encoding: str | None = None,
    ):
        attrs = {
            "record_bytes": record_bytes,
            "header_bytes": header_bytes,
            "footer_bytes": footer_bytes,
            "hop_bytes": hop_bytes,
            "encoding": encoding,
        }
        super().__init__(call("FixedLengthRecordReaderV2", [], attrs, name))


class TFRecordReader(ReaderBase):
    """A reader of TFRecord files; the key is ``file:offset``.

    Args:
        name: of the node.
        options: says how the files are packed: a ``TFRecordOptions``, a
            ``TFRecordCompressionType``, or ``"ZLIB"`` or ``"GZIP"``.
    """

    def __init__(self, name: str | None = None, options: Any = None):
        attrs = {"compression_type": _compression(options)}
        super().__init__(call("TFRecordReaderV2", [], attrs, name))


def _compression(options: Any) -> str:
    """The name of a way to pack files, as ops take it."""
    kind = getattr(options, "compression_type", options)
    if kind is None or isinstance(kind, str):
        return kind or ""
    names = ["", "ZLIB", "GZIP"]  # in the order of TFRecordCompressionType
    if not isinstance(kind, int) or not 0 <= kind < len(names):
        raise ValueError(f"{options!r} is no way to pack a file")
    return names[kind]
