"""Cases, the checks that they share, and arguments by chance."""

import re

import numpy as np
import pytest

from minitf_lab.judge import case as judge_case
from minitf_lab.judge.case import (
    Call,
    Mismatch,
    Raised,
    Trial,
    case,
    close,
    close_to,
    describe,
)
from minitf_lab.judge.draw import FLOATING, KINDS, Draw
from minitf_lab.results import NOT_WRITTEN

# ---- close ---------------------------------------------------------------------------


def test_what_is_equal_is_fine():
    for value in (np.float32(1), np.ones((0, 3)), np.array([b"a"], object), np.True_):
        assert close(value, value) is None
        assert close(value, value, rtol=0) is None
    assert close(None, None) is None


def test_an_element_type_counts_even_if_the_numbers_agree():
    wrong = close(np.ones((2, 3), np.float32), np.ones((2, 3)), rtol=1, what="dL/dx")
    assert wrong == Mismatch(
        "dL/dx: wrong element type", expected="float64 [2,3]", got="float32 [2,3]"
    )


@pytest.mark.parametrize("shape", [(3,), (1, 3), (3, 1), (), (0,)])
def test_a_shape_counts_even_if_it_broadcasts(shape):
    wrong = close(np.ones(shape), np.ones((3, 3)), rtol=1)
    sizes = ",".join(map(str, shape))
    assert wrong == Mismatch(
        "wrong shape", expected="float64 [3,3]", got=f"float64 [{sizes}]"
    )


def test_no_value_is_told_from_a_value():
    assert close(None, np.ones(2)).message == "it is none, expected float64 [2]"
    wrong = close(np.ones(2), None, what="dL/dy")
    assert wrong.message == "dL/dy: it is float64 [2], expected none"
    wrong = close(Raised("ValueError", "no"), np.ones(2), what="y")
    assert wrong.message == "y: it raised ValueError: no"
    assert close(Raised("ValueError", "no"), None).message == "it raised ValueError: no"


