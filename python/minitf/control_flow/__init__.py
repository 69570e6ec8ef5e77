"""Branches and loops that a graph runs."""
