"""A hand-in that hangs is given up, and its verdicts do not depend on who was first."""

import random

from minitf_lab.judge.case import Case
from minitf_lab.labs.patience import IN_A_ROW, Patience
from minitf_lab.results import Result

OTHER = {"o": "passed", "x": "failed", "t": "timeout"}


def statuses(word, tasks=None, total_s=600, order=None):
    """What becomes of cases that end as ``word`` says, run in some order."""
    tasks = tasks or "a" * len(word)
    cases = [Case(str(i), task, "", None) for i, task in enumerate(tasks)]
    patience = Patience(cases, 10, total_s)
    results = [None] * len(word)
    for number in order or range(len(word)):
        results[number] = patience.run(
            number, lambda case: Result(case.name, OTHER[word[int(case.name)]])
        )
    names = {status: letter for letter, status in OTHER.items()}
    return "".join(names[one.status] for one in patience.final(results))


def test_four_in_a_row_end_a_task():
    assert IN_A_ROW == 4
    assert statuses("ttttooo") == "ttttttt"
    assert statuses("otttoto") == "otttoto"
    assert statuses("ttotttxooo") == "ttotttxooo"


def test_another_task_goes_on():
    assert statuses("ttttooooo", "aaaaaabbb") == "ttttttooo"
    # The cases of a task are in a row, whatever stands between them.
    assert statuses("totototooo", "ababababab") == "totototoTo".lower()


def test_the_time_of_all_together_ends_all():
    assert statuses("totototooo", "ababababcd", total_s=40) == "totototttt"
    assert statuses("totototooo", "ababababcd", total_s=50) == "totototooo"


def test_the_order_changes_nothing():
    chance = random.Random(1)
    for _ in range(200):
        word = "".join(chance.choice("ottt") for _ in range(20))
        tasks = sorted(chance.choice("abc") for _ in word)
        total_s = chance.choice((40, 60, 600))
        expected = statuses(word, tasks, total_s)
        for _ in range(5):
            order = chance.sample(range(20), 20)
            assert statuses(word, tasks, total_s, order) == expected
