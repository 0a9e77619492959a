"""`SharedLog`: the columns of the combat log, stored once for all collectors that read them; `LogRows`, its rows
by type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from playhead.dota2.facts.combat.entry_batches import EntryBatches, of_kinds
from playhead.dota2.sources.match import Dota2Match
from playhead.runtime.libraries import pa, pc
from playhead.runtime.typing import Any
from playhead.source2.playback.playback import Playback
from playhead.tables.arrow import to_list
from playhead.tables.value_arrays import array_of, scalar_of


class SharedLog:
    """Stores entries of the combat log during the playback.

    It may have rows of more types, and more columns, than a collector asked for.
    """

    def __init__(self, match: Dota2Match, playback: Playback) -> None:
        self._playback = playback
        self._roster = match.roster(playback)
        self._feed = match.combat_log(playback)
        self._entries = EntryBatches(playback.room)
        self._columns: dict[str, pa.Array] | None = None

    @classmethod
    def of(
        cls, match: Dota2Match, playback: Playback, types: Iterable[str] | None, columns: Iterable[str] | None
    ) -> SharedLog:
        """Return the log of a match, with the entries of these types and these columns at least; None is all.

        ``tick`` and ``log_type`` are always there.
        """
        log = match.shared("combat_log_columns", lambda: cls(match, playback))
        log._entries.want(columns)
        log._feed.listen_to_all(log._entries.add, log._entries.table, log._entries.plan, types)
        return log

    def part(self) -> list[dict[str, pa.Array]]:
        """Return the entries of a stretch of the recording, for `put_before`."""
        return self._entries.batches()

    def put_before(self, earlier: Iterable[Sequence[dict[str, pa.Array]]]) -> None:
        """Insert the entries of the stretches before, in their order."""
        self._entries.put_before([batch for batches in earlier for batch in batches])

    @property
    def size(self) -> int:
        """The number of entries so far, during the playback of one stretch."""
        return len(self._entries.table)

    @property
    def columns(self) -> dict[str, pa.Array]:
        """The wanted columns of table ``combat_log`` except the times; read it after the playback."""
        if self._columns is None:
            self._columns = self._entries.columns(self._playback.string_tables, self._roster.player_named)
        return self._columns


class LogRows:
    """Rows of the combat log by type."""

    def __init__(self, columns: Mapping[str, pa.Array]) -> None:
        self._columns = columns

    def of(self, kind: str, *names: str, **which: Any) -> list[dict[str, Any]]:
        """Return tick and columns of the entries of a type; `which`: as of `table`."""
        table = self.table(kind, *names, **which)
        keys = table.column_names
        return [dict(zip(keys, row, strict=True)) for row in zip(*map(to_list, table.columns), strict=True)]

    def table(
        self,
        kind: str,
        *names: str,
        inflictor: str | None = None,
        reason: int | None = None,
        to_players: bool = False,
    ) -> pa.Table:
        """As `of`, as a table.

        Args:
            kind: the type.
            names: the columns.
            inflictor: only the entries with this one.
            reason: only the entries of gold with this reason.
            to_players: only the entries whose target is a player's hero and no illusion.
        """
        columns = self._columns
        chosen = of_kinds(columns["log_type"], kind.__eq__)
        if inflictor is not None:
            inflictors = columns["inflictor"]
            number = pc.index_in(scalar_of(inflictor, pa.string()), value_set=inflictors.dictionary).as_py()
            codes = array_of([-1 if number is None else number], inflictors.indices.type)
            chosen = pc.and_(chosen, pc.is_in(inflictors.indices, value_set=codes))
        if reason is not None:
            reasons = columns["gold_reason_id"]
            chosen = pc.and_(chosen, pc.is_in(reasons, value_set=array_of([reason], reasons.type)))
        if to_players:
            real = pc.invert(pc.coalesce(columns["target_is_illusion"], scalar_of(False, pa.bool_())))
            chosen = pc.and_(pc.and_(chosen, pc.is_valid(columns["target_player"])), real)
        rows = pc.indices_nonzero(chosen)
        return pa.table({name: pc.take(columns[name], rows) for name in dict.fromkeys(("tick", *names))})
