"""What differs from TensorFlow on purpose in numbers: rows of docs/differences.md.

A row is recognised by the function, and by the places where the two results differ: what
one of them has there must be what the row says. See ``differences.py``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import ties

_NUMBERS = {"value", "first", "second"}

# ---- The places where two results differ -----------------------------------------------


@dataclass
class Places:
    """What minitf and TensorFlow have where they differ; a complex number is two."""

    ours: np.ndarray
    theirs: np.ndarray


def are_arrays(mismatch: Any) -> bool:
    """Whether numbers are compared, and not texts or shapes."""
    kinds = (np.ndarray, np.generic)
    return isinstance(mismatch.ours, kinds) and isinstance(mismatch.theirs, kinds)


def _places(mismatch: Any) -> Places | None:
    """Where two arrays of floats differ by more than rounding; None if none do."""
    if mismatch.kind not in _NUMBERS or not are_arrays(mismatch):
        return None
    ours, theirs = np.asarray(mismatch.ours), np.asarray(mismatch.theirs)
    if ours.shape != theirs.shape or ours.dtype.kind not in "fc":
        return None
    wide = np.complex128 if ours.dtype.kind == "c" else np.float64
    ours, theirs = ours.astype(wide).reshape(-1), theirs.astype(wide).reshape(-1)
    if wide is np.complex128:
        ours, theirs = ours.view(np.float64), theirs.view(np.float64)
    with np.errstate(all="ignore"):
        is_close = np.abs(ours - theirs) <= 1e-4 * np.abs(theirs) + 1e-44
    differ = ~(is_close | (ours == theirs) | (np.isnan(ours) & np.isnan(theirs)))
    return Places(ours[differ], theirs[differ]) if differ.any() else None


def _holds(mismatch: Any, says: Callable[[Places], Any]) -> bool:
    """Whether all places where the results differ are what ``says`` wants."""
    places = _places(mismatch)
    return places is not None and bool(np.all(says(places)))


def _is_huge(numbers: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return ~(np.abs(np.asarray(numbers, np.complex128)) < 1e18)


# ---- The arguments of a case -----------------------------------------------------------


def _arrays(case: Any) -> list[np.ndarray]:
    arrays = [np.asarray(arg.array) for arg in case.tensors()]
    return [array for array in arrays if array.dtype.kind in "fc"]


def has_extremes(case: Any) -> bool:
    """An argument has a number whose square is not finite."""
    return any(_is_huge(array).any() for array in _arrays(case))


def _is_any(case: Any, names: set[str]) -> bool:
    """The function has one of the names, in whatever module."""
    return case.entry.function.rpartition(".")[2] in names


# ---- Rows ------------------------------------------------------------------------------

_SMALLEST = {"float16": 6.2e-5, "float32": 1.2e-38, "bfloat16": 1.2e-38}


def _has_denormals(array: Any, dtype: str) -> bool:
    if not isinstance(array, (np.ndarray, np.generic)) or array.dtype.kind not in "fc":
        return False
    parts = (array.real, array.imag) if array.dtype.kind == "c" else (array,)
    smallest = 2.3e-308 if array.dtype in (np.float64, np.complex128) else 1.2e-38
    smallest = _SMALLEST.get(dtype, smallest)
    sizes = [np.abs(np.asarray(part, np.float64)) for part in parts]
    return any(((size > 0) & (size < smallest)).any() for size in sizes)


_QUOTIENTS = {
    *("div", "floor_div", "floordiv", "floormod", "mod"),
    *("FloorDiv", "FloorMod", "Mod"),
}


def _is_flushed(case: Any, mismatch: Any) -> bool:
    """A denormal number is among the arguments, or in minitf's result or its terms."""
    if any(_has_denormals(arg.array, arg.dtype) for arg in case.tensors()):
        return mismatch.kind in _NUMBERS
    if _is_any(case, _QUOTIENTS) and has_extremes(case):
        return mismatch.kind in _NUMBERS
    if _is_any(case, {"zeta", "Zeta"}) and has_extremes(case):  # q^-x
        return _holds(mismatch, lambda at: np.isfinite(at.ours) & (at.theirs == 0))
    if _has_denormals(mismatch.ours, "") and not _has_denormals(mismatch.theirs, ""):
        return True
    few = 64 * _SMALLEST["float32"]
    return _holds(mismatch, lambda at: (np.abs(at.ours) < few) & (at.theirs == 0))


_OVERFLOWING = {"local_response_normalization", "lrn", "resize_bicubic"}
_PRODUCTS = {"einsum", "matmul", "matvec", "tensordot", "xw_plus_b"}
_SUMMING = {
    "fused_batch_norm",
    "mean_pairwise_squared_error",
    "reduce_std",
    "reduce_variance",
}


