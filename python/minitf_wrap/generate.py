"""The whole way from an interface file to the three files that the generator writes."""

from pathlib import Path

from minitf_wrap.cpp_writer import CppWriter
from minitf_wrap.module_writer import ModuleWriter
from minitf_wrap.parser import parse


def generate(interface: Path, folders: list[Path], out: Path) -> list[Path]:
    """Writes ``<file>_wrap.cc``, ``<module>.py`` and ``<module>.pyi`` to ``out``.

    ``folders`` are searched for files of ``%include``, after the folder of the file that
    includes. Nothing is written if the interface has an error.

    Raises:
        InterfaceError: the interface is wrong, or outside of the subset.
        OSError: a file cannot be read or written.
    """
    build = parse(interface, folders)
    writer = ModuleWriter(build)
    texts = {
        out / f"{interface.stem}_wrap.cc": CppWriter(build).text(),
        out / f"{build.module.name}.py": writer.module(),
        out / f"{build.module.name}.pyi": writer.stub(),
    }
    for path, text in texts.items():
        path.write_text(text)
    return list(texts)
