"""Former names and switches."""
