"""Variable scopes, name scopes and templates, with names as TensorFlow gives them.

The expected names and values are what tensorflow.compat.v1 2.21 printed for the same
programs, with resource variables.
"""

import threading

import numpy as np
import pytest

import minitf as tf
from minitf.eager import context


def _names(variables):
    return [variable.name for variable in variables]


def _in_thread(work):
    results = []
    graph = tf.get_default_graph()

    def run():
        with graph.as_default():
            results.append(work())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return results[0]


# ---- Threads ---------------------------------------------------------------------------


def test_a_thread_starts_outside_of_all_scopes_of_others():
    waited_for = tf.constant(1)

    def work():
        x = tf.constant(2)
        with tf.variable_scope("t") as scope, tf.variable_scope(None, "d") as default:
            return [x.name, x.device, x.op.control_inputs, scope.name, default.name]

    with (
        tf.variable_scope("main"),
        tf.device("/cpu:1"),
        tf.control_dependencies([waited_for]),
    ):
        assert _in_thread(work) == ["Const_1:0", "", [], "t", "t/d"]
        assert tf.get_variable_scope().name == "main"
        assert tf.constant(3).name == "main/Const:0"


def test_threads_share_variables_but_not_reuse():
    v = tf.get_variable("v", [1])
    tf.get_variable_scope().reuse_variables()

    def work():
        with pytest.raises(ValueError, match="v already exists"):
            tf.get_variable("v", [1])
        with tf.variable_scope("", reuse=True):
            return tf.get_variable("v", [1]) is v

    assert _in_thread(work)
    assert tf.get_variable("v", [1]) is v


# ---- Entering again --------------------------------------------------------------------


def test_a_scope_object_that_is_entered_again_keeps_what_it_reused():
    scope = tf.variable_scope("a")
    with tf.variable_scope("o", reuse=tf.AUTO_REUSE), scope:
        tf.get_variable("v", [1])
    with scope as again:
        assert again.reuse is tf.AUTO_REUSE
    with tf.variable_scope("p", reuse=True), scope as inner:
        assert (inner.reuse, inner.name) == (tf.AUTO_REUSE, "p/a")
    with scope as last:
        assert (last.name, last.original_name_scope) == ("a", "o/a/")


def test_every_entry_opens_a_new_name_scope():
    scope = tf.variable_scope("a")
    opened = []
    for _ in range(2):
        with scope as entered:
            opened.append((entered.original_name_scope, tf.constant(1).name))
    assert opened == [("a/", "a/Const:0"), ("a/", "a_1/Const:0")]


def test_reuse_goes_with_the_scope_that_is_entered():
    with tf.variable_scope("a") as a:
        a.reuse_variables()
    seen = []
    for options in ({}, {"reuse": False}, {"reuse": tf.AUTO_REUSE}):
        with tf.variable_scope(a, **options) as scope:
            seen.append(scope.reuse)
    with tf.variable_scope("a") as fresh:
        seen.append(fresh.reuse)
    with tf.variable_scope("b", reuse=True):
        for of in (fresh, "k", tf.get_variable_scope()):
            with tf.variable_scope(of, reuse=False) as scope:
                seen.append(scope.reuse)
    auto = tf.AUTO_REUSE
    assert seen == [True, True, auto, False, False, True, True]


def test_default_names_are_numbered_in_their_scope():
    names = []
    for _ in range(2):
        with tf.variable_scope(None, "d") as scope:
            names.append((scope.name, scope.original_name_scope))
    with tf.variable_scope("D"):
        pass
    with tf.variable_scope(None, "D") as scope:
        names.append((scope.name, scope.original_name_scope))
    with tf.variable_scope("o") as o, tf.variable_scope(None, "d") as scope:
        names.append((scope.name, scope.original_name_scope))
    with tf.variable_scope(o), tf.variable_scope(None, "d") as scope:
        names.append((scope.name, scope.original_name_scope))
    assert names == [
        ("d", "d/"),
        ("d_1", "d_1/"),
        ("D_1", "D_3/"),
        ("o/d", "o/d/"),
        ("o/d", "o_1/d/"),
    ]


