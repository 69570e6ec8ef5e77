"""The debugger: where it stops, what it shows, and how it ends."""

import io

import numpy as np
import pytest

import minitf as tf
from minitf import debug


@pytest.fixture
def network():
    """A session and x -> a = x * x -> b = log(a) -> c = b + 1."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2], name="x")
        a = tf.multiply(x, x, name="a")
        b = tf.log(a, name="b")
        tf.add(b, 1.0, name="c")
        yield session


def test_it_stops_before_a_breakpoint_and_goes_on(network):
    debugger = debug.Debugger(network)
    stop = debugger.start("c:0", {"x:0": [1.0, np.e]}, breakpoints=["b"])
    assert stop == debug.Stop("before", "b", "Log", "breakpoint")
    np.testing.assert_allclose(debugger.value("a"), [1, np.e**2], rtol=1e-6)
    with pytest.raises(KeyError, match="has not run"):
        debugger.value("b:0")
    assert debugger.resume().when == "finished"
    np.testing.assert_allclose(debugger.result, [1, 3], rtol=1e-6)
    assert debugger.is_finished


def test_it_steps_node_by_node(network):
    debugger = debug.Debugger(network)
    stops = [debugger.start("c:0", {"x:0": [1.0, 1.0]})]
    while not debugger.is_finished:
        stops.append(debugger.step())
    assert [stop.node for stop in stops[:-1]] == [*debugger.order]
    assert debugger.order.index("a") < debugger.order.index("b")
    assert stops[-1].when == "finished"


def test_it_shows_the_graph_as_it_was_built(network):
    # The passes would make one node of these three.
    debugger = debug.Debugger(network)
    debugger.start("c:0", {"x:0": [1.0, 1.0]})
    debugger.resume()
    assert {"a", "b", "c"} <= set(debugger.order)


def test_a_filter_finds_the_first_bad_number(network):
    debugger = debug.Debugger(network)
    debugger.add_filter("has_inf_or_nan", debug.has_inf_or_nan)
    assert debugger.start("c:0", {"x:0": [1.0, 2.0]}).when == "finished"
    stop = debugger.start("c:0", {"x:0": [1.0, 0.0]})
    assert (stop.when, stop.node) == ("after", "b")
    assert stop.reason == "has_inf_or_nan is true of b:0"
    debugger.remove_filter("has_inf_or_nan")
    assert debugger.resume().when == "finished"


def test_what_is_watched_is_kept_for_every_turn_of_a_loop():
    with tf.Graph().as_default(), tf.Session() as session:
        result = tf.while_loop(lambda i: i < 20, lambda i: i * 3, [1])
        debugger = debug.Debugger(session)
        debugger.watch("while/NextIteration")
        debugger.add_filter("never", lambda name, value: False)
        assert debugger.start(result).when == "finished"
        values = debugger.watched["while/NextIteration:0"]
        assert [int(value) for value in values] == [3, 9, 27]


def test_a_step_can_be_given_up_and_the_session_lives(network):
    debugger = debug.Debugger(network)
    debugger.start("c:0", {"x:0": [1.0, 1.0]})
    with pytest.raises(RuntimeError, match="under way"):
        debugger.start("c:0", {"x:0": [1.0, 1.0]})
    debugger.abandon()
    assert debugger.is_finished
    assert debugger.stop.reason == "abandoned"
    assert network.run("c:0", {"x:0": [1.0, 1.0]}).tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match="no step"):
        debugger.step()


def test_a_failure_is_a_stop_that_names_the_node():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.int32, [], name="x")
        tf.floordiv(6, x, name="quotient")
        debugger = debug.Debugger(session)
        debugger.add_filter("never", lambda name, value: False)
        stop = debugger.start("quotient:0", {x: 0})
        assert (stop.when, stop.node) == ("failed", "quotient")


def test_the_shell_answers_commands(network):
    commands = "b b\nc\np a:0\np b:0\nl\nw c:0\nf nothing\nnonsense\ns\nd\nc\n"
    output = io.StringIO()
    session = debug.LocalCLIDebugWrapperSession(network, io.StringIO(commands), output)
    result = session.run("c:0", {"x:0": [1.0, 1.0]})
    assert result.tolist() == [1.0, 1.0]
    text = output.getvalue()
    for expected in (
        "before b (Log): breakpoint",
        "[1. 1.]",
        "b:0 has no value yet",
        "a  float32 (2,) [1. 1.]",
        "there is no filter 'nothing'",
        "*** Unknown syntax: nonsense",
        "breakpoints: none",
        "finished",
    ):
        assert expected in text


def test_leaving_the_shell_gives_the_step_up(network):
    session = debug.LocalCLIDebugWrapperSession(
        network, io.StringIO("q\n"), io.StringIO()
    )
    with pytest.raises(RuntimeError, match="abandoned"):
        session.run("c:0", {"x:0": [1.0, 1.0]})


def test_the_picture_shows_values_and_where_the_step_stands(network):
    debugger = debug.Debugger(network)
    debugger.start("c:0", {"x:0": [0.0, 1.0]}, breakpoints=["c"])
    dot = debug.step_dot(debugger, "c:0")
    assert '"a" -> "b"' in dot
    lines = {line.split('"')[1]: line for line in dot.splitlines() if "[label=" in line}
    assert "[0. 1.]" in lines["a"]
    assert "#f6b3b3" in lines["b"]  # -inf
    assert "#ffd27f" in lines["c"]  # here
    svg = debug.step_svg(debugger, "c:0")
    assert "<svg" in svg._repr_svg_()
    debugger.abandon()


def test_closing_a_session_abandons_the_step_that_is_held():
    x = tf.placeholder(tf.float32, [2])
    y = x * 2
    with tf.Session() as session:
        held = debug.Debugger(session)
        held.start(y, {x: [1, 2]})
        assert not held.is_finished
    assert held.is_finished
    assert held.stop.reason == "abandoned"


def test_an_observer_sees_scalars_in_the_memory_of_a_gpu():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        with tf.device("/gpu:0"):
            y = tf.square(x, name="y")
        seen = {}

        class Observer:
            def node_starts(self, name, op, inputs):
                pass

            def node_ends(self, name, op, outputs, nanoseconds, iteration, device):
                seen[name] = (outputs, device)

        with tf.Session() as session:
            assert session._run_watched(y, {x: 3.0}, Observer()) == 9
    outputs, device = seen["y"]
    assert outputs == [9] and device.endswith("GPU:0")
