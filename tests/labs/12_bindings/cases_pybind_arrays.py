"""Lab 12, tasks 7 and 8: elements that Python and C++ share.

NumPy says which arrays are dense, aligned and in the machine's byte order.
"""

from typing import Any

import numpy as np
from lab_12_bindings.pybind_looks import elements, shapes, trial
from lab_12_bindings.pybind_views import LAYOUTS, NUMBERS, view_of

from minitf_lab.judge.case import case, describe

NOTHING = {"references": [0] * 4, "tensors": 0, "64 KB": 0}


def _can_be_borrowed(array: np.ndarray) -> bool:
    flags = array.flags
    return flags.c_contiguous and flags.aligned and array.dtype.isnative


# ---- 12.7 -----------------------------------------------------------------------------


@case("12.7", over=LAYOUTS)
def arrays_become_tensors(draw, layout):
    """A dense array is borrowed and kept alive; another one is copied."""
    for rank in range(6):
        for dtype in NUMBERS:
            for shape in shapes(draw, rank):
                values = elements(draw, dtype, shape)
                array = view_of(values, layout)
                is_borrowed = _can_be_borrowed(array)
                old = np.array(array, dtype)
                new = old
                if array.flags.writeable:
                    new = np.roll(values.reshape(-1), 1).reshape(shape)
                expected = {
                    "value": old, "same address": is_borrowed,
                    "references": int(is_borrowed), "array then": new.astype(array.dtype),
                    "value then": new if is_borrowed else old,
                }  # fmt: skip
                title = f"{describe(values)}, {layout}"
                arguments = {"values": values, "layout": layout}
                yield trial(title, expected, "borrow", **arguments)


@case("12.7", over=("plain", "reversed", "unaligned", "big-endian"))
def nothing_is_left_of_arrays(draw, layout):
    """10,000 tensors of one array leave no reference to it, and no copy of it."""
    for dtype in ("int16", "float64"):
        values = elements(draw, dtype, (200,))
        arguments = {"dtype": dtype, "shape": [200], "layout": layout}
        title = f"10,000 tensors of {describe(values)}, {layout}"
        yield trial(title, NOTHING, "growth", values=values, **arguments)


@case("12.7")
def the_last_tensor_frees_the_array(draw):
    """An array is freed with the last of the tensors that borrow it, in any order."""
    for count in range(1, 6):
        order = draw.shuffled(list(range(count)))
        values = elements(draw, "float32", (3,))
        expected = [True] * count + [False]
        title = f"{count} tensors of one array, which go in the order {order}"
        yield trial(title, expected, "freed", values=values, order=order)


@case("12.7", over=("plain", "read-only", "big-endian", "column"))
def feeds_are_freed_in_a_step(draw, layout):
    """A step sees the elements that are fed, and frees an array that only it has."""
    for steps in (1, 3):
        for dtype in ("float64", "int32"):
            values = elements(draw, dtype, draw.shape(draw.whole(1, 4)))
            same = _can_be_borrowed(view_of(values, layout))
            expected = {"same address": [same] * steps, "results": values, "gone": steps}
            title = f"{steps} steps with {describe(values)}, {layout}"
            arguments = {"values": values, "layout": layout, "steps": steps}
            yield trial(title, expected, "fed", **arguments)


# ---- 12.8 -----------------------------------------------------------------------------


def _texts(draw: Any, count: int) -> list[bytes]:
    return [
        bytes(draw.whole(0, 255) for _ in range(draw.whole(0, 5))) for _ in range(count)
    ]


def _scalar(value: Any, dtype: str) -> dict[str, Any]:
    kind = "bytes" if dtype == "string" else np.dtype(dtype).type.__name__
    return {"type": kind, "value": value}


@case("12.8", over=(*NUMBERS, "string"))
def tensors_become_arrays(draw, dtype):
    """An array of the caller's own is apart; one that shares elements is read-only."""
    is_text = dtype == "string"
    for shape in [shape for rank in range(6) for shape in shapes(draw, rank)]:
        size = int(np.prod(shape))
        values = _texts(draw, size) if is_text else elements(draw, dtype, shape)
        array = {"type": "ndarray", "value": values, "shape": list(shape)}
        own, shared = {**array, "may write": True}, {**array, "may write": is_text}
        if size and not is_text:
            own, shared = {**own, "same address": False}, {**shared, "same address": True}
        if not shape:
            own = shared = _scalar(values[0] if is_text else values, dtype)
        for borrowed in (False, True):
            expected = {"own": own, "shared": shared, "then": own["value"]}
            title = f"{dtype} {list(shape)}, {'borrowed' if borrowed else 'of minitf'}"
            arguments = {"values": values, "dtype": dtype, "shape": list(shape)}
            yield trial(title, expected, "show", **arguments, borrowed=borrowed)


@case("12.8")
def fetches_are_the_callers_own(draw):
    """A fetched array is not copied unless somebody else sees its elements."""
    for kept, borrowed in ((False, False), (True, False), (False, True), (True, True)):
        for rank in (1, 3):
            values = elements(draw, "float32", draw.shape(rank))
            owners = 1 + kept
            expected = {
                "value": values, "may write": True,
                "same address": not kept and not borrowed,
                "source then": [values] * owners,
            }  # fmt: skip
            title = f"{describe(values)}, Python keeps it: {kept}, owns it: {borrowed}"
            arguments = {"values": values, "kept": kept, "borrowed": borrowed}
            yield trial(title, expected, "fetched", **arguments)


@case("12.8")
def arrays_keep_the_elements(draw):
    """The elements are freed with the last array that shows them, and not before."""
    for views in range(1, 5):
        values = draw.array((1024,))
        expected = [1.0] * (views + 1) + [0.0, np.sum(values[views - 1 :])]
        title = f"an array and {views} views of it, which go one after the other"
        yield trial(title, expected, "memory_of_arrays", values=values, views=views)


@case("12.8", over=("float32", "bool", "complex128", "string"))
def nothing_is_left_of_tensors(draw, dtype):
    """10,000 arrays of one tensor leave no reference and no memory behind."""
    for shape in [(), (40,)]:
        size = int(np.prod(shape))
        is_text = dtype == "string"
        values = _texts(draw, size) if is_text else elements(draw, dtype, shape)
        arguments = {"dtype": dtype, "shape": list(shape), "layout": ""}
        title = f"10,000 arrays of a {dtype} {list(shape)}"
        yield trial(title, NOTHING, "growth", values=values, **arguments)
