"""Text: numbers as text, splitting, joining, substrings, hashes.

Compare: tensorflow/python/ops/string_ops.py. Read next: ``string_ops.py``.
"""

HAS_OPS = True
LOADED = ()
DOCS = {}
PUBLIC = {
    "strings": """
        tf: as_string join=string_join reduce_join strip=string_strip
        tf: to_hash_bucket=string_to_hash_bucket
        tf: to_hash_bucket_fast=string_to_hash_bucket_fast
        tf: to_hash_bucket_strong=string_to_hash_bucket_strong
        tf: to_number=string_to_number
        op: lower=StringLower upper=StringUpper
        string_ops: length=string_length
        string_ops: split=strings_split substr
        """,
    "tf": """
        op: as_string string_strip string_to_hash_bucket_fast
        op: string_to_hash_bucket_strong
        string_ops: reduce_join string_join string_split string_to_hash_bucket
        string_ops: string_to_number substr
        """,
}
