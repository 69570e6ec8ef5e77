"""What the calls of ``./lab fuzz api`` are made of: odd objects, broken files, races.

The text of this file stands at the beginning of every script that the fuzzer prints, so
that the script needs nothing but minitf. ``run`` makes a call and then uses its result:
a tensor of a graph is computed, since half of the checks are in kernels.

Read next: ``fuzz_api_calls.py``.
"""

import contextlib
import os
import pathlib
import random
import threading

import numpy as np

import minitf as tf
from minitf.eager import context

SCRATCH = pathlib.Path("scratch")
STEP_MS = 5000  # no step of a call takes longer


def placeholder(shape=None, dtype=tf.float32):
    """A tensor of which nothing is known when the graph is built; an array if eager."""
    if tf.executing_eagerly():
        return np.ones([2, 2], dtype.as_numpy_dtype)
    sample = np.ones([size or 2 for size in ([2, 2] if shape is None else shape)])
    return tf.placeholder_with_default(sample.astype(dtype.as_numpy_dtype), shape)


def variable(value=((1.0, 2.0), (3.0, 4.0)), **settings):
    """A variable with a value, if it is in the graph of ``run``."""
    return tf.Variable(value, use_resource=True, **settings)


def foreign_tensor():
    """A tensor of another graph."""
    with tf.Graph().as_default():
        return tf.constant([1.0, 2.0], name="foreign")


def foreign_variable():
    """A variable of another graph."""
    with tf.Graph().as_default():
        return tf.Variable([1.0, 2.0], name="foreign")


def finalized_graph():
    """A graph that takes no more nodes."""
    graph = tf.Graph()
    with graph.as_default():
        tf.constant(1.0, name="c")
    graph.finalize()
    return graph


def closed_session():
    """A session of the default graph that is closed."""
    session = tf.Session(graph=tf.Graph())
    session.close()
    return session


def closed_queue():
    """A queue that takes no more elements."""
    queue = tf.FIFOQueue(2, [tf.float32], shapes=[[]])
    tf.get_default_session().run(queue.close())
    return queue


def endless_list():
    """A list that contains itself."""
    items: list = []
    items.append(items)
    return items


def deep_list(depth):
    """A number in ``depth`` lists."""
    value = 1.0
    for _ in range(depth):
        value = [value]
    return value


class Refuses:
    """An object that raises whatever is asked of it."""

    def _refuse(self, *_):
        raise ValueError("this object refuses")

    __len__ = __iter__ = __getitem__ = __float__ = __index__ = __array__ = _refuse
    __str__ = __hash__ = _refuse


class Lies:
    """An object that says that it is a sequence and a tensor, and is neither."""

    shape = (2, 2)
    dtype = "float32"

    def __len__(self):
        """Not true."""
        return 1 << 40

    def __getitem__(self, index):
        """The same, three times."""
        if isinstance(index, int) and index > 2:
            raise IndexError(index)
        return self

    def __array__(self, *_, **__):
        """No array."""
        return None


def good_bytes(kind):
    """A small file of ``kind``, made by minitf itself."""
    pixels = np.arange(8 * 9 * 3, dtype=np.uint8).reshape(8, 9, 3)
    SCRATCH.mkdir(exist_ok=True)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        if kind in ("png", "jpeg"):
            return session.run(getattr(tf.image, "encode_" + kind)(pixels))
        if kind == "graph":
            x = tf.placeholder(tf.float32, [None, 3], name="x")
            tf.nn.relu(tf.matmul(x, tf.ones([3, 2])), name="y")
            tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.size(x)])
            return graph.as_graph_def().SerializeToString()
        if kind == "example":
            example = tf.train.Example()
            example.features.feature["f"].float_list.value.extend([1.0, 2.0])
            return example.SerializeToString()
    if kind == "gif":
        header = b"GIF89a\x02\x00\x02\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff"
        return header + b",\0\0\0\0\x02\0\x02\0\0\x02\x03D\x02\x05\0;"
    path = str(SCRATCH / "good")
    if kind == "records":
        with tf.python_io.TFRecordWriter(path) as writer:
            for record in (b"", b"abc", b"x" * 300):
                writer.write(record)
        return pathlib.Path(path).read_bytes()
    with tf.Graph().as_default(), tf.summary.FileWriter(path + "_events") as writer:
        writer.add_summary(tf.Summary(value=[]), 1)
    files = sorted(pathlib.Path(path + "_events").iterdir())
    return files[0].read_bytes()


