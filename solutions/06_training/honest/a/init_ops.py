    # TODO(06.4) begin
    if not shape:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    window = math.prod(shape[:-2])
    return window * shape[-2], window * shape[-1]
    # TODO(06.4) end

        # TODO(06.4) begin
        n = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}
        variance = self.scale / max(1.0, n[self.mode])
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return random_ops.random_uniform(shape, -limit, limit, dtype, self.seed)
        deviation = math.sqrt(variance)
        if self.distribution == "untruncated_normal":
            return random_ops.random_normal(shape, 0.0, deviation, dtype, self.seed)
        deviation /= 0.87962566103423978
        return random_ops.truncated_normal(shape, 0.0, deviation, dtype, self.seed)
        # TODO(06.4) end
