"""Pictures of graphs: each state shows the whole graph, and text stays text."""

import base64
import json
import os
import re
import time
import xml.etree.ElementTree as ET
import zlib

import pytest

import minitf as tf
from minitf import viz
from minitf.contrib.viz.graph import MAX_STATES, ROOT, GraphView, Groups
from minitf.contrib.viz.graph_model import read_graph
from minitf.contrib.viz.scopes import MAX_BOXES, Scope, scope_tree
from minitf_lab.dev.demo import train

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "</script>",
    '"><b>',
    "a & b",
    "größe 宽",
    "]]>",
    "\x01",
    "a\\N",
    "'",
    "x" * 300,
]


def data_of(picture):
    """The data that the script of a picture gets, for each graph in it."""
    packed = re.findall(r'data-picture="(.*?)"', picture._repr_html_())
    return [json.loads(zlib.decompress(base64.b64decode(text))) for text in packed]


def view_of(graph, expanded=None):
    nodes = read_graph(graph.as_graph_def(add_shapes=True))
    return GraphView(nodes, Groups([], False, {}), expanded)


def texts_of(svg):
    return {text.text for text in ET.fromstring(svg).iter(f"{SVG}text")}


@pytest.fixture(scope="module")
def mnist():
    with tf.Graph().as_default() as graph:
        train.make_static(train.Options())
    return graph


@pytest.fixture(scope="module")
def view(mnist):
    return view_of(mnist)


def nodes_of(box):
    return box.nodes if isinstance(box, Scope) else [box]


def test_every_node_is_in_exactly_one_box_of_each_state(view):
    everything = list(range(len(view.nodes)))
    assert len(view.states) == len(view.scopes) + 1
    for state, places in view.states.values():
        shown = [node for box in state.boxes() for node in nodes_of(box)]
        assert sorted(shown) == everything
        assert set(places.centers) == set(state.boxes())
        assert set(places.frames) == set(state.scope.path())


def test_every_edge_is_in_a_state_and_leads_from_box_to_box(view):
    edges = {
        (source, output, target)
        for target, node in enumerate(view.nodes)
        for source, output in node.inputs
    }
    drawn = set()
    for state, places in view.states.values():
        assert len(places.paths) == len(places.labels) == len(state.edges)
        for edge in state.edges:
            for source, _, target in edge.members:
                assert source in nodes_of(edge.source)
                assert target in nodes_of(edge.target)
            drawn.update(edge.members)
        # All other edges lie within a closed box.
        members = {member for edge in state.edges for member in edge.members}
        for source, _, target in edges - members:
            assert state.box_of[source] is state.box_of[target]
    assert drawn == edges


def test_boxes_of_a_state_do_not_overlap(view):
    for state, places in view.states.values():
        corners = []
        for box in state.boxes():
            x, y = view._corner(box, places)
            corners.append((x, y, x + view._width(box), y + 34))
        for i, (left, top, right, bottom) in enumerate(corners):
            assert left >= 0 and top >= 0
            assert right <= places.size[0] + 1 and bottom <= places.size[1] + 1
            for other in corners[:i]:
                apart = other[2] <= left or right <= other[0]
                assert apart or other[3] <= top or bottom <= other[1]


def test_the_first_state_has_one_box_a_layer(view):
    state, _ = view.states[ROOT]
    assert {view.label(box) for box in state.boxes()} == {
        *("images", "labels", "training", "conv1", "pool1/MaxPool", "conv2"),
        *("pool2/MaxPool", "flatten/Reshape", "fc1", "dropout", "fc2", "digits", "loss"),
        *("accuracy", "gradients", "optimizer", "init"),
    }
    by_name = {scope.name: scope for scope in view.scopes}
    # A slot lies beside its variable by name, and is the optimizer's.
    inside = {view.nodes[node].name for node in by_name["optimizer/conv1"].nodes}
    assert "conv1/kernel/Adam" in inside
    assert not {
        view.nodes[node].name
        for node in by_name["conv1"].nodes
        if "Adam" in view.nodes[node].name
    }


def test_the_training_graph_takes_at_most_200_kilobytes(mnist):
    picture = viz.graph(mnist, colours="type")
    [packed] = re.findall(r'data-picture="(.*?)"', picture._repr_html_())
    assert len(packed) < 200_000
    [data] = data_of(picture)
    assert {int(number) for number in data["states"]} == {
        ROOT,
        *(number for number, box in enumerate(data["boxes"]) if "around" in box),
    }