def damaged(data, chance):
    """The bytes ``data``, cut or changed at a few places."""
    data = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        where = chance.randrange(len(data) + 1)
        what = chance.randrange(4)
        if what == 0 and where < len(data):
            data[where] ^= 1 << chance.randrange(8)
        elif what == 1 and where < len(data):
            data[where] = chance.choice([0, 127, 128, 255])
        elif what == 2:
            data[where:where] = chance.randbytes(chance.randint(1, 9))
        else:
            del data[where : where + chance.randint(1, len(data) or 1)]
    return bytes(data)


def broken_bytes(kind, seed):
    """A file of ``kind`` that was cut or changed at a few places."""
    return damaged(good_bytes(kind), random.Random(seed))


def broken_file(kind, seed):
    """The name of such a file."""
    SCRATCH.mkdir(exist_ok=True)
    path = SCRATCH / f"broken_{kind}"
    path.write_bytes(broken_bytes(kind, seed))
    return str(path)


def imported(seed):
    """What a broken graph gives: every tensor of it that can be run."""
    definition = tf.GraphDef()
    try:
        definition.ParseFromString(broken_bytes("graph", seed))
    except Exception as error:
        raise ValueError(f"no GraphDef: {error}") from None
    tf.import_graph_def(definition, name="")
    return [
        output for op in tf.get_default_graph().get_operations() for output in op.outputs
    ]


def together(*works):
    """Runs all at once, ten times each. Whatever they raise is judged."""
    failures = []

    def repeat(work):
        for _ in range(10):
            try:
                work()
            except Exception as error:
                failures.append(error)

    threads = [threading.Thread(target=repeat, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def race_close():
    """Threads that run steps of a session that another one closes."""
    with tf.Graph().as_default():
        x = tf.random_uniform([300, 300])
        y = tf.matmul(x, x)
        session = tf.Session()
        together(lambda: session.run(y), lambda: session.run(x), session.close)


def race_queue():
    """Threads that fill and empty a queue that another one closes."""
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(2, [tf.float32], shapes=[[]])
        add, take, close = queue.enqueue(1.0), queue.dequeue(), queue.close(True)
        with tf.Session() as session:
            together(*[lambda op=op: session.run(op) for op in (add, take, close)])


def race_graph():
    """Threads that add nodes while others run some, and one finalizes the graph."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.constant(1.0)

    def add():
        with graph.as_default():
            tf.gradients(tf.sin(x) * 2.0, x)

    with tf.Session(graph=graph) as session:
        together(add, add, lambda: session.run(x), graph.finalize)


def race_variable():
    """Threads that change a variable, and one that makes it anew."""
    with tf.Graph().as_default():
        v = tf.Variable(tf.zeros([100]), use_resource=True)
        add = v.assign_add(tf.ones([100]))
        with tf.Session() as session:
            works = [v.initializer, add, add, v.value()]
            together(*[lambda op=op: session.run(op) for op in works])


def _tensors(value, depth=0):
    if isinstance(value, (tf.Tensor, tf.Operation)):
        yield value
    elif isinstance(value, dict) and depth < 3:
        yield from _tensors(list(value.values()), depth + 1)
    elif isinstance(value, (list, tuple)) and depth < 3:
        for item in value[:20]:
            yield from _tensors(item, depth + 1)


def use(value):
    """Computes the tensors in what a call has returned."""
    repr(value)
    session = tf.get_default_session()
    for tensor in _tensors(value):
        if tf.executing_eagerly():
            repr(tensor.numpy())
        elif tensor.graph is session.graph:
            session.run(tf.global_variables_initializer())
            session.run(tensor)


def run(call, eager):
    """Makes a call in a world of its own, and uses what it returns."""
    random.seed(1)
    np.random.seed(1)
    SCRATCH.mkdir(exist_ok=True)
    config = tf.ConfigProto(operation_timeout_in_ms=STEP_MS)
    with contextlib.ExitStack() as stack:
        if eager:
            stack.enter_context(context.entered(None))
        else:
            stack.enter_context(tf.Graph().as_default())
            stack.enter_context(tf.Session(config=config))
        os.environ.pop("TF_CONFIG", None)
        use(call())
