"""How far predictions are from labels."""
