"""What the shell completes after an option: of the replay that the line names already, else of any format."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable

from playhead import Replay, ReplayError, open
from playhead.registry import vocabulary


def complete_tables(incomplete: str) -> list[str]:
    """Complete the name of a table."""
    replay = _replay()
    return _that_begin(incomplete, vocabulary().tables if replay is None else replay.tables)


def complete_kinds(incomplete: str) -> list[str]:
    """Complete the last of the kinds of events that commas separate."""
    replay = _replay()
    before, comma, last = incomplete.rpartition(",")
    known = vocabulary().event_kinds if replay is None else replay.event_kinds
    return [f"{before}{comma}{kind}" for kind in _that_begin(last, known)]


def _that_begin(start: str, known: Iterable[str]) -> list[str]:
    return sorted(name for name in known if name.startswith(start))


def _replay() -> Replay | None:
    """Return the replay that the line names, if there is one."""
    # The parser gives up where an option has no value yet, so that the context does not have the files.
    line = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")
    try:
        words = shlex.split(line)
    except ValueError:  # a quote is open
        words = line.split()
    for word in words[2:]:
        if os.path.isfile(word):
            try:
                return open(word)
            except (ReplayError, OSError, ModuleNotFoundError):
                return None
    return None
