"""Is minitf right? The tests and linters of the project itself.

suite.py           ./lab test, with google_test.py
lint.py            ./lab lint, with tidy.py and judge_suite.py
registry_files.py  documents that are made of the registry; stubs.py: functions of ops

``./lab test differential`` and ``./lab fuzz`` start programs of ``tests/differential``
and ``tests/fuzz``.
"""