def _is_huge_or_nothing(at: Any) -> Any:
    is_nothing = np.maximum(np.abs(at.ours), np.abs(at.theirs)) < 1e-6
    return _is_huge(at.ours) | _is_huge(at.theirs) | is_nothing


def _is_huge_or_cancelled(at: Any) -> Any:
    """Both are huge, or what is huge is no more than the rounding of huge terms."""
    ours, theirs = _is_huge(at.ours), _is_huge(at.theirs)
    left = _LEFT["float32"] * np.finfo(np.float32).max
    is_left = np.maximum(np.abs(at.ours), np.abs(at.theirs)) <= left
    return (ours & theirs) | ((ours | theirs) & is_left)


def _is_overflow(case: Any, mismatch: Any) -> bool:
    """A neighbour's square, 0 times infinity, or a sum on the way is not finite."""
    if _is_any(case, {"reduce_euclidean_norm", "EuclideanNorm"}):
        arrays = [np.asarray(arg.array) for arg in case.tensors()]
        large = [(abs(x / 1.0) > 46340).any() for x in arrays if x.dtype.kind == "i"]
        return are_arrays(mismatch) and any(large)
    if _is_any(case, {"polynomial_decay"}):  # of a step below 0, with cycles
        return _holds(mismatch, lambda at: np.isfinite(at.ours) & np.isinf(at.theirs))
    if not has_extremes(case):
        return False
    if _is_any(case, {"weighted_moments"}):
        return mismatch.kind in {"first", "second"} and are_arrays(mismatch)
    if _is_any(case, _OVERFLOWING) and are_arrays(mismatch):
        return bool(np.isnan(mismatch.theirs).any())
    if _is_any(case, {"resize_bilinear", "resize_images", "resize_image_with_pad"}):
        return _holds(mismatch, lambda at: np.isnan(at.theirs) & np.isinf(at.ours))
    if _is_any(case, {"pow", "Pow"}):  # TensorFlow takes sqrt for an exponent of 0.5.
        return _holds(mismatch, lambda at: np.isnan(at.theirs) & np.isinf(at.ours))
    if _is_any(case, _PRODUCTS):
        return _holds(mismatch, _is_huge_or_cancelled)
    return (
        _is_any(case, _SUMMING)
        and mismatch.kind != "value"
        and _holds(mismatch, _is_huge_or_nothing)
    )


def _is_complex(case: Any, mismatch: Any) -> bool:
    """A part of a complex number is so large that its square is not finite.

    TensorFlow's logarithm of 1 + x then forgets the angle, as it does of -1.
    """
    arrays = [array for array in _arrays(case) if array.dtype.kind == "c"]
    if _is_any(case, {"reduce_mean", "Mean"}) and any(not x.size for x in arrays):
        return _holds(mismatch, lambda at: np.isnan(at.ours) & (at.theirs == 0))
    odd = [_is_huge(x.real) | _is_huge(x.imag) for x in arrays]
    is_log = _is_any(case, {"log1p", "Log1p"})
    if is_log:
        odd = [item | (x == -1) for item, x in zip(odd, arrays, strict=True)]
    if not any(item.any() for item in odd):
        return False
    if mismatch.kind not in _NUMBERS or not are_arrays(mismatch):
        return False
    ours, theirs = np.asarray(mismatch.ours), np.asarray(mismatch.theirs)
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return False
    with np.errstate(all="ignore"):
        is_close = np.abs(ours - theirs) <= 1e-4 * np.abs(theirs) + 1e-6
        is_huge = _is_huge(np.abs(ours)) | _is_huge(np.abs(theirs))
    is_close |= ours == theirs
    return bool(np.all(is_close | odd[0] if is_log else is_close | is_huge))


def _is_end_of_erf(case: Any, mismatch: Any) -> bool:
    """The error function of infinities in float64."""
    if not _is_any(case, {"erf", "Erf"}) or mismatch.kind != "value":
        return False
    ends = any(array.dtype == np.float64 for array in _arrays(case))
    return ends and _holds(mismatch, lambda at: (abs(at.ours) == 1) & np.isnan(at.theirs))


_SEGMENTS = {
    "segment_max",
    "segment_min",
    "unsorted_segment_max",
    "unsorted_segment_min",
    "SegmentMax",
    "SegmentMin",
    "UnsortedSegmentMax",
    "UnsortedSegmentMin",
}


def _is_lost_nan(case: Any, mismatch: Any) -> bool:
    """A segment's largest or least number, where one of them is NaN."""
    has_nan = any(np.isnan(array).any() for array in _arrays(case))
    if not has_nan or not _is_any(case, _SEGMENTS):
        return False
    return _holds(mismatch, lambda at: np.isnan(at.ours))


