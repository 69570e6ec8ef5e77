"""Lab 06, tasks 2 and 4: shared variables, and numbers of a variance."""

from typing import Any

import numpy as np
from lab_06_training.trials import wrong_error
from lab_common.checks import call_trial

from minitf_lab.judge.case import Mismatch, Trial, case, close
from minitf_lab.judge.draw import REAL, Draw

# ---- 06.2 Shared variables ------------------------------------------------------------


def _not_in_turn(text: str, words: tuple[str, ...]) -> str | None:
    """What is wrong if words do not come one after the other in a text."""
    start = 0
    for word in words:
        if (start := text.find(word, start)) < 0:
            return f"the error says {word!r} too early, expected {words} in turn: {text}"
        start += len(word)
    return None


def _requests_trial(title: str, requests: list[dict], expected: list[Any]) -> Trial:
    """Asks for variables; ``expected`` has for each a number, or an error's words."""

    def check(result: Any) -> Mismatch | str | None:
        *got, last = result
        names = set()
        for i, (one, wanted) in enumerate(zip(got, expected, strict=True)):
            if isinstance(wanted, tuple):
                wrong = wrong_error(one, "ValueError", *wanted)
                if wrong := wrong or _not_in_turn(one["text"], wanted):
                    return f"request {i}: {wrong}"
                continue
            if "raised" in one:
                return f"request {i}: it raised {one['raised']}: {one['text']}"
            name = "/".join(
                [*requests[wanted].get("scope", []), requests[wanted]["name"]]
            )
            names.add(f"{name}:0")
            if one["name"] != f"{name}:0":
                return f"request {i} gave {one['name']}, expected {name}:0"
            if one["same_as"] != wanted:
                return f"request {i} gave that of {one['same_as']}, expected {wanted}"
        if last["all"] != sorted(names):
            return f"the graph has {last['all']}, expected {sorted(names)}"
        return None

    return call_trial(title, check, "shared_variables", requests=requests)


def _w(name: str = "w", **options: Any) -> dict[str, Any]:
    return {"name": name, "shape": [2, 3], **options}


@case("06.2")
def refused_with_the_line(_draw):
    """Who may not find a variable is told where it was made, whatever else is wrong."""
    again = ("w", "already exists", "defined at")
    for other in ({}, {"shape": [7]}, {"shape": None}, {"dtype": "int32"}):
        two = {**_w(), **other}
        yield _requests_trial(f"w, then w with {other}", [_w(), two], [0, again])
        scoped = {"scope": ["a"], "scope_reuse": "False"}
        again_scoped = ("a/w", "already exists", "defined at")
        yield _requests_trial(
            f"a/w, then a/w with {other}",
            [{**_w(), **scoped}, {**two, **scoped}],
            [0, again_scoped],
        )


def _sizes_of(draw: Draw, own: list) -> Any:
    """A shape that has something to do with ``own``: None, or other sizes or ranks."""
    asked = [draw.one_of([size, size, size, None, 0, 1, 2]) for size in own]
    if draw.coin(0.2):
        asked = asked[1:] if draw.coin() else [*asked, draw.one_of([None, 0, 1])]
    return None if draw.coin(0.1) else asked


def _fit(own: list, asked: Any) -> bool:
    if asked is None:
        return True
    return len(own) == len(asked) and all(
        a is None or b is None or a == b for a, b in zip(own, asked, strict=True)
    )


def _printed(shape: Any) -> str:
    """As an error shows a shape."""
    sizes = ["?" if size is None else str(size) for size in shape]
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"


