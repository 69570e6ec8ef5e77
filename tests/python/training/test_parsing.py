"""Examples, SequenceExamples, CSV, raw bytes and files, in both modes."""

import numpy as np
import pytest

import minitf as tf

# Serialized by protobuf: "image_raw" is "\0\1ab", "label" 3, -1, 300, "weight" 1.5, -2.
EXAMPLE = bytes.fromhex(
    "0a4b0a150a09696d6167655f72617712080a060a04000161620a1a0a056c6162656c12111a0f0a0d03ff"
    "ffffffffffffffff01ac020a160a06776569676874120c120a0a080000c03f000000c0"
)
# "label" is 8, "weight" 0.5, 2.5; no image.
SHORT = bytes.fromhex(
    "0a280a0e0a056c6162656c12051a030a01080a160a06776569676874120c120a0a080000003f00002040"
)
Fixed = tf.FixedLenFeature
Steps = tf.FixedLenSequenceFeature


# ---- Examples --------------------------------------------------------------------------


def test_fixed_features_are_tensors(parse):
    found = parse(
        tf.parse_example,
        [EXAMPLE, SHORT],
        {"weight": Fixed([2], tf.float32), "image_raw": Fixed([], tf.string, "none")},
    )
    assert found["weight"].tolist() == [[1.5, -2], [0.5, 2.5]]
    assert found["weight"].dtype == np.float32
    assert found["image_raw"].tolist() == [b"\0\1ab", b"none"]


def test_features_of_variable_length_are_sparse(parse):
    found = parse(
        tf.parse_example,
        [SHORT, EXAMPLE],
        {"label": tf.VarLenFeature(tf.int64), "nobody": tf.VarLenFeature(tf.string)},
    )
    label = found["label"]
    assert isinstance(label, tf.SparseTensorValue)
    assert label.indices.tolist() == [[0, 0], [1, 0], [1, 1], [1, 2]]
    assert label.values.tolist() == [8, 3, -1, 300]
    assert label.dense_shape.tolist() == [2, 3]
    assert found["nobody"].dense_shape.tolist() == [2, 0]


def test_short_records_are_filled_up(parse):
    features = {
        "label": Steps([], tf.int64, allow_missing=True, default_value=9),
        "weight": Steps([2], tf.float32, allow_missing=True),
        "image_raw": Steps([], tf.string, allow_missing=True),
    }
    found = parse(tf.parse_example, [SHORT, EXAMPLE], features)
    assert found["label"].tolist() == [[8, 9, 9], [3, -1, 300]]
    assert found["weight"].tolist() == [[[0.5, 2.5]], [[1.5, -2]]]
    assert found["image_raw"].tolist() == [[b""], [b"\0\1ab"]]


@pytest.mark.parametrize("options", [{}, {"example_names": "first"}])
def test_one_example_has_no_axis_for_records(parse, options):
    found = parse(
        tf.parse_single_example,
        EXAMPLE,
        {
            "label": tf.VarLenFeature(tf.int64),
            "weight": Fixed([2, 1], tf.float32),
            "image_raw": Fixed([], tf.string),
            "more": Steps([], tf.int64, allow_missing=True),
        },
        **options,
    )
    assert found["label"].indices.tolist() == [[0], [1], [2]]
    assert found["label"].dense_shape.tolist() == [3]
    assert found["weight"].tolist() == [[1.5], [-2]]
    assert found["image_raw"] == b"\0\1ab"
    assert found["more"].tolist() == []


def test_no_records_give_no_rows(parse):
    features = {
        "a": Fixed([2], tf.float32),
        "b": tf.VarLenFeature(tf.int64),
        "c": Steps([3], tf.int64, allow_missing=True),
    }
    found = parse(tf.parse_example, np.zeros([0], object), features)
    assert found["a"].shape == (0, 2)
    assert found["b"].dense_shape.tolist() == [0, 0]
    assert found["c"].shape == (0, 0, 3)


