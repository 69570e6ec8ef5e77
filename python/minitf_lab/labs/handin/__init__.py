"""Hand-ins: a student makes one, the tool takes it, and a record tells the result.

submit.py     a student makes it; zip_check.py tries the archive
intake.py     the tool takes it out of a folder or an archive (archives.py)
records.py    what became of it, signed
"""