_SLOPES = {
    "reduce_euclidean_norm",
    "EuclideanNorm",
    "unsorted_segment_prod",
    "segment_prod",
    "UnsortedSegmentProd",
    "SegmentProd",
}


def _is_unused_slope(case: Any, mismatch: Any) -> bool:
    """TensorFlow divides by 0 on the way to a second derivative, which is NaN."""
    return (
        _is_any(case, _SLOPES)
        and mismatch.kind == "second"
        and _holds(mismatch, _is_nan_or_nothing)
    )


def _is_nan_or_nothing(at: Any) -> Any:
    is_nothing = (np.abs(at.ours) < 1e-6) & (at.theirs == 0)  # beside NaN
    return ~np.isnan(at.ours) & (np.isnan(at.theirs) | is_nothing)


def _is_black(case: Any, mismatch: Any) -> bool:
    """The second derivative by a channel that is not positive, which does not count."""
    if case.entry.function != "image.rgb_to_hsv" or mismatch.kind != "second":
        return False
    (x,), ours, theirs = _arrays(case), mismatch.ours, mismatch.theirs
    if not are_arrays(mismatch) or not x.shape == np.shape(ours) == np.shape(theirs):
        return False
    largest = np.max(np.abs(theirs), initial=1, where=np.isfinite(theirs))
    is_close = np.isclose(ours, theirs, 1e-4, 1e-5 * largest, equal_nan=True)
    return bool(np.all(is_close | (x <= 0)))


# Images of integers: they are computed as fractions of the largest one.
_COLORS = {"adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_saturation"}


# How much of the largest term rounding may leave: a few units in the last place.
_LEFT = {"bfloat16": 3e-2, "float16": 4e-3, "float32": 4e-6}


def _is_rounding(case: Any, mismatch: Any) -> bool:
    """Numbers that differ by what rounding leaves of their terms."""
    if not are_arrays(mismatch):
        return False
    ours, theirs = np.asarray(mismatch.ours), np.asarray(mismatch.theirs)
    if ours.shape == theirs.shape and ours.dtype.kind in "iu":
        is_color = _is_any(case, _COLORS) and mismatch.kind == "value"
        return is_color and bool(np.all(np.abs(np.float64(ours) - theirs) <= 1))
    if ours.shape != theirs.shape or ours.dtype.kind != "f":
        return False
    finite = np.isfinite(theirs)
    if not np.array_equal(ours[~finite], theirs[~finite], equal_nan=True):
        return False
    ours, theirs = ours[finite].astype(np.float64), theirs[finite].astype(np.float64)
    if case.function.startswith("GradientTape"):
        is_gradient = mismatch.kind[:1] in {"d", "g"}  # of tanh it is 1 - y^2
        return is_gradient and "tanh" in case.text and _are_near(ours, theirs, 4e-6)
    if case.function == "layer_values" and mismatch.kind.startswith("gradient"):
        return _are_near(ours, theirs, 4e-6 * max(1.0, np.abs(theirs).max(initial=0)))
    if mismatch.kind not in _NUMBERS:
        return False
    left = 4e-15
    types = {mismatch.ours.dtype.name, *(arg.dtype for arg in case.tensors())}
    if case.entry.function.startswith(("losses.", "image.", "train.")):
        types.add("float32")
    if mismatch.kind == "value" and not _is_any(case, {"elu", "selu"}):  # exp(x) - 1
        types -= {"float16", "bfloat16"}
    left = max([left, *(_LEFT[dtype] for dtype in types if dtype in _LEFT)])
    return _are_near(ours, theirs, left * _largest_term(case, mismatch.kind, theirs))


def _are_near(ours: np.ndarray, theirs: np.ndarray, bound: float) -> bool:
    """Whether finite numbers differ by no more than ``bound``, or than float64 rounds."""
    distance = np.abs(ours - theirs)
    return bool(np.all((distance <= bound) | (distance <= 1e-9 * np.abs(theirs))))


def _largest_term(case: Any, kind: str, result: np.ndarray) -> float:
    """The largest number of a case: of its arguments, weights and result."""
    arrays = [np.asarray(arg.array) for arg in case.tensors()]
    numbers = [array for array in arrays if array.dtype.kind in "fiu" and array.size]
    terms = [np.abs(array[~_is_huge(array)]) for array in [*numbers, result]]
    sizes = [float(term.max()) for term in terms if term.size]
    times = (kind == "second") + (kind != "value" and case.weights == "weights")
    weights = [(0.5 * array.size) ** times for array in numbers]
    if _is_any(case, {"l2_normalize"}):  # 1 / x^2, which cancels along no axes
        least = [np.abs(term[term != 0]).min(initial=1) for term in terms[:1]]
        sizes += [1 / max(float(size), 0.01) ** 2 for size in least]
    return max([1.0, *sizes, *weights])


