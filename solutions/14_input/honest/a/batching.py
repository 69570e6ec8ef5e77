    # TODO(14.15) begin
    pairs = zip(a.as_list(), b.as_list(), strict=True)
    return as_shape([size if size == other else None for size, other in pairs])
    # TODO(14.15) end

    # TODO(14.15) begin
    if not enqueue_many:
        pairs = [
            (room.as_row(x) if room else array_ops.expand_dims(x, 0), room)
            for x, room in pairs
        ]
    keep = math_ops.cast(keep, "int32")
    if keep.shape.ndims == 0:
        first, room = pairs[0]
        count = room.num_rows(first) if room else array_ops.shape(first)[:1]
        keep = array_ops.fill(count, keep)
    return queue.enqueue_many(
        [
            room.add_rows(room.kept_rows(x, keep)) if room else chosen(x, keep)
            for x, room in pairs
        ]
    )
    # TODO(14.15) end

    # TODO(14.15) begin
    if allow_smaller_final_batch:
        return queue.dequeue_up_to(batch_size, name=name)
    return queue.dequeue_many(batch_size, name=name)
    # TODO(14.15) end
