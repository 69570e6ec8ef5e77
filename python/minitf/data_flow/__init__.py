"""Input: queues, readers of files, and parsers of records."""
