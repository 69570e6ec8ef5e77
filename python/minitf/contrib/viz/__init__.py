"""Pictures of graphs, steps, memory, tensors and CUDA accesses, for notebooks and pages.

Compare: TensorBoard's graph page, Netron, GPU-Puzzles. Read next: ``picture.py``.
"""

HAS_OPS = False
LOADED = ()
DOCS = {"viz": "``minitf.viz``: pictures for notebooks and pages."}
PUBLIC = {
    "viz": """
        accesses: accesses
        graph: graph passes
        picture: Picture
        tensor: tensor
        timeline: memory timeline
        """,
}
