"""`SharedLog`: the columns of the combat log, stored once for all collectors that read them; `LogRows`, its rows
by type.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, reduce

from playhead.dota2.sources import combat_log
from playhead.dota2.sources.combat_log import ENTRY_COLUMNS, EntryColumn
from playhead.dota2.sources.match import Dota2Match
from playhead.runtime.libraries import cast_array, pa, pc
from playhead.runtime.typing import Any
from playhead.source2.message_rows import (
    CellSource,
    MessageForm,
    MessageTable,
    RowPlan,
    field_value,
    named,
    players,
    short_names,
)
from playhead.source2.playback.playback import Playback
from playhead.source2.string_tables.tables import StringTables
from playhead.tables.arrow import to_list
from playhead.tables.number_columns import code_column, int32_numbers, signed_column, with_code
from playhead.tables.packed import Room
from playhead.tables.schema import Column, TableSchema, arrow_type
from playhead.tables.value_arrays import array_of, scalar_of
from playhead.tables.vocabulary import words
from playhead.text.json import to_json

_KNOWN = frozenset((*(entry.field for entry in ENTRY_COLUMNS), *combat_log.OTHER_FIELDS))
_PURCHASE = "PURCHASE"
_HERO = "npc_dota_hero_"


#: Type of an entry without one: the default of the definition.
_NO_TYPE = "DOTA_COMBATLOG_INVALID"

# The columns without conversion. Numbers of names, and unsigned numbers, are stored as int32, in 64 bits where 32
# are too few, and wait for the end of the playback, since new names may arrive.
_KEPT = (Column("form", "category", ""), *words("assister_players details"))
_COUNTED = (Column("log_type", "category", ""), Column("value", "int32", ""))


# The stored columns that other columns of the log are made of.
_SOURCES = {
    "item": ("value",),
    "attacker_player": ("attacker_owner", "attacker"),
    "target_player": ("target",),
}


def _stored_columns(wanted: frozenset[str] | None) -> tuple[Column, ...]:
    """Return the columns to store for these columns of the log; None is all."""
    stored = None
    if wanted is not None:
        stored = {"log_type", *wanted, *(each for name in wanted for each in _SOURCES.get(name, ()))}
    first = (column for column in (*_KEPT, *_COUNTED) if stored is None or column.name in stored)
    return (*first, *(_stored(entry) for entry in ENTRY_COLUMNS if stored is None or entry.name in stored))


def _stored(entry: EntryColumn) -> Column:
    is_number = entry.is_name or entry.name in ("gpm", "xpm") or entry.column.type == "int64"
    return Column(entry.name, "int32" if is_number else entry.column.type, "")


@cache
def _plan(wanted: frozenset[str] | None) -> RowPlan:
    """Return the conversion of an entry to a row of `_stored_columns`, which is the same for all recordings."""
    schema = TableSchema.of("entries", "", *_stored_columns(wanted))
    types = combat_log.type_names()
    names = short_names("DOTA_COMBATLOG_TYPES", combat_log.TYPE_PREFIX)
    columns: dict[str, CellSource | str] = {
        "form": "entry",
        "log_type": named("type", names, absent=types.get(_NO_TYPE) or _NO_TYPE),
        "value": field_value("value"),
        **{entry.name: field_value(entry.field) for entry in ENTRY_COLUMNS if entry.name in schema.column_names},
        "assister_players": players("assist_players"),
    }
    read = {name: columns[name] for name in schema.column_names if name in columns}
    used = {field for source in read.values() if isinstance(source, CellSource) for field in source.names}
    if "assister_players" in read:  # which is made of all fields of assists
        used |= {field for field in combat_log.OTHER_FIELDS if field.startswith("assist")}
    ignored = () if wanted is None else tuple(sorted(_KNOWN - used))
    return MessageForm(combat_log.ENTRY_DEFINITION, read, others="", ignored=ignored).plan(schema)


class EntryBatches:
    """Collects entries as columns, in batches.

    Numbers of names, and fields declared as unsigned, are converted in `columns`, after the playback: new names
    may arrive until its end.

    Args:
        room: for entries that are not compressed.

    Attributes:
        table: its rows are the entries; an entry whose fields are not in order is for `add`, decoded.
        plan: how an entry becomes a row of it.
    """

    table: MessageTable
    plan: RowPlan

    def __init__(self, room: Room) -> None:
        self._room = room
        self._types = combat_log.type_names()
        self._earlier: list[dict[str, pa.Array]] = []
        self._wanted: frozenset[str] | None = frozenset()
        self.want(())

    def want(self, names: Iterable[str] | None) -> None:
        """Store what these columns of the log need, too; None is all. Call it before the first entry."""
        self._wanted = None if names is None or self._wanted is None else self._wanted.union(names)
        self._stored = _stored_columns(self._wanted)
        self.table = MessageTable([column.type for column in self._stored], self._room)
        self.plan = _plan(self._wanted)

    def add(self, tick: int, form: str, entry: Mapping[str | int, Any]) -> None:
        """The next entry; `form` is that in which the recording has it."""
        kind = entry.get("type", _NO_TYPE)
        odd = {str(key): value for key, value in entry.items() if key not in _KNOWN}
        values = {
            "form": form,
            "assister_players": combat_log.assists(entry),
            "details": to_json(odd) if odd else None,
            "log_type": self._types.get(kind) or str(kind),
            "value": entry.get("value"),
            **{column.name: entry.get(column.field) for column in ENTRY_COLUMNS},
        }
        self.table.append_row(tick, [values[column.name] for column in self._stored])

    def batches(self) -> list[dict[str, pa.Array]]:
        """Return the entries as batches, for `put_before`: the columns that have values; most have none."""
        if len(self.table) or not self._earlier:
            batch: dict[str, pa.Array] = {"tick": self.table.ticks.to_arrow()}
            found: list[Any] = self.table.to_arrow()
            for place, column in enumerate(self._stored):
                values, found[place] = found[place], None
                if values.null_count < len(values):
                    form = _stored_type(column.type)
                    batch[column.name] = values if form is None else cast_array(values, form)
            self._earlier.append(batch)
        return self._earlier

    def put_before(self, earlier: list[dict[str, pa.Array]]) -> None:
        """Insert the batches of the stretches before."""
        self._earlier = [*earlier, *self.batches()]

    def columns(self, tables: StringTables, player_named: Callable[[str], int | None]) -> dict[str, pa.Array]:
        """Return the columns of the log except the times: the wanted ones at least.

        Args:
            tables: string tables of the recording, with the names.
            player_named: returns the player of a hero's name.
        """
        stored = self._whole()
        rows = len(stored["tick"])
        nothing = _Nulls(rows)
        names = EntryNames(tables, player_named)
        kinds = stored.get("log_type", nothing.of("category"))
        out: dict[str, pa.Array] = {"tick": stored["tick"], "log_type": kinds}
        held = {column.name for column in self._stored}
        for column in _KEPT:
            if column.name in held:
                out[column.name] = stored.get(column.name, nothing.of(column.type))
        if "value" in held:
            out["value"], out["item"] = nothing.of("int64"), nothing.of("category")
        if "value" in stored:
            if self._wanted is None or "item" in self._wanted:
                bought = of_kinds(kinds, _PURCHASE.__eq__)
                out["item"] = names.column(
                    pc.if_else(bought, stored["value"], scalar_of(None, stored["value"].type))
                )
            out["value"] = _signed(stored["value"])
        players = dict.fromkeys(("attacker_owner", "attacker", "target"), nothing.of("int32"))
        for entry in ENTRY_COLUMNS:
            values = stored.pop(entry.name, None)  # released when it is converted
            if values is None:
                if entry.name in held:
                    out[entry.name] = nothing.of(entry.column.type)
            elif entry.is_name:
                out[entry.name] = names.column(values)
                if entry.name in players:
                    players[entry.name] = names.players(out[entry.name])
            else:
                out[entry.name] = _signed(values)
        if {"attacker_owner", "attacker"} <= held:
            # For modifiers the source field has other names.
            of_modifiers = of_kinds(kinds, lambda kind: kind.startswith("MODIFIER"))
            behind = pc.if_else(of_modifiers, scalar_of(None, pa.int32()), players["attacker_owner"])
            out["attacker_player"] = pc.coalesce(behind, players["attacker"])
        out["target_player"] = players["target"]
        return out

    def _whole(self) -> dict[str, pa.Array]:
        """Return the columns with values, of all batches, and release the batches."""
        batches, self._earlier = self.batches(), []
        if len(batches) == 1:
            return batches[0]
        types: dict[str, pa.DataType] = {}
        for batch in batches:
            for name, values in batch.items():
                if types.get(name) != pa.int64():  # which is wider than that of another batch
                    types[name] = values.type
        whole = {}
        for name, form in types.items():
            of_category = pa.types.is_dictionary(form)
            one = pa.string() if of_category else form  # batches number names as they come
            parts = [
                cast_array(batch[name], one) if name in batch else pa.nulls(len(batch["tick"]), one)
                for batch in batches
            ]
            joined = pa.concat_arrays(parts)
            whole[name] = joined.dictionary_encode() if of_category else joined
        return whole


def of_kinds(kinds: pa.DictionaryArray, chosen: Callable[[str], bool]) -> pa.BooleanArray:
    """Return which entries have a chosen type, given column ``log_type``."""
    return with_code(kinds.indices, array("B", map(chosen, kinds.dictionary.to_pylist())))


def _signed(values: pa.Array) -> pa.Array:
    """Return the values; the low 32 bits of numbers of 64 as int32."""
    return signed_column(values) if values.type == pa.int64() else values


@cache
def _stored_type(name: str) -> pa.DataType | None:
    """Return the type to which a column is cast; None for no cast."""
    return {"float32": pa.float32(), "string": pa.string()}.get(name)


class _Nulls:
    """Columns of nulls: one per type, shared."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._made: dict[str, pa.Array] = {}

    def of(self, name: str) -> pa.Array:
        """Return the column of a type, given its name in schemas."""
        found = self._made.get(name)
        if found is None:
            if name == "category":
                found = pa.DictionaryArray.from_arrays(pa.nulls(self._rows, pa.int32()), array_of([], pa.string()))
            else:
                found = pa.nulls(self._rows, arrow_type(name))
            self._made[name] = found
        return found


