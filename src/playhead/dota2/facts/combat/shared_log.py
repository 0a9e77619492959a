"""`SharedLog`: the columns of the combat log, stored once for all collectors that read them; `LogRows`, its rows
by type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from playhead.dota2.facts.combat.entry_batches import EntryBatches
from playhead.dota2.sources.match import Dota2Match
from playhead.runtime.libraries import pa, pc
from playhead.source2.playback.playback import Playback
from playhead.tables.value_arrays import array_of, scalar_of


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
        log._feed.listen_to_all(log._entries.add, log._entries.table, log._entries.plan, types)
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


class LogRows:
    """Rows of the combat log by type."""

    def __init__(self, columns: Mapping[str, pa.Array]) -> None:
        self._columns = columns

    def of(self, kind: str, *names: str, only: str | None = None) -> list[dict[str, Any]]:
        """Return tick and columns of the entries of a type; `only`: those with this inflictor."""
        rows: list[dict[str, Any]] = self.table(kind, *names, only=only).to_pylist()
        return rows

    def table(self, kind: str, *names: str, only: str | None = None, to_players: bool = False) -> pa.Table:
        """As `of`; `to_players`: the entries whose target is a player's hero and no illusion."""
        columns = self._columns
        types = columns["log_type"]
        chosen = pc.is_in(types, value_set=array_of([kind], types.type))
        if only is not None:
            inflictors = columns["inflictor"]
            number = pc.index_in(scalar_of(only, pa.string()), value_set=inflictors.dictionary).as_py()
            codes = array_of([-1 if number is None else number], inflictors.indices.type)
            chosen = pc.and_(chosen, pc.is_in(inflictors.indices, value_set=codes))
        if to_players:
            real = pc.invert(pc.coalesce(columns["target_is_illusion"], scalar_of(False, pa.bool_())))
            chosen = pc.and_(pc.and_(chosen, pc.is_valid(columns["target_player"])), real)
        return pa.table({name: pc.filter(columns[name], chosen) for name in dict.fromkeys(("tick", *names))})
