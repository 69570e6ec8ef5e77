"""A submission: the archive of a student, its intake, and the record of its result.

``submit.py`` makes the archive, and ``zip_check.py`` tests one. ``intake.py`` reads a
submission from a folder or an archive (``archives.py``). ``records.py`` signs and checks
records.
"""
