"""How good predictions are, over all batches so far."""
