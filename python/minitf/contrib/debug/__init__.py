"""The debugger: stops a step at nodes, and shows what tensors hold.

>>> import minitf as tf
>>> from minitf import debug
>>> with tf.Graph().as_default(), tf.Session() as session:
...     x = tf.constant(3.0, name="x")
...     y = tf.square(x, name="y")
...     debugger = debug.Debugger(session)
...     stop = debugger.start(y - 1.0, breakpoints=["y"])
...     print(stop)
...     print(debugger.step().reason, debugger.value("y:0"))
...     _ = debugger.resume()
...     print(debugger.result)
before y (Square): breakpoint
step 9.0
8.0

Compare: tensorflow/python/debug. Read next: ``debugger.py``.
"""

HAS_OPS = False
LOADED = ()
DOCS = {"debug": "``minitf.debug``: stops a step at nodes, and shows what tensors hold."}
PUBLIC = {
    "debug": """
        cli: DebugShell LocalCLIDebugWrapperSession
        debugger: Debugger Stop
        filters: has_inf_or_nan
        picture: step_dot step_svg
        """,
}
