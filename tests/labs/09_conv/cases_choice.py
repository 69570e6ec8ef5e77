"""Lab 09: which tiers can compute what, and which one is chosen."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import product

from lab_common.convolution import Geometry, geometry

from minitf_lab.judge.case import Call, Mismatch, Raised, Trial, case
from minitf_lab.judge.draw import Draw
from minitf_lab.judge.trials import refused

TIERS = ("naive", "eigen", "im2col", "implicit", "direct", "winograd")
FORWARD, INPUT, FILTERS = range(3)
PARTS = ("the convolution", "the gradient of x", "the gradient of w")


def can(tier: str, part: int, g: Geometry) -> bool:
    """The handout's table."""
    steps = (g.stride_h, g.stride_w)
    gaps = (g.dilation_h, g.dilation_w)
    far_down = (g.r - 1) * g.dilation_h > 2 * g.h + 64
    far_right = (g.s - 1) * g.dilation_w > 2 * g.w + 64
    has_winograd = g.groups == 1 and part != FILTERS and (*steps, *gaps) == (1, 1, 1, 1)
    return {
        "naive": True,
        "eigen": g.groups == 1 and part == FORWARD,
        "im2col": g.groups == 1,
        "implicit": g.groups == 1 and part == FORWARD,
        "direct": g.groups == 1
        and not far_down
        and not far_right
        and (part != INPUT or steps == (1, 1)),
        "winograd": has_winograd and (g.r, g.s) == (3, 3),
        "winograd5x5": has_winograd and (g.r, g.s) == (5, 5),
    }[tier]


