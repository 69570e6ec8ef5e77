"""Parsing of SequenceExamples."""
