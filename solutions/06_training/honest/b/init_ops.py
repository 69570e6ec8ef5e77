    # TODO(06.4) begin
    *window, inputs, outputs = [1, *shape] if len(shape) > 1 else [*shape, *shape, 1, 1][:2]
    places = math.prod(window)
    return places * inputs, places * outputs
    # TODO(06.4) end

        # TODO(06.4) begin
        count = {"fan_in": fan_in, "fan_out": fan_out}.get(
            self.mode, (fan_in + fan_out) / 2
        )
        deviation = math.sqrt(self.scale / max(count, 1))
        if self.distribution == "uniform":
            limit = math.sqrt(3) * deviation
            return random_ops.random_uniform(shape, -limit, limit, dtype, self.seed)
        if self.distribution == "untruncated_normal":
            return random_ops.random_normal(shape, 0.0, deviation, dtype, self.seed)
        whole = deviation / 0.87962566103423978
        return random_ops.truncated_normal(shape, 0.0, whole, dtype, self.seed)
        # TODO(06.4) end
