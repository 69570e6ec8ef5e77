"""What a report says that a wrong answer looks like."""

# ruff: noqa: F811

import numpy as np
import pytest
from test_overlay import answer, graded, lab, top  # noqa: F401

from minitf_lab import project, verdicts
from minitf_lab.dev.quality import entries, faults
from minitf_lab.judge.symptom import symptom_of
from minitf_lab.judge.wire import Raised
from minitf_lab.labs import diagnoses
from minitf_lab.results import Result

UP = ("here - distance", "here + distance")


@pytest.fixture
def known(lab):
    """The lab, with its diagnoses written."""
    assert faults.run(lab, "", verdicts.Verdicts(None)) == 0
    return lab


def looks_like(lab):
    return {
        result.name: result.details.get("diagnosis") for _, result in graded(lab).failures
    }


def test_an_answer_that_errs_like_a_fault_is_told_so(known, answer):
    answer(*UP)
    assert looks_like(known) == {
        "step_goes_against_the_gradient": "the step goes with the gradient"
    }
    # Written otherwise, it does the same.
    answer("here - distance", "-(-here) - -distance")
    assert [*looks_like(known).values()] == ["the step goes with the gradient"]


@pytest.mark.parametrize("new", ["here - 2 * distance", "none", "here"])
def test_an_answer_that_errs_otherwise_is_not(known, answer, new):
    answer("here - distance", new)
    assert set(looks_like(known).values()) == {None}


def test_nothing_is_said_without_the_file_or_of_faults_that_are_many(known, answer):
    answer(*UP)
    [word] = diagnoses.load(known)
    (known.solution / "seeded.txt").unlink()  # as in a course's repository
    assert [*looks_like(known).values()] == [None]
    path = known.tests / diagnoses.NAME
    path.write_text(diagnoses.dump({word: ["one", "two", "two"]}))
    assert [*looks_like(known).values()] == ["one, or two"]
    path.write_text(diagnoses.dump({word: ["one", "two", "three"]}))
    assert [*looks_like(known).values()] == [None]
    path.unlink()
    assert [*looks_like(known).values()] == [None]


def test_signatures_are_written_into_the_heads_of_entries_and_change_nothing_else(known):
    path = known.solution / "seeded.txt"
    [word] = diagnoses.load(known)
    text = path.read_text()
    assert diagnoses.load(known) == {word: [entries.read(path)[0].sentence]}
    entries.note_symptoms(path, {})
    assert diagnoses.load(known) == {}
    assert path.read_text() == text.replace(f" {word}:", ":")
    entries.note_symptoms(path, {"forward": word, "another": "abc"})
    assert path.read_text() == text


@pytest.mark.parametrize("lab", project.all_labs(), ids=lambda lab: lab.number)
def test_most_faults_have_a_signature(lab):
    entries_of_lab = faults.answers(lab)
    found = diagnoses.load(lab)
    assert {one for some in found.values() for one in some} <= {
        entry.sentence for entry in entries_of_lab
    }
    assert sum(map(len, found.values())) > 0.9 * len(entries_of_lab)


def test_what_is_out_of_date_is_noticed(known):
    def found():
        return [*faults.try_all(known, faults.PLANTED, verdicts.Verdicts(None))]

    assert faults.undiagnosed(known, found()) == []
    entries.note_symptoms(known.solution / "seeded.txt", {})
    assert faults.undiagnosed(known, found()) == ["forward"]


VALUES = [
    *(np.float32([[1, 2]]), np.float64([[1, 2]]), np.float32([1, 2]), np.int32([1, 2])),
    *(np.array([b"a"], object), np.float32(np.nan), np.float32(np.inf), np.bool_(True)),
    *(1, 1.5, 1 + 2j, "1", b"1", None, True, [1, 2], {"a": 1}, {"a": 2}, {"b": 1}),
    *(Raised("ValueError", "no"), Raised("TypeError", "no"), Raised("ValueError", "yes")),
]


def test_values_that_differ_have_other_symptoms():
    words = {symptom_of("case", "title", {"values": [value]}) for value in VALUES}
    words |= {symptom_of("other", "title", {"values": [1]})}
    words |= {symptom_of("case", "other", {"values": [1]})}
    words |= {symptom_of("case", "title", {"raised": Raised("ValueError", "no")})}
    assert len(words) == len(VALUES) + 3


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.float32([1, 2]), np.float32([1.00001, 2])),
        (np.float64([0.0]), np.float64([-0.0])),
        (np.complex64([1 + 1e-9j]), np.complex64([1])),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": 1, "ms": 0.25, "threads": [0, 1]}, {"a": 1, "ms": 9, "threads": [2]}),
        (Raised("E", "no\n  a.py:3, in f: x"), Raised("E", "no\n  a.py:9, in g: y")),
        (Raised("E", "<function f at 0x7f1a>"), Raised("E", "<function f at 0x7f2b>")),
    ],
)
def test_values_that_machines_may_give_otherwise_have_the_same(one, other):
    words = {
        symptom_of("case", "title", {"values": [value], "token": token})
        for token, value in (("1", one), ("2", other))
    }
    assert len(words) == 1


@pytest.mark.parametrize("text", [b"abc\xff", b"abc\xe4\xb8", b"abc\xe4\xb8x"])
def test_text_that_is_not_utf_8_is_told_without_an_error_of_python(text):
    with pytest.raises(UnicodeDecodeError) as error:
        text.decode()
    message = f"the key: it raised UnicodeDecodeError: {error.value}"
    (result,) = [Result("keys", "failed", message)]
    diagnoses.explain(project.find_lab("03"), [result])
    assert result.message == (
        "the key: it gives text that is not UTF-8 from byte 3 on: memory that was freed "
        "or never set?"
    )
