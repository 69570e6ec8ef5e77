"""Pages for students and for the class: complete, escaped, no word of hidden cases."""

import re
from html.parser import HTMLParser

import class_of_12
import pytest
from class_of_12 import (
    MISSING,
    STUDENTS,
    make_record,
    write_class,
    write_record,
    write_roster,
)

from minitf_lab.course import class_records, commands, report, text, wording

# What pages are made of. Anything else comes from somebody else.
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "b"),
    *("table", "thead", "tbody", "tr", "th", "td", "ul", "li", "a", "bdi", "section"),
    *("dl", "dt", "dd", "pre", "code", "span", "div", "details", "summary"),
}
ATTRIBUTES = {
    *("lang", "charset", "http-equiv", "content", "name", "class", "href"),
    "style",
}


class Page(HTMLParser):
    """Reads a page, refuses what must not be in it, and keeps its text and links."""

    def __init__(self, source):
        super().__init__()
        self.text, self.links, self.tag = [], [], ""
        self.feed(source)
        self.close()
        self.said = " ".join(" ".join(self.text).split())

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS, tag
        self.tag = tag
        for name, value in attrs:
            assert name in ATTRIBUTES, (tag, name)
            if name == "style":
                assert re.fullmatch(r"width: (\d|\d\d|100)%", value), value
            if name == "href":
                assert re.fullmatch(r"[a-z0-9_]+-[0-9a-f]{8}\.html", value), value
                self.links.append(value)

    def handle_data(self, data):
        if self.tag != "style":
            self.text.append(data)

    def handle_comment(self, data):
        raise AssertionError(data)


def read(source):
    """The page, which has no character that is not shown."""
    assert text.clean(source) == source
    return Page(source)


def course(*arguments):
    return commands.main([str(argument) for argument in arguments])


@pytest.fixture
def pages(tmp_path):
    """The pages of the class of 12, by file name."""
    folder, out = write_class(tmp_path / "records"), tmp_path / "report"
    roster = write_roster(tmp_path / "roster.csv")
    assert course("report", folder, "--out", out, "--roster", roster) == 0
    return {path.name: path.read_text(encoding="utf-8") for path in out.iterdir()}


def test_each_student_has_a_page_and_the_class_has_one(pages):
    assert len(pages) == len(STUDENTS) + 1
    assert set(read(pages["index.html"]).links) == set(pages) - {"index.html"}


def test_pages_load_nothing_and_run_nothing(pages):
    for source in pages.values():
        read(source)
        assert "default-src 'none'" in source
        assert 'name="viewport"' in source and "@media print" in source


def page_of(pages, student):
    return read(pages[f"{text.slug(student)}.html"])


def test_a_failing_case_says_all_that_teaches(pages):
    said = page_of(pages, 'bob, the "builder"').said
    for part in (
        "of 40 points",
        "called with a [3,3], transpose_a=True",
        "what happened a wrong value came back",
        "first difference [0,1]",
        "expected 1.5",
        "got 2.5",
        "different 2 of 6",
        f"it looks as if {class_of_12.FLIPPED}",
        "hint think of the shapes",
        "your program printed",
        "it crashed",
        "not tried: another task must be right first",
    ):
        assert part in said, part


def test_hidden_cases_are_named_by_their_kind_only(pages):
    for source in pages.values():
        assert "Secret" not in source
    said = page_of(pages, "=cmd|' /C calc'!A0").said
    assert "0 of 1 hidden cases are right; 1: a wrong value came back" in said


def test_print_outs_are_quoted_as_they_are(pages):
    source = pages[f"{text.slug('<script>alert(1)</script>')}.html"]
    assert "&lt;script&gt;alert(&#39;ada&#39;)&lt;/script&gt;" in source
    said = page_of(pages, "heidi\x1b[31m").said
    assert "\ufffd[2J\ufffd]0;owned\ufffd\ufffd[31mred" in said
    assert "漢字 🙂" in page_of(pages, "dörte-مرحبا-漢字-🙂").said


def test_who_has_no_points_is_told_why(pages):
    said = page_of(pages, "unlucky-ursula").said
    assert "Not graded yet. The grader failed, not you." in said
    assert "of 40 points" not in said
    said = page_of(pages, "rejected-rita").said
    assert "the zip has a link in it: math_grad.cc -> /etc/passwd" in said
    said = page_of(pages, "ivan").said
    assert "What the compiler said math_grad.cc:3:1: error: expected ';'" in said
    said = page_of(pages, "grace").said
    assert "2 cases not written yet." in said and "sys/socket.h" not in said


def test_the_class_is_shown_with_all_who_need_somebody(pages):
    said = read(pages["index.html"]).said
    assert "12 students have handed in; 11 have a score." in said
    for part in (
        "The grader failed: grade these again unlucky-ursula",
        "Rejected rejected-rita: the zip has a link in it",
        "Handed in nothing mallory nobody <b>",
        f"04.4 {class_of_12.FLIPPED} 3",
        "includes <sys/socket.h>",
        "not graded",
    ):
        assert part in said, part


