"""Pictures of a training run: loss curves, confusion matrices, the graph.

Nothing here needs a display: matplotlib draws into memory, Graphviz into a file.
"""

import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

from minitf_lab.history import History

mpl.use("Agg")
from matplotlib import pyplot as plt

# Scopes that are drawn as one box: what training adds to the network.
ONE_BOX = {"gradients", "Adam", "beta1_power", "beta2_power", "init"}
COLOURS = {"Placeholder": "#cfe8ff", "VarHandleOp": "#ffe3b8"}


def draw_curves(histories: list[History], path: Path) -> None:
    """The loss of every step and the held-out accuracy after every epoch."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4))
    for history in histories:
        steps = np.arange(1, len(history.losses) + 1)
        left.plot(steps, history.losses, label=history.mode, linewidth=1)
        epochs = np.arange(1, len(history.accuracies) + 1)
        right.plot(epochs, history.accuracies, marker="o", label=history.mode)
    left.set(xlabel="step", ylabel="loss of the batch", yscale="log")
    right.set(xlabel="epoch", ylabel="held-out accuracy")
    right.xaxis.get_major_locator().set_params(integer=True)
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def draw_confusion(histories: list[History], path: Path) -> None:
    """One matrix for each mode; mistakes are what is off the diagonal."""
    figure, all_axes = plt.subplots(
        1, len(histories), figsize=(5.5 * len(histories), 5), squeeze=False
    )
    for history, axes in zip(histories, all_axes[0], strict=True):
        matrix = np.array(history.confusion)
        axes.imshow(np.log1p(matrix), cmap="Blues")
        for (row, column), count in np.ndenumerate(matrix):
            if count:
                colour = "white" if count > matrix.max() / 4 else "black"
                axes.text(
                    column, row, count, ha="center", va="center", color=colour, fontsize=8
                )
        axes.set(
            xticks=range(len(matrix)),
            yticks=range(len(matrix)),
            xlabel="recognised as",
            ylabel="digit",
            title=history.mode,
        )
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _box_of(name: str) -> str:
    """The box that an op is drawn in: itself, or the scope that stands for it."""
    scope = name.split("/")[0]
    return scope if scope in ONE_BOX else name


def dot_text(graph: Any) -> str:
    """The graph in Graphviz's language; ops of one scope stand in one frame."""
    operations = graph.get_operations()
    scopes, edges = defaultdict(dict), {}
    for operation in operations:
        box = _box_of(operation.name)
        label = box if box in ONE_BOX else f"{box.split('/')[-1]}\\n{operation.type}"
        colour = COLOURS.get(operation.type, "white")
        scopes[box.rpartition("/")[0].split("/")[0]][box] = (label, colour)
        for tensor in operation.inputs:
            source = _box_of(tensor.op.name)
            if source != box:
                edges[source, box] = str(tensor.shape)

    lines = [
        "digraph minitf {",
        "rankdir=BT; node [shape=box, style=filled, fontsize=10];",
    ]
    for scope, boxes in scopes.items():
        nodes = [
            f'"{box}" [label="{label}", fillcolor="{colour}"];'
            for box, (label, colour) in boxes.items()
        ]
        if scope:
            frame = f'subgraph "cluster_{scope}" {{ label="{scope}"; color=grey;'
            nodes = [frame, *nodes, "}"]
        lines += nodes
    for (source, target), shape in edges.items():
        lines.append(f'"{source}" -> "{target}" [label="{shape}", fontsize=8];')
    return "\n".join([*lines, "}"])


def draw_graph(graph: Any, path: Path) -> None:
    """Draws ``graph`` as SVG by Graphviz's program ``dot``."""
    subprocess.run(
        ["dot", "-Tsvg", "-o", str(path)], input=dot_text(graph), text=True, check=True
    )
