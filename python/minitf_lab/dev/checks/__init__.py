"""Is minitf right? Tests, linters and fuzzers of the project itself.

suite.py           ./lab test, with google_test.py
lint.py            ./lab lint, with tidy.py and judge_suite.py
differential.py    ./lab test differential: beside the real TensorFlow
fuzz.py            ./lab fuzz: files; fuzz_ops.py: ops; fuzz_api.py: the public API
registry_files.py  documents that are made of the registry: api_page.py, stubs.py
"""
