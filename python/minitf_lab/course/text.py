"""Text that others wrote, made fit for a page, a table or a terminal.

A student chooses the file names, the print-outs and many of the values in a record. All
of it goes through ``clean`` or ``clip`` once, and then through the escape of its format.
"""

import csv
import hashlib
import io
import json
import re
import unicodedata
from typing import Any

REPLACED = "\N{REPLACEMENT CHARACTER}"
# Kinds of characters that are shown as REPLACED: controls, those that have no picture or
# turn the direction of what follows, halves of pairs, such as are not assigned, and
# separators of lines that are not "\n".
HIDDEN_KINDS = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
# What joins letters in words of some languages, and in pictures.
JOINERS = "\u200c\u200d"
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet takes for a formula
MAX_CELL = 32_000  # characters; a spreadsheet takes 32,767


def clean(text: Any) -> str:
    r"""``text`` without what a terminal, a browser or an editor would obey.

    >>> clean("a\x1b[31m\r\nb\0")
    'a\ufffd[31m\nb\ufffd'
    """
    text = str(text).replace("\r\n", "\n")
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(
        one
        if one in "\n\t"
        or one in JOINERS
        or unicodedata.category(one) not in HIDDEN_KINDS
        else REPLACED
        for one in text
    )


def clip(text: Any, lines: int = 12, columns: int = 300) -> str:
    r"""The first ``lines`` of a cleaned text, each of at most so many ``columns``.

    >>> clip("a\nb\nc", lines=2)
    'a\nb\n... (1 more line)'
    """
    # Whatever comes behind this is not looked at: a line may have a million characters.
    text = str(text)
    most = lines * (columns + 2)
    parts = clean(text[: most + 1]).strip("\n").split("\n")
    shown = [part if len(part) <= columns else part[:columns] + "..." for part in parts]
    more = text.strip("\n").count("\n") + 1 - lines
    if more > 0:
        shown = [*shown[:lines], f"... ({more} more line{'s' if more > 1 else ''})"]
    elif len(text) > most and not shown[-1].endswith("..."):
        shown[-1] += "..."
    return "\n".join(shown)


def one_line(text: Any, columns: int = 200) -> str:
    r"""A cleaned text as one line.

    >>> one_line("a\n  b")
    'a b'
    """
    text = " ".join(clean(str(text)[: columns * 4]).split())
    return text if len(text) <= columns else text[:columns] + "..."


def number(value: float) -> str:
    """Points, without zeros that say nothing.

    >>> number(12.0), number(0.1 + 0.2), number(2)
    ('12', '0.3', '2')
    """
    return f"{round(value, 4):.4f}".rstrip("0").rstrip(".")


def slug(identity: str) -> str:
    """A file name for a student: readable, safe, and different for each.

    >>> slug("../Ada Byron"), slug("ada byron")
    ('ada_byron-c402d993', 'ada_byron-ba479d76')
    """
    plain = unicodedata.normalize("NFKD", identity).encode("ascii", "ignore").decode()
    word = re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")[:40]
    digest = hashlib.sha256(identity.encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{word or 'student'}-{digest}"


def cell(value: Any) -> str:
    r"""A cell of a CSV file that no spreadsheet takes for a formula.

    >>> cell("=1+1"), cell("\t=1"), cell(None), cell("a\nb")
    ("'=1+1", "'\t=1", '', 'a\nb')
    """
    if value is None:
        return ""
    if isinstance(value, int | float):
        return number(value)
    text = str(value)[:MAX_CELL]
    # Before cleaning, which replaces a return; and after, whatever stands first then.
    is_formula = text.startswith(FORMULA) or text.lstrip().startswith(FORMULA)
    text = clean(text)
    return f"'{text}" if is_formula else text


def csv_text(rows: list[list[Any]], delimiter: str = ",") -> str:
    """Rows as CSV, every cell in quotes; a quote in one is doubled.

    >>> print(csv_text([["a", "b, c", 1.5]]).strip())
    "a","b, c","1.5"
    """
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, delimiter=delimiter)
    writer.writerows([cell(value) for value in row] for row in rows)
    return out.getvalue()


def json_text(value: Any, *, indent: int | None = 1) -> str:
    """``value`` as JSON of ASCII characters alone, so that any reader takes it.

    Raises:
        ValueError: there is a number in it that JSON has not, such as NaN.
    """
    return json.dumps(value, indent=indent, allow_nan=False)
