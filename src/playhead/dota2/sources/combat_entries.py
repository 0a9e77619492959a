"""`CombatEntries`: the combat log entries of a few types, for facts that are put together from several sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from playhead.dota2.sources.combat_log_entry import NAMES, TYPE_PREFIX
from playhead.source2.playback.playback import Playback

if TYPE_CHECKING:
    from playhead.dota2.sources.match import Match

#: String tables that they need.
ENTRY_TABLES = (NAMES,)


class Entry(NamedTuple):
    """One entry of the combat log.

    Attributes:
        tick: demo tick.
        type: short name of its type (``DEATH``).
        fields: as decoded; names are numbers, for `CombatEntries.name`.
    """

    tick: int
    type: str
    fields: Mapping[str | int, Any]


class CombatEntries:
    """Collects the entries of some types while a recording is played; others are not decoded.

    Attributes:
        entries: those found, in order.
    """

    def __init__(self, match: Match, playback: Playback, types: Iterable[str]) -> None:
        self._playback = playback
        self.entries: list[Entry] = []
        match.combat_log(playback).listen(self._keep, types)

    def _keep(self, tick: int, _form: str, fields: Mapping[str | int, Any]) -> None:
        self.entries.append(Entry(tick, fields["type"].removeprefix(TYPE_PREFIX), fields))

    def name(self, number: int | None) -> str | None:
        """A name by its number in the string table CombatLogNames; for after the recording was played."""
        if not number:
            return None
        tables = self._playback.string_tables
        item = tables[NAMES].items.get(number) if NAMES in tables else None
        return f"#{number}" if item is None else item.key
