"""Cases of one function for several tasks."""

from collections.abc import Callable, Iterable

from minitf_lab.judge.case import Case, case


def for_tasks(
    tasks: Iterable[tuple[str, tuple]],
    *,
    over: Iterable[tuple] = ((),),
    hidden: bool = False,
) -> Callable[[Callable], list[Case]]:
    """As ``case``: cases of each task, for each member of ``over``.

    ``tasks`` has pairs of a task and a tuple. The function gets the elements of this
    tuple after ``draw``, and those of the member of ``over`` after them.
    """
    pairs, members = list(tasks), list(over)

    def make(function: Callable) -> list[Case]:
        return [
            one
            for task, first in pairs
            for member in members
            for one in case(task, over=[(*first, *member)], hidden=hidden)(function)
        ]

    return make
