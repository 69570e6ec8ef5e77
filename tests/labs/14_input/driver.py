"""What cases of lab 14 call: checksums, records, Examples, queues, and threads.

Nothing here knows what is expected.
"""

import os
import tempfile
from pathlib import Path
from typing import Any

import lab_14_driver
import numpy as np
from lab_14_input.pipelines import batches, coordinated, joined, runners, shutdown, uneven

from minitf import _minitf

__all__ = ["batches", "coordinated", "joined", "runners", "shutdown", "uneven"]


def error_of(error: BaseException) -> dict[str, str]:
    """An error as a value."""
    if "is not written yet" in str(error):
        raise error
    return {"raised": type(error).__name__, "text": str(error)}


# ---- Checksums and records ------------------------------------------------------------


def checksums(pieces: list[bytes]) -> list[int]:
    """The checksum of the first piece, of the first two, and so on."""
    found, crc = [], 0
    for piece in pieces:
        crc = lab_14_driver.checksum(crc, piece)
        found.append(crc)
    return found


def _folder() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="minitf-records-")


def written(records: list[bytes], compression: str = "") -> bytes:
    """The file that a writer makes of records."""
    with _folder() as folder:
        path = Path(folder) / "records"
        writer = _minitf.RecordWriter(str(path), compression, -1, 15, 8, 0)
        for record in records:
            writer.write(record)
        writer.close()
        return path.read_bytes()


def written_in_steps(records: list[bytes]) -> list[int]:
    """How long the file is after each record and a flush."""
    with _folder() as folder:
        path = Path(folder) / "records"
        writer = _minitf.RecordWriter(str(path), "", -1, 15, 8, 0)
        sizes = []
        for record in records:
            writer.write(record)
            writer.flush()
            sizes.append(path.stat().st_size)
        writer.close()
        return sizes


def _read(path: str, compression: str, goes_on: bool) -> list[Any]:
    """What a reader gives: (record, offset afterwards), or an error, and so on."""
    reader = _minitf.RecordReader(path, compression)
    found: list[Any] = []
    for _ in range(1000):
        try:
            record = next(reader)
        except StopIteration:
            return [*found, ("end", reader.offset)]
        except Exception as error:
            text = str(error).replace(path, "FILE")
            error_of(error)
            again = ""
            try:
                next(reader)
            except Exception as second:
                again = str(second).replace(path, "FILE")
            found.append(("error", type(error).__name__, text, again, reader.offset))
            if not goes_on or not reader.skip_corrupted():
                return found
            continue
        found.append((record, reader.offset))
    return [*found, ("no end",)]


def read(data: bytes, compression: str = "", goes_on: bool = False) -> list[Any]:
    """Reads a file of these bytes, beyond bad records if it ``goes_on``."""
    with _folder() as folder:
        path = os.path.join(folder, "records")
        Path(path).write_bytes(data)
        return _read(path, compression, goes_on)


def read_many(files: list[bytes]) -> list[list[Any]]:
    """Reads files one after the other, beyond bad records."""
    with _folder() as folder:
        path = os.path.join(folder, "records")
        found = []
        for data in files:
            Path(path).write_bytes(data)
            found.append(_read(path, "", True))
        return found


def peak_memory(data: bytes, compression: str) -> dict[str, Any]:
    """Reads a file of these bytes; by how many MiB the process has grown at most."""
    before = _high_water()
    found = read(data, compression)
    return {"found": found, "mib": (_high_water() - before) / 1024}


def round_trip(sizes: list[int], compression: str) -> list[Any]:
    """Writes and reads records of such lengths: how many come, and whether unchanged."""
    pattern = bytes(range(251))
    records = [
        (pattern * (size // 251 + 2))[i % 7 :][:size] for i, size in enumerate(sizes)
    ]
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


def examples(messages: list[bytes], is_sequence: bool = False) -> list[Any]:
    """What is read of each message; None for one that is no such message."""
    name = "sequence_example" if is_sequence else "example"
    return [getattr(lab_14_driver, name)(message) for message in messages]


def example_bytes(features: list[tuple[bytes, int, list]]) -> bytes:
    """An Example of features: names, kinds (1 bytes, 2 floats, 3 integers), values."""
    return lab_14_driver.written(features)


# ---- Queues ---------------------------------------------------------------------------


def queue_events(
    kind: str, capacity: int, events: list[list[Any]], kept: int = 0, seed: int = 7
) -> list[Any]:
    """Runs events one after the other, in one thread.

    Args:
        kind: Such as ``FIFOQueue``.
        capacity: Negative for any number.
        events: Each a kind, the number of its attempt, a count, a flag, and elements.
        kept: Elements that a RandomShuffleQueue keeps.
        seed: Of its choice.

    Returns:
        For each event the size of the queue, whether it is closed, and what callbacks
        were told: whose, a code, a message, elements.
    """
    return lab_14_driver.queue_events(
        kind, capacity, kept, seed, [tuple(event) for event in events]
    )


def many_threads(
    kind: str,
    capacity: int,
    kept: int,
    producers: int,
    consumers: int,
    num_elements: int,
    batch_in: int,
    batch_out: int,
) -> list[Any]:
    """What each consumer has taken of what producers have put in."""
    return lab_14_driver.many_threads(
        kind, capacity, kept, producers, consumers, num_elements, batch_in, batch_out
    )


def first_taken(capacity: int, kept: int, num_elements: int, times: int) -> np.ndarray:
    """For so many seeds, the order in which a full RandomShuffleQueue gives elements."""
    events = [
        ("enqueue_many", 0, 0, False, [(i, i) for i in range(num_elements)]),
        ("close", 1, 0, False, []),
        *[("dequeue", 2 + i, 0, False, []) for i in range(num_elements)],
    ]
    orders = []
    for seed in range(1, times + 1):
        found = lab_14_driver.queue_events(
            "RandomShuffleQueue", capacity, kept, seed, events
        )
        told = [one for _, _, many in found[2:] for one in many]
        orders.append([pairs[0][1] for _, _, _, pairs in told])
    return np.array(orders)
