"""Programs with branches and loops, for TensorFlow and for minitf.

Each takes the module, builds a graph, and returns what to fetch and what to feed. What
they gave with TensorFlow 2.21 (``compat.v1``, control flow v1) is in
``flow_golden.json``; with a Python that has TensorFlow, this writes it:

    python tests/python/flow_programs.py
"""

import json
import pathlib

import numpy as np

GOLDEN = pathlib.Path(__file__).with_name("flow_golden.json")


def waves(*shape):
    """Numbers that look random and are the same everywhere."""
    count = int(np.prod(shape))
    return np.sin(np.arange(1, count + 1) * 1.7).reshape(shape).astype(np.float32)


# ---- Branches --------------------------------------------------------------------------


def branch(tf, x_value):
    x = tf.placeholder(tf.float32, [])
    y = tf.cond(x > 0, lambda: x * x * x, lambda: -3 * x)
    return [y, *tf.gradients(y, x)], {x: x_value}


def branch_that_ignores_an_input(tf, x_value):
    x, w = tf.placeholder(tf.float32, [2]), tf.constant([2.0, 5.0])
    y = tf.cond(x[0] > 0, lambda: x * w, lambda: x + 1.0)
    return tf.gradients(y, [x, w]), {x: x_value}


def nested_branches(tf, x_value):
    x, w = tf.placeholder(tf.float32, []), tf.constant(4.0)
    y = tf.cond(
        x > 0,
        lambda: tf.cond(x > 1, lambda: x * w, lambda: x * x),
        lambda: tf.cond(x < -1, lambda: w, lambda: x * 2.0),
    )
    return tf.gradients(y, [x, w]), {x: x_value}


def second_derivative_of_a_branch(tf, x_value):
    x = tf.placeholder(tf.float32, [])
    y = tf.cond(x > 0, lambda: x * x * x, lambda: -3 * x * x)
    (dx,) = tf.gradients(y, x)
    return [dx, *tf.gradients(dx, x)], {x: x_value}


def several_results_of_a_branch(tf, x_value):
    x = tf.placeholder(tf.float32, [2])
    a, b, c = tf.cond(
        x[0] > 0, lambda: (x * 2.0, x * x, x[0] > 1), lambda: (x, tf.ones([2]), x[0] > 2)
    )
    del c
    grad_ys = [tf.constant([1.0, 10.0]), tf.constant([100.0, 1000.0])]
    return tf.gradients([a, b], x, grad_ys=grad_ys), {x: x_value}


def chosen_of_three(tf, index):
    x = tf.constant(2.0)
    y = tf.switch_case(tf.constant(index), [lambda: x, lambda: x * x, lambda: x * x * x])
    z = tf.case([(x > 3, lambda: x), (x > 1, lambda: x * 5.0)], default=lambda: x)
    return [*tf.gradients(y, x), *tf.gradients(z, x)], {}


def shape_known_at_run_time_only(tf, x_value):
    x = tf.placeholder(tf.float32, [None])
    y = tf.cond(tf.size(x) > 2, lambda: tf.reduce_sum(x * x), lambda: tf.constant(7.0))
    return tf.gradients(y, x), {x: x_value}


# ---- Loops -----------------------------------------------------------------------------


def power(tf, turns, parallel_iterations):
    x, w = tf.constant(2.0), tf.constant(3.0)
    _, y = tf.while_loop(
        lambda i, v: i < turns,
        lambda i, v: (i + 1, v * w),
        [0, x],
        parallel_iterations=parallel_iterations,
    )
    return [y, *tf.gradients(y, [x, w])], {}


def squares(tf):
    x = tf.constant([1.1, 0.9])
    _, y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * v), [0, x])
    return [y, *tf.gradients(y, x, grad_ys=tf.constant([1.0, 10.0]))], {}


def overwritten_variable(tf):
    x, w = tf.constant(2.0), tf.constant(3.0)
    _, y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, w * x), [0, x])
    return tf.gradients(y, [x, w]), {}


