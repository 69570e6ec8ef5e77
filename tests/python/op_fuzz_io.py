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

# A sparse tensor [2,3] of two strings.
SPARSE = [np.array([[0, 1], [1, 0]]), text(b"a", b"b"), np.array([2, 3])]
NAMED = {"shared_name": "sparse tensors"}
# The three parts of a sparse vector [5] of no numbers.
NO_NUMBERS = text(
    b"\x08\t\x12\x06\x12\x00\x12\x02\x08\x01",
    b"\x08\x01\x12\x02\x12\x00",
    b'\x08\t\x12\x04\x12\x02\x08\x01"\x08\x05' + bytes(7),
)

CALLS = {
    "AddManySparseToTensorsMap": [*SPARSE, NAMED],
    "AddSparseToTensorsMap": [*SPARSE, NAMED],
    "DecodeBmp": [one(b"BM" + bytes(40))],
    "DecodeCSV": [text(b"1,a", b"2,b"), [np.array([0], np.int32), text(b"")], {}],
    "DecodeGif": [one(PNG)],
    "DecodeJpeg": [one(PNG)],
    "DecodeJSONExample": [text(b"{}", b'{"features": {}}')],
    "DecodePng": [one(PNG)],
    "DecodeRaw": [text(b"abcd", b"efgh"), {"out_type": tf.int16}],
    "DeserializeManySparse": [NO_NUMBERS[None], {"dtype": tf.float32}],
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
    "ParseSequenceExample": [
        text(SEQUENCE, SEQUENCE),
        EMPTY,
        [],
        {
            "feature_list_dense_missing_assumed_empty": [],
            "context_sparse_keys": ["n"],
            "context_dense_keys": [],
            "feature_list_sparse_keys": ["t"],
            "feature_list_dense_keys": [],
            "Ncontext_sparse": 1,
            "context_sparse_types": [tf.int64],
            "Nfeature_list_sparse": 1,
            "feature_list_sparse_types": [tf.int64],
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
    "ParseTensor": [one(NO_NUMBERS[1]), {"out_type": tf.float32}],
    "RGBToHSV": [IMAGES[0, :1, :, :1].reshape(1, 3)],
    "ReadFile": [one(b"no/such/file")],
    "ResizeArea": [IMAGES, SIZE],
    "ResizeBicubicGrad": [IMAGES, IMAGES],
    "ResizeBilinearGrad": [IMAGES, IMAGES],
    "ResizeNearestNeighborGrad": [IMAGES, SIZE],
    "SerializeManySparse": SPARSE,
    "SerializeSparse": SPARSE,
    "SerializeTensor": [IMAGES],
    "SparseToDense": [
        np.array([[0, 1], [1, 0]], np.int32),
        SIZE,
        text(b"a", b"b"),
        one(b""),
    ],
    "TakeManySparseFromTensorsMap": [np.array([0, 1]), {"dtype": tf.string, **NAMED}],
    "WriteFile": [one(b"a_file"), one(b"abc")],
}
