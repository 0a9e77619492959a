"""Stand-in for the `cython` module where Cython is not installed.

The hot modules are ordinary Python that Cython can compile; run interpreted they need only that the
names they take from `cython` exist. Nothing here changes what they compute.
"""

from __future__ import annotations

from typing import Any

compiled = False

# C types that appear in signatures and class bodies. Annotations are never evaluated (the hot modules
# use postponed evaluation), so any object will do.
_TYPES = frozenset(
    "bint char uchar short ushort int uint long ulong longlong ulonglong float double size_t Py_ssize_t "
    "p_char p_uchar p_const_uchar p_int p_longlong p_ulonglong void p_void".split()
)


def __getattr__(name: str) -> Any:
    if name in _TYPES:
        return object
    raise AttributeError(f"the cython stand-in has no {name!r}: add it, or install Cython")


def _unchanged(thing: Any) -> Any:
    return thing


cclass = final = no_gc_clear = cfunc = ccall = inline = nogil = with_gil = _unchanged


def exceptval(*_args: Any, **_kwargs: Any) -> Any:
    return _unchanged


def locals(**_types: Any) -> Any:
    return _unchanged


def declare(_type: Any = None, value: Any = None, **_types: Any) -> Any:
    return value


def cast(_type: Any, value: Any, typecheck: bool = False) -> Any:
    return value
