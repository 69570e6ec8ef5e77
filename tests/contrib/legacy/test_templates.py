"""Names and variables of templates, as TensorFlow has them."""

import pytest
from test_variable_scopes import _names

import minitf as tf
from minitf.eager import context


def _scaled(x, name="v"):
    return x * tf.get_variable(name, [], initializer=tf.ones_initializer())


def test_names_of_templates():
    t = tf.make_template("t", _scaled)
    names = [t(1.0).name, t(2.0).name]
    with tf.variable_scope("o"):
        now = tf.make_template("t", _scaled, create_scope_now_=True)
        later = tf.make_template("t", _scaled)
        names.append(later(1.0).name)
    with tf.variable_scope("p"):
        names += [later(1.0).name, now(1.0).name, t(1.0).name]
    assert names == [
        *("t/mul:0", "t_1/mul:0", "o/t/mul:0"),
        *("p/t_1/mul:0", "p/t/mul:0", "p/t_2/mul:0"),
    ]
    assert _names(tf.global_variables()) == ["t/v:0", "o/t_1/v:0", "o/t/v:0"]
    assert _names(t.variables + t.non_trainable_variables) == ["t/v:0"]


def test_templates_of_eager_mode_keep_their_variables():
    with context.entered(None):
        one, two = (tf.make_template("tpl", _scaled) for _ in range(2))
        assert [one(2.0).numpy(), two(3.0).numpy(), one.variables[0].name] == [
            *(2, 3, "tpl/v:0"),
        ]
        one.variables[0].assign(5.0)
        assert [one(1.0).numpy(), two(1.0).numpy()] == [5, 1]
        with tf.GradientTape() as tape:
            y = one(3.0) * one(2.0)
        assert tape.gradient(y, one.trainable_variables)[0].numpy() == 60
        with pytest.raises(ValueError, match="created when calling a template"):
            one(1.0, "other")
        with pytest.raises(ValueError, match="unique_name_"):
            tf.make_template("t", _scaled, unique_name_="u")


def test_templates_within_templates_in_eager_mode():
    def function(x):
        return tf.make_template("in", _scaled)(x)

    with context.entered(None):
        template = tf.make_template("out", function)
        template(1.0)
        template(1.0)
        assert _names(template.variables) == ["out/in/v:0"]
