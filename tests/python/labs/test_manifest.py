"""The fields of a lab.json: what is taken, and what is refused with which words."""

import copy
import json

import pytest

from minitf_lab import manifest, project
from minitf_lab.manifest import REQUIRED, TASK, Kind

GOOD = {
    "title": "Mine",
    "files": ["mine.cc"],
    "tasks": {
        "50.1": {
            "title": "One",
            "points": 3,
            "cases": 1,
            "doc": "README.md",
            "speed": {
                "case": "long",
                "ratio_full": 2,
                "ratio_zero": 9,
                "board": {"name": "fastest"},
            },
        }
    },
    "limits": {"max_bytes": 10, "mem_mb": 500, "threads": 4},
    "qa": {"starter_max": 1},
}
# A value of each kind that JSON has, and some that Python takes for another.
VALUES = [None, True, 0, -1, 1.5, 10**30, float("nan"), float("inf"), "", "x", "a\nb"]
VALUES += [[], ["x"], [1], [[]], {}, {"x": 1}, {"50.1": []}]


def all_fields(table=manifest.LAB, place=()):
    """Each field with its place in GOOD."""
    for name, field in table.items():
        yield (*place, name), field
        if field.kind is TASK:
            yield from all_fields(TASK, (*place, name, "50.1"))
        elif isinstance(field.kind, dict):
            yield from all_fields(field.kind, (*place, name))


def with_value(place, value):
    values = copy.deepcopy(GOOD)
    table = values
    for name in place[:-1]:
        table = table.setdefault(name, {})
    table[place[-1]] = value
    return values


FIELDS = dict(all_fields())


def test_a_manifest_that_is_good_is_taken_as_it_is():
    assert manifest.read(json.dumps(GOOD)) == GOOD
    for path in (project.ROOT / "exercises").glob("*/lab.json"):
        assert manifest.read(path.read_text()) == json.loads(path.read_text())


@pytest.mark.parametrize("place", FIELDS, ids=".".join)
def test_a_field_takes_what_it_may_hold_and_nothing_else(place):
    """The refusal names the field, and what was expected."""
    kind = FIELDS[place].kind
    refused = 0
    for value in VALUES:
        text = json.dumps(with_value(place, value))
        fits = isinstance(kind, Kind) and kind.fits(value)
        if fits or (value == {} and place in {("limits",), ("qa",)}):
            manifest.read(text)
            continue
        with pytest.raises(ValueError, match="expected|unknown field|missing") as error:
            manifest.read(text)
        said = str(error.value)
        assert ".".join(place) in said and len(said) < 300 and "\n" not in said
        refused += 1
    assert refused >= len(VALUES) - 6


def test_what_each_kind_takes():
    """By hand, since the test above asks the kinds themselves."""
    taken = {
        "title": ["x"],
        "files": [["x"]],
        "version": ["x"],
        "time_limit_s": [1.5],
        "hours": [0, 1.5],
        "aics": [[], ["x"]],
        "needs": [[]],
        "answers": [{}],
    }
    for name, values in taken.items():
        kind = FIELDS[name,].kind
        found = [value for value in VALUES if kind.fits(value)]
        assert [type(value) for value in found] == [type(value) for value in values]
        assert found == values, name
    limits = [kind.kind for place, kind in FIELDS.items() if place[:1] == ("limits",)][1:]
    assert [kind.fits(1000) for kind in limits] == [True] * 5 + [False, True]
    assert not any(kind.fits(value) for kind in limits for value in VALUES)
    assert FIELDS["needs",].kind.fits(["cuda", "minitf"])
    assert FIELDS["visibility",].kind.fits("hidden")


@pytest.mark.parametrize("place", [p for p, f in FIELDS.items() if f.default is REQUIRED])
def test_what_must_be_there_is_asked_for(place):
    values = copy.deepcopy(GOOD)
    table = values
    for name in place[:-1]:
        table = table[name]
    del table[place[-1]]
    with pytest.raises(ValueError, match=f"{place[-1]} is missing: "):
        manifest.read(json.dumps(values))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Expecting value"),
        ("[" * 100_000, "nested too deeply"),
        ("[]", "the manifest: expected a table, it is []"),
        ('{"title": "a", "title": "b"}', "title is there twice"),
        (json.dumps(GOOD | {"titel": "x"}), "unknown field titel: did you mean title?"),
        (
            json.dumps(GOOD | {"limits": {"mem": 1}}),
            "unknown field limits.mem: did you mean mem_mb?",
        ),
        (json.dumps(GOOD | {"tasks": {}}), "tasks: expected a table with a task"),
        (json.dumps(GOOD | {"x" * 999: 1}), f"unknown field {'x' * 40}: there are"),
    ],
)
def test_what_is_wrong_is_named(text, said):
    with pytest.raises(ValueError) as error:
        manifest.read(text)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"files": ["a/x.cc", "b/x.cc"]}, "two of its files have the same name"),
        ({"tasks": {"one": GOOD["tasks"]["50.1"]}}, "tasks.one: expected a number such"),
        ({"limits": {"threads": 65}}, "limits.threads: expected a whole number from 1"),
    ],
)
def test_the_file_is_named_too(tmp_path, change, said):
    path = tmp_path / "50_mine" / "lab.json"
    path.parent.mkdir()
    path.write_text(json.dumps(GOOD | change))
    with pytest.raises(project.LabError) as error:
        project.load_lab(path)
    assert str(error.value).startswith(f"{path}: {said}")
    path.write_bytes(b"\xff")
    with pytest.raises(project.LabError, match="lab.json: "):
        project.load_lab(path)


def test_the_document_has_the_table_of_all_fields():
    """The table is printed if they differ, to be copied."""
    text = (project.ROOT / "docs" / "writing_a_lab.md").read_text()
    assert manifest.as_table() in text, manifest.as_table()
