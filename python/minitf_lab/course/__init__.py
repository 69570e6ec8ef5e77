"""A course: hand-ins of many students are collected, judged and kept.

    keys.py      the key that signs records and draws hidden numbers
    layouts.py   what downloads of gradebooks look like, and folders, zips, Git
    collect.py   the last hand-in in time of every student
    run.py       a class is judged, and nothing is lost
    verify.py    whether all of it is as it was written

A course is a folder, COURSE:

    key                          see keys.py
    handins/LAB/STUDENT/         the files, and handin.json
    results/LAB/SHA256.json      the record of each hand-in that differs
    records/LAB/STUDENT.json     the same for each student, with the time of the hand-in
    log.jsonl                    what was judged, when
"""
