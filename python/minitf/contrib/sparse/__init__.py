"""Ops on SparseTensors, and SparseTensors in batches."""
