"""Sphinx extension: links documents to the pages of source files.

A path in code format, such as ``minitf/graph/graph.h``, becomes a link. The role ``line``
links to a line: ``minitf/graph/graph.h:30``.
"""

import os
import re
from typing import Any

import source_pages
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

LINE = re.compile(r"([\w/.]+):(\d+)")


class PathsAreLinks(SphinxPostTransform):
    """Turns each path of a source file into a link."""

    default_priority = 5

    def run(self, **kwargs: Any) -> None:
        """Sphinx calls this for each document."""
        del kwargs  # Sphinx passes none
        page = self.env.docname
        for literal in list(self.document.findall(nodes.literal)):
            match = LINE.fullmatch(literal.astext())
            path, line = (match[1], match[2]) if match else (literal.astext(), "")
            is_link = isinstance(literal.parent, nodes.reference | addnodes.pending_xref)
            if not is_link and path in source_pages.sources():
                literal.replace_self(_link(self.app, page, path, line, literal))
        for link in list(self.document.findall(addnodes.pending_xref)):
            if link.get("reftype") == "myst" and (replacement := self._of_file(link)):
                link.replace_self(replacement)

    def _of_file(self, link: nodes.Element) -> nodes.Node | None:
        """Returns the replacement of a link to a file or folder that is not a document.

        The site shows source files only. Other files and folders keep their text alone.
        """
        page, target = self.env.docname, link["reftarget"].rstrip("/")
        file, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page), file))
        shown = nodes.inline("", "", *(child.deepcopy() for child in link.children))
        if path in source_pages.sources():
            return _link(self.app, page, path, anchor.removeprefix("L"), shown)
        is_document = os.path.splitext(path)[0] in self.env.all_docs or not file
        is_there = not is_document and (source_pages.ROOT / path).exists()
        return shown if is_there else None


def _link(app: Sphinx, page: str, path: str, line: str, shown: nodes.Node) -> nodes.Node:
    place = app.builder.get_relative_uri(page, source_pages.PREFIX + path)
    place += f"#L{line}" if line else ""
    return nodes.reference("", "", shown.deepcopy(), internal=True, refuri=place)


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx calls this."""
    app.add_post_transform(PathsAreLinks)
    app.add_generic_role("line", nodes.literal)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
