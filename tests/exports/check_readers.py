"""Checks exports with the formats' own readers, by hand: they bring 150 packages.

    python3 -m venv build/readers
    . build/readers/bin/activate  # nbgrader looks for its own programs on the path
    pip install -r tests/exports/requirements.txt
    PYTHONPATH=python:tests/python python tests/exports/check_readers.py

Each reader gets the class of 12 of ``tests/python/class_of_12.py``, hostile text and all.
What is compared is what the reader has understood, not our own file.
"""

import io
import json
import sys
import tempfile
import unittest
from pathlib import Path

import check50
import class_of_12
import pandas
from check50.renderer import to_ansi, to_html
from check50.runner import CheckResult
from gradescope_utils.autograder_utils import decorators
from gradescope_utils.autograder_utils.json_test_runner import JSONTestRunner
from nbgrader.api import Gradebook
from nbgrader.plugins.export import CsvExportPlugin
from otter.test_files import GradingResults

from minitf_lab.course import class_records, text
from minitf_lab.course.formats import (
    export_check50,
    export_csv,
    export_gradescope,
    export_nbgrader,
)


class Sample(unittest.TestCase):
    """What gradescope-utils makes of this has the fields that Gradescope reads."""

    @decorators.weight(4)
    @decorators.number("04.1")
    @decorators.visibility("hidden")
    @decorators.tags("wrong_answer")
    def test_wrong(self) -> None:
        print("printed")
        raise AssertionError

    @decorators.leaderboard("speed-up", "asc")
    def test_speed(self, set_leaderboard_value: object = None) -> None:
        set_leaderboard_value(1.25)


def same_kind(theirs: object, ours: object, where: str) -> None:
    """Asserts that whatever they write is in ours, and of the same type."""
    if isinstance(theirs, dict):
        for name, value in theirs.items():
            if name == "execution_time":
                continue  # a text in theirs, a number in what Gradescope documents
            assert name in ours, f"{where}.{name}"
            same_kind(value, ours[name], f"{where}.{name}")
    elif isinstance(theirs, list):
        assert isinstance(ours, list) and ours, where
        same_kind(theirs[0], ours[0], f"{where}[0]")
    elif isinstance(theirs, int | float):
        assert isinstance(ours, int | float), where
    else:
        assert isinstance(ours, type(theirs)), where


def check_gradescope(found: class_records.ClassRecords) -> str:
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Sample)
    stream = io.StringIO()
    JSONTestRunner(visibility="visible", stdout_visibility="hidden", stream=stream).run(
        suite
    )
    theirs = json.loads(stream.getvalue())
    for record in found.records:
        ours = json.loads(export_gradescope.export(record))
        if record["status"] == "graded":
            same_kind(theirs, ours, "it")
    names = sorted({*theirs, *theirs["tests"][0], *theirs["leaderboard"][0]})
    return f"all that gradescope-utils writes is there: {', '.join(names)}"


def check_otter(found: class_records.ClassRecords) -> str:
    theirs = GradingResults.without_results(ValueError()).to_gradescope_dict(None)
    points = []
    for record in found.records:
        ours = json.loads(export_gradescope.export(record))
        if record["status"] == "graded":
            same_kind(theirs, ours, "it")
            table = pandas.DataFrame(ours["tests"])[["name", "score", "max_score"]]
            points.append(table["score"].sum())
            assert abs(points[-1] - record["score"]) < 0.01
    return f"otter's table of {len(points)} hand-ins adds up to {sum(points):.2f} points"


def check_check50(found: class_records.ClassRecords) -> str:
    shown = 0
    for record in found.records:
        ours = json.loads(export_check50.export(record))
        if "error" in ours:
            continue
        for result in ours["results"]:
            assert CheckResult.from_dict(result).passed is result["passed"]
        page, lines = to_html(**ours), to_ansi(**ours, _log=True)
        assert "<script" not in page and "<img" not in page
        assert "\x1b[2J" not in lines and "\x1b]0" not in lines
        shown += 1
    return f"check50 {check50.__version__} shows {shown} hand-ins, with nothing to obey"


def check_nbgrader(found: class_records.ClassRecords, folder: Path) -> str:
    path = folder / "gradebook.db"
    for _ in range(2):  # again changes nothing
        notes = export_nbgrader.export(path, found)
    with Gradebook(f"sqlite:///{path}") as book:
        (lab,) = book.assignments
        assert lab.max_score == 40
        for name, record in found.latest.items():
            if name != text.clean(name):
                continue
            sent = book.find_submission(lab.name, name)
            assert sent.needs_manual_grade == (record["status"] == "grader_error")
            if record["status"] != "grader_error":
                assert abs(sent.score - record["score"]) < 0.01, name
        plugin = CsvExportPlugin()
        plugin.to = str(folder / "theirs.csv")
        plugin.export(book)
    header = (folder / "theirs.csv").read_text().split("\n", 1)[0]
    ours, _ = export_csv.nbgrader(found, "")
    assert ours.split("\r\n", 1)[0].replace('"', "").startswith("assignment,duedate")
    assert ours.split("\r\n", 1)[0].replace('"', "") == header.strip()
    return f"nbgrader has the scores of all but {len(notes)}; the columns are its own"


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        roster = class_of_12.write_roster(folder / "roster.csv")
        records = class_of_12.write_class(folder / "records")
        found = class_records.read_class(records, roster)
        print(check_gradescope(found))
        print(check_otter(found))
        print(check_check50(found))
        print(check_nbgrader(found, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
