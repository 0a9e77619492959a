"""`SharedLog`: the columns of the combat log, stored once for all collectors that read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from playhead.dota2.facts.combat.entry_batches import EntryBatches
from playhead.dota2.sources.match import Dota2Match
from playhead.runtime.libraries import pa
from playhead.source2.playback.playback import Playback


class SharedLog:
    """Stores entries of the combat log during the playback.

    Its rows may have more types than a collector asked for.
    """

    def __init__(self, match: Dota2Match, playback: Playback) -> None:
        self._playback = playback
        self._roster = match.roster(playback)
        self._feed = match.combat_log(playback)
        self._entries = EntryBatches()
        self._columns: dict[str, pa.Array] | None = None

    @classmethod
    def of(cls, match: Dota2Match, playback: Playback, types: Iterable[str] | None) -> SharedLog:
        """Return the log of a match, with the entries of these types at least; None is all types."""
        log = match.shared("combat_log_columns", lambda: cls(match, playback))
        log._feed.listen_to_all(log._entries.add, log._entries.messages, types)
        return log

    def part(self) -> list[dict[str, pa.Array]]:
        """Return the entries of a stretch of the recording, for `put_before`."""
        return self._entries.batches()

    def put_before(self, earlier: Iterable[Sequence[dict[str, pa.Array]]]) -> None:
        """Insert the entries of the stretches before, in their order."""
        self._entries.put_before([batch for batches in earlier for batch in batches])

    @property
    def columns(self) -> dict[str, pa.Array]:
        """Every column of table ``combat_log`` except the times; read it after the playback."""
        if self._columns is None:
            self._columns = self._entries.columns(self._playback.string_tables, self._roster.player_named)
        return self._columns
