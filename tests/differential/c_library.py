"""A C API as a Python object: the functions of libminitf_c.so or of TensorFlow.

    api = Api(path)
    graph = api.TF_NewGraph()

Read next: ``tests/differential/c_calls.py``.
"""

import re
from collections.abc import Callable
from ctypes import CDLL, Structure, c_char_p, c_int, c_int64, c_ubyte, c_void_p

NEW = re.findall(
    r"\w+",
    """TF_NewStatus TF_NewGraph TF_NewOperation TF_FinishOperation TF_AllocateTensor
TF_TensorData TF_NewSession TF_NewSessionOptions TF_NewBuffer TF_GraphOperationByName
TF_NewImportGraphDefOptions TF_GraphImportGraphDefWithResults""",
)


class Output(Structure):
    """TF_Output and TF_Input."""

    _fields_ = (("oper", c_void_p), ("index", c_int))


class Metadata(Structure):
    """TF_AttrMetadata."""

    _fields_ = (
        ("is_list", c_ubyte),
        ("list_size", c_int64),
        ("type", c_int),
        ("total_size", c_int64),
    )


class Api:
    """The functions of a library, and a status that they share."""

    def __init__(self, path: str) -> None:
        self.library = CDLL(path)
        types = {name: c_void_p for name in NEW}
        for name in ("TF_OperationName", "TF_OperationOpType", "TF_OperationDevice"):
            types[name] = c_char_p
        types |= {"TF_OperationGetAttrMetadata": Metadata, "TF_OperationInput": Output}
        types |= {"TF_TensorElementCount": c_int64, "TF_Dim": c_int64}
        for name, result in types.items():
            getattr(self.library, name).restype = result
        self.status = self.TF_NewStatus()

    def __getattr__(self, name: str) -> Callable:
        function = getattr(self.library, name)
        if name not in NEW:
            return function

        def create(*arguments: object) -> c_void_p | None:
            result = function(*arguments)
            return c_void_p(result) if result else None

        return create
