"""Attributes that are computed once, safe for threads: `cached_property`, `shared_property`."""

from __future__ import annotations

from collections.abc import Callable

from playhead.runtime.typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")


class cached_property(Generic[Value]):
    """Like `functools.cached_property` of Python 3.12: without a lock.

    Up to Python 3.11, that one holds a lock of all instances while it computes. Two threads could deadlock: one
    computes the players of its replay, which need the info, the other the info of its own, which needs the
    players. Without the lock two threads may compute a value twice; it is the same value.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> cached_property[Value]: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Value: ...
    def __get__(self, instance: object | None, owner: type | None = None) -> Any:
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._computed(instance)
        return value

    def _computed(self, instance: Any) -> Value:
        return self._compute(instance)


class shared_property(cached_property[Value]):
    """A `cached_property` that one thread computes while the others wait: for expensive attributes, and those
    that add problems. The instance has the reentrant lock, as its attribute ``lock``."""

    def _computed(self, instance: Any) -> Value:
        with instance.lock:
            held = instance.__dict__
            return held[self._name] if self._name in held else self._compute(instance)