def test_a_scope_without_a_name_scope_of_its_own():
    with tf.name_scope("n"):
        with tf.variable_scope("a", auxiliary_name_scope=False) as scope:
            v = tf.get_variable("v", [1])
            names = [tf.constant(1).name, scope.original_name_scope, v.name]
        with tf.variable_scope(None, "d", auxiliary_name_scope=False) as scope:
            names += [tf.constant(1).name, scope.original_name_scope, scope.name]
    assert names == ["n/Const:0", "n/", "a/v:0", "n/Const_1:0", "n/", "d"]


def test_values_choose_the_graph():
    with tf.Graph().as_default() as other:
        x = tf.constant(1.0)
    with tf.variable_scope("a", values=[x]):
        assert tf.get_variable("v", [1]).graph is other
    with tf.name_scope("n", values=[x]):
        assert tf.constant(1).graph is other


@pytest.mark.parametrize(
    ("error", "arguments"),
    [
        (TypeError, {"name_or_scope": None}),
        (TypeError, {"name_or_scope": 3}),
        (TypeError, {"name_or_scope": "a", "auxiliary_name_scope": "x"}),
        (ValueError, {"name_or_scope": "a b"}),
        (ValueError, {"name_or_scope": "a", "reuse": "yes"}),
        (ValueError, {"name_or_scope": "a", "use_resource": False}),
        (ValueError, {"name_or_scope": None, "default_name": "d", "reuse": True}),
        (
            ValueError,
            {"name_or_scope": None, "default_name": "d", "reuse": tf.AUTO_REUSE},
        ),
    ],
)
def test_scopes_that_make_no_sense(error, arguments):
    with pytest.raises(error), tf.variable_scope(**arguments):
        pass
    assert tf.get_variable_scope().name == ""
    assert tf.get_default_graph().get_name_scope() == ""


def test_scopes_are_left_in_the_reverse_order():
    a, b = tf.variable_scope("a"), tf.variable_scope("b")
    a.__enter__()
    b.__enter__()
    with pytest.raises(RuntimeError, match="Improper nesting of variable_scope"):
        a.__exit__(None, None, None)


# ---- What scopes pass on ---------------------------------------------------------------


def test_settings_go_to_scopes_below_except_for_the_constraint():
    log = []

    def regularizer(variable):
        log.append(variable.name)
        return tf.reduce_sum(variable, name="r")

    with tf.variable_scope(
        "a",
        initializer=tf.constant_initializer(3.0),
        regularizer=regularizer,
        dtype=tf.float64,
        constraint=tf.identity,
    ):
        u = tf.get_variable("u", [2], regularizer=lambda _: None)
        with tf.variable_scope("b"):
            v = tf.get_variable("v", [2])
            w = tf.get_variable("w", [2], tf.float32, regularizer=lambda _: None)
    assert log == ["a/b/v:0"]
    assert [x.dtype.name for x in (v, w)] == ["float64", "float32"]
    assert (u.constraint, v.constraint) == (tf.identity, None)
    assert _names(tf.get_collection("regularization_losses")) == ["a/b/v/Regularizer/r:0"]


def test_custom_getters_nest_by_scope_and_see_all_arguments():
    log = []

    def logged(tag):
        def getter(original, *args, **kwargs):
            log.append((tag, kwargs["name"]))
            return original(*args, **kwargs)

        return getter

    with tf.variable_scope("a", custom_getter=logged("outer")) as a:
        with tf.variable_scope("b", custom_getter=logged("inner")):
            tf.get_variable("v", [1])
        tf.get_variable("w", [1], custom_getter=logged("own"))
    with tf.variable_scope("z", custom_getter=logged("not")):
        with tf.variable_scope(a):
            tf.get_variable("r", [1])
        with tf.variable_scope(a, custom_getter=logged("inner")):
            tf.get_variable("t", [1])
    assert log == [
        ("inner", "a/b/v"),
        ("outer", "a/b/v"),
        ("own", "a/w"),
        ("outer", "a/r"),
        ("inner", "a/t"),
        ("outer", "a/t"),
    ]


