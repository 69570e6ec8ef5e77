"""Valid calls of ops of families, for ``op_fuzz.py`` to spoil."""

import numpy as np

VARIABLE = "variable"  # stands for the handle of one, [2,3]
X = np.linspace(0.5, 2, 6, dtype=np.float32).reshape(2, 3)
TEXT = np.array([b"a b", b"c  d"], object)
SPACE = np.array(b" ", object)
ONE = np.array(1, np.int32)
HALF = np.float32(0.5)
BOXES = np.array([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [2, 2, 3, 4]], np.float32)
SCORES = np.array([0.5, 0.75, 0.25], np.float32)
IMAGES = np.linspace(0, 1, 24, dtype=np.float32).reshape(1, 2, 4, 3)

# A sparse matrix [2,3] of three numbers.
SPARSE = [
    np.array([[0, 1], [1, 0], [1, 2]]),
    np.array([1, 2, 3], np.float32),
    np.array([2, 3]),
]

CALLS = {
    "AsString": [X],
    "CropAndResizeGradBoxes": [IMAGES, IMAGES, BOXES[:1], np.zeros(1, np.int32)],
    "DrawBoundingBoxes": [IMAGES, BOXES[None]],
    "DrawBoundingBoxesV2": [IMAGES, BOXES[None], X],
    "NonMaxSuppression": [BOXES, SCORES, ONE],
    "NonMaxSuppressionV2": [BOXES, SCORES, ONE, HALF],
    "NonMaxSuppressionV3": [BOXES, SCORES, ONE, HALF, HALF],
    "NonMaxSuppressionV4": [BOXES, SCORES, ONE, HALF, HALF],
    "NonMaxSuppressionV5": [BOXES, SCORES, ONE, HALF, HALF, HALF],
    "NonMaxSuppressionWithOverlaps": [BOXES[:, :3], SCORES, ONE, HALF, HALF],
    "ReduceJoin": [TEXT, np.array([0], np.int32)],
    "SparseReduceMax": [*SPARSE, np.array([1], np.int32)],
    "SparseReduceMaxSparse": [*SPARSE, np.array([0], np.int32)],
    "SparseReduceSumSparse": [*SPARSE, np.array([0], np.int32)],
    "SparseSparseMaximum": SPARSE * 2,
    "SparseSparseMinimum": SPARSE * 2,
    "StringJoin": [[TEXT, TEXT, SPACE]],
    "StringLength": [TEXT],
    "StringLower": [TEXT],
    "StringSplit": [TEXT, SPACE],
    "StringSplitV2": [TEXT, SPACE],
    "StringStrip": [TEXT],
    "StringToHashBucket": [TEXT, {"num_buckets": 7}],
    "StringToHashBucketFast": [TEXT, {"num_buckets": 7}],
    "StringToHashBucketStrong": [TEXT, {"num_buckets": 7, "key": [1, 2]}],
    "StringToNumber": [np.array([b"1", b"2.5"], object)],
    "StringUpper": [TEXT],
    "Substr": [TEXT, ONE, ONE],
}
CALLS |= {
    f"ResourceScatterNd{kind}": [VARIABLE, np.array([[0], [1]], np.int32), X]
    for kind in ("Add", "Sub", "Update")
}
