"""Records of hand-ins: signed JSON files that nobody can change unseen.

A record says what a hand-in was worth and why; its fields are those of ``judging.py``.
``sig`` is HMAC-SHA256 of its canonical text under the course's key: so a record that was
changed, or that another course has made, is found (``./lab course verify``).
"""

import contextlib
import copy
import hashlib
import hmac
import json
import os
import re
import secrets
from pathlib import Path
from typing import Any

from minitf_lab.labs.handin import archives
from minitf_lab.project import LabError

SCHEMA = 1
STATUSES = ("graded", "rejected", "grader_error")
MAX_RECORD = 32 << 20  # bytes
FIELDS = (
    *("schema", "lab", "grader", "submission", "seed_id", "status", "score"),
    *("max_score", "tests", "board", "flags", "build", "execution_time"),
)
# What differs between two judgements of the same files, perhaps on other machines.
TIMES = {"execution_time", "seconds", "time_ms", "mem_mb", "submitted_at", "sig", "host"}
# What follows from a time, in a task that was timed, and how far its ratio may differ.
OF_SPEED = {"ratio", "spread", "score", "verdict", "message"}
STEP = 1.25


class RecordError(LabError):
    """A record that is not what it should be; the text says which and why."""


def canonical(record: dict[str, Any]) -> bytes:
    r"""The text that is signed: sorted keys, no spaces, ASCII, without ``sig``.

    >>> canonical({"b": 1.5, "a": "é", "sig": "x"})
    b'{"a":"\\u00e9","b":1.5}'
    """
    kept = {key: value for key, value in record.items() if key != "sig"}
    text = json.dumps(kept, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("ascii")


def key_id(key: bytes) -> str:
    """A name for a key, which says nothing of it."""
    return hmac.new(key, b"minitf key id", hashlib.sha256).hexdigest()[:16]


def _signature(record: dict[str, Any], key: bytes) -> str:
    return hmac.new(key, canonical(record), hashlib.sha256).hexdigest()


def sign(record: dict[str, Any], key: bytes) -> dict[str, Any]:
    """The record with its ``sig``."""
    return {**record, "sig": _signature(record, key)}


def check(record: dict[str, Any], key: bytes) -> None:
    """Checks the signature.

    Raises:
        RecordError: there is none, it is by another key, or the record was changed.
    """
    found = record.get("sig")
    if not isinstance(found, str) or not found:
        raise RecordError("it is not signed")
    try:
        expected = _signature(record, key)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"it cannot be checked: {error}") from error
    if hmac.compare_digest(found.encode(errors="replace"), expected.encode()):
        return
    theirs = record.get("seed_id")
    if theirs != key_id(key):
        raise RecordError(
            f"it is signed with another key: with {theirs!a}, yours is {key_id(key)}"
        )
    raise RecordError("it was changed after it was signed")


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two records say the same but for times.

    What was timed says the same if its ratios are less than a step apart.
    """
    return canonical(_timeless(_unsped(one))) == canonical(
        _timeless(_unsped(other))
    ) and all(
        max(a, b) <= STEP * min(a, b)
        for a, b in zip(_ratios(one), _ratios(other), strict=True)
    )


def _ratios(record: dict[str, Any]) -> list[float]:
    """Of all tasks that were timed."""
    return [test["ratio"] for test in record["tests"] if _is_timed(test)]


def _is_timed(test: dict[str, Any]) -> bool:
    return test.get("ratio") is not None


def _unsped(record: dict[str, Any]) -> dict[str, Any]:
    """The record without what follows from times: in tasks, their sum, and the board."""
    tests, score = [], record["score"]
    for test in record["tests"]:
        if _is_timed(test):
            score = None if score is None else score - test["score"]
            test = {key: test[key] for key in test.keys() - OF_SPEED} | {"ratio": 0}
        tests.append(test)
    board = [
        {**entry, "value": entry.get("value") is not None} for entry in record["board"]
    ]
    return {**record, "tests": tests, "score": score, "board": board}


def failure(record: dict[str, Any]) -> str:
    """Why a hand-in was not graded; empty if it was."""
    said = (t.get("message") for t in record["tests"] if t["verdict"] == record["status"])
    return next(said, "") or ""


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _timeless(one) for key, one in value.items() if key not in TIMES}
    if isinstance(value, list):
        return [_timeless(one) for one in value]
    return value


def signed_copy(record: dict[str, Any], key: bytes, **submission: Any) -> dict[str, Any]:
    """The same judgement with other fields of ``submission``, such as whose it is."""
    made = copy.deepcopy(record)
    made["submission"] |= submission
    return sign(made, key)


def _check_form(record: Any) -> None:
    """Raises RecordError unless it has a record's fields."""
    if not isinstance(record, dict):
        raise RecordError("it is no record")
    if record.get("schema") != SCHEMA:
        raise RecordError(f"its schema is {record.get('schema')!r}, expected {SCHEMA}")
    missing = [field for field in FIELDS if field not in record]
    if missing:
        raise RecordError(f"it lacks {', '.join(missing)}")
    if record["status"] not in STATUSES:
        raise RecordError(f"its status is {ascii(record['status'])[:40]}")
    for field in ("lab", "grader", "submission", "build"):
        if not isinstance(record[field], dict):
            raise RecordError(f"its {field} is no table")
    if not re.fullmatch(r"[0-9a-f]{64}", str(record["submission"].get("sha256"))):
        raise RecordError("it does not say which hand-in it is of")


def read(path: Path, key: bytes | None = None) -> dict[str, Any]:
    """Reads a record; the signature is not looked at without a key.

    Raises:
        RecordError: it is none, or is not signed with ``key``; the text names the file.
    """
    try:
        record = json.loads(archives.read_regular(path, MAX_RECORD, path.name))
        _check_form(record)
        if key is not None:
            check(record, key)
    except FileNotFoundError:
        raise RecordError(f"{path}: there is no such record") from None
    except archives.Rejected as error:
        raise RecordError(str(error)) from error
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{path.name}: it is no JSON: {error}") from error
    except RecordError as error:
        raise RecordError(f"{path.name}: {error}") from error
    return record


def write(path: Path, record: dict[str, Any]) -> None:
    """Writes a record, as a whole or not at all.

    Raises:
        LabError: the disk is full, the folder cannot be written to, or the like; what
            was there under this name is left as it was.
    """
    text = json.dumps(record, indent=1, sort_keys=True, allow_nan=False)
    write_file(path, f"{text}\n".encode())


def write_file(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Puts a file in its place by one rename, when all of it is on the disk.

    Raises:
        LabError: it cannot be written; what was there before is left as it was.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        number = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(number)
            os.rename(part, path)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(part)
            raise
        _sync_folder(path.parent)
    except OSError as error:
        raise LabError(f"{path} cannot be written: {error.strerror or error}") from error


def _sync_folder(folder: Path) -> None:
    """Has the rename itself survive a power cut, where the file system can."""
    with contextlib.suppress(OSError):
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
