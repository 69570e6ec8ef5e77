"""The tables of ``./lab test differential``: they cover the API, and draw programs."""

import random
import re

import numpy as np
import pytest

from minitf import families
from minitf_lab import project
from minitf_lab.dev.checks.programs import load

differential, programs, tables, coverage, draw, compare, shrink, hidden = (
    load("differential", name)
    for name in (
        *("differential", "programs", "tables", "coverage"),
        *("draw", "compare", "shrink", "hidden"),
    )
)


def test_each_public_name_has_a_line_or_a_reason():
    assert coverage.uncovered(tables.ENTRIES) == []


@pytest.mark.families(*families.FAMILIES)
def test_each_reason_is_that_of_some_name():
    public = coverage.public_names()
    idle = [
        pattern
        for pattern in coverage.REASONS
        if not any(re.fullmatch(pattern, name) for name in public)
    ]
    assert idle == []


@pytest.mark.families(*families.FAMILIES)
def test_files_named_as_reasons_exist():
    named = re.findall(r"tests/[\w/]+\.py", " ".join(coverage.REASONS.values()))
    assert [name for name in named if not (project.ROOT / name).exists()] == []


def test_every_line_draws_programs_that_python_can_read():
    for entry in tables.ENTRIES:
        for seed in range(3):
            case = programs.draw_case(entry, random.Random(seed))
            compile(case.program(), entry.function, "exec")


def test_cases_repeat_with_their_seed():
    texts = [
        programs.draw_case(entry, random.Random(5)).program()
        for _ in range(2)
        for entry in tables.ENTRIES[:40]
    ]
    assert texts[:40] == texts[40:]


def test_counts_are_shares_of_all_cases():
    counts = coverage.case_counts(tables.ENTRIES)
    assert counts["nn.softmax"] > 5
    assert counts["while_loop"] > counts["nn.softmax"]


FACTS = [("y.dtype", "float32"), ("y.shape", [2]), ("value[0]", np.float32(1.5))]


@pytest.mark.parametrize(
    ("theirs", "kind"),
    [
        (FACTS, None),
        ([*FACTS[:2], ("value[0]", np.float32(1.500001))], None),
        ([*FACTS[:2], ("value[0]", np.float32(1.6))], "value"),
        ([FACTS[0], ("y.shape", [None]), FACTS[2]], "y.shape"),
        ([("y.dtype", "int32"), *FACTS[1:]], "y.dtype"),
        ([("raises", "ValueError"), ("message", "no")], "raises"),
        (FACTS[:2], "structure"),
    ],
)
def test_the_first_fact_that_differs_is_found(theirs, kind):
    found = compare.first_mismatch(FACTS, theirs)
    assert (found and found.kind) == kind


def test_exceptions_are_compared_by_what_they_stand_for():
    ours = [("raises", "InvalidArgumentError"), ("message", "a")]
    assert compare.first_mismatch(ours, [("raises", "ValueError")]) is None
    found = compare.first_mismatch(ours, [("raises", "TypeError")])
    assert found.kind == "exception"


def test_a_case_shrinks_to_what_fails():
    entry = programs.call("f", draw.tensor("float32", 2, shape=(3, 4)), keepdims=True)
    case = programs.draw_case(entry, random.Random(1))
    small = shrink.shrink(case, lambda other: other.args[0].array.ndim == 2)
    assert small.args[0].array.shape == (1, 1)
    assert "keepdims" not in small.kwargs


def test_a_program_shrinks_line_by_line():
    entry = programs.program("p", lambda draw: "a = 1\nb = 2\nc = a\n")
    case = programs.draw_case(entry, random.Random(1))
    small = shrink.shrink(case, lambda other: "c = a" in other.text)
    assert small.text == "c = a\n"


def test_without_tensorflow_the_tester_says_how_to_bring_it(monkeypatch, tmp_path):
    monkeypatch.setattr(differential, "PEER", tmp_path / "python")
    with pytest.raises(project.LabError, match="bench --peers"):
        differential.run(1, 10, "")


def test_hidden_shapes_are_those_of_no_tensor():
    for entry in tables.ENTRIES:
        if "graph" not in entry.modes:
            continue
        for seed in range(3):
            case = programs.draw_case(entry, random.Random(seed), True)
            compile(case.program(), entry.function, "exec")
            assert case.hidden and case.mode == "graph"
            assert not any(any(arg.known or ()) for arg in case.tensors())
            assert "tf.constant(" not in case.text
            known = programs.with_shapes(case)
            assert all(arg.known == "constant" for arg in known.tensors())
            compile(known.program(), entry.function, "exec")


def test_programs_lose_their_shapes():
    text = "x, y = tf.constant([1]), tf.placeholder(tf.int32, [None, 2])"
    hides = "x, y = hidden([1]), tf.placeholder(tf.int32, None)"
    assert hidden.without_shapes(text) == hides


ERROR = [FACTS[0], ("raises", "ValueError")]
UNLIKE = [*FACTS[:2], ("value[0]", np.float32(1.6))]


@pytest.mark.parametrize(
    ("facts", "theirs", "known", "row", "result"),
    [
        (FACTS, FACTS, FACTS, None, "agrees"),
        (ERROR, ERROR, FACTS, None, "refused"),
        (FACTS, FACTS, UNLIKE, None, "unlike"),
        (FACTS, FACTS, ERROR, None, "unlike"),
        (FACTS, UNLIKE, FACTS, "rounding", "row"),
        (FACTS, UNLIKE, UNLIKE, "rounding", "differs"),
        (ERROR, FACTS, FACTS, "errors", "row"),
        (FACTS, ERROR, FACTS, None, "differs"),
    ],
)
def test_what_becomes_of_hidden_shapes(facts, theirs, known, row, result):
    found = compare.first_mismatch(facts, theirs)
    assert hidden.outcome(found, row, facts, known, {}) == result


def test_the_table_of_hidden_shapes_counts_functions_by_their_worst_case():
    table = hidden.Table()
    entry = programs.call("f", draw.tensor("float32", 2, shape=(3, 4)))
    case = programs.draw_case(entry, random.Random(1), True)
    for result in ("agrees", "unlike", "agrees"):
        table.add(case, result)
    text = "\n".join(table.lines())
    assert "f        2        0        1        0        0\n" in text
    assert "== f: unlike that with static shapes" in text
    assert "1 functions,      1 cases: unlike" in text
    assert "0 functions,      2 cases: agrees" in text
