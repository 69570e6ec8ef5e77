"""Pictures of a training run: loss curves, confusion matrices.

Nothing here needs a display: matplotlib draws into memory. ``minitf.viz`` draws
the graph.
"""

from pathlib import Path

import matplotlib as mpl
import numpy as np

from minitf_lab.dev.demo.history import History

mpl.use("Agg")
from matplotlib import pyplot as plt


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
