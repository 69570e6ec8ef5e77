"""The area under a curve of precision over recall, between its points.

Between two thresholds, the true positives t and all positives p grow along a line: t is
a + s p. The precision t / p is then s + a / p. The recall grows by s dp / n, where n is
the number of positive labels. Their integral is s (dt + a log(p2 / p1)) / n.

Compare: Davis and Goadrich, 2006, section 4; tensorflow/python/ops/metrics_impl.py. Read
next: ``metrics_impl.py``.
"""

from minitf.framework.op_def_library import call
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops, reductions


def area_under_pr_curve(counts: dict[str, Tensor]) -> Tensor:
    """The area, from the counts at each threshold.

    Args:
        counts: ``tp``, ``fp`` and ``fn``, each ``[T]``, for thresholds from 0 to 1.
    """
    hits, positives = counts["tp"], counts["tp"] + counts["fp"]
    more_hits = hits[:-1] - hits[1:]
    more = math_ops.maximum(positives[:-1] - positives[1:], 0)
    slope = math_ops.div_no_nan(more_hits, more, name="prec_slope")
    intercept = hits[1:] - slope * positives[1:]
    both = call(
        "LogicalAnd", [call("Greater", [x, 0.0]) for x in (positives[:-1], positives[1:])]
    )
    growth = math_ops.div_no_nan(positives[:-1], math_ops.maximum(positives[1:], 0))
    growth = array_ops.where(both, growth, array_ops.ones_like(growth))
    areas = slope * (more_hits + intercept * call("Log", [growth]))
    labels = math_ops.maximum(hits[1:] + counts["fn"][1:], 0)
    shares = math_ops.div_no_nan(areas, labels, name="pr_auc_increment")
    return reductions.reduce_sum(shares, name="interpolate_pr_auc")
