"""The stubs that the build writes for editors and type checkers.

    python -m minitf_lab.dev.stubs FOLDER [BESIDE]

Writes the stubs of all public modules into FOLDER, and copies them to BESIDE, the folder
of the Python sources, where type checkers look for them.

modules.py       a stub for each public module: names from the source, or definitions
definitions.py   the text of a function, a class or a value that Python makes as it runs
ops.py           the functions of ops
messages.py      the classes of messages
members.py       the operators and members of tensors

Read next: ``modules.py``.
"""
