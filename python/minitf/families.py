"""The families: what lies in ``contrib``, which the core can do without.

A family's ``__init__.py`` says what it adds, and imports nothing:

    PUBLIC    tables of names, as in ``public_names.py``; a module ``op_x`` is its own
    DOCS      what is said of the modules of tf that are its own
    LOADED    its modules that tell the core of themselves, and are imported with minitf
    HAS_OPS   whether it has ops, which are not there in a library built without it

To take a family away, delete its folders and its name here.

Compare: tensorflow/contrib. Read next: ``contrib/image/__init__.py``.
"""

from importlib import import_module
from importlib.util import find_spec

from minitf import _minitf, public_names

FAMILIES = (
    "app",
    "debug",
    "detection",
    "image",
    "legacy",
    "manip",
    "ranking",
    "sequence",
    "sparse",
    "strings",
    "summary",
    "viz",
)


# Those that are here; ``load`` fills it in.
present: list[str] = []


def _is_built(name: str, has_ops: bool) -> bool:
    """Whether the library has the ops of a family; a library that does not say has."""
    if not has_ops or not hasattr(_minitf, "built_families"):
        return True
    return name in _minitf.built_families()


def load() -> None:
    """Adds the names of the families that are here."""
    for name in FAMILIES:
        room = f"minitf.contrib.{name}"
        if find_spec(room) is None:
            public_names.withhold(name, "", name)
            continue
        family = import_module(room)
        if not _is_built(name, family.HAS_OPS):
            for module, text in family.PUBLIC.items():
                public_names.withhold(module, text, name)
            continue
        for module, text in family.PUBLIC.items():
            public_names.extend(module, text, f"contrib.{name}")
        public_names.DOCS.update(family.DOCS)
        for module in family.LOADED:
            import_module(f"{room}.{module}")
        present.append(name)
