"""Each public name of TensorFlow 1.15 is here, or has a reason to be missing."""

import re
import textwrap

import pytest
import tensorflow_names
from runners import fresh_process

import minitf as tf
from minitf import families

pytestmark = pytest.mark.families(*families.FAMILIES)

MISSING = dict(tensorflow_names.missing())
GROUPS = tensorflow_names.groups()


def test_the_table_has_the_1931_names_of_1493_objects():
    names = [name for group in GROUPS for name in group]
    assert (len(GROUPS), len(names), len(set(names))) == (1493, 1931, 1931)


def test_every_missing_name_has_a_reason():
    assert [name for name, reason in MISSING.items() if reason is None] == []


def test_every_reason_is_that_of_a_missing_name():
    for reason, patterns in tensorflow_names.REASONS.items():
        for pattern in patterns.split():
            names = [name for name in MISSING if re.fullmatch(pattern, name)]
            assert names, f"{reason}: {pattern}"


def test_an_object_has_all_its_names_or_none():
    for names in GROUPS:
        found = [name for name in names if name not in MISSING]
        assert found in ([], names)


def test_all_names_of_an_object_are_the_same_object():
    for names in GROUPS:
        values = [tensorflow_names.value_of(name) for name in names]
        assert all(value is values[0] for value in values), names


@pytest.mark.parametrize("package", tensorflow_names.PACKAGES)
def test_packages_outside_of_the_table_are_missing(package):
    with pytest.raises(AttributeError, match=f"'minitf' has no attribute '{package}'"):
        getattr(tf, package)


def test_a_second_name_imports_its_module_when_a_program_uses_it():
    """``import minitf`` neither reads the table of names, nor imports what it has."""
    fresh_process(
        textwrap.dedent("""
        import sys
        import minitf as tf

        assert sys.modules["minitf.public_names"]._second_names.cache_info().currsize == 0
        assert "minitf.training.learning_rate_decay" not in sys.modules
        assert tf.train.piecewise_constant_decay is tf.train.piecewise_constant
        assert "minitf.training.learning_rate_decay" in sys.modules
        assert tf.dtypes.cast is tf.cast
    """)
    )


def test_dir_has_second_names():
    assert {"cast", "complex", "saturate_cast"} <= set(dir(tf.dtypes))
    assert {"band_part", "tensor_diag", "det"} <= set(dir(tf.linalg))
    assert {"constant", "global_variables"} <= set(dir(tf.initializers))
    assert "reverse_v2" in dir(tf)


def test_an_op_that_comes_later_brings_all_its_names(monkeypatch):
    from minitf import public_names

    assert public_names.find("linalg", "cholesky") is None
    table = public_names._table("tf")
    monkeypatch.setitem(table, "cholesky", ("tf", "matmul"))
    assert public_names.find("linalg", "cholesky") is tf.matmul
    assert "cholesky" in public_names.names_of("linalg")
