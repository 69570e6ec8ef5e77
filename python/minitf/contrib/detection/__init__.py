"""Boxes in images: crops, suppression of boxes that overlap, outlines.

Compare: tensorflow/python/ops/image_ops_impl.py. Read next: ``boxes.py``.
"""

HAS_OPS = True
LOADED = ()
DOCS = {}
PUBLIC = {
    "image": """
        boxes: crop_and_resize draw_bounding_boxes non_max_suppression
        boxes: non_max_suppression_overlaps non_max_suppression_padded
        boxes: non_max_suppression_with_scores
        """,
}
