"""``Picture``: what all functions of ``minitf.viz`` return, and how they write SVG.

Read next: ``graph_model.py``.
"""

import re
from html import escape
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent
STYLE = (_FOLDER / "viewer.css").read_text()
COLOURS = 8  # .k0 to .k7 of the style sheet
# Characters that XML does not allow, even escaped.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escaped(text: Any) -> str:
    r"""The text for XML or HTML, within an element or an attribute in double quotes.

    >>> print(escaped('</script>"\x00'))
    &lt;/script&gt;&quot;�
    """
    return escape(_FORBIDDEN.sub("\ufffd", str(text)))


def element(tag: str, *children: str, **attributes: Any) -> str:
    """An element of XML. Children are XML; attributes are escaped.

    >>> element("text", escaped("1 < 2"), x=3, class_="small", text_anchor="end")
    '<text x="3" class="small" text-anchor="end">1 &lt; 2</text>'
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escaped(value)}"'
        for name, value in attributes.items()
    )
    return f"<{tag}{written}>{''.join(children)}</{tag}>"


def text_at(x: float, y: float, text: str, **attributes: Any) -> str:
    """A text whose base line begins at (x, y), or as ``text_anchor`` says."""
    return element("text", escaped(text), x=x, y=y, **attributes)


def svg_of(size: tuple[float, float], title: str, description: str, body: str) -> str:
    """A picture in SVG, with the style sheet of all pictures."""
    width, height = size
    return element(
        "svg",
        element("title", escaped(title)),
        element("desc", escaped(description)),
        element("style", STYLE),
        body,
        xmlns="http://www.w3.org/2000/svg",
        class_="minitf-viz",
        role="img",
        width=width,
        height=height,
        viewBox=f"0 0 {width} {height}",
    )


def legend(names: dict[str, int]) -> str:
    """The names of colours, by number of the colour, as a list in HTML."""
    items = (
        element("li", element("i", class_=f"k{colour}"), escaped(name))
        for name, colour in names.items()
    )
    return element("ul", *items, class_="legend") if names else ""


class Picture:
    """A picture. A notebook shows it.

    Attributes:
        svg: The picture as SVG, without what a script adds.
        title: The line above the picture.
    """

    def __init__(self, svg: str, title: str, html: str | None = None):
        self.svg = svg
        self.title = title
        self._html = html

    def _repr_html_(self) -> str:
        if self._html is not None:
            return self._html
        scrolled = element("div", self.svg, class_="scrolled", tabindex=0)
        return element("div", scrolled, class_="minitf-viz")

    def save(self, path: str | Path) -> None:
        """Writes a page by itself (``.html``), or an image (``.svg``).

        Raises:
            ValueError: the name ends in something else.
        """
        path = Path(path)
        if path.suffix not in {".html", ".svg"}:
            raise ValueError(f"path must end in .html or .svg, is {str(path)!r}")
        text = self.svg
        if path.suffix == ".html":
            head = (
                '<meta charset="utf-8"><meta name="color-scheme" content="light dark">'
                '<meta name="viewport" content="width=device-width, initial-scale=1">'
                + element("title", escaped(self.title))
            )
            text = f'<!DOCTYPE html>\n<html lang="en">{head}{self._repr_html_()}</html>\n'
        path.write_text(text, encoding="utf-8")

    def __repr__(self) -> str:
        return f"<Picture: {self.title}>"


class Canvas:
    """A picture that grows line by line.

    Attributes:
        y: Where the next line begins.
    """

    def __init__(self, title: str):
        self.title = title
        self.y = 0.0
        self._parts: list[str] = []
        self._width = 0.0
        self.line(title)

    def line(self, text: str) -> None:
        """Adds a line of text."""
        self._parts.append(text_at(0, self.y + 14, text))
        self._width = max(self._width, 7 * len(text))
        self.y += 22

    def text(self, x: float, y: float, text: str, **attributes: Any) -> None:
        """Adds a small text whose base line begins at (x, y)."""
        self._parts.append(text_at(x, y, text, class_="small", **attributes))

    def box(
        self,
        place: tuple[float, float, float, float],
        colour: str,
        *texts: str,
        about: str = "",
    ) -> None:
        """Adds a rectangle (x, y, width, height).

        Args:
            place: Its upper left corner and its size.
            colour: A class, such as "k3", or a colour of SVG.
            texts: At most two lines in the middle of the rectangle.
            about: The text that is seen when the mouse rests on it.
        """
        x, y, width, height = (round(number, 2) for number in place)
        own = {} if colour.startswith("k") else {"style": f"fill:{colour};stroke:none"}
        rect = element(
            "rect",
            **{"x": x, "y": y, "width": width, "height": height},
            **own,
            fill="#fff",
            stroke="#59636e",
        )
        lines = [
            text_at(
                x + width / 2,
                y + (14 if len(texts) > 1 else height / 2 + 4) + 13 * number,
                text,
                text_anchor="middle",
                class_="small",
            )
            for number, text in enumerate(texts)
        ]
        title = element("title", escaped(about)) if about else ""
        self._parts.append(element("g", title, rect, *lines, class_=colour))
        self._width = max(self._width, x + width)

    def picture(self, description: str) -> Picture:
        """Returns the picture. Screen readers read the description."""
        body = element("g", *self._parts, font_size=11, font_family="sans-serif")
        size = round(self._width) + 2, round(self.y) + 2
        return Picture(svg_of(size, self.title, description, body), self.title)
