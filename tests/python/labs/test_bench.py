"""What ./lab bench refuses, and what it draws. It measures nothing here."""

import argparse

import pytest

from minitf_lab import project
from minitf_lab.dev.checks import programs

bench = programs.load("bench", "bench")
bindings = programs.load("bench", "bindings")
bench_picture = programs.load("bench", "bench_picture")

FINE = {
    "what": ["gemm"], "tiers": False, "before": "", "threads": 1, "rounds": 1,
    "picture": "", "json": "", "k": "",
}  # fmt: skip


def arguments(**changed):
    return argparse.Namespace(**{**FINE, **changed})


def test_what_can_be_measured_is_not_refused():
    bench._check(arguments())
    bench._check(arguments(what=["gemm", "conv"], tiers=True))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"what": ["ops"], "tiers": True}, "'ops' has none; gemm and conv have some"),
        ({"tiers": True, "before": "x"}, "cannot be had together"),
        ({"threads": 0}, "--threads 0: from 1 to"),
        ({"threads": 10_000}, "--threads 10000: from 1 to"),
        ({"rounds": 0}, "--rounds 0: at least 1"),
        ({"what": ["ops"], "picture": "x.svg"}, "--picture: of gemm and conv alone"),
        ({"picture": "x.svg", "threads": 2}, "--picture: of one core"),
        ({"picture": "no/such/folder/x.svg"}, "there is no such folder"),
    ],
)
def test_what_makes_no_sense_is_refused(changed, said):
    with pytest.raises(project.LabError) as error:
        bench._check(arguments(**changed))
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"what": ["gemm", "bindings"]},
            "bindings: takes -k, --rounds and --peers alone",
        ),
        ({"what": ["bindings"], "json": "x"}, "bindings: takes -k"),
        ({"what": ["bindings"], "threads": 2}, "bindings: takes -k"),
        ({"what": ["bindings"], "rounds": 0}, "--rounds 0: at least 1"),
    ],
)
def test_bindings_are_measured_alone(changed, said):
    with pytest.raises(project.LabError) as error:
        bindings.main(arguments(**changed))
    assert said in str(error.value)


def test_rows_of_bindings_have_nanoseconds_and_ratios():
    c, swig, ours = (bench.Worker(name, None) for name in ("C", "SWIG", "minitf_wrap"))
    c.times = {"add": [1e-6]}
    swig.times = {"add": [4e-6, 2e-6, 3e-6], "echo": [2e-6]}
    ours.times = {"add": [1.5e-6], "echo": [0.25e-6]}
    rows = bindings._rows([c, swig, ours], {"add": "add", "echo": "echo"})
    assert rows == [
        ["add", "1000", "3000", "1500", "", "0.50"],
        ["echo", "", "2000", "250", "", "0.12"],
        ["geometric mean", "", "", "", "", "0.25"],
    ]


def worker():
    made = bench.Worker("minitf", None)
    made.groups = {"gemm": {"gemm_1": "one", "gemm_2": "two"}, "ops": {"add": "add"}}
    return made


def test_cases_are_those_of_the_groups_with_the_text_in_their_names():
    assert bench.choose(worker(), arguments(k="_2")) == {"gemm_2": "two"}
    both = bench.choose(worker(), arguments(what=["gemm", "ops"]))
    assert list(both) == ["gemm_1", "gemm_2", "add"]


def test_groups_and_texts_that_are_not_there_are_named():
    with pytest.raises(project.LabError, match="'gem'; there are gemm, ops"):
        bench.choose(worker(), arguments(what=["gem"]))
    with pytest.raises(project.LabError, match="no case of gemm has 'x' in it"):
        bench.choose(worker(), arguments(k="x"))


def test_rows_have_rates_and_ratios():
    own, peer = worker(), bench.Worker("torch", None)
    own.operations = {"gemm_1": 10**9, "spin": 10**9}
    own.sizes = {"gemm_1": 1, "add": 10**9}
    own.times = {"gemm_1": [0.5, 0.5], "add": [0.25], "spin": [0.25]}
    peer.times = {"gemm_1": [1.0], "spin": [0.5]}
    rows = bench._rows([own, peer], {"gemm_1": "one", "add": "add"}, threads=1)
    assert rows == [
        ["one", "500 ms (1.00 to 1.00), 2 GFLOP/s, 50%", "1 s (0.5x)"],
        ["add", "250 ms (1.00 to 1.00), 4 GB/s", ""],
    ]


def test_pictures_are_the_same_from_the_same_numbers(tmp_path):
    drawn = []
    rates = {"naive": {"x": 1.0}, "packed": {"x": 9.0, "y": 8.0}}
    for name in ("a.svg", "b.svg"):
        path = tmp_path / name
        bench_picture.bars(rates, 10, path)
        drawn.append(path.read_text())
        bench_picture.roof({"x": (2.0, 5.0), "y": (30.0, 9.0)}, 10, 1.5, path)
        drawn.append(path.read_text())
    assert drawn[:2] == drawn[2:]
    assert all("<svg" in one for one in drawn)
    assert ">packed</text>" in drawn[0]  # no path for each of its letters
