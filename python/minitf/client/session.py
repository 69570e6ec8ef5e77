"""``tf.Session``: runs parts of a graph.

``run`` is called for every training step, so it prepares once what does not depend on the
fed values. For a structure of fetches and a set of fed tensors that it has seen before,
it has the prepared run of C++ and the function that puts results into the structure; then
a step is one look-up in a dict.

Compare: tensorflow/python/client/session.py. Read next: ``feeds.py``.
"""

import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from minitf import _minitf
from minitf.client.feeds import converter
from minitf.client.fetches import Fetches, fetch_key, has_parts
from minitf.eager import context
from minitf.framework import errors, messages
from minitf.framework.default_session import sessions
from minitf.framework.graph import Graph


class DeviceAttributes(NamedTuple):
    """A device of a session.

    Attributes:
        name: in full, such as ``"/job:localhost/replica:0/task:0/device:CPU:0"``.
        device_type: ``"CPU"`` or ``"GPU"``.
        memory_limit_bytes: how much memory it has.
        incarnation: a number drawn when the process met the device.
    """

    name: str
    device_type: str
    memory_limit_bytes: int
    incarnation: int

    def __repr__(self) -> str:
        return f"_DeviceAttributes({', '.join(map(str, self))})"


def _bytes_of(message: Any, kind: str, argument: str) -> bytes:
    """The bytes of ``message``, which must be a tf.<kind> or None."""
    if message is None:
        return b""
    if not isinstance(message, messages.get(kind)):
        raise TypeError(f"{argument} must be a tf.{kind}, but got {type(message)}")
    return message.SerializeToString()


def _run_traced(
    prepared: Any, values: list, convert: Callable, options: Any, run_metadata: Any
) -> list:
    """A step with options; its trace goes to ``run_metadata``."""
    if run_metadata is not None:
        _bytes_of(run_metadata, "RunMetadata", "run_metadata")
    results, trace = prepared.run_traced(
        values, convert, _bytes_of(options, "RunOptions", "options")
    )
    if run_metadata is not None:
        run_metadata.ParseFromString(trace)
    return results


