"""``tf.summary.FileWriter``: events into files that TensorBoard reads.

Compare: tensorflow/python/summary/writer/writer.py, event_file_writer.py. Read next:
``ops/custom_gradient.py``.
"""

import os
import threading
import time
import weakref
from collections.abc import Iterator
from multiprocessing import util
from typing import Any, ClassVar

from minitf import _minitf
from minitf.eager import context
from minitf.framework import messages
from minitf.platform import gfile, tf_logging
from minitf.util.arguments import require

# One lock for all writers. A fork holds it, so that no thread is writing meanwhile.
_lock = threading.RLock()


class FileWriter:
    """Writes summaries and graphs to an event file in ``logdir``.

    An event is written at once, without a thread; what was written becomes readable to
    others after ``max_queue`` events, after ``flush_secs`` seconds, or by ``flush()``.
    A writer that is not closed is flushed when its process exits.

    Each writer has a file of its own, and so has each process: after a fork the child's
    first event opens a new file. A writer never truncates a file that is there.

    Args:
        logdir: the folder, which is made if it is not there.
        graph: written as the first event, if given.
        max_queue: how many events may wait to become readable.
        flush_secs: how long an event may wait, counted when the next one is written.
        graph_def: deprecated: what ``graph.as_graph_def()`` gives.
        filename_suffix: the end of the file's name.
        session: not supported.

    >>> import minitf as tf, tempfile
    >>> with tf.summary.FileWriter(tempfile.mkdtemp()) as writer:
    ...     value = tf.Summary.Value(tag="loss", simple_value=2.0)
    ...     writer.add_summary(tf.Summary(value=[value]), 7)
    """

    def __init__(
        self,
        logdir: str,
        graph: Any = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: Any = None,
    ):
        if context.executing_eagerly():
            raise RuntimeError(
                "tf.summary.FileWriter is not compatible with eager execution."
            )
        if session is not None:
            raise NotImplementedError("FileWriter(session=...) is not supported")
        self._logdir = os.fspath(logdir)
        self._max_queue = max_queue
        self._flush_secs = flush_secs
        self._suffix = filename_suffix or ""
        self._tags: set[str] = set()  # whose metadata was written already
        self._run_tags: set[str] = set()
        with _lock:
            self._open()
            _writers.add(self)
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)

    def _open(self) -> None:
        gfile.makedirs(self._logdir)
        prefix = os.path.join(self._logdir, "events")
        # A fork sets it to None in the child, which does not write to the parent's file.
        self._file = _minitf.EventFile(prefix, self._suffix)
        # Runs at exit, also in a child of multiprocessing, where atexit does not.
        self._close_file = util.Finalize(self, self._file.close, exitpriority=0)
        self._closed = False
        self._waiting = 0
        self._next_flush = time.monotonic() + self._flush_secs

    def get_logdir(self) -> str:
        """The folder."""
        return self._logdir

    # ---- Adding ---------------------------------------------------------------------

    def add_event(self, event: Any) -> None:
        """Adds a ``tf.Event``."""
        require(event, "SerializeToString", "add_event", "a tf.Event")
        data = event.SerializeToString()
        with _lock:
            if self._closed:
                tf_logging.warning(
                    "Attempting to use a closed FileWriter. The operation "
                    "will be a noop unless the FileWriter is explicitly "
                    "reopened."
                )
                return
            if self._file is None:
                self._open()
            self._file.write(data)
            self._waiting += 1
            now = time.monotonic()
            if self._waiting >= self._max_queue or now >= self._next_flush:
                self._flush_now()

    def _add(self, global_step: Any, **what: Any) -> None:
        event = messages.get("Event")(wall_time=time.time(), **what)
        if global_step is not None:
            event.step = int(global_step)
        self.add_event(event)

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Adds a summary: the value of a summary op, or a ``tf.Summary``."""
        Summary = messages.get("Summary")  # noqa: N806
        if isinstance(summary, bytes):
            data, summary = summary, Summary()
            try:
                summary.ParseFromString(data)
            except Exception as error:  # a DecodeError, of whatever protobuf there is
                raise ValueError(f"add_summary needs a tf.Summary: {error}") from None
        # Metadata is the same each time and goes with the first value of its tag only.
        kept = Summary()
        kept.CopyFrom(summary)
        for value in kept.value:
            if not value.HasField("metadata"):
                continue
            if value.tag in self._tags:
                value.ClearField("metadata")
            else:
                self._tags.add(value.tag)
        self._add(global_step, summary=kept)

    def add_graph(
        self, graph: Any, global_step: Any = None, graph_def: Any = None
    ) -> None:
        """Adds a graph, which TensorBoard draws.

        Raises:
            ValueError: neither or both of ``graph`` and ``graph_def`` are given.
            TypeError: ``graph`` is no graph.
        """
        if graph is not None and graph_def is not None:
            raise ValueError(
                "Please pass only graph, or graph_def (deprecated), but not both."
            )
        if hasattr(graph, "as_graph_def"):
            graph_def = graph.as_graph_def(add_shapes=True)
        elif graph is not None:  # as calls of older programs have it
            graph_def = graph
        if not hasattr(graph_def, "SerializeToString"):
            raise TypeError(
                "The passed graph must be an instance of `Graph` or the "
                "deprecated `GraphDef`"
            )
        self._add(global_step, graph_def=graph_def.SerializeToString())

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Adds a ``tf.SessionLog``: a start, a stop or a checkpoint."""
        self._add(global_step, session_log=session_log)

    def add_run_metadata(
        self, run_metadata: Any, tag: str, global_step: Any = None
    ) -> None:
        """Adds what a step took in time and memory, under a tag of its own.

        Raises:
            ValueError: the tag was used before.
        """
        require(run_metadata, "SerializeToString", "add_run_metadata", "a RunMetadata")
        if tag in self._run_tags:
            raise ValueError("The provided tag was already used for this event type")
        self._run_tags.add(tag)
        tagged = messages.get("TaggedRunMetadata")(
            tag=tag, run_metadata=run_metadata.SerializeToString()
        )
        self._add(global_step, tagged_run_metadata=tagged)

    # ---- Files ----------------------------------------------------------------------

    def _flush_now(self) -> None:
        self._file.flush()
        self._waiting = 0
        self._next_flush = time.monotonic() + self._flush_secs

    def flush(self) -> None:
        """Makes all events so far readable to others."""
        with _lock:
            if not self._closed and self._file is not None:
                self._flush_now()

    def close(self) -> None:
        """Flushes and closes the file. A second call does nothing."""
        with _lock:
            if not self._closed and self._file is not None:
                self._close_file()
            self._closed = True

    def reopen(self) -> None:
        """Opens a further file if the former one was closed."""
        with _lock:
            if self._closed:
                self._open()

    def __enter__(self) -> "FileWriter":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


