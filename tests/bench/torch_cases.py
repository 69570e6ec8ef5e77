"""The cases of ``./lab bench`` that PyTorch has too.

Read next: ``tests/bench/tf_cases.py``, whose cases these are.
"""

from collections.abc import Callable

import conv_cases
import gemm_cases
import net_cases
import op_cases
import options
import torch
from tf_cases import BATCH, product_chain

Work = Callable[[], object]


def eager_add() -> Work:
    """An eager addition of two small tensors."""
    x = torch.tensor([1.0, 2.0])
    y = torch.tensor([3.0, 4.0])
    return lambda: torch.add(x, y)


def tape_forward() -> Work:
    """1,000 multiplications that are recorded, per op."""
    x = torch.tensor(1.0, requires_grad=True)
    return lambda: product_chain(x)


def tape() -> Work:
    """The same and back, per op."""
    x = torch.tensor(1.0, requires_grad=True)
    return lambda: torch.autograd.grad(product_chain(x), x)


def step_eager() -> Work:
    """A training step of the demo's CNN: batch 64, Adam."""
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 32, 5, padding=2),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 5, padding=2),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(7 * 7 * 64, 1024),
        nn.ReLU(),
        nn.Linear(1024, 10),
    )
    optimizer = torch.optim.Adam(model.parameters(), 1e-4)
    images = torch.rand(BATCH, 1, 28, 28)
    labels = torch.randint(0, 10, (BATCH,))

    def work() -> object:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return work


CASES = {case.__name__: case for case in (eager_add, tape_forward, tape, step_eager)} | {
    name: group.torch_case(name, torch)
    for group in (conv_cases, gemm_cases, net_cases, op_cases)
    for name in group.NAMES
}


def load() -> None:
    """Sets how many threads there are."""
    torch.set_num_threads(options.THREADS)
