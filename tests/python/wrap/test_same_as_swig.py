"""The same interface files through SWIG and through ours, call by call."""

import pytest
from constructs import SCALARS
from constructs_of_classes import CLASSES, VARIABLES
from constructs_of_typemaps import TYPEMAPS
from oracle import call, compile_, generate, has_swig, interface

needs_swig = pytest.mark.skipif(
    not has_swig, reason="needs swig, of Debian's package swig"
)
MODULES = {
    "scalars": (SCALARS, ""),
    "classes": (VARIABLES + CLASSES, ""),
    "typemaps": (TYPEMAPS, '(threads="1")'),
}
# Calls that give something else, and why.
DIFFERENT = {
    "m.greet(loud=True)": "SWIG takes no keywords if a default value is not Python's",
    "setattr(l, 'a', None)": "SWIG reads a null pointer",
    "setattr(l, 'a', 3)": "SWIG calls the type of a field Point *",
    "m.first_of(None)": "SWIG reads a null pointer",
}


@pytest.fixture(scope="module", params=MODULES)
def outcomes(request, tmp_path_factory):
    """The constructs of a module, each with its calls and what both modules gave."""
    constructs, options = MODULES[request.param]
    text = interface(constructs, options)
    calls = [line for construct in constructs for line in construct.calls]
    results = []
    for name in ("swig", "ours"):
        folder = tmp_path_factory.mktemp(f"{request.param}_{name}")
        compile_(
            generate(text, folder, swig=name == "swig"),
            "-w" if name == "swig" else "-Wall",
        )
        results.append(iter(call(folder, calls)))
    return [
        (c, [(line, next(results[0]), next(results[1])) for line in c.calls])
        for c in constructs
    ]


@needs_swig
def test_ours_behaves_as_swig(outcomes, capsys):
    different = {}
    with capsys.disabled():
        print()
        for construct, calls in outcomes:
            wrong = {line: pair for line, *pair in calls if pair[0] != pair[1]}
            print(
                f"{construct.name:60} {len(calls):5} calls {len(wrong) or 'none'} differ"
            )
            different |= wrong
    unknown = different.keys() - DIFFERENT.keys()
    assert not unknown, "\n".join(
        f"{line}: {different[line]}" for line in sorted(unknown)
    )
    known = {line for _, calls in outcomes for line, *_ in calls} & DIFFERENT.keys()
    assert known == different.keys(), "a call of DIFFERENT gives the same"
    crashes = [
        line for _, calls in outcomes for line, _, ours in calls if ours[0] == "crash"
    ]
    assert not crashes


def test_there_are_at_least_60_constructs():
    names = [c.name for constructs, _ in MODULES.values() for c in constructs]
    assert len(set(names)) == len(names) >= 60
    assert (
        sum(len(c.calls) for constructs, _ in MODULES.values() for c in constructs) > 2000
    )
