"""Families: what the core can do without."""
