"""Is a lab good? Wrong answers must be found, right ones must pass.

faults.py        wrong answers that were planted
mutate.py        small changes by rule (mutants.py) of the right answer
together.py      many wrong answers in one library
controls.py      right answers that are not minitf's own
misbehaviour.py  answers that crash, hang or print
sanitized.py     minitf's own answers under the sanitizers
qa.py            all of this for a lab of an instructor
measure.py       figures of a lab; labs_page.py: docs/labs.md
"""
