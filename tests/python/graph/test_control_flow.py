"""Branches and loops: values against plain Python, what runs, and what is refused."""

import numpy as np
import pytest

import minitf as tf


@pytest.fixture(params=[1, 4], ids=["one thread", "four threads"])
def session(request):
    config = tf.ConfigProto(inter_op_parallelism_threads=request.param)
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        yield session


def test_cond_takes_the_branch_that_the_condition_says(session):
    x = tf.placeholder(tf.float32, [])
    y = tf.cond(x > 0, lambda: x * 2, lambda: -x)
    assert session.run(y, {x: 3.0}) == 6.0
    assert session.run(y, {x: -3.0}) == 3.0


def test_only_the_taken_branch_has_effects(session):
    p = tf.placeholder(tf.bool, [])
    v = tf.Variable([0, 0])
    session.run(v.initializer)
    step = tf.cond(p, lambda: v.assign_add([1, 0]), lambda: v.assign_add([0, 1]))
    for value in (True, True, False):
        session.run(step, {p: value})
    assert session.run(v).tolist() == [2, 1]


def test_names_are_those_of_tensorflow(session):
    x = tf.placeholder(tf.float32, [], name="x")
    tf.cond(x > 0, lambda: tf.square(x), lambda: x)
    tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
    names = {op.name for op in session.graph.get_operations()}
    assert {"cond/Switch", "cond/switch_t", "cond/switch_f", "cond/pred_id"} <= names
    assert {"cond/Square", "cond/Square/Switch", "cond/Merge"} <= names
    loop = {"Enter", "Merge", "Switch", "Identity", "NextIteration", "Exit", "LoopCond"}
    assert {f"while/{name}" for name in loop} <= names


def test_cond_returns_structures_and_nodes(session):
    p = tf.placeholder(tf.bool, [])
    result = tf.cond(
        p,
        lambda: {"a": tf.constant(1), "b": (tf.constant(2.0), tf.no_op())},
        lambda: {"a": tf.constant(3), "b": (tf.constant(4.0), tf.no_op())},
    )
    values = session.run(result, {p: False})
    assert values == {"a": 3, "b": (4.0, False)}
    assert tf.cond(p, lambda: [tf.constant(1)], lambda: [tf.constant(2)]).shape == []
    strict = tf.cond(p, lambda: [tf.constant(1)], lambda: [tf.constant(2)], strict=True)
    assert isinstance(strict, list)
    one = tf.cond(p, lambda: [tf.constant(1)], lambda: tf.constant(2))
    assert session.run(one, {p: False}) == 2


@pytest.mark.parametrize("name", ["cond", "case"])
def test_a_choice_of_nodes_says_which_was_taken(session, name):
    p = tf.placeholder(tf.bool, [])
    done = {True: tf.Variable(0), False: tf.Variable(0)}
    session.run(tf.global_variables_initializer())
    yes, no = (lambda: done[True].assign_add(1).op, lambda: done[False].assign_add(1).op)
    taken = (
        tf.cond(p, yes, no, name="cond") if name == "cond" else tf.case([(p, yes)], no)
    )
    assert taken.dtype == tf.bool and taken.name.endswith("cond/Merge:0")
    assert [session.run(taken, {p: value}) for value in (True, False, True)] == [1, 0, 1]
    assert session.run([done[True], done[False]]) == [2, 1]
    several = tf.cond(p, lambda: [tf.no_op(), 1], lambda: [tf.no_op(), 2])
    assert session.run(several, {p: True}) == [True, 1]


