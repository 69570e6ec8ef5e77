"""Stubs of the classes of messages, such as ``tf.GraphDef``, made of their descriptions.

The classes are made when a program asks for one (``framework/messages.py``), so they lie
in no module. Type checkers know them from the stub ``_messages``.

Read next: ``modules.py``.
"""

from collections.abc import Iterator
from typing import Any

from minitf import _minitf
from minitf.framework import messages

FILE = "_messages.pyi"

# The methods of all messages, and the containers of their fields.
_HEADER = '''\
"""The classes of messages. Made by the build; only type checkers know this module."""

import builtins
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from collections.abc import MutableSequence, Sequence
from typing import Any, Self, TypeVar

_T = TypeVar("_T")
_K = TypeVar("_K")

class Message:
    DESCRIPTOR: Any
    def ByteSize(self) -> builtins.int: ...
    def Clear(self) -> None: ...
    def ClearField(self, field_name: builtins.str) -> None: ...
    def CopyFrom(self, other: Self) -> None: ...
    def DiscardUnknownFields(self) -> None: ...
    @classmethod
    def FromString(cls, s: builtins.bytes) -> Self: ...
    def HasField(self, field_name: builtins.str) -> builtins.bool: ...
    def IsInitialized(self) -> builtins.bool: ...
    def ListFields(self) -> builtins.list[tuple[Any, Any]]: ...
    def MergeFrom(self, other: Self) -> None: ...
    def MergeFromString(self, serialized: builtins.bytes) -> builtins.int: ...
    def ParseFromString(self, serialized: builtins.bytes) -> builtins.int: ...
    def SerializePartialToString(self, **kwargs: Any) -> builtins.bytes: ...
    def SerializeToString(self, **kwargs: Any) -> builtins.bytes: ...
    def SetInParent(self) -> None: ...
    def WhichOneof(self, oneof_group: builtins.str) -> builtins.str | None: ...

class Repeated(MutableSequence[_T]):
    def __getitem__(self, index: Any) -> Any: ...
    def __setitem__(self, index: Any, value: Any) -> None: ...
    def __delitem__(self, index: Any) -> None: ...
    def __len__(self) -> builtins.int: ...
    def insert(self, index: builtins.int, value: _T) -> None: ...
    def MergeFrom(self, other: Iterable[_T]) -> None: ...

class RepeatedMessages(Sequence[_T]):
    def __getitem__(self, index: Any) -> Any: ...
    def __len__(self) -> builtins.int: ...
    def add(self, **kwargs: Any) -> _T: ...
    def append(self, value: _T) -> None: ...
    def extend(self, values: Iterable[_T]) -> None: ...
    def insert(self, key: builtins.int, value: _T) -> None: ...
    def pop(self, key: builtins.int = -1) -> _T: ...
    def remove(self, elem: _T) -> None: ...
    def MergeFrom(self, other: Iterable[_T]) -> None: ...
    def __delitem__(self, key: builtins.int | builtins.slice) -> None: ...

class MessageMap(Mapping[_K, _T]):
    def __getitem__(self, key: _K) -> _T: ...
    def __iter__(self) -> Iterator[_K]: ...
    def __len__(self) -> builtins.int: ...
    def clear(self) -> None: ...
    def get_or_create(self, key: _K) -> _T: ...
    def MergeFrom(self, other: Mapping[_K, _T]) -> None: ...
    def pop(self, key: _K) -> _T: ...
    def __delitem__(self, key: _K) -> None: ...

'''
# Types of fields, by protobuf's numbers of C++ types. All others are integers.
_TYPES = {5: "float", 6: "float", 7: "bool"}
_STRING, _BYTES = 9, 12


def _class_name(descriptor: Any) -> str:
    return descriptor.full_name.removeprefix(f"{messages.PACKAGE}.")


def _element(field: Any) -> str:
    """The type of a field, or of one element of it."""
    if field.message_type is not None:
        return _class_name(field.message_type)
    if field.cpp_type == _STRING:
        return "builtins.bytes" if field.type == _BYTES else "builtins.str"
    return f"builtins.{_TYPES.get(field.cpp_type, 'int')}"


def _is_map(field: Any) -> bool:
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def _types(field: Any) -> tuple[str, str]:
    """The type of a field as it is read, and of what a constructor takes for it."""
    if _is_map(field):
        parts = field.message_type.fields_by_name
        key, value = _element(parts["key"]), _element(parts["value"])
        is_message = parts["value"].message_type is not None
        kind = "MessageMap" if is_message else "MutableMapping"
        return f"{kind}[{key}, {value}]", f"Mapping[{key}, {_given(value, is_message)}]"
    element, is_message = _element(field), field.message_type is not None
    if not field.is_repeated:
        return element, _given(element, is_message)
    kind = "RepeatedMessages" if is_message else "Repeated"
    return f"{kind}[{element}]", f"Iterable[{_given(element, is_message)}]"


def _given(element: str, is_message: bool) -> str:
    return f"{element} | Mapping[builtins.str, Any]" if is_message else element


def _lines(descriptor: Any) -> Iterator[str]:
    """The class of a message, with those of its nested messages."""
    yield f"class {descriptor.name}(Message):"
    for enum in descriptor.enum_types:
        for value in enum.values:
            yield f"    {value.name}: builtins.int"
    for nested in descriptor.nested_types:
        yield from (f"    {line}" for line in _lines(nested))
    arguments = ["self"]
    for field in descriptor.fields:
        if not field.name.isidentifier():
            continue
        type_name, given = _types(field)
        arguments.append(f"{field.name}: {given} | None = ...")
        if type_name.startswith("builtins."):
            yield f"    {field.name}: {type_name}"
        else:
            yield "    @property"
            yield f"    def {field.name}(self) -> {type_name}: ..."
    if len(arguments) > 1:
        arguments.insert(1, "*")
    yield f"    def __init__({', '.join(arguments)}) -> None: ..."


def _roots() -> list[str]:
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

    files = [FileDescriptorProto.FromString(text) for text in _minitf.proto_files()]
    return sorted(message.name for file in files for message in file.message_type)


def stub() -> str:
    """The text of the file."""
    parts = ["\n".join(_lines(messages.get(name).DESCRIPTOR)) for name in _roots()]
    return _HEADER + "\n\n".join(parts) + "\n"
