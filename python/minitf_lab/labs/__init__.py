"""A lab: its files, the exercises made of them, and what an answer is worth.

labgen.py        the exercises, made out of the framework
start.py         a starter for a student; watch.py tests it at every save
answers.py       a folder of answers, checked by policy.py
builds.py        answers made ready to be run: compiled, or put in front of a module
bare.py          the same in a repository for students, which has no objects of minitf
python_units.py  labs in Python; own_units.py: labs of instructors
grade.py         points for every task; speed_points.py: for speed
report.py        what a student is shown; diagnoses.py: what may be wrong
handin/          what a student hands in
"""
