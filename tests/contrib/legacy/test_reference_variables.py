"""Graphs with reference variables, imported as graphs with resource variables."""

import pytest
from reference_graphs import BOOL, FLOAT, INT, RandomGraph, add_node, steps

import minitf as tf


class Builder:
    """A GraphDef with one variable ``v`` of two elements, its start and its read."""

    def __init__(self, **attrs):
        self.graph = tf.GraphDef()
        self.add("v", "VariableV2", dtype=FLOAT, shape=[2], **attrs)
        self.constant("c", [1.0, 2.0])
        self.add("v/Assign", "Assign", ["v", "c"], T=FLOAT)
        self.add("v/read", "Identity", ["v"], T=FLOAT)

    def add(self, name, op, inputs=(), **attrs):
        add_node(tf, self.graph, name, op, inputs, **attrs)

    def constant(self, name, value):
        self.add(name, "Const", dtype=FLOAT, value=(value, "float32"))

    def run(self, *steps_):
        """The last value of steps, each a fetch or a pair of fetch and feed."""
        with tf.Graph().as_default():
            tf.import_graph_def(self.graph, name="")
            with tf.Session() as session:
                for step in steps_:
                    step = step if isinstance(step, tuple) else (step, None)
                    result = session.run(*step)
        return result

    def error(self, kind=ValueError):
        with tf.Graph().as_default() as graph, pytest.raises(kind) as raised:
            tf.import_graph_def(self.graph, name="")
        assert graph.num_operations == 0
        return str(raised.value)


def test_a_variable_is_initialized_and_read_under_its_names():
    names = ["v:0", "v/read:0", "v/Assign:0"]
    for name in names:
        assert Builder().run("v/Assign", name).tolist() == [1.0, 2.0]
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(Builder().graph)
        for name in names:
            assert graph.get_tensor_by_name(f"import/{name}").shape.as_list() == [2]
            assert graph.get_tensor_by_name(f"import/{name}").dtype == tf.float32


def test_a_variable_without_a_value_is_named_by_the_error():
    with pytest.raises(tf.errors.FailedPreconditionError, match="v/VarHandleOp"):
        Builder().run("v:0")


def test_a_value_is_fed_for_a_variable():
    builder = Builder()
    builder.add("y", "Neg", ["v/read"], T=FLOAT)
    assert builder.run(("y:0", {"v:0": [5.0, 6.0]})).tolist() == [-5.0, -6.0]


def test_a_read_after_a_change_sees_the_change():
    builder = Builder()
    builder.add("a", "AssignAdd", ["v", "c"], T=FLOAT)
    builder.add("y", "Neg", ["v", "^a"], T=FLOAT)
    builder.add("z", "Add", ["v", "a"], T=FLOAT)
    assert builder.run("v/Assign", "y:0").tolist() == [-2.0, -4.0]
    assert builder.run("v/Assign", "z:0").tolist() == [4.0, 8.0]


def test_a_change_takes_the_reference_that_another_change_returns():
    builder = Builder()
    builder.add("a", "AssignAdd", ["v/Assign", "c"], T=FLOAT)
    builder.add("b", "AssignSub", ["a", "v"], T=FLOAT)
    # v = c; v += c; v -= v
    assert builder.run("b:0").tolist() == [0.0, 0.0]


def test_the_reference_goes_through_one_branch():
    builder = Builder()
    builder.add("p", "Placeholder", dtype=BOOL, shape=[])
    builder.add("s", "RefSwitch", ["v", "p"], T=FLOAT)
    builder.add("t", "AssignAdd", ["s:1", "c", "^s"], T=FLOAT)
    builder.add("f", "AssignSub", ["s", "c", "^s"], T=FLOAT)
    builder.add("m", "RefMerge", ["f", "t"], T=FLOAT, N=2)
    builder.add("y", "Neg", ["m"], T=FLOAT)
    assert builder.run("v/Assign", ("y:0", {"p:0": True})).tolist() == [-2.0, -4.0]
    assert builder.run("v/Assign", ("y:0", {"p:0": False})).tolist() == [0.0, 0.0]
    assert builder.run("v/Assign", ("m:1", {"p:0": True})) == 1


