"""A page that draws which lane of a warp touched what, from a report of check mode.

    SIMT_PROFILE=1 SIMT_JSON=report.json ./my_kernel_check
    python3 access_page.py report.json page.html [FOLDER_OF_SOURCES]

For each line of a kernel it shows its first requests: in global memory the sectors of 32
bytes that a warp asked for, in shared memory the 32 banks. The number in a cell is the
lane that wanted the word. It is a picture of places, not of time.

Read next: ``docs/simt.md``.
"""

import json
import sys
from html import escape
from pathlib import Path
from typing import Any

WORD, WORDS_OF_SECTOR, BANKS = 4, 8, 32
MAX_ROWS = 40  # of a drawing; what is beyond is counted

STYLE = """
body { font: 15px/1.5 sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff; }
code { background: #f2f2f2; padding: .1rem .3rem; }
table { border-collapse: collapse; margin: .4rem 0 1rem; }
td, th { border: 1px solid #ccc; width: 1.5rem; min-width: 1.5rem; height: 1.3rem;
  text-align: center; font: 11px monospace; padding: 0; }
th { border: 0; color: #666; font-weight: normal; }
th.row { width: auto; text-align: right; padding-right: .5rem; white-space: nowrap; }
th.crowded { background: #c33; color: #fff; font-weight: bold; }
.bad { color: #b00; font-weight: bold; }
"""

Request = dict[str, Any]


def colour(lane: int) -> str:
    """That of a lane: neighbours are alike."""
    return f"hsl({lane * 360 // 32},70%,78%)"


def words_of(request: Request) -> dict[int, list[int]]:
    """For each word that is touched, the lanes that wanted it.

    >>> words_of({"size": 8, "lanes": [0, None, 4]})
    {0: [0], 1: [0, 2], 2: [2]}
    """
    words: dict[int, list[int]] = {}
    for lane, offset in enumerate(request["lanes"]):
        if offset is None:
            continue
        last = offset + request["size"] - 1
        for word in range(offset // WORD, last // WORD + 1):
            words.setdefault(word, []).append(lane)
    return words


def _cell(lanes: list[int]) -> str:
    if not lanes:
        return "<td></td>"
    text = str(lanes[0]) if len(lanes) == 1 else f"{lanes[0]}+"
    title = "lane " + ", ".join(map(str, lanes))
    return f'<td style="background:{colour(lanes[0])}" title="{title}">{text}</td>'


def _rows(words: dict[int, list[int]], across: int, name: str) -> list[str]:
    """A row for each group of ``across`` words that has one."""
    groups = sorted({word // across for word in words})
    rows = []
    for group in groups[:MAX_ROWS]:
        cells = [_cell(words.get(group * across + i, [])) for i in range(across)]
        head = f'<th class="row">{name} {group}</th>'
        rows.append(f"<tr>{head}{''.join(cells)}</tr>")
    if len(groups) > MAX_ROWS:
        rest = f"and {len(groups) - MAX_ROWS} more"
        rows.append(f'<tr><th class="row">{rest}</th></tr>')
    return rows


def draw(request: Request, is_shared: bool) -> str:
    """A request as a table, with a sentence above."""
    words = words_of(request)
    lanes = sum(offset is not None for offset in request["lanes"])
    begin = f"{lanes} lanes, {request['size']} bytes each: "
    if not is_shared:
        rows = _rows(words, WORDS_OF_SECTOR, "sector")
        count = len({word // WORDS_OF_SECTOR for word in words})
        return f"<p>{begin}{count} sectors</p><table>{''.join(rows)}</table>"
    wanted = [sum(word % BANKS == bank for word in words) for bank in range(BANKS)]
    most = max(wanted)
    heads = [
        f'<th class="{"crowded" if count == most > 1 else ""}">{bank}</th>'
        for bank, count in enumerate(wanted)
    ]
    first = f'<tr><th class="row">bank</th>{"".join(heads)}</tr>'
    rows = [first, *_rows(words, BANKS, "row")]
    return f"<p>{begin}{most} wavefronts</p><table>{''.join(rows)}</table>"


def _source_line(folder: Path, name: str, number: int) -> str:
    try:
        lines = (folder / Path(name).name).read_text(errors="replace").split("\n")
    except OSError:
        return ""
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def _section(row: dict[str, Any], folder: Path) -> str:
    is_shared = row["kind"].startswith("shared")
    unit = "wavefronts" if is_shared else "sectors"
    is_bad = row["per_request"] > 1.25 * row["ideal"]
    source = escape(_source_line(folder, row["file"], row["line"]))
    counts = (
        f"{row['requests']} requests of warps, {row['per_request']:.2f} {unit} each, "
        f"{row['ideal']:.2f} would be enough"
    )
    return "\n".join(
        [
            f"<h3>{escape(row['file'])}:{row['line']}, {escape(row['kind'])}</h3>",
            f"<p><code>{source}</code></p>" if source else "",
            f'<p class="{"bad" if is_bad else ""}">{counts}</p>',
            *(draw(request, is_shared) for request in row["first"]),
        ]
    )


def page(report: dict[str, Any], folder: Path) -> str:
    """The page of a report."""
    body = []
    kernel = None
    for row in report["profile"]:
        if row["kernel"] != kernel:
            kernel = row["kernel"]
            body.append(f"<h2>{escape(kernel)}</h2>")
        body.append(_section(row, folder))
    if not body:
        body.append("<p>No access was recorded: was SIMT_PROFILE=1 set?</p>")
    return "\n".join(
        [
            '<!doctype html><html lang="en"><meta charset="utf-8">',
            f"<title>Accesses</title><style>{STYLE}</style>",
            "<h1>Which lane touched what</h1>",
            "<p>The first requests of each line. A GPU moves global memory in sectors "
            "of 32 bytes, and serves 32 banks of shared memory at once, one word each; "
            "lanes that want different words of one bank wait for each other (red). "
            "These are places and counts. How long it takes they do not say.</p>",
            *body,
            "</html>",
        ]
    )


def main() -> int:
    """Makes the page that is named second of the report that is named first."""
    if len(sys.argv) not in {3, 4}:
        print("usage: access_page.py REPORT.json PAGE.html [FOLDER]", file=sys.stderr)
        return 2
    folder = Path(sys.argv[3] if len(sys.argv) == 4 else ".")
    try:
        report = json.loads(Path(sys.argv[1]).read_text())
        Path(sys.argv[2]).write_text(page(report, folder))
    except OSError as error:
        print(f"access_page: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    except (ValueError, KeyError, TypeError):
        print(f"access_page: {sys.argv[1]}: not a report (SIMT_JSON)", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
