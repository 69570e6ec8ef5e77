"""Record files from Python: TensorFlow's bytes, options, and damaged files."""

import itertools

import pytest

import minitf as tf
from minitf import _minitf

# Written by TensorFlow 2.21: "abc", "defg" and "".
PLAIN = bytes.fromhex(
    "0300000000000000b099490e6162636e57f121"
    "0400000000000000424552046465666727071ba1"
    "000000000000000029039807d8ea82a2"
)
GZIP = bytes.fromhex(
    "1f8b0800000000000003636680800d333df9129392f3c23f2ab240859c5c83585252d3d2d5d9"
    "a517428518349967b0df78d5b408003afdd69537000000"
)
ZLIB = bytes.fromhex(
    "789c636680800d333df9129392f3c23f2ab240859c5c83585252d3d2d5d9a517428518349967"
    "b0df78d5b408001b990bb3"
)
Kind = tf.python_io.TFRecordCompressionType


def write(path, records, options=None):
    with tf.python_io.TFRecordWriter(str(path), options) as writer:
        for record in records:
            writer.write(record)
    return str(path)


def read(path, options=None):
    return list(tf.python_io.tf_record_iterator(str(path), options))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (None, PLAIN),
        ("", PLAIN),
        (Kind.NONE, PLAIN),
        ("GZIP", GZIP),
        (Kind.GZIP, GZIP),
        ("ZLIB", ZLIB),
        (Kind.ZLIB, ZLIB),
    ],
)
def test_files_have_the_bytes_that_tensorflow_writes(tmp_path, kind, expected):
    path = write(tmp_path / "a", [b"abc", "defg", b""], kind)
    assert (tmp_path / "a").read_bytes() == expected
    assert read(path, kind) == [b"abc", b"defg", b""]
    options = tf.python_io.TFRecordOptions(kind)
    assert read(path, options) == [b"abc", b"defg", b""]


def test_a_thousand_records_come_back_in_order(tmp_path):
    records = [b"%d " % i * (i % 50) for i in range(1000)]
    assert read(write(tmp_path / "a", records)) == records


def test_the_level_of_compression_is_taken(tmp_path):
    records = [bytes(range(256)) * 20]
    sizes = []
    for level in (0, 9):
        options = tf.io.TFRecordOptions("ZLIB", compression_level=level)
        path = write(tmp_path / "a", records, options)
        assert read(path, "ZLIB") == records
        sizes.append((tmp_path / "a").stat().st_size)
    assert sizes[0] > 5000 > 1000 > sizes[1]


def test_an_unknown_compression_is_refused(tmp_path):
    for make in (tf.io.TFRecordOptions, lambda kind: write(tmp_path / "a", [], kind)):
        with pytest.raises(ValueError, match='Not a valid compression_type: "LZ4"'):
            make("LZ4")
    options = tf.io.TFRecordOptions("ZLIB", compression_level=77)
    with pytest.raises(tf.errors.InvalidArgumentError, match="zlib refuses level 77"):
        write(tmp_path / "a", [], options)


def test_a_damaged_record_is_named(tmp_path):
    path = write(tmp_path / "a", [b"abc", b"defg"])
    data = bytearray(PLAIN[:39])
    data[31] ^= 1
    (tmp_path / "a").write_bytes(data)
    records = tf.python_io.tf_record_iterator(path)
    assert next(records) == b"abc"
    with pytest.raises(tf.errors.DataLossError, match="corrupted record at 19 in .*a"):
        next(records)
    (tmp_path / "a").write_bytes(PLAIN[:38])
    with pytest.raises(tf.errors.DataLossError, match="truncated record at 19 in .*a"):
        read(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="none; No such file"):
        read(tmp_path / "none")
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        write(tmp_path / "no" / "folder", [])


def test_a_closed_writer_does_not_write(tmp_path):
    writer = tf.io.TFRecordWriter(str(tmp_path / "a"))
    writer.write(b"abc")
    writer.flush()
    assert read(tmp_path / "a") == [b"abc"]
    writer.close()
    writer.close()
    with pytest.raises(tf.errors.FailedPreconditionError, match="closed"):
        writer.write(b"late")
    with pytest.raises(TypeError):
        writer.write(3)


def test_records_can_be_taken_one_by_one(tmp_path):
    path = write(tmp_path / "a", [b"%d" % i for i in range(10)])
    records = tf.python_io.tf_record_iterator(path)
    assert list(itertools.islice(records, 3)) == [b"0", b"1", b"2"]
    assert next(records) == b"3"


@pytest.mark.parametrize(("kind", "packed"), [("GZIP", GZIP), ("ZLIB", ZLIB)])
def test_a_reader_gives_no_record_after_packed_bytes_that_make_no_sense(
    tmp_path, kind, packed
):
    (tmp_path / "a").write_bytes(packed[:-1])
    reader = _minitf.RecordReader(str(tmp_path / "a"), kind)
    records, messages = [], []
    for _ in range(6):
        try:
            records.append(next(reader))
        except tf.errors.DataLossError as error:
            messages.append(str(error))
    assert records == [b"abc", b"defg", b""], "and none of them again"
    assert len(messages) == 3 and len(set(messages)) == 1
    assert not reader.skip_corrupted()
