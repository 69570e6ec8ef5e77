"""When a hand-in has hung often enough: the rest of its cases count without being run.

Processes that run cases beside each other know of each other's through shared memory. A
case is given up if cases before it have hung, never because of one that comes later or
by the clock: so the verdicts are the same whoever was first.
"""

import multiprocessing

from minitf_lab.results import Result

IN_A_ROW = 4  # of a task; then it hangs whatever it is given
TOTAL_S = 600  # that a lab's cases may hang in all, if its manifest says nothing else


class Patience:
    """What is known of cases in their order.

    Args:
        tasks: Of each case, its task.
        seconds: What a case that hangs takes.
        total_s: How long all of them may hang together.
    """

    def __init__(self, tasks: list[str], seconds: float, total_s: float) -> None:
        self._tasks = tasks
        self._most = max(IN_A_ROW, int(total_s / seconds))
        self._has_hung = multiprocessing.RawArray("b", max(1, len(tasks)))

    def note(self, number: int, result: Result) -> None:
        """Remembers what became of a case."""
        self._has_hung[number] = result.status == "timeout"

    def is_over(self, number: int) -> bool:
        """Whether cases before this one have hung too often."""
        if sum(self._has_hung[:number]) >= self._most:
            return True
        in_a_row = 0
        for i in range(number):
            if self._tasks[i] == self._tasks[number]:
                in_a_row = in_a_row + 1 if self._has_hung[i] else 0
                if in_a_row == IN_A_ROW:
                    return True
        return False

    def final(self, results: list[Result]) -> list[Result]:
        """``results`` in order, with those given up that nobody knew of in time."""
        for number, result in enumerate(results):
            self.note(number, result)
            if self.is_over(number):
                results[number] = given_up(result.name, result.details.get("claim", ""))
                self._has_hung[number] = True
        return results


def given_up(name: str, claim: str) -> Result:
    """What becomes of a case that is not run any more."""
    text = "it was not run, since too many cases before it had to be stopped"
    return Result(name, "timeout", text, {"claim": claim})
