"""Some hand-ins of lab 04, judged while processes are killed at random."""

import subprocess
import sys
from pathlib import Path

from minitf_lab import project


def test_some_with_kills():
    bulk = Path(__file__).with_name("bulk.py")
    options = ["--count", "5", "--kills", "4", "--pause", "4", "--again", "1"]
    done = subprocess.run(
        [sys.executable, str(bulk), *options],
        cwd=project.ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing is lost, and nothing judged twice" in done.stdout
