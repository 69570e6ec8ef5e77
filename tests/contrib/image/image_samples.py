"""Pictures for tests of images and of image files."""

import numpy as np

# Eight columns of gray, 0, 30, ..., 210, as TensorFlow 2.21 writes and decodes them.
JPEG = bytes.fromhex(
    "ffd8ffe000104a46494600010101012c012c0000ffdb00430006040506050406060506070706080a100a"
    "0a09090a140e0f0c1017141818171416161a1d251f1a1b231c1616202c20232627292a29191f2d302d28"
    "3025282928ffc0000b080008000801011100ffc40014000100000000000000000000000000000005ffc4"
    "0017100003010000000000000000000000000000084481ffda0008010100003f000176970fffd9"
)
DECODED = [0, 29, 61, 89, 120, 148, 179, 209]
GRAY = np.tile(np.arange(8, dtype=np.uint8) * 30, [8, 1])[:, :, None]

COLORS = np.random.default_rng(4).integers(0, 256, [5, 4, 3]).astype(np.uint8)
