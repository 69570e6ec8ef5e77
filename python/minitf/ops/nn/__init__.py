"""Functions of networks."""
