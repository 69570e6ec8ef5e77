"""Metrics of rankings: the first k classes, and one rate at a given other one.

Compare: tensorflow/python/ops/metrics_impl.py. Read next: ``at_k.py``.
"""

HAS_OPS = False
LOADED = ()
DOCS = {}
PUBLIC = {
    "metrics": """
        at_k: average_precision_at_k precision_at_k precision_at_top_k recall_at_k
        at_k: recall_at_top_k sparse_average_precision_at_k sparse_precision_at_k
        rates: sensitivity_at_specificity specificity_at_sensitivity
        """,
}
