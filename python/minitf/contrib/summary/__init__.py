"""Summaries: ops that make them, and files of events.

Compare: tensorflow/python/summary/summary.py. Read next: ``summary_ops.py``.
"""

HAS_OPS = True
LOADED = ("summary_ops",)
DOCS = {
    "summary": "``tf.summary``: what a program says about its training, for TensorBoard."
}
PUBLIC = {
    "summary": """
        summary_ops: audio histogram image merge merge_all scalar tensor_summary text
        writer: FileWriter FileWriterCache
        message: Event SessionLog Summary
        """,
    "train": """
        writer: summary_iterator
        """,
}
