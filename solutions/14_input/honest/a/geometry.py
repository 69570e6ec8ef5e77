        # TODO(14.18) begin
        height, width = height_and_width(batch)
        batch = check(
            batch,
            (offset_height >= 0, "offset_height must be >= 0."),
            (offset_width >= 0, "offset_width must be >= 0."),
            (target_height > 0, "target_height must be > 0."),
            (target_width > 0, "target_width must be > 0."),
            (
                height - target_height - offset_height >= 0,
                "height must be >= target + offset.",
            ),
            (
                width - target_width - offset_width >= 0,
                "width must be >= target + offset.",
            ),
        )
        cropped = call(
            "Slice",
            [
                batch,
                array_ops.stack([0, offset_height, offset_width, 0]),
                array_ops.stack([-1, target_height, target_width, -1]),
            ],
        )
        cropped = _with_sides(cropped, batch, target_height, target_width)
        return from_batch(cropped, is_single)
        # TODO(14.18) end

        # TODO(14.18) begin
        height, width = height_and_width(batch)
        rows = target_height - height
        columns = target_width - width
        cropped = crop_to_bounding_box(
            batch,
            _largest(-rows // 2, 0),
            _largest(-columns // 2, 0),
            _smallest(height, target_height),
            _smallest(width, target_width),
        )
        padded = pad_to_bounding_box(
            cropped,
            _largest(rows // 2, 0),
            _largest(columns // 2, 0),
            target_height,
            target_width,
        )
        return from_batch(padded, is_single)
        # TODO(14.18) end
