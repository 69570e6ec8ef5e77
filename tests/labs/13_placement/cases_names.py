"""Lab 13, tasks 1 and 2: names of devices, in full and in part."""

import itertools

from lab_13_placement.trials import (
    agree,
    covers,
    list_trial,
    merged,
    parts_of,
    text_of,
)

from minitf_lab.judge.case import Call, Mismatch, Trial, case
from minitf_lab.judge.draw import Draw

GOOD = [
    "", "/", "/job:ps", "/job:a_1B", "/replica:0", "/task:7", "/device:GPU:1", "/gpu:0",
    "/cpu:0", "/cpu", "/gpu", "/device:GPU", "/device:CPU:*", "/gpu:*", "/job:*",
    "/task:*", "/replica:*", "/device:*", "/device:*:*", "/device:*:3", "gpu:0",
    "cpu:1", "gpu", "cpu", "device:GPU:1", "device:gpu", "GPU:12", "Cpu", "/GPU:1",
    "/JOB:ps/TASK:3", "/Device:Gpu:2", "/job:ps/replica:1/task:2/device:GPU:3",
    "/job:ps/replica:1/task:2/gpu:3", "/task:2/job:ps", "/gpu:1/job:ps",
    "/device:XLA_CPU:0", "/device:_x:0", "/task:2147483647", "/task:007",
    "/job:ps/job:worker", "/gpu:1/cpu:0", "/gpu:1/cpu", "/task:1/task:*",
    "/gpu:1/device:*:0", "/gpu:1/device:*", "/job:ps/job:*", "/replica:1/replica:*",
    "/device:*:2/gpu", "/cpu:1/job:ps/device:_t:2",
]  # fmt: skip
BAD = [
    "ps", "job:ps", "task:0", "/job", "/job:", "/job:1ps", "/job:_ps", "/job:p-s",
    "/task:", "/task:-1", "/task:1x", "/task:x", "/task:2147483648",
    "/task:99999999999999999999", "/device", "/device:", "/device::0", "/device:1",
    "/gpu:", "/gpu:x", "/gpu:-1", "/gpu:+1", "/tpu:0", "tpu:0", "/gpu:0/", "gpu:0/",
    "//gpu:0", "/gpu:0//cpu:0", " gpu:0", "gpu:0 ", "gpu 0", "gpu0", "/gpu:0:1",
    "gpu:0/job:ps", "/job:ps gpu:0", "*", "/*", "/job:ps*", "/replica:*1",
    "/device:GPU:1:2", "gpus:0", "/device:GP U:0", "/job:ps/", "/\u00e9:0",
]  # fmt: skip


def _parsed(texts: list[str]) -> Trial:
    def check(values: list) -> Mismatch | str | None:
        for text, got in zip(texts, values[0], strict=True):
            wanted = parts_of(text)
            if wanted is None:
                if not isinstance(got, str):
                    return f"{text!r} is read as {got}, and is no name of a device"
                if f"'{text}'" not in got or "InvalidArgument" not in got:
                    return Mismatch(f"the error for {text!r} does not name it", got=got)
            elif got != wanted:
                return Mismatch(
                    f"{text!r} is read wrong: job, replica, task, type, index",
                    expected=str(wanted),
                    got=str(got),
                )
        return None

    return Trial(
        f"reading {', '.join(map(repr, texts[:5]))}",
        [Call("parse", {"texts": texts})],
        check,
    )


def _random_text(draw: Draw) -> str:
    """A name, or nearly one."""
    pieces = [
        draw.one_of(["job:ps", "job:*", "job:w_2", "JOB:x"]),
        f"replica:{draw.one_of(['0', '12', '*'])}",
        f"task:{draw.one_of(['0', '3', '*', '45'])}",
        draw.one_of(
            ["gpu:1", "cpu:0", "device:GPU:2", "device:TPU:*", "cpu", "device:*:1"]
        ),
    ]
    pieces.append(draw.one_of([*pieces, "device:*", "gpu", "device:*:7", "job:*"]))
    chosen = draw.shuffled(pieces)[: draw.whole(0, 5)]
    text = "".join(f"/{piece}" for piece in chosen)
    if draw.coin(0.3) and text:
        at = draw.whole(0, len(text) - 1)
        text = (
            text[:at] + draw.one_of(["", ":", "/", "x", "1", "*", " "]) + text[at + 1 :]
        )
    return text


@case("13.1")
def good_names(draw):
    """Any part may be missing, stand anywhere, be * or be written in any case."""
    for text in GOOD:
        yield _parsed([text])


@case("13.1")
def bad_names(draw):
    """All else is refused, with the text in the error."""
    for text in BAD:
        yield _parsed([text])


@case("13.1")
def names_without_a_slash(draw):
    """Without a slash in front there is a device and nothing else."""
    for kind, index in itertools.product(
        ("gpu", "CPU", "device:GPU", "device:_t", "device:*", "tpu", "job:x", "task"),
        ("", ":0", ":*", ":17", ":", ":x", "/", "/task:0", ":1/job:ps"),
    ):
        yield _parsed([kind + index])


