"""Python bindings for C++ from an interface file, in a subset of SWIG's language.

    python -m minitf_wrap example.i    writes example_wrap.cc, example.py, example.pyi

The interface file passes through four stages, one file each:

    lexer.py      text -> tokens
    parser.py     tokens -> functions, classes, constants (declarations.py)
    typemaps.py   the type of each argument -> the C++ code that converts it
    cpp_writer.py, module_writer.py    declarations -> the three files

``docs/wrap.md`` describes the language. ``lib/builtin.i`` has the typemaps of all types
that the generator converts itself. ``lib/runtime.h`` is part of every wrapper.
"""
