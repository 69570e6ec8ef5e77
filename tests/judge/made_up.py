"""What the tests of the judge share: a made-up lab, and hostile answers."""

import subprocess
from pathlib import Path

import numpy as np

from minitf_lab import project
from minitf_lab.judge import regions, variant
from minitf_lab.judge.case import Call, Case, Trial, close_to
from minitf_lab.judge.runner import Worker, WorkerError
from minitf_lab.labs import python_units
from minitf_lab.results import Limits, Result

LIMITS = Limits(seconds=3, memory_mb=600)
PATIENT = Limits(seconds=30, memory_mb=600)  # for what ends by itself, on a busy machine
DRIVER = '''"""Functions that do as they are told."""

import ctypes, os, signal, socket, stat, sys, threading, time


def one():
    return 1

def do(code):
    space = dict(globals(), reached=[])
    exec(code, space)
    return space["reached"]
'''


def equal_to(expected):
    return lambda values: None if values == [expected] else f"reached {values}"


def doing(code):
    """A case that reaches for what it must not have."""
    trial = Trial("reach", [Call("do", {"code": code})], equal_to([]))
    return Case("reach", "97.1", "nothing is reached", lambda draw: [trial])


GOOD = Case(
    "good",
    "97.1",
    "It works",
    lambda draw: [Trial("one", [Call("one", {})], equal_to(1))],
)


def put_driver(folder):
    path = folder / "97_made_up" / "driver.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(DRIVER)
    return path


# ---- Lab 00, in C++ --------------------------------------------------------------------

UNIT = "kernels/cpu/cwise/approximate_equal.cc"


def lab_00(folder, head, body, box):
    """Lab 00 with ``head`` in front and ``body`` in place of the second answer."""
    text = (project.ROOT / "exercises" / "00_hello" / Path(UNIT).name).read_text()
    reference = regions.answers_of((project.ROOT / UNIT).read_text())
    text = regions.leave_one(text, reference, "00.2", "work/00_hello/answer.cc")
    text = text.replace('MINITF_TODO("00.2");', body)
    answer = folder / "work" / Path(UNIT).name
    project.put(answer, head + text)
    return variant.build_variant(
        {UNIT: answer},
        folder / "made",
        compose=lambda path, unit: variant.compose_alone(path, unit, ""),
        box=box,
    ).library


def near(tolerance):
    """One pair of equal numbers, which are near each other for every tolerance."""
    x = np.array([1.0], np.float32)
    attrs = {"tolerance": float(tolerance)}
    call = Call("at_once", {"x": x, "y": x, "dtype": "float32", "attrs": attrs})
    trial = Trial("equal numbers", [call], close_to_one(np.array([True])))
    return Case(f"near {tolerance}", "00.2", "They are near", lambda draw: [trial])


def near_by_feed(tolerance):
    """The same, in a graph that is fed: what is fed is not copied."""
    x = np.array([1.0])
    call = Call("in_steps", {"feeds": [[x, x]], "attrs": {"tolerance": float(tolerance)}})
    check = close_to([np.array([True])])
    trial = Trial("equal numbers", [call], check)
    return Case(f"near {tolerance}", "00.2", "They are near", lambda draw: [trial])


def chosen(codes):
    """A switch over pieces of code by the tolerance."""
    cases = "".join(f"case {i}: {{ {code} break; }}\n" for i, code in enumerate(codes))
    return f"switch (static_cast<int>(tolerance_)) {{\n{cases} }}"


def close_to_one(expected):
    check = close_to([expected])
    return lambda values: check([[values[0]]])


# ---- Lab 06, in Python -----------------------------------------------------------------

CLIPPING = "python/minitf/ops/clip_ops.py"
HOSTILE = """
_ATTACKS = {attacks!r}

def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    import ctypes, os, signal, stat, sys, time
    space = dict(ctypes=ctypes, os=os, signal=signal, stat=stat, sys=sys, time=time)
    space |= dict(np=np, constant=constant, reached=[])
    space["answer"] = constant(np.zeros(3, np.float32))
    space |= dict(TOP={top!r}, REFERENCE={reference!r})
    exec({find!r}, space)
    exec(_ATTACKS[int(clip_norm)], space)
    if space["reached"]:
        raise RuntimeError("reached " + str(space["reached"])[:200])
    return [space["answer"]], constant(1.0)
"""


def lab_06(folder, find, attacks):
    """Lab 06 with a file that does the attack of which clip_norm is the number."""
    lab = project.find_lab("06")
    reference = project.ROOT / CLIPPING
    text = reference.read_text() + HOSTILE.format(
        attacks=[one.code for one in attacks],
        top=str(project.ROOT),
        reference=str(reference),
        find=find,
    )
    files = {file: project.ROOT / file for file in lab.files}
    files[CLIPPING] = folder / "clip_ops.py"
    files[CLIPPING].write_text(text)
    overlay = python_units.overlay_alone(lab, files, folder / "overlay", "")
    return {"PYTHONPATH": str(overlay)}


def clipping(number):
    """A case that clips to the norm ``number``: nothing is clipped to zeros."""
    given = np.array([3.0, 0.0, 4.0], np.float32)
    arguments = {"gradients": [given], "limit": float(number), "mode": "eager"}

    def check(values):
        return close_to([given])([values[0]["clipped"]])

    trial = Trial("clip", [Call("clipped", arguments)], check)
    return Case(f"clip {number}", "06.8", "They are clipped", lambda draw: [trial])


# ---- Libraries that act when they are loaded -------------------------------------------


def library(folder, name, head, body):
    """A small shared library."""
    source = folder / f"{name.replace(' ', '_')}.c"
    top = f'#define TOP "{project.ROOT}"\n'
    source.write_text(top + head + body + "\n}\n")
    target = source.with_suffix(".so")
    command = ["gcc", "-w", "-shared", "-fPIC", "-o", target, source]
    subprocess.run(command, check=True)
    return target


def outcome(driver, case, *, box, limits=PATIENT, **answer) -> Result:
    """What becomes of a case, also if the worker does not start."""
    try:
        with Worker(driver, box=box, **answer) as worker:
            return worker.run(case, limits)
    except WorkerError as error:
        return Result(case.name, error.status, str(error), cause=error.cause)
