"""Calls of public functions whose results are in ``names_golden.json``: data.

A case is a shape for ``x``, whose elements are those of ``ramp``, and a call. The numbers
and gradients (of the sum of the squares of the results, by x) are TensorFlow's.
"""

import numpy as np


def ramp(*shape):
    """Elements from -1 to 1 without a pattern, the same for everybody."""
    count = int(np.prod(shape))
    return np.sin(np.arange(count) * 1.7 + 0.3).reshape(shape).astype(np.float32)


CASES = [
    ((1, 5, 2), "tf.nn.conv1d(x, ramp(3, 2, 2), 2, 'SAME')"),
    ((1, 5, 2), "tf.nn.conv1d(x, ramp(2, 2, 2), 1, 'VALID', dilations=2)"),
    ((1, 3, 2), "tf.nn.conv1d_transpose(x, ramp(3, 2, 2), [1, 6, 2], 2)"),
    ((1, 2, 2, 1), "tf.nn.conv2d_transpose(x, ramp(3, 3, 2, 1), [1, 4, 4, 2], 2)"),
    ((1, 3, 3, 1), "tf.nn.conv_transpose(x, ramp(2, 2, 1, 1), [1, 4, 4, 1], 1, 'VALID')"),
    ((1, 3, 2, 3, 1), "tf.nn.conv3d(x, ramp(2, 2, 1, 1, 2), [1, 1, 2, 1, 1], 'SAME')"),
    ((1, 3, 3, 3, 1), "tf.nn.conv3d(x, ramp(2, 2, 2, 1, 1), [1, 2, 1, 1, 1], 'VALID')"),
    (
        (1, 2, 2, 2, 1),
        "tf.nn.conv3d_transpose(x, ramp(3, 2, 2, 1, 1), [1, 4, 3, 4, 1], 2)",
    ),
    (
        (1, 5, 5, 1),
        "tf.nn.convolution(x, ramp(2, 2, 1, 1), 'SAME', dilation_rate=[2, 1])",
    ),
    ((1, 5, 1), "tf.nn.convolution(x, ramp(2, 1, 2), 'VALID', strides=[2])"),
    ((1, 4, 4, 2), "tf.nn.depthwise_conv2d(x, ramp(2, 2, 2, 2), [1, 2, 2, 1], 'SAME')"),
    (
        (1, 5, 5, 1),
        "tf.nn.depthwise_conv2d(x, ramp(2, 2, 1, 1), [1, 1, 1, 1], 'VALID', rate=[2, 2])",
    ),
    (
        (1, 3, 3, 2),
        "tf.nn.separable_conv2d(x, ramp(2, 2, 2, 1), ramp(1, 1, 2, 2), [1] * 4, 'VALID')",
    ),
    ((1, 5, 5, 1), "tf.nn.atrous_conv2d(x, ramp(2, 2, 1, 1), 2, 'VALID')"),
    ((1, 5, 2), "tf.nn.max_pool1d(x, 2, 2, 'SAME')"),
    ((1, 5, 2), "tf.nn.avg_pool1d(x, 3, 2, 'SAME')"),
    ((1, 3, 3, 3, 1), "tf.nn.max_pool3d(x, 2, 1, 'VALID')"),
    ((1, 3, 3, 3, 1), "tf.nn.avg_pool3d(x, 2, 2, 'SAME')"),
    ((1, 4, 4, 1), "tf.nn.pool(x, [2, 2], 'AVG', 'VALID', dilation_rate=[2, 1])"),
    ((1, 4, 4, 1), "tf.nn.max_pool_v2(x, 2, 2, 'VALID')"),
    ((1, 4, 1), "tf.nn.avg_pool_v2(x, 2, 2, 'VALID')"),
    ((1, 3, 3, 2), "tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 1, 1, 1], 'VALID')"),
    ((1, 2, 2, 4), "tf.nn.local_response_normalization(x, 1, 1.0, 0.5, 0.5)"),
    ((1, 2, 2, 2), "tf.nn.fused_batch_norm(x, ramp(2), ramp(2) + 1)"),
    ((4, 3, 3, 1), "tf.batch_to_space(x, [[1, 0], [0, 1]], 2)"),
    ((1, 3, 3, 1), "tf.space_to_batch(x, [[1, 0], [0, 1]], 2)"),
    ((), "tf.required_space_to_batch_paddings([5, 6], [2, 4], [[1, 0], [0, 3]])"),
    ((), "tf.eye(2, 3, batch_shape=[2])"),
    ((2, 3), "tf.cross(x, ramp(2, 3) + 1)"),
    ((2, 2, 3), "tf.trace(x)"),
    ((2, 3), "tf.lbeta(x + 2)"),
    ((2, 3), "tf.linalg.matvec(x, ramp(3))"),
    ((4,), "tf.unsorted_segment_mean(x, [0, 2, 0, 2], 4)"),
    ((4,), "tf.unsorted_segment_sqrt_n(x, [0, 2, 0, -1], 3)"),
    ((3, 2), "tf.sparse_segment_mean(x, [2, 0, 1], [0, 0, 2])"),
    ((3, 2), "tf.sparse_segment_sum(x, [2, 0, 1], [0, 0, 1], num_segments=3)"),
    ((2, 3), "tf.sort(x, axis=0)"),
    ((2, 3), "tf.argsort(x, direction='DESCENDING')"),
    ((2, 3), "tf.searchsorted(tf.sort(x), [[0.0, 0.5], [-2.0, 2.0]])"),
    ((2,), "tf.searchsorted([1, 3, 3, 7], [3, 8], side='right')"),
    ((), "tf.unique_with_counts([3, 1, 3])"),
    ((5,), "tf.histogram_fixed_width(x, [-1.0, 1.0], 4)"),
    ((5,), "tf.histogram_fixed_width_bins(x, [-0.5, 0.5], 4)"),
    ((), "tf.bincount([1, 1, 3], minlength=5)"),
    ((2, 3), "tf.einsum('ij,jk->ik', x, ramp(3, 2))"),
    ((2, 2, 3), "tf.einsum('bij,bkj->bki', x, ramp(2, 2, 3))"),
    ((3, 3), "tf.einsum('ii->i', x)"),
    ((2, 3, 2), "tf.einsum('...ij,jk->...ik', x, ramp(2, 2))"),
    ((), "tf.confusion_matrix([0, 1, 2], [0, 2, 2], num_classes=4)"),
    ((3,), "tf.igamma(x + 2, [0.5, 1.5, 2.5])"),
    ((3,), "tf.igammac([0.5, 1.5, 2.5], x + 2)"),
    ((3,), "tf.zeta([1.5, 2.0, 3.0], x + 2)"),
    ((3,), "tf.polygamma([0.0, 1.0, 2.0], x + 2)"),
    ((3,), "tf.digamma(x + 2)"),
    ((3,), "tf.math.nextafter(x, [0.0, 1.0, -1.0])"),
    ((3,), "tf.math.polyval([1.0, 2.0, 3.0], x)"),
    ((3,), "tf.is_non_decreasing(x)"),
    ((2, 2), "tf.linalg.adjoint(x)"),
]
