"""Boxes for the tests of the judge: of each kind that the machine has."""

import sys
from pathlib import Path

import pytest

from minitf_lab.judge import sandbox

sys.path.insert(0, str(Path(__file__).parent / "attacks"))


@pytest.fixture(scope="session")
def box():
    """The box that marks come from."""
    return sandbox.find_box()
