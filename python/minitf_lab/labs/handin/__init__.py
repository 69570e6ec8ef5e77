"""A hand-in: how it is made, taken and recorded.

submit.py     a student makes it; zip_check.py tries the archive
intake.py     the tool takes it out of a folder or an archive (archives.py)
records.py    what became of it, signed
"""
