"""Lab 06, task 12: clipping."""

import math
from typing import Any

import numpy as np
from lab_06_training.trials import MODES, gradient_of
from lab_common.checks import call_trial, is_close

from minitf_lab.judge.case import Mismatch, Trial, case, close
from minitf_lab.judge.draw import REAL, Draw

# ---- 06.12 Clipping -------------------------------------------------------------------


def _dense(gradient: Any) -> np.ndarray:
    return gradient[0] if isinstance(gradient, tuple) else gradient


def _norm(gradients: list) -> float:
    there = [_dense(g).astype(np.float64) for g in gradients if g is not None]
    with np.errstate(all="ignore"):
        return float(np.sqrt(sum(np.sum(g * g) for g in there)))


def _gradients(draw: Draw, count: int, dtype: str) -> list:
    forms = ["dense", "rows", "twice", "none"]
    chosen = ["dense", *(draw.one_of(forms) for _ in range(count - 1))]
    return [
        gradient_of(draw, draw.shape(2), dtype, form) for form in draw.shuffled(chosen)
    ]


def _clip_trial(
    gradients: list, limit: Any, norm: float | None = None, mode: str = "graph"
) -> Trial:
    length = _norm(gradients) if norm is None else norm
    with np.errstate(all="ignore"):
        factor = min(1.0, limit / length) if length else 1.0
    factor = factor if math.isfinite(length) else math.nan
    # A norm that is given as a number may become a float32.
    types = [] if norm is None else [np.dtype("float32")]
    types += [_dense(one).dtype for one in gradients if one is not None]

    def check(result: Any) -> Mismatch | str | None:
        if not result["is_list"]:
            return "what is clipped is no list"
        for i, (one, got) in enumerate(zip(gradients, result["clipped"], strict=True)):
            what = f"gradient {i}"
            if isinstance(one, tuple):
                if not isinstance(got, tuple):
                    return f"{what} is no longer IndexedSlices"
                if wrong := close(got[1], one[1], what=f"the indices of {what}"):
                    return wrong
                if got[2] != [9, 1, 1, 1]:
                    return f"the dense_shape of {what} is {got[2]}, not [9, 1, 1, 1]"
                got = got[0]
            dense = _dense(one)
            expected = None if one is None else (dense * factor).astype(dense.dtype)
            if wrong := close(got, expected, rtol=1e-5, atol=1e-12, what=what):
                return wrong
        kind = getattr(result["norm"], "dtype", None)
        expected = np.asarray(length).astype(kind if kind in types else types[-1])
        return close(result["norm"], expected, rtol=1e-5, what="the norm")

    kinds = [
        "none" if g is None else "slices" if isinstance(g, tuple) else str(g.shape)
        for g in gradients
    ]
    title = f"{', '.join(kinds)} clipped to {limit:.4g}, {mode} mode, use_norm={norm}"
    return call_trial(
        title, check, "clipped", gradients=gradients, limit=limit, norm=norm, mode=mode
    )


@case("06.12", over=MODES)
def clipped_together(draw, mode):
    """All gradients become shorter by the same factor, if they are too long."""
    for count in range(1, 5):
        for dtype in REAL:
            gradients = _gradients(draw, count, dtype)
            for part in (0.1, 0.999, 1.001, 10.0):
                yield _clip_trial(gradients, part * _norm(gradients), mode=mode)


@case("06.12", over=MODES)
def clipped_whatever_the_size(draw, mode):
    """The factor is limit / norm, however small or large both are."""
    for dtype in REAL:
        for size in (1e-7, 1e-4, 1e4):
            drawn = [draw.array(shape, dtype) for shape in ((2, 3), (3,))]
            gradients = [(one * size).astype(dtype) for one in drawn]
            for part in (0.25, 0.75, 1.5):
                yield _clip_trial(gradients, part * _norm(gradients), mode=mode)


@case("06.12")
def clipped_by_hand(_draw):
    """Numbers that can be checked in the head."""
    three, four = np.array([3.0], "f"), np.array([[0.0, 4.0]], "f")
    for limit in (1.0, 2.5, 5.0, 6.0, 1, 4, 7):
        yield _clip_trial([three, None, four], limit)
    yield _clip_trial([np.zeros(3, "f")], 1.0)
    yield _clip_trial([np.zeros(0, "f"), three], 1.5)


@case("06.12")
def a_norm_that_is_known(draw):
    """A norm that is given is used in place of the true one."""
    for norm in (0.5, 2.0, 20.0, math.inf, math.nan):
        yield _clip_trial(_gradients(draw, 2, "float32"), 2.0, norm)
        limit = np.array(2.0, "f")
        yield _clip_trial(_gradients(draw, 3, "float32"), limit, norm)
        yield _clip_trial([np.zeros(2, "f"), np.ones(1, "f")], 2.0, norm)
        yield _clip_trial(_gradients(draw, 2, "float64"), 2.0, norm)


@case("06.12")
def nothing_has_no_length(_draw):
    """The norm of nothing at all is 0."""
    for gradients in (
        [],
        [None],
        [None, None],
        [np.zeros(0, "f")],
        [None, np.zeros(2, "f")],
    ):
        yield call_trial(
            f"the norm of {len(gradients)} gradients",
            is_close(np.zeros([], "f"), what="the norm"), "global_norm",
            gradients=gradients,
        )  # fmt: skip


@case("06.12")
def names_of_norms_and_of_what_is_clipped(_draw):
    """A name that is given is that of the scope; else the function's own is."""
    for name in (None, "n"):
        for clip_name in (None, "c"):
            wanted = f"a/{name or 'global_norm'}/global_norm"
            inner = f"a/{clip_name or 'clip_by_global_norm'}/"

            def check(got: Any, wanted: str = wanted, inner: str = inner) -> str | None:
                norm, clipped = got
                if norm != wanted:
                    return f"the norm is called {norm}, not {wanted}"
                if not clipped.startswith(inner):
                    return f"what is clipped is called {clipped}, not {inner}..."
                return None

            title = f"a norm called {name}, and what is clipped called {clip_name}"
            yield call_trial(
                title, check, "names_of_norms", name=name, clip_name=clip_name, scope="a"
            )
