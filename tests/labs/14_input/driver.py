"""What cases of lab 14 call: checksums, records, Examples, queues, threads, images.

Nothing here knows what is expected.
"""

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import lab_14_driver
import numpy as np
from lab_14_input.coordinators import coordinated, error_of
from lab_14_input.images import cropped, resized, taps
from lab_14_input.pipelines import batch_too_large, batches, joined
from lab_14_input.queue_runners import (
    asked_for_again,
    closed_by_others,
    in_closed_session,
    in_hand,
    in_haste,
    made_again,
    ops_run,
    stopped_early,
    uneven,
)
from lab_14_input.rooms import rows_in_rooms

from minitf import _minitf

# ---- Checksums and records ------------------------------------------------------------


def checksums(pieces: list[bytes]) -> list[int]:
    """The checksum of the first piece, of the first two, and so on."""
    found, crc = [], 0
    for piece in pieces:
        crc = lab_14_driver.checksum(crc, piece, 0)
        found.append(crc)
    return found


def checksums_anywhere(data: bytes, begins: int) -> list[int]:
    """The checksum of data that stand at addresses next to each other."""
    return [
        lab_14_driver.checksum(0, bytes(begin) + data, begin) for begin in range(begins)
    ]


def _folder() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="minitf-records-")


def written(records: list[bytes], is_late: bool = False) -> dict[str, Any]:
    """The ``file`` that a writer makes of records.

    With ``is_late`` another one is written after Close; its ``error`` is there, too.
    """
    with _folder() as folder:
        path, error = Path(folder) / "records", None
        writer = _minitf.RecordWriter(str(path), "", -1, 15, 8, 0)
        for record in records:
            writer.write(record)
        writer.close()
        try:
            if is_late:
                writer.write(b"late")
        except Exception as raised:
            error = error_of(raised)
        return {"error": error, "file": path.read_bytes()}


def _read(path: str, compression: str = "") -> list[Any]:
    """What a reader gives: (record, offset afterwards), or an error, and so on."""
    reader = _minitf.RecordReader(path, compression)
    found: list[Any] = []
    for _ in range(1000):
        try:
            found.append((next(reader), reader.offset))
        except StopIteration:
            return [*found, ("end", reader.offset, reader.skip_corrupted())]
        except Exception as raised:
            error = error_of(raised)
            text, again = error["text"].replace(path, "FILE"), _again(reader, path)
            found.append(("error", error["raised"], text, again, reader.offset))
            if not reader.skip_corrupted():
                text = _again(reader, path)
                skips = reader.skip_corrupted()
                return [*found, ("no way on", text, skips, reader.offset)]
            found.append(("way on", reader.offset, reader.skip_corrupted()))
    return [*found, ("no end",)]


def _again(reader: Any, path: str) -> str:
    """What a reader that has raised an error raises at the next call."""
    try:
        next(reader)
    except Exception as error:
        return str(error).replace(path, "FILE")
    return ""


def read(data: bytes, compression: str) -> dict[str, Any]:
    """Reads a file of these bytes: what is ``found`` in it.

    Returns:
        Also by how many ``mib`` the process has grown at most.
    """
    with _folder() as folder:
        path, before = os.path.join(folder, "records"), _high_water()
        Path(path).write_bytes(data)
        found = _read(path, compression)
        return {"found": found, "mib": (_high_water() - before) / 1024}


def read_many(files: list[bytes]) -> list[list[Any]]:
    """Reads files one after the other, beyond bad records."""
    with _folder() as folder:
        path = os.path.join(folder, "records")
        found = []
        for data in files:
            Path(path).write_bytes(data)
            found.append(_read(path))
        return found


def read_after_the_end(parts: list[bytes], compression: str) -> list[Any]:
    """Reads a file that is at first the first of ``parts``, and grows by the others.

    Returns:
        For each part the records, what two more calls give, and the offset then.
    """
    with _folder() as folder:
        path, reader, found = os.path.join(folder, "records"), None, []
        for part in parts:
            with open(path, "ab") as file:
                file.write(part)
            reader = reader or _minitf.RecordReader(path, compression)
            records = [*reader]
            more = [next(reader, "the end") for _ in range(2)]
            found.append([records, more, reader.offset])
        return found


