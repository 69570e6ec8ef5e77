"""What needs no tensors."""
