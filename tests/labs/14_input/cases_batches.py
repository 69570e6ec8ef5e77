"""Lab 14, task 15: batches."""

from collections import Counter
from typing import Any

import numpy as np
from lab_14_input.trials import value_trial
from lab_common.checks import call_trial

from minitf_lab.judge.case import Mismatch, Trial, case
from minitf_lab.judge.draw import Draw


def _columns(draw: Draw, count: int, rank: int = 1) -> list[np.ndarray]:
    """A column that tells rows apart, and one of numbers."""
    shape = (count, *(draw.whole(1, 3) for _ in range(rank)))
    numbers = np.arange(count).reshape(draw.one_of([(count,), (count, 1)]))
    return [numbers, draw.array(shape, "float32")]


def batch_trial(columns: list[np.ndarray], size: int, **options: Any) -> Trial:
    """Batches, whose rows are those that are kept, once an epoch."""
    keep = options.get("keep") or [True] * len(columns[0])
    if options.get("is_kept_whole"):
        keep = [keep[i - i % options["rows"]] for i in range(len(keep))]
    readers = 2 if options.get("join") else 1
    rows = [i for i, is_kept in enumerate(keep) if is_kept] * readers
    is_ordered = not options.get("shuffle") and not options.get("join")
    smaller = options.get("smaller", False)

    def check(got: Any) -> Mismatch | str | None:
        if got.get("error"):
            return f"it raised {got['error']['raised']}: {got['error']['text']}"
        sizes = [len(batch[0]) for batch in got["batches"]]
        whole, left = divmod(len(rows), size)
        wanted = [size] * whole + ([left] if smaller and left else [])
        if sizes != wanted:
            return Mismatch("sizes of batches", expected=str(wanted), got=str(sizes))
        shape = [None if smaller else size, *columns[0].shape[1:]]
        if got["shape"] != shape:
            return Mismatch("what is known", expected=str(shape), got=str(got["shape"]))
        if options.get("name", got["name"]) != got["name"]:
            return f"the node is called {got['name']}, expected {options['name']}"
        order = [int(i) for batch in got["batches"] for i in np.ravel(batch[0])]
        if is_ordered and order != rows[: len(order)]:
            return Mismatch("rows", expected=str(rows[: len(order)]), got=str(order))
        if Counter(order) - Counter(rows):
            return f"rows come too often, or were not to be kept: {order} of {rows}"
        for batch in got["batches"]:
            if not np.array_equal(batch[1], columns[1][np.ravel(batch[0])]):
                return "the second column does not belong to the first"
        return None

    title = f"batches of {size} of {len(columns[0])} rows, {options}"
    return call_trial(
        title, check, "batches", columns=columns, batch_size=size, **options
    )


@case("14.15")
def whole_batches(draw):
    """All rows in order; those that fill no batch are left out, or are a smaller one."""
    for count, size in ((4, 2), (5, 2), (2, 3), (7, 7)):
        for smaller in (False, True):
            columns = _columns(draw, count)
            yield batch_trial(columns, size, smaller=smaller, name="rows_of_it")


@case("14.15", over=(0, 2))
def rows_that_are_kept(draw, rows):
    """Of examples that are not to be kept nothing is enqueued, one by one and in rows."""
    for keep in ([1, 0, 1, 1], [0, 0, 0, 1], [0, 1, 0, 0, 1, 1], [1, 1]):
        chosen = [bool(one) for one in keep]
        columns = _columns(draw, len(keep), draw.whole(0, 2))
        yield batch_trial(columns, 1, keep=chosen, rows=rows)
        yield batch_trial(columns, 2, keep=chosen, rows=rows, smaller=True)


