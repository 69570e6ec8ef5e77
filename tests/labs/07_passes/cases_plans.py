"""Lab 07, tasks 14 and 15: plans of memory, and what no plan goes below."""

from typing import Any

from lab_07_passes.trials import refused

from minitf_lab.judge.case import Call, Mismatch, Trial, case
from minitf_lab.judge.draw import Draw

Life = tuple[int, int, int]

# ---- Plans ----------------------------------------------------------------------------


def _aligned(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment


def _meet(one: Life, other: Life) -> bool:
    return one[1] <= other[2] and other[1] <= one[2]


def peak_of(lives: list[Life], alignment: int) -> int:
    """The most bytes at one time, time by time."""
    times = {first for _, first, _ in lives}
    return max(
        (
            sum(_aligned(s, alignment) for s, first, last in lives if first <= t <= last)
            for t in times
        ),
        default=0,
    )


def best_of(lives: list[Life], limit: int) -> int:
    """The smallest arena, by trying all orders in which boxes can be put down."""
    best, bound = limit, peak_of(lives, 1)
    offsets: dict[int, int] = {}

    def lowest(i: int) -> int:
        below = [
            (offsets[j], offsets[j] + lives[j][0]) for j in offsets
            if _meet(lives[i], lives[j])
        ]  # fmt: skip
        at = 0
        for begin, end in sorted(below):
            if begin < at + lives[i][0] and at < end:
                at = end
        return at

    def put(height: int) -> None:
        nonlocal best
        if height >= best or best == bound:
            return
        if len(offsets) == len(lives):
            best = height
            return
        for i in range(len(lives)):
            if i not in offsets:
                at = lowest(i)
                offsets[i] = at
                put(max(height, at + lives[i][0]))
                del offsets[i]

    put(0)
    return best


def plan_trial(lives: list[Life], alignment: int, *, size: int | None = None) -> Trial:
    """A plan in which nothing touches; within 15 % of the best for few buffers."""

    def check(values: list[Any]) -> Mismatch | str | None:
        offsets, got = values[0]["offsets"], values[0]["size"]
        if len(offsets) != len(lives):
            return f"there are {len(offsets)} offsets for {len(lives)} buffers"
        for i, (offset, life) in enumerate(zip(offsets, lives, strict=True)):
            if offset < 0 or offset % alignment:
                return f"buffer {i} starts at {offset}, no multiple of {alignment}"
            if offset + life[0] > got:
                return f"buffer {i} ends at {offset + life[0]}, beyond the {got} bytes"
            for j in range(i):
                if (
                    _meet(life, lives[j])
                    and offset < offsets[j] + lives[j][0]
                    and offsets[j] < offset + life[0]
                ):
                    return (
                        f"buffers {j} and {i} live at one time and touch: they start "
                        f"at {offsets[j]} and {offset}"
                    )
        if size is not None and got != size:
            return Mismatch("the size of it all", expected=str(size), got=str(got))
        peak = peak_of(lives, alignment)
        if len(lives) > 9 or got <= 1.15 * peak:
            is_small = got <= 1.5 * peak
            return None if is_small else f"{got} bytes for a peak of {peak}"
        rounded = [(_aligned(s, alignment), first, last) for s, first, last in lives]
        best = best_of(rounded, got + 1)
        if got <= 1.15 * best:
            return None
        return Mismatch("more than 1.15 times the best", expected=f"{best}", got=f"{got}")

    shown = ", ".join(f"{s} from {first} to {last}" for s, first, last in lives[:12])
    more = f" and {len(lives) - 12} more" if len(lives) > 12 else ""
    title = f"buffers of {shown}{more}; alignment {alignment}"
    return Trial(title, [Call("plan", {"buffers": lives, "alignment": alignment})], check)


def random_lives(draw: Draw, count: int, times: int) -> list[Life]:
    """Sizes large and small, and 0 now and then."""
    lives = []
    for _ in range(count):
        first = draw.whole(0, times - 1)
        last = draw.whole(first, times - 1)
        size = draw.whole(0, draw.one_of([3, 10, 1000]))
        lives.append((size, first, last))
    return lives


# ---- 07.14 ----------------------------------------------------------------------------


@case("07.14")
def plans_by_heart(draw):
    """Chains, steps that only meet, gaps that fit just so, sizes of 0."""
    for lives, alignment, size in [
        ([], 1, 0),
        ([(5, 0, 0)], 1, 5),
        ([(5, 0, 0)], 64, 64),
        ([(100, 0, 1), (60, 1, 2), (100, 2, 3)], 1, 160),
        ([(8, 0, 1), (8, 1, 2)], 1, 16),
        ([(8, 0, 0), (8, 1, 2)], 1, 8),
        ([(0, 0, 5), (0, 1, 2)], 64, 0),
        ([(10, 0, 9), (20, 0, 3), (20, 4, 9), (5, 0, 9)], 1, 35),
        ([(1, 0, 9)] * 5, 64, 320),
        ([(64, 0, 1), (65, 1, 2)], 64, 192),
        ([(30, 0, 1), (10, 0, 4), (30, 2, 4), (15, 2, 2), (15, 3, 4)], 1, 55),
    ]:
        yield plan_trial(lives, alignment, size=size)
    # Of two gaps of 10 and 4, a buffer of 4 fills the second.
    lives = [(10, 0, 1), (6, 0, 9), (4, 0, 1), (6, 0, 9), (4, 2, 9), (10, 2, 9)]
    yield plan_trial(lives, 1, size=26)


@case("07.14")
def chains_of_layers(draw):
    """A hundred layers, one after the other, need the memory of two."""
    for count in (2, 10, 100):
        lives = [(64, i, i + 1) for i in range(count)]
        yield plan_trial(lives, 64, size=128)
        lives = [(64 * (1 + i % 2), i, i + 1) for i in range(count)]
        yield plan_trial(lives, 64, size=192)
        skips = [(64, i, i + 1) for i in range(count)] + [(64, 0, count)]
        yield plan_trial(skips, 64, size=192)


@case("07.14", over=(1, 8, 64))
def plans_of_few_buffers(draw, alignment):
    """Up to 9 buffers need at most 1.15 times the memory of the best plan."""
    for i in range(120):
        lives = random_lives(draw, 1 + i * 9 // 120, draw.whole(2, 10))
        yield plan_trial(lives, alignment)


@case("07.14")
def plans_of_many_buffers(draw):
    """Buffers that live at the same time never touch, however many there are."""
    for count in (10, 30, 63, 64, 65, 120, 200):
        for times in (4, 20, 100):
            yield plan_trial(random_lives(draw, count, times), draw.one_of([1, 16, 64]))


@case("07.14")
def plans_of_large_buffers(draw):
    """Sizes may be as large as memory is, and times as late as there are steps."""
    for power in (20, 31, 40, 59):
        lives = [(1 << power, 0, 1), ((1 << power) + 1, 1, 2), (3, 2, 3)]
        yield plan_trial(lives, 1, size=(2 << power) + 1)
    late = 2**31 - 1
    yield plan_trial([(8, 0, late), (8, late, late), (8, late - 1, late - 1)], 1, size=16)
    yield plan_trial([(8, -5, -1), (8, 0, 3), (4, -1, 0)], 1, size=12)


@case("07.14", hidden=True, over=(1, 16))
def more_plans_of_few_buffers(draw, alignment):
    """Other sets of up to 9 buffers."""
    for i in range(200):
        lives = random_lives(draw, 2 + i * 8 // 200, draw.whole(2, 12))
        yield plan_trial(lives, alignment)


@case("07.14", hidden=True)
def more_plans_of_many_buffers(draw):
    """Other sets of many."""
    for _ in range(40):
        lives = random_lives(draw, draw.whole(10, 150), draw.whole(2, 60))
        yield plan_trial(lives, draw.one_of([1, 4, 128]))


# ---- 07.15 ----------------------------------------------------------------------------


def _peak_trial(lives: list[Life], alignment: int) -> Trial:
    expected = peak_of(lives, alignment)

    def check(values: list[Any]) -> Mismatch | None:
        if values[0] == expected:
            return None
        return Mismatch("the peak", expected=str(expected), got=str(values[0]))

    shown = ", ".join(f"{s} from {first} to {last}" for s, first, last in lives[:12])
    title = f"the peak of {shown}; alignment {alignment}"
    return Trial(title, [Call("peak", {"buffers": lives, "alignment": alignment})], check)


@case("07.15")
def peaks_by_heart(draw):
    """Both ends of a life count, and what has ended does not."""
    late = 2**31 - 1
    for lives in [
        [], [(5, 3, 3)], [(5, 0, 1), (7, 1, 2)], [(5, 0, 1), (7, 2, 2)],
        [(5, 0, 0), (7, 0, 0)], [(0, 0, 9)], [(1, 0, 9), (2, 1, 8), (4, 2, 7), (8, 8, 8)],
        [(3, 5, 9), (4, 0, 5)], [(3, 0, late), (4, late, late)],
        [(3, -4, -2), (5, -2, 0)],
        [(2**40, 0, 1), (2**41, 1, 2), (2**40, 2, 3)], [(9, 0, 2), (1, 3, 4), (9, 5, 6)],
    ]:  # fmt: skip
        for alignment in (1, 8, 64, 3):
            yield _peak_trial(lives, alignment)


@case("07.15", over=range(2))
def peaks_of_many(draw, _part):
    """The peak of any lives, in any order."""
    for i in range(100):
        lives = random_lives(draw, i // 2, draw.whole(1, 30))
        yield _peak_trial(lives, draw.one_of([1, 2, 64]))


@case("07.15")
def buffers_that_make_no_sense(draw):
    """A size below 0, a life that ends before it begins, and more than there can be."""
    total = "the sizes of all buffers add up to more than 2^62"
    for at in range(3):
        for wrong, text in [
            ((-1, 0, 0), "a buffer has size -1"),
            ((-(2**62), 0, 3), f"a buffer has size {-(2**62)}"),
            ((1, 3, 2), "a buffer lives from 3 to 2"),
            ((0, 0, -1), "a buffer lives from 0 to -1"),
            ((2**62, 0, 1), total),
            ((2**63 - 1, 0, 1), total),
            ((2**62 - 50, 0, 1), total),
        ]:
            lives: list[Life] = [(8, 0, 1), (70, 2, 5)]
            lives.insert(at, wrong)
            arguments = {"buffers": lives, "alignment": 64}
            yield refused(f"a plan of {lives}", "plan", arguments, text)
    for count, power in [(2, 61), (4, 60), (16, 58)]:
        many = [(1 << power, i, i) for i in range(count)]
        arguments = {"buffers": many, "alignment": 1}
        yield refused(f"{count} buffers of 2^{power}", "plan", arguments, total)
    # Sums that go round 64 bits, to below 0 and to little more; sizes that only when
    # rounded up are too much.
    for size, count, alignment in [
        (2**62 - 64, 4, 64), (2**62, 4, 1), (2**62 + 16, 4, 8), (2**61, 8, 64),
        (2**63 - 1, 2, 1), (2**60, 2, 2**61), (1, 2, 2**61), (1, 1, 2**63 - 1),
        (2**62 - 63, 1, 64), (2**61 - 63, 2, 64),
    ]:  # fmt: skip
        arguments = {"buffers": [(size, 0, 0)] * count, "alignment": alignment}
        title = f"{count} buffers of {size}, alignment {alignment}"
        yield refused(title, "plan", arguments, total)
    for alignment in (0, -8):
        arguments = {"buffers": [(8, 0, 1)], "alignment": alignment}
        text = f"alignment is {alignment}"
        yield refused(f"alignment {alignment}", "plan", arguments, text)
    yield plan_trial([(2**61 - 64, 0, 1), (2**61 - 128, 0, 1)], 1)
    yield plan_trial([(0, 0, 0), (1, -3, -3), (2**62 - 9, 1, 1)], 1, size=2**62 - 9)
    # The largest sums that there may be.
    yield plan_trial([(2**62 - 64, 0, 1)], 64, size=2**62 - 64)
    yield plan_trial([(2**61, 0, 0), (2**61 - 127, 1, 1)], 64, size=2**61)
    yield plan_trial([(0, 0, 0), (0, 1, 2)], 2**63 - 1, size=0)


@case("07.15", hidden=True, over=range(2))
def more_peaks_of_many(draw, _part):
    """The peak of other lives."""
    for i in range(200):
        lives = random_lives(draw, i // 2, draw.whole(1, 60))
        yield _peak_trial(lives, draw.one_of([1, 5, 64]))
