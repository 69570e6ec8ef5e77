"""Sphinx extension: adds HTML attributes for keyboards and screen readers."""

import re
from typing import Any

from sphinx.application import Sphinx

REPLACED = [
    # The keyboard must reach an element that can scroll sideways.
    (re.compile(r"<pre>"), '<pre tabindex="0">'),
    (re.compile(r'<div class="(table-wrapper[^"]*)"'), r'<div tabindex="0" class="\1"'),
    (re.compile(r'role="heading"(?! aria-level)'), 'role="heading" aria-level="2"'),
    # The text alternative of a drawing becomes its label.
    (
        re.compile(r'<object (data="[^"]*\.svg"[^>]*>\s*<p[^>]*>([^<]*))'),
        r'<object role="img" aria-label="\2" \1',
    ),
]


def improved(text: str) -> str:
    """Returns the HTML with the missing attributes.

    >>> improved("<pre>1</pre>")
    '<pre tabindex="0">1</pre>'
    """
    for pattern, new in REPLACED:
        text = pattern.sub(new, text)
    return text


def _improve(
    app: Sphinx, name: str, template: str, context: dict[str, Any], tree: Any
) -> None:
    """Improves a page and the contents beside it."""
    del app, name, template, tree  # Sphinx passes them to every listener
    if "body" in context:
        context["body"] = improved(context["body"])
    make = context["toctree"]
    context["toctree"] = lambda **options: improved(make(**options))


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx calls this."""
    app.connect("html-page-context", _improve, priority=450)  # before the theme
    return {"parallel_read_safe": True, "parallel_write_safe": True}
