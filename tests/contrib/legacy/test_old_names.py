"""What old programs call: templates, former names, and switches of behaviour."""

import pytest
from test_variable_arguments import _names

import minitf as tf


def scaled(x, scale=1.0):
    v = tf.get_variable("v", [], initializer=tf.ones_initializer())
    return x * v * scale


def names():
    return [variable.name for variable in tf.global_variables()]


def test_calls_of_a_template_share_variables(session):
    layer = tf.make_template("layer", scaled, scale=2.0)
    assert layer.variables == [] and layer.variable_scope is None
    x, y = layer(1.0), layer(2.0)
    assert (x.name, y.name) == ("layer/mul_1:0", "layer_1/mul_1:0")
    assert names() == ["layer/v:0"]
    assert layer.variables == layer.trainable_variables == tf.global_variables()
    assert layer.variable_scope.name == layer.var_scope.name == layer.name == "layer"
    session.run(tf.global_variables_initializer())
    assert session.run([x, y]) == [2, 4]


def test_each_template_has_a_scope_of_its_own():
    later = tf.make_template("layer", scaled)
    now = tf.make_template("layer", scaled, create_scope_now_=True)
    with tf.variable_scope("outer"):
        inner = tf.make_template("layer", scaled)
        inner(1.0)
    assert later(1.0).name == "layer/mul_1:0"
    assert now(1.0).name == "layer_1/mul_1:0"
    assert inner(2.0).name == "layer_2/mul_1:0"  # names of ops are counted apart
    assert names() == ["outer/layer/v:0", "layer_1/v:0", "layer/v:0"]
    tf.make_template("layer", scaled, unique_name_="given")(1.0)
    with pytest.raises(ValueError, match="Variable given/v already exists"):
        tf.make_template("layer", scaled, unique_name_="given")(1.0)


def test_what_makes_no_template():
    with pytest.raises(ValueError, match="name cannot be None"):
        tf.make_template(None, scaled)
    with pytest.raises(TypeError, match="func_ must be callable, got 3"):
        tf.make_template("layer", 3)
    makes_more = tf.make_template("layer", lambda: tf.Variable(1.0, name="w"))
    makes_more()
    with pytest.raises(ValueError, match="created when calling a template"):
        makes_more()


def test_a_former_name_of_name_scope():
    with tf.op_scope([1.0], None, "default") as scope:
        assert (scope, tf.constant(1).name) == ("default/", "default/Const:0")
    with tf.op_scope([1.0], "given", "default") as scope:
        assert scope == "given/"


def test_a_guarantee_changes_nothing(session):
    x = tf.guarantee_const(tf.constant(3.0))
    assert x.name == "GuaranteeConst:0" and session.run(x) == 3


def test_there_is_one_behaviour(eager):
    assert tf.executing_eagerly()
    tf.disable_v2_behavior()
    assert not tf.executing_eagerly()
    tf.disable_control_flow_v2()
    tf.enable_resource_variables()
    tf.disable_resource_variables()
    assert tf.resource_variables_enabled() and not tf.control_flow_v2_enabled()
    with pytest.raises(tf.errors.UnimplementedError, match="Switch and Merge"):
        tf.enable_control_flow_v2()


def test_the_former_way_to_make_parts():
    zeros = tf.zeros_initializer()
    parts = tf.create_partitioned_variables([4, 2], [1, 2], zeros, name="q")
    again = tf.create_partitioned_variables([4, 2], [1, 2], zeros, name="q", reuse=True)
    assert _names(parts) == ["q/part_0:0", "q/part_1:0"]
    assert parts[0] is again[0]
    value = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    parts = tf.create_partitioned_variables([2, 2], [2, 1], value)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert [session.run(part).tolist() for part in parts] == [[[1, 2]], [[3, 4]]]
    assert parts[0].name == "PartitionedVariable/part_0:0"
    for shape, slicing in (([4, 2], [2]), ([], []), ([4, 2], [2, 2])):
        with pytest.raises(ValueError, match="shape"):
            tf.create_partitioned_variables(shape, slicing, zeros)


def test_the_old_name_of_the_initializer_warns(session, caplog):
    v = tf.Variable(1.0)
    with caplog.at_level("WARNING"):
        tf.logging._logger.propagate = True
        init = tf.initialize_all_variables()
        tf.logging._logger.propagate = False
    assert "deprecated" in caplog.text
    session.run(init)
    assert session.run(v) == 1
