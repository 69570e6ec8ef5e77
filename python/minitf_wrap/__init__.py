"""Python bindings for C++ from an interface file, in a subset of SWIG's language.

    python -m minitf_wrap example.i    writes example_wrap.cc, example.py, example.pyi

An interface file passes through these stages:

    scanner.py, parser.py, directives.py    text -> declarations
    builder.py, typemaps.py                 declarations -> functions (model.py)
    cpp_writer.py, python_writer.py         functions -> the three files

``docs/wrap.md`` describes the language. ``lib/builtin.i`` has the typemaps of all types
that the generator knows by itself. The headers in ``lib`` are part of every wrapper.
"""
