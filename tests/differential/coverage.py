"""Which public names the tables cover, and how many cases each of them has.

A name is covered by a line for it or for an alias of it, or by a program whose text calls
it. What needs no line is listed here, with the reason.
"""

import inspect
import re
from collections import Counter
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from programs import Entry

_MENTION = re.compile(r"\btf\.((?:[a-z_]\w*\.)?\w+)")


def names_of(entry: Entry) -> set[str]:
    """The public names that a line of a table is about."""
    names = {entry.function, *entry.aliases, *entry.covers}
    if entry.make is not None:
        make = getattr(entry.make, "func", entry.make)  # of a functools.partial
        names |= set(_MENTION.findall(inspect.getsource(make)))
    return names


def case_counts(entries: Iterable[Entry], cases: int = 20_000) -> dict[str, int]:
    """How many of ``cases`` cases, on average, are about each name."""
    entries = list(entries)
    total = sum(entry.weight for entry in entries)
    shares: Counter = Counter()
    for entry in entries:
        for name in names_of(entry):
            shares[name] += entry.weight
    return {name: round(share / total * cases) for name, share in shares.items()}


def public_names() -> dict[str, Any]:
    """Every public function and class of minitf, by its name below ``tf``."""
    import minitf as tf
    from minitf.public_names import names_of as names_in

    found: dict[str, Any] = {}
    modules = [("", tf)]
    modules += [
        (f"{name}.", getattr(tf, name))
        for name in dir(tf)
        if isinstance(getattr(tf, name, None), ModuleType) and not name.startswith("_")
    ]
    for prefix, module in modules:
        if not module.__name__.startswith("minitf") or prefix == "raw_ops.":
            continue
        listed = {*names_in(prefix[:-1] or "tf"), *getattr(module, "__all__", ())}
        for name in dir(module):
            value = getattr(module, name, None)
            home = getattr(value, "__module__", "")
            # What a file of minitf imports for itself is not public.
            is_inside = f"{home}.".startswith(f"{module.__name__}.")
            is_own = not prefix or is_inside or name in listed
            is_message = bool(prefix) and hasattr(value, "DESCRIPTOR")
            if name[0] != "_" and callable(value) and is_own and not is_message:
                found[prefix + name] = value
    return found


def uncovered(entries: Iterable[Entry]) -> list[str]:
    """The public names that no line covers and no pattern in ``REASONS`` explains."""
    public = public_names()
    covered = {name for entry in entries for name in names_of(entry)}
    same = {id(public[name]) for name in covered & public.keys()}
    return sorted(
        name
        for name, value in public.items()
        if name not in covered
        and id(value) not in same
        and not any(re.fullmatch(pattern, name) for pattern in REASONS)
    )


# Public names that no line is about, as patterns, and why.
REASONS = {
    r"errors\..*|OpError": "exceptions: each case compares those that it raises",
    r"gfile\..*": "work on files, not on tensors: tests/python/training/test_parsing.py",
    r"((io|train)\.)?(read_file|write_file|write_graph|matching_files|match_\w+_once)": (
        "work on files, not on tensors"
    ),
    r"(io\.|python_io\.)?(TFRecord\w*|tf_record_iterator)": (
        "record files: TensorFlow reads ours in tests/python/training/test_records.py"
    ),
    r"\w*Reader(Base)?": "readers of files: tests/python/training/test_readers.py",
    r"(image|io)\.(\w*(jpeg|png|gif|bmp)\w*|decode_image)": (
        "image files: TensorFlow's are in tests/contrib/image/test_image_files.py"
    ),
    r"(io\.)?(parse_\w*example|\w*Feature)": (
        "Examples: TensorFlow's values are in tests/python/training/test_parsing.py"
    ),
    r"(io\.|sparse\.)?(\w*serialize_(many_)?sparse|sparse_merge|merge)": (
        "TensorFlow's values are in tests/contrib/sparse/test_sparse_batching.py"
    ),
    r"(sparse\.)?(SparseTensor(Value)?|placeholder|sparse_placeholder)": (
        "arguments of other lines"
    ),
    r"[A-Z]\w*(Proto|Def|Options|Message|Metadata|Log|List|Value|Config)|Event|Summary": (
        "messages: tests/python/graph/test_messages.py"
    ),
    r"(disable|enable)_\w+|\w+_enabled|reset_default_graph|load_op_library": (
        "switches of a whole process"
    ),
    r"AggregationMethod|Variable(Aggregation|Synchronization)|losses\.Reduction"
    r"|image\.ResizeMethod": "numbers",
    r"metrics\.sparse_\w+|nn\.relu_layer": (
        "older names: tests/contrib/ranking and tests/contrib/legacy"
    ),
    r"layers\.[A-Z]\w+": "classes that the functions of layers make",
    r"train\.(match_filenames_once|replica_device_setter)": "name files and devices",
    r"NoGradient|no_gradient|NotDifferentiable|RegisterGradient": (
        "change the registry of gradients"
    ),
    r"IndexedSlices\w*|convert_to_tensor_or_indexed_slices": (
        "gradients of the lines that look up rows"
    ),
    r"Tensor|InteractiveSession|get_default_session": "part of every program",
    r"initialize_\w+|variable_op_scope|op_scope|Print|print|add_check_numerics_ops": (
        "older names: tests/contrib/legacy/test_old_names.py"
    ),
    r"test\..*|logging\..*|get_logger": "for test programs and logs",
    r"(app|flags|resource_loader|sysconfig)\..*": "around a graph: tests/contrib/app",
    r"register_tensor_conversion_function|broadcast_dynamic_shape": (
        "a program's own classes, and shapes: tests/python/graph/test_conversions.py"
    ),
    r"data\..*|from_dlpack|dtypes\..*": "TensorFlow 1 has no such name",
    r"viz\..*": "TensorFlow draws no pictures: tests/contrib/viz",
    r"summary\..*|train\.summary_iterator": (
        "event files: tests/contrib/summary/test_summary.py"
    ),
    r"graph_util\..*|make_ndarray": "messages: tests/python/graph/test_graph_def.py",
    r"train\..*(batch|producer|runner|Runner|limit_epochs|Coordinator|LooperThread).*": (
        "threads: tests/python/training/test_input_pipeline.py"
    ),
}
