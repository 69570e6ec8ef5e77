"""Pictures of tensors, steps, memory and accesses show the right values."""

import json
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import minitf as tf
from minitf import viz

SVG = "{http://www.w3.org/2000/svg}"


def boxes_of(picture):
    """The rectangles: class or fill, lines of text, title, and (x, y, width, height)."""
    root = ET.fromstring(picture.svg)
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text and root.find(f"{SVG}desc").text
    boxes = []
    for group in root.iter(f"{SVG}g"):
        rect = group.find(f"{SVG}rect")
        if rect is not None:
            place = [float(rect.get(key)) for key in ("x", "y", "width", "height")]
            texts = [text.text for text in group.findall(f"{SVG}text")]
            about = group.findtext(f"{SVG}title")
            boxes.append((group.get("class"), texts, about, place))
    return boxes


def lines_of(picture):
    """The lines of text beside the rectangles."""
    [body] = ET.fromstring(picture.svg).findall(f"{SVG}g")
    return [text.text for text in body.findall(f"{SVG}text")]


VIEWS = {
    "rows": lambda x: x,
    "transposed": lambda x: x.T,
    "reversed": lambda x: x[::-1, ::-2],
    "broadcast": lambda x: np.broadcast_to(x[0], (3, 4)),
    "column": lambda x: x[:, 1],
    "one": lambda x: x[1, 1],
    "planes": lambda x: x.reshape(2, 2, 3).transpose(2, 0, 1),
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_a_tensor_is_drawn_with_the_buffer_below(view):
    array = view(np.arange(100, 112).reshape(3, 4))
    array = np.asarray(array)
    boxes = boxes_of(viz.tensor(array))
    cells, buffer = boxes[: array.size], boxes[array.size :]
    assert [int(texts[0]) for _, texts, _, _ in cells] == array.ravel().tolist()
    for number, (_, texts, _, _) in enumerate(buffer):
        assert texts[1] == f"@{number}"
    # A cell is the box of the buffer at its position, colour and all.
    for colour, texts, _, _ in cells:
        other = buffer[int(texts[1][1:])]
        assert (colour, texts) == (other[0], other[1])
    # No two lie at one place.
    assert len({tuple(place) for *_, place in boxes}) == len(boxes)


def test_strides_that_are_given_read_the_array_as_a_buffer():
    array = np.arange(12).reshape(3, 4)
    boxes = boxes_of(viz.tensor(array, strides=[0, 2]))
    values = [int(texts[0]) for _, texts, _, _ in boxes]
    assert values == [0, 2, 4, 6] * 3 + list(range(12))
    with pytest.raises(ValueError, match="reach the positions 0 to 14 of .* 12 elements"):
        viz.tensor(array, strides=[4, 2])
    with pytest.raises(ValueError, match="reach the positions -8 to 3"):
        viz.tensor(array, strides=[-4, 1])
    with pytest.raises(ValueError, match="strides must be 2 integers"):
        viz.tensor(array, strides=[1])


def test_what_is_left_out_of_a_large_tensor_is_counted():
    lines = lines_of(viz.tensor(np.zeros([20, 8, 40], np.float32)))
    assert "Shown: 768 of 6400 elements" in lines
    assert "The buffer, 25600 bytes: 128 of 6400 elements" in lines


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
def test_an_image_is_drawn_as_planes_in_both_layouts(layout):
    image = np.random.default_rng(1).integers(0, 256, [1, 4, 5, 3], np.uint8)
    value = image if layout == "NHWC" else image.transpose(0, 3, 1, 2)
    picture = viz.tensor(value, layout=layout)
    root = ET.fromstring(picture.svg)
    fills = [rect.get("style") for rect in root.iter(f"{SVG}rect") if rect.get("style")]
    want = []
    for (_, _, channel), level in np.ndenumerate(image[0]):
        light = [0, 0, 0]
        light[channel] = level
        want.append(f"fill:rgb({','.join(map(str, light))});stroke:none")
    assert fills == want
    positions = {texts[0]: [] for _, texts, _, _ in boxes_of(picture) if texts}
    for _, texts, _, _ in boxes_of(picture):
        if texts:
            positions[texts[0]].append(texts[1])
    assert positions["G(1,0)"] == ["@16", "@25"]  # 1 * 15 + 1 in NHWC, 20 + 5 in NCHW
    assert f"Pixels in {layout}, as this tensor" in " ".join(lines_of(picture))


def test_wrong_tensors_are_named():
    with tf.Graph().as_default():
        node = tf.zeros([2])
    with pytest.raises(TypeError, match="that has a value, not GraphTensor"):
        viz.tensor(node)
    with pytest.raises(TypeError, match="not list"):
        viz.tensor([1, 2])
    with pytest.raises(ValueError, match=r"no elements, its shape is \[0, 2\]"):
        viz.tensor(np.zeros([0, 2]))
    with pytest.raises(ValueError, match="cannot be given together"):
        viz.tensor(np.zeros([1, 2, 2, 3]), strides=[1, 1, 1, 1], layout="NHWC")
    with pytest.raises(ValueError, match=r"1, 3 or 4 channels; the shape is \[1, 2, 2\]"):
        viz.tensor(np.zeros([1, 2, 2]), layout="NHWC")
    with pytest.raises(ValueError, match="is \"?'HW"):
        viz.tensor(np.zeros([1, 2, 2, 3]), layout="HW")


@pytest.fixture(scope="module", params=[0, 1], ids=["pool", "plan"])
def step(request):
    """Three products with a Relu each, with and without a memory plan."""
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.minitf_memory_plan = request.param
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        x = y = tf.placeholder(tf.float32, [64, 64], name="x")
        for number in range(3):
            y = tf.nn.relu(tf.matmul(y, x, name=f"m{number}"), name=f"r{number}")
        session.run(y, {x: np.eye(64)}, options, metadata)
    return metadata


def test_a_timeline_has_a_bar_for_each_node(step):
    picture = viz.timeline(step)
    bars = [box for box in boxes_of(picture) if box[2]]
    nodes = step.step_stats.dev_stats[0].node_stats
    assert [about.split(" ")[0] for _, _, about, _ in bars] == [
        n.node_name for n in nodes
    ]
    start = min(node.all_start_nanos for node in nodes)
    ends = [node.all_start_nanos + node.all_end_rel_nanos for node in nodes]
    scale = 1000 / (max(ends) - start)
    for node, (_, _, about, (x, _, width, _)) in zip(nodes, bars, strict=True):
        assert x == pytest.approx((node.all_start_nanos - start) * scale, abs=0.01)
        assert width == pytest.approx(max(node.all_end_rel_nanos * scale, 0.5), abs=0.01)
        assert "(MatMul)" in about or "(Relu)" in about
    assert "CPU:0, caller" in lines_of(picture)
    assert max(place[0] + place[2] for *_, place in bars) <= 1000.5


def test_memory_in_use_at_one_time_does_not_overlap(step):
    picture = viz.memory(step)
    blocks = [box for box in boxes_of(picture) if box[2]]
    names = re.findall(r"\b[mr]\d:0", " ".join(about for _, _, about, _ in blocks))
    assert sorted(names) == ["m0:0", "m1:0", "m2:0", "r0:0", "r1:0", "r2:0"]
    # A Relu writes over its input: three buffers of six tensors.
    assert len(blocks) == 3
    for i, (*_, (left, top, width, height)) in enumerate(blocks):
        for *_, (x, y, other_width, other_height) in blocks[:i]:
            apart = x + other_width <= left + 0.01 or left + width <= x + 0.01
            assert apart or y + other_height <= top + 0.01 or top + height <= y + 0.01
    assert f"at most {2 * 64 * 64 * 4:,} bytes in use" in " ".join(lines_of(picture))


def test_memory_leaves_out_gaps_and_keeps_what_is_not_read():
    metadata = tf.RunMetadata()
    device = metadata.step_stats.dev_stats.add(device="/device:CPU:0")
    rows = (
        ("a", "", 4096, 100),
        ("b", "a", 65536, 300),
        ("c", "b", 65536, 300),
        ("d", "a", 0, 0),
    )
    for number, (name, inputs, address, size) in enumerate(rows):
        node = device.node_stats.add(node_name=name, all_start_nanos=number)
        node.timeline_label = f"{name} = Op({inputs})"
        memory = node.output.add().tensor_description.allocation_description
        memory.ptr, memory.requested_bytes = address, size
    blocks = [box for box in boxes_of(viz.memory(metadata)) if box[2]]
    assert [about for _, _, about, _ in blocks] == [
        "a:0: 100 bytes at 0, nodes 0 to 3",
        "b:0, c:0: 300 bytes at 100, nodes 1 to 3",
    ]
    (x, y, width, height), (next_x, next_y, next_width, _) = (box[3] for box in blocks)
    assert (width, next_x - x, next_width) == (480, 120, 360)
    assert (height, next_y - y) == (150, 150)
    [line] = [text for text in lines_of(viz.memory(metadata)) if "in use" in text]
    assert line == "CPU:0: at most 400 bytes in use, at node 1 (b)"


def test_steps_without_a_trace_are_named():
    for draw in viz.timeline, viz.memory:
        with pytest.raises(ValueError, match="FULL_TRACE"):
            draw(tf.RunMetadata())
        with pytest.raises(TypeError, match=r"a tf.RunMetadata, not GraphDef"):
            draw(tf.GraphDef())


def report_of(kind, lanes, findings=()):
    row = {"kernel": "K", "kind": kind, "file": "k.cu", "line": 3, "requests": 1}
    row |= {"per_request": 1, "ideal": 1, "first": [{"size": 4, "lanes": lanes}]}
    return {"findings": list(findings), "profile": [row]}


def test_accesses_show_lanes_banks_and_races(tmp_path):
    race = {
        "kind": "race",
        "space": "shared",
        "file": "k.cu",
        "lines": [3, 5],
        "count": 2,
    }
    report = report_of("shared-load", [0, 4, 128, None, 8], [race])
    report["findings"].append(race | {"kind": "uninit", "lines": [5]})  # another line
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report))
    picture = viz.accesses(path)
    boxes = boxes_of(picture)
    banks, cells = boxes[:32], boxes[32:]
    assert [texts for _, texts, _, _ in banks[:3]] == [["0!"], ["1"], ["2"]]
    assert [colour for colour, *_ in banks] == ["k3", *["k8"] * 31]
    shown = {(i // 32, i % 32): box[1] for i, box in enumerate(cells) if box[1]}
    assert shown == {(0, 0): ["0"], (0, 1): ["1"], (0, 2): ["4"], (1, 0): ["2"]}
    marks = [text for text in lines_of(picture) if text.startswith("!")]
    assert marks == ["! race (shared memory), 2 times"]
    assert "Found race (shared memory), 2 times, k.cu:3, 5" in lines_of(picture)


def test_global_accesses_are_drawn_in_sectors():
    picture = viz.accesses(report_of("global-load", [0, 0, 32, 2000]))
    assert [text for text in lines_of(picture) if text.startswith("sector")] == [
        "sector 0",
        "sector 1",
        "sector 62",
    ]
    shown = [(b[1], b[2]) for b in boxes_of(picture) if b[1]]
    assert shown == [(["0+"], "lanes 0, 1"), (["2"], "lanes 2"), (["3"], "lanes 3")]


def test_wrong_reports_are_named():
    report = report_of("global-load", [0])
    with pytest.raises(ValueError, match="accesses of K, expected L"):
        viz.accesses(report, kernel="L")
    with pytest.raises(ValueError, match="it has no 'profile'"):
        viz.accesses({"findings": []})
    with pytest.raises(ValueError, match="SIMT_PROFILE=1"):
        viz.accesses({"findings": [], "profile": []})
    with pytest.raises(TypeError, match="not int"):
        viz.accesses(3)
