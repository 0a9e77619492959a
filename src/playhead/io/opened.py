"""`Opened`: a replay's input from its opening to its closing, in this process and in others."""

from __future__ import annotations

from collections.abc import Mapping
from threading import RLock
from typing import TYPE_CHECKING, Any, Self

from playhead.errors import ClosedReplay
from playhead.io.source import Origin, Source, open_origin
from playhead.model import Options
from playhead.runtime.records import replace


class Opened:
    """What has an input, which it lets go of when it is closed.

    Attributes:
        source: the input.
        options: how it is read.
        lock: held by the thread that reads for the first time; others wait for what it finds.
    """

    def __init__(self, source: Source, options: Options) -> None:
        self.lock = RLock()
        self.source = source
        self.options = options

    @property
    def name(self) -> str:
        """Path, URL or ``<bytes>``: the input as it was given."""
        return self.source.name

    def close(self) -> None:
        """Let go of the input and of all that was decoded; afterwards everything raises `ClosedReplay`.

        Tables and events that were handed out stay usable; moments that read more when they are asked go with
        their replay. A memory-mapped file is released with the last that needs it. Closing again does nothing.
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

    if not TYPE_CHECKING:  # where it would make every attribute one that there is

        def __getattr__(self, name: str) -> Any:
            closed = self.__dict__.get("_closed_name")
            if closed is None or name.startswith("__"):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            raise ClosedReplay("the replay is closed; open it again", file=closed)

    #: Attributes that a pickled replay takes along beside its input and options: choices of the user.
    _choices: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """A replay pickles as where it came from, and is opened there anew: by path or URL, or with its bytes.
        What was decoded, and `Options.progress`, stay behind.

        Raises:
            TypeError: it was opened from a pipe or a file object as a stream, which come only once.
        """
        options = replace(self.options, progress=None)
        choices = {name: getattr(self, name) for name in self._choices}
        return _opened_again, (type(self), self.source.origin(), options, choices)


def _opened_again(kind: type[Opened], origin: Origin, options: Options, choices: Mapping[str, Any]) -> Opened:
    replay = kind(open_origin(origin, options.limits), options)
    for name, value in choices.items():
        setattr(replay, name, value)
    return replay
