"""The check of the tour finds circles, headers left out, broken walks and a long book."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2]))

import reading_tour

ORDER = """# Reading order

| a step | `@/b/one.cc` | |

## 7. Every header, once

| room | begins at | holds |
| --- | --- | --- |
| `@/a` | `@/a/one.h` | |
| `@/b` | `@/b/one.h` | |

## Another section

| `@/c` | `one.h` | |
"""
WALKS = "## A walk: {}\n\n" + "".join(
    f"| `@/a/{i}.cc` | `Step{i}` | |\n" for i in range(5)
)
# What each header leads to.
CHAIN = {
    "@/a/one.h": "@/a/two.h",
    "@/a/two.h": "@/b/one.h",
    "@/b/one.h": "docs/architecture.md",
}


def full(text):
    """With the folder for which @ stands: these files are in no real one."""
    return text.replace("@/", "minitf/")


def put(path, text):
    Path(full(path)).parent.mkdir(parents=True, exist_ok=True)
    Path(full(path)).write_text(full(text))


def lead(path, following):
    put(path, f"// A file.\n//\n// Read next  {following}\n\n")


@pytest.fixture(autouse=True)
def book(tmp_path, monkeypatch):
    """A small book in which nothing is wrong."""
    monkeypatch.chdir(tmp_path)
    for top in ("kernels/cpu", "python"):
        (tmp_path / top).mkdir(parents=True)
    put("docs/reading_order.md", ORDER)
    put("docs/architecture.md", "# Architecture\n")
    put("docs/walks.md", WALKS.format("one") + WALKS.format("two"))
    for header, following in CHAIN.items():
        lead(header, following)
    lead("@/b/one.cc", "@/b/one.h")
    for i in range(5):
        put(f"@/a/{i}.cc", f"// A file.\n\nvoid Step{i}() {{}}\n")


def found():
    return "\n".join(reading_tour.findings()).replace("minitf/", "@/")


def test_a_good_book_is_visited_from_end_to_end():
    assert found() == ""
    headers = [full(header) for header in CHAIN]
    assert reading_tour.chain(headers[0]) == headers
    files = reading_tour.book()
    assert files == [*headers, full("@/b/one.cc")]
    assert reading_tour.lines_of(files) == 16


@pytest.mark.parametrize(
    ("path", "following", "sentence"),
    [
        ("@/b/one.h", "@/a/one.h", "the tour is a circle"),
        ("@/b/one.h", "@/none.md", "leads to @/none.md, which is not there"),
        ("@/a/two.h", "@/b/none.h", "leads to @/b/none.h, which is not"),
        ("@/a/one.h", "@/b/one.h", "@/a/two.h:1: no 'Read next' of"),
        ("@/a/new.h", "@/b/one.h", "@/a/new.h:1: no 'Read next' of"),
        ("@/b/one.cc", "@/b/one.cc", "leads in a circle: @/b/one.cc"),
        ("@/b/one.cc", "@/b/none.cc", "leads to @/b/none.cc"),
    ],
)
def test_a_line_that_leads_astray_is_found(path, following, sentence):
    lead(path, following)
    assert sentence in found()


def test_a_circle_beside_the_tour_is_found():
    lead("@/contrib/f/a.h", "@/contrib/f/b.cc")
    lead("@/contrib/f/b.cc", "@/contrib/f/a.h")
    assert "@/contrib/f/a.h -> @/contrib/f/b.cc" in found()
    lead("@/contrib/f/b.cc", "@/a/one.h")
    assert found() == ""


def test_python_names_files_from_its_own_folder_or_from_that_of_the_package():
    def lead_on(name, following):
        put(f"python/@/{name}", f'"""A module. Read\nnext: ``{following}``.\n"""\n')

    lead_on("ops/x.py", "y.py")
    lead_on("ops/y.py", "eager/z.py")
    lead_on("eager/z.py", "docs/architecture.md")
    assert found() == ""
    lead_on("eager/z.py", "ops/x.py")
    assert found().count("leads in a circle") == 1
    lead_on("eager/z.py", "x.py")
    assert (
        "python/@/eager/z.py:1: 'Read next' leads to x.py, which is not there" in found()
    )


def test_the_tour_goes_through_one_room_after_another():
    lead("@/b/one.h", "@/a/three.h")
    lead("@/a/three.h", "docs/architecture.md")
    assert "the tour has left @/a before it comes here" in found()
    put("docs/reading_order.md", ORDER.replace("@/b/one.h", "@/b/two.h"))
    assert "@/b begins at @/b/one.h, not at @/b/two.h" in found()
    put("docs/reading_order.md", "# Nothing\n")
    assert "has no table of rooms" in found()


def test_the_book_has_a_limit(monkeypatch):
    monkeypatch.setattr(reading_tour, "MOST_LINES", 15)
    assert "the book has 16 lines of C++, more than 15" in found()


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("`@/a/2.cc` | `Step2`", "`@/a/1.cc` | `Step1`", "1.cc 2 times"),
        ("`@/a/2.cc`", "`@/a/9.cc`", "names @/a/9.cc, which does not"),
        ("`Step2`", "`Step3`", "@/a/2.cc has no Step3()"),
        ("| `@/a/2.cc` | `Step2` | |\n", "", "has 4 steps"),
        ("## A walk: one", "## One", "has 1 walks, needs 2"),
    ],
)
def test_a_walk_that_is_wrong_is_found(before, after, sentence):
    page = Path("docs/walks.md")
    page.write_text(page.read_text().replace(full(before), full(after), 1))
    assert sentence in found()
