"""Hostile text in every field of a record, in every format: it stays text."""

import base64
import copy
import csv
import io
import json
import time

import class_of_12
import pytest
from class_of_12 import NAUGHTY, make_record, write_record
from test_course_exports import CANVAS, rows_of, strict_json
from test_course_report import read

from minitf_lab.course import commands, text

LONG = "A" * 150_000  # in 180 fields; a record has at most 32 MB
TEXTS = [
    *NAUGHTY,
    LONG,
    "\n" * 60_000,
    "::stop-commands::\n::endgroup::\n::add-mask::0",
    "\r::error::after a return",
    "</pre></dd><iframe src=//evil.example></iframe><style>*{display:none}</style>",
    "' onmouseover='alert(1)\" onfocus=\"alert(1)",
    "{{ config }}{% for x in ().__class__.__base__.__subclasses__() %}{% endfor %}",
    "\t=1+1",
    "\n=1+1",
    " =1+1",
    "\ufeff=1+1",
    "\x00=1+1",
    "\u202e=1+1\u2028\u0085\x9b31m\x90\x84",
    "\ud83d only half of it",
    "![x](javascript:alert(1)) [a](http://evil.example) `code`",
    'a","b\r\n"c',
]
# Values that are no text, where text or numbers are expected.
VALUES = [
    None,
    True,
    -0.0,
    1e308,
    [],
    {},
    [[["<b>", {"x": "<script>"}]]],
    {"<script>": ["=1"]},
    ["\x1b[2J", "\ud800"],
    10**400,
]
# Where a student's text may be: places in a record, and in a test and a case of it.
OF_RECORD = ["submission__id", "submission__files", "build__messages", "flags", "board"]
OF_TEST = ["title", "message", "hint", "printed", "visibility", "id", "verdict"]
OF_CASE = [
    *("id", "verdict", "shape", "first_index", "expected", "got", "n_bad", "n"),
    *("max_abs", "max_rel", "diagnosis", "message", "printed", "around", "call", "hint"),
    *("visibility",),
]


def everywhere(value):
    """A record with a text in every field that can have one."""
    record = make_record("ada@example.org", ["wrong_answer"] * 5)
    record["submission"] |= {"id": value, "files": [value, value]}
    record["build"] |= {"messages": value, "ok": False}
    record["flags"] = [value]
    record["board"] = [{"name": value, "value": value, "order": value}]
    record["grader"] = dict.fromkeys(record["grader"], value)
    record["lab"] |= {"id": value, "version": value}
    for test in record["tests"]:
        test |= dict.fromkeys(["title", "message", "hint", "printed"], value)
        for case in test["cases"]:
            if case["verdict"] != "ok":
                case |= dict.fromkeys(set(OF_CASE) - {"verdict", "visibility"}, value)
    return record


def export(capfdbinary, *arguments):
    """What is printed; it never fails."""
    assert commands.main(["export", *map(str, arguments)]) == 0
    return capfdbinary.readouterr().out.decode()


def export_or_refuse(capfdbinary, format_, folder, *options):
    """Returns what an export prints; nothing if it refuses to leave the student out."""
    if commands.main(["export", format_, str(folder), *options]) == 0:
        return capfdbinary.readouterr().out.decode()
    found = capfdbinary.readouterr()
    assert found.err.startswith(b"nobody of 1 students can be exported")
    assert found.out == b"" and text.clean(found.err.decode()) == found.err.decode()
    return ""


def check_log(said):
    """GitHub obeys two lines of it: the notices."""
    lines = said.replace("\r", "\n").split("\n")
    token = lines[0].removeprefix("::stop-commands::")
    end = lines.index(f"::{token}::")
    assert lines.index(f"::{token}::") == len(lines) - 4
    assert all(
        line.startswith("::notice title=Autograding ") for line in lines[end + 1 : -1]
    )


