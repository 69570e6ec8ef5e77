"""Helpers that do not depend on tensors."""
