"""Valid calls of the ops that read, parse and decode, for ``op_fuzz.py`` to spoil."""

import numpy as np

import minitf as tf


def text(*values):
    return np.array(values, object)


def one(value):
    return np.array(value, object)


# An Example of "f", 1.5; "i", 7; "s", "abc".
EXAMPLE = bytes.fromhex(
    "0a290a0d0a0166120812060a040000c03f0a0a0a016912051a030a01070a0c0a017312070a"
    "050a03616263"
)
# A SequenceExample with a context "n", 2 and a list "t" of [1], [2, 3].
SEQUENCE = bytes.fromhex(
    "0a0c0a0a0a016e12051a030a010212160a140a0174120f0a051a030a01010a061a040a020203"
)
# 2 x 3 gray pixels.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000003000000020800000000b81f39c600000010"
    "4944415408996364d0d060acd0d0000003ac011b47a0f94d0000000049454e44ae426082"
)
EMPTY = text()
FLOATS = np.zeros([0], np.float32)
IMAGES = np.linspace(0, 1, 12, dtype=np.float32).reshape(1, 2, 3, 2)
PIXELS = np.arange(18, dtype=np.uint8).reshape(2, 3, 3)
SIZE = np.array([3, 2], np.int32)

CALLS = {
    "DecodeBmp": [one(b"BM" + bytes(40))],
    "DecodeCSV": [text(b"1,a", b"2,b"), [np.array([0], np.int32), text(b"")], {}],
    "DecodeJpeg": [one(PNG)],
    "DecodePng": [one(PNG)],
    "DecodeRaw": [text(b"abcd", b"efgh"), {"out_type": tf.int16}],
    "EncodeJpeg": [PIXELS],
    "EncodePng": [PIXELS],
    "ExtractJpegShape": [one(PNG)],
    "HSVToRGB": [IMAGES[0, :1, :, :1].reshape(1, 3)],
    "MatchingFiles": [text(b"no/such/*", b"[")],
    "ParseExample": [
        text(EXAMPLE, EXAMPLE),
        EMPTY,
        [one(b"i")],
        [one(b"f"), one(b"s")],
        [FLOATS, EMPTY],
        {
            "Nsparse": 1,
            "Ndense": 2,
            "sparse_types": [tf.int64],
            "Tdense": [tf.float32, tf.string],
            "dense_shapes": [[], [None]],
        },
    ],
    "ParseSingleExample": [
        one(EXAMPLE),
        [FLOATS, EMPTY],
        {
            "num_sparse": 1,
            "sparse_keys": ["i"],
            "dense_keys": ["f", "s"],
            "sparse_types": [tf.int64],
            "Tdense": [tf.float32, tf.string],
            "dense_shapes": [[], [1]],
        },
    ],
    "ParseSingleSequenceExample": [
        one(SEQUENCE),
        EMPTY,
        [one(b"n")],
        [],
        [one(b"t")],
        [],
        [],
        one(b""),
        {
            "Ncontext_sparse": 1,
            "context_sparse_types": [tf.int64],
            "Nfeature_list_sparse": 1,
            "feature_list_sparse_types": [tf.int64],
        },
    ],
    "RGBToHSV": [IMAGES[0, :1, :, :1].reshape(1, 3)],
    "ReadFile": [one(b"no/such/file")],
    "ResizeArea": [IMAGES, SIZE],
    "ResizeBicubicGrad": [IMAGES, IMAGES],
    "ResizeBilinearGrad": [IMAGES, IMAGES],
    "ResizeNearestNeighborGrad": [IMAGES, SIZE],
    "SparseToDense": [
        np.array([[0, 1], [1, 0]], np.int32),
        SIZE,
        text(b"a", b"b"),
        one(b""),
    ],
    "WriteFile": [one(b"a_file"), one(b"abc")],
}
