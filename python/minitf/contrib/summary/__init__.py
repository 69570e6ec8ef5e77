"""Summaries: ops that make them, and files of events."""
