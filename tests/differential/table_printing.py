"""Tensors as text: ``tf.Print``, ``tf.Assert`` and ``tf.strings.format``."""

import numpy as np
from draw import Draw, draw_shape
from programs import in_graph, program

_TYPES = (
    "float32", "float64", "float16", "int8", "uint8", "int32", "int64", "bool", "string",
    "complex64",
)  # fmt: skip
_FORMATTED = _TYPES[:-1]
_FLOATS = (0.0, -0.0, 1.0, 0.1, -2.5, 1e-7, 3e4, 1.0 / 3, np.nan, np.inf, -np.inf)
_TEXTS = (
    b"", b"a", b"a b", b"\n", b"\t\r", b'"', b"'", b"\\", b"\x01", b"\x7f7", b"[1]", b"x\xc3\xa4",
)  # fmt: skip


def _element(draw: Draw, dtype: str) -> object:
    pick = draw.pick
    if dtype == "string":
        return pick.choice(_TEXTS)
    if dtype == "bool":
        return draw.chance(0.5)
    if dtype == "complex64":
        return complex(pick.choice(_FLOATS[:6]), 1.5)
    if dtype.startswith("float"):
        return pick.choice(_FLOATS)
    return pick.randint(0, 100) if dtype == "uint8" else pick.randint(-100, 100)


def _nested(draw: Draw, dtype: str, shape: tuple[int, ...]) -> str:
    if not shape:
        return repr(_element(draw, dtype))
    return f"[{', '.join(_nested(draw, dtype, shape[1:]) for _ in range(shape[0]))}]"


def _tensor(draw: Draw, types: tuple[str, ...] = _TYPES) -> str:
    dtype = draw.pick.choice(types)
    shape = draw_shape(draw)
    while types is _FORMATTED and 0 in shape:  # the row "texts"
        shape = draw_shape(draw)
    return f"tf.constant({_nested(draw, dtype, shape)}, tf.{dtype}, {list(shape)})"


def _tensors(draw: Draw, types: tuple[str, ...] = _TYPES) -> str:
    return ", ".join(_tensor(draw, types) for _ in range(draw.pick.randint(1, 3)))


def _summarize(draw: Draw) -> str:
    return draw.pick.choice(("", "", ", summarize={}")).format(
        draw.pick.choice(
            (None, -2, -1, 1, 2, 3, 5, 10, 100)
        )  # 2.21 omits "..." of bools at 0
    )


def _print(draw: Draw) -> str:
    options = _summarize(draw)
    if draw.chance(0.3):
        message = draw.pick.choice(("m ", "", "a%d", "line\n"))
        options += f", message={message!r}"
    if draw.chance(0.3):
        options += f", first_n={draw.pick.choice((None, -1, 0, 1, 2))}"
    return in_graph(
        [
            f"op = tf.Print(tf.constant(7), [{_tensors(draw)}]{options})",
            'show("printed", printed(lambda: [session.run(op) for _ in range(2)]))',
        ]
    )


def _assert(draw: Draw) -> str:
    return in_graph(
        [
            f"op = tf.Assert(False, [{_tensors(draw)}]{_summarize(draw)})",
            "try:",
            "    session.run(op)",
            "except tf.errors.InvalidArgumentError as error:",
            '    text = str(error).partition("\\n\\t [[{{node")[0].partition(" [node ")[0]',
            '    show("message", text[text.index("assertion failed:") :].rstrip())',
        ]
    )


_CHECKS = ("equal", "less", "greater", "less_equal", "greater_equal", "none_equal")


def _check(draw: Draw) -> str:
    low = draw.pick.randint(-3, 3)
    sizes = [draw.pick.randint(1, 3) for _ in range(draw.pick.randint(0, 3))]
    x = f"tf.reshape(tf.range({low}, {low + int(np.prod(sizes))}), {sizes})"
    check = f"tf.debugging.assert_{draw.pick.choice(_CHECKS)}"
    return in_graph(
        [
            "x = tf.placeholder_with_default(" + x + ", None)",
            f"y = tf.placeholder_with_default({draw.pick.randint(-3, 5)}, None)",
            f"op = {check}(x, y{_summarize(draw)})",
            "try:",
            "    session.run(op)",
            "except tf.errors.InvalidArgumentError as error:",
            '    text = str(error).partition("\\n\\t [[{{node")[0].partition(" [node ")[0]',
            '    show("message", text[text.index("assertion failed:") :].rstrip())',
        ]
    )


def _format(draw: Draw) -> str:
    values = _tensors(draw, _FORMATTED)
    summarize = draw.pick.choice((-1, 1, 2, 3))
    return in_graph(
        [
            f"values = [{values}]",
            f'text = tf.strings.format("{{}} " * len(values), values, summarize={summarize})',
            'show("text", session.run(text))',
        ]
    )


ENTRIES = [
    program("Print", _print, modes=("graph",), weight=3),
    program("Assert", _assert, modes=("graph",), weight=3),
    program("debugging.assert_equal", _check, modes=("graph",), weight=2),
    program("strings.format", _format, modes=("graph",), weight=2),
]
