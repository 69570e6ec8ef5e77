"""Parsing of SequenceExamples.

Compare: tensorflow/python/ops/parsing_ops.py. Read next: ``parsing.py``.
"""

HAS_OPS = True
LOADED = ()
DOCS = {}
PUBLIC = {
    "io": """
        parsing: parse_sequence_example
        """,
    "tf": """
        parsing: parse_single_sequence_example
        """,
}
