"""Cases of a lab: what is called, with which arguments, and what must come of it.

The files of cases, ``tests/labs/NN_name/cases*.py``, hold functions such as

    @case("01.3", over=["float32", "float64"])
    def slices_share_memory(draw, dtype):
        "A slice is another view of the same elements."
        for size in range(1, 5):
            x = draw.array((size, 3), dtype)
            call = Call("slice", {"x": x, "begin": 1})
            yield Trial(f"row 1 of {describe(x)}", [call], equal_to([x[1:]]))

Trials go from small to large, and a case ends at the first that fails: so the report
shows the smallest. The functions that calls name are those of ``driver.py`` in the same
folder.
"""

import importlib
import inspect
import itertools
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from minitf_lab.judge.draw import Draw
from minitf_lab.judge.wire import Raised, Ref

__all__ = [
    "Call",
    "Case",
    "Mismatch",
    "Raised",
    "Ref",
    "Trial",
    "case",
    "close",
    "close_to",
    "close_within",
    "describe",
    "load_cases",
    "wrong_kind",
]


MAX_CASES = 1000  # of a function
# The package ``lab_common``. Drivers and cases import different files of it.
COMMON = Path(__file__).parents[3] / "tests" / "labs" / "common"


@dataclass(frozen=True)
class Call:
    """One call of a function of the driver.

    Attributes:
        name: If given, later calls use the value as ``Ref(name)``, and it is not sent
            back.
        may_raise: An error is the value, as a ``Raised``, and no failure by itself.
    """

    function: str
    arguments: dict[str, Any]
    name: str = ""
    may_raise: bool = False


@dataclass(frozen=True)
class Mismatch:
    """What is wrong with a value.

    Attributes:
        index: The first wrong element, such as ``[0,2]``.
        differ: How many elements differ, such as ``2 of 6``.
        max_abs: The largest difference between two numbers.
        max_rel: The same as a part of what is expected, where that is not 0.
        around: The elements near the first wrong one, expected and got.
    """

    message: str
    index: str = ""
    expected: str = ""
    got: str = ""
    differ: str = ""
    max_abs: str = ""
    max_rel: str = ""
    around: str = ""


Check = Callable[[list[Any]], Mismatch | str | None]


@dataclass(frozen=True)
class Trial:
    """A script, and the check of its values.

    Attributes:
        title: What is called, with shapes and attributes; the report shows it.
        check: Gets the values of the unnamed calls, in order. Returns what is wrong.

    Raises:
        ValueError: it has no title, or no call whose value is checked.
    """

    title: str
    calls: list[Call]
    check: Check

    def __post_init__(self) -> None:
        if not self.title or all(call.name for call in self.calls):
            raise ValueError(f"the trial {self.title!r} checks nothing")


@dataclass(frozen=True)
class Case:
    """A named generator of trials, of one task.

    Attributes:
        claim: The sentence that the case tests.
        is_hidden: Whether students do not get it.
        file: Where the generator is.
        line: The first of its lines.
    """

    name: str
    task: str
    claim: str
    make: Callable[[Draw], Iterable[Trial]]
    is_hidden: bool = False
    file: str = ""
    line: int = 0

    def trials(self, seed: int = 0) -> Iterator[Trial]:
        """The trials with the numbers that ``seed`` gives.

        Raises:
            ValueError: there are none, so that every answer would pass.
        """
        is_empty = True
        for trial in self.make(Draw(f"{self.name} {seed}")):
            is_empty = False
            yield trial
        if is_empty:
            raise ValueError(f"the case {self.name} tries nothing")


def case(task: str, *, over: Iterable = (), hidden: bool = False) -> Callable:
    """Makes cases of a generator function, whose docstring is what they claim.

    Args:
        task: Such as "04.2".
        over: If given, there is a case for each member, which the function gets after
            ``draw``; the members of a tuple one by one.
        hidden: Whether students do not get it.
    """

    def make(function: Callable) -> list[Case]:
        claim = " ".join((inspect.getdoc(function) or "").split()).rstrip(".")
        place = function.__code__.co_filename, function.__code__.co_firstlineno
        cases = []
        members = list(itertools.islice(over, MAX_CASES + 1))
        if len(members) > MAX_CASES:
            raise ValueError(
                f"{function.__name__}: over has more than {MAX_CASES} members"
            )
        for member in [m if isinstance(m, tuple) else (m,) for m in members] or [()]:
            words = "_".join(re.sub(r"\W+", "_", str(word)) for word in member)
            name = f"{function.__name__}-{words}" if words else function.__name__
            title = f"{claim} ({', '.join(map(str, member))})" if member else claim

            def trials(draw: Draw, member: tuple = member) -> Iterable[Trial]:
                return function(draw, *member)

            cases.append(Case(name, task, title, trials, hidden, *place))
        return cases

    return make