def test_a_custom_getter_may_combine_variables_outside_of_the_name_scope():
    def getter(original, name, *args, **kwargs):
        parts = [original(f"{name}/{i}", *args, **kwargs) for i in range(2)]
        with tf.name_scope("both"):
            return parts[0] + parts[1]

    names = []
    for reuse in (None, True):
        with tf.variable_scope("s", custom_getter=getter, reuse=reuse):
            names.append(tf.get_variable("v", [2]).name)
    assert names == ["both/add:0", "both_1/add:0"]
    assert _names(tf.global_variables()) == ["s/v/0:0", "s/v/1:0"]
    with pytest.raises(ValueError, match="not callable: 3"):
        tf.get_variable("v", [1], custom_getter=3)


def test_a_custom_getter_that_names_no_reuse_finds_or_makes():
    made = tf.get_variable("v", [2])
    getter = lambda original, name, **_: original(name, [2])  # noqa: E731
    assert tf.get_variable("v", custom_getter=getter) is made
    assert tf.get_variable("w", custom_getter=getter).name == "w:0"
    with pytest.raises(ValueError, match="v already exists"):
        tf.get_variable("v", [2])


def test_variables_below_a_scope():
    with tf.variable_scope("a") as scope:
        tf.get_variable("v", [1])
        tf.get_local_variable("l", [1])
        tf.get_variable("n", [1], trainable=False)
    with tf.variable_scope("ab"):
        tf.get_variable("v", [1])
    assert _names(scope.global_variables()) == ["a/v:0", "a/n:0"]
    assert _names(scope.local_variables()) == ["a/l:0"]
    assert _names(scope.trainable_variables()) == ["a/v:0"]


def test_an_initializer_without_arguments_says_the_shape_and_the_type():
    v = tf.get_variable("v", initializer=lambda: tf.zeros([2, 3], tf.int32))
    assert (v.shape.as_list(), v.dtype) == ([2, 3], tf.int32)
    with pytest.raises(ValueError, match="Initializer type .*float32.*int32"):
        tf.get_variable("w", initializer=tf.constant([1.0]), dtype=tf.int32)


# ---- Variables beside others -----------------------------------------------------------


def test_slots_and_powers_are_below_the_scope_that_is_open():
    with tf.variable_scope("s"):
        w = tf.get_variable("w", [2])
        tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(w * w))
    with tf.name_scope("n"):
        tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(w * w))
    with tf.variable_scope("t"):
        tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(w * w), name="hey")
    assert sorted(_names(tf.global_variables())) == [
        "s/beta1_power:0",
        "s/beta2_power:0",
        "s/s/w/Adam:0",
        "s/s/w/Adam_1:0",
        "s/w/Momentum:0",
        "s/w:0",
        "t/beta1_power:0",
        "t/beta2_power:0",
        "t/s/w/Adam:0",
        "t/s/w/Adam_1:0",
    ]


def test_a_scope_that_reuses_makes_no_slots():
    w = tf.get_variable("w", [2])
    tf.get_variable_scope().reuse_variables()
    with pytest.raises(ValueError, match="Variable w/Adam/ does not exist"):
        tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(w * w))


