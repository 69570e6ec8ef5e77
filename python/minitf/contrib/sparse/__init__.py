"""SparseTensors beyond the class: ops on them, in queues and batches, parsed, looked up.

Compare: tensorflow/python/ops/sparse_ops.py. Read next: ``sparse_ops.py``.
"""

HAS_OPS = True
LOADED = ("features", "sparse_batching", "sparse_math")
DOCS = {}
PUBLIC = {
    "sparse": """
        sparse_parts: eye=sparse_eye from_dense
        """,
    "nn": """
        embedding: embedding_lookup_sparse safe_embedding_lookup_sparse
        """,
    "tf": """
        sparse_ops: deserialize_many_sparse serialize_many_sparse serialize_sparse
        sparse_ops: sparse_merge sparse_placeholder sparse_reorder
        sparse_ops: sparse_tensor_to_dense sparse_to_dense
        sparse_math: sparse_add sparse_maximum sparse_minimum sparse_reduce_max
        sparse_math: sparse_reduce_max_sparse sparse_reduce_sum sparse_reduce_sum_sparse
        sparse_math: sparse_softmax sparse_tensor_dense_matmul
        sparse_parts: sparse_retain sparse_transpose
        features: SparseFeature
        """,
}