def load_module(path: Path) -> ModuleType:
    """Imports a file of a lab's folder of tests, such as 04_gradients.

    The folder is a package, here lab_04_gradients, so its files can import each other and
    those of ``lab_common``. A driver in C++ is the module that was compiled of it,
    lab_04_driver.
    """
    if path.suffix == ".cc":
        return importlib.import_module(f"lab_{path.parent.name[:2]}_driver")
    name = f"lab_{path.parent.name}"
    if name in sys.modules and sys.modules[name].__path__[0] != str(path.parent):
        forget_modules(name)  # another folder is called so too
    for package, folder in ((name, path.parent), ("lab_common", COMMON)):
        if package not in sys.modules:
            sys.modules[package] = ModuleType(package)
            sys.modules[package].__path__ = [str(folder)]
    return importlib.import_module(f"{name}.{path.stem}")


def forget_modules(package: str) -> None:
    """Has the modules of a package read anew when they are imported again."""
    for name in [*sys.modules]:
        if name == package or name.startswith(f"{package}."):
            del sys.modules[name]


def load_cases(folder: Path, pack: Path | None = None) -> list[Case]:
    """All cases of a lab's files ``cases*.py``, by task and in the order of the files.

    Args:
        folder: Of the lab's tests.
        pack: With more such files, which can import those of the lab; all are hidden.

    Raises:
        ValueError: two have the same name, or two files.
    """
    found = _cases_in(sorted(folder.glob("cases*.py")))
    if pack:
        paths = sorted(pack.glob("cases*.py"))
        if both := {path.name for path in paths if (folder / path.name).exists()}:
            raise ValueError(f"the lab has a file {min(both)} too")
        package = sys.modules[f"lab_{folder.name}"]
        package.__path__ = [str(folder), str(pack)]
        found += [replace(one, is_hidden=True) for one in _cases_in(paths, folder)]
    names = [one.name for one in found]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"{folder}: two cases are called {', '.join(sorted(twice))}")
    return sorted(found, key=lambda one: [int(part) for part in one.task.split(".")])


def _cases_in(paths: list[Path], folder: Path | None = None) -> list[Case]:
    """The cases of files, which belong to the package of ``folder`` or of their own."""
    return [
        member
        for path in paths
        for value in vars(load_module((folder or path.parent) / path.name)).values()
        if isinstance(value, list)
        for member in value
        if isinstance(member, Case)
    ]


# ---- Checks ---------------------------------------------------------------------------


def describe(value: Any) -> str:
    """An array as its element type and shape, anything else as it is.

    >>> describe(np.zeros((2, 3), np.float32)), describe(None)
    ('float32 [2,3]', 'none')
    """
    if isinstance(value, (np.ndarray, np.generic)):
        return f"{value.dtype.name} [{','.join(map(str, value.shape))}]"
    return "none" if value is None else repr(value)


def _show(number: Any, other: Any) -> str:
    """A number with as many digits as are needed to tell it from another."""
    if not isinstance(number, (np.floating, np.complexfloating)):
        return str(number)
    for digits in (6, 9, 17):
        text = f"{number:.{digits}g}"
        if text != f"{other:.{digits}g}" or digits == 17:
            break
    return text


def _around(expected: np.ndarray, got: np.ndarray, index: tuple[int, ...]) -> str:
    """The 3 by 3 elements near ``index``, expected and got; empty for vectors."""
    if expected.ndim < 2:
        return ""
    rows, columns = (slice(max(i - 1, 0), i + 2) for i in index[-2:])
    blocks = []
    for title, array in (("expected", expected), ("got", got)):
        part = array[(*index[:-2], rows, columns)]
        text = np.array2string(part, precision=5, suppress_small=True)
        blocks.append(f"{title}\n{text}")
    return "\n".join(blocks)


def _sizes(expected: np.ndarray, got: np.ndarray) -> tuple[str, str]:
    """The largest difference of numbers, and as a part of what is expected.

    Empty where there is none that is finite: beside NaN, infinity and text.

    >>> _sizes(np.array([2.0, 0.0, np.inf]), np.array([3.0, 0.25, 1.0]))
    ('1', '0.5')
    """
    if expected.dtype.kind not in "iufc":
        return "", ""
    wide = "complex128" if expected.dtype.kind == "c" else "float64"
    with np.errstate(all="ignore"):
        off = np.abs(got.astype(wide) - expected.astype(wide))
        parts = off / np.abs(expected.astype(wide))
    found = [values[np.isfinite(values)] for values in (off, parts)]
    absolute, relative = (
        f"{values.max():.3g}" if values.size else "" for values in found
    )
    return absolute, relative