def variables_that_do_not_meet(tf):
    x, w, c = tf.constant(2.0), tf.constant(5.0), tf.constant(1.0)
    _, a, b, _ = tf.while_loop(
        lambda i, a, b, n: (i < 3) & (b < 100.0),
        lambda i, a, b, n: (i + 1, a * w, b * 2.0, n + i),
        [0, x, c, 0],
    )
    return [
        *tf.gradients(a, [x, w, c]),
        *tf.gradients(b, [x, w, c]),
        *tf.gradients(a * b, [x, w, c]),
    ], {}


def growing_shape(tf):
    x = tf.placeholder(tf.float32, [None])
    _, y = tf.while_loop(
        lambda i, v: i < 3,
        lambda i, v: (i + 1, tf.concat([v, v * x[0]], 0)),
        [0, x],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
    )
    return [y, *tf.gradients(y, x)], {x: [2.0, 3.0]}


def no_gradient_flows(tf):
    x = tf.constant(2.0)
    loop = [0, 1.0]
    _, a = tf.while_loop(
        lambda i, v: i < 3, lambda i, v: (i + 1, v * x), loop, back_prop=False
    )
    n, _ = tf.while_loop(lambda n, v: n < 3, lambda n, v: (n + 1, v * x), loop)
    _, s = tf.while_loop(
        lambda i, v: i < 3, lambda i, v: (i + 1, tf.stop_gradient(v) * x), [0, x]
    )
    doubled = x * 2.0
    _, t = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * doubled), loop)
    return [
        *tf.gradients(a, x),
        *tf.gradients(tf.cast(n, tf.float32), x),
        *tf.gradients(s, x),
        *tf.gradients(t, x, stop_gradients=[doubled]),
    ], {}


def loop_in_a_loop(tf, outer, inner):
    x, w = tf.constant(1.1), tf.constant(0.7)

    def body(i, v):
        _, u = tf.while_loop(
            lambda j, u: j < inner, lambda j, u: (j + 1, tf.sin(u * w) + v), [0, v]
        )
        return i + 1, u * x

    _, y = tf.while_loop(lambda i, v: i < outer, body, [0, x])
    return [y, *tf.gradients(y, [x, w])], {}


def inner_loop_of_changing_length(tf):
    x = tf.constant(1.1)

    def body(i, v):
        _, u = tf.while_loop(lambda j, u: j < i, lambda j, u: (j + 1, u * v), [0, x])
        return i + 1, u

    _, y = tf.while_loop(lambda i, v: i < 4, body, [0, x], parallel_iterations=32)
    return [y, *tf.gradients(y, x)], {}


def branch_in_a_loop(tf, parallel_iterations):
    x, w = tf.constant(1.5), tf.constant(0.8)

    def body(i, v):
        v = tf.cond(tf.equal(i % 2, 0), lambda: v * w, lambda: v * v + x)
        return i + 1, tf.cond(v > 3.0, lambda: tf.sqrt(v), lambda: v)

    _, y = tf.while_loop(
        lambda i, v: i < 7, body, [0, x], parallel_iterations=parallel_iterations
    )
    return [y, *tf.gradients(y, [x, w])], {}


def loop_in_a_branch(tf, x_value):
    x, w = tf.placeholder(tf.float32, []), tf.constant(3.0)

    def loop():
        return tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * w + x), [0, x])[
            1
        ]

    y = tf.cond(x > 0, loop, lambda: w * x)
    return tf.gradients(y, [x, w]), {x: x_value}


def loop_in_a_branch_in_a_loop(tf):
    x, w = tf.constant(1.2), tf.constant(0.9)

    def body(i, v):
        def loop():
            return tf.while_loop(
                lambda j, u: j < i, lambda j, u: (j + 1, tf.tanh(u * w) + v), [0, v]
            )[1]

        return i + 1, tf.cond(tf.equal(i % 3, 1), lambda: v * w, loop)

    _, y = tf.while_loop(lambda i, v: i < 6, body, [0, x])
    return [y, *tf.gradients(y, [x, w])], {}


