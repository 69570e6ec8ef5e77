"""Pages in HTML: everything that is put into one is escaped, and it needs no network.

Escaping is Jinja's; besides, a page forbids the browser to run or to load anything.
"""

from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from minitf_lab.course import text


@cache
def _templates() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["line"] = text.one_line
    made.filters["points"] = text.number
    return made


def render(template: str, **values: Any) -> str:
    """The page that the template of this name makes of ``values``."""
    return _templates().get_template(f"{template}.html.jinja").render(**values)