_writers: "weakref.WeakSet[FileWriter]" = weakref.WeakSet()


def _before_fork() -> None:
    """Leaves no event in memory, where the child would write it once more."""
    _lock.acquire()
    for writer in _writers:
        writer.flush()


def _after_fork_in_child() -> None:
    for writer in _writers:
        writer._file = None
    _lock.release()


os.register_at_fork(
    before=_before_fork,
    after_in_parent=_lock.release,
    after_in_child=_after_fork_in_child,
)


class FileWriterCache:
    """One FileWriter for each folder."""

    _cache: ClassVar[dict[str, FileWriter]] = {}

    @staticmethod
    def get(logdir: str) -> FileWriter:
        """The writer for ``logdir``, which is made when it is first asked for."""
        with _lock:
            if logdir not in FileWriterCache._cache:
                FileWriterCache._cache[logdir] = FileWriter(
                    logdir, graph=context.get_default_graph()
                )
            return FileWriterCache._cache[logdir]

    @staticmethod
    def clear() -> None:
        """Forgets all writers, closing them."""
        with _lock:
            for writer in FileWriterCache._cache.values():
                writer.close()
            FileWriterCache._cache.clear()


def summary_iterator(path: str) -> Iterator[Any]:
    """The events of an event file, as ``tf.Event``.

    Raises:
        tf.errors.NotFoundError: there is no such file.
        tf.errors.DataLossError: a checksum is wrong, or the file ends within an event.
    """
    reader = _minitf.EventReader(os.fspath(path))
    Event = messages.get("Event")  # noqa: N806
    while (data := reader.read()) is not None:
        yield Event.FromString(data)