@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_hostile_text_stays_text(tmp_path, number, capfdbinary):
    hostile, start = TEXTS[number], time.process_time()
    folder = tmp_path / "records"
    path = write_record(folder, everywhere(hostile))

    assert commands.main(["report", str(folder), "--out", str(tmp_path / "out")]) == 0
    capfdbinary.readouterr()
    for page in (tmp_path / "out").iterdir():
        source = page.read_text(encoding="utf-8")
        read(source)
        assert len(source) < 200_000

    for format_ in ("gradescope", "check50"):
        values = strict_json(said := export(capfdbinary, format_, path))
        assert said.isascii() and len(said) < 300_000
        check_strings(values)
    lines = export(capfdbinary, "autolab", path)
    assert lines.isascii() and len(lines) < 100_000
    check_strings([strict_json(line) for line in lines.splitlines()])
    assert len(lines.splitlines()) == 2

    line = tmp_path / "line"
    assert commands.main(["export", "classroom", str(path), "--out", str(line)]) == 0
    check_log(capfdbinary.readouterr().out.decode())
    encoded = line.read_text().removeprefix("result=").removesuffix("\n")
    assert "\n" not in encoded
    check_strings(strict_json(base64.b64decode(encoded, validate=True)))

    if said := export_or_refuse(capfdbinary, "lti", folder):
        check_strings(strict_json(said))
    for format_, *options in (("moodle", "--identity", "ID number"), ("nbgrader-csv",)):
        said = export_or_refuse(capfdbinary, format_, folder, *options)
        rows = rows_of(said) if said else []
        for cell in (cell for row in rows for cell in row):
            assert text.clean(cell) == cell and not cell.lstrip().startswith(("=", "@"))
    assert time.process_time() - start < 20


def check_strings(value):
    """Asserts that no text in it has a character that a terminal would obey."""
    if isinstance(value, dict):
        for name, one in value.items():
            check_strings(name)
            check_strings(one)
    elif isinstance(value, list):
        for one in value:
            check_strings(one)
    elif isinstance(value, str):
        assert text.clean(value) == value
        assert len(value) < 100_000


def with_value(place, value):
    record = make_record("ada@example.org", ["wrong_answer"] * 5)
    kind, key = place
    if kind == "record":
        *outer, last = key.split("__")
        (record[outer[0]] if outer else record)[last] = copy.deepcopy(value)
    for test in record["tests"]:
        if kind == "test":
            test[key] = copy.deepcopy(value)
        for case in test["cases"] if kind == "case" else []:
            case[key] = copy.deepcopy(value)
    return record


PLACES = [
    *(("record", key) for key in OF_RECORD),
    *(("test", key) for key in OF_TEST),
    *(("case", key) for key in OF_CASE),
]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: "-".join(place))
def test_a_value_of_another_type_is_shown_or_refused(tmp_path, place, capfdbinary):
    for number, value in enumerate([*VALUES, class_of_12.HTML]):
        folder = tmp_path / str(number)
        path = write_record(folder, with_value(place, value))
        out = folder / "out"
        capfdbinary.readouterr()
        statuses = {
            format_: commands.main(["export", format_, str(path)])
            for format_ in ("gradescope", "classroom", "autolab", "check50")
        }
        said = capfdbinary.readouterr()
        statuses["report"] = commands.main(["report", str(folder), "--out", str(out)])
        # A record is one for all of them, or for none.
        assert len(set(statuses.values())) == 1, (place, value, statuses, said.err)
        if set(statuses.values()) == {1}:
            assert path.name.encode() in said.err and not out.exists()
            assert said.out == b""
        for page in out.glob("*.html"):
            read(page.read_text())


def test_a_line_of_a_million_letters_is_cut(tmp_path, capfdbinary):
    record = make_record("ada@example.org", ["crashed"] * 5)
    record["build"]["messages"] = "\x1b" * 1_000_000
    for test in record["tests"]:
        test["cases"][1]["printed"] = "<" * 1_000_000 + "\nsecond"
    path = write_record(tmp_path, record)
    start = time.process_time()
    for format_ in ("gradescope", "classroom", "autolab", "check50"):
        assert len(export(capfdbinary, format_, path)) < 100_000
    assert commands.main(["report", str(tmp_path), "--out", str(tmp_path / "out")]) == 0
    assert all(page.stat().st_size < 100_000 for page in (tmp_path / "out").iterdir())
    assert time.process_time() - start < 10


