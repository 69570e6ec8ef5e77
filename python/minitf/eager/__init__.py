"""Ops that are run at once: the mode, and the tape that remembers them."""