def read_pipe(data: bytes, compression: str, sizes: list[int]) -> list[Any]:
    """The records of a pipe that gives ``data`` in pieces of ``sizes``, and the error."""
    with _folder() as folder:
        path = os.path.join(folder, "pipe")
        os.mkfifo(path)
        records, error = lab_14_driver.read_pipe(path, compression, data, sizes)
        return [records, error.replace(path, "FILE")]


def round_trip(sizes: list[int], compression: str) -> list[Any]:
    """Writes and reads records of such lengths: how many come, and whether unchanged.

    Their bytes are by chance: packed, they are as many.
    """
    numbers = np.random.default_rng(sum(sizes))
    records = [numbers.bytes(size) for size in sizes]
    with _folder() as folder:
        path = os.path.join(folder, "records")
        writer = _minitf.RecordWriter(path, compression, 1, 15, 8, 0)
        for record in records:
            writer.write(record)
        writer.close()
        reader, at, found = _minitf.RecordReader(path, compression), 0, []
        is_right = True
        for record in reader:
            at += len(record) + 16
            found.append(record)
            is_right = is_right and reader.offset == at
        return [len(found), is_right and found == records]


def _high_water() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1])
    return 0


# ---- Examples -------------------------------------------------------------------------


def examples(messages: list[bytes]) -> list[Any]:
    """What is read of each message; None for one that is no Example."""
    return [lab_14_driver.example(message) for message in messages]


def example_bytes(features: list[tuple[bytes, int, list]]) -> bytes:
    """An Example of features: names, kinds (1 bytes, 2 floats, 3 integers), values."""
    return lab_14_driver.written(features)


def long_example(message: bytes) -> dict[str, Any]:
    """Reads an Example of many parts.

    Returns:
        How many ``features`` it has, how many ``values`` they have, the ``last`` of them,
        and the ``seconds`` that this thread has worked.
    """
    start = time.thread_time()
    found = lab_14_driver.example(message) or [(b"", (0, None))]
    seconds = time.thread_time() - start
    lists = [values or [None] for _, (_, values) in found]
    number = sum(len(values) for values in lists)
    return {
        "features": len(found), "values": number, "last": lists[-1][-1],
        "seconds": seconds,
    }  # fmt: skip


# ---- Queues ---------------------------------------------------------------------------


def queue_events(
    kind: str,
    capacity: int,
    events: list[list[Any]],
    kept: int = 0,
    seed: int = 7,
    reactions: list[tuple[int, list]] = (),
    is_watched: bool = False,
) -> list[Any]:
    """Runs events one after the other, in one thread.

    Args:
        kind: Such as ``FIFOQueue``.
        capacity: Negative for any number.
        events: Each a kind, the number of its attempt, a count, a flag, and elements.
        kept: Elements that a RandomShuffleQueue keeps.
        seed: Of its choice.
        reactions: Numbers of attempts, and the events that their callbacks bring about.
        is_watched: Whether another thread looks at the queue in each callback.

    Returns:
        For each event the size of the queue, whether it is closed, and what callbacks
        were told: whose, a code, a message, elements, and what the other thread saw: the
        size, -1 if the lock was held, and whether the queue was closed.
    """
    return lab_14_driver.queue_events(
        kind,
        capacity,
        kept,
        seed,
        [tuple(event) for event in events],
        {n: [tuple(one) for one in many] for n, many in reactions},
        is_watched,
    )


def while_locked(what: str) -> list[bool]:
    """Whether another thread's call, or a callback, gets by while the lock is held.

    It asks for the ``size``, closes the queue (``close``) or gives up a call that waits
    (``cancel``).
    """
    return list(lab_14_driver.while_locked(what))


def taken_in_turn(num_elements: int, times: int, seeds: list[int]) -> list[list[int]]:
    """A full RandomShuffleQueue gives an element and gets the next, so many times.

    Returns:
        For each seed the numbers of the elements that come out, in order.
    """
    events = [("enqueue_many", 0, 0, False, [(i, i) for i in range(num_elements)])]
    for i in range(times):
        number = num_elements + i
        events.append(("dequeue", 1 + 2 * i, 0, False, []))
        events.append(("enqueue", 2 + 2 * i, 0, False, [(number, number)]))
    orders = []
    for seed in seeds:
        found = queue_events("RandomShuffleQueue", num_elements, events, seed=seed)
        orders.append(
            [pairs[0][1] for _, _, told in found for *_, pairs, _ in told if pairs]
        )
    return orders
