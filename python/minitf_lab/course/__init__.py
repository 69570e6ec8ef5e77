"""A course: what its instructor does with the hand-ins of a whole class.

    commands.py      the commands
    keys.py          the key that signs records and draws hidden numbers
    layouts.py       whose is what in folders, zips and downloads of gradebooks
    repositories.py  hand-ins that are Git repositories
    collect.py       the last hand-in in time of every student
    run.py           a class is judged, and nothing is lost
    verify.py        whether all of it is as it was written

A course is a folder:

    key                          see keys.py
    handins/LAB/STUDENT/         the files, and handin.json
    results/LAB/SHA256.json      the record of each hand-in that differs
    records/LAB/STUDENT.json     the same for each student, with the time of the hand-in
"""
