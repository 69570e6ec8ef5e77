"""A course and a download for the tests of collecting."""

import pytest


@pytest.fixture
def course(tmp_path):
    return tmp_path / "course"


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "download"
    path.mkdir()
    return path
