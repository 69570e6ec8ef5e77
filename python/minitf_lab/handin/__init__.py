"""A hand-in: how it is made, taken, judged and recorded.

submit.py    a student makes it
intake.py    it is taken, out of a folder or an archive (archives.py)
judging.py   it is judged
records.py   what became of it, signed
"""