class EntryNames:
    """The string table of names, as the dictionary of columns of names."""

    def __init__(self, tables: StringTables, player_named: Callable[[str], int | None]) -> None:
        items = list(tables[combat_log.NAMES]) if combat_log.NAMES in tables else []
        self._names = {item.index: item.key for item in items}
        self._all = [item.key for item in items]
        # Entries have consecutive numbers, unless some were lost.
        self._dense = list(self._names) == list(range(len(items))) and len(set(self._all)) == len(items)
        # All names, for the columns that use them.
        self._dictionary: pa.Array | None = None
        self._player_named = player_named
        self._players: dict[str, int | None] = {}
        # The last dictionary with its players: most columns have the same dictionary.
        self._named: pa.Array | None = None
        self._of_names: Any = None

    def column(self, numbers: pa.Array) -> pa.DictionaryArray:
        """Return the names of numbers; null for number 0, ``dota_unknown``."""
        if numbers.null_count == len(numbers):
            return pa.DictionaryArray.from_arrays(pa.nulls(len(numbers), pa.int32()), array_of([], pa.string()))
        indices = self._codes(numbers) if self._dense else None
        if indices is not None:
            if self._dictionary is None:
                self._dictionary = array_of(self._all, pa.string())
            return pa.DictionaryArray.from_arrays(indices, self._dictionary)
        known = self._names
        texts = [None if not number else known.get(number) or f"#{number}" for number in numbers.to_pylist()]
        return array_of(texts, pa.string()).dictionary_encode()

    def _codes(self, numbers: pa.Array) -> pa.Array | None:
        """Return the places of numbers among the names; None if one is no number of a name."""
        try:
            return code_column(cast_array(numbers, pa.int32()), len(self._all))
        except pa.ArrowInvalid:  # of more than 31 bits
            return None

    def players(self, names: pa.DictionaryArray) -> pa.Array:
        """Return the players whose heroes have these names."""
        if self._named is None or not names.dictionary.equals(self._named):
            players = []
            for name in names.dictionary.to_pylist():
                if name not in self._players:
                    self._players[name] = self._player_named(name) if name.startswith(_HERO) else None
                players.append(self._players[name])
            self._named, self._of_names = names.dictionary, array_of(players, pa.int32())
        return pc.take(self._of_names, names.indices)


class SharedLog:
    """Stores entries of the combat log during the playback, perhaps of more types and columns than a collector
    requested; `entries` are those of this stretch."""

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
    """Rows of the combat log by type, given the columns of `SharedLog`."""

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
