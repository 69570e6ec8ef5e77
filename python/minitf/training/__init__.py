"""Optimizers, learning rates, and input pipelines."""
