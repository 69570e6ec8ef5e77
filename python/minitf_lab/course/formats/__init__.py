"""Marks for other systems: one module each, and ``course/export.py`` in front of them."""
