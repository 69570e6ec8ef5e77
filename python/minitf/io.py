"""``tf.io``: reading, writing and parsing, under names of TensorFlow's later versions.

Compare: tensorflow/python/lib/io, ops/io_ops.py. Read next: ``python_io.py``.
"""

from minitf import gfile
from minitf.graph_io import write_graph
from minitf.image_files import (
    decode_and_crop_jpeg,
    decode_bmp,
    decode_gif,
    decode_image,
    decode_jpeg,
    decode_png,
    encode_jpeg,
    encode_png,
    extract_jpeg_shape,
    is_jpeg,
)
from minitf.parsing_config import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    SparseFeature,
    VarLenFeature,
)
from minitf.parsing_ops import (
    decode_csv,
    decode_raw,
    parse_example,
    parse_single_example,
)
from minitf.public_ops import fallback
from minitf.python_io import (
    TFRecordCompressionType,
    TFRecordOptions,
    TFRecordWriter,
    tf_record_iterator,
)
from minitf.sequence_parsing import (
    parse_sequence_example,
    parse_single_sequence_example,
)
from minitf.sparse_ops import (
    deserialize_many_sparse,
    serialize_many_sparse,
    serialize_sparse,
)
from minitf.train.input import match_filenames_once

__all__ = [
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "SparseFeature",
    "TFRecordCompressionType",
    "TFRecordOptions",
    "TFRecordWriter",
    "VarLenFeature",
    "decode_and_crop_jpeg",
    "decode_bmp",
    "decode_csv",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_png",
    "decode_raw",
    "deserialize_many_sparse",
    "encode_jpeg",
    "encode_png",
    "extract_jpeg_shape",
    "gfile",
    "is_jpeg",
    "match_filenames_once",
    "parse_example",
    "parse_sequence_example",
    "parse_single_example",
    "parse_single_sequence_example",
    "serialize_many_sparse",
    "serialize_sparse",
    "tf_record_iterator",
    "write_graph",
]

# read_file, write_file, matching_files and the others that are ops.
__getattr__ = fallback(__name__)
