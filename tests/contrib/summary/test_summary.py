"""Summaries and event files: messages, files, and TensorBoard's own reader."""

import json
import os
import struct
import zlib

import numpy as np
import peers
import pytest

import minitf as tf


def summary_of(tensor):
    with tf.Session() as session:
        return tf.Summary.FromString(session.run(tensor))


def events_in(folder):
    (path,) = folder.glob("events.out.tfevents.*")
    return list(tf.train.summary_iterator(str(path)))


def pixels_of(png):
    """The pixels of a PNG file without filters, [height,width,channels]."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    data, at = b"", 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", body[:10])
            channels = {0: 1, 2: 3, 6: 4}[color]
            assert depth == 8
        data += body if kind == b"IDAT" else b""
        at += 12 + length
    rows = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, -1)
    image = np.zeros((height, width * channels), np.uint8)
    for y, (kind, row) in enumerate(zip(rows[:, 0], rows[:, 1:], strict=True)):
        for x, byte in enumerate(row):
            left = int(image[y, x - channels]) if x >= channels else 0
            up = int(image[y - 1, x]) if y else 0
            corner = int(image[y - 1, x - channels]) if y and x >= channels else 0
            guess = left + up - corner
            nearest = min((left, up, corner), key=lambda v: abs(guess - v))
            base = [0, left, up, (left + up) // 2, nearest][kind]
            image[y, x] = (int(byte) + base) % 256
    return image.reshape(height, width, channels)


def test_a_scalar_has_the_name_of_its_node_as_tag():
    summary = tf.summary.scalar("loss rate", 0.25)
    assert summary.op.name == "loss_rate"
    assert [tensor.name for tensor in summary.op.inputs] == [
        "loss_rate/tags:0",
        "loss_rate/values:0",
    ]
    (value,) = summary_of(summary).value
    assert (value.tag, value.simple_value) == ("loss_rate", 0.25)
    with tf.name_scope("tower"):
        assert summary_of(tf.summary.scalar("x", 1)).value[0].tag == "tower/x"
    family = tf.summary.scalar("a", 1.0, family="fam")
    assert family.op.name == "fam/a"
    assert summary_of(family).value[0].tag == "fam/fam/a"


def test_a_histogram_has_tensorflows_buckets():
    (value,) = summary_of(tf.summary.histogram("h", [-1.5, 0.0, 0.0, 2.5, 100.0])).value
    assert list(value.histo.bucket) == [0, 1, 0, 2, 0, 1, 0, 1, 0]
    assert value.histo.bucket_limit[1] == -1.47723448201245
    assert (value.histo.min, value.histo.num, value.histo.sum) == (-1.5, 5, 101)


@pytest.mark.parametrize(("bad", "word"), [(np.nan, "Nan"), (np.inf, "Infinity")])
def test_a_histogram_of_what_is_not_finite_fails(bad, word):
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=f"{word} in summary histogram for: h"
    ):
        summary_of(tf.summary.histogram("h", [1.0, bad]))


# What TensorFlow makes of the same numbers.
@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ([[[0.0], [1.0]], [[2.0], [4.0]]], [0, 63, 127, 255]),
        ([[[-2.0], [-1.0]], [[0.0], [2.0]]], [1, 64, 128, 255]),
        ([[[0.0], [0.0]]], [0, 0]),
        ([[[1.0, 2.0, 3.0], [np.nan, 0.0, 1.0]]], [85, 170, 255, 255, 0, 0]),
    ],
)
def test_an_image_fills_the_range(image, expected):
    array = np.array([image], np.float32)
    (value,) = summary_of(tf.summary.image("i", array, max_outputs=1)).value
    assert value.tag == "i/image"
    assert value.image.colorspace == array.shape[-1]
    pixels = pixels_of(value.image.encoded_image_string)
    assert pixels.shape == array.shape[1:] and pixels.ravel().tolist() == expected


def test_bytes_of_an_image_stay_and_tags_are_numbered():
    array = np.random.RandomState(0).randint(0, 256, [4, 5, 7, 3]).astype(np.uint8)
    values = summary_of(tf.summary.image("i", tf.constant(array))).value
    assert [value.tag for value in values] == ["i/image/0", "i/image/1", "i/image/2"]
    for value, image in zip(values, array, strict=False):
        np.testing.assert_array_equal(pixels_of(value.image.encoded_image_string), image)


def test_an_image_has_one_three_or_four_channels():
    with pytest.raises(tf.errors.InvalidArgumentError, match="last dim 1, 3, or 4"):
        x = tf.placeholder_with_default(np.zeros([1, 2, 2, 2], np.float32), None)
        summary_of(tf.summary.image("i", x))


def test_a_sound_is_a_wav_file():
    sound = [[0.0, 1.0, -1.0, 0.5, 0.25001, 2.0]]
    (value,) = summary_of(tf.summary.audio("a", sound, 44100, max_outputs=1)).value
    # The bytes that TensorFlow makes.
    assert value.audio.encoded_audio_string == bytes.fromhex(
        "524946463000000057415645666d7420100000000100010044ac0000885801000200100064617461"
        "0c0000000000ff7f008000400020ff7f"
    )
    assert (value.tag, value.audio.length_frames) == ("a/audio", 6)


def test_text_is_a_tensor_with_a_note_for_its_plugin():
    (value,) = summary_of(tf.summary.text("t", tf.constant(["hi"]))).value
    assert value.metadata.plugin_data.plugin_name == "text"
    assert tf.make_ndarray(value.tensor).tolist() == [b"hi"]
    with pytest.raises(ValueError, match="dtype string"):
        tf.summary.text("t", tf.constant([1]))


def test_merging():
    assert tf.summary.merge_all() is None
    a, b = tf.summary.scalar("a", 1.0), tf.summary.scalar("b", 2.0)
    merged = tf.summary.merge_all()
    assert merged.op.name == "Merge/MergeSummary"
    assert [value.tag for value in summary_of(merged).value] == ["a", "b"]
    assert tf.summary.merge([a, b], name="q").op.name == "q/q"
    with pytest.raises(tf.errors.InvalidArgumentError, match="Duplicate tag a"):
        summary_of(tf.summary.merge([a, a]))


def test_a_writer_writes_what_it_is_given(tmp_path):
    with tf.device("/gpu:0"):
        tf.constant(1.0, name="c")
    graph = tf.get_default_graph()
    with tf.summary.FileWriter(str(tmp_path / "new"), graph) as writer:
        value = tf.Summary.Value(tag="loss", simple_value=0.5)
        writer.add_summary(tf.Summary(value=[value]), 3)
        writer.add_summary(tf.Summary(value=[value]).SerializeToString(), 4)
        writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 5)
        writer.add_run_metadata(tf.RunMetadata(), "step 6", 6)
        with pytest.raises(ValueError, match="tag was already used"):
            writer.add_run_metadata(tf.RunMetadata(), "step 6", 7)
        assert writer.get_logdir() == str(tmp_path / "new")
    events = events_in(tmp_path / "new")
    assert [event.WhichOneof("what") for event in events] == [
        "file_version",
        "graph_def",
        "summary",
        "summary",
        "session_log",
        "tagged_run_metadata",
    ]
    assert [event.step for event in events] == [0, 0, 3, 4, 5, 6]
    assert events[0].file_version == "brain.Event:2"
    drawn = tf.GraphDef.FromString(events[1].graph_def)
    assert drawn.node[0].device.lower().endswith("gpu:0")
    assert drawn.node[0].attr["_output_shapes"].list.shape


def test_metadata_goes_with_the_first_value_of_a_tag(tmp_path):
    summary = tf.summary.text("t", tf.constant("hi"))
    with tf.summary.FileWriter(tmp_path) as writer, tf.Session() as session:
        for step in range(2):
            writer.add_summary(session.run(summary), step)
    _, first, second = events_in(tmp_path)
    assert first.summary.value[0].metadata.plugin_data.plugin_name == "text"
    assert not second.summary.value[0].HasField("metadata")


def test_events_can_be_read_while_the_file_grows(tmp_path):
    writer = tf.summary.FileWriter(tmp_path, max_queue=3)
    event = tf.Event(step=1)
    counts = []
    for _ in range(4):
        writer.add_event(event)
        counts.append(len(events_in(tmp_path)) - 1)
    assert counts == [0, 0, 3, 3]
    writer.flush()
    assert len(events_in(tmp_path)) == 5
    writer.close()
    writer.close()
    writer.add_event(event)  # only a warning
    assert len(events_in(tmp_path)) == 5


def test_reopening_starts_a_further_file(tmp_path):
    writer = tf.summary.FileWriter(tmp_path, filename_suffix=".a")
    writer.close()
    writer._suffix = ".b"  # a name of its own, also within one second
    writer.reopen()
    writer.add_event(tf.Event(step=1))
    writer.close()
    assert len(list(tmp_path.glob("*.tfevents.*"))) == 2


def test_the_cache_gives_one_writer_for_a_folder(tmp_path):
    cache = tf.summary.FileWriterCache
    writer = cache.get(str(tmp_path))
    assert cache.get(str(tmp_path)) is writer
    cache.clear()
    assert cache.get(str(tmp_path)) is not writer
    cache.clear()


def test_a_broken_file_is_reported(tmp_path):
    with tf.summary.FileWriter(tmp_path) as writer:
        writer.add_event(tf.Event(step=1))
    (path,) = tmp_path.glob("*.tfevents.*")
    data = bytearray(path.read_bytes())
    data[-6] ^= 1
    path.write_bytes(data)
    with pytest.raises(tf.errors.DataLossError):
        list(tf.train.summary_iterator(str(path)))
    with pytest.raises(tf.errors.NotFoundError):
        list(tf.train.summary_iterator(str(tmp_path / "none")))


def test_eager_mode_has_no_summary_ops(eager, tmp_path):
    with pytest.raises(RuntimeError, match="eager"):
        tf.summary.scalar("a", 1.0)
    with pytest.raises(RuntimeError, match="eager"):
        tf.summary.FileWriter(tmp_path)


# ---- TensorBoard -----------------------------------------------------------------------

READ_IN_TENSORBOARD = """
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
events = EventAccumulator(sys.argv[1]).Reload()
graph = events.Graph()
print(json.dumps({
    "scalars": [(e.step, e.value) for e in events.Scalars("loss")]
        if "loss" in events.Tags()["scalars"] else
        [(e.step, e.tensor_proto.float_val[0]) for e in events.Tensors("loss")],
    "tags": {k: v for k, v in events.Tags().items() if v},
    "devices": sorted({node.device for node in graph.node}),
    "nodes": len(graph.node),
}))
"""


@pytest.mark.peers("tensorboard")
def test_tensorboard_reads_our_files(tmp_path):
    x = tf.placeholder(tf.float32, [], name="x")
    tf.summary.scalar("loss", x)
    with tf.device("/gpu:0"):
        y = tf.multiply([1.0, 2.0, 3.0], x)
    tf.summary.histogram("h", y)
    tf.summary.image("i", tf.reshape(y, [1, 1, 1, 3]))
    tf.summary.text("note", tf.constant("hello"))
    summary = tf.summary.merge_all()
    graph = tf.get_default_graph()
    with tf.summary.FileWriter(tmp_path, graph) as writer, tf.Session() as session:
        for step in range(3):
            writer.add_summary(session.run(summary, {x: step + 0.5}), step)
        writer.add_run_metadata(tf.RunMetadata(), "run", 2)
    seen = json.loads(peers.run("tensorboard", READ_IN_TENSORBOARD, tmp_path))
    assert seen["scalars"] == [[0, 0.5], [1, 1.5], [2, 2.5]]
    assert seen["nodes"] == graph.num_operations
    assert any(device.lower().endswith("gpu:0") for device in seen["devices"])
    tags = json.dumps(seen["tags"])
    assert all(tag in tags for tag in ("loss", "h", "i/image", "note", "run"))


def test_a_folder_that_cannot_be_made_is_an_error_of_ours():
    for path in ("/proc/nope", "/proc/nope/deeper"):
        with pytest.raises(tf.errors.OpError, match="/proc/nope"):
            tf.summary.FileWriter(path)
        with pytest.raises(tf.errors.OpError, match="/proc/nope"):
            tf.train.write_graph(tf.get_default_graph(), path, "graph.pb")


def test_the_timeline_is_where_tensorflow_has_it():
    from minitf.python.client import timeline

    from minitf.client.timeline import Timeline

    assert timeline.Timeline is Timeline


def test_a_summary_is_a_message(tmp_path):
    with (
        tf.Graph().as_default(),
        tf.summary.FileWriter(os.fspath(tmp_path)) as writer,
        pytest.raises(TypeError, match="add_event needs a tf.Event, not 3"),
    ):
        writer.add_event(3)
    with (
        tf.Graph().as_default(),
        tf.summary.FileWriter(os.fspath(tmp_path)) as writer,
        pytest.raises(ValueError, match="add_summary needs a tf.Summary"),
    ):
        writer.add_summary(b"\xff\xfe")


def test_values_keep_their_type():
    for array in (np.zeros([1, 2, 2, 3], np.uint8), np.zeros([1, 2, 2, 3])):
        assert tf.summary.image("image", array).op.inputs[1].dtype == array.dtype
    for values in ([1, 2], np.array([2**40]), np.array([1.5])):
        made = tf.summary.histogram("values", values).op.inputs[1]
        assert made.dtype == tf.constant(values).dtype


def test_a_name_of_tf_train_is_not_one_of_tf_summary():
    assert not hasattr(tf.summary, "summary_iterator")
