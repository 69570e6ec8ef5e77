"""The best of a class: who stands where, and under which name."""

import class_of_12
import pytest

from minitf_lab.course import boards, report
from minitf_lab.course.class_records import ClassRecords
from minitf_lab.course.formats import export_autolab, export_gradescope

VALUES = {f"student{number}": 1 + number / 100 for number in range(40)}


def record(student, value, order="desc"):
    board = [{"name": "speed-up <b>", "value": value, "order": order}]
    return class_of_12.make_record(student, board=board)


def class_of(values, order="desc"):
    return ClassRecords({name: record(name, v, order) for name, v in values.items()})


def test_the_best_come_first():
    [board] = boards.boards(class_of(VALUES))
    assert [place.student for place in board.places] == list(VALUES)[::-1]
    assert [place.rank for place in board.places] == [*range(1, 41)]
    [board] = boards.boards(class_of(VALUES, "asc"))
    assert [place.student for place in board.places] == list(VALUES)


def test_equal_values_have_equal_ranks():
    [board] = boards.boards(class_of({"a": 1.0, "b": 2.0, "c": 2.0, "d": 0.5}))
    found = [(place.student, place.rank) for place in board.places]
    assert found == [("b", 1), ("c", 1), ("a", 3), ("d", 4)]


def test_who_has_no_value_has_no_place():
    found = class_of({"a": 1.0, "b": None, "c": "9" * 99, "d": True})
    found.latest["e"] = class_of_12.make_record("e", ["grader_error"])
    [board] = boards.boards(found)
    assert [place.student for place in board.places] == ["a"]
    assert boards.boards(class_of({"a": None})) == []


def test_names_are_different_and_the_same_each_time():
    records = class_of(VALUES).records
    names = boards.aliases(records)
    assert len(set(names.values())) == len(VALUES)
    assert names == boards.aliases(records[::-1])
    many = [record(f"s{number}", 1.0) for number in range(1500)]  # more than pairs
    assert len(set(boards.aliases(many).values())) == 1500


def test_a_page_names_nobody_but_its_reader():
    found = class_of(VALUES)
    tables = boards.boards(found)
    page = report.student_page(found.latest["student3"], tables)
    assert "speed-up &lt;b&gt;" in page
    assert page.count("you, ") == 1
    names = boards.aliases(found.records)
    for student, name in names.items():
        is_shown = student == "student3" or VALUES[student] > 1.295
        assert (f">{name}<" in page or f", {name}<" in page) == is_shown
        assert student == "student3" or f">{student}<" not in page
    assert "best of the class" not in report.student_page(found.latest["student3"])


@pytest.mark.parametrize(("order", "worst"), [("desc", 0), ("asc", 1_000_000_000)])
def test_exports_of_a_board(order, worst):
    some, none = record("a", 1.5, order), record("b", None, order)
    assert export_gradescope.results(some)["leaderboard"][0]["order"] == order
    assert export_gradescope.results(none)["leaderboard"] == []
    assert export_autolab._columns(some) == [1.5]
    assert export_autolab._columns(none) == [worst]