def test_queries_take_the_reference():
    builder = Builder()
    builder.add("is", "IsVariableInitialized", ["v"], dtype=FLOAT)
    assert not builder.run("is:0")
    assert builder.run("v/Assign", "is:0")


def test_the_first_op_for_variables_takes_a_scalar_shape_for_unknown():
    builder = Builder()
    builder.add("u", "Variable", dtype=FLOAT, shape=[])
    builder.add("u/Assign", "Assign", ["u", "c"], T=FLOAT, validate_shape=False)
    assert builder.run("u/Assign", "u:0").tolist() == [1.0, 2.0]


def test_control_inputs_wait_for_the_change_and_read_nothing():
    builder = Builder()
    builder.add("init", "NoOp", ["^v/Assign", "^v"])
    assert builder.run("init", "v:0").tolist() == [1.0, 2.0]


def test_gradients_flow_to_the_value_of_the_variable():
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(Builder().graph, name="")
        session.run("v/Assign")
        v, read = (graph.get_tensor_by_name(name) for name in ("v:0", "v/read:0"))
        loss = tf.reduce_sum(read * read)
        for x in (v, read):
            assert session.run(tf.gradients(loss, [x])[0]).tolist() == [2.0, 4.0]


def test_new_names_avoid_those_of_the_file():
    builder = Builder()
    builder.constant("v/VarHandleOp", [9.0])
    assert builder.run("v/Assign", "v:0").tolist() == [1.0, 2.0]
    assert builder.run("v/VarHandleOp:0").tolist() == [9.0]


def test_two_imports_have_two_variables():
    with tf.Graph().as_default(), tf.Session() as session:
        for _ in range(2):
            tf.import_graph_def(Builder().graph, name="")
        session.run("v/Assign")
        assert session.run("v:0").tolist() == [1.0, 2.0]
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run("v_1:0")


def test_input_map_takes_the_place_of_the_value_and_of_no_reference():
    builder = Builder()
    del builder.graph.node[2]  # v/Assign
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([7.0, 7.0])
        [read] = tf.import_graph_def(builder.graph, {"v:0": x}, ["v/read:0"])
        assert session.run(read).tolist() == [7.0, 7.0]
        with pytest.raises(ValueError, match=r"'v/Assign' \(Assign\): input 0 is 'v'"):
            tf.import_graph_def(Builder().graph, {"v:0": x})


def test_a_node_that_has_no_translation_is_named():
    for op, reason in (
        ("ApplyAdaMax", "minitf has no op ResourceApplyAdaMax"),
        ("RefSelect", "no op selects one of several resources"),
        ("TemporaryVariable", "exists during one step only"),
    ):
        builder = Builder()
        builder.add("odd", op, T=FLOAT)
        assert f"Node 'odd' ({op}) has no translation" in builder.error()
        assert reason in builder.error()


def test_a_value_in_the_place_of_a_reference_is_named():
    for inputs, text in (
        (["c", "c"], "input 0 is 'c', a value; expected a reference to a variable"),
        (["v/read", "c"], "input 0 is 'v/read', a value"),
        (["v:1", "c"], "input 0 is 'v:1', a value"),
        (["^v", "c"], "input 0 is '^v', a value"),
        (["nothing", "c"], "Unknown input node 'nothing'"),
        ([], "has 0 inputs"),
        (["v"], "needs 2 inputs"),
    ):
        builder = Builder()
        builder.add("a", "AssignAdd", inputs, T=FLOAT)
        assert text in builder.error()


def test_a_cycle_of_references_is_shown():
    builder = Builder()
    builder.add("a", "RefIdentity", ["b"], T=FLOAT)
    builder.add("b", "RefIdentity", ["a"], T=FLOAT)
    assert "The GraphDef has a cycle of 2 nodes" in builder.error()


def test_a_long_chain_of_references_comes_in():
    builder = Builder()
    last = "v"
    for i in range(20_000):
        builder.add(f"r{i}", "RefIdentity", [last], T=FLOAT)
        last = f"r{i}"
    builder.add("a", "AssignAdd", [last, "c"], T=FLOAT)
    assert builder.run("v/Assign", "a:0").tolist() == [2.0, 4.0]


