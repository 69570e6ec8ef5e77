"""Values as lines of text: there and back, and lines that no one should have sent."""

import json
import math
import random

import numpy as np
import pytest

from minitf_lab.judge.wire import Raised, Ref, dumps, loads

DTYPES = [
    *("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
]
FLOATS = [0.0, -0.0, 1 / 3, 5e-324, 1.7e308, math.inf, -math.inf, math.nan]
INTS = [0, 1, -1, 2**53 - 1, 2**53, -(2**53), 2**64, -(10**40)]
TEXTS = ["", "a", "\n", "\x00\x1b", "é€😀", '"\\', "$ref", "[", "\ud800"]


def an_array(rng):
    shape = [rng.choice([0, 1, 2, 3]) for _ in range(rng.randrange(4))]
    if rng.random() < 0.2:
        array = np.empty(math.prod(shape), object)
        array[:] = [rng.choice([b"\xff\x00", "é", None, 7]) for _ in array]
        return array.reshape(shape)
    dtype = np.dtype(rng.choice(DTYPES))
    raw = rng.randbytes(math.prod(shape) * dtype.itemsize)
    if dtype == np.bool_:
        raw = bytes(byte & 1 for byte in raw)
    array = np.frombuffer(raw, dtype).reshape(shape)
    return array.T if rng.random() < 0.3 else array


def a_leaf(rng):
    return rng.choice(
        [
            lambda: None,
            lambda: rng.random() < 0.5,
            lambda: rng.choice(INTS),
            lambda: rng.choice(FLOATS),
            lambda: complex(rng.choice(FLOATS), rng.choice(FLOATS)),
            lambda: rng.choice(TEXTS),
            lambda: rng.randbytes(rng.randrange(5)),
            lambda: Ref(rng.choice(TEXTS)),
            lambda: Raised("ValueError", rng.choice(TEXTS)),
            lambda: an_array(rng),
        ]
    )()


def a_value(rng, depth=0):
    kind = rng.random()
    if depth == 4 or kind < 0.4:
        return a_leaf(rng)
    parts = [a_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind < 0.6:
        return parts
    if kind < 0.8:
        return tuple(parts)
    return {f"key {i}": part for i, part in enumerate(parts)}


def assert_same(one, other):
    assert type(one) is type(other), (one, other)
    if isinstance(one, np.ndarray):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        if one.dtype.hasobject:
            assert one.tolist() == other.tolist()
        else:
            assert one.tobytes() == other.tobytes()  # NaN and -0 to the last bit
    elif isinstance(one, dict):
        assert list(one) == list(other)
        for key in one:
            assert_same(one[key], other[key])
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(other)
        for part, other_part in zip(one, other, strict=True):
            assert_same(part, other_part)
    elif isinstance(one, float):
        assert one.hex() == other.hex()
    elif isinstance(one, complex):
        assert_same([one.real, one.imag], [other.real, other.imag])
    else:
        assert one == other


@pytest.mark.parametrize("seed", range(400))
def test_values_come_back_as_they_were(seed):
    value = a_value(random.Random(seed))
    line = dumps(value)
    assert "\n" not in line
    assert_same(loads(line), value)


def test_scalars_of_numpy_become_arrays():
    assert_same(loads(dumps(np.float32(2))), np.array(2, np.float32))
    assert_same(loads(dumps(np.bool_(True))), np.array(True))


def test_what_comes_back_may_be_written_to():
    array = loads(dumps(np.ones(3)))
    array[0] = 2
    assert array[0] == 2


@pytest.mark.parametrize("key", ["$array", "$int", "$ref", "$tuple", "$bytes", "$raised"])
def test_a_dictionary_with_a_key_of_the_wires_own_is_itself(key):
    """A student's value cannot pass for one of another kind."""
    with pytest.raises(TypeError, match="a dict cannot be sent"):
        dumps([{key: ["ValueError", "no"]}])


@pytest.mark.parametrize("keys", [(1, "1"), (None, "None"), (True, "True")])
def test_keys_that_are_no_text_are_not_confused(keys):
    with pytest.raises(TypeError, match="a dict cannot be sent"):
        dumps({key: i for i, key in enumerate(keys)})


@pytest.mark.parametrize("value", [object(), {1}, len, np, (1).__class__, iter([])])
def test_other_values_are_refused(value):
    for around in (value, [value], {"a": (value,)}, np.array([value, None], object)):
        with pytest.raises(TypeError, match="cannot be sent"):
            dumps(around)


@pytest.mark.parametrize("dtype", [">f8", ">i4", ">c8", "<U2", "S3", "<M8[D]"])
def test_arrays_of_odd_types_come_back(dtype):
    array = np.array(["1", "2"]).astype(dtype)
    assert_same(loads(dumps(array)), array)


def test_arrays_of_records_are_refused():
    with pytest.raises(TypeError, match="cannot be sent"):
        dumps(np.zeros(2, [("a", np.int32)]))


def test_a_value_that_holds_itself_is_refused():
    endless = []
    endless.append(endless)
    with pytest.raises((TypeError, RecursionError)):
        dumps(endless)


HOSTILE = [
    *("", " ", "{", "[1", "nul", "\x00", "é", "{'a': 1}", "1 2", "[" * 100_000),
    *("9" * 10_000, '{"a":' * 50_000, "\ud800"),
    *('{"$array": 1}', '{"$array": []}', '{"$array": ["float64", [1], ""]}'),
    *('{"$array": ["float64", [1], "!"]}', '{"$array": ["float64", 3, ""]}'),
    *('{"$array": ["no", [0], ""]}', '{"$array": ["O", [0], ""]}'),
    *('{"$array": ["object", [1], "AAAAAAAAAAA="]}', '{"$array": [null, [0], ""]}'),
    *('{"$array": ["float64", [-2], "AAAAAAAAAAA="]}',),
    *('{"$array": ["float64", ["1"], "AAAAAAAAAAA="]}',),
    *('{"$array": ["float64", [1e9], ""]}', '{"$array": ["V0", [1], ""]}'),
    *('{"$array": ["float64", [99999999999999999999], ""]}',),
    *('{"$array": ["float64", [1], "AAAAAAAAAA="]}', '{"$array": ["f8", [1], "é"]}'),
    *('{"$array": ["S0", [0], ""]}', '{"$array": ["i4,O", [0], ""]}'),
    *('{"$array": [["f8"], [0], ""]}', '{"$array": [{"a": 1}, [0], ""]}'),
    *('{"$array": "abc"}', '{"$array": {"a": 1}}', '{"$array": null}'),
    *('{"$objects": 1}', '{"$objects": []}', '{"$objects": [[2], [1]]}'),
    *('{"$objects": [[1], 1]}', '{"$objects": [1]}', '{"$objects": [["a"], [1]]}'),
    *('{"$int": "x"}', '{"$int": null}', '{"$int": []}', '{"$int": "%s"}' % ("9" * 9999)),
    *('{"$float": "x"}', '{"$float": 1}', '{"$float": "0x1p99999"}', '{"$float": null}'),
    *('{"$complex": 1}', '{"$complex": []}', '{"$complex": ["0x1p0"]}'),
    *('{"$complex": ["x", "y"]}', '{"$complex": [1, 2]}'),
    *('{"$bytes": 1}', '{"$bytes": "!"}', '{"$bytes": "a"}', '{"$bytes": "é"}'),
    *('{"$ref": 1}', '{"$ref": []}', '{"$ref": {"a": 1}}'),
    *('{"$raised": 1}', '{"$raised": []}', '{"$raised": [1]}', '{"$raised": null}'),
    *('{"$tuple": 1}', '{"$tuple": null}'),
]


@pytest.mark.parametrize("line", HOSTILE, ids=lambda line: ascii(line[:40]))
def test_a_hostile_line_is_a_value_error(line):
    """Or a plain value: nothing else may come of it."""
    try:
        value = loads(line)
    except ValueError:
        return
    assert not isinstance(value, np.ndarray), value


def damaged(rng, line):
    """``line`` with a few characters changed, left out or doubled."""
    letters = list(line)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(letters) + 1)
        letters[at : at + rng.randrange(3)] = rng.choice(
            ['"', "[", "]", "{", "0", "-", "$"]
        )
    return "".join(letters)


def replaced(rng, value):
    """``value`` of JSON with one part put in place of another."""
    if rng.random() < 0.3 or not isinstance(value, (list, dict)) or not value:
        return rng.choice(
            [None, 0, -1, 1e308, "", "x", [], {}, [[1]], {"$int": "1"}, True]
        )
    if isinstance(value, list):
        at = rng.randrange(len(value))
        return [*value[:at], replaced(rng, value[at]), *value[at + 1 :]]
    key = rng.choice(list(value))
    return {**value, key: replaced(rng, value[key])}


@pytest.mark.parametrize("seed", range(40))
def test_damaged_lines_are_values_or_value_errors(seed):
    rng = random.Random(seed)
    for _ in range(50):
        line = dumps(a_value(rng))
        for other in (damaged(rng, line), json.dumps(replaced(rng, json.loads(line)))):
            try:
                loads(other)
            except ValueError:
                pass
            except Exception as error:
                raise AssertionError(other) from error
