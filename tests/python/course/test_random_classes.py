"""Random classes: nobody is lost, merged or exported twice."""

import random

import pytest
import random_classes
from random_downloads import LAYOUTS, make_class


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_random_classes_get_their_own_marks(first):
    counts = random_classes.check_many(range(first, first + 20))
    assert sum(counts.values()) == 20 and len(counts) > 3


def test_classes_are_of_all_layouts_and_some_are_refused():
    made = [make_class(random.Random(seed)) for seed in range(200)]
    assert {one.layout for one in made} == set(LAYOUTS)
    assert any(random_classes.is_refused(one) for one in made)
    assert any(student.group is not None for one in made for student in one.students)
