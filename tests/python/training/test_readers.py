"""Readers in Python: the five of minitf, and one from a library of its own.

Keys, values and messages are those that TensorFlow 1.15 gives for the same files, except
that a truncated record is an error here.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from source_copy import ROOT, compile_files

import minitf as tf
from minitf.framework import errors

GUIDE = ROOT / "docs" / "adding_a_reader.md"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with files, the current one."""
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_bytes(b"one\ntwo\r\nlast")
    Path("b.txt").write_bytes(b"")
    Path("c.txt").write_bytes(b"x\n")
    Path("f.bin").write_bytes(b"HHaaabbbcccF")
    return tmp_path


def work(session, items):
    """A closed queue of work items."""
    queue = tf.FIFOQueue(100, tf.string, shapes=[[]])
    session.run(queue.enqueue_many([items]))
    session.run(queue.close())
    return queue


def read_all(session, reader, items):
    """All records, as pairs, until the work is done."""
    record = list(reader.read(work(session, items)))
    found = []
    while True:
        try:
            found.append(tuple(session.run(record)))
        except errors.OutOfRangeError:
            return found


def test_lines(session, folder):
    files = ["a.txt", "b.txt", "c.txt"]
    reader = tf.TextLineReader()
    assert read_all(session, reader, files) == [
        (b"a.txt:1", b"one"),
        (b"a.txt:2", b"two"),
        (b"a.txt:3", b"last"),
        (b"c.txt:1", b"x"),
    ]
    counts = [reader.num_records_produced(), reader.num_work_units_completed()]
    assert session.run(counts) == [4, 3]
    session.run(reader.reset())
    assert session.run(counts) == [0, 0]
    skipping = tf.TextLineReader(skip_header_lines=2)
    assert read_all(session, skipping, files) == [(b"a.txt:3", b"last")]


def test_whole_files_and_items(session, folder):
    assert read_all(session, tf.WholeFileReader(), ["c.txt", "b.txt"]) == [
        (b"c.txt", b"x\n"),
        (b"b.txt", b""),
    ]
    assert read_all(session, tf.IdentityReader(), ["i", "j"]) == [
        (b"i", b"i"),
        (b"j", b"j"),
    ]


def test_records_of_fixed_length(session, folder):
    reader = tf.FixedLengthRecordReader(3, header_bytes=2, footer_bytes=1)
    assert read_all(session, reader, ["f.bin"]) == [
        (b"f.bin:0", b"aaa"),
        (b"f.bin:1", b"bbb"),
        (b"f.bin:2", b"ccc"),
    ]
    hopping = tf.FixedLengthRecordReader(3, 2, 1, hop_bytes=4)
    assert [value for _, value in read_all(session, hopping, ["f.bin"])] == [
        b"aaa",
        b"bbc",
    ]


def test_keys_of_tfrecords_are_file_and_offset(session, folder):
    with tf.python_io.TFRecordWriter("ours") as writer:
        writer.write(b"abc")
        writer.write(b"defg")
    first = bytes.fromhex("0300000000000000b099490e6162636e57f121")
    assert Path("ours").read_bytes().startswith(first)
    assert len(Path("ours").read_bytes()) == 39
    records = read_all(session, tf.TFRecordReader(), ["ours"])
    assert records == [(b"ours:0", b"abc"), (b"ours:19", b"defg")]


def test_packed_tfrecords(session, folder):
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    with tf.python_io.TFRecordWriter("packed", options) as writer:
        writer.write(b"abc")
    records = read_all(session, tf.TFRecordReader(options=options), ["packed"])
    assert records == [(b"packed:0", b"abc")]


def test_read_up_to_stays_in_one_work_item(session, folder):
    queue = work(session, ["a.txt", "b.txt", "c.txt"])
    keys, values = tf.TextLineReader().read_up_to(queue, 2)
    assert [session.run(values).tolist() for _ in range(3)] == [
        [b"one", b"two"],
        [b"last"],
        [b"x"],
    ]
    assert keys.shape.as_list() == [None]