def test_many_records_keep_their_order(parse):
    records = [EXAMPLE, SHORT] * 1500
    features = {"weight": Fixed([2], tf.float32), "label": tf.VarLenFeature(tf.int64)}
    found = parse(tf.parse_example, records, features)
    assert found["weight"].tolist() == [[1.5, -2], [0.5, 2.5]] * 1500
    assert found["label"].values.tolist() == [3, -1, 300, 8] * 1500
    rows = [row for row, _ in found["label"].indices.tolist()]
    assert rows == [row for i in range(1500) for row in (2 * i, 2 * i, 2 * i, 2 * i + 1)]


PROBLEMS = [
    (
        {"labl": Fixed([], tf.int64)},
        "Name: <unknown>, Feature: labl (data type: int64) is required but could not be "
        "found.",
    ),
    (
        {"label": Fixed([3], tf.float32)},
        "Name: <unknown>, Key: label, Index: 0.  Data types don't match. Data type: "
        "int64 but expected type: float",
    ),
    (
        {"image_raw": tf.VarLenFeature(tf.int64)},
        "Key: image_raw, Index: 0.  Data types don't match. Data type: string but "
        "expected type: int64",
    ),
    (
        {"label": Fixed([], tf.int64)},
        "Name: <unknown>, Key: label, Index: 0.  Number of int64 values != expected.  "
        "Values size: 3 but output shape: []",
    ),
    (
        {"label": Steps([2], tf.int64, allow_missing=True)},
        "Key: label, Index: 0.  Number of int64 values is not a multiple of stride "
        "length. Saw 3 values but output shape is: [?,2]",
    ),
]


@pytest.mark.parametrize(("features", "message"), PROBLEMS)
def test_what_does_not_fit_is_named(parse, features, message):
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        parse(tf.parse_example, [EXAMPLE], features)
    assert message in str(raised.value)


def test_the_record_that_is_wrong_is_named(parse):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Name: second, Feature: im"):
        parse(
            tf.parse_example,
            [EXAMPLE, SHORT],
            {"image_raw": Fixed([], tf.string)},
            example_names=["first", "second"],
        )
    with pytest.raises(tf.errors.InvalidArgumentError, match="Name: single, Feature: im"):
        parse(
            tf.parse_single_example,
            SHORT,
            {"image_raw": Fixed([], tf.string)},
            example_names="single",
        )
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"value: '\\x0a\\x7fx'"):
        parse(tf.parse_example, [b"\n\x7fx"], {"a": tf.VarLenFeature(tf.int64)})


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ({}, "Missing"),
        ({"a": 3}, "Invalid feature a:3."),
        ({"a": Fixed(None, tf.int64)}, "Missing shape for feature a."),
        (
            {"a": Fixed([None], tf.int64)},
            "First dimension of shape for feature a unknown",
        ),
        ({"a": Fixed([2, None], tf.int64)}, "All dimensions of shape for feature a"),
        ({"a": Steps([], tf.int64)}, "requires allow_missing to be True"),
        ({"a": Fixed([3], tf.int64, 4)}, "1 values, but the requested shape has 3"),
        ({"a": tf.VarLenFeature(None)}, "Missing type for feature a."),
    ],
)
def test_what_makes_no_sense_is_refused(parse, features, message):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)) as raised:
        parse(tf.parse_example, [EXAMPLE], features)
    assert message in str(raised.value)


def test_shapes_are_known_when_the_graph_is_made():
    features = {
        "a": Fixed([2, 3], tf.float32),
        "b": tf.VarLenFeature(tf.int64),
        "c": Steps([4], tf.int64, allow_missing=True),
    }
    found = tf.parse_example(tf.placeholder(tf.string, [7]), features)
    assert found["a"].shape.as_list() == [7, 2, 3]
    assert found["b"].shape.as_list() == [None, None]
    assert found["c"].shape.as_list() == [7, None, 4]
    assert found["a"].name == "ParseExample/ParseExample:3"


# ---- SequenceExamples ------------------------------------------------------------------


