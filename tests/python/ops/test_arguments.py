"""Arguments by name and by position, where an op and its Python function differ."""

import numpy as np
import pytest

import minitf as tf

M = np.arange(12, dtype=np.float32).reshape(1, 2, 2, 3)


@pytest.mark.usefixtures("eager")
def test_atan2_knows_its_arguments_by_name():
    assert tf.atan2(y=1.0, x=0.0).numpy() == pytest.approx(np.pi / 2)
    assert tf.math.atan2(x=-1.0, y=0.0).numpy() == pytest.approx(np.pi)
    assert tf.raw_ops.Atan2(y=-1.0, x=0.0).numpy() == pytest.approx(-np.pi / 2)


@pytest.mark.usefixtures("eager")
def test_the_third_position_is_that_of_tensorflow():
    deep = tf.space_to_depth(M, 2, "deep")
    assert deep.shape == [1, 1, 1, 12]
    np.testing.assert_array_equal(tf.depth_to_space(deep, 2, "flat"), M)
    np.testing.assert_array_equal(tf.nn.depth_to_space(deep, 2, data_format="NHWC"), M)
    samples = tf.random.categorical([[0.0, 0.0]], 5, tf.int32, 7)
    assert (samples.dtype, samples.shape) == (tf.int32, [1, 5])
    rest = tf.setdiff1d([1, 2, 3], [2], tf.int64)
    assert (rest.idx.dtype, rest.out.numpy().tolist()) == (tf.int64, [1, 3])


@pytest.mark.usefixtures("eager")
def test_reverse_sequence_takes_both_names_of_its_axes():
    x = [[1, 2, 3], [4, 5, 6]]
    wanted = [[2, 1, 3], [6, 5, 4]]
    for names in ({"seq_axis": 1, "batch_axis": 0}, {"seq_dim": 1, "batch_dim": 0}):
        np.testing.assert_array_equal(tf.reverse_sequence(x, [2, 3], **names), wanted)
    np.testing.assert_array_equal(tf.reverse_sequence(x, [2, 3], 1), wanted)
    columns = tf.reverse_sequence(x, [1, 2, 1], 0, 1)
    np.testing.assert_array_equal(columns, [[1, 5, 3], [4, 2, 6]])
    with pytest.raises(ValueError, match="seq_axis"):
        tf.reverse_sequence(x, [2, 3], seq_axis=1, seq_dim=1)


@pytest.mark.usefixtures("eager")
def test_gather_nd_looks_up_each_entry_of_a_batch_by_itself():
    params = np.arange(24).reshape(2, 3, 4)
    found = tf.gather_nd(params, [[[0, 1], [2, 3]], [[1, 1], [0, 0]]], batch_dims=1)
    np.testing.assert_array_equal(found, [[1, 11], [17, 12]])
    rows = tf.gather_nd(params, np.array([[[0], [2], [1]], [[3], [0], [1]]]), "rows", 2)
    np.testing.assert_array_equal(rows, [[0, 6, 9], [15, 16, 21]])
    with pytest.raises(ValueError, match="batch_dims = 3 must be less than rank"):
        tf.gather_nd(params, [[[0]]], batch_dims=3)


def test_gather_nd_in_batches_of_unknown_size():
    params = tf.placeholder(tf.float32, [None, None])
    found = tf.gather_nd(params, tf.placeholder(tf.int32, [None, 1], "i"), batch_dims=1)
    with tf.Session() as session:
        values = session.run(found, {params: [[1, 2], [3, 4]], "i:0": [[1], [0]]})
        np.testing.assert_array_equal(values, [2, 3])


def test_diagonals_other_than_the_main_one_are_refused():
    assert tf.matrix_diag([1.0, 2.0]).name == "diag:0"
    assert tf.matrix_diag_part([[1.0, 2.0]]).name == "diag_part:0"
    with pytest.raises(ValueError, match=r"matrix_diag\(k=1\): minitf has the main"):
        tf.matrix_diag([1.0], k=1)
    with pytest.raises(ValueError, match=r"matrix_diag_part\(padding_value=3\)"):
        tf.matrix_diag_part([[1.0]], padding_value=3)
    with pytest.raises(ValueError, match=r"matrix_set_diag\(k=\(0, 1\)\)"):
        tf.matrix_set_diag([[1.0]], [1.0], k=(0, 1))


def test_ensure_shape_calls_its_input_x():
    x = tf.placeholder(tf.float32)
    assert tf.ensure_shape(x=x, shape=(None, 3)).shape.as_list() == [None, 3]


def test_files_under_former_names(tmp_path):
    path = str(tmp_path / "a" / "b")
    tf.gfile.MakeDirs(dirname=path)
    assert tf.gfile.IsDirectory(dirname=path) and tf.gfile.Exists(filename=path)
    with tf.gfile.Open(path + "/one", "w") as file:
        file.write("text")
    tf.gfile.Copy(oldpath=path + "/one", newpath=path + "/two")
    tf.gfile.Rename(oldname=path + "/two", newname=path + "/three", overwrite=True)
    assert tf.gfile.ListDirectory(dirname=path) == ["one", "three"]
    assert tf.gfile.Stat(filename=path + "/three").length == 4
    with tf.gfile.GFile(path + "/one") as file:
        file.seek(position=2)
        assert file.read() == "xt"
    tf.gfile.Remove(filename=path + "/one")
    tf.gfile.DeleteRecursively(dirname=path)
    assert not tf.gfile.Exists(path)
    seen = []
    assert list(tf.io.gfile.walk(path, onerror=seen.append)) == []
    assert isinstance(seen[0], tf.errors.NotFoundError)


def test_what_is_known_of_a_stack_in_part():
    stack = tf.stack([1, tf.placeholder(tf.int32, [])])
    assert tf.get_static_value(stack) is None
    assert tf.get_static_value(stack, partial=True).tolist() == [1, None]


def test_accumulate_n_checks_what_it_is_told():
    x = tf.placeholder(tf.float32, [2, None])
    assert tf.accumulate_n([x, x], shape=[2, 3], tensor_dtype=tf.float32).shape.ndims == 2
    with pytest.raises(TypeError, match="tensor_dtype is .*int32.*, but input is of"):
        tf.accumulate_n([x, x], tensor_dtype=tf.int32)
    with pytest.raises(ValueError, match="are not compatible"):
        tf.accumulate_n([x, x], shape=[3, 3])
