"""SparseTensors beyond the class: ops on them, in queues and batches, parsed, looked up.

Compare: tensorflow/python/ops/sparse_ops.py. Read next: ``sparse_ops.py``.
"""

HAS_OPS = True
LOADED = ("features", "sparse_batching")
DOCS = {}
PUBLIC = {
    "nn": """
        embedding: embedding_lookup_sparse safe_embedding_lookup_sparse
        """,
    "tf": """
        sparse_ops: deserialize_many_sparse serialize_many_sparse serialize_sparse
        sparse_ops: sparse_merge sparse_placeholder sparse_reorder
        sparse_ops: sparse_tensor_to_dense sparse_to_dense
        features: SparseFeature
        """,
}
