"""Commands for the developers of minitf and its labs.

checks/     is minitf right? tests, linters
quality/    is a lab good? wrong and right answers
stubs/      what editors and type checkers know of minitf
demo/       trainings and their pages

``checks/programs.py`` starts the fuzzers and benchmarks, which lie in ``tests/``.
"""
