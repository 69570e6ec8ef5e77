from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.graph import colocate_with
from minitf.framework.op_def_library import call, control_dependencies

        # TODO(06.7) begin
        rows = convert_to_tensor(grad)
        change = rows * self._typed("alpha", rows)
        return call("ResourceScatterSub", [handle.handle, indices, change])
        # TODO(06.7) end

        # TODO(06.9) begin
        first = min(var_list, key=lambda var: var.name)
        self._create_non_slot_variable(self._beta1, "beta1_power", first)
        self._create_non_slot_variable(self._beta2, "beta2_power", first)
        for var in var_list:
            for slot in ("m", "v"):
                self._zeros_slot(var, slot, self._name)
        # TODO(06.9) end

        # TODO(06.9) begin
        def part_left(name: str) -> Tensor:
            return 1 - self._input(name, grad)

        means = {
            slot: self._moved(
                handle, slot, self._typed(beta, grad), part_left(beta) * power, indices
            )
            for slot, beta, power in (("m", "beta1", grad), ("v", "beta2", grad * grad))
        }
        rate = self._typed("lr", grad) * call("Sqrt", [part_left("beta2_power")])
        divisor = call("Sqrt", [means["v"]]) + self._typed("epsilon", grad)
        change = rate / part_left("beta1_power") * means["m"] / divisor
        return handle.assign_sub(change, read_value=False)
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
        nodes = []
        betas = (self._beta1_t, self._beta2_t)
        for power, beta in zip(self._get_beta_accumulators(), betas, strict=True):
            with colocate_with(power):
                further = power.read_value() * math_ops.cast(beta, power.dtype)
                nodes.append(power.assign(further, read_value=False))
        return nodes
        # TODO(06.9) end
