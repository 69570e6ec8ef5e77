"""What those who develop minitf and its labs run.

checks/     is minitf right? tests, linters, fuzzers
quality/    is a lab good? wrong and right answers
demo/       trainings, their pages, and how fast they are
"""