@case("06.2", over=["True", "AUTO_REUSE"])
def found_if_the_shapes_fit(draw, reuse):
    """Sizes fit if they are the same, or one is not known; shapes come before types."""
    for i in range(60):
        own = [draw.one_of([None, 0, 1, 2, 3]) for _ in range(1 + i // 20)]
        # Only a resource variable may have a shape that is partly known.
        requests = [_w(scope=["a"], initializer=own, shape=None, use_resource=True)]
        expected: list[Any] = [0]
        for _ in range(3):
            asked, dtype = _sizes_of(draw, own), draw.one_of(["float32", "int64"])
            if not _fit(own, asked):
                expected.append(("a/w", _printed(asked), _printed(own)))
            else:
                wrong = ("a/w", dtype, "float32")
                expected.append(0 if dtype == "float32" else wrong)
            again = {"name": "w", "scope": ["a"], "scope_reuse": reuse, "dtype": dtype}
            requests.append({**again, "shape": asked})
        shown = ", ".join(f"{one['dtype']} {one['shape']}" for one in requests[1:])
        yield _requests_trial(f"of float32 {own}, then of {shown}", requests, expected)


@case("06.2", over=["True", "AUTO_REUSE"])
def found_with_another_type(_draw, reuse):
    """What is found must have the type that is asked for."""
    types = ["float32", "float64", "int8", "int32", "uint8", "uint32", "bool"]
    for one in types:
        for other in types:
            first = _w(scope=["a"], dtype=one)
            again = _w(scope=["a"], dtype=other, scope_reuse=reuse)
            expected = 0 if one == other else ("a/w", other, one)
            yield _requests_trial(f"{one}, then {other}", [first, again], [0, expected])


@case("06.2")
def found_in_parts(_draw):
    """A variable in parts must be what is asked for, too, and the error calls it so."""
    first = _w(scope=["a"], parts=[2, 1])
    for other, words in (
        ({"shape": [3, 2]}, ("(3, 2)", "(2, 3)")),
        ({"shape": [2]}, ("(2,)", "(2, 3)")),
        ({"dtype": "int32"}, ("int32", "float32")),
        ({"shape": [None, 3]}, ()),
    ):

        def check(got: Any, words: tuple = words) -> str | None:
            two = got[1]
            if not words:
                found = "raised" not in two and two["same_as"] == 0
                return None if found else f"it is not found; there is {two}"
            wanted = ("partitioned variable", "a/w", *words)
            return wrong_error(two, "ValueError", *wanted) or _not_in_turn(
                two["text"], wanted
            )

        requests = [first, {**_w(scope=["a"], scope_reuse="True"), **other}]
        yield call_trial(
            f"a/w [2,3] in two parts, then {other}", check, "shared_variables",
            requests=requests,
        )  # fmt: skip


@case("06.2")
def many_requests(draw):
    """Without reuse a variable is made, with True found, with AUTO_REUSE either."""
    for i in range(20):
        there: dict[str, int] = {}
        requests, expected = [], []
        for number in range(4 + i // 2):
            scope = draw.one_of([[], ["a"], ["a", "b"], ["b"]])
            reuse = draw.one_of(["None", "False", "True", "AUTO_REUSE"])
            if not scope:
                reuse = "None"
            request = _w(draw.one_of(["w", "v"]), scope=scope, scope_reuse=reuse)
            name = "/".join([*scope, request["name"]])
            if name in there and reuse in ("None", "False"):
                expected.append((name, "already exists"))
            elif name not in there and reuse == "True":
                expected.append((name, "does not exist"))
            else:
                expected.append(there.setdefault(name, number))
            requests.append(request)
        yield _requests_trial(f"{len(requests)} requests", requests, expected)


# ---- 06.4 Fans and variances ----------------------------------------------------------


def _fans(shape: list[int]) -> tuple[int, int]:
    if not shape:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    window = 1
    for size in shape[:-2]:
        window *= size
    return window * shape[-2], window * shape[-1]


@case("06.4")
def inputs_and_outputs(draw):
    """Fans of all ranks."""
    by_hand = [([], 1, 1), ([7], 7, 7), ([2, 3], 2, 3), ([5, 2, 3], 10, 15)]
    by_hand += [([3, 5, 2, 7], 30, 105), ([2, 3, 5, 7, 11], 210, 330), ([0, 4], 0, 4)]
    random = [draw.shape(rank) for rank in range(6) for _ in range(3)]
    for shape, *expected in [*by_hand, *([list(s), *_fans(list(s))] for s in random)]:

        def check(got: Any, expected: list = expected) -> str | None:
            for fans, when in zip(got, ("", " the second time"), strict=True):
                if fans != [float(fan) for fan in expected]:
                    return f"fan_in and fan_out are {fans}{when}, expected {expected}"
            return None

        yield call_trial(f"the fans of {shape}", check, "fans", shape=shape)


BASES = {
    "uniform": ("random_uniform", np.sqrt(3.0)),
    "untruncated_normal": ("random_normal", 1.0),
    "truncated_normal": ("truncated_normal", 1 / 0.87962566103423978),
    "normal": ("truncated_normal", 1 / 0.87962566103423978),
}


def _scaled_trial(
    shape: list[int],
    options: dict[str, Any],
    dtype: str,
    seed: int,
    rows: int | None = None,
) -> Trial:
    base, width = BASES[options.get("distribution", "truncated_normal")]
    fan_in, fan_out = _fans(shape)
    n = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}
    variance = options.get("scale", 1.0) / max(1.0, n[options.get("mode", "fan_in")])
    factor = width * np.sqrt(variance)

    def check(got: Any) -> Mismatch | str | None:
        one, two, plain = got
        expected = (plain.astype(np.float64) * factor).astype(dtype)
        options = {"rtol": 1e-5, "atol": 1e-6 * factor}
        return close(one, expected, what="first", **options) or close(
            two, expected, what="the same seed once more", **options
        )

    settings = ", ".join(f"{key}={value!r}" for key, value in options.items())
    part = "" if rows is None else f", its first {rows} rows"
    title = f"VarianceScaling({settings}) of {dtype} {shape}{part}"
    return call_trial(
        title, check, "random_values", options=options, shape=shape, dtype=dtype,
        base=base, seed=seed, rows=rows,
    )  # fmt: skip


@case("06.4", over=sorted(BASES))
def numbers_of_a_variance(draw, distribution):
    """Numbers are those of the seed, times what gives them the variance scale / n."""
    for mode in ("fan_in", "fan_out", "fan_avg"):
        for rank in range(6):
            shape = list(draw.shape(rank))
            options = {
                "scale": draw.one_of([0.5, 1.0, 2.0]),
                "mode": mode,
                "distribution": distribution,
            }
            dtype = draw.one_of(REAL)
            yield _scaled_trial(shape, options, dtype, draw.whole(1, 99))


@case("06.4")
def no_inputs(_draw):
    """A variable that has no elements, or one of a broken mean, is no error."""
    for mode in ("fan_in", "fan_out", "fan_avg"):
        for shape in ([0], [0, 3], [3, 0], [1, 2], [1, 0]):
            yield _scaled_trial(shape, {"mode": mode, "scale": 3.0}, "float32", 3)


@case("06.4")
def parts_of_a_variable(draw):
    """A part has the variance of the whole."""
    for distribution in BASES:
        for rank in range(1, 5):
            shape = [4 * draw.whole(2, 4), *draw.shape(rank - 1)]
            options = {"mode": "fan_avg", "distribution": distribution}
            yield _scaled_trial(shape, options, "float64", 4, rows=2)
