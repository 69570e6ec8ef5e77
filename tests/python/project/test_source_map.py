"""The map of the source names things that are where the map says."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
STOP = re.compile(r"^\| [^|]+ \| `([\w/.]+)` \| ([^|]+) \|$", re.M)
NAME = re.compile(r"`(\w+)`")


def test_each_stop_has_its_names() -> None:
    """A file of the tour has each name that the row shows."""
    stops = STOP.findall((ROOT / "docs/source_map.md").read_text())
    assert len(stops) >= 15
    for path, names in stops:
        text = (ROOT / path).read_text()
        missing = [n for n in NAME.findall(names) if not re.search(rf"\b{n}\b", text)]
        assert NAME.findall(names) and not missing, path


def test_each_term_has_a_sentence() -> None:
    """A row of the glossary has a term, a sentence that ends, and a file or a reason."""
    rows = (ROOT / "docs/glossary.md").read_text().split("\n")[6:]
    terms = [row.strip("| ").split(" | ") for row in rows if row]
    assert len(terms) >= 50
    for term in terms:
        assert len(term) == 3 and term[1].endswith("."), term
    names = [name.lower() for name, _, _ in terms]
    assert names == sorted(names)