def test_text_is_that_of_the_graph():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        w = tf.constant([[1.0, 2.0]] * 3, name="w")
        with tf.device("/gpu:0"), tf.control_dependencies([tf.no_op("first")]):
            tf.matmul(x, w, name="y")
    picture = viz.graph(graph, title="Two & three")
    [data] = data_of(picture)
    by_name = {box["info"].split("\n")[0]: box for box in data["boxes"]}
    assert by_name["y"]["second"] == "MatMul · GPU:0"
    lines = by_name["y"]["info"].split("\n")
    assert lines[1:4] == ["type MatMul", "device /gpu:0", "shape [?,2]"]
    assert lines[4] == "T=float32, transpose_a=False, transpose_b=False"
    assert lines[5] == "inputs: x (:0 [?,3]), w (:0 [3,2]), first (control)"
    numbers = {box["label"]: number for number, box in enumerate(data["boxes"])}
    edges = {tuple(edge[:4]) for edge in data["states"]["-1"]["edges"]}
    assert (numbers["x"], numbers["y"], "", "[?,3]") in edges
    assert (numbers["first"], numbers["y"], "control", "") in edges
    root = ET.fromstring(picture.svg)
    assert (root.get("role"), root[0].text) == ("img", "Two & three")
    assert {"x", "Placeholder · no device", "y", "MatMul · GPU:0", "[3,2]"} <= texts_of(
        picture.svg
    )
    assert "GPU:0</li>" in picture._repr_html_()  # the legend


def test_hostile_names_stay_text():
    graph_def = tf.GraphDef()
    for number, name in enumerate(HOSTILE):
        node = graph_def.node.add(name=name, op=name, device=f"/job:{name}")
        node.input.extend(HOSTILE[:number][-1:])
        node.attr["text"].s = name.encode()
    picture = viz.graph(graph_def, title="</script><script>alert(1)</script>")
    html = picture._repr_html_()
    assert html.count("<script") == html.count("</script>") == 1
    assert "<b>" not in html.replace("<b>&lt;/script&gt;", "")
    for name, box in zip(HOSTILE, data_of(picture)[0]["boxes"], strict=True):
        assert box["info"].startswith(f"{name}\ntype {name}\n")
    assert {"</script>", "a & b", "größe 宽", "\ufffd", "'"} <= texts_of(picture.svg)


def test_pictures_of_one_page_share_no_ids(mnist):
    html = viz.graph(mnist)._repr_html_()
    assert not re.search(r"\sid=", html)
    assert "url(#" not in html


def nested(count, make_name):
    graph_def = tf.GraphDef()
    for number in range(count):
        node = graph_def.node.add(name=make_name(number), op="NoOp")
        if number:
            node.input.append(graph_def.node[number - 1].name)
    return graph_def


@pytest.mark.parametrize(
    "make_name",
    [
        lambda i: f"step_{i // 30}/op{i}",
        lambda i: f"n{i}",
        lambda i: "/".join(["a"] * (i + 1)),
        lambda i: f"a/b/c/d/{i}",
        lambda i: "/" * i + "x",
        lambda i: ("Adam/" if i % 2 else "optimizer/Adam/") + str(i // 2),
    ],
)
def test_scopes_of_many_boxes_stay_small(make_name):
    names = [make_name(number) for number in range(900)]
    root = scope_tree(names)
    for scope in [root, *root.scopes()]:
        assert 1 <= len(scope.children) <= MAX_BOXES
        inside = [node for child in scope.children for node in nodes_of(child)]
        assert sorted(inside) == sorted(scope.nodes)
        assert all(c.parent is scope for c in scope.children if isinstance(c, Scope))
    assert root.nodes == list(range(900))


def test_unrolled_steps_are_one_box():
    root = scope_tree(["x", *(f"step_{i // 20}/op{i % 20}" for i in range(800))])
    assert root.children[0] == 0
    assert [child.label for child in root.children[1:]] == ["step_0 … step_39"]
    halves = [child.label for child in root.children[1].children]
    assert halves == ["step_0 … step_19", "step_20 … step_39"]


def test_5000_nodes_say_what_does_not_open():
    graph_def = nested(5000, lambda i: f"a{i % 7}/b{i % 11}/c{i % 3}/n{i}")
    start = time.monotonic()
    picture = viz.graph(graph_def)
    # Other programs may have the cores as well.
    assert time.monotonic() - start < 30
    [data] = data_of(picture)
    scopes = [box for box in data["boxes"] if "around" in box]
    assert len(data["states"]) == MAX_STATES < len(scopes)
    sentence = f"Only {MAX_STATES - 1} of {len(scopes)} scopes open"
    assert sentence in picture._repr_html_()
    closed = [box for n, box in enumerate(data["boxes"]) if str(n) not in data["states"]]
    last = next(box for box in reversed(closed) if "around" in box)
    assert "does not open here" in last["info"]
    name = last["info"].split("\n")[0]
    [data] = data_of(viz.graph(graph_def, expanded=name))
    assert data["boxes"][data["first"]]["info"].split("\n")[0] == name
    around = data["boxes"][data["first"]]["around"]
    while around != ROOT:
        assert str(around) in data["states"]
        around = data["boxes"][around]["around"]


def test_loops_empty_graphs_and_single_nodes():
    def loop():
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)])

    svg = viz.graph(loop).svg
    assert {"while/Enter", "NextIteration"} <= texts_of(svg)
    assert data_of(viz.graph(tf.GraphDef()))[0]["boxes"] == []
    with tf.Graph().as_default() as graph:
        tf.constant(1, name="only")
    assert {"only", "Const"} == texts_of(viz.graph(graph).svg)
    graph_def = nested(1, lambda i: "self")
    graph_def.node[0].input.append("self")
    [data] = data_of(viz.graph(graph_def))
    assert [edge[:2] for edge in data["states"]["-1"]["edges"]] == [[0, 0]]


