"""`CombatEntries`: collects the entries of some types of the combat log."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from playhead.dota2.sources.combat_log_entry import NAMES, Entry
from playhead.dota2.sources.combat_log_feed import CombatLogFeed
from playhead.source2.playback.playback import Playback

#: String tables with the names in entries.
ENTRY_TABLES = (NAMES,)


class CombatEntries:
    """Collects the entries of some types while a recording is played; others are not decoded.

    Attributes:
        entries: the entries found so far, in order.
    """

    def __init__(self, feed: CombatLogFeed, playback: Playback, types: Iterable[str]) -> None:
        self._playback = playback
        self.entries: list[Entry] = []
        feed.listen(self.entries, types)

    def name(self, number: int | None) -> str | None:
        """Return a name by its number in the string table CombatLogNames, which is complete after the playback."""
        if not number:
            return None
        tables = self._playback.string_tables
        name = tables[NAMES].key_of(number) if NAMES in tables else None
        return f"#{number}" if name is None else name

    def on_targets(self, fits: Callable[[str], bool]) -> list[Entry]:
        """Return the entries whose target has a name that fits; call it after the playback."""
        numbers = {entry.target for entry in self.entries}
        fitting = {number for number in numbers if fits(self.name(number) or "")}
        return [entry for entry in self.entries if entry.target in fitting]
