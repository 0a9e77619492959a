"""`Opened`: a replay's input from opening to closing, in this process and in others."""

from __future__ import annotations

import os
from _thread import RLock  # `threading` is not imported by a start
from collections.abc import Mapping
from weakref import WeakSet

from playhead.errors import ClosedReplay
from playhead.io.source import Origin, Source, open_origin
from playhead.model import Options
from playhead.runtime.records import replace
from playhead.runtime.typing import TYPE_CHECKING, Any, Self

#: All objects with a lock, for children of a fork.
_ALIVE: WeakSet[Opened] = WeakSet()


def _renew_locks() -> None:
    """Give every object a free lock: in a forked child, the thread that held the old one does not exist."""
    for each in list(_ALIVE):
        if not each.closed:
            each.lock = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)


class Opened:
    """An object with an input that it releases when it is closed.

    Attributes:
        source: the input.
        options: how it is read.
        lock: held by the thread that reads first; other threads wait for its result.
    """

    def __init__(self, source: Source, options: Options) -> None:
        self.lock = RLock()
        _ALIVE.add(self)
        self.source = source
        self.options = options

    @property
    def name(self) -> str:
        """Path, URL or ``<bytes>``: the input as it was given."""
        return self.source.name

    def close(self) -> None:
        """Release the input and all decoded data; later reads raise `ClosedReplay`.

        Close after all readers finish. Tables and events that were returned stay usable; moments that read lazily
        close with their replay. Closing twice is fine.
        """
        if not self.closed:
            name = self.name
            self.__dict__.clear()
            self._closed_name = name

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return "_closed_name" in self.__dict__

    def __enter__(self) -> Self:
        self.source  # noqa: B018  (raises if it is closed)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    if not TYPE_CHECKING:  # type checkers would take every attribute as defined

        def __getattr__(self, name: str) -> Any:
            closed = self.__dict__.get("_closed_name")
            if closed is None or name.startswith("__"):
                return object.__getattribute__(self, name)  # raises again, with the error of a failed property
            raise ClosedReplay("the replay is closed; open it again", file=closed)

    #: Attributes that are pickled beside the input and options: choices of the user.
    _choices: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the origin of the replay, which is opened again on unpickling: by path or URL, or with its
        bytes. Decoded data and `Options.progress` are not pickled.

        Raises:
            TypeError: it was opened from a pipe, or from a file object as a stream, which can be read only once.
        """
        options = replace(self.options, progress=None)
        choices = {name: getattr(self, name) for name in self._choices}
        return opened_again, (type(self), self.source.origin(), options, choices)


def opened_again(kind: type[Any], origin: Origin, options: Options, choices: Mapping[str, Any]) -> Any:
    """Return a new object of an input, with the choices of its user."""
    replay = kind(open_origin(origin, options.limits), options)
    for name, value in choices.items():
        setattr(replay, name, value)
    return replay