def test_errors_say_which_file(session, folder):
    record = tf.TextLineReader().read(work(session, ["none.txt", "c.txt"]))
    with pytest.raises(errors.NotFoundError, match="none.txt; No such file or directory"):
        session.run(record.value)
    assert session.run(record.value) == b"x", "the next file is read"

    Path("cut").write_bytes(bytes.fromhex("0300000000000000b099490e6162"))
    record = tf.TFRecordReader().read(work(session, ["cut"]))
    for _ in range(2):
        with pytest.raises(errors.DataLossError, match="truncated record at 0 in cut"):
            session.run(record.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tf.FixedLengthRecordReader(0), "record_bytes must be > 0 not 0"),
        (lambda: tf.FixedLengthRecordReader(1, -1), "header_bytes must be >= 0 not -1"),
        (lambda: tf.FixedLengthRecordReader(1, encoding="LZ"), "'LZ'"),
        (lambda: tf.TextLineReader(-1), "skip_header_lines must be >= 0 not -1"),
        (lambda: tf.TFRecordReader(options="LZ"), "'LZ'"),
    ],
)
def test_settings_that_make_no_sense(session, make, message):
    with pytest.raises(errors.InvalidArgumentError, match=message):
        session.run(make().num_records_produced())


def test_a_queue_of_something_else_is_refused(session):
    reader = tf.IdentityReader()
    numbers = tf.FIFOQueue(3, tf.int32)
    with pytest.raises(errors.InvalidArgumentError, match="one component of type string"):
        session.run(reader.read(numbers).key)
    vectors = tf.FIFOQueue(3, tf.string)
    session.run(vectors.enqueue([["a", "b"]]))
    with pytest.raises(errors.InvalidArgumentError, match=r"one string, got shape \[2\]"):
        session.run(reader.read(vectors).key)


# ---- The classes -----------------------------------------------------------------------

HEADERS = [
    "minitf/io/readers/reader.h",
    "minitf/io/readers/file_readers.h",
    "minitf/io/readers/reader_op_kernel.h",
    "kernels/cpu/data/readers.cc",
]
# Kernels of ops that use a reader; the diagram shows those that make one.
USERS = ("AskReaderOp", "ReaderReadOp", "ReaderReadUpToOp", "ReaderResetOp")


def test_the_diagram_is_that_of_the_headers():
    expected = ["classDiagram"]
    for header in HEADERS:
        code = (ROOT / header).read_text()
        for name, base in re.findall(
            r"^class (\w+)(?: final)? : public (\w+)", code, re.M
        ):
            if "Reader" in name and name not in USERS:
                expected.append(f"    {base} <|-- {name}")
    expected.append("    ReaderOpKernel ..> ReaderInterface : makes")
    diagram = re.search(r"```mermaid\n(.*?)```", GUIDE.read_text(), re.S)[1]
    assert diagram.splitlines() == expected


# ---- A reader of your own --------------------------------------------------------------

PROGRAM = """
import sys
import minitf as tf

library = tf.load_op_library(sys.argv[1])
reader = tf.ReaderBase(library.paragraph_reader())
names = tf.train.string_input_producer([sys.argv[2]] * 2, num_epochs=1)
key, paragraph = reader.read(names)
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coord)
    with coord.stop_on_exception():
        while True:
            print(session.run([key, paragraph]))
    coord.request_stop()
    coord.join(threads)
    print(session.run(reader.num_work_units_completed()))
"""


def test_a_reader_of_less_than_60_lines_can_be_loaded(folder):
    code = re.search(r"```cpp paragraph_reader.cc\n(.*?)```", GUIDE.read_text(), re.S)[1]
    assert code.count("\n") < 60
    Path("paragraph_reader.cc").write_text(code)
    Path("text").write_text("\nfirst\nstill\n\n\nsecond\n")
    library = compile_files(
        folder, ["paragraph_reader.cc"], "paragraph_reader.so", "-shared", "-fPIC"
    )

    command = [sys.executable, "-c", PROGRAM, str(library), "text"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    once = ["[b'text:1', b'first\\nstill']", "[b'text:15', b'second\\n']"]
    assert done.stdout.splitlines() == [*once, *once, "2"]
