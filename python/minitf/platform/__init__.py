"""The machine: logs, files, and a base for tests."""