def gradient_in_a_body(tf):
    x, w = tf.constant(2.0), tf.constant(3.0)

    def body(i, v):
        y = v * v * w
        dv, dw = tf.gradients(y, [v, w])
        return i + 1, 0.1 * dv + 0.01 * dw

    _, y = tf.while_loop(lambda i, v: i < 3, body, [0, x])
    return [y, *tf.gradients(y, [x, w])], {}


def gradient_of_an_inner_loop_in_a_body(tf):
    x = tf.constant(1.1)

    def body(i, v):
        _, u = tf.while_loop(lambda j, u: j < 3, lambda j, u: (j + 1, u * v), [0, v])
        return i + 1, 0.1 * tf.gradients(u, v)[0]

    return [tf.while_loop(lambda i, v: i < 3, body, [0, x])[1]], {}


def gradient_in_a_branch(tf):
    x = tf.constant(2.0)
    y = tf.cond(x > 1.0, lambda: tf.gradients(x * x * x, x)[0], lambda: x)
    return [y, *tf.gradients(y, x)], {}


def limited_loop(tf):
    x = tf.constant([1.5, 0.5])
    result = tf.while_loop(
        lambda i, v: i < 9,
        lambda i, v: [i + 1, v * x],
        [0, x],
        maximum_iterations=3,
        swap_memory=True,
    )
    return [result[1], *tf.gradients(result[1], x)], {}


def variable_in_a_loop(tf):
    v = tf.get_variable(
        "v", [2], initializer=tf.constant_initializer([1.0, 2.0]), use_resource=True
    )
    _, y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * v), [0, v + 1.0])
    return [y, *tf.gradients(y, v)], {}


def many_types(tf):
    x, w = tf.constant(2.0, tf.float64), tf.constant(0.5)
    _, a, b, n = tf.while_loop(
        lambda i, a, b, n: i < 3,
        lambda i, a, b, n: (
            i + 1,
            a * tf.cast(b, tf.float64),
            b + w * tf.cast(i, tf.float32),
            n * 2,
        ),
        [0, x, w, tf.constant(1, tf.int64)],
    )
    return [a, b, n, *tf.gradients([a, b], [x, w])], {}


def dynamic_sum(tf, length):
    """The sum of w ** t * xs[t], over as many rows as there are."""
    xs = tf.placeholder(tf.float32, [None, 2])
    w = tf.constant([0.9, 1.1])
    _, total, _ = tf.while_loop(
        lambda t, total, power: t < tf.shape(xs)[0],
        lambda t, total, power: (t + 1, total + power * xs[t], power * w),
        [0, tf.zeros([2]), tf.ones([2])],
    )
    return [total, *tf.gradients(total, [xs, w])], {xs: waves(length, 2)}


def char_rnn(tf, parallel_iterations):
    """Loss and gradients of a recurrent network over 7 characters of 5, by a loop."""
    steps, batch, chars, units = 7, 3, 5, 4
    text = (np.arange(steps * batch) * 7 % chars).reshape(steps, batch)
    inputs = tf.placeholder(tf.int32, [None, batch])
    targets = tf.placeholder(tf.int32, [None, batch])
    weights = [
        tf.Variable(waves(*shape) * 0.5, use_resource=True)
        for shape in ([chars, units], [units, units], [units], [units, chars], [chars])
    ]
    w_in, w_state, b_state, w_out, b_out = weights

    def body(t, state, loss):
        x = tf.one_hot(inputs[t], chars)
        state = tf.tanh(tf.matmul(x, w_in) + tf.matmul(state, w_state) + b_state)
        logits = tf.matmul(state, w_out) + b_out
        each = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=targets[t], logits=logits
        )
        return t + 1, state, loss + tf.reduce_mean(each)

    _, state, loss = tf.while_loop(
        lambda t, state, loss: t < tf.shape(inputs)[0],
        body,
        [0, tf.zeros([batch, units]), 0.0],
        parallel_iterations=parallel_iterations,
    )
    feed = {inputs: text[:-1], targets: text[1:]}
    return [loss, state, *tf.gradients(loss, weights)], feed


