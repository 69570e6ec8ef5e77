"""Flags, the entry point of a program, and paths.

As in TensorFlow 1.15, the package absl-py reads the flags. A program that uses
``tf.flags`` or ``tf.app`` imports absl.

Compare: tensorflow/python/platform/app.py. Read next: ``flags.py``.
"""

HAS_OPS = False
LOADED = ()
DOCS = {
    "app": "``tf.app``: the entry point of a program.",
    "resource_loader": "``tf.resource_loader``: files beside the program.",
    "sysconfig": "``tf.sysconfig``: where minitf is, for the compiler of new ops.",
}
PUBLIC = {
    "tf": """
        flags: flags
        """,
    "app": """
        entry: run
        flags: flags
        """,
    "resource_loader": """
        resources: get_data_files_path get_path_to_datafile
        resources: get_root_dir_with_all_resources load_resource readahead_file_path
        """,
    "sysconfig": """
        build: get_compile_flags get_include get_lib get_link_flags
        """,
}