def test_numbers_of_the_class_are_right():
    found = class_records.ClassRecords()
    for name, verdicts in {
        "a": ["ok", "ok", "ok", "ok", "ok"],
        "b": ["ok", "ok", "ok", "ok", "not_written"],
        "c": ["ok", "wrong_answer", "ok", "not_written", "not_written"],
        "d": ["grader_error", "ok", "ok", "ok", "ok"],
    }.items():
        found.latest[name] = make_record(name, verdicts)
    scored = found.records[:3]
    # 40, 32 and 17.33 points of 40
    rows = report._distribution([one["score"] for one in scored], 40)
    assert [row["count"] for row in rows] == [0, 0, 0, 0, 1, 0, 0, 0, 1, 1]
    assert rows[0]["label"] == "0 to less than 4" and rows[-1]["label"] == "36 to 40"
    tasks = report._tasks(scored)
    assert [(row["id"], row["percent"], row["full"]) for row in tasks] == [
        ("04.5", 33, 1),
        ("04.4", 67, 2),
        ("04.2", 78, 2),
        ("04.1", 100, 3),
        ("04.3", 100, 3),
    ]
    faults = report._faults(found.records)
    assert [(row["task"], row["count"]) for row in faults] == [("04.2", 1)]
    said = read(report.class_page(found)).said
    assert "Median 32, mean 29.78, of 40 points" in said
    assert "3 have a score" in said


def test_the_last_hand_in_of_a_student_counts(tmp_path):
    times = [
        "2026-10-05T12:00:00+02:00",
        "2026-10-05T11:00:00+00:00",
        "2026-10-05T10:30:00Z",
    ]
    for number, time in enumerate(times):
        verdicts = ["ok"] * number + ["not_written"] * (5 - number)
        write_record(
            tmp_path, make_record("ada", verdicts, submission__submitted_at=time)
        )
    found = class_records.read_class(tmp_path)
    assert found.latest["ada"]["submission"]["submitted_at"] == times[1]
    assert found.earlier == {"ada": 2} and found.problems == []


def test_two_hand_ins_of_one_time_are_a_problem(tmp_path):
    for verdict in ("ok", "crashed"):
        write_record(tmp_path, make_record("ada", [verdict] * 5))
    assert (
        "two hand-ins of the same time" in class_records.read_class(tmp_path).problems[0]
    )


def test_a_broken_record_is_shown_and_the_others_are_reported(tmp_path, capsys):
    folder, out = write_class(tmp_path / "records"), tmp_path / "report"
    (folder / "half.json").write_text('{"schema": 1, "lab"')
    (folder / "deep.json").write_text("[" * 100_000)
    (folder / "dir.json").mkdir()
    (folder / "link.json").symlink_to("/dev/zero")
    assert course("report", folder, "--out", out) == 1
    assert len(list(out.iterdir())) == 13
    said = read((out / "index.html").read_text()).said
    for name in ("half.json", "deep.json", "dir.json", "link.json"):
        assert name in said, name


def test_records_of_two_labs_are_not_mixed(tmp_path, capsys):
    folder = write_class(tmp_path / "records")
    write_record(folder, make_record("ada", lab__id="05_eager"))
    assert course("report", folder, "--out", tmp_path / "out") == 1
    assert "holds records of several labs: 0" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("", "the first line must name the columns"),
        ("name\nada\n", "id among them; it is 'name'"),
        ("id\nada\nada\n", "ada is there twice"),
        ("id,name\n,x\n", "row 2 has no id"),
        ('id\n"ada', "not a CSV file"),
    ],
)
def test_a_roster_that_is_none_is_refused(tmp_path, said, error, capsys):
    folder = write_class(tmp_path / "records")
    roster = tmp_path / "roster.csv"
    roster.write_text(said)
    assert course("report", folder, "--roster", roster, "--out", tmp_path / "out") == 1
    assert error in capsys.readouterr().err
    roster.write_bytes(b"id\n\xff\n")
    assert course("report", folder, "--roster", roster, "--out", tmp_path / "out") == 1
    assert "not UTF-8 text, at byte 3" in capsys.readouterr().err


def test_what_waits_for_the_due_date_is_shown_after_it():
    record = make_record("ada", ["wrong_answer"] + ["ok"] * 4)
    record["tests"][0]["visibility"] = "after_due_date"
    before = read(report.student_page(record)).said
    assert "first difference" not in before and "1 of 3 hidden cases is right" in before
    assert "think of the shapes" not in before
    after = read(report.student_page(record, after_due=True)).said
    assert "first difference [0,1]" in after and "0 of 1 hidden cases" in after


def test_every_verdict_has_a_sentence():
    said = {verdict for verdicts, _ in STUDENTS.values() for verdict in verdicts}
    assert said | {"rejected"} == set(wording.VERDICTS)
    assert len(set(wording.VERDICTS.values())) == len(wording.VERDICTS)
    assert MISSING


def test_a_folder_that_cannot_be_written_is_said(tmp_path, capsys):
    folder = write_class(tmp_path / "records")
    (tmp_path / "file").write_text("")
    assert course("report", folder, "--out", tmp_path / "file") == 1
    assert "cannot be written" in capsys.readouterr().err
