"""Lab 02, task 7: which kernel runs."""

import itertools
import re
from typing import Any

from minitf_lab.judge.case import Call, Mismatch, Trial, case
from minitf_lab.judge.draw import Draw

Key = tuple[str, list[tuple[str, str]], str, int]  # device, types, label, priority

_counter = itertools.count()


def _shown(key: Key) -> str:
    """As an error shows a key."""
    device, types, label, priority = key
    text = device + (" for " if types else "")
    text += ", ".join(f"{attr}={dtype}" for attr, dtype in types)
    text += f", label '{label}'" if label else ""
    return text + (f", priority {priority}" if priority else "")


def _added(keys: list[Key]) -> tuple[list[Key], list[bool]]:
    """The keys that can be registered one after the other; which they are."""
    found: dict[Any, Key] = {}
    is_new = []
    for device, types, label, priority in keys:
        whole = (device, frozenset(types), label, priority)
        is_new.append(whole not in found)
        found.setdefault(whole, (device, types, label, priority))
    return [*found.values()], is_new


def _found(keys: list[Key], call: tuple) -> Key | tuple:
    """The kernel of a call, or the error: its type, words of its text, the rivals.

    Of three rivals any two may be named.
    """
    device, types, label, _ = call
    fitting = [
        key
        for key in keys
        if key[0] == device and key[2] == (label or "") and set(key[1]) <= set(types)
    ]
    if not fitting:
        shown = "; ".join(map(_shown, keys)) or "the op has none"
        wanted = _shown((device, types, label or "", 0))
        return "NotFoundError", [wanted, shown], []
    best = max(key[3] for key in fitting)
    several = [key for key in fitting if key[3] == best]
    if len(several) > 1:
        return "InvalidArgumentError", [f"priority {best}"], several
    return several[0]


def _num_named(keys: list[Key], message: str) -> int:
    """How many of the keys an error shows."""
    end = r"(?! for |, \w+=)"  # or else it is only the beginning of another
    return sum(bool(re.search(re.escape(_shown(key)) + end, message)) for key in keys)


def _differs(got: Any, expected: Any) -> Mismatch | None:
    """What is wrong with a kernel that was found, or with an error."""
    is_error = isinstance(got, dict)
    if isinstance(expected[1], list) and expected[0].endswith("Error"):
        _, words, rivals = expected
        shown = [*words, *(["two of"] if rivals else []), *map(_shown, rivals)]
        wanted = f"{expected[0]} that names {' and '.join(shown)}"
        if is_error and got["error"] == expected[0]:
            num_named = _num_named(rivals, got["message"]) if rivals else 2
            if num_named >= 2 and all(text in got["message"] for text in words):
                return None
            return Mismatch("a word is missing", expected=wanted, got=got["message"])
        shown = str(got["message"]) if is_error else _shown(tuple(got))
        return Mismatch("there must be an error", expected=wanted, got=shown)
    if is_error:
        return Mismatch("an error", expected=_shown(expected), got=got["message"])
    same = [got[0], [tuple(one) for one in got[1]], *got[2:]] == list(expected)
    shown = _shown((got[0], [tuple(one) for one in got[1]], *got[2:]))
    return None if same else Mismatch("wrong", expected=_shown(expected), got=shown)


def _is_twice(got: Any, op: str, key: Key) -> bool:
    """Whether that is the error of a key that there is."""
    if not isinstance(got, dict) or got["error"] != "AlreadyExistsError":
        return False
    words = (op, _shown(key))
    return all(
        re.search(rf"(?<!\w){re.escape(word)}(?!\w)", got["message"]) for word in words
    )


def _kernels(keys: list[Key], calls: list[tuple]) -> Trial:
    """Registers kernels, some of them twice perhaps, and looks some up."""
    title = f"kernels {'; '.join(map(_shown, keys)) or 'none'}"
    op = f"Op{next(_counter)}"
    there, is_new = _added(keys)

    def check(values: list[Any]) -> Mismatch | None:
        added, found = values[0]
        for key, got, new in zip(keys, added, is_new, strict=True):
            if new and got is not None:
                return Mismatch(f"{_shown(key)} is refused: {got['message']}")
            if not new and not _is_twice(got, op, key):
                shown = "nothing" if got is None else f"{got['error']}: {got['message']}"
                wanted = f"AlreadyExistsError that names {op} and {_shown(key)}"
                return Mismatch("a kernel twice", expected=wanted, got=shown)
        for call, got in zip(calls, found, strict=True):
            device, types, label, others = call
            if wrong := _differs(got, _found(there, call)):
                asked = _shown((device, types, label or "", 0))
                return Mismatch(
                    f"a call on {asked} {others or ''}: {wrong.message}",
                    expected=wrong.expected,
                    got=wrong.got,
                )
        return None

    arguments = {"op": op, "registered": [list(k) for k in keys], "calls": calls}
    return Trial(title, [Call("kernels", arguments)], check)


def _key(types: str, device: str = "CPU", label: str = "", priority: int = 0) -> Key:
    """Of a text such as "T=float32 U=int32"."""
    pairs = [tuple(one.split("=")) for one in types.split()]
    return device, pairs, label, priority


def _call(
    types: str, device: str = "CPU", label: str | None = None, **others: Any
) -> tuple:
    """Of a text such as "T=float32"."""
    return (*_key(types, device)[:2], label, [list(pair) for pair in others.items()])


