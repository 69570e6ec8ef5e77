"""``tf.SparseFeature``: a SparseTensor whose places and values are two features.

Compare: tensorflow/python/ops/parsing_ops.py, SparseFeature.
Read next: ``data_flow/parsing_config.py``.
"""

from collections import namedtuple
from typing import Any

from minitf.contrib.sparse.sparse_ops import list_of, sparse_merge
from minitf.data_flow.parsing_config import MergedFeature
from minitf.framework import dtypes
from minitf.framework.dtypes import as_dtype
from minitf.framework.sparse_tensor import SparseTensor


class SparseFeature(
    MergedFeature,
    namedtuple(
        "SparseFeature", ["index_key", "value_key", "dtype", "size", "already_sorted"]
    ),
):
    """A SparseTensor in two features: one has the places of the values of the other.

    ``index_key`` may be a list of features, one for each axis; then ``size`` is a list of
    their sizes.
    """

    def __new__(
        cls,
        index_key: Any,
        value_key: str,
        dtype: Any,
        size: Any,
        already_sorted: bool = False,
    ) -> "SparseFeature":
        """Fills in the defaults."""
        return super().__new__(cls, index_key, value_key, dtype, size, already_sorted)

    def parts(self, key: str) -> list[tuple[str, Any]]:
        """The features of places, and that of the values."""
        if not self.index_key:
            raise ValueError(f"Missing index_key for SparseFeature {key}.")
        if not self.value_key:
            raise ValueError(f"Missing value_key for SparseFeature {key}.")
        places = [(index, dtypes.int64) for index in list_of(self.index_key)]
        return [*places, (self.value_key, as_dtype(self.dtype))]

    def merge(self, found: dict[str, SparseTensor]) -> SparseTensor:
        """The values at the places."""
        ids = [found[index] for index in list_of(self.index_key)]
        value = found[self.value_key]
        sizes = list_of(self.size)
        return sparse_merge(ids, value, sizes, already_sorted=self.already_sorted)