@case("13.1", over=range(2))
def random_names(draw, _part):
    """Names of some parts in any order, with a letter changed now and then."""
    for _ in range(40):
        yield _parsed([_random_text(draw) for _ in range(20)])


@case("13.1", hidden=True, over=range(2))
def more_random_names(draw, _part):
    """Other names."""
    for _ in range(60):
        yield _parsed([_random_text(draw) for _ in range(30)])


@case("13.1", hidden=True)
def canonical_names(draw):
    """What was read is written again in its canonical form."""
    texts = [text for text in GOOD if parts_of(text) is not None]
    expected = [text_of(parts_of(text)) for text in texts]
    yield list_trial("canonical forms", "canonical", {"texts": texts}, texts, expected)


# ---- 13.2 -----------------------------------------------------------------------------

SOME = [
    "", "/job:ps", "/job:worker", "/job:ps/task:1", "/task:1", "/task:0", "/replica:0",
    "/gpu:0", "/gpu:1", "/gpu", "/cpu:0", "/cpu", "/device:*:0", "/job:ps/gpu:0",
    "/job:ps/replica:0/task:1/device:GPU:0", "/job:ps/replica:0/task:1/device:CPU:0",
    "/job:worker/replica:0/task:1/device:GPU:0", "/device:TPU:0", "/replica:1/gpu:1",
]  # fmt: skip


def _compared(pairs: list[tuple[str, str]]) -> Trial:
    expected = []
    for a, b in pairs:
        one, other = parts_of(a), parts_of(b)
        expected.append((covers(one, other), all(agree(one, other))))
    title = "whether the first covers the second, and whether both may be one device"
    return list_trial(title, "compare", {"pairs": pairs}, pairs, expected)


def _merged(pairs: list[tuple[str, str]], soft: bool) -> Trial:
    def check(values: list) -> Mismatch | str | None:
        for (a, b), (error, parts) in zip(pairs, values[0], strict=True):
            wanted = merged(parts_of(a), parts_of(b), soft)
            what = f"{a!r} merged with {b!r}{', softly' if soft else ''}"
            if isinstance(wanted, str):
                if f"incompatible {wanted}" not in error:
                    return Mismatch(
                        f"{what}: wrong error",
                        expected=f"incompatible {wanted}",
                        got=error,
                    )
                one, other = (f"'{text_of(parts_of(text))}'" for text in (a, b))
                if f"{one} and {other}" not in error:
                    return Mismatch(
                        f"{what}: its error does not name first the one, then the other",
                        expected=f"{one} and {other}",
                        got=error,
                    )
                wanted = parts_of(a)  # nothing changes
            elif error:
                return Mismatch(f"{what}: it fails", got=error)
            if parts != wanted:
                return Mismatch(f"{what}: wrong", expected=str(wanted), got=str(parts))
        return None

    title = f"merging {pairs[0][0]!r} with {pairs[0][1]!r}{', softly' if soft else ''}"
    return Trial(title, [Call("merge", {"pairs": pairs, "soft": soft})], check)


@case("13.2")
def names_that_cover(draw):
    """A part that is missing in the first name means any; in the second it does not."""
    for pair in itertools.product(SOME, SOME):
        yield _compared([pair])


@case("13.2", over=["hard", "soft"])
def merged_names(draw, kind):
    """What one says and the other does not is added; a contradiction changes nothing."""
    for pair in itertools.product(SOME, SOME):
        yield _merged([pair], kind == "soft")


@case("13.2")
def merged_softly(draw):
    """Softly, a wrong index is forgotten, or type and index; and no other part is."""
    pairs = [
        ("/gpu:0", "/gpu:1"), ("/gpu:0", "/cpu:0"), ("/gpu", "/cpu"), ("/gpu", "/cpu:3"),
        ("/device:*:1", "/gpu:2"), ("/job:a/gpu:0", "/task:1/cpu:0"), ("/gpu:0", "/gpu"),
        ("/job:a/gpu:0", "/job:b/gpu:0"), ("/task:0/gpu:0", "/task:1/cpu:0"),
        ("/replica:0/gpu:1", "/replica:1"), ("/job:a/gpu:0", "/job:a/gpu:1"),
    ]  # fmt: skip
    for a, b in pairs:
        yield _merged([(a, b)], True)
        yield _merged([(b, a)], True)


@case("13.2", hidden=True)
def random_pairs(draw):
    """Random names, compared and merged."""
    texts = []
    while len(texts) < 120:
        text = _random_text(draw)
        if parts_of(text) is not None:
            texts.append(text)
    for a in texts[:60]:
        pairs = [(a, b) for b in draw.shuffled(texts)[:20]]
        yield _compared(pairs)
        yield _merged(pairs, draw.coin())