def test_averages_are_below_the_scope_that_is_open():
    with tf.variable_scope("s"):
        w = tf.get_variable("w", [2])
        t = tf.identity(w, name="t")
        average = tf.train.ExponentialMovingAverage(0.9)
        train_op = average.apply([w, t])
    with tf.name_scope("n"):
        tf.train.ExponentialMovingAverage(0.9, name="E2").apply([w])
    with tf.variable_scope("q"):
        tf.train.ExponentialMovingAverage(0.9, num_updates=3).apply([w])
    assert _names(tf.global_variables()) == [
        "s/w:0",
        "s/s/w/ExponentialMovingAverage:0",
        "s/s/t/ExponentialMovingAverage:0",
        "s/w/E2:0",
        "q/s/w/ExponentialMovingAverage:0",
    ]
    assert train_op.name == "s/ExponentialMovingAverage"
    assert average.average_name(w) == "s/s/w/ExponentialMovingAverage"
    with pytest.raises(TypeError, match="must be half, float, or double: Variable:0"):
        average.apply([tf.Variable(1)])


def test_averages_of_tensors_can_make_up_for_their_start_at_zero():
    v = tf.Variable([1.0, 2.0])
    t = v * 3.0
    average = tf.train.ExponentialMovingAverage(0.5, zero_debias=True)
    update = average.apply([t])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        seen = []
        for _ in range(3):
            session.run(update)
            seen.append(session.run(average.average(t)).tolist())
            session.run(v.assign_add([1.0, 1.0]))
    np.testing.assert_allclose(seen, [[3, 6], [5, 8], [7.2857146, 10.285714]], rtol=1e-6)


def test_an_average_starts_at_the_value_that_its_variable_has_by_then():
    v = tf.Variable(1.0)
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(v.assign(5.0))
        average = tf.train.ExponentialMovingAverage(0.5)
        average.apply([v])
        session.run(average.average(v).initializer)
        assert session.run(average.average(v)) == 5


# ---- Name scopes -----------------------------------------------------------------------


def test_names_are_unique_whatever_their_case():
    names = []
    with tf.name_scope("a"):
        for name in ("b", "B", None, "a/b/"):
            with tf.name_scope(name) as scope:
                names.append(scope)
    for name in ("A", "a", "a_1"):
        with tf.name_scope(name) as scope:
            names.append(scope)
    for name in ("c", "C", "c", "c_1"):
        names.append(tf.constant(1, name=name).name)
    assert names[:7] == ["a/b/", "a/B_1/", "", "a/b/", "A_1/", "a_2/", "a_1_1/"]
    assert names[7:] == ["c:0", "C_1:0", "c_2:0", "c_1_1:0"]


@pytest.mark.parametrize(
    ("error", "arguments"),
    [
        (ValueError, ("_a",)),
        (ValueError, ("a b",)),
        (TypeError, (3,)),
        (TypeError, ("a", 3)),
        (ValueError, (None, None, [])),
    ],
)
def test_name_scopes_that_make_no_sense(error, arguments):
    with pytest.raises(error), tf.name_scope(*arguments):
        pass


def test_name_scopes_of_eager_mode_nest():
    names = []
    with context.entered(None):
        with tf.name_scope("a") as a:
            names += [a, tf.Variable(1.0, name="q").name]
            for name in ("b", "b", None, "", "c/"):
                with tf.name_scope(name) as scope:
                    names += [scope, tf.Variable(1.0).name]
        with tf.variable_scope("x"), tf.name_scope("n"):
            names += [tf.Variable(1.0).name, tf.get_variable("v", [1]).name]
    assert names == [
        *("a/", "a/q:0", "a/b/", "a/b/Variable:0", "a/b/", "a/b/Variable:0"),
        *("", "Variable:0", "", "Variable:0", "c/", "c/Variable:0"),
        *("x/n/Variable:0", "x/v:0"),
    ]


def test_variable_scopes_of_eager_mode_make_every_variable():
    with context.entered(None):
        with tf.variable_scope("a", reuse=True) as scope:
            v, w = (tf.get_variable("v", [2]) for _ in range(2))
            assert (v is w, v.name, scope.reuse) == (False, "a/v:0", tf.AUTO_REUSE)
        for error, options in (
            (NotImplementedError, {"caching_device": "/cpu:0"}),
            (ValueError, {"use_resource": False}),
        ):
            with pytest.raises(error), tf.variable_scope("a", **options):
                pass


# ---- Templates -------------------------------------------------------------------------
