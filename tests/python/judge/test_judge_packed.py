"""Values in a file of memory: they come back as they were, and nothing odd is taken."""

import json
import os
import struct

import numpy as np
import pytest

from minitf_lab.judge import packed


@pytest.fixture
def file():
    number = os.memfd_create("test")
    yield number
    os.close(number)


def test_values_come_back_as_they_were(file):
    long = np.arange(1000, dtype=np.float32).reshape(10, 100)
    value = {
        "a": [long, (long[:, ::2], 1.5)],
        "b": np.array(["x"]),
        "c": np.zeros((0, 3)),
        "d": {"e": np.float64(2), "f": long.astype(np.complex64)},
    }
    packed.write(file, value)
    for got in (packed.read(file), packed.read_mapped(file)):
        assert np.array_equal(got["a"][0], long)
        assert got["a"][0].dtype == np.float32
        assert np.array_equal(got["a"][1][0], long[:, ::2])
        assert got["a"][1][1] == 1.5
        assert got["b"].tolist() == ["x"]
        assert got["c"].shape == (0, 3)
        assert np.array_equal(got["d"]["f"], long)
    packed.clear(file)
    with pytest.raises(ValueError, match="its head has 0 bytes"):
        packed.read(file)


def head(value):
    data = json.dumps(value).encode()
    return struct.pack("<Q", len(data)) + data


ARRAY = {"value": {"$ref": "@0"}}
BAD = {
    "nothing": b"",
    "a length alone": struct.pack("<Q", 100),
    "a length without end": struct.pack("<Q", (1 << 64) - 1),
    "a negative length": b"\xff" * 16,
    "no JSON": struct.pack("<Q", 3) + b"abc",
    "a list": head([]),
    "a number": head(1),
    "no table": head({"value": 1}),
    "deep": struct.pack("<Q", 90_000) + b"[" * 90_000,
    "many parts": struct.pack("<Q", 300_000) + b"[" + b"0," * 149_999 + b"]",
    "no such array": head({"value": {"$ref": "@7"}, "arrays": []}),
    "an odd reference": head({"value": {"$ref": "@x"}, "arrays": []}),
    "a large array": head({**ARRAY, "arrays": [["<f4", [1 << 40], 0]]}),
    "many large ones": head({**ARRAY, "arrays": [["<f4", [1 << 23], 0]] * 4}),
    "an array past the end": head({**ARRAY, "arrays": [["<f4", [9000], 0]]}),
    "far away": head({**ARRAY, "arrays": [["<f4", [9], 1 << 62]]}),
    "before the start": head({**ARRAY, "arrays": [["<f4", [9], -64]]}),
    "at no place": head({**ARRAY, "arrays": [["<f4", [9], 1.5]]}),
    "a negative side": head({**ARRAY, "arrays": [["<f4", [-9], 0]]}),
    "no sides": head({**ARRAY, "arrays": [["<f4", None, 0]]}),
    "objects": head({**ARRAY, "arrays": [["|O", [9], 0]]}),
    "a structure": head({**ARRAY, "arrays": [["f4,f4", [9], 0]]}),
}


@pytest.mark.parametrize("name", BAD)
def test_nothing_that_a_worker_writes_is_trusted(file, name):
    os.pwrite(file, BAD[name], 0)
    with pytest.raises((ValueError, OSError)):
        packed.read(file)
