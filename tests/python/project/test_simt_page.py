"""The page of accesses: what it draws of a report is what the report counts."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "simt"))
sys.path.insert(0, str(Path(__file__).parents[3] / "kernels" / "simt"))
import access_page
import emulated

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Of a transpose by tiles of 16 by 17 floats."""
    case = emulated.CASES / "clean_transpose.cu"
    folder = tmp_path_factory.mktemp("page")
    program = emulated.compile_case(case, folder, "g++", "-O0")
    return json.loads(emulated.run(program, profile=1).json)


def test_examples_have_as_many_sectors_and_wavefronts_as_are_counted(report):
    for row in report["profile"]:
        for request in row["first"]:
            unit = "wavefronts" if row["kind"].startswith("shared") else "sectors"
            drawn = access_page.draw(request, unit == "wavefronts")
            assert f": {row['per_request']:.0f} {unit}</p>" in drawn
            lanes = {
                lane for lanes in access_page.words_of(request).values() for lane in lanes
            }
            assert lanes == set(range(32))


def test_a_page_says_where_and_needs_nothing_else(report):
    page = access_page.page(report, emulated.CASES)
    text = (emulated.CASES / "clean_transpose.cu").read_text().split("\n")
    for row in report["profile"]:
        assert f"clean_transpose.cu:{row['line']}, {row['kind']}" in page
        assert re.sub("[<>&].*", "", text[row["line"] - 1].strip()) in page
    assert not re.search(r"(src|href)=|<script|url\(", page)
    assert "How long it takes they do not say" in page


def request(size, offsets):
    return {"size": size, "lanes": [*offsets, *[None] * (32 - len(offsets))]}


@pytest.mark.parametrize(
    ("size", "offsets", "is_shared", "sentence", "crowded"),
    [
        (4, [4 * lane for lane in range(32)], False, "4 sectors", 0),
        (4, [128 * lane for lane in range(32)], False, "32 sectors", 0),
        (8, [0, 28], False, "2 sectors", 0),
        (4, [128 * lane for lane in range(32)], True, "32 wavefronts", 1),
        (4, [0] * 32, True, "1 wavefronts", 0),
        (16, [16 * lane for lane in range(32)], True, "4 wavefronts", 32),
        (1, [3, 5], True, "1 wavefronts", 0),
    ],
)
def test_requests_of_all_kinds(size, offsets, is_shared, sentence, crowded):
    drawn = access_page.draw(request(size, offsets), is_shared)
    assert f"{len(offsets)} lanes, {size} bytes each: {sentence}" in drawn
    assert drawn.count('class="crowded"') == crowded


def test_names_are_shown_as_they_are():
    row = {
        "kernel": "F<A&B>", "kind": "global-load", "file": "a<b>.cu", "line": 3,
        "requests": 1, "bytes": 4, "per_request": 2.0, "ideal": 1.0,
        "first": [request(4, [0])],
    }  # fmt: skip
    page = access_page.page({"profile": [row]}, ROOT)
    assert "F&lt;A&amp;B&gt;" in page and "a&lt;b&gt;.cu:3" in page
    assert 'class="bad"' in page
    assert "No access was recorded" in access_page.page({"profile": []}, ROOT)


def called(*arguments):
    command = [sys.executable, str(ROOT / "kernels" / "simt" / "access_page.py")]
    return subprocess.run(
        [*command, *map(str, arguments)], capture_output=True, text=True
    )


def test_bad_calls_say_what_is_wrong(report, tmp_path):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(report))
    bad.write_text('{"profile": [{}]}')
    page = tmp_path / "page.html"
    assert called(good, page, emulated.CASES).returncode == 0
    assert "<h1>Which lane touched what</h1>" in page.read_text()
    for arguments, status, said in (
        ((), 2, "usage"),
        ((tmp_path / "none.json", page), 1, "No such file"),
        ((bad, page), 1, "not a report"),
        ((emulated.CASES / "host.h", page), 1, "not a report"),
        ((good, tmp_path / "no" / "page.html"), 1, "No such file"),
    ):
        done = called(*arguments)
        assert done.returncode == status and said in done.stderr, arguments
        assert "Traceback" not in done.stderr
