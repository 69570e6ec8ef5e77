"""The programs of ``docs/examples``: each computes what its first lines promise."""

import importlib.util
import math

import numpy as np
import pytest

from minitf_lab import project

FOLDER = project.ROOT / "docs" / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(
        f"example_{name}", FOLDER / f"{name}.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_linear_regression_finds_the_line(capsys):
    slope, offset = load("linear_regression").main()
    assert slope == pytest.approx(3, abs=0.05) and offset == pytest.approx(-1, abs=0.05)
    assert capsys.readouterr().out == "y = 2.99 x + -1.00\n"


def test_mnist_mlp_learns_the_digits():
    assert load("mnist_mlp").main(epochs=2) > 0.85


def test_input_queue_estimates_pi():
    assert load("input_queue").main() == pytest.approx(math.pi, abs=0.1)


def test_custom_gradient_is_finite_where_the_chain_rule_is_not():
    found = load("custom_gradient").main()
    assert math.isnan(found["naive, graph"]) and math.isnan(found["naive, eager"])
    assert found["stable, graph"] == found["stable, eager"] == 1


def test_while_loop_finds_the_eigenvalue_and_its_gradient():
    value, gradient = load("while_loop").main()
    values, vectors = np.linalg.eigh([[2.0, 1.0], [1.0, 3.0]])
    assert value == pytest.approx(values[-1], abs=1e-4)
    wanted = np.outer(vectors[:, -1], vectors[:, -1])  # d value / d matrix
    np.testing.assert_allclose(gradient, wanted, atol=1e-3)


def test_eager_training_learns_exclusive_or():
    chances = load("eager_training").main()
    assert [round(chance) for chance in chances] == [0, 1, 1, 0]


def test_every_example_has_a_test():
    tested = {name[len("test_") :] for name in globals() if name.startswith("test_")}
    for path in FOLDER.glob("*.py"):
        assert any(name.startswith(path.stem) for name in tested), path.name
