"""`EntryBatches`: entries of the combat log as columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from playhead.dota2.sources.combat_log_entry import (
    ENTRY_COLUMNS,
    ENTRY_DEFINITION,
    NAMES,
    OTHER_FIELDS,
    TYPE_PREFIX,
    assists,
    type_names,
)
from playhead.dota2.sources.message_forms import MessageForm, Taken, named, short_names, taken
from playhead.source2.messages.json_text import JsonWriter
from playhead.source2.string_tables.tables import StringTables
from playhead.source2.tables.message_rows import MessageTable
from playhead.source2.tables.row_content import Content
from playhead.tables.schema import Column, TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

# An entry as a dict takes some 1,500 bytes, as a row of Arrow columns a tenth; a match has some 200,000.
_BATCH = 16384

_KNOWN = frozenset((*(entry.field for entry in ENTRY_COLUMNS), *OTHER_FIELDS))
_PURCHASE = "PURCHASE"
_HERO = "npc_dota_hero_"


#: What stands for the type of an entry that has none: what the definition declares for its absence.
_NO_TYPE = "DOTA_COMBATLOG_INVALID"

# The columns as they are kept: numbers of names and unsigned numbers in 64 bits, for names may still come.
_STORED = (
    Column("form", "category", ""),
    Column("type", "category", ""),
    Column("value", "int64", ""),
    *(
        Column(column.name, "int64" if is_name or column.type == "int32" else column.type, "")
        for _, column, is_name in ENTRY_COLUMNS
    ),
    Column("assists", "list<int32>", ""),
    Column("details", "string", ""),
)


def _form() -> MessageForm:
    types = type_names()
    names = short_names("DOTA_COMBATLOG_TYPES", TYPE_PREFIX)
    columns: dict[str, Taken | str] = {
        "form": "entry",
        "type": named("type", names, absent=types.get(_NO_TYPE) or _NO_TYPE),
        "value": taken("value"),
        **{column.name: taken(field) for field, column, _ in ENTRY_COLUMNS},
        "assists": Taken(("assist_players",), Content.PLAYERS),
    }
    return MessageForm(ENTRY_DEFINITION, columns, others="")


class EntryBatches:
    """Takes entries as they come, and keeps them as columns, a batch at a time.

    Numbers of names, and fields that the game declares unsigned, are kept as they are until `columns` is called:
    names may still come.
    """

    def __init__(self) -> None:
        self._types = type_names()
        self._json = JsonWriter()
        self._batches: list[dict[str, pa.Array]] = []
        self._table = MessageTable([column.type for column in _STORED])
        self._plan = _form().plan(TableSchema("entries", 1, "", _STORED))

    def add_message(self, tick: int, payload: bytes) -> bool:
        """The next entry, as the bytes of its message. Returns False if it is for `add`, decoded."""
        if not self._table.add(self._plan, tick, payload):
            return False
        if len(self._table) == _BATCH:
            self._close_batch()
        return True

    def add(self, tick: int, form: str, entry: Mapping[str | int, Any]) -> None:
        """The next entry; `form` is that in which the recording has it."""
        kind = entry.get("type", _NO_TYPE)
        odd = {str(key): value for key, value in entry.items() if key not in _KNOWN}
        self._table.add_row(
            tick,
            [
                form,
                self._types.get(kind) or str(kind),
                entry.get("value"),
                *(entry.get(field) for field, _, _ in ENTRY_COLUMNS),
                assists(entry),
                self._json.write(odd) if odd else None,
            ],
        )
        if len(self._table) == _BATCH:
            self._close_batch()

    def _close_batch(self) -> None:
        import pyarrow as pa

        batch: dict[str, pa.Array] = {"tick": self._table.ticks.to_arrow()}
        for column, values in zip(_STORED, self._table.to_arrow(), strict=True):
            form = {"float32": pa.float32(), "category": pa.string(), "string": pa.string()}.get(column.type)
            if values.null_count == len(values):  # as most are
                values = pa.nulls(len(values), form or values.type)
            batch[column.name] = values if form is None else values.cast(form)
        self._batches.append(batch)

    def columns(self, tables: StringTables, player_named: Callable[[str], int | None]) -> dict[str, pa.Array]:
        """Every column of the log but the times.

        Args:
            tables: of the recording; they have the names.
            player_named: called with a hero's name, returns its player.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        if len(self._table) or not self._batches:
            self._close_batch()
        stored = {name: pa.concat_arrays([batch[name] for batch in self._batches]) for name in self._batches[0]}
        self._batches = []
        names = EntryNames(tables)
        out = dict(stored)
        bought = pc.equal(stored["type"], _PURCHASE)
        out["value_name"] = names.column(pc.if_else(bought, stored["value"], pa.scalar(None, pa.int64())))
        out["value"] = _signed(stored["value"])
        for _field, column, is_name in ENTRY_COLUMNS:
            if is_name:
                out[column.name] = names.column(stored[column.name])
            elif column.type == "int32":
                out[column.name] = _signed(stored[column.name])
        # For modifiers the field of the source names other things.
        of_modifiers = pc.starts_with(stored["type"], "MODIFIER")
        behind = _players(out["attacker_source"], player_named)
        behind = pc.if_else(of_modifiers, pa.scalar(None, pa.int32()), behind)
        out["attacker_player"] = pc.coalesce(behind, _players(out["attacker"], player_named))
        out["target_player"] = _players(out["target"], player_named)
        return out


class EntryNames:
    """The string table of names, as dictionary of the columns that refer to it."""

    def __init__(self, tables: StringTables) -> None:
        items = list(tables[NAMES]) if NAMES in tables else []
        self._names = {item.index: item.key for item in items}
        self._all = [item.key for item in items]
        # Entries are numbered without gaps, unless some were lost.
        self._dense = all(item.index == i for i, item in enumerate(items)) and len(set(self._all)) == len(items)

    def column(self, numbers: pa.Array) -> pa.DictionaryArray:
        """The names of these numbers. Number 0 is ``dota_unknown``, which is nobody."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if numbers.null_count == len(numbers):
            return pa.DictionaryArray.from_arrays(pa.nulls(len(numbers), pa.int32()), pa.array([], pa.string()))
        greatest = pc.max(numbers).as_py()
        if greatest is None or (self._dense and greatest < len(self._all)):
            indices = pc.if_else(pc.equal(numbers, 0), pa.scalar(None, pa.int64()), numbers).cast(pa.int32())
            return pa.DictionaryArray.from_arrays(indices, pa.array(self._all, type=pa.string()))
        known = self._names
        texts = [None if not number else known.get(number) or f"#{number}" for number in numbers.to_pylist()]
        return pa.array(texts, type=pa.string()).dictionary_encode()


def _signed(values: pa.Array) -> pa.Array:
    """As `combat_log_entry.signed`, of a column."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if values.null_count == len(values):  # as most columns of a log are
        return pa.nulls(len(values), pa.int32())
    return pc.if_else(pc.greater_equal(values, 1 << 31), pc.subtract(values, 1 << 32), values).cast(pa.int32())


def _players(names: pa.DictionaryArray, player_named: Callable[[str], int | None]) -> pa.Array:
    """Whose heroes the units of these names are."""
    import pyarrow as pa

    players = [player_named(name) if name.startswith(_HERO) else None for name in names.dictionary.to_pylist()]
    return pa.array(players, type=pa.int32()).take(names.indices)