@pytest.mark.parametrize(
    ("build", "error", "text"),
    [
        (lambda p: tf.cond(True, lambda: 1, lambda: 2), TypeError, "Python bool"),
        (lambda p: tf.cond(p, 1, lambda: 2), TypeError, "true_fn must be callable"),
        (lambda p: tf.cond(p, lambda: 1, lambda: 2.0), ValueError, "int32, float32"),
        (lambda p: tf.cond(p, lambda: 1, lambda: (1, 2)), ValueError, "structure"),
        (lambda p: tf.cond(p, lambda: None, lambda: None), ValueError, "true_fn must h"),
        (lambda p: tf.cond(p, lambda: 1, lambda: None), ValueError, "false_fn must have"),
        (lambda p: tf.cond(p, list, list), ValueError, "at least one result"),
        (lambda p: tf.cond(p, p, lambda: 2), TypeError, "true_fn must be callable"),
        (lambda p: tf.cond(p, lambda: 2), TypeError, "false_fn argument required"),
        (
            lambda p: tf.cond(p, lambda: 1, lambda: 2, fn1=lambda: 3),
            TypeError,
            "fn1 and true_fn may not be set simultaneously",
        ),
        (
            lambda p: tf.cond(p, lambda: (1, 1), lambda: [1, 1]),
            TypeError,
            "Incompatible return types of true_fn and false_fn",
        ),
        (
            lambda p: tf.cond(tf.constant(1.0), lambda: 1, lambda: 2),
            TypeError,
            "has type float32 that does not match expected type of bool",
        ),
        (lambda p: tf.case([(True, list)]), TypeError, "must be a Tensor, got: True"),
        (lambda p: tf.case([(tf.constant(1.0), list)]), TypeError, "of type bool"),
        (lambda p: tf.case(3), TypeError, "must be a list, tuple, or dict, got 3"),
        (lambda p: tf.while_loop(1, lambda i: i, [0]), TypeError, "cond must be"),
        (lambda p: tf.while_loop(lambda: True, 1, [0]), TypeError, "body must be"),
        (lambda p: tf.while_loop(lambda: p, lambda: 1, []), ValueError, "No loop var"),
        (
            lambda p: tf.while_loop(lambda i: i, lambda i: i, [0]),
            TypeError,
            "must return a bool",
        ),
        (
            lambda p: tf.while_loop(lambda i: p, lambda i: (i, i), [0]),
            ValueError,
            "structure",
        ),
        (
            lambda p: tf.while_loop(lambda i: p, lambda i: tf.to_float(i), [0]),
            TypeError,
            "type float32 after one iteration",
        ),
        (
            lambda p: tf.while_loop(lambda m: p, lambda m: tf.stack([m, m]), [0.0]),
            ValueError,
            "shape_invariants",
        ),
        (
            lambda p: tf.while_loop(
                lambda m: p, lambda m: m, [tf.ones([2])], [tf.TensorShape([3])]
            ),
            ValueError,
            "shape invariant",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(session, build, error, text):
    p = tf.placeholder(tf.bool, [])
    with pytest.raises(error, match=text):
        build(p)


def test_a_loop_is_a_loop(session):
    # M067's numbers: from 3, doubled while below 100.
    assert session.run(tf.while_loop(lambda x: x < 100, lambda x: x * 2, [3])) == 192
    total = tf.while_loop(lambda i, s: i < 50, lambda i, s: (i + 1, s + i * i), (0, 0))
    assert session.run(total) == (50, sum(i * i for i in range(50)))


@pytest.mark.parametrize("parallel", [1, 2, 10])
def test_nested_loops(session, parallel):
    def inner(i, total):
        loop = tf.while_loop(
            lambda j, t: j < i,
            lambda j, t: (j + 1, t + i * j),
            (0, 0),
            parallel_iterations=parallel,
        )
        return i + 1, total + loop[1]

    loop = tf.while_loop(lambda i, t: i < 12, inner, (0, 0), parallel_iterations=parallel)
    expected = sum(i * j for i in range(12) for j in range(i))
    for _ in range(20):
        assert session.run(loop) == (12, expected)


def test_cond_in_a_loop_and_a_loop_in_a_cond(session):
    n = tf.placeholder(tf.int32, [])

    def collatz(x, steps):
        following = tf.cond(tf.equal(x % 2, 0), lambda: x // 2, lambda: 3 * x + 1)
        return following, steps + 1

    loop = tf.while_loop(lambda x, s: x > 1, collatz, (n, 0))
    assert session.run(loop[1], {n: 27}) == 111
    either = tf.cond(
        n > 0,
        lambda: tf.while_loop(lambda x: x < 1000, lambda x: x * n, [1]),
        lambda: tf.constant(-1),
    )
    assert session.run(either, {n: 3}) == 2187
    assert session.run(either, {n: 0}) == -1


def test_a_loop_that_takes_no_iteration(session):
    loop = tf.while_loop(lambda i, x: i < 0, lambda i, x: (i + 1, x * 2), (0, 5.0))
    assert session.run(loop) == (0, 5.0)


def test_shapes_may_grow_if_said_so(session):
    loop = tf.while_loop(
        lambda i, m: i < 4,
        lambda i, m: (i + 1, tf.concat([m, m], 0)),
        (0, tf.ones([1, 2])),
        (tf.TensorShape([]), tf.TensorShape([None, 2])),
    )
    assert loop[1].shape.as_list() == [None, 2]
    assert session.run(loop[1]).shape == (16, 2)


def test_maximum_iterations(session):
    def forever(i):
        return tf.constant(True)

    limited = tf.while_loop(forever, lambda i: i + 1, [0], maximum_iterations=7)
    assert session.run(limited) == 7


def test_effects_happen_once_a_turn_and_in_order(session):
    v = tf.Variable(1.0)
    session.run(v.initializer)

    def body(i):
        with tf.control_dependencies([v.assign(v * 2.0 + 1.0)]):
            return i + 1

    assert session.run(tf.while_loop(lambda i: i < 5, body, [0])) == 5
    expected = 1.0
    for _ in range(5):
        expected = expected * 2 + 1
    assert session.run(v) == expected


def test_a_loop_waits_for_what_it_is_made_after(session):
    v = tf.Variable(0)
    session.run(v.initializer)
    with tf.control_dependencies([v.assign_add(10)]):
        loop = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [v.read_value()])
    assert session.run(loop) == 10


def test_case_takes_the_first_that_is_true(session):
    x = tf.placeholder(tf.int32, [])
    choice = tf.case(
        [(x < 1, lambda: tf.constant(10)), (x < 2, lambda: tf.constant(20))],
        default=lambda: tf.constant(30),
    )
    assert [session.run(choice, {x: i}) for i in (0, 1, 2)] == [10, 20, 30]
    exclusive = tf.case(
        [(x < 1, lambda: tf.constant(1)), (x < 2, lambda: tf.constant(2))],
        default=lambda: tf.constant(3),
        exclusive=True,
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="More than one"):
        session.run(exclusive, {x: 0})
    none = tf.case([(x < 0, lambda: tf.constant(1))])
    with pytest.raises(tf.errors.InvalidArgumentError, match="None of cond"):
        session.run(none, {x: 5})


def test_what_is_in_a_branch_or_loop_stays_there(session):
    x = tf.placeholder(tf.float32, [], name="x")
    inside = []

    def body(i):
        inside.append(i * 2.0)
        return inside[0]

    tf.while_loop(lambda i: i < 5.0, body, [x])
    with pytest.raises(ValueError, match="is in a while loop"):
        _ = inside[0] + 1.0
    with pytest.raises(ValueError, match="not fetchable"):
        session.run(inside[0], {x: 1.0})
    tf.cond(x > 0, lambda: tf.square(x, name="in_branch"), lambda: x)
    with pytest.raises(ValueError, match="not fetchable"):
        session.run("cond/in_branch:0", {x: 1.0})


def test_a_failure_in_a_loop_names_the_node_and_leaves_the_session_whole(session):
    x = tf.placeholder(tf.int32, [])
    loop = tf.while_loop(
        lambda i: i < 10, lambda i: i + tf.floordiv(6, x, name="quotient"), [0]
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="while/quotient"):
        session.run(loop, {x: 0})
    assert session.run(loop, {x: 2}) == 12


def test_in_eager_mode_they_are_pythons():
    tf.enable_eager_execution()
    try:
        assert tf.cond(tf.constant(True), lambda: 1, lambda: 2) == 1
        result = tf.while_loop(lambda x: x < 100, lambda x: x * 2, [tf.constant(3)])
        assert result.numpy() == 192
    finally:
        tf.disable_eager_execution()


def test_a_long_loop_needs_no_memory_for_each_iteration(session):
    loop = tf.while_loop(
        lambda i, x: i < 20000, lambda i, x: (i + 1, x * 0.999), (0, tf.ones([1000]))
    )
    value = session.run(loop[1])
    np.testing.assert_allclose(value, np.float32(0.999) ** 20000, atol=1e-8)


# ---- How often what a loop takes from outside is run -----------------------------------


def count_in_loop(session, build):
    """What the loop gives, and how often its assignment was run."""
    count = tf.Variable(0)
    result = build(lambda: tf.assign_add(count, 1))
    session.run(count.initializer)
    return session.run(result), session.run(count)


@pytest.mark.parametrize("iterations", [0, 1, 3])
def test_an_effect_runs_once_in_each_iteration(session, iterations):
    def build(effect):
        def body(i):
            with tf.control_dependencies([effect()]):
                return i + 1

        return tf.while_loop(lambda i: i < iterations, body, [0])

    assert count_in_loop(session, build) == (iterations, iterations)


def test_an_effect_of_the_condition_runs_once_more(session):
    def build(effect):
        def cond(i):
            with tf.control_dependencies([effect()]):
                return i < 3

        return tf.while_loop(cond, lambda i: i + 1, [0])

    assert count_in_loop(session, build) == (3, 4)


def test_an_inner_loop_runs_only_in_turns_of_the_outer_one(session):
    zero = tf.constant(0)

    def build(effect):
        def inner(j):
            with tf.control_dependencies([effect()]):
                return j + 1

        def body(i):
            done = tf.while_loop(lambda j: j < 2, inner, [zero])
            with tf.control_dependencies([done]):
                return i + 1

        return tf.while_loop(lambda i: i < 3, body, [0])

    assert count_in_loop(session, build) == (3, 6)


def test_a_branch_on_an_outer_condition_is_taken_once_in_each_iteration(session):
    pred = tf.constant(True)

    def build(effect):
        def body(i):
            taken = tf.cond(pred, effect, lambda: tf.constant(0))
            with tf.control_dependencies([taken]):
                return i + 1

        return tf.while_loop(lambda i: i < 2, body, [0])

    assert count_in_loop(session, build) == (2, 2)


def test_a_loop_takes_no_more_from_a_queue_than_it_turns(session):
    queue = tf.FIFOQueue(10, tf.int32, [[]])
    session.run(queue.enqueue_many([[0, 1, 2, 3, 4]]))
    result = tf.while_loop(
        lambda i, a: i < 5, lambda i, a: (i + 1, a + queue.dequeue()), [0, 0]
    )
    options = tf.RunOptions(timeout_in_ms=10_000)
    assert session.run(result, options=options) == (5, 10)


def test_what_would_fail_does_not_run_in_a_loop_of_no_turns(session):
    zero = tf.constant(0)
    loop = tf.while_loop(lambda i: i < 0, lambda i: i + tf.div(tf.constant(1), zero), [0])
    assert session.run(loop) == 0


def test_a_loop_gives_the_kind_of_sequence_that_its_body_gives(session):
    as_tuple = tf.while_loop(lambda i, j: i < 1, lambda i, j: (i + 1, j), [0, 5])
    as_list = tf.while_loop(lambda i, j: i < 1, lambda i, j: [i + 1, j], (0, 5))
    assert session.run([as_tuple, as_list]) == [(1, 5), [1, 5]]


def test_a_loop_keeps_the_structure_of_its_variables(session):
    pair = tf.while_loop(
        lambda p: p[0] < 3, lambda p: ((p[0] + 1, p[1] * 2),), [(0, 1.0)]
    )
    assert session.run(pair) == ((3, 8.0),)
    for body in (
        lambda i, d: [i + 1, {"b": d["a"]}],
        lambda i, d: [i + 1, [d["a"]]],
        lambda i, d: [i + 1, {"a": d["a"], "b": d["a"]}],
    ):
        with pytest.raises(ValueError, match="don't have the same nested structure"):
            tf.while_loop(lambda i, d: i < 3, body, [0, {"a": 1.0}])
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        tf.while_loop(
            lambda i, d: i < 3, lambda i, d: [[i + 1, d[0]], d[1]], [0, [1.0, 2.0]]
        )


def test_names_of_a_loop_with_a_limit(session):
    iterations, value = tf.while_loop(
        lambda i, x: i < 9,
        lambda i, x: [i + 1, x * 2],
        [0, 1],
        maximum_iterations=3,
        name="limited",
    )
    assert session.run([iterations, value]) == [3, 8]
    assert iterations.name == "limited/Exit_1:0" and value.name == "limited/Exit_2:0"
    enter = session.graph.get_operation_by_name("limited/Enter")
    assert enter.get_attr("frame_name") == b"limited/while_context"
    assert session.graph.get_operation_by_name("limited/Const").type == "Const"


@pytest.mark.parametrize("exclusive", [False, True])
def test_a_case_may_return_sparse_tensors(session, exclusive):
    n = tf.placeholder(tf.int32, [])
    cases = [
        (tf.equal(n, i), lambda i=i: tf.SparseTensor([[i]], [i * 10], [3]))
        for i in range(2)
    ]
    chosen = tf.case(cases, exclusive=exclusive)
    assert session.run(chosen, {n: 1}).values.tolist() == [10]
    with pytest.raises(tf.errors.InvalidArgumentError, match="None of conditions"):
        session.run(chosen, {n: 2})
