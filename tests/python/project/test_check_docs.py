"""``tests/check_docs.py`` finds links and paths that lead nowhere."""

import sys
from pathlib import Path

import pytest
from source_copy import ROOT

sys.path.append(str(ROOT / "tests"))

import check_docs


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("see [text](../minitf/base/text.cc)", []),
        ("see [text](../minitf/base/text.h#part)", ["docs/../minitf/base/text.h"]),
        ("see [below](#part) and [TensorFlow](https://tensorflow.org/x.html)", []),
        ("`minitf/base/text.cc` and tests/rooms.py.", ["tests/rooms.py"]),
        ("`" + "kernels/gpu/" + "NAME.cu`", []),
        ("`tensorflow/python/framework/ops.py`", []),
    ],
)
def test_files_that_do_not_exist_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, missing: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page, guide = Path("docs", "page.md"), Path("docs", "adding_a_page.md")
    for path in (Path("minitf/base/text.cc"), page, guide):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Title\n\n{text}\n")
    wanted = [f"{page}:3: {file} does not exist" for file in missing]
    assert [*check_docs.missing_files(page)] == wanted
    links = [line for line in wanted if ".." in line]
    assert [*check_docs.missing_files(guide)] == [
        line.replace(str(page), str(guide)) for line in links
    ]