def test_hidden_cases_are_in_no_format(tmp_path, capfdbinary):
    record = make_record("ada@example.org", ["wrong_answer"] * 5)
    for test in record["tests"]:
        test["visibility"] = "hidden"
        test |= {"message": "SECRET", "printed": "SECRET", "hint": "SECRET"}
        for case in test["cases"]:
            case |= {
                key: "SECRET" for key in OF_CASE if key not in ("verdict", "visibility")
            }
            case.pop("visibility", None)
    folder = tmp_path / "records"
    path = write_record(folder, record)
    for format_ in ("gradescope", "classroom", "autolab", "check50"):
        assert "SECRET" not in export(capfdbinary, format_, path)
    for format_, *options in (("lti",), ("moodle", "--identity", "ID number")):
        assert "SECRET" not in export(capfdbinary, format_, folder, *options)
    assert commands.main(["report", str(folder), "--out", str(tmp_path / "out")]) == 0
    for page in (tmp_path / "out").glob("ada*"):
        assert "SECRET" not in page.read_text()


def test_formats_that_show_pages_get_no_word_of_a_program(tmp_path, capfdbinary):
    record = make_record("ada@example.org", ["wrong_answer"] * 4 + ["crashed"])
    record["build"] |= {"messages": "OWN", "ok": False}
    for test in record["tests"]:
        test |= {"message": "OWN", "printed": "OWN"}
        for case in test["cases"]:
            case |= dict.fromkeys(["got", "message", "printed", "around"], "OWN")
    folder = tmp_path / "records"
    path = write_record(folder, record)
    assert "OWN" in export(capfdbinary, "gradescope", path)
    assert "OWN" not in export(capfdbinary, "autolab", path)
    for format_, *options in (
        *(("lti",), ("nbgrader-csv",)),
        ("moodle", "--identity", "ID number"),
    ):
        assert "OWN" not in export(capfdbinary, format_, folder, *options)


@pytest.mark.parametrize(
    "hostile", ["=1+1", "+1", "-1", "@A1", "\t=1", "\r=1", " =1", "\n@x"]
)
def test_names_in_a_gradebook_are_no_formulas(tmp_path, hostile, capfdbinary):
    folder = tmp_path / "records"
    write_record(folder, make_record("ada@example.org"))
    book = tmp_path / "book.csv"
    out = io.StringIO()
    rows = list(csv.reader(io.StringIO(CANVAS.removeprefix("\ufeff"))))
    rows[3][0] = rows[3][2] = rows[3][4] = hostile
    csv.writer(out).writerows(rows)
    book.write_text(out.getvalue(), newline="")
    options = ("--gradebook", book, "--assignment", "78")
    row = rows_of(export(capfdbinary, "canvas", folder, *options))[3]
    assert all(row[k].startswith("'") for k in (0, 2, 4)) and row[-1] == "40"


@pytest.mark.parametrize("hostile", TEXTS)
def test_cleaning_is_complete_and_final(hostile):
    cleaned = text.clean(hostile)
    assert text.clean(cleaned) == cleaned
    cleaned.encode()
    kept = [c for c in cleaned if not c.isprintable() and c not in "\n\t"]
    assert kept == []
    for short in (text.clip(hostile), text.one_line(hostile)):
        assert len(short) < 5000 and text.clean(short) == short
    assert "\n" not in text.one_line(hostile)
    json.dumps(cleaned, ensure_ascii=False).encode()


def test_names_of_pages_are_different_and_safe():
    names = [
        "a/b",
        "a\\b",
        "A/B",
        "..",
        ".",
        "",
        "con",
        "ä" * 300,
        "\ud800",
        "\0",
        "x\ny",
    ]
    slugs = {text.slug(name) for name in names}
    assert len(slugs) == len(names)
    assert all(len(one) < 60 and one.isascii() and one[0] not in ".-" for one in slugs)
    assert not any(letter in one for one in slugs for letter in "/\\. \n")
