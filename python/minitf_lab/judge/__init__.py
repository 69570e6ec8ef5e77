"""How an answer is tried: cases, the process that runs it, and the one that judges.

A case is a generator of trials. A trial is data, a script of calls with their
arguments, and a check of the values that come back. The student's code runs in a
worker, a process of its own, which gets scripts and gives values; what is expected
never goes there.

    case.py       cases, trials, calls, and the checks most of them share
    draw.py       arguments by chance: element types, shapes, numbers
    wire.py       values as lines of text
    worker.py     the process with the student's code
    runner.py     starts it, sends scripts, checks values
    process.py    that process as its judge sees it
    sandbox.py    the box it runs in; rooms.py says what it finds there
    regions.py    a student's file with the reference's answers beside it
    variant.py    minitf with such a file in place of its own
    compile_box.py  the box in which such a file is compiled
    kept.py       what was compiled before
"""
