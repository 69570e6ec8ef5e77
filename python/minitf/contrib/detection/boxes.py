"""Boxes ``[y1, x1, y2, x2]`` in images.

Compare: tensorflow/python/ops/image_ops_impl.py.
Read next: ``contrib/image/geometry.py``.
"""

from typing import Any

from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops.math_ops import _either


def crop_and_resize(
    image: Any,
    boxes: Any,
    box_ind: Any = None,
    crop_size: Any = None,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: str | None = None,
    box_indices: Any = None,
) -> Tensor:
    """Crops ``[n, h, w, C]`` of images, each resized to one size.

    Args:
        image: ``[N, H, W, C]``.
        boxes: float32 ``[n, 4]``; 0 is the first pixel of an axis, 1 is the last one.
        box_ind: int32 ``[n]``: the image of each box.
        crop_size: int32 ``[2]``: h and w.
        method: ``"bilinear"`` or ``"nearest"``.
        extrapolation_value: what pixels outside of the image are.
        name: of the node.
        box_indices: another name of ``box_ind``.

    Returns:
        float32 ``[n, h, w, C]``. Has gradients for ``image`` and ``boxes``.

    Raises:
        ValueError: the static shapes do not fit.
        errors.InvalidArgumentError: in the step; the shapes do not fit, or a box is not
            finite.
        errors.OutOfRangeError: in the step; ``box_ind`` is not in [0, N).
    """
    box_ind = _either(box_ind, box_indices, "box_ind", "box_indices")
    attrs = {"method": method, "extrapolation_value": extrapolation_value}
    return call("CropAndResize", [image, boxes, box_ind, crop_size], attrs, name)


def draw_bounding_boxes(
    images: Any, boxes: Any, name: str | None = None, colors: Any = None
) -> Tensor:
    """The images ``[N, H, W, C]`` with the outlines of the boxes ``[N, n, 4]``.

    Args:
        images: float32 or float16, of 1, 3 or 4 channels.
        boxes: float32; 0 is the first pixel of an axis, 1 is the last one.
        name: of the node.
        colors: float32 ``[m, C]``, which take turns; a fixed list of ten if None.
    """
    if colors is None:
        return call("DrawBoundingBoxes", [images, boxes], None, name)
    return call("DrawBoundingBoxesV2", [images, boxes, colors], None, name)


# ---- Non-maximum suppression -----------------------------------------------------------


def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """The numbers of boxes that overlap no box of a higher score too much.

    Args:
        boxes: float32 or float16 ``[n, 4]``.
        scores: ``[n]``, of the same type.
        max_output_size: how many boxes are selected at most.
        iou_threshold: a box whose intersection over union with a selected box is larger
            is dropped. In [0, 1].
        score_threshold: only boxes of higher scores are selected.
        name: of the nodes.

    Returns:
        int32 ``[m]``, the highest score first.

    Raises:
        ValueError: the static shapes do not fit.
        errors.InvalidArgumentError: in the step; the shapes do not fit, or a limit is
            out of its range.
    """
    with name_scope(name, "non_max_suppression"):
        limits = _limits(None, iou_threshold, score_threshold)
        return call("NonMaxSuppressionV3", [boxes, scores, max_output_size, *limits])


def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """As ``non_max_suppression``, with the scores of the boxes.

    If ``soft_nms_sigma`` is positive, an overlap drops no box: a selected box multiplies
    the score of each other box by ``exp(-iou ** 2 / (2 sigma))``.

    Returns:
        The numbers of the boxes, int32 ``[m]``, and their scores ``[m]``.
    """
    with name_scope(name, "non_max_suppression_with_scores"):
        boxes = convert_to_tensor(boxes, name="boxes")
        limits = _limits(boxes.dtype, iou_threshold, score_threshold)
        sigma = convert_to_tensor(soft_nms_sigma, boxes.dtype, name="soft_nms_sigma")
        inputs = [boxes, scores, max_output_size, *limits, sigma]
        attrs = {"pad_to_max_output_size": False}
        indices, selected_scores, _ = call("NonMaxSuppressionV5", inputs, attrs)
        return indices, selected_scores


def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_to_max_output_size: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """As ``non_max_suppression``, with the number of boxes.

    Returns:
        The numbers of the boxes, and how many there are. The numbers are padded by 0 to
        ``max_output_size`` if ``pad_to_max_output_size`` is true.
    """
    with name_scope(name, "non_max_suppression_padded"):
        limits = _limits(None, iou_threshold, score_threshold)
        inputs = [boxes, scores, max_output_size, *limits]
        attrs = {"pad_to_max_output_size": pad_to_max_output_size}
        return call("NonMaxSuppressionV4", inputs, attrs)


def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """As ``non_max_suppression``, where ``overlaps`` ``[n, n]`` are given."""
    with name_scope(name, "non_max_suppression_overlaps"):
        inputs = [overlaps, scores, max_output_size, overlap_threshold, score_threshold]
        return call("NonMaxSuppressionWithOverlaps", inputs)


def _limits(dtype: Any, iou_threshold: Any, score_threshold: Any) -> list[Tensor]:
    return [
        convert_to_tensor(iou_threshold, dtype, name="iou_threshold"),
        convert_to_tensor(score_threshold, dtype, name="score_threshold"),
    ]
