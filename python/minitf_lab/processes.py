"""Work that several processes share: threads of Python would take turns on one core."""

import multiprocessing
import pickle
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.sharedctypes import Synchronized
from typing import Any

from minitf_lab import project

# What one process does: it is given the numbers of its items, and yields what came of
# each.
Work = Callable[[Iterator[int]], Iterable[Any]]


def _take(next_number: "Synchronized[int]", num_items: int) -> Iterator[int]:
    """Numbers of items that no process has taken."""
    while True:
        with next_number.get_lock():
            number = next_number.value
            next_number.value += 1
        if number >= num_items:
            return
        yield number


def _sendable(error: BaseException) -> BaseException:
    """``error``, or its text if it cannot be sent to another process."""
    try:
        return pickle.loads(pickle.dumps(error))
    except Exception:
        return project.LabError(f"{type(error).__name__}: {error}")


def _serve(work: Work, numbers: Iterator[int], out: Connection, count: int) -> None:
    """What one of ``count`` processes does: it sends results, then None or an error."""
    project.share_cores(count)
    try:
        for result in work(numbers):
            out.send((False, result))
        out.send((True, None))
    except BaseException as error:
        out.send((True, _sendable(error)))


def shared_out(
    work: Work,
    num_items: int,
    *,
    at_least: int = 1,
    more: int = 0,
    tell: Callable[[int], None] = lambda count: None,
) -> list[Any]:
    """Has a process for each core do ``work`` on items, whoever is free the next one.

    The processes are copies of this one, so ``work`` may use whatever is there. Work that
    they share out in turn is theirs alone, as ``num_cores`` says.

    Args:
        work: Called in each process with its items' numbers, below ``num_items``.
        num_items: How many there are.
        at_least: So many items make a process worth starting; if there is to be but one,
            this process does them.
        more: Processes beside those of the cores, for work that waits now and then.
        tell: Called in this process with the number of results so far, after each.

    Returns:
        What all calls yield, in any order.

    Raises:
        LabError: a process did not come to its end.
        Exception: the first that ``work`` raises; the other processes are stopped.
    """
    count = min(project.num_cores() + more, num_items // at_least)
    results: list[Any] = []
    if count <= 1:
        for result in work(iter(range(num_items))):
            results.append(result)
            tell(len(results))
        return results
    context = multiprocessing.get_context("fork")
    next_number = context.Value("i", 0)
    running = []
    try:
        for _ in range(count):
            receiver, sender = context.Pipe(duplex=False)
            numbers = _take(next_number, num_items)
            process = context.Process(target=_serve, args=(work, numbers, sender, count))
            process.start()
            sender.close()
            running.append((receiver, process))
        left = [receiver for receiver, _ in running]
        while left:
            for receiver in wait(left):
                is_last, result = _receive(receiver)
                if not is_last:
                    results.append(result)
                    tell(len(results))
                    continue
                if result is not None:
                    raise result
                left.remove(receiver)
    finally:
        for receiver, process in running:
            receiver.close()
            process.terminate()
            process.join()
    return results


def _receive(receiver: Any) -> tuple[bool, Any]:
    try:
        return receiver.recv()
    except EOFError:
        raise project.LabError("a process of the tests has ended by itself") from None
