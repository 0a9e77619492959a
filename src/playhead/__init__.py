"""playhead: game replays as data.

    >>> import playhead
    >>> replay = playhead.open("match.dem")      # or .SC2Replay, .StormReplay, .teehistorian, bytes …
    >>> replay.info, replay.players, replay.problems
    >>> replay.table("chat").to_pandas()
    >>> replay.export("out/")

The import is light: everything else loads on first use.
"""

from __future__ import annotations

import importlib

from playhead.runtime import hot
from playhead.version import __version__

TYPE_CHECKING = False  # type checkers take it for True; to import typing would cost more than all else here
if TYPE_CHECKING:
    from typing import Any

    from playhead.corpus import Corpus, Lake, open_lake, scan
    from playhead.errors import (
        ClosedReplay,
        CorruptReplay,
        FactError,
        LimitExceeded,
        NothingToPlot,
        ReplayError,
        TruncatedReplay,
        UnknownFormat,
        UnsupportedVersion,
    )
    from playhead.events import Event
    from playhead.io.source import Input
    from playhead.io.stream import Follow
    from playhead.limits import Limits
    from playhead.model import Check, Info, Moment, Options, Player, Problem, Progress  # noqa: F401  (for formats)
    from playhead.registry import Format, list_formats
    from playhead.replay import Replay

__all__ = [
    "Check",
    "ClosedReplay",
    "Corpus",
    "CorruptReplay",
    "Event",
    "FactError",
    "Follow",
    "Format",
    "Info",
    "Lake",
    "LimitExceeded",
    "Limits",
    "Moment",
    "NothingToPlot",
    "Player",
    "Problem",
    "Replay",
    "ReplayError",
    "TruncatedReplay",
    "UnknownFormat",
    "UnsupportedVersion",
    "__version__",
    "list_formats",
    "open",
    "open_lake",
    "scan",
]

#: Modules that are imported when one of their names is first used; type checkers read the imports above. A test
#: keeps the two equal.
_NAMES_BY_MODULE = {
    "corpus": "Corpus Lake open_lake scan",
    "errors": "ClosedReplay CorruptReplay FactError LimitExceeded NothingToPlot ReplayError TruncatedReplay "
    "UnknownFormat UnsupportedVersion",
    "events": "Event",
    "io.source": "Input",
    "io.stream": "Follow",
    "limits": "Limits",
    "model": "Check Info Moment Options Player Problem Progress",
    "registry": "Format list_formats",
    "replay": "Replay",
}
_MODULES = {name: module for module, names in _NAMES_BY_MODULE.items() for name in names.split()}

hot.apply_environment()


def __getattr__(name: str) -> Any:
    """Return a name of the package; imports its module."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def open(
    target: Input | list[Input],
    *,
    strict: bool = False,
    stream: bool = False,
    follow: bool | Follow = False,
    limits: Limits | None = None,
    progress: Progress | None = None,
    part: int = 1,
) -> Replay:
    """Open a replay of any supported format.

    Args:
        target: a path, a URL (needs the ``remote`` extra), any bytes-like object, or a binary file object; each
            may be compressed with xz, gzip, bzip2 or zstandard. Content decides the format, never the name. A
            broadcast is the folder of its fragments or the URL of a relay (``http://…``, without an extra). A list
            of these is one match in several files, in their order (CS2).
        strict: raise at the first problem. By default all readable data is kept and `Replay.problems` lists the
            rest.
        stream: read the input front to back in flat memory, if it is larger than memory. Every pass decompresses
            it again, and a pipe or file object can be read only once.
        follow: the file is still being written: `messages` and `batches` (of formats that have them) wait for more
            data until none has come for 30 seconds (`playhead.Follow` sets other waits). Everything else reads the
            data available at the first access. Implies `stream`. A relay need not answer yet.
        limits: bounds on the memory that a file may make the reader allocate.
        progress: called with (bytes done, bytes in all) during long passes.
        part: number of the recording in a file with several Source 2 demos one after the other.

    Raises:
        UnknownFormat: the input is not a replay; the message describes its content.
        UnsupportedVersion: it is of a related format that playhead does not decode (Source 1, a 2014 workshop
            demo).
        CorruptReplay: its head is so damaged that nothing can be read.
        OSError: it cannot be opened.
        ValueError: `follow`, and its format cannot be followed; a list of recordings that are not of one match; a
            `part` that the file does not have.
    """
    if isinstance(target, (list, tuple)):
        if not target or follow or stream or part != 1:
            raise ValueError("expected recordings of one match, without stream, follow and part")
        from playhead.registry import join_replays

        parts = [open(each, strict=strict, limits=limits, progress=progress) for each in target]
        return join_replays(parts)
    from playhead.runtime.garbage import GC_PAUSED

    with GC_PAUSED:  # imported objects stay alive, so collections meanwhile would find nothing
        from playhead.io.stream import Follow
        from playhead.limits import Limits
        from playhead.model import Options
        from playhead.registry import open_replay

    options = Options(strict=strict, limits=limits or Limits(), progress=progress, part=part)
    patience = follow if isinstance(follow, Follow) else Follow() if follow else None
    return open_replay(target, options, stream=stream, follow=patience)