def test_functions_are_scopes():
    graph_def = tf.GraphDef()
    function = graph_def.library.function.add()
    function.signature.name = "twice"
    function.signature.input_arg.add(name="x")
    function.node_def.add(name="sum", op="Add").input.extend(["x", "x"])
    function.ret["y"] = "sum:z:0"
    graph_def.node.add(name="call", op="twice")
    nodes = read_graph(graph_def)
    assert [(node.name, node.type, node.inputs) for node in nodes] == [
        ("call", "twice", ()),
        ("function twice/x", "Argument", ()),
        ("function twice/sum", "Add", ((1, 0), (1, 0))),
        ("function twice/return y", "Result", ((2, 0),)),
    ]


def test_fetches_leave_out_what_is_not_needed(mnist):
    [data] = data_of(viz.graph(mnist, fetches=["digits:0"]))
    names = {box["info"].split("\n")[0] for box in data["boxes"]}
    assert {"images", "digits"} <= names
    assert not {"labels", "gradients", "loss"} & names


def test_passes_count_what_went_and_came():
    before, after = tf.GraphDef(), tf.GraphDef()
    before.node.add(name="a", op="A")
    before.node.add(name="b", op="B", input=["a"])
    before.node.add(name="c", op="C", input=["b"])
    after.node.add(name="a", op="A")
    after.node.add(name="c", op="Fused", input=["a"])
    after.node.add(name="d", op="D", input=["c"])
    picture = viz.passes(before, after)
    assert picture.title == (
        "3 nodes before, 3 after: 1 went, 1 came, 1 changed, 1 stayed"
    )
    lines = [
        {box["label"]: box["second"] for box in data["boxes"]}
        for data in data_of(picture)
    ]
    assert lines[0] == {"a": "A · stayed", "b": "B · went", "c": "C · changed"}
    assert lines[1] == {"a": "A · stayed", "c": "Fused · changed", "d": "D · came"}
    assert {"3 nodes before", "B · went", "D · came"} <= texts_of(picture.svg)


def test_a_picture_is_saved_as_page_or_image(mnist, tmp_path):
    picture = viz.graph(mnist, expanded="conv1", title="MNIST")
    picture.save(tmp_path / "a.html")
    picture.save(tmp_path / "a.svg")
    page = (tmp_path / "a.html").read_text()
    assert "<title>MNIST</title>" in page and picture._repr_html_() in page
    assert not re.search(r"(?:src|href)=|@import|url\(", page)  # no network
    assert (tmp_path / "a.svg").read_text() == picture.svg
    assert "▾ conv1" in texts_of(picture.svg)
    with pytest.raises(ValueError, match=r"\.html or \.svg, is 'a\.png'"):
        picture.save("a.png")


def test_wrong_arguments_are_named(mnist):
    with pytest.raises(TypeError, match=r"graph must be a tf.Graph, .* not int"):
        viz.graph(3)
    with pytest.raises(TypeError, match="after must be"):
        viz.passes(mnist, "graph")
    with pytest.raises(TypeError, match="fetches must be .* not int"):
        viz.graph(mnist, fetches=3)
    with pytest.raises(ValueError, match="no node 'digit'; did you mean 'digits'"):
        viz.graph(mnist, fetches="digit")
    with pytest.raises(ValueError, match="'conv' is no scope .*; did you mean 'conv"):
        viz.graph(mnist, expanded="conv")
    with pytest.raises(ValueError, match="colours must be .* is \"?'red"):
        viz.graph(mnist, colours="red")
    graph_def = tf.GraphDef()
    graph_def.node.add(name="a", op="A", input=["gone"])
    with pytest.raises(ValueError, match="'a' takes 'gone'"):
        viz.graph(graph_def)


def test_a_missing_graphviz_is_named(mnist, monkeypatch):
    monkeypatch.setitem(os.environ, "PATH", "/nowhere")
    with pytest.raises(tf.errors.FailedPreconditionError, match="`dot`"):
        viz.graph(mnist)
