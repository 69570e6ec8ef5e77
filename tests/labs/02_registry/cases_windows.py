"""Lab 02, tasks 13 and 14: where a window fits, and the sizes of convolutions."""

import itertools
from typing import Any

from lab_02_registry.trials import UNKNOWN, Sizes, hidden_in_part, refused_naming

from minitf_lab.judge.case import Call, Mismatch, Trial, case
from minitf_lab.judge.draw import Draw
from minitf_lab.judge.trials import text_of

LARGEST = 2**31 - 1

# ---- 02.13 ----------------------------------------------------------------------------

Row = tuple[int, int, str, int, int, tuple[int, int]]

# Size, taps, stride, places of SAME, zeros before and after: TensorFlow's.
SAME = [
    (5, 3, 1, 5, 1, 1), (5, 3, 2, 3, 1, 1), (7, 2, 3, 3, 0, 1), (4, 2, 3, 2, 0, 1),
    (28, 5, 1, 28, 2, 2), (100, 20, 1, 100, 9, 10), (224, 7, 2, 112, 2, 3),
    (4, 2, 1, 4, 0, 1), (4, 4, 1, 4, 1, 2), (6, 2, 2, 3, 0, 0), (5, 2, 2, 3, 0, 1),
    (1, 3, 1, 1, 1, 1), (2, 3, 2, 1, 0, 1), (3, 1, 2, 2, 0, 0), (8, 2, 4, 2, 0, 0),
    (10, 3, 3, 4, 1, 1), (3, 5, 4, 1, 1, 1), (1, 1, 5, 1, 0, 0), (13, 4, 5, 3, 0, 1),
]  # fmt: skip
# Size, taps, stride, places of VALID.
VALID = [
    (5, 3, 1, 3), (5, 3, 2, 2), (7, 2, 3, 2), (4, 2, 3, 1), (28, 5, 1, 24), (3, 3, 1, 1),
    (3, 3, 7, 1), (224, 7, 2, 109), (100, 20, 1, 81), (6, 1, 4, 2), (1, 1, 1, 1),
]  # fmt: skip


def _places(size: int, reach: int, stride: int) -> int:
    """How often a window fits: at 0, stride, and so on, to where it would stand out."""
    return len(range(0, size - reach + 1, stride))