PROGRAMS = {
    "branch taken": (branch, 2.0),
    "branch not taken": (branch, -2.0),
    "branch uses it": (branch_that_ignores_an_input, [1.0, 3.0]),
    "branch ignores it": (branch_that_ignores_an_input, [-1.0, 3.0]),
    "nested: true, true": (nested_branches, 2.0),
    "nested: true, false": (nested_branches, 0.5),
    "nested: false, true": (nested_branches, -2.0),
    "nested: false, false": (nested_branches, -0.5),
    "second derivative, true": (second_derivative_of_a_branch, 2.0),
    "second derivative, false": (second_derivative_of_a_branch, -2.0),
    "several results, true": (several_results_of_a_branch, [1.0, 2.0]),
    "several results, false": (several_results_of_a_branch, [-1.0, 2.0]),
    "first of three": (chosen_of_three, 0),
    "last of three": (chosen_of_three, 2),
    "unknown size, true": (shape_known_at_run_time_only, [1.0, 2.0, 3.0]),
    "unknown size, false": (shape_known_at_run_time_only, [1.0, 2.0]),
    "no turn": (power, 0, 10),
    "one turn": (power, 1, 10),
    "turns one by one": (power, 4, 1),
    "turns at once": (power, 4, 32),
    "squares": (squares,),
    "overwritten variable": (overwritten_variable,),
    "variables that do not meet": (variables_that_do_not_meet,),
    "growing shape": (growing_shape,),
    "no gradient flows": (no_gradient_flows,),
    "loop in a loop": (loop_in_a_loop, 3, 2),
    "no inner turn": (loop_in_a_loop, 3, 0),
    "no outer turn": (loop_in_a_loop, 0, 3),
    "inner loop of changing length": (inner_loop_of_changing_length,),
    "branch in a loop, one by one": (branch_in_a_loop, 1),
    "branch in a loop, at once": (branch_in_a_loop, 32),
    "loop in a branch, taken": (loop_in_a_branch, 1.5),
    "loop in a branch, not taken": (loop_in_a_branch, -1.5),
    "loop in a branch in a loop": (loop_in_a_branch_in_a_loop,),
    "gradient in a body": (gradient_in_a_body,),
    "gradient of an inner loop in a body": (gradient_of_an_inner_loop_in_a_body,),
    "gradient in a branch": (gradient_in_a_branch,),
    "limited loop": (limited_loop,),
    "variable in a loop": (variable_in_a_loop,),
    "many types": (many_types,),
    "dynamic sum": (dynamic_sum, 4),
    "dynamic sum of nothing": (dynamic_sum, 0),
    "char-RNN, one by one": (char_rnn, 1),
    "char-RNN, at once": (char_rnn, 32),
}


def results_of(tf, name, config=None):
    """What a program fetches, None where it has no gradient."""
    function, *arguments = PROGRAMS[name]
    with tf.Graph().as_default():
        fetches, feed = function(tf, *arguments)
        with tf.Session(config=config) as session:
            session.run(tf.global_variables_initializer())
            results = iter(session.run([f for f in fetches if f is not None], feed))
            return [None if f is None else next(results) for f in fetches]


def write_golden():
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    tf.disable_control_flow_v2()
    lines = []
    for name in PROGRAMS:
        values = [
            None if value is None else np.round(np.float64(value), 6).tolist()
            for value in results_of(tf, name)
        ]
        lines.append(f"{json.dumps(name)}: {json.dumps(values)}")
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    write_golden()
