"""Values as one line of text: what goes to a worker, and what comes back.

JSON, with objects of one key for what JSON has not: arrays, complex numbers, bytes,
tuples, references to the value of an earlier call. Reading makes plain data of it and
nothing else, whatever a worker sends.
"""

import base64
import itertools
import json
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

# Of the plain element types, with a unit for times; a name can be a whole program else.
DTYPE = re.compile(r"[<>|=]?[?biufcmMSU][0-9]{0,6}(\[[0-9]{0,6}[a-zA-Z]{1,7}\])?")
MAX_RANK = 64
MAX_DEPTH = 64  # levels of lists, tuples and dicts in a value
# A level of a value becomes up to three of the line, and a message has some more.
JSON_DEPTH = 4 * MAX_DEPTH
MAX_CHARACTER = 0x10FFFF
# The limits of a reply to one trial: bytes of its line, and parts of all its lists.
REPLY_BYTES, REPLY_PARTS = 16 << 20, 200_000
MAX_MESSAGE = 4000  # characters of an error's text
TOO_LARGE = "ValueTooLargeError"  # in place of such a value


@dataclass(frozen=True)
class Ref:
    """In the arguments of a call: the value of an earlier call."""

    name: str


@dataclass(frozen=True)
class Raised:
    """In place of a value: the call has raised an error."""

    type: str
    message: str


def _type_name(value: object) -> str:
    """The name of a value's type, not that of a metaclass."""
    return type.__dict__["__name__"].__get__(type(value))


def raised_by(error: BaseException) -> Raised:
    """An error as a value. Its class may be a student's, with any methods."""
    name = _type_name(error)
    try:
        return Raised(name, str.__str__(str(error)[:MAX_MESSAGE]))
    except BaseException:
        return Raised(name, "(this error has no text: its __str__ raises another one)")


def unsent(error: BaseException) -> Raised:
    """The reply in place of a value that cannot be sent because of ``error``."""
    found = raised_by(error)
    name = "TypeError" if issubclass(type(error), ValueError) else found.type
    is_said = "cannot be sent" in found.message
    said = found.message if is_said else f"the value cannot be sent: {found.message}"
    return Raised(name, said)


def check_text(array: np.ndarray) -> None:
    """Raises ValueError if an array of text has an element that is not text."""
    if array.dtype.kind == "U" and array.size:
        codes = np.ascontiguousarray(array).reshape(-1).view(np.uint32)
        codes = codes if array.dtype.isnative else codes.byteswap()
        if codes.size and codes.max() > MAX_CHARACTER:
            raise ValueError("an array of text has a character that does not exist")


def _of_array(array: np.ndarray, depth: int) -> dict[str, Any]:
    if array.dtype.hasobject:
        elements = [_plain(value, depth) for value in array.ravel().tolist()]
        return {"$objects": [list(array.shape), elements]}
    if array.dtype.kind == "V":
        raise TypeError(f"an array of {array.dtype} cannot be sent")
    check_text(array)
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"$array": [array.dtype.str, list(array.shape), data]}


def _plain(value: Any, depth: int = 0) -> Any:
    if depth > MAX_DEPTH:
        raise TypeError(f"a value with more than {MAX_DEPTH} levels cannot be sent")
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        return _of_array(np.asarray(value), depth + 1)
    if isinstance(value, int):
        return {"$int": str(value)} if abs(value) >= 1 << 53 else value
    if isinstance(value, float):
        return {"$float": value.hex()}
    if isinstance(value, complex):
        return {"$complex": [value.real.hex(), value.imag.hex()]}
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, Ref):
        return {"$ref": value.name}
    if isinstance(value, Raised):
        return {"$raised": [value.type, value.message]}
    if isinstance(value, tuple):
        return {"$tuple": [_plain(part, depth + 1) for part in value]}
    if isinstance(value, list):
        return [_plain(part, depth + 1) for part in value]
    if isinstance(value, dict) and all(
        isinstance(key, str) and key not in _READERS for key in value
    ):
        return {key: _plain(part, depth + 1) for key, part in value.items()}
    raise TypeError(f"a {_type_name(value)} cannot be sent")


def array_type(name: str, shape: list[int]) -> np.dtype:
    """The element type that is called so.

    Raises:
        ValueError: there is no such type or shape, or it is none that is sent.
    """
    if not isinstance(name, str) or not DTYPE.fullmatch(name) or len(shape) > MAX_RANK:
        raise ValueError(f"not an array: {name!s:.80}")
    dtype = np.dtype(name)
    if dtype.hasobject or not all(isinstance(n, int) and n >= 0 for n in shape):
        raise ValueError(f"not an array: {name} {shape}")
    return dtype


def _array(name: str, shape: list[int], data: str) -> np.ndarray:
    dtype = array_type(name, shape)
    flat = np.frombuffer(base64.b64decode(data, validate=True), dtype)
    array = flat.reshape(shape).copy()
    check_text(array)
    return array


def _objects(shape: list[int], elements: list) -> np.ndarray:
    array = np.empty(len(elements), object)
    array[:] = elements
    return array.reshape(shape)


_READERS = {
    "$array": lambda parts: _array(*parts),
    "$objects": lambda parts: _objects(parts[0], [_rich(e) for e in parts[1]]),
    "$int": int,
    "$float": float.fromhex,
    "$complex": lambda parts: complex(*(float.fromhex(part) for part in parts)),
    "$bytes": lambda text: base64.b64decode(text, validate=True),
    "$ref": Ref,
    "$raised": lambda parts: Raised(str(parts[0]), str(parts[1])),
    "$tuple": lambda parts: tuple(_rich(part) for part in parts),
}


def _rich(value: Any) -> Any:
    if isinstance(value, list):
        return [_rich(part) for part in value]
    if isinstance(value, dict):
        if len(value) == 1 and (key := next(iter(value))) in _READERS:
            return _READERS[key](value[key])
        return {key: _rich(part) for key, part in value.items()}
    return value


def _check_depth(value: Any) -> None:
    """Raises ValueError if lists and objects of JSON are nested too deeply."""
    level = [value]
    for _ in range(JSON_DEPTH):
        inside = [part for part in level if isinstance(part, list | dict)]
        if not inside:
            return
        parts = (one.values() if isinstance(one, dict) else one for one in inside)
        level = list(itertools.chain.from_iterable(parts))
    raise ValueError(f"its parts are nested more than {JSON_DEPTH} levels deep")


def is_too_large(line: bytes) -> bool:
    """Whether a line has more bytes or parts than a worker may send for a trial."""
    marks = sum(line.count(mark) for mark in b"[{,")
    return len(line) > REPLY_BYTES or marks > REPLY_PARTS


def dumps(value: Any) -> str:
    """``value`` as one line.

    Raises:
        TypeError: it has a part that is none of the types above, or too many levels.
        ValueError: an integer has too many digits, or text has no characters.

    >>> dumps([1, (True, b"a")])
    '[1,{"$tuple":[true,{"$bytes":"YQ=="}]}]'
    """
    return json.dumps(_plain(value), separators=(",", ":"))


def loads(text: str) -> Any:
    """The value of a line.

    Raises:
        ValueError: the line is none that ``dumps`` gives.

    >>> loads(dumps({"x": np.float32([1, 2]), "y": Ref("a")}))
    {'x': array([1., 2.], dtype=float32), 'y': Ref(name='a')}
    """
    try:
        parts = json.loads(text)
        _check_depth(parts)
        return _rich(parts)
    except (
        TypeError,
        LookupError,
        RecursionError,
        AttributeError,
        OverflowError,
    ) as error:
        raise ValueError(f"not a value: {text:.80}") from error
