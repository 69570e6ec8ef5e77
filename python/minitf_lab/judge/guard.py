"""The guard of tensors' memory, as the worker and the judge know it.

In the worker, a library (``tests/labs/guard/guard.cc``) is loaded before minitf's, and
gives tensors memory between pages that nobody may touch. Arrays that a call gets lie in
such memory too, and are sealed: nobody may write to them. The values that a call gives
back are made into text at once: what a thread writes later changes nothing.

The judge reads what the guard has found in what the process printed. A hostile process
can print that as well, and gains nothing: it has failed in either case.
"""

import ctypes
import re
import weakref
from pathlib import Path

import numpy as np

NAME = "lab_guard.so"
MARK = re.compile(r"^minitf guard: (it .*)\n?", re.MULTILINE)


class Guard:
    """The library, loaded.

    Raises:
        OSError: it is not there.
    """

    def __init__(self, library: Path) -> None:
        # First of all, so that minitf's library finds its functions here.
        self._library = ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
        self._library.minitf_guard_allocate.restype = ctypes.c_void_p
        self._library.minitf_guard_allocate.argtypes = [ctypes.c_size_t]
        self._library.minitf_guard_free.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        self._library.minitf_guard_seal.argtypes = [ctypes.c_void_p]
        self._library.minitf_guard_begin.argtypes = [ctypes.c_bool, ctypes.c_bool]

    def begin(self, *, at_end: bool) -> None:
        """Explains faults from now on.

        Args:
            at_end: Whether elements end at a page's end. Else they begin at one, and the
                use of a tensor that is freed is seen as well, in more time.
        """
        self._library.minitf_guard_begin(at_end, not at_end)

    def check(self) -> None:
        """Ends the process if something was written beside the elements of a tensor."""
        self._library.minitf_guard_check()

    def sealed(self, array: np.ndarray) -> np.ndarray:
        """A copy of ``array`` that nobody can write to, with guards around it."""
        size = array.nbytes
        memory = self._library.minitf_guard_allocate(size) if size else None
        if memory is None or array.dtype.hasobject:
            return array
        ctypes.memmove(memory, np.ascontiguousarray(array).ctypes.data, size)
        held = (ctypes.c_char * size).from_address(memory)
        weakref.finalize(held, self._library.minitf_guard_free, memory, size)
        copy = np.frombuffer(held, array.dtype).reshape(array.shape)
        copy.flags.writeable = False
        self._library.minitf_guard_seal(memory)
        return copy


def finding(printed: str) -> str:
    r"""What the guard has found, in what a process has printed last; empty if nothing.

    >>> finding("here\n\nminitf guard: it reads byte 8 of 8\n")
    'it reads byte 8 of 8'
    """
    found = MARK.findall(printed)
    return found[-1] if found else ""