def _expected(row: Row) -> list[int] | None:
    """Places and zeros by counting; None if the window does not fit once."""
    size, taps, padding, stride, dilation, zeros = row
    if padding == "VALID":
        zeros = (0, 0)
    if UNKNOWN in (size, taps):
        places = UNKNOWN
        if padding == "SAME" and size != UNKNOWN:
            places = len(range(0, size, stride))
        return [places, *zeros]
    reach = len(range(0, (taps - 1) * dilation + 1))
    if padding != "SAME":
        places = _places(size + sum(zeros), reach, stride)
        return [places, *zeros] if places else None
    places = len(range(0, size, stride))
    total = 0
    while _places(size + total, reach, stride) < places:
        total += 1
    return [places, total // 2, total - total // 2]


def _shown(row: Row) -> str:
    size, taps, padding, stride, dilation, zeros = row
    text = f"size {'?' if size == UNKNOWN else size}, {'?' if taps == UNKNOWN else taps} "
    text += f"taps, {padding}{' ' + str(zeros) if padding == 'EXPLICIT' else ''}"
    text += f", stride {stride}"
    return text + (f", dilation {dilation}" if dilation != 1 else "")


def _windows(rows: list[Row], expected: list[list[int] | None] | None = None) -> Trial:
    """Several windows; None for one that must be refused."""
    expected = expected or [_expected(row) for row in rows]

    def check(values: list[Any]) -> Mismatch | None:
        for row, got, one in zip(rows, values[0], expected, strict=True):
            is_error = isinstance(got, dict)
            if one is None and is_error and got["error"] == "InvalidArgumentError":
                continue
            if one is not None and got == one:
                continue
            wanted = "an error"
            if one is not None:
                wanted = f"{one[0]} places, zeros {one[1]} before and {one[2]} after"
            shown = str(got["message"] if is_error else got)
            return Mismatch(f"of {_shown(row)}", expected=wanted, got=shown)
        return None

    title = _shown(rows[0]) + (f" and {len(rows) - 1} more" if len(rows) > 1 else "")
    arguments = {"rows": [list(row) for row in rows]}
    return Trial(title, [Call("windows", arguments)], check)


@case("02.13")
def golden_same(draw):
    """TensorFlow's numbers for SAME: even windows, odd sizes, strides of any size."""
    for size, taps, stride, *expected in SAME:
        row = (size, taps, "SAME", stride, 1, (0, 0))
        assert _expected(row) == expected
        yield _windows([row], [expected])


@case("02.13")
def golden_valid(draw):
    """TensorFlow's numbers for VALID."""
    for size, taps, stride, places in VALID:
        yield _windows([(size, taps, "VALID", stride, 1, (0, 0))], [[places, 0, 0]])


@case("02.13", over=["SAME", "VALID", "EXPLICIT"])
def all_small_windows(draw, padding):
    """All sizes to 9, windows to 5, strides to 4, dilations to 3."""
    for size in range(10):
        rows = itertools.product(
            [size], range(1, 6), [padding], range(1, 5), range(1, 4), [(0, 0)]
        )
        if padding == "EXPLICIT":
            rows = [(*row[:-1], zeros) for row in rows
                    for zeros in [(0, 0), (1, 0), (0, 2), (3, 1)]]  # fmt: skip
        yield _windows(list(rows))


@case("02.13")
def windows_of_what_is_not_known(draw):
    """SAME needs no window to count its places, but it needs the size."""
    for padding, zeros in [("SAME", (0, 0)), ("VALID", (0, 0)), ("EXPLICIT", (1, 2))]:
        for size, taps in [(UNKNOWN, 3), (7, UNKNOWN), (0, UNKNOWN), (UNKNOWN, UNKNOWN),
                           (1, UNKNOWN), (8, UNKNOWN), (2**62, UNKNOWN),
                           (2**63 - 1, UNKNOWN)]:  # fmt: skip
            for stride in (1, 2, 3, LARGEST, 2**62 + 1, 2**63 - 1):
                yield _windows([(size, taps, padding, stride, 1, zeros)])


@case("02.13")
def windows_that_do_not_fit(draw):
    """A window that is larger than the axis with its zeros is refused."""
    for row in [(2, 3, "VALID", 1, 1, (0, 0)), (0, 1, "VALID", 1, 1, (0, 0)),
                (3, 2, "VALID", 1, 3, (0, 0)), (2, 5, "EXPLICIT", 1, 1, (1, 1)),
                (4, 3, "VALID", 9, 2, (0, 0)), (0, 3, "EXPLICIT", 1, 1, (1, 1)),
                (1, 2**40, "SAME", 1, 2**40, (0, 0)),
                (1, 2**60, "SAME", 1, 2, (0, 0)),
                (9, 2**33, "VALID", 1, LARGEST, (0, 0))]:  # fmt: skip
        yield _windows([row], [None])
    for row, expected in [((2, 5, "EXPLICIT", 1, 1, (2, 1)), [1, 2, 1]),
                          ((0, 1, "SAME", 1, 1, (0, 0)), [0, 0, 0]),
                          ((0, 7, "SAME", 3, 2, (0, 0)), [0, 0, 0])]:  # fmt: skip
        yield _windows([row], [expected])


@case("02.13", hidden=True, over=["SAME", "VALID", "EXPLICIT"])
def more_windows(draw, padding):
    """Larger sizes, strides and dilations."""
    for _ in range(40):
        zeros = (0, 0)
        if padding == "EXPLICIT":
            zeros = (draw.whole(0, 9), draw.whole(0, 9))
        yield _windows([
            (draw.whole(0, 300), draw.whole(1, 12), padding, draw.whole(1, 20),
             draw.whole(1, 6), zeros)
            for _ in range(20)
        ])  # fmt: skip


@case("02.13")
def the_longest_windows(draw):
    """A reach of 2^60 is let pass, and one more is not."""
    longest = 2**60
    for taps, dilation, reach in [
        (longest, 1, longest), (longest + 1, 1, longest + 1), (2, longest - 1, longest),
        (2, longest, longest + 1), (3, longest // 2, longest + 1), (1, 2**62, 1),
        (5, longest // 4, longest + 1), (2**30 + 1, 2**30, longest + 1), (1, 1, 1),
        (2**62, 1, 2**62), (2, 2**62, 2**62 + 1), (2**32 + 1, 2**32, 2**64 + 1),
        (2**33, 2**33, 2**66), (2**62, 8, 2**65), (2**62 + 1, 4, 2**64 + 1),
    ]:  # fmt: skip
        for size, stride in [(1, 1), (4, 5)]:
            zeros = max(0, reach - size)
            expected = [1, zeros // 2, zeros - zeros // 2] if reach <= longest else None
            yield _windows([(size, taps, "SAME", stride, dilation, (0, 0))], [expected])


@case("02.13")
def huge_windows(draw):
    """Sizes near 2^60: nothing overflows on the way."""
    huge = 2**59
    for row, expected in [
        ((huge, 3, "VALID", 1, 1, (0, 0)), [huge - 2, 0, 0]),
        ((huge, 3, "SAME", 1, 1, (0, 0)), [huge, 1, 1]),
        ((huge, 2, "SAME", LARGEST, 1, (0, 0)), [-(-huge // LARGEST), 0, 0]),
        ((huge, 2, "SAME", 2, 1, (0, 0)), [huge // 2, 0, 0]),
        ((huge, huge, "VALID", 1, 1, (0, 0)), [1, 0, 0]),
        ((3, LARGEST, "SAME", 1, 2**28, (0, 0)), [3, *[(LARGEST - 1) * 2**27] * 2]),
        ((2**61, 3, "VALID", 1, 1, (0, 0)), None),
        ((7, 3, "EXPLICIT", 1, 1, (LARGEST, LARGEST)), [5 + 2 * LARGEST, *[LARGEST] * 2]),
    ]:  # fmt: skip
        yield _windows([row], [expected])


@case("02.13", over=["SAME", "VALID", "EXPLICIT"])
def huge_strides(draw, padding):
    """A stride may be longer than the axis, and as long as a number can be."""
    zeros = (3, 4) if padding == "EXPLICIT" else (0, 0)
    strides = [LARGEST, 2**59, 2**60, 2**62, 2**63 - 2, 2**63 - 1]
    for size, taps, dilation in [(1, 1, 1), (5, 3, 1), (9, 2, 4), (2**59, 3, 5),
                                 (2**60, 1, 1), (2**60, 2, 7), (0, 2, 1)]:  # fmt: skip
        for stride in strides:
            yield _windows([(size, taps, padding, stride, dilation, zeros)])


# ---- 02.14 ----------------------------------------------------------------------------


def _in_order(data_format: str, n: Any, h: Any, w: Any, c: Any) -> list:
    return [n, h, w, c] if data_format == "NHWC" else [n, c, h, w]


class Conv:
    """A convolution: what is known of its images and filters, and its attributes."""

    def __init__(self, images: Sizes, filters: Sizes, padding: str = "VALID",
                 data_format: str = "NHWC", stride: tuple[int, int] = (1, 1),
                 dilation: tuple[int, int] = (1, 1),
                 zeros: tuple[int, int, int, int] = (0, 0, 0, 0)) -> None:  # fmt: skip
        """``images`` are [n,h,w,c] in any format; ``zeros`` top, bottom, left, right."""
        self.images, self.filters, self.padding = images, filters, padding
        self.data_format, self.stride, self.dilation = data_format, stride, dilation
        self.zeros = zeros

    def arguments(self) -> dict[str, Any]:
        """Of the driver's function."""
        order = self.data_format
        top, bottom, left, right = self.zeros
        pairs = _in_order(order, [0, 0], [top, bottom], [left, right], [0, 0])
        return {
            "x": None if self.images is None else _in_order(order, *self.images),
            "w": self.filters, "format": order, "padding": self.padding,
            "strides": _in_order(order, 1, *self.stride, 1),
            "dilations": _in_order(order, 1, *self.dilation, 1),
            "zeros": [*itertools.chain(*pairs)] if self.padding == "EXPLICIT" else [],
        }  # fmt: skip

    def expected(self) -> dict[str, Any] | None:
        """What must come of it; None if it does not fit."""
        n, h, w, c = self.images or [UNKNOWN] * 4
        r, s, depth, k = self.filters or [UNKNOWN] * 4
        zeros = self.zeros if self.padding == "EXPLICIT" else (0, 0, 0, 0)
        rows, columns = (
            _expected((size, taps, self.padding, self.stride[i], self.dilation[i],
                       zeros[2 * i : 2 * i + 2]))
            for i, (size, taps) in enumerate([(h, r), (w, s)])
        )  # fmt: skip
        groups = 1
        if UNKNOWN not in (c, depth) and c != depth:
            if not c or not depth or c % depth:
                return None
            groups = c // depth
            if k != UNKNOWN and k % groups:
                return None
        if rows is None or columns is None:
            return None
        return {
            "output": _in_order(self.data_format, n, rows[0], columns[0], k),
            "images": [n, h, w, c],
            "zeros": [*rows[1:], *columns[1:]],
            "groups": groups,
        }

    def trial(self, *words: str) -> Trial:
        """It must give what is expected, or be refused with these words."""
        arguments = self.arguments()
        title = (
            f"x {text_of(arguments['x'])} {self.data_format}, w {text_of(self.filters)}"
        )
        title += f", {self.padding}, strides {self.stride}, dilations {self.dilation}"
        if self.padding == "EXPLICIT":
            title += f", zeros {self.zeros}"
        expected = self.expected()
        if expected is None:
            return refused_naming(title, "convolution", arguments, names=list(words))

        def check(values: list[Any]) -> Mismatch | None:
            for part, one in expected.items():
                if values[0][part] != one:
                    got = str(values[0][part])
                    return Mismatch(f"the {part}", expected=str(one), got=got)
            return None

        return Trial(title, [Call("convolution", arguments)], check)


@case("02.14", over=["NHWC", "NCHW"])
def convolutions_by_heart(draw, data_format):
    """Sizes of nets that are known, and one of each padding."""
    for images, filters, padding, stride in [
        ([1, 3, 4, 5], [1, 1, 5, 6], "VALID", (1, 1)),
        ([2, 5, 7, 3], [3, 2, 3, 8], "VALID", (1, 1)),
        ([2, 5, 7, 3], [3, 2, 3, 8], "SAME", (1, 1)),
        ([1, 5, 7, 3], [3, 3, 3, 8], "SAME", (2, 2)),
        ([1, 5, 7, 3], [3, 3, 3, 8], "SAME", (2, 1)),
        ([1, 5, 7, 3], [2, 3, 3, 8], "VALID", (1, 3)),
        ([100, 28, 28, 1], [5, 5, 1, 32], "SAME", (1, 1)),
        ([1, 224, 224, 3], [3, 3, 3, 64], "SAME", (1, 1)),
        ([1, 14, 14, 512], [3, 3, 512, 512], "SAME", (1, 1)),
        ([1, 224, 224, 3], [7, 7, 3, 64], "SAME", (2, 2)),
        ([0, 4, 4, 1], [2, 2, 1, 1], "VALID", (1, 1)),
    ]:
        yield Conv(images, filters, padding, data_format, stride).trial()
    zeros = (1, 2, 3, 4)
    yield Conv([1, 5, 7, 3], [3, 2, 3, 8], "EXPLICIT", data_format, zeros=zeros).trial()
    conv = Conv([1, 5, 9, 3], [2, 3, 3, 8], "SAME", data_format, (1, 2), (3, 2))
    yield conv.trial()


@case("02.14")
def the_layers_of_vgg19(draw):
    """Sixteen convolutions of 3 by 3; a pooling halves the images after each block."""
    channels, size = 3, 224
    for count, filters in [(2, 64), (2, 128), (4, 256), (4, 512), (4, 512)]:
        for _ in range(count):
            images = [UNKNOWN, size, size, channels]
            conv = Conv(images, [3, 3, channels, filters], "SAME")
            assert conv.expected()["output"] == [UNKNOWN, size, size, filters]
            yield conv.trial()
            channels = filters
        yield _windows([(size, 2, "VALID", 2, 1, (0, 0))], [[size // 2, 0, 0]])
        size //= 2


@case("02.14", over=["NHWC", "NCHW"])
def convolutions_known_in_part(draw, data_format):
    """What is not known of images or filters is not known of the result."""
    for padding in ("SAME", "VALID"):
        for i in range(4):
            images, filters = [2, 5, 7, 3], [3, 2, 3, 8]
            images[i] = UNKNOWN
            yield Conv(images, filters, padding, data_format, (2, 1)).trial()
            images, filters = [2, 5, 7, 3], [3, 2, 3, 8]
            filters[i] = UNKNOWN
            yield Conv(images, filters, padding, data_format, (1, 2)).trial()
        yield Conv(None, [3, 2, 3, 8], padding, data_format).trial()
        yield Conv([2, 5, 7, 3], None, padding, data_format).trial()
        yield Conv(None, None, padding, data_format).trial()


@case("02.14")
def groups_of_channels(draw):
    """The depth of the filters divides that of the images, and their number the rest."""
    for c, depth, k in itertools.product((1, 2, 3, 4, 6), (1, 2, 3, 4), (0, 1, 2, 4, 6)):
        for data_format in ("NHWC", "NCHW"):
            conv = Conv([1, 4, 5, c], [2, 2, depth, k], "VALID", data_format)
            differ = (c, depth) if c % depth else (k, c // depth)
            yield conv.trial(*map(str, differ))
    for c, depth in [(4, 3), (3, 0), (0, 3), (2, 4)]:
        conv = Conv([1, 4, 5, c], [2, 2, depth, 8])
        yield conv.trial(str(c), str(depth))
    yield Conv([1, 4, 5, 6], [2, 2, 2, 4]).trial("4", "3")
    yield Conv([1, 4, 5, 6], [2, 2, 2, UNKNOWN]).trial()
    yield Conv([1, 4, 5, 0], [2, 2, 0, 4]).trial()


@case("02.14")
def convolutions_that_do_not_fit(draw):
    """A filter that is larger than the image in one direction only is refused too."""
    images, filters = [1, 2, 9, 3], [3, 1, 3, 1]
    for data_format in ("NHWC", "NCHW"):
        for zeros in [(0, 1, 0, 0), (0, 0, 1, 1)]:
            conv = Conv(images, filters, "EXPLICIT", data_format, zeros=zeros)
            yield conv.trial("larger")
        yield Conv(images, filters, "VALID", data_format).trial("larger")
        yield Conv([1, 9, 2, 3], [1, 3, 3, 1], "VALID", data_format).trial("larger")
        yield Conv([1, 2, 2, 9], [3, 3, 9, 1], "VALID", data_format).trial("larger")


def _random_conv(draw: Draw) -> Conv:
    """All sizes, attributes and formats by chance."""
    groups = draw.one_of([1, 1, 1, 2, 3])
    depth = draw.whole(1, 4)
    images = [draw.whole(0, 3), draw.whole(4, 20), draw.whole(4, 20), depth * groups]
    filters = [draw.whole(1, 5), draw.whole(1, 5), depth, groups * draw.whole(1, 3)]
    if draw.coin(0.1):
        filters[draw.whole(2, 3)] += 1
    return Conv(
        hidden_in_part(draw, tuple(images), draw.one_of([0, 0, 0.2])),
        hidden_in_part(draw, tuple(filters), draw.one_of([0, 0, 0.2])),
        draw.one_of(["SAME", "VALID", "EXPLICIT"]), draw.one_of(["NHWC", "NCHW"]),
        (draw.whole(1, 4), draw.whole(1, 4)), (draw.whole(1, 3), draw.whole(1, 3)),
        tuple(draw.whole(0, 4) for _ in range(4)),
    )  # fmt: skip


@case("02.14")
def random_convolutions(draw):
    """Any convolution."""
    for _ in range(150):
        yield _random_conv(draw).trial()


@case("02.14", hidden=True, over=range(2))
def more_random_convolutions(draw, _part):
    """Other convolutions."""
    for _ in range(150):
        yield _random_conv(draw).trial()