def _mutate(graph, pick):
    node = pick.choice(graph.node)
    other = pick.choice(graph.node)
    way = pick.randrange(6)
    if way == 0 and node.attr:
        del node.attr[pick.choice(sorted(node.attr))]
    elif way == 1 and node.input:
        i = pick.randrange(len(node.input))
        node.input[i] = pick.choice((other.name, other.name + ":1", "^" + other.name))
    elif way == 2:
        node.op = other.op
    elif way == 3:
        graph.node.remove(node)
    elif way == 4 and node.input:
        del node.input[pick.randrange(len(node.input))]
    elif way == 5:
        node.name = other.name


def test_mutated_graphs_do_no_harm():
    import random

    refused = 0
    for seed in range(400):
        pick = random.Random(seed)
        graph = RandomGraph(tf, seed).graph
        for _ in range(pick.randint(1, 3)):
            _mutate(graph, pick)
        with tf.Graph().as_default() as imported:
            try:
                tf.import_graph_def(graph, name="")
            except (ValueError, tf.errors.OpError):
                refused += 1
                assert imported.num_operations == 0
    assert 100 < refused < 400


def test_random_graphs_import_and_their_last_step_has_a_value():
    for seed in range(60):
        with tf.Graph().as_default():
            results = steps(tf, RandomGraph(tf, seed))
        assert results[3] != "InvalidArgumentError", seed
        assert [value.tolist() for value in results[4][:1]] == [[7.0, 8.0]], seed


def test_count_up_to_stops_at_its_limit():
    builder = Builder()
    builder.add("n", "VariableV2", dtype=INT, shape=[])
    builder.add("zero", "Const", dtype=INT, value=(0, "int32"))
    builder.add("n/Assign", "Assign", ["n", "zero"], T=INT)
    builder.add("next", "CountUpTo", ["n"], T=INT, limit=2)
    assert builder.run("n/Assign", "next:0", "next:0") == 1
    with pytest.raises(tf.errors.OutOfRangeError):
        builder.run("n/Assign", "next:0", "next:0", "next:0")


def test_an_average_after_a_training_step_sees_the_new_weights():
    builder = Builder()
    builder.constant("rate", 1.0)
    builder.add("train", "ApplyGradientDescent", ["v", "rate", "c"], T=FLOAT)
    builder.add("y", "Neg", ["v/read", "^train"], T=FLOAT)
    assert builder.run("v/Assign", "y:0").tolist() == [0.0, 0.0]


def test_a_branch_that_is_not_taken_reads_no_variable_without_a_value():
    builder = Builder()
    builder.add("is", "IsVariableInitialized", ["v"], dtype=FLOAT)
    builder.add("s", "RefSwitch", ["v", "is"], T=FLOAT)
    builder.add("t", "Identity", ["s:1"], T=FLOAT)
    builder.add("c/s", "Switch", ["c", "is"], T=FLOAT)
    builder.add("f", "Neg", ["c/s"], T=FLOAT)
    builder.add("m", "Merge", ["f", "t"], T=FLOAT, N=2)
    assert builder.run("m:0").tolist() == [-1.0, -2.0]
    assert builder.run("v/Assign", "m:0").tolist() == [1.0, 2.0]


def test_ops_of_checkpoints_load_and_fail_by_name_when_they_run():
    builder = Builder()
    for name, text in (("prefix", "p"), ("names", ["v"]), ("slices", [""])):
        builder.add(f"save/{name}", "Const", dtype=7, value=(text, "string"))
    inputs = [f"save/{name}" for name in ("prefix", "names", "slices")]
    builder.add("save", "SaveV2", [*inputs, "v"])
    builder.graph.node[-1].attr["dtypes"].list.type.append(FLOAT)
    assert builder.run("v/Assign", "v:0").tolist() == [1.0, 2.0]
    with pytest.raises(tf.errors.NotFoundError, match="SaveV2: no kernel"):
        builder.run("v/Assign", "save")
