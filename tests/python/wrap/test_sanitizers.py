"""Calls of the comparison with SWIG, under the sanitizers of addresses and of C++."""

import json
import os
import subprocess
import sys

import pytest
from constructs import constructs, interface
from oracle import PREAMBLE, compile_, generate


def runtime_of(sanitizer):
    """Returns the path of a sanitizer's library, or an empty text."""
    command = ["g++", f"-print-file-name=lib{sanitizer}.so"]
    path = subprocess.run(command, capture_output=True, text=True).stdout.strip()
    return path if os.path.isabs(path) else ""


libraries = [runtime_of("asan"), runtime_of("ubsan")]


@pytest.mark.skipif(not all(libraries), reason="needs the sanitizers of g++")
def test_no_call_reads_or_writes_what_it_must_not(tmp_path):
    source = generate(interface("objects"), tmp_path, swig=False)
    compile_(source, "m", "-fsanitize=address,undefined")
    calls = [line for construct in constructs("objects") for line in construct.calls]
    environment = {
        **os.environ,
        "LD_PRELOAD": " ".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0",  # Python itself leaks at its end
        "PYTHONMALLOC": "malloc",
    }
    done = subprocess.run(
        [sys.executable, "-c", PREAMBLE, str(tmp_path)],
        input=json.dumps(calls),
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == len(calls)
