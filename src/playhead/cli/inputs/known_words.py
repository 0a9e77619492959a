"""Names that only some formats know: tables and kinds of events."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from playhead.cli.arguments import UsageError
from playhead.cli.inputs.reading import Reading
from playhead.events import WILDCARDS
from playhead.registry import vocabulary
from playhead.replay import Replay
from playhead.text.names import nearest_names, unknown_name


def choose_tables(reading: Reading, replay: Replay, asked: Iterable[str]) -> list[str]:
    """Return the requested tables that a replay has; the others become notes.

    Raises:
        UsageError: no format has such a table; or the replay is the only file and lacks it.
    """
    asked = list(asked)
    found = [name for name in asked if name in replay.tables]
    for name in asked:
        if name not in found:
            known = vocabulary()
            if name not in known.tables and known.is_whole:
                _refuse(name, _known(reading, name, replay.tables, known.tables), "format has a table", "--table")
            reading.lacks(replay, f"has no table {name!r}", all_of_it=not found)
    return found


def choose_kinds(reading: Reading, replay: Replay, asked: Iterable[str]) -> list[str]:
    """Return the requested kinds of events that a replay can have; the others become notes.

    Raises:
        UsageError: no format has events of that kind.
    """
    asked = list(asked)
    found = [word for word in asked if _has_events(replay, word)]
    for word in asked:
        if word not in found:
            known = vocabulary()
            if known.is_whole and not _fits(word, known.event_kinds | known.event_words):
                _refuse(
                    word,
                    _known(reading, word, replay.event_kinds, known.event_kinds),
                    "format has events of kind",
                    "--kind",
                )
            reading.misses(replay, f"has no events of kind {word!r}")
    return found


def _fits(word: str, known: Iterable[str]) -> bool:
    """Return whether a word or pattern matches a known word or pattern."""
    wild = bool(WILDCARDS & set(word))
    return any(word == each or fnmatchcase(word, each) or (wild and fnmatchcase(each, word)) for each in known)


def _has_events(replay: Replay, word: str) -> bool:
    try:
        replay.events(word)  # reads nothing yet
    except KeyError:
        return False
    return True


def _refuse(word: str, known: Iterable[str], noun: str, option: str) -> None:
    raise UsageError(unknown_name(word, known, noun), option)


def _known(reading: Reading, word: str, own: Iterable[str], known: Iterable[str]) -> Iterable[str]:
    """Return the names to suggest: of one file its own if one of them is near, else those of all formats."""
    return own if not reading.several and nearest_names(word, own) else {*own, *known}
