from minitf.framework.op_def_library import call, control_dependencies

        # TODO(06.7) begin
        step = -grad * self._typed("alpha", grad)
        return call("ResourceScatterAdd", [handle.handle, indices, step])
        # TODO(06.7) end

        # TODO(06.9) begin
        first = min(var_list, key=lambda var: var.name)
        self._create_non_slot_variable(self._beta1, "beta1_power", first)
        self._create_non_slot_variable(self._beta2, "beta2_power", first)
        for var in var_list:
            self._zeros_slot(var, "m", self._name)
            self._zeros_slot(var, "v", self._name)
        # TODO(06.9) end

        # TODO(06.9) begin
        rate, beta1, beta2, epsilon = (
            self._typed(name, grad) for name in ("lr", "beta1", "beta2", "epsilon")
        )
        power1 = self._input("beta1_power", grad)
        power2 = self._input("beta2_power", grad)
        rate = rate * math_ops.sqrt(1.0 - power2) / (1.0 - power1)
        m = self._moved(handle, "m", beta1, grad * (1.0 - beta1), indices)
        v = self._moved(handle, "v", beta2, grad * grad * (1.0 - beta2), indices)
        moved = handle.assign_sub(rate * m / (math_ops.sqrt(v) + epsilon), read_value=False)
        return None if context.executing_eagerly() else moved
        # TODO(06.9) end

        # TODO(06.9) begin
        kept = self.get_slot(var, slot)
        decayed = kept.assign(kept.read_value() * decay, read_value=False)
        with control_dependencies([decayed]):
            return self._resource_scatter_add(kept, indices, rows)
        # TODO(06.9) end

        # TODO(06.9) begin
        with control_dependencies(update_ops):
            advanced = self._advance()
        return group(*update_ops, *advanced, name=name_scope)
        # TODO(06.9) end

        # TODO(06.9) begin
        power1, power2 = self._get_beta_accumulators()
        return [
            power.assign(power.read_value() * math_ops.cast(beta, power.dtype), read_value=False)
            for power, beta in ((power1, self._beta1_t), (power2, self._beta2_t))
        ]
        # TODO(06.9) end
