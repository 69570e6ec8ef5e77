"""Moving elements: ``tf.roll``, and changes of parts of variables and tensors.

Compare: tensorflow/python/ops/manip_ops.py, state_ops.py. Read next: ``scatter_nd.py``.
"""

HAS_OPS = True
LOADED = ("scatter_nd",)
DOCS = {}
PUBLIC = {
    "manip": """
        tf: roll
        """,
    "tf": """
        op: roll
        op: tensor_scatter_nd_add=TensorScatterAdd tensor_scatter_add=TensorScatterAdd
        op: tensor_scatter_nd_sub=TensorScatterSub tensor_scatter_sub=TensorScatterSub
        op: tensor_scatter_nd_update=TensorScatterUpdate
        op: tensor_scatter_update=TensorScatterUpdate
        scatter_nd: batch_scatter_update scatter_nd_add scatter_nd_sub scatter_nd_update
        """,
}
