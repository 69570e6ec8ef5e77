"""The tests and linters of the project itself.

``suite.py`` runs ``./lab test``; ``google_test.py`` runs its C++ programs. ``lint.py``
runs ``./lab lint``, with ``tidy.py``, ``type_checkers.py`` and ``judge_suite.py``.
``registry_files.py`` generates documents from the op registry. ``programs.py`` loads the
fuzzers and other programs that lie in ``tests/``.
"""
