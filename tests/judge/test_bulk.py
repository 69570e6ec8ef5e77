"""Submissions are judged while processes are killed or interrupted at random."""

import subprocess
import sys
from pathlib import Path

import pytest

from minitf_lab import project

OPTIONS = {
    "lab 04": ["--count", "5", "--kills", "4", "--pause", "4", "--again", "1"],
    "stub": ["--stub", "--count", "12", "--kills", "6", "--pause", "1", "--again", "2"],
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_some_with_kills(options):
    bulk = Path(__file__).with_name("bulk.py")
    done = subprocess.run(
        [sys.executable, str(bulk), *options],
        cwd=project.ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing is lost, and nothing judged twice" in done.stdout
