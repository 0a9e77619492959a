"""`Guard`: turns an exception of a collector of facts into a problem; the other facts stay whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from playhead.errors import FactError
from playhead.model import ProblemHandler
from playhead.runtime.typing import Any, ClassVar, Protocol, TypeVar
from playhead.tables.registry import cost_of
from playhead.tables.schema import TableSchema

_T = TypeVar("_T")


class Owner(Protocol):
    """A collector, as far as `Guard` knows it."""

    schemas: ClassVar[Sequence[TableSchema]]

    def attach(self, playback: Any) -> None:
        """Register the handlers."""


class Guard:
    """Knows whose handlers a playback calls.

    A handler that a collector registers while it is attached is the collector's. If it fails, the guard records a
    problem that names its tables, once for each handler, and the playback continues: it calls the handler again.
    An exception of any other handler is passed on to the caller.

    Args:
        on_problem: called with each problem; in strict mode it raises it.
        tick: returns the tick that is played.
    """

    def __init__(self, on_problem: ProblemHandler, tick: Callable[[], int | None]) -> None:
        self._on_problem = on_problem
        self._tick = tick
        self._owners: dict[Callable[..., Any], Owner] = {}
        self._attached: Owner | None = None
        self._reported: set[str] = set()

    def attach(self, collector: Owner, playback: Any) -> None:
        """Attach a collector to a playback; its handlers are its own from then on."""
        before, self._attached = self._attached, collector
        try:
            collector.attach(playback)
        except Exception as error:
            self._report(collector, "attach", error)
        finally:
            self._attached = before

    def own(self, handler: Any) -> None:
        """Note that the collector which is being attached, if any, registers this handler."""
        if self._attached is not None:
            self._owners[handler] = self._attached

    def call(self, handlers: Iterable[Callable[..., Any]], argument: Any, *others: Any) -> None:
        """Call several handlers with the same arguments; most take one."""
        for handler in handlers:
            try:
                if others:
                    handler(argument, *others)
                else:
                    handler(argument)
            except Exception as error:
                self.failed(handler, error)

    def failed(self, handler: Callable[..., Any], error: Exception) -> None:
        """Record the exception of a handler as a problem, or raise it if no collector owns the handler."""
        owner = self._owners.get(handler)
        if owner is None:
            raise error
        self._report(owner, getattr(handler, "__name__", None), error)

    def release(self) -> None:
        """Forget all handlers, which would keep their owners alive."""
        self._owners.clear()

    def read(self, reader: str, get: Callable[[], _T], otherwise: _T, cost: str) -> _T:
        """Return what `get` returns; if it fails, record a problem and return `otherwise`."""
        try:
            return get()
        except Exception as error:
            self._once(reader, error, cost)
            return otherwise

    def _report(self, owner: Owner, step: str | None, error: Exception) -> None:
        reader = type(owner).__name__ if step is None else f"{type(owner).__name__}.{step}"
        self._once(reader, error, cost_of(owner))

    def _once(self, reader: str, error: Exception, cost: str) -> None:
        problem = FactError.of(error, reader, tick=self._tick())
        if reader not in self._reported:
            self._reported.add(reader)
            self._on_problem(problem, cost)
