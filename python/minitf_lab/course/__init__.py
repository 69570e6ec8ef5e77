"""A course: what its instructor does with the hand-ins of a whole class.

    commands.py      the commands ``./lab judge`` and ``./lab course``
    keys.py          the key that signs records and draws hidden numbers
    identity.py      the identity of a student, and the folder that follows from it
    clock.py         due dates in calendar days of the course's time zone
    late.py          whose hand-in is late, and how many points that costs
    unpack.py        the zip of a class
    layouts.py       whose is what in folders, zips and downloads of gradebooks
    repositories.py  hand-ins that are Git repositories
    offers.py        reads the folders, archives and commits of a student
    choice.py        the rule that chooses one submission of a student
    collect.py       one submission of every student, in one place
    judging.py       a hand-in is judged, in a box, and gets its record
    run.py           a class is judged, and nothing is lost
    verify.py        whether all of it is as it was written

A course is a folder:

    key                          see keys.py
    handins/LAB/STUDENT/         the files, and handin.json
    results/LAB/SHA256.json      the record of each hand-in that differs
    records/LAB/STUDENT.json     the same for each student, with the time of the hand-in
"""