def wrong_kind(
    got: Any, dtype: Any, shape: tuple[int, ...], what: str = ""
) -> Mismatch | None:
    """The mismatch of an array's type or shape; None if both are right.

    A check calls this before it computes with what came, which may be an array of True.

    >>> wrong_kind(np.float32([1]), "float64", (1,)).expected
    'float64 [1]'
    """
    prefix = f"{what}: " if what else ""
    if isinstance(got, Raised):
        return Mismatch(f"{prefix}it raised {got.type}: {got.message}")
    expected = f"{np.dtype(dtype).name} [{','.join(map(str, shape))}]"
    if got is None:
        return Mismatch(f"{prefix}it is none, expected {expected}")
    got = np.asarray(got)
    for aspect, other in (
        ("element type", got.dtype != dtype),
        ("shape", got.shape != shape),
    ):
        if other:
            return Mismatch(
                f"{prefix}wrong {aspect}", expected=expected, got=describe(got)
            )
    return None


def close_within(
    got: Any, expected: np.ndarray, bound: Any, *, dtype: Any, what: str = ""
) -> Mismatch | None:
    """The mismatch of an array whose elements may be off by ``bound`` each.

    Infinities and NaN must stand where they are expected.

    Args:
        got: What came back.
        expected: The numbers, which may have more digits than ``dtype``.
        bound: How far each may be off: a number, or an array.
        dtype: The type that the elements must have.
        what: Goes in front of the message.
    """
    if wrong := wrong_kind(got, dtype, expected.shape, what):
        return wrong
    got = np.asarray(got)
    wide = np.complex128 if got.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        wanted = expected.astype(dtype)
        is_near = np.abs(got.astype(wide) - expected.astype(wide)) <= bound
    is_near &= np.isfinite(got) & np.isfinite(expected)
    # The expected value that is shown is then the one that numpy has.
    return close(got, np.where(is_near, got, wanted), what=what)


def close(
    got: Any, expected: Any, *, rtol: float = 0, atol: float = 0, what: str = ""
) -> Mismatch | None:
    """What is wrong with an array: type, shape, or elements; None if nothing is.

    Infinities and NaN must stand where they are expected.

    Args:
        got: What came back.
        expected: An array, or None if there must be none.
        rtol: How far an element may be off, as a part of it. 0 for both is exact.
        atol: How far it may be off besides.
        what: Goes in front of the message, such as "dL/dx".
    """
    prefix = f"{what}: " if what else ""
    if isinstance(got, Raised):
        return Mismatch(f"{prefix}it raised {got.type}: {got.message}")
    if expected is None or got is None:
        if expected is None and got is None:
            return None
        return Mismatch(f"{prefix}it is {describe(got)}, expected {describe(expected)}")
    got, expected = np.asarray(got), np.asarray(expected)
    if wrong := wrong_kind(got, expected.dtype, expected.shape, what):
        return wrong
    if got.dtype == bool and np.any(got.view(np.uint8) > 1):
        return Mismatch(f"{prefix}it has elements that nobody has set")
    if rtol or atol:
        with np.errstate(all="ignore"):
            same = np.isclose(got, expected, rtol=rtol, atol=atol, equal_nan=True)
    else:
        same = got == expected
        if expected.dtype.kind in "fc":
            same |= np.isnan(got) & np.isnan(expected)
    if np.all(same):
        return None
    index = tuple(int(i) for i in np.argwhere(~same)[0])
    max_abs, max_rel = _sizes(expected, got)
    return Mismatch(
        f"{prefix}wrong",
        index=f"[{','.join(map(str, index))}]",
        expected=_show(expected[index], got[index]),
        got=_show(got[index], expected[index]),
        differ=f"{np.size(same) - np.count_nonzero(same)} of {np.size(same)}",
        max_abs=max_abs,
        max_rel=max_rel,
        around=_around(expected, got, index),
    )


def close_to(
    expected: Iterable, *, names: Iterable[str] = (), rtol: float = 0, atol: float = 0
) -> Check:
    """A check that the only value is a list of these arrays, as ``close`` says."""
    expected = list(expected)

    def check(values: list[Any]) -> Mismatch | None:
        (got,) = values
        if not isinstance(got, (list, tuple)) or len(got) != len(expected):
            return Mismatch(f"there are {describe(got)}, expected {len(expected)} values")
        labels = itertools.chain(names, itertools.repeat(""))
        for one, other, what in zip(got, expected, labels, strict=False):
            if wrong := close(one, other, rtol=rtol, atol=atol, what=what):
                return wrong
        return None

    return check
