"""Arrays in and out: without copying, with dtype and shape, whatever their layout."""

import gc

import ml_dtypes
import numpy as np
import pytest

import minitf as tf


@pytest.mark.parametrize(
    "dtype",
    [
        "float16",
        "float32",
        "float64",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "bool",
        "complex64",
        "complex128",
    ],
)
def test_arrays_keep_dtype_and_shape(eager, dtype):
    array = np.arange(6).reshape(2, 3).astype(dtype)
    tensor = tf.constant(array)
    assert tensor.dtype == dtype
    assert tensor.shape == [2, 3]
    np.testing.assert_array_equal(tensor.numpy(), array)
    assert tensor.numpy().dtype == array.dtype


def test_arrays_are_copied_and_dlpack_borrows(eager):
    array = np.arange(4.0, dtype=np.float32)
    assert tf.convert_to_tensor(array)._address() != array.ctypes.data
    assert tf.constant(array)._address() != array.ctypes.data
    assert tf.from_dlpack(array)._address() == array.ctypes.data


def test_numpy_gives_a_copy(eager):
    tensor = tf.constant([1.0, 2.0, 3.0])
    array = tensor.numpy()
    array[0] = 5
    assert tensor.numpy().tolist() == [1, 2, 3]


def test_an_array_shares_the_elements_and_is_read_only(eager):
    tensor = tf.constant([1.0, 2.0, 3.0])
    array = np.asarray(tensor)
    assert array.ctypes.data == tensor._address()
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 5
    del tensor
    gc.collect()
    assert array.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    "array",
    [
        np.arange(12).reshape(3, 4).T,
        np.arange(12).reshape(3, 4)[:, ::2],
        np.arange(12).reshape(3, 4)[::-1],
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(6, dtype=">i4"),
        np.arange(6, dtype=">f8").reshape(3, 2),
        np.frombuffer(b"\0" + np.arange(3, dtype=np.int32).tobytes(), np.int32, 3, 1),
        np.zeros((0, 3), np.float32),
    ],
)
def test_arrays_of_any_layout_come_out_right(eager, array):
    np.testing.assert_array_equal(tf.convert_to_tensor(array).numpy(), array)


def test_a_fed_array_is_not_changed_and_a_fetched_one_is_the_callers(session):
    x = tf.placeholder(tf.float32, [3])
    array = np.array([1, 2, 3], np.float32)
    same, more = session.run([tf.identity(x), x + 1], {x: array})
    same[0] = more[0] = 100
    assert array.tolist() == [1, 2, 3]


def test_a_variable_keeps_its_value_when_the_fed_array_changes(session):
    x = tf.placeholder(tf.float32, [2])
    v = tf.Variable([0.0, 0.0])
    session.run(v.initializer)
    assign = v.assign(x)
    array = np.array([1, 2], np.float32)
    session.run(assign, {x: array})
    array[:] = 9
    assert session.run(v).tolist() == [1, 2]


def test_a_fetched_variable_may_be_written_to(session):
    v = tf.Variable([1.0, 2.0])
    session.run(v.initializer)
    value = session.run(v)
    value[0] = 7
    assert session.run(v).tolist() == [1, 2]


def test_scalars_are_numpy_scalars(session):
    value = session.run(tf.constant(2.5))
    assert type(value) is np.float32 and value == 2.5
    assert type(session.run(tf.constant(3))) is np.int32
    assert session.run(tf.constant("abc")) == b"abc"


def test_strings_become_bytes(session):
    value = session.run(tf.constant(["a", "bc", "\u00e9"]))
    assert value.dtype == object
    assert value.tolist() == [b"a", b"bc", "\u00e9".encode()]
    x = tf.placeholder(tf.string, [None])
    assert session.run(x, {x: [b"\0\1", "x"]}).tolist() == [b"\0\1", b"x"]


def test_string_tensor_of_three_names(eager):
    names = tf.convert_to_tensor(["a.jpg", "b.jpg", "c.jpg"])
    assert names.dtype == tf.string and names.shape == [3]
    assert tf.convert_to_tensor([1, 2]).dtype == tf.int32


def test_bfloat16_arrays(eager):
    array = np.array([1.0, 2.5], ml_dtypes.bfloat16)
    tensor = tf.constant(array)
    assert tensor.dtype == tf.bfloat16
    assert tensor.numpy().dtype == ml_dtypes.bfloat16
    assert tf.cast(tensor, tf.float32).numpy().tolist() == [1, 2.5]


# ---- DLPack ----------------------------------------------------------------------------


def test_dlpack_out_shares_memory(eager):
    tensor = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    array = np.from_dlpack(tensor)
    assert array.ctypes.data == tensor._address()
    del tensor
    gc.collect()
    assert array.tolist() == [[1, 2], [3, 4]]


def test_dlpack_in_shares_memory(eager):
    array = np.arange(6, dtype=np.int64).reshape(2, 3)
    tensor = tf.from_dlpack(array)
    assert tensor._address() == array.ctypes.data
    assert tensor.dtype == tf.int64 and tensor.shape == [2, 3]


def test_dlpack_in_copies_what_is_not_dense(eager):
    array = np.arange(6.0).reshape(2, 3).T
    np.testing.assert_array_equal(tf.from_dlpack(array).numpy(), array)


def test_a_dlpack_capsule_is_taken_once(eager):
    capsule = tf.constant([1.0]).__dlpack__()
    tf.from_dlpack(capsule)
    with pytest.raises(tf.errors.InvalidArgumentError, match="taken already"):
        tf.from_dlpack(capsule)


def test_dlpack_has_no_strings(eager):
    with pytest.raises(TypeError, match="string"):
        tf.constant("a").__dlpack__()


# ---- Rows of the requirements ----------------------------------------------------------


def test_a_data_set_is_images_one_behind_the_other(eager):
    images = np.random.default_rng(1).random((4, 5, 6, 3)).astype(np.float32)
    data = tf.stack([tf.constant(image) for image in images])
    assert data.shape == [4, 5, 6, 3]
    np.testing.assert_array_equal(data[2].numpy(), images[2])


def test_a_white_block_and_its_channels(eager):
    block = tf.ones([5, 320, 3])
    assert block[4, 319].numpy().tolist() == [1, 1, 1]
    red, green, blue = tf.split(block, 3, axis=2)
    np.testing.assert_array_equal(tf.concat([red, green, blue], 2).numpy(), block.numpy())


def test_no_element_is_legal(eager):
    empty = tf.zeros([0, 2, 3, 3])
    assert tf.size(empty).numpy() == 0
    assert (empty + 1).shape == [0, 2, 3, 3]


def test_one_helper_takes_arrays_and_tensors(session):
    def preprocess(x):
        return (x / 127.5) - 1.0

    array = np.array([0.0, 255.0], np.float32)
    from_graph = preprocess(tf.constant(array))
    assert isinstance(preprocess(array), np.ndarray)
    assert isinstance(from_graph, tf.Tensor)
    np.testing.assert_array_equal(session.run(from_graph), preprocess(array))