@case("02.7")
def kernels_by_heart(draw):
    """Device, types and label must fit; what a kernel does not name does not matter."""
    calls = [_call("T=float32"), _call("T=int32"), _call("T=float32", "GPU"), _call(""),
             _call("T=float32 U=int32"), _call("U=float32"), _call("T=float32", N=3),
             _call("T=float32", label=""), _call("T=float32", label="naive")]  # fmt: skip
    yield _kernels([], calls)
    yield _kernels([_key("T=float32")], calls)
    yield _kernels([_key("")], calls)
    yield _kernels([_key("T=float32"), _key("T=int32")], calls)
    yield _kernels([_key("T=float32", "GPU"), _key("T=float32")], calls)
    yield _kernels([_key("T=float32", label="naive"), _key("T=float32")], calls)
    yield _kernels([_key("T=float32", label="naive")], calls)
    yield _kernels([_key("T=float32 U=int32"), _key("T=float32 U=float32")], calls)
    others = [_call("", T=n) for n in (1, 0, "float32", ["float32"], [], ["int32"] * 2)]
    yield _kernels([_key("T=float32")], [*others, _call("U=float32", T=["float32"])])


@case("02.7")
def priorities(draw):
    """Of those that fit the one of the highest priority runs, in any order."""
    keys = [_key("T=float32"), _key("", priority=1), _key("T=float32", priority=7),
            _key("T=int32", priority=3), _key("T=int64", priority=-2)]  # fmt: skip
    calls = [_call(f"T={name}") for name in ("float32", "int32", "int64", "bool")]
    for count in range(1, 6):
        for order in itertools.permutations(keys[:count]):
            yield _kernels(list(order), calls)
    calls = [_call("T=float32"), _call("T=float32", label="fast")]
    for order in itertools.permutations(
        [_key("", label="fast", priority=9), _key("T=float32"), _key("", priority=-1)]
    ):
        yield _kernels(list(order), calls)


@case("02.7")
def rivals(draw):
    """Two of one priority that fit are an error that shows both."""
    calls = [_call("T=float32 U=int32"), _call("T=float32"), _call("U=int32")]
    yield _kernels([_key("T=float32"), _key("U=int32")], calls)
    yield _kernels([_key("T=float32"), _key("")], calls)
    yield _kernels([_key("T=float32"), _key(""), _key("U=int32", priority=1)], calls)
    both = [_key("T=float32", priority=2), _key("", priority=2)]
    yield _kernels([*both, _key("U=int32", priority=1)], calls)
    yield _kernels([_key("U=int32", priority=1), *both], calls)
    yield _kernels([_key("T=float32", label="a"), _key("T=float32", label="b")], calls)


@case("02.7")
def kernels_twice(draw):
    """A key may be registered once, in whatever order its types are named."""
    yield _kernels([_key("T=float32"), _key("T=float32")], [_call("T=float32")])
    yield _kernels([_key("T=float32 U=int32"), _key("U=int32 T=float32")],
                   [_call("T=float32 U=int32")])  # fmt: skip
    yield _kernels([_key(""), _key("")], [_call("")])
    yield _kernels([_key("T=int32 U=int64"), _key("T=int64 U=int32")],
                   [_call("T=int32 U=int64"), _call("T=int64 U=int32")])  # fmt: skip
    others = [_key("", "GPU"), _key("T=float32"), _key("", label="naive"),
              _key("", priority=1), _key("U=float32"), _key("T=int32")]  # fmt: skip
    for other in others:
        yield _kernels([_key(""), other, _key("")], [_call("T=bool")])
        yield _kernels([other, other], [_call("T=bool")])


def _random_kernels(draw: Draw) -> Trial:
    """Kernels and calls by chance."""

    def types(least: int) -> list[tuple[str, str]]:
        attrs = draw.some_of(["T", "U", "Tidx"], least)
        chosen = ("float32", "int32", "int64")
        return draw.shuffled([(one, draw.one_of(chosen)) for one in attrs])

    def device() -> str:
        return draw.one_of(["CPU", "CPU", "GPU"])

    keys = [
        (device(), types(0), draw.one_of(["", "", "fast"]), draw.one_of([0, 0, 1, -1, 5]))
        for _ in range(draw.whole(1, 7))
    ]
    calls = []
    for _ in range(8):
        chosen = sorted(types(1))
        names = [name for name in ("T", "U", "Tidx") if name not in dict(chosen)]
        others = [["N", 2], *([name, draw.one_of([1, "int32", ["int32"], []])]
                              for name in names if draw.coin(0.3))]  # fmt: skip
        calls.append((device(), chosen, draw.one_of([None, "", "fast"]), others))
    return _kernels(keys, calls)


@case("02.7", over=range(2))
def random_kernels(draw, _part):
    """Any kernels, any calls."""
    for _ in range(40):
        yield _random_kernels(draw)


@case("02.7", hidden=True, over=range(2))
def more_random_kernels(draw, _part):
    """Other kernels."""
    for _ in range(60):
        yield _random_kernels(draw)


@case("02.7", hidden=True)
def two_orders_of_registration(draw):
    """The same kernels in another order: no call may notice."""
    types = ("float32", "int32", "int64")
    keys = [_key(f"T={name}", priority=i) for i, name in enumerate(types)]
    keys += [_key("", priority=-3), _key("U=bool", priority=10), _key("", label="slow")]
    calls = [_call(f"T={t}{u}", label=label) for t in (*types, "bool")
             for u in ("", " U=bool") for label in (None, "slow", "none")]  # fmt: skip
    for _ in range(10):
        yield _kernels(draw.shuffled(keys), calls)
        yield _kernels(list(reversed(keys)), calls)