@pytest.mark.parametrize("options", [{}, {"rtol": 1e-6}, {"atol": 1e300}])
@pytest.mark.parametrize("got", [1.0, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("expected", [1.0, np.inf, -np.inf, np.nan])
def test_infinities_and_nan_stand_where_they_must(got, expected, options):
    is_same = got == expected or (np.isnan(got) and np.isnan(expected))
    wrong = close(np.array([0, got]), np.array([0, expected]), **options)
    assert (wrong is None) == is_same
    if wrong:
        assert (wrong.index, wrong.differ) == ("[1]", "1 of 2")
        assert (wrong.got, wrong.expected) == (f"{got:g}", f"{expected:g}")


def test_parts_of_complex_numbers_count():
    for got in (1 + 2j, 2 + 1j):
        assert close(np.array([got]), np.array([1 + 1j]), rtol=1e-3)
    assert close(np.array([np.nan * 1j]), np.array([np.nan * 1j])) is None


def test_tolerance_is_a_part_and_a_rest():
    x = np.array([100.0, 1e-3])
    assert close(x * 1.009, x, rtol=0.01) is None
    assert close(x * 1.011, x, rtol=0.01).differ == "2 of 2"
    assert close(x + 0.009, x, atol=0.01) is None
    assert close(x + 0.011, x, atol=0.01).differ == "2 of 2"
    assert close(x, np.nextafter(x, 1)).differ == "2 of 2"  # exact, unless it is said


@pytest.mark.parametrize("dtype", ["uint8", "int8", "bool", "uint64", "int64"])
def test_whole_numbers_near_the_ends_of_their_range(dtype):
    ends = (False, True) if dtype == "bool" else (0, np.iinfo(dtype).max)
    low, high = np.array([ends[0]], dtype), np.array([ends[1]], dtype)
    for options in ({}, {"atol": 0.5}):
        assert close(low, high, **options).differ == "1 of 1"
        assert close(high, high, **options) is None


def test_large_whole_numbers_are_not_rounded():
    big = np.array([2**53], np.int64)
    assert close(big, big + 1) is not None
    assert close(big, big + 1).expected == str(2**53 + 1)


def test_texts_are_compared():
    wrong = close(np.array([b"a", b"b"], object), np.array([b"a", b"c"], object))
    assert (wrong.index, wrong.expected, wrong.got) == ("[1]", "b'c'", "b'b'")


@pytest.mark.parametrize(
    ("got", "expected", "shown"),
    [
        (1.0, 2.0, ("1", "2")),
        (1.0, 1.00001, ("1", "1.00001")),
        (1.0, 1.00000002, ("1", "1.00000002")),
        (1 / 3, np.nextafter(1 / 3, 1), ("0.33333333333333331", "0.33333333333333337")),
        (0.0, 1e-300, ("0", "1e-300")),
    ],
)
def test_digits_are_shown_until_they_differ(got, expected, shown):
    wrong = close(np.array(got), np.array(expected))
    assert (wrong.got, wrong.expected) == shown
    assert wrong.index == "[]"


@pytest.mark.parametrize(
    ("got", "expected", "sizes"),
    [
        ([1.0, 2.5, -4.0], [1.0, 2.0, 4.0], ("8", "2")),
        ([0.0, 0.001], [0.0, 0.0], ("0.001", "")),
        ([np.nan, 3.0], [1.0, 2.0], ("1", "0.5")),
        ([np.nan], [1.0], ("", "")),
        ([np.inf], [1.0], ("", "")),
        ([1, 2**40], [1, 0], ("1.1e+12", "0")),
        ([3 + 4j], [0j], ("5", "")),
        ([True], [False], ("", "")),
    ],
)
def test_the_size_of_an_error_is_said(got, expected, sizes):
    wrong = close(np.array(got), np.array(expected))
    assert (wrong.max_abs, wrong.max_rel) == sizes


def test_the_first_wrong_element_and_its_neighbours_are_shown():
    expected = np.arange(40.0).reshape(2, 4, 5)
    got = expected.copy()
    got[1, 2, 3] = got[1, 3, 0] = -1
    wrong = close(got, expected)
    assert (wrong.message, wrong.index, wrong.differ) == ("wrong", "[1,2,3]", "2 of 40")
    assert wrong.around == (
        "expected\n[[27. 28. 29.]\n [32. 33. 34.]\n [37. 38. 39.]]\n"
        "got\n[[27. 28. 29.]\n [32. -1. 34.]\n [37. 38. 39.]]"
    )
    got[0, 0, 0] = 9
    assert close(got, expected).around == (
        "expected\n[[0. 1.]\n [5. 6.]]\ngot\n[[9. 1.]\n [5. 6.]]"
    )
    assert close(np.ones(3), np.zeros(3)).around == ""


def test_a_list_of_values_is_checked_one_by_one():
    check = close_to([np.ones(2), None], names=["x"])
    assert check([[np.ones(2), None]]) is None
    assert check([(np.ones(2), None)]) is None
    assert check([[np.zeros(2), None]]).message == "x: wrong"
    assert check([[np.ones(2), np.ones(1)]]).message == "it is float64 [1], expected none"
    for value in (None, 3, [np.ones(2)], np.ones((2, 2)), {"a": 1}):
        assert check([value]).message.endswith(", expected 2 values")


@pytest.mark.parametrize(
    "got", ["text", b"", {"a": 1}, (1, None), 3, object(), [1, 2], np.ones(4, "M8[D]")]
)
def test_odd_values_are_wrong_and_no_error(got):
    assert isinstance(close(got, np.ones((2, 2)), rtol=1), Mismatch)


def test_values_are_described():
    assert describe(np.zeros((2, 0), np.complex64)) == "complex64 [2,0]"
    assert describe(np.int8(3)) == "int8 []"
    assert describe("a") == "'a'"


# ---- Cases ---------------------------------------------------------------------------


def test_a_case_for_each_member():
    @case("01.3", over=["float32", ("a b", 2)])
    def slices(draw, *members):
        """A slice is a view."""
        return [(draw.whole(0, 10**9), members)]

    assert [one.name for one in slices] == ["slices-float32", "slices-a_b_2"]
    assert slices[1].claim == "A slice is a view (a b, 2)"
    assert {one.task for one in slices} == {"01.3"}
    one, other = ([*made.trials(seed=4)] for made in slices)
    assert (one[0][1], other[0][1]) == (("float32",), ("a b", 2))
    assert one[0][0] != other[0][0]  # each draws its own numbers
    assert [*slices[0].trials(seed=4)] == one
    assert [*slices[0].trials(seed=5)] != one


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / f"90_{re.sub('[^a-z]', '', tmp_path.name)}"
    folder.mkdir()
    return folder


def cases_text(*names_and_tasks):
    parts = [
        f"@case({task!r})\ndef {name}(draw):\n    'It is {name}.'\n    yield NUMBER\n"
        for name, task in names_and_tasks
    ]
    return "from minitf_lab.judge.case import case\nNUMBER = 3\n" + "\n".join(parts)


def test_a_case_that_tries_nothing_is_an_error():
    @case("01.1")
    def nothing(draw):
        """No answer is asked for."""
        return []

    with pytest.raises(ValueError, match="nothing tries nothing"):
        [*nothing[0].trials()]


@pytest.mark.parametrize(
    ("title", "calls"),
    [("a title", []), ("a title", [Call("f", {}, name="x")]), ("", [Call("f", {})])],
)
def test_a_trial_that_checks_nothing_is_an_error(title, calls):
    with pytest.raises(ValueError, match="checks nothing"):
        Trial(title, calls, lambda values: None)


def test_cases_of_several_files_are_in_the_order_of_their_tasks(folder):
    (folder / "cases_b.py").write_text(cases_text(("last", "90.10"), ("second", "90.2")))
    (folder / "cases_a.py").write_text(cases_text(("third", "90.2"), ("first", "90.1")))
    (folder / "helpers.py").write_text("1 / 0")
    found = judge_case.load_cases(folder)
    assert [one.name for one in found] == ["first", "third", "second", "last"]


def test_files_of_a_folder_import_each_other(folder):
    (folder / "numbers.py").write_text("SIX = 6\n")
    text = cases_text(("one", "90.1")).replace("NUMBER = 3", "from .numbers import SIX")
    (folder / "cases.py").write_text(text.replace("yield NUMBER", "yield SIX"))
    assert [*judge_case.load_cases(folder)[0].trials()] == [6]


def test_two_cases_of_one_name_are_refused(folder):
    (folder / "cases_a.py").write_text(cases_text(("one", "90.1"), ("two", "90.1")))
    (folder / "cases_b.py").write_text(cases_text(("one", "90.2")))
    with pytest.raises(ValueError, match="two cases are called one$"):
        judge_case.load_cases(folder)


def test_a_case_that_another_file_imports_is_one_case(folder):
    """A name that is imported is no second case."""
    (folder / "cases_a.py").write_text(cases_text(("one", "90.1")))
    (folder / "cases_b.py").write_text("from .cases_a import case, NUMBER\n")
    assert [one.name for one in judge_case.load_cases(folder)] == ["one"]


# ---- Arguments by chance -------------------------------------------------------------


def numbers_of(seed):
    draw = Draw(seed)
    kept = [draw.whole(0, 100), draw.coin(), draw.shape(4), draw.some_of("abcd")]
    kept += [draw.shuffled(range(9)), draw.stretched((2, 3, 4))]
    kept += [
        draw.array((2, 2), dtype, kind).tolist() for dtype in FLOATING for kind in KINDS
    ]
    return repr(kept)


def test_the_same_seed_gives_the_same_numbers():
    assert numbers_of("a 1") == numbers_of("a 1")
    assert numbers_of("a 1") != numbers_of("a 2")


def test_the_numbers_of_a_seed_stay_as_they_are():
    """On every machine: a report of a student's names numbers that a teacher sees too."""
    draw = Draw("a 1")
    assert [draw.whole(0, 999) for _ in range(4)] == [194, 615, 897, 699]
    expected = [-0.40550798177719116, -1.1403039693832397]
    assert draw.array((2,), "float32").tolist() == expected


def test_members_are_all_drawn():
    draw = Draw("members")
    assert {draw.whole(2, 4) for _ in range(100)} == {2, 3, 4}
    assert {draw.one_of("abc") for _ in range(100)} == set("abc")
    assert {len(draw.some_of("abc", least=1)) for _ in range(100)} == {1, 2, 3}
    assert all(sorted(draw.shuffled("cab")) == list("abc") for _ in range(10))
    assert all(part == sorted(part) for part in (draw.some_of("abcd") for _ in range(50)))
    assert 20 < sum(draw.coin(0.3) for _ in range(100)) < 40


@pytest.mark.parametrize("rank", range(6))
def test_shapes(rank):
    draw = Draw(f"shape {rank}")
    for _ in range(50):
        shape = draw.shape(rank, 4)
        assert len(shape) == rank and all(1 <= size <= 4 for size in shape)
        assert len(set(shape)) == min(rank, 4)
        empty = draw.shape(rank, 4, empty=True)
        assert empty.count(0) == (1 if rank else 0)
        assert np.broadcast_shapes(draw.stretched(shape), shape) == shape


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize(
    ("kind", "low", "high"),
    [
        *(("plain", 0.5, 1.5), ("signed", 0.25, 2), ("whole", 0, 3)),
        *(("tiny", 1e-20, 2e-20), ("huge", 1e15, 2e15)),
    ],
)
def test_kinds_of_numbers(dtype, kind, low, high):
    array = Draw("kinds").array((40, 40), dtype, kind)
    assert (array.dtype.name, array.shape) == (dtype, (40, 40))
    for part in (array.real, array.imag)[: 2 if dtype.startswith("c") else 1]:
        size = np.abs(part)
        assert size.min() >= low * (1 - 1e-6) and size.max() <= high * (1 + 1e-6)
        assert (part.min() < 0) == (kind != "plain")
        assert part.max() > 0
        assert kind != "whole" or (part == 0).any()


def test_special_numbers_are_all_there():
    array = Draw("special").array((40, 40), "float32", "special")
    assert np.isnan(array).any() and np.isposinf(array).any() and np.isneginf(array).any()
    zeros = array[array == 0]
    assert np.signbit(zeros).any() and not np.signbit(zeros).all()
    assert Draw("bool").array((2, 0), "bool").dtype == np.bool_
    assert Draw("none").array((), "float64").shape == ()
    assert set(Draw("int").array((99,), "int32", "whole")) == set(range(-3, 4))


@pytest.mark.parametrize("function", [" (SinGrad)", " (operator())", ""])
def test_what_is_not_written_is_told_from_what_is_wrong(function):
    """In a lambda the function is called ``operator()``."""
    text = f"task 14.7{function} is not written yet"
    assert NOT_WRITTEN.search(f"RuntimeError: {text}: {function}")[0] == text
    assert not NOT_WRITTEN.search(f"task 14.7{function} is wrong")
