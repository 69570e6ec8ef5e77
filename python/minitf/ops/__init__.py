"""Functions of tensors, where Python's differ from the op."""