# ---- Sparse tensors --------------------------------------------------------------------


def test_a_sparse_tensor_knows_its_type_and_shape():
    x = tf.SparseTensor(indices=[[0, 1]], values=["a"], dense_shape=[2, 3])
    assert x.dtype == tf.string
    assert x.get_shape().as_list() == [2, 3]
    with pytest.raises(ValueError, match="3"):
        tf.SparseTensor(indices=[[0, 1]], values=["a"], dense_shape=[2, 3, 4])


# ---- Strings and files -----------------------------------------------------------------


def test_raw_bytes_are_numbers(parse):
    assert parse(tf.decode_raw, [b"\1\0\2\0"], tf.int16).tolist() == [[1, 2]]
    big = parse(tf.decode_raw, b"\1\0\2\0", tf.int16, little_endian=False)
    assert big.tolist() == [256, 512]
    assert parse(tf.decode_raw, [b"", b""], tf.float32).shape == (2, 0)
    floats = np.array([1.5, -2], "<f4").tobytes()
    assert parse(tf.decode_raw, floats, tf.float32).tolist() == [1.5, -2]
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="not a multiple of 2, the s"
    ):
        parse(tf.decode_raw, b"abc", tf.int16)
    with pytest.raises(tf.errors.InvalidArgumentError, match="element 1 has size 2 != 1"):
        parse(tf.decode_raw, [b"a", b"bc"], tf.uint8)


def test_zeros_at_the_end_of_strings_are_kept(session):
    text = tf.placeholder(tf.string)
    raw = tf.decode_raw(text, tf.uint8)
    assert session.run(raw, {text: b"\1\0\0"}).tolist() == [1, 0, 0]
    assert session.run(raw, {text: [b"\0", "\0"]}).tolist() == [[0], [0]]
    assert session.run(tf.constant([b"a\0", b"\0\0"])).tolist() == [b"a\0", b"\0\0"]


def test_rows_of_csv_are_columns(parse):
    rows = ["1,2.5,plain", '-3,,"a ""b"", c"', " 4 ,1e3,"]
    defaults = [[0], [7.5], ["none"]]
    ints, floats, texts = parse(tf.decode_csv, rows, defaults)
    assert ints.tolist() == [1, -3, 4]
    assert floats.tolist() == [2.5, 7.5, 1000]
    assert texts.tolist() == [b"plain", b'a "b", c', b"none"]


def test_columns_are_chosen_and_missing_values_named(parse):
    chosen = parse(
        tf.decode_csv,
        ["1;NA;3"],
        [[0], [8]],
        field_delim=";",
        na_value="NA",
        select_cols=[1, 2],
    )
    assert [column.tolist() for column in chosen] == [[0], [3]]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1", "Expect 2 fields but have 1 in record 0"),
        ("1,2,3", "Expect 2 fields but have 3 in record 0"),
        (",1", "Field 0 is required but missing in record 0!"),
        ("1,x", "Field 1 in record 0 is not a valid float: x"),
        ("9999999999,1", "Field 0 in record 0 is not a valid int32: 9999999999"),
        ('1,a"b', "Unquoted fields cannot have quotes/CRLFs inside"),
        ('1,"2', "Quoted field has to end with quote followed by delim or end"),
        ('"1"x,2', "Quoted field has to end with quote followed by delim or end"),
    ],
)
def test_rows_that_make_no_sense(parse, row, message):
    defaults = [np.zeros([0], np.int32), [1.0]]
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        parse(tf.decode_csv, [row], defaults)
    assert message in str(raised.value)


