"""When a hand-in has hung often enough: the rest of its cases count without being run.

Processes that run cases beside each other know of each other's through shared memory. A
case is given up if cases before it have hung, never because of one that comes later or
by the clock: so the verdicts are the same whoever was first.
"""

import multiprocessing
from collections.abc import Callable

from minitf_lab.judge.case import Case
from minitf_lab.judge.runner import result_of
from minitf_lab.results import Result

IN_A_ROW = 4  # of a task; then it hangs whatever it is given
TOTAL_S = 600  # that a lab's cases may hang in all, if its manifest says nothing else


class Patience:
    """What is known of cases in their order.

    Each case that hangs takes ``seconds``, and all of them together ``total_s`` at most.
    """

    def __init__(self, cases: list[Case], seconds: float, total_s: float) -> None:
        self._cases = cases
        self._most = max(IN_A_ROW, int(total_s / seconds))
        self._has_hung = multiprocessing.RawArray("b", max(1, len(cases)))

    def run(self, number: int, run: Callable[[Case], Result]) -> Result:
        """What becomes of a case: it is run, or given up."""
        if self._is_over(number):
            return self._given_up(number)
        result = run(self._cases[number])
        self._has_hung[number] = result.status == "timeout"
        return result

    def _is_over(self, number: int) -> bool:
        """Whether cases before this one have hung too often."""
        if sum(self._has_hung[:number]) >= self._most:
            return True
        in_a_row = 0
        for i in range(number):
            if self._cases[i].task == self._cases[number].task:
                in_a_row = in_a_row + 1 if self._has_hung[i] else 0
                if in_a_row == IN_A_ROW:
                    return True
        return False

    def final(self, results: list[Result]) -> list[Result]:
        """``results`` in order, with those given up that nobody knew of in time."""
        for number, result in enumerate(results):
            self._has_hung[number] = result.status == "timeout"
            if self._is_over(number):
                results[number] = self._given_up(number)
                self._has_hung[number] = True
        return results

    def _given_up(self, number: int) -> Result:
        text = "it was not run, since too many cases before it had to be stopped"
        return result_of(self._cases[number], "timeout", text)
