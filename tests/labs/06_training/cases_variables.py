"""Lab 06, tasks 1 to 4: names, shared variables, and first values."""

from typing import Any

import numpy as np
from lab_06_training.trials import (
    MODES,
    error_with,
    scopes_trial,
    wrong_error,
)

from minitf_lab.judge.case import Call, Mismatch, Trial, case, close, describe
from minitf_lab.judge.draw import REAL, Draw

# ---- 06.1 Name scopes -----------------------------------------------------------------


@case("06.1")
def scopes_within_scopes(_draw):
    """A scope goes below the one that is open, and a name that is taken gets a number."""
    yield scopes_trial([("scope", "a", [])])
    yield scopes_trial([("scope", "a", [("node", "x")]), ("node", "x")])
    yield scopes_trial([("scope", "a", [("scope", "b", [("node", "x"), ("node", "x")])])])
    yield scopes_trial([("scope", "a", [("node", "x")])] * 3)
    yield scopes_trial([("node", "a"), ("scope", "a", [("node", "a")]), ("node", "A")])
    yield scopes_trial([("scope", "a", [("scope", "a", [])] * 2)] * 2)
    yield scopes_trial([("scope", "a_1", []), *[("scope", "a", [])] * 3])


@case("06.1")
def scopes_in_full(_draw):
    """A name that ends in a slash is a scope in full, and is not made unique."""
    yield scopes_trial([("scope", "a/", [("node", "x")])])
    yield scopes_trial([("scope", "a", [("node", "x")]), ("again", 0, [("node", "x")])])
    inner = ("scope", "b", [("again", 0, [("node", "x"), ("scope", "c", [])])])
    yield scopes_trial([("scope", "a", [inner, ("node", "y")])])
    yield scopes_trial([("scope", "a", [("scope", "x/y/", [("node", "z")])])] * 2)
    yield scopes_trial([("scope", "a/b", [("node", "z")])] * 2)


@case("06.1")
def the_outermost_scope(_draw):
    """None and the empty name are the scope without a name."""
    for name in (None, ""):
        yield scopes_trial([("scope", name, [("node", "x")])])
        body = [("scope", name, [("node", "x"), ("scope", "a", [])]), ("node", "x")]
        yield scopes_trial([("scope", "a", body)])


@case("06.1")
def scopes_left_by_an_error(_draw):
    """A scope that an error leaves is left."""
    body = [("node", "x"), ("escape", "now")]
    yield scopes_trial([("scope", "a", body), ("node", "x")])
    yield scopes_trial([("scope", "b", [("scope", "a", body), ("node", "x")])] * 2)
    yield scopes_trial([("scope", "b", [("scope", None, body), ("node", "x")])])


@case("06.1")
def names_that_no_scope_has(_draw):
    """A name that no scope may have is refused, and is named."""
    for name in ("a b", "_a", "-a", "ü", "a:0", "/a"):

        def check(values: list[Any], name: str = name) -> str | None:
            (got,) = values
            if len(got) != 2 or got[1] != "in ":
                return f"expected an error, then no scope; there is {got}"
            return wrong_error(got[0], "ValueError", name)

        program = [("scope", name, [])]
        call = Call("name_scopes", {"program": program})
        yield Trial(f"a scope {name!r}", [call], check)
    # Below another scope, a name need not begin with a letter.
    yield scopes_trial([("scope", "a", [("scope", "_b", []), ("scope", "-c", [])])])
    yield scopes_trial([("scope", "0.a", [("scope", ">b\\", [])])])


def _program(draw: Draw, depth: int, kept: list[int]) -> list:
    steps: list = []
    for _ in range(draw.whole(1, 3)):
        choice = draw.whole(0, 9)
        name = draw.one_of(["a", "b", "A", "a_1", "c"])
        if choice < 3 or depth == 0:
            steps.append(("node", name))
        elif choice == 3 and kept:
            again = draw.one_of(kept)
            kept.append(len(kept))
            steps.append(("again", again, _program(draw, depth - 1, kept)))
        else:
            name = None if choice == 4 else name + ("/" if choice == 5 else "")
            kept.append(len(kept))
            steps.append(("scope", name, _program(draw, depth - 1, kept)))
    return steps


