"""Image files: random GIF and BMP files, most of them odd, some of them wrong."""

import struct

from draw import Draw
from programs import in_graph, program


def _palette(draw: Draw) -> tuple[int, bytes]:
    """The bits of a table of colors in a GIF, and the table."""
    bits = draw.pick.randint(0, 2)
    return bits, bytes(draw.pick.randrange(256) for _ in range(3 * (2 << bits)))


def _codes(numbers: list[int]) -> bytes:
    """Pixels below 4 as LZW codes of three bits; 4 clears the table, 5 ends."""
    codes = [code for number in numbers for code in (4, number)] + [5]
    bits = sum(code << 3 * i for i, code in enumerate(codes))
    data = bits.to_bytes((3 * len(codes) + 7) // 8, "little")
    return b"\2" + bytes([len(data)]) + data + b"\0"


def _frame(draw: Draw) -> bytes:
    pick = draw.pick
    data = b""
    if draw.chance(0.4):
        flags = pick.randrange(4) << 2 | pick.randrange(
            2
        )  # disposal; is one transparent?
        data += bytes([0x21, 0xF9, 4, flags, 0, 0, pick.randrange(4), 0])
    if draw.chance(0.1):
        data += b"\x21\xfe\x02hi\x00"
    left, top = (pick.choice((0, 0, 0, 1, 2, 7)) for _ in range(2))
    width, height = pick.randint(1, 5), pick.randint(1, 6)
    flags = 0x40 if draw.chance(0.3) else 0
    colors = b""
    if draw.chance(0.3):
        bits, colors = _palette(draw)
        flags |= 0x80 | bits
    data += b"," + struct.pack("<HHHHB", left, top, width, height, flags) + colors
    most = 3 if draw.chance(0.6) else 1
    return data + _codes([pick.randint(0, most) for _ in range(width * height)])


def gif(draw: Draw) -> bytes:
    """A GIF file whose screen has any size, also 0, and whose pictures lie anywhere."""
    pick = draw.pick
    width, height = pick.randint(0, 7), pick.randint(0, 7)
    has_colors = draw.chance(0.95)
    bits, colors = _palette(draw)
    file = b"GIF8" + pick.choice((b"7", b"9")) + b"a"
    file += struct.pack("<HHBBB", width, height, (0x80 if has_colors else 0) | bits, 0, 0)
    file += colors if has_colors else b""
    file += b"".join(_frame(draw) for _ in range(pick.choice((0, 1, 1, 2, 3))))
    return file + b";"


_MASKS = (0xFF0000, 0xFF00, 0xFF, 0xFF000000)


def bmp(draw: Draw) -> bytes:
    """A BMP file of any header, with masks of the colors or without."""
    pick = draw.pick
    bits = pick.choice((8, 24, 32, 32, 32, 1, 4, 16))
    compression = pick.choice((0, 3, 6)) if bits == 32 else 0
    header_bytes = pick.choice((40, 52, 56, 108, 124))
    width, height = pick.randint(1, 5), pick.randint(1, 4)
    row = (width * bits + 31) // 32 * 4
    pixels = bytes(pick.randrange(256) for _ in range(row * height))
    masks = b"".join(struct.pack("<I", mask) for mask in _MASKS)
    header = struct.pack("<iiHHIIiiII", width, height * pick.choice((1, 1, -1)), 1, bits,
                         compression, len(pixels), 2835, 2835, 0, 0)  # fmt: skip
    header = (header + masks).ljust(max(header_bytes, 56) - 4, b"\0")
    header = struct.pack("<I", header_bytes) + header
    gap = bytes(pick.choice((0, 0, 0, 3)))
    start = 14 + len(header) + len(gap)
    if draw.chance(0.1):
        pixels = pixels[: -pick.randint(4, len(pixels))]  # more than a gap
    size = start + len(pixels)
    return b"BM" + struct.pack("<IHHI", size, 0, 0, start) + header + gap + pixels


def _gif(draw: Draw) -> str:
    name = draw.pick.choice(("decode_gif", "decode_gif", "decode_image"))
    return in_graph(
        [f'show("pixels", session.run(tf.image.{name}({gif(draw)!r})))'],
    )


def _bmp(draw: Draw) -> str:
    name = draw.pick.choice(("decode_bmp", "decode_bmp", "decode_image"))
    # 1.15 refuses channels that the file does not have; 2.21 converts.
    channels = draw.pick.choice(("", "", ", channels=0"))
    return in_graph(
        [f'show("pixels", session.run(tf.image.{name}({bmp(draw)!r}{channels})))'],
    )


ENTRIES = [
    program("image.decode_gif", _gif, modes=("graph",), weight=3),
    program("image.decode_bmp", _bmp, modes=("graph",), weight=3),
]