class Session:
    """Runs parts of a graph, and keeps its variables.

    Args:
        target: where to run; only ``""``, this process.
        graph: the graph; the default one if None.
        config: a ConfigProto.

    Raises:
        TypeError: an argument is of another type.
        errors.UnimplementedError: target is not empty.

    >>> import minitf as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.placeholder(tf.float32, [None])
    ...     with tf.Session() as session:
    ...         session.run(tf.reduce_sum(x), {x: [1.0, 2.0]})
    np.float32(3.0)
    """

    def __init__(
        self,
        target: str = "",
        graph: Graph | None = None,
        config: Any = None,
    ):
        if target is not None and not isinstance(target, (str, bytes)):
            raise TypeError(f"target must be a string, but got {type(target)}")
        if target:
            raise errors.UnimplementedError(
                None, None, f"sessions run in this process only; target is {target!r}"
            )
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(f"graph must be a tf.Graph, but got {type(graph)}")
        self._graph = context.get_default_graph() if graph is None else graph
        self._core = _minitf.SessionCore(
            self._graph._core, _bytes_of(config, "ConfigProto", "config")
        )
        self._closed = False
        # Debuggers that may be holding a step, which would never end without them.
        self._debuggers: weakref.WeakSet = weakref.WeakSet()
        self._prepared: dict[Any, tuple[Fetches, Any, Callable]] = {}
        self._scopes: list[Any] = []

    @property
    def graph(self) -> Graph:
        """The graph that the session runs."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """That graph as a ``tf.GraphDef``, as it is now."""
        return self._graph.as_graph_def()

    def run(
        self,
        fetches: Any,
        feed_dict: dict | None = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        """One step: runs what ``fetches`` needs, and returns their values.

        Args:
            fetches: a tensor, an Operation, a name, or a list, tuple or dict of these,
                nested at will.
            feed_dict: values that take the place of tensors. A variable as key has the
                value wherever the step reads it; an op that changes it then fails.
            options: a tf.RunOptions: a time limit, and whether the step is traced.
            run_metadata: a tf.RunMetadata, which is filled with the trace.

        Returns:
            The same structure with arrays in place of tensors, and None in place of
            Operations.

        Raises:
            RuntimeError: the session is closed, or the graph is empty.
            TypeError, ValueError, KeyError: fetches or feeds make no sense.
            errors.OpError: a node failed.
        """
        if self._closed:
            self._require_open()
        fed = feed_dict or {}
        key = fetch_key(fetches, fed)
        found = self._prepared.get(key) if key is not None else None
        if found is None:
            found = self._prepare(fetches, fed)
            if key is not None:
                self._prepared[key] = found
        fetcher, prepared, convert = found
        if fetcher.feeds_are_flat:
            values = [*fed.values()] if fed else []
        else:
            values = fetcher.flat_values(fed)
        try:
            if options is None and run_metadata is None:
                return fetcher.build(prepared.run(values, convert))
            return fetcher.build(
                _run_traced(prepared, values, convert, options, run_metadata)
            )
        except errors.OpError as error:
            raise self._located(error) from None

    def _prepare(
        self, fetches: Any, feed_dict: Any, as_built: bool = False
    ) -> tuple[Fetches, Any, Callable]:
        graph = self._graph
        if graph.num_operations == 0:
            raise RuntimeError(
                "The Session graph is empty. Add operations to the graph "
                "before calling run()."
            )
        fetcher = Fetches(graph, fetches, feed_dict)
        try:
            prepared = self._core.prepare(
                [tensor._handle for tensor in fetcher.feeds],
                [tensor._handle for tensor in fetcher.tensors],
                [op._id for op in fetcher.targets],
                as_built,
            )
        except errors.OpError as error:
            raise self._located(error) from None
        return fetcher, prepared, converter(fetcher.feeds)

    def _run_watched(self, fetches: Any, feed_dict: dict | None, observer: Any) -> Any:
        """A step of the graph as it was built, of whose nodes ``observer`` is told."""
        fetcher, prepared, convert = self._prepare(
            fetches, feed_dict or {}, as_built=True
        )
        try:
            values = fetcher.flat_values(feed_dict or {})
            return fetcher.build(prepared.run_watched(values, convert, observer))
        except errors.OpError as error:
            raise self._located(error) from None

    def _require_open(self) -> None:
        if self._closed:
            raise RuntimeError(_minitf.SESSION_CLOSED)

    def _located(self, error: errors.OpError) -> Exception:
        """``error``, saying at which node and line it happened, if that is known."""
        # Closed by another thread between the look of this one and its step.
        if error.message == _minitf.SESSION_CLOSED:
            return RuntimeError(_minitf.SESSION_CLOSED)
        node = self._graph._core.find(error.node_name) if error.node_name else -1
        return error if node < 0 else errors.at_node(error, self._graph._operation(node))

    def make_callable(
        self,
        fetches: Any,
        feed_list: list | None = None,
        accept_options: bool = False,
    ) -> Callable[..., Any]:
        """A function that runs a step; its arguments are the values for ``feed_list``.

        With ``accept_options``, it also takes ``options`` and ``run_metadata`` by name,
        as ``run`` does. Of a tensor that is listed twice, the later value counts.

        Raises:
            RuntimeError: the session is closed.
            TypeError: feed_list is no list or tuple, or has what is no tensor.
        """
        self._require_open()
        if feed_list is not None and not isinstance(feed_list, (list, tuple)):
            raise TypeError(f"feed_list must be a list or tuple, got {feed_list!r}")
        fed = tuple(feed_list or ())
        tensors = [key for key in fed if not has_parts(key)]
        run, num_values = self._prepared_step(fetches, tensors)
        if num_values < len(fed):  # some belong together, or are for the same tensor
            run = None

        def step(*values: Any, options: Any = None, run_metadata: Any = None) -> Any:
            if not accept_options and (options is not None or run_metadata is not None):
                raise TypeError(
                    "options and run_metadata are for a callable that was made with "
                    "accept_options=True"
                )
            self._require_open()
            if len(values) != len(fed):
                raise TypeError(f"Expected {len(fed)} values to feed, got {len(values)}")
            if run is None:
                feed_dict = dict(zip(fed, values, strict=True))
                return self.run(fetches, feed_dict, options, run_metadata)
            return run(values, options, run_metadata)

        return step

    def _prepared_step(self, fetches: Any, fed: list) -> tuple[Callable[..., Any], int]:
        """A function of the values for ``fed`` and of options that runs a step.

        Returns:
            The function, and how many values it takes: one for each tensor of ``fed``.
        """
        fetcher, prepared, convert = self._prepare(fetches, dict.fromkeys(fed))

        def run(values: Any, options: Any, run_metadata: Any) -> Any:
            try:
                if options is None and run_metadata is None:
                    return fetcher.build(prepared.run(values, convert))
                return fetcher.build(
                    _run_traced(prepared, list(values), convert, options, run_metadata)
                )
            except errors.OpError as error:
                raise self._located(error) from None

        return run, len(fetcher.feeds)

    def close(self) -> None:
        """Frees variables. Steps that are under way end first; later ones raise.

        A step that a debugger holds is abandoned.
        """
        if not self._closed:
            self._closed = True
            for debugger in list(self._debuggers):
                debugger.abandon()
            self._prepared.clear()
            self._core.close()

    def list_devices(self) -> list[DeviceAttributes]:
        """The devices that the session can use. RuntimeError if it is closed."""
        self._require_open()
        return [DeviceAttributes(*device) for device in self._core.devices()]

    def as_default(self) -> "_DefaultSession":
        """Within it, this is the session of ``eval()``. It is not closed at the end."""
        return _DefaultSession(self)

    def __enter__(self) -> "Session":
        scopes = (self._graph.as_default(), self.as_default())
        for scope in scopes:
            scope.__enter__()
        self._scopes.append(scopes)
        return self

    def __exit__(self, *error: object) -> None:
        if not self._scopes:
            raise RuntimeError("the session is left by `with`, but was not entered by it")
        for scope in reversed(self._scopes.pop()):
            scope.__exit__(*error)
        self.close()


class _DefaultSession:
    def __init__(self, session: Session):
        self._session = session

    def __enter__(self) -> Session:
        sessions.entered.append(self._session)
        return self._session

    def __exit__(self, *error: object) -> None:
        entered = sessions.entered
        for i in reversed(range(len(entered))):
            if entered[i] is self._session:
                del entered[i]
                return
        raise RuntimeError("this thread leaves a default session that it has not entered")


class InteractiveSession(Session):
    """A session that is the default one from the start, for use in a shell."""

    def __init__(
        self,
        target: str = "",
        graph: Graph | None = None,
        config: Any = None,
    ):
        super().__init__(target, graph, config)
        self._default = self.as_default()
        self._default.__enter__()
        self._default_graph = None
        if graph is not None:
            self._default_graph = graph.as_default()
            self._default_graph.__enter__()

    def close(self) -> None:
        """Frees variables; the session is no longer the default one."""
        if not self._closed:
            if self in sessions.entered:  # not so in another thread
                self._default.__exit__(None, None, None)
            if self._default_graph is not None:
                self._default_graph.__exit__(None, None, None)
        super().close()
