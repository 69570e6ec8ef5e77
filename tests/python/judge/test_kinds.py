"""Checks compare the type and the shape of an array before they compute with it."""

import importlib

import numpy as np
import pytest

from minitf_lab import project
from minitf_lab.judge import own_cases
from minitf_lab.judge.case import Raised, close_within

WANTED = np.array([[1.0, 2.0], [3.0, 4.0]])
# What a comparison that casts what is expected, or what came, takes for WANTED.
ODD = (
    *(np.ones((2, 2), bool), WANTED > 0, WANTED.astype("float64"), WANTED.astype(object)),
    *(WANTED.astype("int32"), WANTED.astype("complex64"), WANTED.astype("float16")),
    *(WANTED.ravel().astype("f"), WANTED[None].astype("f"), np.float32(1), None, "x"),
    *(WANTED.tolist(), [], {}, True, Raised("ValueError", "x"), WANTED.astype("S3")),
)


@pytest.mark.parametrize("got", ODD, ids=range(len(ODD)))
def test_another_type_or_shape_is_wrong(got):
    for bound in (0.5, np.inf):
        assert close_within(got, WANTED, bound, dtype="float32") is not None
    assert close_within(WANTED.astype("f"), WANTED, 0, dtype="float32") is None


@pytest.mark.parametrize("number", ["06", "09", "10", "11"])
def test_no_case_takes_an_array_of_another_type(number):
    """Every check with one array as its value refuses arrays of True of that shape."""
    lab = project.find_lab(number)
    own_cases.read(lab.tests)
    module = importlib.import_module(f"lab_{lab.folder}.trials")
    near = getattr(module, "near", None)
    if near is not None:
        ones = np.ones((2, 2), bool)
        assert near(ones, np.ones((2, 2)), np.ones((2, 2))) is not None
    for path in lab.tests.glob("*.py"):
        assert "astype(got.dtype)" not in path.read_text(), path


def test_both_parts_of_complex_numbers_count():
    wanted = np.array([1 + 2j, 3 - 1j])
    got = wanted.astype(np.complex64)
    assert close_within(got + 1e-4j, wanted, 1e-3, dtype="complex64") is None
    for off in (0.01, 0.01j):
        wrong = close_within(got + np.complex64(off), wanted, 1e-3, dtype="complex64")
        assert wrong is not None
