"""The cases of ``./lab bench io``: records, examples, images, for minitf and TensorFlow.

Each reads what it has written itself: the same records, the same Example, and the same
picture, which is made of a formula. PyTorch has nothing of the kind.

Read next: ``tests/bench/worker.py``.
"""

import atexit
import shutil
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from types import ModuleType

import numpy as np

Work = Callable[[], object]

RECORDS, RECORD_BYTES = 2000, 1024
EXAMPLES = 128  # in a batch
PIXELS, WORDS = 784, 20  # floats and int64s of an example
SIDE = 256  # of an image


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="minitf-bench-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _write(tf: ModuleType, name: str) -> str:
    """A file of records; where it is."""
    path = str(_folder() / name)
    record = np.random.default_rng(0).bytes(RECORD_BYTES)
    with tf.python_io.TFRecordWriter(path) as writer:
        for _ in range(RECORDS):
            writer.write(record)
    return path


def _write_records(tf: ModuleType, session: Callable) -> Work:
    return lambda: _write(tf, "written")


def _iterate_records(tf: ModuleType, session: Callable) -> Work:
    path = _write(tf, "iterated")
    return lambda: sum(1 for _ in tf.python_io.tf_record_iterator(path))


def _read_records(tf: ModuleType, session: Callable) -> Work:
    """By a reader, from a queue of names; all records of a file at a time."""
    path = _write(tf, "read")
    with tf.Graph().as_default() as graph:
        names = tf.FIFOQueue(1, tf.string, [[]])
        put = names.enqueue(path)
        _, values = tf.TFRecordReader().read_up_to(names, RECORDS)
    run = session(graph)

    def work() -> object:
        run(put)
        return run(values.op)

    return work


def _example(tf: ModuleType) -> bytes:
    random = np.random.default_rng(1)
    floats = tf.train.FloatList(value=random.random(PIXELS, np.float32))
    whole = tf.train.Int64List(value=random.integers(0, 1000, WORDS))
    features = {
        "pixels": tf.train.Feature(float_list=floats),
        "words": tf.train.Feature(int64_list=whole),
        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[7])),
    }
    example = tf.train.Example(features=tf.train.Features(feature=features))
    return example.SerializeToString()


def _parse(tf: ModuleType, session: Callable, *, is_sparse: bool) -> Work:
    """A batch of examples, whose words come as a dense tensor, or as a sparse one."""
    words = tf.VarLenFeature(tf.int64)
    if not is_sparse:
        words = tf.FixedLenFeature([WORDS], tf.int64)
    features = {
        "pixels": tf.FixedLenFeature([PIXELS], tf.float32),
        "words": words,
        "label": tf.FixedLenFeature([], tf.int64),
    }
    with tf.Graph().as_default() as graph:
        batch = tf.placeholder(tf.string, [None])
        parsed = tf.parse_example(batch, features)
        result = parsed["label"].op
    run = session(graph)
    feed = {batch: np.array([_example(tf)] * EXAMPLES, object)}
    return lambda: run(result, feed)


def _picture() -> np.ndarray:
    """Soft waves with some noise, as photographs have both: [SIDE,SIDE,3], uint8."""
    y, x = np.mgrid[:SIDE, :SIDE] / SIDE
    waves = [np.sin(9 * x + i) * np.cos(7 * y * (1 + i)) for i in range(3)]
    noise = np.random.default_rng(2).normal(0, 0.05, (SIDE, SIDE, 3))
    return np.clip(128 + 100 * (np.stack(waves, 2) + noise), 0, 255).astype(np.uint8)


def _decode(tf: ModuleType, session: Callable, *, form: str) -> Work:
    """An image as numbers, by way of what the framework has made of it."""
    with tf.Graph().as_default() as graph:
        encode = tf.image.encode_jpeg if form == "jpeg" else tf.image.encode_png
        encoded = encode(tf.constant(_picture()))
        contents = tf.placeholder(tf.string, [])
        decode = tf.image.decode_jpeg if form == "jpeg" else tf.image.decode_png
        pixels = decode(contents).op
    run = session(graph)
    feed = {contents: run(encoded)}
    return lambda: run(pixels, feed)


_CASES: dict[str, Callable[[ModuleType, Callable], Work]] = {
    "write_records": _write_records,
    "iterate_records": _iterate_records,
    "read_records": _read_records,
    "parse_dense": partial(_parse, is_sparse=False),
    "parse_sparse": partial(_parse, is_sparse=True),
    "decode_jpeg": partial(_decode, form="jpeg"),
    "decode_png": partial(_decode, form="png"),
}
NAMES = list(_CASES)
TITLES = {
    "write_records": f"write a record of {RECORD_BYTES} bytes",
    "iterate_records": "read one, by tf_record_iterator",
    "read_records": "read one, by a reader in a session",
    "parse_dense": f"parse an Example of {PIXELS} floats and {WORDS} int64s",
    "parse_sparse": "the same, the int64s as a SparseTensor",
    "decode_jpeg": f"decode a JPEG of {SIDE} x {SIDE}",
    "decode_png": f"decode a PNG of {SIDE} x {SIDE}",
}
_OF_FILES = ("write_records", "iterate_records", "read_records")
_OF_EXAMPLES = ("parse_dense", "parse_sparse")
UNITS = {
    **dict.fromkeys(NAMES, 1),
    **dict.fromkeys(_OF_FILES, RECORDS),
    **dict.fromkeys(_OF_EXAMPLES, EXAMPLES),
}
# Of a record, and of what is parsed or decoded.
BYTES = {
    **dict.fromkeys(_OF_FILES, RECORD_BYTES),
    **dict.fromkeys(_OF_EXAMPLES, 4 * PIXELS + 8 * WORDS),
    **dict.fromkeys(("decode_jpeg", "decode_png"), 3 * SIDE * SIDE),
}


def tf_case(name: str, config: Callable[[ModuleType], object]) -> Callable:
    """The case for minitf and TensorFlow, which takes ``tf`` and gives the work."""

    def case(tf: ModuleType) -> Work:
        def session(graph: object) -> Callable:
            return tf.Session(graph=graph, config=config(tf)).run

        return _CASES[name](tf, session)

    return case
