"""The documentation of ops: what ``help(tf.sin)`` shows, made of the registries.

Nothing here is imported before a program asks for help.

Read next: ``text.py``.
"""