def _is_stretched(case: Any, mismatch: Any) -> bool:
    """The gradient of logits or labels of which each row goes along with several."""
    shapes = [np.shape(arg.array) for arg in case.tensors()]
    is_softmax = case.entry.function.startswith(
        ("nn.softmax_cross_entropy_with_logits", "raw_ops.SoftmaxCrossEntropyWith")
    )
    if not is_softmax or len(set(shapes)) == 1:
        return False
    if case.order and "Input to reshape is a tensor with" in str(mismatch.theirs):
        return mismatch.error_of(mismatch.our_facts) in {"", "InvalidArgumentError"}
    if mismatch.kind not in {"first", "second"} or not are_arrays(mismatch):
        return False
    is_wrong = np.shape(mismatch.theirs) != np.shape(mismatch.ours)
    return is_wrong and np.shape(mismatch.ours) in shapes


def _is_log_of_rest(case: Any, mismatch: Any) -> bool:
    """``log(1 - p + epsilon)`` of p = 1, of which a graph makes ``(1 + epsilon) - p``."""
    if case.entry.function != "losses.log_loss" or case.mode != "graph":
        return False
    arrays = [np.asarray(arg.array) for arg in case.tensors()]
    return mismatch.kind in _NUMBERS and any((array == 1).any() for array in arrays)


def _is_cast_beyond(case: Any, mismatch: Any) -> bool:
    """Floats that an integer type of few bits has no room for."""
    if not _is_any(case, {"cast"}) or mismatch.kind != "value":
        return False
    (x,), ours, theirs = _arrays(case) or [None], mismatch.ours, mismatch.theirs
    if x is None or not are_arrays(mismatch) or np.asarray(ours).dtype.kind not in "iu":
        return False
    limits = np.iinfo(np.asarray(ours).dtype)
    with np.errstate(all="ignore"):
        x = np.trunc(np.real(x).astype(np.float64))
    has_room = (x >= limits.min) & (x <= limits.max)
    same = np.asarray(ours) == np.asarray(theirs)
    return limits.bits < 64 and x.shape == np.shape(same) and bool(np.all(same[has_room]))


def _is_rounded_integer(case: Any, mismatch: Any) -> bool:
    """``Round`` of integers."""
    integers = [arg.array for arg in case.tensors() if arg.dtype in {"int32", "int64"}]
    return (
        case.entry.function == "raw_ops.Round"
        and len(integers) == 1
        and np.array_equal(mismatch.ours, integers[0])
    )


def _is_at_the_bound(case: Any, mismatch: Any) -> bool:
    """A distance of the tolerance: not less here, near there."""
    if case.entry.function != "raw_ops.ApproximateEqual" or not are_arrays(mismatch):
        return False
    ours, theirs = np.asarray(mismatch.ours), np.asarray(mismatch.theirs)
    return ours.shape == theirs.shape and bool(np.all(theirs[ours != theirs]))


def _is_saturated(case: Any, mismatch: Any) -> bool:
    """All whole numbers become the least one, and numbers beyond uint64 half of it."""
    if not _is_any(case, {"saturate_cast"}) or mismatch.kind != "value":
        return False
    if not are_arrays(mismatch):
        return False
    ours, theirs = np.asarray(mismatch.ours), np.asarray(mismatch.theirs)
    if theirs.shape != ours.shape:
        return False
    differ = ours != theirs
    if ours.dtype == np.uint64:
        return bool(np.isin(theirs[differ], [0, 2**63]).all())
    is_integer = all(arg.dtype in {"int32", "int64"} for arg in case.tensors())
    if ours.dtype == np.int64 and not is_integer:  # 2^63 - 1 is rounded up, and wraps
        least = np.iinfo(np.int64).min
        return bool(np.all((ours[differ] >= 2**63 - 2**55) & (theirs[differ] == least)))
    if not is_integer and ours.dtype.kind in "iu":
        floats = [x for x in _arrays(case) if x.shape == differ.shape]
        return bool(floats) and bool(np.isnan(floats[0][differ]).all())
    return is_integer and bool(np.all(np.float64(theirs) < -1e9))


ROWS: dict[str, Callable[[Any, Any], bool]] = {
    "denormals": _is_flushed,
    "overflow": _is_overflow,
    "complex": _is_complex,
    "erf": _is_end_of_erf,
    "nans": _is_lost_nan,
    "slopes": _is_unused_slope,
    "ties": ties.is_tie,
    "black": _is_black,
    "rounding": _is_rounding,
    "stretched": _is_stretched,
    "logs": _is_log_of_rest,
    "casts": _is_cast_beyond,
    "bounds": _is_at_the_bound,
    "integers": _is_rounded_integer,
    "saturation": _is_saturated,
}
