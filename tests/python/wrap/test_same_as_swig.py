"""The same interface files through SWIG and through ours, call by call."""

import pytest
from constructs import MODULES, constructs, interface
from oracle import call, compile_, generate, has_swig

needs_swig = pytest.mark.skipif(
    not has_swig, reason="needs swig, of Debian's package swig"
)
# Calls that give something else, and why.
DIFFERENT = {
    "m.g_const": "SWIG has constant variables in the module, too",
    "setattr(l, 'a', None)": "SWIG reads a null pointer",
    "setattr(l, 'a', 3)": "SWIG calls the type of a field Point *",
}


@pytest.fixture(scope="module", params=MODULES)
def outcomes(request, tmp_path_factory):
    """The constructs of a module, each with its calls and what both modules gave."""
    found = constructs(request.param)
    calls = [line for construct in found for line in construct.calls]
    results = []
    for name, flag in (("swig", "-w"), ("ours", "-Wall")):
        folder = tmp_path_factory.mktemp(f"{request.param}_{name}")
        source = generate(interface(request.param), folder, swig=name == "swig")
        compile_(source, "m", flag)
        results.append(iter(call(folder, calls)))
    swig, ours = results
    return [(each, [(c, next(swig), next(ours)) for c in each.calls]) for each in found]


@needs_swig
def test_ours_behaves_as_swig(outcomes, capsys):
    different = {}
    with capsys.disabled():
        print()
        for construct, calls in outcomes:
            wrong = {line: pair for line, *pair in calls if pair[0] != pair[1]}
            number = len(wrong) or "none"
            print(f"{construct.name:62} {len(calls):4} calls, {number} differ")
            different |= wrong
    unknown = sorted(different.keys() - DIFFERENT.keys())
    assert not unknown, "\n".join(f"{line}: {different[line]}" for line in unknown)
    known = {line for _, calls in outcomes for line, *_ in calls} & DIFFERENT.keys()
    assert known == different.keys(), "a call of DIFFERENT gives the same"
    crashes = [c for _, calls in outcomes for c, _, ours in calls if ours[0] == "crash"]
    assert not crashes


def test_there_are_at_least_60_constructs():
    found = [construct for module in MODULES for construct in constructs(module)]
    assert len({construct.name for construct in found}) == len(found) >= 60
    assert sum(len(construct.calls) for construct in found) > 1900