def test_files_are_written_found_and_read(session, tmp_path):
    name = str(tmp_path / "new" / "a.bin")
    session.run(tf.write_file(name, b"\0bytes\0"))
    session.run(tf.write_file(str(tmp_path / "b.bin"), "text"))
    assert session.run(tf.read_file(name)) == b"\0bytes\0"
    patterns = [str(tmp_path / "*.bin"), str(tmp_path / "n*" / "?.bin")]
    found = session.run(tf.matching_files(patterns))
    assert found.tolist() == [str(tmp_path / "b.bin").encode(), name.encode()]
    (tmp_path / "new" / ".hidden").touch()
    for pattern, names in {
        "new/*": [".hidden", "a.bin"],
        "new/.*": [".hidden"],
        "new/../n*/a*": ["a.bin"],
        "*/*.c": [],
    }.items():
        found = session.run(tf.matching_files(str(tmp_path / pattern)))
        assert [path.decode().rpartition("/")[2] for path in found] == names
    with pytest.raises(tf.errors.NotFoundError, match="none; No such file"):
        session.run(tf.read_file(str(tmp_path / "none")))
    with pytest.raises(tf.errors.FailedPreconditionError, match="directory"):
        session.run(tf.read_file(str(tmp_path)))


# ---- gfile -----------------------------------------------------------------------------


def test_gfile_reads_and_writes(tmp_path):
    path = str(tmp_path / "a.txt")
    with tf.gfile.GFile(path, "w") as file:
        file.write("one\ntwo\n")
    with tf.gfile.Open(path) as file:
        assert file.readline() == "one\n"
        assert list(file) == ["two\n"]
        assert file.size() == 8
    with tf.gfile.FastGFile(path, "rb") as file:
        assert file.read(3) == b"one"
        file.seek(-4, 2)
        assert file.read() == b"two\n"
    with pytest.raises(tf.errors.PermissionDeniedError, match="isn't open for writing"):
        tf.gfile.GFile(path).write("x")
    with pytest.raises(tf.errors.NotFoundError, match="none; No such file"):
        tf.gfile.GFile(str(tmp_path / "none")).read()
    with pytest.raises(tf.errors.InvalidArgumentError, match="mode"):
        tf.gfile.GFile(path, "q")


def test_gfile_manages_folders(tmp_path):
    top = str(tmp_path / "top")
    tf.gfile.MakeDirs(f"{top}/x/y")
    tf.gfile.MakeDirs(f"{top}/x/y")
    tf.gfile.GFile(f"{top}/a", "w").close()
    tf.gfile.Copy(f"{top}/a", f"{top}/x/b")
    assert tf.gfile.IsDirectory(top) and not tf.gfile.IsDirectory(f"{top}/a")
    assert tf.gfile.ListDirectory(top) == ["a", "x"]
    assert tf.gfile.Glob(f"{top}/*") == [f"{top}/a", f"{top}/x"]
    walked = [(top, ["x"], ["a"]), (f"{top}/x", ["y"], ["b"]), (f"{top}/x/y", [], [])]
    assert list(tf.gfile.Walk(top)) == walked
    with pytest.raises(tf.errors.AlreadyExistsError, match="already exists"):
        tf.gfile.Rename(f"{top}/a", f"{top}/x/b")
    tf.gfile.Rename(f"{top}/a", f"{top}/x/b", overwrite=True)
    assert not tf.gfile.Exists(f"{top}/a")
    tf.gfile.Remove(f"{top}/x/b")
    tf.gfile.DeleteRecursively(top)
    assert not tf.gfile.Exists(top)
    with pytest.raises(tf.errors.NotFoundError):
        tf.gfile.Remove(f"{top}/none")
    with pytest.raises(tf.errors.NotFoundError):
        tf.gfile.ListDirectory(top)


# ---- What is refused when the graph is made --------------------------------------------


@pytest.mark.parametrize(
    ("defaults", "columns", "error", "message"),
    [
        ([[1]], [-1], ValueError, "select_cols contains negative values."),
        ([[True], [1]], None, TypeError, "Default 0 of decode_csv has DataType bool"),
        ([1, np.int8(2)], None, TypeError, "Default 1 of decode_csv has DataType int8"),
    ],
)
def test_columns_and_defaults_that_cannot_be(defaults, columns, error, message):
    with pytest.raises(error, match=message):
        tf.decode_csv(["1,2"], defaults, select_cols=columns)
