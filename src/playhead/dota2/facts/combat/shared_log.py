"""`SharedLog`: the columns of the combat log, stored once for all collectors that read them; `LogRows`, its rows
by type."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce

from playhead.dota2.facts.combat.entry_batches import EntryBatches, of_kinds
from playhead.dota2.sources.match import Dota2Match
from playhead.runtime.libraries import pa, pc
from playhead.runtime.typing import Any
from playhead.source2.playback.playback import Playback
from playhead.tables.arrow import to_list
from playhead.tables.number_columns import int32_numbers
from playhead.tables.value_arrays import scalar_of


class SharedLog:
    """Stores entries of the combat log during the playback.

    It may have rows of more types, and more columns, than a collector requested.

    Attributes:
        entries: the entries so far, of one stretch.
    """

    def __init__(self, match: Dota2Match, playback: Playback) -> None:
        self._playback = playback
        self._roster = match.roster(playback)
        self._feed = match.combat_log(playback)
        self.entries = EntryBatches(playback.room)
        self._columns: dict[str, pa.Array] | None = None
        self._rows: LogRows | None = None

    @classmethod
    def of(
        cls, match: Dota2Match, playback: Playback, types: Iterable[str] | None, columns: Iterable[str] | None
    ) -> SharedLog:
        """Return the log of a match, with the entries of these types and these columns at least; None is all.

        ``tick`` and ``log_type`` are always there.
        """
        log = match.shared("combat_log_columns", lambda: cls(match, playback))
        log.entries.want(columns)
        log._feed.listen_to_all(log.entries.add, log.entries.table, log.entries.plan, types)
        return log

    def part(self) -> list[dict[str, pa.Array]]:
        """Return the entries of a stretch of the recording, for `put_before`."""
        return self.entries.batches()

    def put_before(self, earlier: Iterable[Sequence[dict[str, pa.Array]]]) -> None:
        """Insert the entries of the stretches before, in their order."""
        self.entries.put_before([batch for batches in earlier for batch in batches])

    @property
    def columns(self) -> dict[str, pa.Array]:
        """The wanted columns of table ``combat_log`` except the times; read it after the playback."""
        if self._columns is None:
            self._columns = self.entries.columns(self._playback.string_tables, self._roster.player_named)
        return self._columns

    @property
    def rows(self) -> LogRows:
        """The rows by type; read it after the playback."""
        if self._rows is None:
            self._rows = LogRows(self.columns)
        return self._rows


class LogRows:
    """Rows of the combat log by type.

    Args:
        columns: those of `SharedLog`.
    """

    def __init__(self, columns: Mapping[str, pa.Array]) -> None:
        self._columns = columns
        kinds = columns["log_type"]
        names = to_list(kinds.dictionary)
        self._order = pc.array_sort_indices(kinds.indices)  # which keeps the order of those of a type
        codes = int32_numbers(pc.take(kinds.indices, self._order), len(names))
        self._spans = {
            name: (bisect_left(codes, code), bisect_right(codes, code)) for code, name in enumerate(names)
        }

    def of(self, kind: str, *names: str, **which: Any) -> list[dict[str, Any]]:
        """Return tick and columns of the entries of a type; `which`: as of `columns`."""
        found = self.columns(kind, *names, **which)
        return [dict(zip(found, row, strict=True)) for row in zip(*map(to_list, found.values()), strict=True)]

    def columns(
        self,
        kind: str,
        *names: str,
        inflictor: str | None = None,
        reason: int | None = None,
        to_players: bool = False,
    ) -> dict[str, pa.Array]:
        """As `of`, as columns.

        Args:
            kind: the type.
            names: the columns.
            inflictor: only the entries with this one.
            reason: only the entries of gold with this reason.
            to_players: only the entries whose target is a player's hero and no illusion.
        """
        columns = self._columns
        rows = self.numbers((kind,))
        fits: list[pa.Array] = []
        if inflictor is not None:
            inflictors = columns["inflictor"]
            known = to_list(inflictors.dictionary)
            code = known.index(inflictor) if inflictor in known else -1
            fits.append(pc.equal(taken(inflictors.indices, rows), scalar_of(code, pa.int32())))
        if reason is not None:
            reasons = taken(columns["gold_reason_id"], rows)
            fits.append(pc.equal(reasons, scalar_of(reason, reasons.type)))
        if to_players:
            unreal = pc.coalesce(taken(columns["target_is_illusion"], rows), scalar_of(False, pa.bool_()))
            fits.append(pc.and_not(pc.is_valid(taken(columns["target_player"], rows)), unreal))
        if fits:
            rows = pc.take(rows, pc.indices_nonzero(reduce(pc.and_, fits)))
        return {name: taken(columns[name], rows) for name in dict.fromkeys(("tick", *names))}

    def numbers(self, kinds: Collection[str]) -> pa.Array:
        """Return the numbers of the rows of some types, in order."""
        spans = [self._spans[kind] for kind in kinds if kind in self._spans]
        if len(spans) < 2:
            first, end = spans[0] if spans else (0, 0)
            return self._order.slice(first, end - first)
        return pc.indices_nonzero(of_kinds(self._columns["log_type"], frozenset(kinds).__contains__))


def taken(column: pa.Array, rows: pa.Array) -> pa.Array:
    """Return these rows of a column; most columns of the log are empty."""
    return column.slice(0, len(rows)) if column.null_count == len(column) else pc.take(column, rows)
