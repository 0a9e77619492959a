"""The names of Cython's `cython` module that hot modules use; interpreted, they change no result.

Hot modules are ordinary Python that Cython can compile. ``tools/translate_hot_modules.py`` reads
``from playhead.runtime import cython`` as ``import cython``.
"""

from __future__ import annotations

from playhead.runtime.typing import Any

compiled = False

# C types. Annotations are never evaluated (the hot modules use postponed evaluation), so any object will do.
bint = char = schar = uchar = short = ushort = int = uint = long = ulong = longlong = ulonglong = object
float = double = size_t = Py_ssize_t = void = object
p_char = p_schar = p_uchar = p_const_uchar = p_int = p_longlong = p_ulonglong = p_void = object


def _unchanged(thing: Any) -> Any:
    return thing


cclass = final = no_gc = no_gc_clear = cfunc = ccall = inline = nogil = with_gil = _unchanged


def nonecheck(_on: bool) -> Any:
    return _unchanged


auto_pickle = nonecheck


def exceptval(*_args: Any, **_kwargs: Any) -> Any:
    return _unchanged


def freelist(_size: Any) -> Any:
    return _unchanged


def locals(**_types: Any) -> Any:
    return _unchanged


def declare(_type: Any = None, value: Any = None, **_types: Any) -> Any:
    return value


def cast(_type: Any, value: Any, typecheck: bool = False) -> Any:
    return value


def __getattr__(name: str) -> Any:
    """Return ``cython.dataclasses``, which few hot modules use and which takes long to import."""
    if name != "dataclasses":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import dataclasses

    return dataclasses
