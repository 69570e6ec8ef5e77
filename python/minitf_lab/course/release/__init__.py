"""A repository for students: which files are in it, and that no answer is.

release_cli.py        ./lab course release
release.py            makes it
release_files.py      which files of minitf go along, and why the others do not
reference_objects.py  minitf's own answers, as objects
hidden_cases.py       cases that stay hidden
canary.py             that no line of an answer went along
"""
