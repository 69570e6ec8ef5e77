    # TODO(14.15) begin
    pairs = zip(a.as_list(), b.as_list(), strict=True)
    return as_shape([x if x == y else None for x, y in pairs])
    # TODO(14.15) end

    # TODO(14.15) begin
    keep = math_ops.cast(keep, "int32")
    if not enqueue_many:
        pairs = [
            (room.as_row(x) if room else array_ops.expand_dims(x, 0), room)
            for x, room in pairs
        ]
        keep = array_ops.expand_dims(keep, 0)
    elif keep.shape.ndims == 0:
        x, room = pairs[0]
        rows = room.num_rows(x) if room else array_ops.shape(x)[:1]
        keep = array_ops.fill(rows, keep)
    return queue.enqueue_many(
        [
            room.add_rows(room.kept_rows(x, keep)) if room else chosen(x, keep)
            for x, room in pairs
        ]
    )
    # TODO(14.15) end

    # TODO(14.15) begin
    dequeue = queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many
    return dequeue(batch_size, name=name)
    # TODO(14.15) end