def fastest(part: int, g: Geometry) -> str:
    """The handout's list, and before it what stands above the region."""
    if not can("im2col", part, g):
        return "naive"
    p, q = g.y[1:3] if part == FORWARD else g.x[1:3]
    is_large = g.c >= 32 and g.k >= 32 and g.n * -(-p // 2) * -(-q // 2) >= 64
    if is_large and can("winograd5x5", part, g):
        return "winograd5x5"
    if g.c >= 32 and g.k >= 32 and can("winograd", part, g):
        return "winograd"
    if (part != INPUT or g.c >= 8) and can("direct", part, g):
        return "direct"
    return "im2col"


def _choice_trial(asked: str, usual: str, part: int, g: Geometry) -> Trial:
    arguments = {"asked": asked, "usual": usual, "part": part, "geometry": asdict(g)}
    title = f"{PARTS[part]}, {g.text()}"
    title += f', "{asked}" is asked for' if asked else ""
    title += f', "{usual}" is the usual one' if usual else ""
    if asked and not can(asked, part, g):
        return refused(title, "choice", arguments, names=[asked])
    expected = asked
    if not asked:
        expected = usual if usual and can(usual, part, g) else fastest(part, g)

    def check(values):
        got = values[0]
        if isinstance(got, Raised):
            return f"it raised {got.type}: {got.message}, expected {expected}"
        return None if got == expected else Mismatch("the tier", "", expected, str(got))

    return Trial(title, [Call("choice", arguments, may_raise=True)], check)


def _plain(c: int = 4, k: int = 4, r: int = 3, s: int = 3, groups: int = 1) -> Geometry:
    return geometry((1, 8, 9, c), (r, s, c // groups, k), padding="SAME")


def _variants(g: Geometry) -> Iterator[Geometry]:
    """One number at a time is another."""
    yield g
    for change in (
        {"r": 1}, {"s": 1}, {"r": 5}, {"s": 5}, {"r": 2, "s": 4}, {"r": 1, "s": 9},
        {"r": 9, "s": 1}, {"n": 0}, {"h": 0, "p": 0}, {"w": 0, "q": 0},
        {"p": 1, "q": 1, "h": 3, "w": 3, "pad_top": 0, "pad_left": 0},
        {"p": 12, "pad_top": 4}, {"q": 20, "pad_left": 9}, {"pad_top": -1},
        {"stride_h": 2**32, "stride_w": 2**32},
        {"stride_h": 2}, {"stride_w": 2}, {"stride_h": 3, "stride_w": 3},
        {"dilation_h": 2}, {"dilation_w": 2},
    ):  # fmt: skip
        yield replace(g, **change)


def _far(part: int) -> Iterator[Geometry]:
    """Filters that reach as far as is allowed, and farther, down and to the right."""
    for h, w in [(8, 9), (1, 3), (40, 2)]:
        g = geometry((1, h, w, 40), (3, 3, 40, 40), padding="SAME")
        for taps in (2, 3, 5):
            down, right = (
                [(2 * size + 64) // (taps - 1) + i for i in (-1, 0, 1)] for size in (h, w)
            )
            yield from (replace(g, r=taps, dilation_h=gap) for gap in down)
            yield from (replace(g, s=taps, dilation_w=gap) for gap in right)
        yield replace(g, r=2 * h + 65, s=1)
        yield replace(g, r=2 * h + 66, s=1)
        yield replace(g, r=1, s=2 * w + 65)
        yield replace(g, r=1, s=2 * w + 66)
    # Twice as many rows or columns do not fit 32 bits.
    g = geometry((1, 4, 5, 40), (3, 3, 40, 40), padding="SAME")
    for size in (2**30, 2**31, 2**33):
        for gap in (10, 100, size, size + 32, size + 33):
            yield replace(g, h=size, dilation_h=gap)
            yield replace(g, w=size, dilation_w=gap)


# ---- 09.12: what a tier cannot --------------------------------------------------------


@case("09.12", over=TIERS)
def asked_for(draw, tier):
    """A tier that is asked for computes it, or says that it cannot."""
    for part in range(3):
        for g in _variants(_plain()):
            yield _choice_trial(tier, "", part, g)
        for groups in (2, 4):
            yield _choice_trial(tier, "", part, _plain(groups=groups))


@case("09.12")
def far_filters(draw):
    """The direct tier copies what lies between the taps: not if that is far too much."""
    for part in range(3):
        for g in _far(part):
            yield _choice_trial("direct", "", part, g)


@case("09.12")
def far_filters_elsewhere(draw):
    """Others do not mind how far a filter reaches."""
    for tier in TIERS[:4]:
        for g in _far(FORWARD):
            yield _choice_trial(tier, "", FORWARD, g)


def _any_geometry(draw: Draw) -> Geometry:
    groups = draw.one_of([1, 1, 1, 2])
    sizes = (1, 3, 7, 8, 31, 32, 33)
    g = geometry(
        (1, draw.whole(1, 9), draw.whole(1, 9), draw.one_of(sizes) * groups),
        (3, 3, 1, 1),
        padding="SAME",
    )
    c = g.c
    return replace(
        g,
        groups=groups,
        c=c,
        k=draw.one_of(sizes) * groups,
        r=draw.one_of([1, 3, 3, 3, 5]),
        s=draw.one_of([1, 3, 3, 3, 5]),
        stride_h=draw.one_of([1, 1, 1, 2]),
        stride_w=draw.one_of([1, 1, 1, 2]),
        dilation_h=draw.one_of([1, 1, 1, 2, 20]),
        dilation_w=draw.one_of([1, 1, 1, 2, 20]),
    )


@case("09.12", hidden=True)
def more_asked_for(draw):
    """Other convolutions."""
    for _ in range(150):
        g = _any_geometry(draw)
        yield _choice_trial(draw.one_of(TIERS), "", draw.whole(0, 2), g)


# ---- 09.13: the choice ----------------------------------------------------------------


@case("09.13")
def fastest_ones(draw):
    """Winograd from 32 channels and filters on, then direct, then im2col."""
    sizes = (1, 7, 8, 31, 32, 33, 1024)
    for part, c, k in product(range(3), sizes, sizes):
        yield _choice_trial("", "", part, _plain(c, k))


@case("09.13")
def what_decides(draw):
    """Strides, dilations and other filters leave Winograd out; groups all but naive."""
    for part in range(3):
        for g in _variants(_plain(40, 40)):
            yield _choice_trial("", "", part, g)
        for g in _variants(_plain(4, 40)):
            yield _choice_trial("", "", part, g)
        yield _choice_trial("", "", part, _plain(64, 64, groups=2))
        for g in _far(part):
            yield _choice_trial("", "", part, g)


@case("09.13")
def usual_ones(draw):
    """MINITF_CONV names a tier, which computes what it can."""
    for tier, part in product(TIERS, range(3)):
        for g in [_plain(), _plain(40, 40), _plain(40, 40, 5, 5), _plain(groups=2),
                  replace(_plain(40, 40), stride_h=2)]:  # fmt: skip
            yield _choice_trial("", tier, part, g)


@case("09.13")
def asked_and_usual(draw):
    """What is asked for goes before what is usual, and never gives way."""
    for asked, usual in product(TIERS, (*TIERS, "fast")):
        for part in (FORWARD, FILTERS):
            yield _choice_trial(asked, usual, part, _plain())
            yield _choice_trial(asked, usual, part, _plain(groups=2))


@case("09.13")
def unknown_tiers(draw):
    """No tier is called so."""
    for name in ("fast", "Naive", "im2co", "winograd "):
        arguments = {"part": 0, "geometry": asdict(_plain())}
        yield refused(
            f'"{name}" is asked for', "choice",
            {"asked": name, "usual": "", **arguments}, names=[name],
        )  # fmt: skip
        yield refused(
            f'"{name}" is the usual one', "choice",
            {"asked": "", "usual": name, **arguments}, names=[name],
        )  # fmt: skip


@case("09.13", hidden=True)
def more_choices(draw):
    """Other convolutions."""
    for _ in range(200):
        g = _any_geometry(draw)
        asked = draw.one_of(["", "", *TIERS])
        usual = draw.one_of(["", "", *TIERS])
        yield _choice_trial(asked, usual, draw.whole(0, 2), g)