@case("06.1", over=range(2), hidden=True)
def many_scopes(draw, _part):
    """Scopes of all kinds within each other have the names that they must."""
    for i in range(30):
        yield scopes_trial(_program(draw, 1 + i // 8, []))


# ---- 06.2 Shared variables ------------------------------------------------------------


def _requests_trial(title: str, requests: list[dict], expected: list[Any]) -> Trial:
    """Asks for variables; ``expected`` has for each a number, or an error's words."""

    def check(values: list[Any]) -> Mismatch | str | None:
        *got, last = values[0]
        names = set()
        for i, (one, wanted) in enumerate(zip(got, expected, strict=True)):
            if isinstance(wanted, tuple):
                if wrong := wrong_error(one, "ValueError", *wanted):
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

    return Trial(title, [Call("shared_variables", {"requests": requests})], check)


def _w(name: str = "w", **options: Any) -> dict[str, Any]:
    return {"name": name, "shape": [2, 3], **options}


@case("06.2", over=["None", "False"])
def made_once(_draw, reuse):
    """Without reuse, a variable that is there is refused."""
    again = ("already exists", "w")
    for options in ({}, {"use_resource": True}):
        one = _w(scope_reuse=reuse, **options)
        yield _requests_trial("w, w", [one, one], [0, again])
        scoped = _w(scope=["a"], scope_reuse=reuse, **options)
        yield _requests_trial("w, a/w, w", [one, scoped, one], [0, 1, again])
        yield _requests_trial(
            "a/w, a/w", [scoped, scoped], [0, ("a/w", "already exists")]
        )
        yield _requests_trial("w, v, w", [one, _w("v"), one], [0, 1, again])


@case("06.2")
def found_again(_draw):
    """With reuse=True a variable is found, and never made."""
    reuse = _w(scope=["a"], scope_reuse="True")
    made = _w(scope=["a"])
    missing = ("a/w", "does not exist")
    yield _requests_trial("reuse a/w", [reuse], [missing])
    yield _requests_trial("a/w, reuse a/w", [made, reuse, reuse], [0, 0, 0])
    yield _requests_trial("w, reuse a/w", [_w(), reuse, made], [0, missing, 2])
    inner = {**reuse, "scope": ["a", "b"]}
    title = "a/w, reuse a/b/w"
    yield _requests_trial(title, [made, inner], [0, ("a/b/w", "does not exist")])


@case("06.2")
def made_or_found(_draw):
    """With AUTO_REUSE a variable is made at first, and found after that."""
    auto = _w(scope=["a"], scope_reuse="AUTO_REUSE")
    plain = _w(scope=["a"])
    yield _requests_trial("auto a/w three times", [auto] * 3, [0, 0, 0])
    yield _requests_trial("a/w, auto", [plain, auto], [0, 0])
    yield _requests_trial("auto, a/w", [auto, plain], [0, ("a/w", "already exists")])
    once = _w(reuse="AUTO_REUSE")
    yield _requests_trial("auto w twice", [once, once], [0, 0])


@case("06.2", over=["True", "AUTO_REUSE"])
def found_with_another_shape(_draw, reuse):
    """What is found must have the shape that is asked for, as far as it is given."""
    first = _w(scope=["a"])

    def again(shape: Any) -> dict[str, Any]:
        return {"name": "w", "scope": ["a"], "scope_reuse": reuse, "shape": shape}

    for shape in ([2, 3], None, [2, None], [None, 3], [None, None]):
        yield _requests_trial(f"[2,3], then {shape}", [first, again(shape)], [0, 0])
    for shape, shown in (
        ([3, 2], "(3, 2)"), ([6], "(6,)"), ([], "()"), ([2, 3, 1], "(2, 3, 1)"),
        ([None, 4], "(?, 4)"), ([2, 1], "(2, 1)"),
    ):  # fmt: skip
        wrong = ("a/w", shown, "(2, 3)")
        yield _requests_trial(f"[2,3], then {shape}", [first, again(shape)], [0, wrong])


@case("06.2", over=["True", "AUTO_REUSE"])
def found_with_another_type(_draw, reuse):
    """What is found must have the type that is asked for."""
    types = ["float32", "float64", "int32", "int64", "bool"]
    for one in types:
        for other in types:
            first = _w(scope=["a"], dtype=one)
            again = _w(scope=["a"], dtype=other, scope_reuse=reuse)
            expected = 0 if one == other else ("a/w", one, other)
            yield _requests_trial(f"{one}, then {other}", [first, again], [0, expected])


@case("06.2", over=range(2), hidden=True)
def many_requests(draw, _part):
    """Requests in any order give what the rules say."""
    for i in range(12):
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


# ---- 06.3 What a new variable starts with ---------------------------------------------


def _value_trial(
    shape: Any, dtype: str, initializer: Any, check: Any, mode: str = "graph"
) -> Trial:
    arguments = {
        "shape": shape, "dtype": dtype, "initializer": initializer, "mode": mode,
    }  # fmt: skip
    title = f"a variable of {dtype} {shape} by {initializer}, {mode} mode"
    return Trial(title, [Call("first_value", arguments)], check)


def _glorot(shape: list[int], dtype: str) -> Any:
    limit = np.sqrt(6 / sum(shape))

    def check(values: list[Any]) -> str | None:
        (got,) = values
        if not isinstance(got, np.ndarray) or got.dtype != np.dtype(dtype):
            return f"it is {describe(got)}, expected {dtype}"
        spread = np.ptp(got.astype(np.float64))
        if np.abs(got).max() > limit * 1.001 or spread < 1.7 * limit:
            return f"numbers are from {got.min()} to {got.max()}, expected +-{limit:.4g}"
        return None

    return check


def _equal(expected: np.ndarray) -> Any:
    return lambda values: close(values[0], expected)


@case("06.3", over=MODES)
def by_default(_draw, mode):
    """Without an initializer floats are Glorot's, and other types zeros."""
    for dtype in ("float32", "float64", "float16"):
        shape = [20, 30]
        yield _value_trial(shape, dtype, None, _glorot(shape, dtype), mode)
    for dtype in ("int8", "int16", "int32", "int64", "uint8", "bool"):
        yield _value_trial([3, 2], dtype, None, _equal(np.zeros([3, 2], dtype)), mode)
        yield _value_trial([], dtype, None, _equal(np.zeros([], dtype)), mode)
    check = _equal(np.array([b"", b""], object))
    yield _value_trial([2], "string", None, check, mode)


@case("06.3")
def types_without_a_default(_draw):
    """A type that has no default needs an initializer, and the error names it."""
    for dtype in ("complex64", "complex128"):
        yield _value_trial([2], dtype, None, error_with("ValueError", "w", dtype))
        check = _equal(np.full([2], 2, dtype))
        yield _value_trial([2], dtype, 2, check)


@case("06.3", over=MODES)
def by_an_initializer(_draw, mode):
    """An initializer is called with the shape and the type of the variable."""
    for dtype in (*REAL, "int32", "int64"):
        for shape in ([], [1], [0], [2, 3], [2, 1, 3]):
            for initializer, value in ((2, 2), ("class", 1)):
                check = _equal(np.full(shape, value, dtype))
                yield _value_trial(shape, dtype, initializer, check, mode)


@case("06.3")
def functions_without_arguments(_draw):
    """Without a shape, a function of no arguments says what the value is."""
    for shape in (None, [None]):
        check = _equal(np.array([5, 6], "f"))
        yield _value_trial(shape, "float32", "function", check)
        yield _value_trial(shape, "float32", "options", _equal(np.array([3.0], "f")))


@case("06.3")
def shapes_that_are_not_known(_draw):
    """An initializer that needs a shape is refused where it is not known."""
    for shape, shown in ((None, "unknown"), ([None], "(?,)"), ([2, None], "(2, ?)")):
        for initializer in (None, {"of": "variance_scaling"}):
            check = error_with("ValueError", "w", shown)
            yield _value_trial(shape, "float32", initializer, check)


def _told(shape: list[int], parts: list[int]) -> list[list[int]]:
    """Whole shape and offsets of each part, in order; the first parts are the larger."""
    [axis] = [i for i, count in enumerate(parts) if count > 1]
    small, larger = divmod(shape[axis], parts[axis])
    found, start = [], 0
    for i in range(parts[axis]):
        offsets = [start if k == axis else 0 for k in range(len(shape))]
        found.append([*shape, *offsets])
        start += small + (i < larger)
    return found


@case("06.3")
def parts_know_which_they_are(_draw):
    """The initializer of a part is told which part it is for, if it takes that."""
    for shape, parts in (
        ([5], [2]), ([4, 3], [2, 1]), ([2, 7], [1, 3]), ([6, 2], None), ([1], None),
    ):  # fmt: skip
        for takes_it in (True, False):
            expected = [[]]
            if parts is not None:
                told = _told(shape, parts)
                expected = told if takes_it else [[] for _ in told]

            def check(values: list[Any], expected: list = expected) -> str | None:
                (got,) = values
                return None if got == expected else f"told {got}, expected {expected}"

            arguments = {"shape": shape, "parts": parts, "takes_it": takes_it}
            title = (
                f"a variable {shape} in parts {parts}, initializer takes it: {takes_it}"
            )
            yield Trial(title, [Call("parts_told", arguments)], check)


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

        def check(values: list[Any], expected: list = expected) -> str | None:
            (got,) = values
            if got != [float(fan) for fan in expected]:
                return f"fan_in and fan_out are {got}, expected {expected}"
            return None

        yield Trial(f"the fans of {shape}", [Call("fans", {"shape": shape})], check)


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

    def check(values: list[Any]) -> Mismatch | str | None:
        one, two, plain = values[0]
        expected = (plain.astype(np.float64) * factor).astype(dtype)
        options = {"rtol": 1e-5, "atol": 1e-6 * factor}
        return close(one, expected, what="first", **options) or close(
            two, expected, what="the same seed once more", **options
        )

    arguments = {
        "options": options, "shape": shape, "dtype": dtype, "base": base, "seed": seed,
        "rows": rows,
    }  # fmt: skip
    settings = ", ".join(f"{key}={value!r}" for key, value in options.items())
    part = "" if rows is None else f", its first {rows} rows"
    title = f"VarianceScaling({settings}) of {dtype} {shape}{part}"
    return Trial(title, [Call("random_values", arguments)], check)


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


@case("06.4", hidden=True)
def numbers_of_any_scale(draw):
    """The variance follows the scale, however small or large that is."""
    for distribution in BASES:
        for scale in (1e-6, 0.1, 3.0, 1e4):
            options = {"distribution": distribution, "scale": scale}
            yield _scaled_trial(list(draw.shape(3)), options, "float64", 5)


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


def _spread_trial(shape: list[int], of: str, seed: int, variance: float) -> Trial:
    initializer = {"of": of, "options": {"seed": seed}}

    def check(values: list[Any]) -> str | None:
        found = float(np.var(values[0]))
        if abs(found / variance - 1) > 0.05:
            return f"the variance is {found:.4g}, expected {variance:.4g}"
        return None

    return _value_trial(shape, "float32", initializer, check)


@case("06.4")
def variances_of_many(_draw):
    """Many numbers have the variance that their names promise."""
    for shape in ([100, 200], [3, 3, 40, 50]):
        fan_in, fan_out = _fans(shape)
        both = 2 / (fan_in + fan_out)
        promised = {"glorot": both, "he": 2 / fan_in, "lecun": 1 / fan_in}
        for name, variance in promised.items():
            for kind in ("uniform", "normal"):
                yield _spread_trial(shape, f"{name}_{kind}", 9, variance)