@case("14.15")
def rows_that_are_kept_together(draw):
    """One keep for several rows holds for each of them."""
    for keep in ([1, 0, 0, 1, 1, 1], [0, 1, 1, 0], [1, 1], [1, 0, 1, 0, 0, 1, 1, 1]):
        chosen = [bool(one) for one in keep]
        rows = 3 if len(keep) == 6 else 2
        options = {"keep": chosen, "rows": rows, "is_kept_whole": True, "smaller": True}
        for size, is_open in ((1, False), (2, False), (2, True)):
            columns = _columns(draw, len(keep), draw.whole(0, 2))
            yield batch_trial(columns, size, **options, is_open=is_open)


@case("14.15")
def keeps_that_are_too_few(draw):
    """As many keeps as rows: else the step fails, and no row is left out in silence."""
    for count, keeps in ((4, 3), (3, 4), (2, 1)):
        columns = _columns(draw, count)

        def check(got: Any) -> str | None:
            error = got.get("error")
            if error and error["raised"] == "InvalidArgumentError":
                return None
            return f"the error is {error}, expected InvalidArgumentError"

        title = f"{count} rows, two at once, and {keeps} keeps"
        yield call_trial(
            title, check, "batches", columns=columns, batch_size=1, keep=[True] * keeps,
            rows=2, is_open=True,
        )  # fmt: skip


@case("14.15")
def rows_that_wait_elsewhere(draw):
    """A component goes through the methods of its room: what is left out never waits."""
    for rows, is_kept_whole in ((0, False), (2, False), (2, True)):
        for keep in ([1, 0, 1, 1], [0, 1], [0, 1, 1, 0], [1, 1]):
            count = len(keep)
            chosen = [keep[i - i % 2] if is_kept_whole else keep[i] for i in range(count)]
            found = [[[[i, 10 * i, 100 * i]], [i]] for i in range(count) if chosen[i]]
            arguments = {
                "count": count, "rows": rows, "keep": [bool(k) for k in keep],
                "is_kept_whole": is_kept_whole,
            }  # fmt: skip
            title = f"{count} rows in a room, {rows or 1} at once, {chosen} are kept"
            for alone in (False, True):
                expected = {"found": [row[: 2 - alone] for row in found], "left": 0}
                given = arguments | {"is_alone": alone}
                yield value_trial(title, "rows_in_rooms", given, expected)


@case("14.15")
def rows_in_any_order(draw):
    """Shuffled batches have every row, once an epoch."""
    for count, size, kept in ((6, 2, 2), (9, 3, 4)):
        shuffle = {"capacity": 8, "min_after_dequeue": kept, "seed": 3}
        for join in (False, True):
            columns = _columns(draw, count)
            yield batch_trial(columns, size, shuffle=shuffle, join=join, smaller=True)


@case("14.15")
def examples_of_other_sizes(draw):
    """Of examples that are joined, sizes that all have are known, and no others."""
    for shapes in (
        [[2], [3]], [[3, 2], [1, 2]], [[4, 1], [4, 5], [4, 1]], [[2], [2]], [[2], [-2]],
        [[-2], [2]], [[-3, 2], [-3, 2]], [[3, 2], [3, -2], [3, 2]], [[2, 3], [3, 2]],
        [[0, 2], [0, 2]], [[0], [3]], [[0], [-1]],
    ):  # fmt: skip
        same = [
            sizes[0] if len(set(sizes)) == 1 and sizes[0] >= 0 else None
            for sizes in zip(*shapes, strict=True)
        ]
        sums = sorted(float(abs(np.prod(shape))) for shape in shapes for _ in range(2))

        def check(
            got: Any, same: list = same, sums: list = sums
        ) -> Mismatch | str | None:
            if got.get("error"):
                return f"it raised {got['error']['raised']}: {got['error']['text']}"
            if got["shape"] != [None, *same]:
                return Mismatch(
                    "what is known", expected=f"{[None, *same]}", got=f"{got['shape']}"
                )
            return None if got["sums"] == sums else f"rows sum to {got['sums']}"

        yield call_trial(
            f"examples of shapes {shapes}", check, "joined", shapes=shapes, count=2
        )
