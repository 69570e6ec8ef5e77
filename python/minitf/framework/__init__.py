"""What a graph is made of: types, shapes, tensors, nodes, and calls of ops."""
