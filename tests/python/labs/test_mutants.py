"""Mutants: what each rule makes of code, and what ``./lab mutate`` says of it."""

# ruff: noqa: F811

import pytest
from test_overlay import lab, top  # noqa: F401

from minitf_lab import project
from minitf_lab.dev.quality import mutate
from minitf_lab.dev.quality.mutants import mutants_of


def made(text, language, rule):
    return [m.after for m in mutants_of(text, language) if m.rule == rule]


@pytest.mark.parametrize(
    ("text", "rule", "expected"),
    [
        ("x = a < b;", "operator", ["x = a <= b;"]),
        ("x += a && b;", "operator", ["x -= a && b;", "x += a || b;"]),
        ("++x;", "operator", ["--x;"]),
        ("std::vector<int> x;", "operator", []),
        ('f("a + b");  // a + b', "operator", []),
        ("int64_t* p = &x;", "operator", []),
        ("f(0);", "constant", ["f(1);"]),
        ("f(2, true);", "constant", ["f(3, true);", "f(1, true);", "f(2, false);"]),
        ("x = 0.5f;", "constant", ["x = (0.5f + 1);"]),
        ("f(a, b, b);", "arguments", ["f(b, a, b);"]),
        ("return {a, b};", "arguments", ["return {b, a};"]),
        ("if (a) b();", "condition", ["if (!(a)) b();"]),
        ("while (a < b) {}", "condition", ["while (!(a < b)) {}"]),
        ("do { } while (a);", "condition", ["do { } while (!(a));"]),
        ("x = a ? b : c;", "condition", ["x = (!(a)) ? b : c;"]),
        ("if (int a = f()) b();", "condition", []),
        ("x = !a;", "sign", ["x = a;"]),
        ("x = -a;", "sign", ["x = a;"]),
        ("f(x);", "statement", [";"]),
        ("for (;;) { continue; }", "statement", ["for (;;) { ; }"]),
        ("return x;", "statement", []),
        ("changed.notify_all();", "lock", [";"]),
        ("changed.wait(lock, f);", "lock", [";"]),
        ("const std::lock_guard<std::mutex> lock(mutex_);", "lock", [";"]),
    ],
)
def test_rules_in_cpp(text, rule, expected):
    assert made(text, "cpp", rule) == expected


@pytest.mark.parametrize(
    ("text", "rule", "expected"),
    [
        ("x = a <= b", "operator", ["x = a < b"]),
        ("x = a and b", "operator", ["x = a or b"]),
        ("x = a is not None", "operator", ["x = a is None"]),
        ("x = a not in b", "operator", ["x = a in b"]),
        ("x //= a // b", "operator", ["x //= a * b"]),
        ("f(*a, **b)", "operator", []),
        ("f(1, True)", "constant", ["f(2, True)", "f(0, True)", "f(1, False)"]),
        ("f(a, b, c=1)", "arguments", ["f(b, a, c=1)"]),
        ("x = a if b else c", "condition", ["x = a if (not (b)) else c"]),
        ("while a:\n    b()", "condition", ["while (not (a)):"]),
        ("x = not a", "sign", ["x = a"]),
        ("x = a[-1]", "sign", ["x = a[1]"]),
        ("x = a", "statement", ["pass"]),
        ('"""A docstring."""', "statement", []),
        ("changed.wait()", "lock", ["pass"]),
    ],
)
def test_rules_in_python(text, rule, expected):
    indented = "\n".join(f"    {line}" for line in text.split("\n"))
    assert made(indented, "python", rule) == expected


def test_a_mutant_says_what_is_changed_and_where():
    text = "  const int a = 1;\n\n  return f(a, 2);"
    mutants = list(mutants_of(text, "cpp"))
    lines = {m.line for m in mutants}
    assert lines == {1, 3}
    assert len({m.text for m in mutants}) == len(mutants)
    assert all(m.text != text for m in mutants)
    assert [m.before for m in mutants if m.line == 3] == ["return f(a, 2);"] * 3


LINE = "return [here - distance for here, distance in zip(x, distances, strict=True)]"


def tried(lab, word=""):
    return {
        (one.mutant.before, one.mutant.after): one for one in mutate.try_all(lab, word)
    }


def test_mutants_of_a_lab_are_found_or_survive(lab):
    found = tried(lab)
    up = found[LINE, LINE.replace("-", "+")]
    assert (up.verdict, up.case) == ("public", "step_goes_against_the_gradient")
    file = "python/minitf/training/optimizers.py"
    lines = [line.strip() for line in (project.ROOT / file).read_text().split("\n")]
    assert up.place == f"{file}:{lines.index(LINE) + 1}"
    # No case has lists of different lengths.
    strict = [one for (_, after), one in found.items() if "strict=False" in after]
    assert [one.verdict for one in strict] == ["survived"]
    assert {one.wrong.task for one in found.values()} == {"99.1", "99.2"}
    assert {one.wrong.task for one in tried(lab, "99.1").values()} == {"99.1"}


def test_what_is_known_to_be_equivalent_does_not_count(lab, capsys):
    assert mutate.run(lab, "99.2") == 1
    said = capsys.readouterr().out
    assert said.startswith("task 99.2, python/minitf/training/optimizers.py:")
    assert f"constant\n  {LINE}\n" in said
    path = lab.solution / "equivalent.txt"
    path.write_text(
        f"99.2: {LINE}\nbecomes: {LINE.replace('True', 'False')}\nwhy: equal lengths\n"
    )
    assert mutate.run(lab, "99.2") == 0
    assert "1 are equivalent" in capsys.readouterr().out
    path.write_text(path.read_text() + "\n99.1: x = 1\nbecomes: x = 2\nwhy: it is\n")
    assert mutate.run(lab, "99.2") == 1
    assert "no mutant of task 99.1 is made of: x = 1" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["99.1: a\nbecomes: b\n", "99.1: a\nwhy: c\n", "a"])
def test_a_list_of_equivalents_says_why(lab, text):
    (lab.solution / "equivalent.txt").write_text(text)
    with pytest.raises(project.LabError, match="expected 'NN.N: ', 'becomes: ', 'wh"):
        mutate.run(lab, "")


def test_cases_that_always_fail_find_nothing(lab):
    cases = lab.tests / "cases.py"
    cases.write_text(cases.read_text().replace(", 1.5)", ", 2.5)"))
    with pytest.raises(project.LabError, match="rate_is_halved does not pass with the r"):
        mutate.run(lab, "")


def test_what_only_a_hidden_case_finds_is_said(lab):
    cases = lab.tests / "cases.py"
    hidden = cases.read_text().replace('@case("99.2")', '@case("99.2", hidden=True)')
    cases.write_text(hidden)
    verdicts = {one.wrong.task: one.verdict for one in tried(lab).values()}
    assert verdicts["99.2"] in {"hidden", "survived"}
    assert mutate.counts_of([*tried(lab).values()])["hidden"] > 0
