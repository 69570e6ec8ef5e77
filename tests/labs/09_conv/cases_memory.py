"""Lab 09: what tiers keep from call to call, and how much memory they use."""

from dataclasses import asdict
from typing import Any

import numpy as np
from lab_09_conv.trials import (
    Geometry,
    Wrong,
    bound_of,
    draw_geometry,
    for_tiers,
    formula,
    geometry,
    growing,
    near,
    numbers,
    one_call,
    options_of,
)

from minitf_lab.judge.case import Mismatch

KB = 1000


def _memory_trial(
    draw, tier: str, g: Geometry, most: int, most_rows: int | None = None
) -> Any:
    x, w = numbers(draw, g, "float32")
    expected = 3 * formula(g, x, w) + np.arange(g.k)
    bound = 4 * bound_of(tier, g, x, w) + 1e-5 * (1 + g.k)
    all_patches = g.n * g.places * g.patch_size * 4

    def check(got: Any) -> Wrong:
        if wrong := near(got["y"], expected, bound):
            return wrong
        if got["bytes"] > most:
            return Mismatch(
                "it uses too much memory beside x, w and y",
                expected=f"at most {most // KB} kB",
                got=f"{got['bytes'] // KB} kB",
            )
        if most_rows is not None and got["rows"] > most_rows:
            return Mismatch(
                "rows_done gets too many rows at once",
                expected=f"at most {most_rows}, one block",
                got=str(got["rows"]),
            )
        return None

    title = f"{tier}, 1 thread, {g.text()}; all patches would be {all_patches // KB} kB"
    arguments = {"tier": tier, "geometry": asdict(g), "x": x, "w": w}
    return one_call(title, "conv_memory", arguments, check)


@for_tiers("im2col", "direct")
def memory(draw, tier):
    """What is gathered or copied at a time has a bound, however large the images are."""
    for x_shape, w_shape in [
        ((2, 60, 60, 8), (5, 5, 8, 4)),
        ((1, 80, 90, 16), (3, 3, 16, 8)),
        ((6, 40, 40, 3), (7, 7, 3, 16)),
    ]:
        g = geometry(x_shape, w_shape, padding="SAME")
        # What is gathered or copied, and the filters in slivers.
        filters = g.patch_size * 64 * 4
        rows = 400 * KB // (g.patch_size * 4) if tier == "im2col" else None
        yield _memory_trial(draw, tier, g, 500 * KB + filters + 200 * KB, rows)


@for_tiers("im2col")
def memory_of_pixels(draw, tier):
    """A 1x1 filter at stride 1 gathers nothing."""
    for x_shape, k in [((2, 40, 40, 64), 8), ((1, 90, 50, 32), 16)]:
        g = geometry(x_shape, (1, 1, x_shape[3], k))
        yield _memory_trial(draw, tier, g, 100 * KB)


@for_tiers("im2col", "implicit", "direct", "winograd")
def memory_of_what_is_given_up(draw, tier):
    """Work that is given up gives its memory back."""
    taps = (3, 3) if tier == "winograd" else (3, 2)
    for x_shape, k in [((3, 50, 60, 16), 20), ((2, 90, 80, 8), 9)]:
        g = geometry(x_shape, (*taps, x_shape[3], k), padding="SAME")
        x, w = numbers(draw, g, "float32")

        def check(left: Any) -> Wrong:
            if left < 10 * KB:
                return None
            return Mismatch(
                "memory is not given back", expected="none", got=f"{left // KB} kB"
            )

        arguments = {"tier": tier, "geometry": asdict(g), "x": x, "w": w}
        title = f"{tier}, given up three times, {g.text()}"
        yield one_call(title, "bytes_left", arguments, check)


@for_tiers()
def other_numbers_in_the_same_place(draw, tier):
    """Nothing is kept from one convolution for the next one."""
    options = options_of(tier)
    for g in growing(draw, 12, lambda size: draw_geometry(draw, size, **options)):
        first, second = (numbers(draw, g, "float32") for _ in range(2))
        expected, bound = formula(g, *second), bound_of(tier, g, *second)
        arguments = {
            "tier": tier, "geometry": asdict(g), "first_x": first[0],
            "first_w": first[1], "x": second[0], "w": second[1],
        }  # fmt: skip
        yield one_call(
            f"{tier}, where another convolution was made: {g.text()}", "conv_again",
            arguments,
            lambda got, expected=expected, bound=bound: near(got, expected, bound),
        )  # fmt: skip
