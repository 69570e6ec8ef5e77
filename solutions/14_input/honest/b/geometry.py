        # TODO(14.18) begin
        top, left, tall, wide = (
            math_ops.cast(bound, dtypes.int32) if isinstance(bound, Tensor) else bound
            for bound in (offset_height, offset_width, target_height, target_width)
        )
        height, width = height_and_width(batch)
        conditions = []
        for side, old, offset, target in (
            ("width", width, left, wide),
            ("height", height, top, tall),
        ):
            conditions += [
                (offset >= 0, f"offset_{side} must be >= 0."),
                (target > 0, f"target_{side} must be > 0."),
                (old >= target + offset, f"{side} must be >= target + offset."),
            ]
        batch = check(batch, *conditions)
        cropped = batch[:, top : top + tall, left : left + wide]
        return from_batch(_with_sides(cropped, batch, tall, wide), is_single)
        # TODO(14.18) end

        # TODO(14.18) begin
        # First padded to what is larger, then cut to what is wanted.
        larger, before, cut = [], [], []
        wanted = [
            math_ops.cast(side, dtypes.int32) if isinstance(side, Tensor) else side
            for side in (target_height, target_width)
        ]
        for target, side in zip(wanted, height_and_width(batch), strict=True):
            larger.append(_largest(target, side))
            before.append(_largest((target - side) // 2, 0))
            cut.append(_largest((side - target) // 2, 0))
        padded = pad_to_bounding_box(batch, *before, *larger)
        resized = crop_to_bounding_box(padded, *cut, *wanted)
        return from_batch(resized, is_single)
        # TODO(14.18) end
