"""The shipped digits, and the reader of IDX files with files that are damaged."""

import gzip
import struct

import numpy as np
import pytest

from minitf import data


def idx_bytes(array, kind):
    head = struct.pack(f">HBB{array.ndim}I", 0, kind, array.ndim, *array.shape)
    return head + array.astype(array.dtype.newbyteorder(">")).tobytes()


def write(tmp_path, content, name="file"):
    path = tmp_path / name
    path.write_bytes(content)
    return path


def test_the_digits_are_divided_evenly():
    images, labels, test_images, test_labels = data.mnist_5k()
    assert images.shape == (4000, 28, 28)
    assert images.dtype == np.float32
    assert labels.dtype == np.int32
    assert np.bincount(labels).tolist() == [400] * 10
    assert np.bincount(test_labels).tolist() == [100] * 10
    assert (images.min(), images.max()) == (0, 1)
    assert test_images.shape == (1000, 28, 28)


def test_no_held_out_digit_is_trained_on():
    images, _, test_images, _ = data.mnist_5k()
    trained_on = {image.tobytes() for image in images}
    assert not any(image.tobytes() in trained_on for image in test_images)


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [(8, "u1"), (9, "i1"), (11, "i2"), (12, "i4"), (13, "f4"), (14, "f8")],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_every_element_type_is_read(tmp_path, kind, dtype, pack):
    array = np.array([[1, 2, 3], [4, 5, 100]], dtype)
    read = data.read_idx(write(tmp_path, pack(idx_bytes(array, kind))))
    assert read.dtype == np.dtype(dtype)
    assert read.tolist() == array.tolist()


def test_an_array_without_elements_is_read(tmp_path):
    array = np.zeros((0, 28, 28), np.uint8)
    assert data.read_idx(write(tmp_path, idx_bytes(array, 8))).shape == (0, 28, 28)


WHOLE = idx_bytes(np.arange(6, dtype=np.uint8).reshape(2, 3), 8)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "starts with two zero bytes"),
        (b"\0\0", "starts with two zero bytes"),
        (b"PK\3\4", "starts with two zero bytes"),
        (b"\0\0\x07\1\0\0\0\0", "element type 0x07 is none of"),
        (b"\0\0\x08\x21", "33 axes, more than 32"),
        (WHOLE[:7], "sizes of 2 axes take 8 bytes, the file ends after 3"),
        (WHOLE[:-1], r"shape \[2, 3\] take 6 bytes, the file ends after 5"),
        (WHOLE + b"\0", "there is more after the elements"),
        (b"\0\0\x0e\2\xff\xff\xff\xff\xff\xff\xff\xff", "the file has at most 12"),
        (gzip.compress(WHOLE[:-1], mtime=0), "take 6 bytes, the file ends after 5"),
        (gzip.compress(WHOLE, mtime=0)[:-6], "damaged gzip data"),
        (gzip.compress(b"\0\0\x08\1\xff\xff\xff\xff", mtime=0), "the file has at most"),
    ],
)
def test_a_damaged_file_is_named_with_what_is_wrong(tmp_path, content, sentence):
    path = write(tmp_path, content, "damaged")
    with pytest.raises(data.IdxError, match=f"damaged: .*{sentence}"):
        data.read_idx(path)


def test_a_flipped_bit_in_a_packed_file_is_found(tmp_path):
    packed = bytearray(gzip.compress(WHOLE))
    packed[-5] ^= 1  # in the checksum
    with pytest.raises(data.IdxError, match="damaged gzip data"):
        data.read_idx(write(tmp_path, packed))


def test_the_files_of_mnist_are_found_packed_or_not(tmp_path):
    images = np.full((3, 28, 28), 255, np.uint8)
    labels = np.array([7, 8, 9], np.uint8)
    write(tmp_path, idx_bytes(images, 8), "train-images-idx3-ubyte")
    write(tmp_path, gzip.compress(idx_bytes(labels, 8)), "train-labels-idx1-ubyte.gz")
    with pytest.raises(FileNotFoundError, match="has no t10k-images-idx3-ubyte"):
        data.read_mnist(tmp_path)
    write(tmp_path, idx_bytes(images[:2], 8), "t10k-images-idx3-ubyte")
    write(tmp_path, idx_bytes(labels, 8), "t10k-labels-idx1-ubyte")
    with pytest.raises(data.IdxError, match=r"labels have shape \[3\].*has 2 images"):
        data.read_mnist(tmp_path)
    write(tmp_path, idx_bytes(labels[:2], 8), "t10k-labels-idx1-ubyte")
    train_images, train_labels, test_images, _ = data.read_mnist(tmp_path)
    assert train_images.max() == 1
    assert train_labels.tolist() == [7, 8, 9]
    assert test_images.shape == (2, 28, 28)
