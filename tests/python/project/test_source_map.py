"""docs/source_map.md and docs/glossary.md name what the files have."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs/source_map.md"
ROW = re.compile(r"^\| `([\w/.]+)` \| (`[^|]+`) \|", re.M)


def test_each_file_has_the_names_beside_it():
    rows = ROW.findall(PAGE.read_text())
    assert len(rows) >= 30
    for path, names in rows:
        text = (PAGE.parents[1] / path).read_text()
        for name in re.findall(r"`(\w+)`", names):
            assert re.search(rf"\b{name}\b", text), f"{path} has no {name}"


def test_each_component_has_a_folder_a_lab_and_a_test():
    section = PAGE.read_text().split("## ")[1]
    rows = [line for line in section.splitlines() if line.count("|") == 6][2:]
    assert len(rows) == 5
    for row in rows:
        _, _, folders, _, labs, test, _ = row.split("|")
        named = re.findall(r"`([^`]+)`", folders + test) + re.findall(
            r"\.\./([^)]+)", labs
        )
        assert len(named) >= 3
        for path in named:
            assert (PAGE.parents[1] / path).exists(), f"{path} does not exist"


def test_each_term_has_a_sentence():
    """A row of the glossary has a term, a sentence that ends, and a file or a reason."""
    rows = (PAGE.parent / "glossary.md").read_text().split("\n")[6:]
    terms = [row.strip("| ").split(" | ") for row in rows if row]
    assert len(terms) >= 50
    for term in terms:
        assert len(term) == 3 and term[1].endswith("."), term
    names = [name.lower() for name, _, _ in terms]
    assert names == sorted(names)
