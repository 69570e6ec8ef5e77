"""Exceptions: what the C++ framework reports, one class for each code.

Every class has ``message``, ``op`` (the node that failed, or None), ``node_def`` and
``error_code``. The message of an error in a step ends with the node's name and the line
of the user's program that made it::

    Integer division by zero [node 'ratio' (FloorDiv), made at train.py:12]

Compare: tensorflow/python/framework/errors_impl.py. Read next: ``graph.py``.
"""

from typing import Any

from minitf import _minitf

__all__ = [
    "ABORTED",
    "ALREADY_EXISTS",
    "CANCELLED",
    "DATA_LOSS",
    "DEADLINE_EXCEEDED",
    "FAILED_PRECONDITION",
    "INTERNAL",
    "INVALID_ARGUMENT",
    "NOT_FOUND",
    "OK",
    "OUT_OF_RANGE",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "UNAUTHENTICATED",
    "UNAVAILABLE",
    "UNIMPLEMENTED",
    "UNKNOWN",
    "AbortedError",
    "AlreadyExistsError",
    "CancelledError",
    "DataLossError",
    "DeadlineExceededError",
    "FailedPreconditionError",
    "InternalError",
    "InvalidArgumentError",
    "NotFoundError",
    "OpError",
    "OutOfRangeError",
    "PermissionDeniedError",
    "ResourceExhaustedError",
    "UnauthenticatedError",
    "UnavailableError",
    "UnimplementedError",
    "UnknownError",
    "error_code_from_exception_type",
    "exception_type_from_error_code",
]

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """An error of the framework.

    Args:
        node_def: the NodeDef of the node that failed, or None.
        op: the node that failed, or None.
        message: what happened.
        error_code: one of the codes of this module.
    """

    def __init__(self, node_def: Any, op: Any, message: str, error_code: int = UNKNOWN):
        super().__init__(message)
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code
        self.node_name = ""

    @property
    def message(self) -> str:
        """What happened."""
        return self._message

    @property
    def op(self) -> Any:
        """The Operation that failed, or None."""
        return self._op

    @property
    def node_def(self) -> Any:
        """The NodeDef of the node that failed, or None."""
        if self._node_def is None and self._op is not None:
            self._node_def = self._op.node_def
        return self._node_def

    @property
    def error_code(self) -> int:
        """The number of the kind of error."""
        return self._error_code

    def __reduce__(self) -> tuple:
        code = () if type(self) in _BY_CODE.values() else (self._error_code,)
        state = {"node_name": self.node_name}
        return type(self), (None, None, self._message, *code), state

    def __str__(self) -> str:
        return self._message


class CancelledError(OpError):
    """Given up because something else failed, or on request."""


class UnknownError(OpError):
    """An error of a kind that has no name."""


class InvalidArgumentError(OpError):
    """What was asked for makes no sense."""


class DeadlineExceededError(OpError):
    """It took too long."""


class NotFoundError(OpError):
    """A name that is not registered, or a file that is not there."""


class AlreadyExistsError(OpError):
    """Something that may exist once exists already."""


class PermissionDeniedError(OpError):
    """The caller may not do this."""


class ResourceExhaustedError(OpError):
    """There is not enough memory."""


class FailedPreconditionError(OpError):
    """The state does not allow it now, such as reading a variable without a value."""


class AbortedError(OpError):
    """Given up because another operation came first."""


class OutOfRangeError(OpError):
    """Past the end of something that is read one by one."""


class UnimplementedError(OpError):
    """It makes sense, and is not there."""


class InternalError(OpError):
    """A mistake in minitf itself."""


class UnavailableError(OpError):
    """It cannot be reached now."""


class DataLossError(OpError):
    """Bytes that cannot be what they claim to be."""


class UnauthenticatedError(OpError):
    """The caller has not said who it is."""


_BY_CODE: dict[int, type[OpError]] = dict(
    enumerate(
        [
            CancelledError,
            UnknownError,
            InvalidArgumentError,
            DeadlineExceededError,
            NotFoundError,
            AlreadyExistsError,
            PermissionDeniedError,
            ResourceExhaustedError,
            FailedPreconditionError,
            AbortedError,
            OutOfRangeError,
            UnimplementedError,
            InternalError,
            UnavailableError,
            DataLossError,
            UnauthenticatedError,
        ],
        start=1,
    )
)


def _with_fixed_code(error_class: type[OpError], code: int) -> None:
    """Lets ``error_class`` be made without its code, as TensorFlow's classes are."""

    def initialize(
        self: OpError, node_def: Any, op: Any, message: str, error_code: int = code
    ) -> None:
        OpError.__init__(self, node_def, op, message, error_code)

    error_class.__init__ = initialize


for _code, _class in _BY_CODE.items():
    _with_fixed_code(_class, _code)


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """The class of errors with this code. Raises KeyError if there is none."""
    if error_code not in _BY_CODE:
        raise KeyError(f"no error has the code {error_code!r}")
    return _BY_CODE[error_code]


def error_code_from_exception_type(cls: type[OpError]) -> int:
    """The code of the errors of this class, or of one that it is derived from."""
    by_class = {known: code for code, known in _BY_CODE.items()}
    for known in getattr(cls, "__mro__", ()):
        if known in by_class:
            return by_class[known]
    raise KeyError(f"{cls!r} is no class of errors with a code of its own")


def make_error(code: int, message: str, node_name: str) -> OpError:
    """The exception for a Status of C++."""
    error = _BY_CODE.get(code, UnknownError)(None, None, message)
    error.node_name = node_name
    return error


def at_node(error: OpError, op: Any) -> OpError:
    """``error``, with the Operation at which it happened."""
    located = type(error)(None, op, error.message)
    located.node_name = op.name
    return located


_minitf.set_error_factory(make_error)


def __dir__() -> list[str]:
    return __all__
