"""A waiting room as the driver of lab 14 makes one: it can be looked into."""

import threading
from typing import Any

import numpy as np
from lab_14_input.coordinators import error_of
from lab_14_input.pipelines import all_of

import minitf as tf
from minitf.training import waiting_rooms


class _Room:
    """A room for vectors. Of several, each is a column: rows are not along axis 0."""

    def __init__(self) -> None:
        self._lock, self._next = threading.Lock(), 0
        self.inside: dict[int, np.ndarray] = {}

    def _put(self, columns: np.ndarray) -> np.ndarray:
        with self._lock:
            handles = np.arange(self._next, self._next + columns.shape[1])
            self._next += len(handles)
            self.inside |= dict(zip(handles.tolist(), columns.T, strict=True))
        return handles

    def _get(self, handles: np.ndarray) -> np.ndarray:
        with self._lock:
            return np.stack([self.inside.pop(handle) for handle in handles.tolist()])

    def add(self, component: Any) -> Any:
        """Puts one in."""
        return tf.reshape(self.add_rows(self.as_row(component)), [])

    def add_rows(self, component: Any) -> Any:
        """Puts several in."""
        handles = tf.py_func(self._put, [component], tf.int64)
        handles.set_shape([None])
        return handles

    def as_row(self, component: Any) -> Any:
        """One as the only column."""
        return tf.expand_dims(component, 1)

    def kept_rows(self, component: Any, keep: Any) -> Any:
        """The columns that are kept."""
        rows = tf.boolean_mask(tf.transpose(component), tf.equal(keep, 1))
        return tf.transpose(rows)

    def num_rows(self, component: Any) -> Any:
        """How many columns there are."""
        return tf.shape(component)[1:]

    def take(self, handles: Any) -> Any:
        """Takes them out."""
        return tf.py_func(self._get, [handles], tf.int64)


def rows_in_rooms(
    count: int, rows: int, keep: list[bool], is_kept_whole: bool, is_alone: bool
) -> dict[str, Any]:
    """Batches of one of vectors that wait in a room: row i is [i, 10 i, 100 i].

    Args:
        count: How many rows there are.
        rows: So many are enqueued at once; one by one if 0.
        keep: For each row whether it is kept.
        is_kept_whole: Whether the first of ``rows`` rows says for all whether to keep.
        is_alone: Whether the vectors are the only component.

    Returns:
        ``found``, the vectors that come, each with the number of its row unless it
        ``is_alone``; ``left``, how many are in the room at last; or the ``error``.
    """
    room, before = _Room(), waiting_rooms.rooms_of
    waiting_rooms.set_rooms(lambda lists, *_: [room, None][: len(lists[0])])
    try:
        with tf.Graph().as_default():
            (at,) = tf.train.slice_input_producer(
                [tf.constant(np.arange(0, count, max(rows, 1)))],
                num_epochs=1,
                shuffle=False,
            )
            numbers = at + np.arange(rows) if rows else at
            vectors = tf.constant(np.array([[1], [10], [100]])) * numbers
            example = [vectors if rows else tf.reshape(vectors, [3]), numbers]
            batch = tf.train.maybe_batch(
                example[:1] if is_alone else example,
                tf.gather(tf.constant(keep), at if is_kept_whole else numbers),
                1,
                enqueue_many=bool(rows),
            )
            found = all_of([batch] if is_alone else batch)
            rows_found = [[column.tolist() for column in one] for one in found]
            return {"found": rows_found, "left": len(room.inside)}
    except Exception as error:
        return {"error": error_of(error)}
    finally:
        waiting_rooms.set_rooms(before)
