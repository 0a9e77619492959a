"""`EntryBatches`: entries of the combat log as columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from playhead.dota2.sources.combat_log_entry import ENTRY_COLUMNS, NAMES, OTHER_FIELDS, assists, type_names
from playhead.source2.messages.json_text import JsonWriter
from playhead.source2.string_tables.tables import StringTables

if TYPE_CHECKING:
    import pyarrow as pa

# An entry as a dict takes some 1,500 bytes, as a row of Arrow columns a tenth; a match has some 200,000.
_BATCH = 16384

_KNOWN = frozenset((*(entry.field for entry in ENTRY_COLUMNS), *OTHER_FIELDS))
_ASSISTS = frozenset(field for field in OTHER_FIELDS if field.startswith("assist"))
_PURCHASE = "PURCHASE"
_HERO = "npc_dota_hero_"


class EntryBatches:
    """Takes entries as they come, and keeps them as columns, a batch at a time.

    Numbers of names, and fields that the game declares unsigned, are kept as they are until `columns` is called:
    names may still come.
    """

    def __init__(self) -> None:
        self._types = type_names()
        self._json = JsonWriter()
        self._batches: list[dict[str, pa.Array]] = []
        self._ticks: list[int] = []
        self._forms: list[str] = []
        self._entries: list[Mapping[str | int, Any]] = []

    def add(self, tick: int, form: str, entry: Mapping[str | int, Any]) -> None:
        """The next entry; `form` is that in which the recording has it."""
        self._ticks.append(tick)
        self._forms.append(form)
        self._entries.append(entry)
        if len(self._ticks) == _BATCH:
            self._close_batch()

    def _close_batch(self) -> None:
        import pyarrow as pa

        entries = self._entries
        occurring: set[str | int] = set()
        occurring.update(*entries)
        # An entry without a type is of the one that the definition declares for its absence.
        kinds = [entry.get("type", "DOTA_COMBATLOG_INVALID") for entry in entries]
        batch = {
            "tick": pa.array(self._ticks, pa.int32()),
            "form": pa.array(self._forms, pa.string()),
            "type": pa.array([self._types.get(kind) or str(kind) for kind in kinds], pa.string()),
            "value": pa.array([entry.get("value") for entry in entries], pa.int64()),
        }
        for field, column, is_name in ENTRY_COLUMNS:
            kind = _stored_type(column.type, is_name)
            if field in occurring:
                batch[column.name] = pa.array([entry.get(field) for entry in entries], kind)
            else:
                batch[column.name] = pa.nulls(len(entries), kind)
        batch["assists"] = pa.array(self._assists(occurring & _ASSISTS), pa.list_(pa.int32()))
        batch["details"] = pa.array(self._details(occurring - _KNOWN), pa.string())
        self._batches.append(batch)
        self._ticks, self._forms, self._entries = [], [], []

    def _assists(self, fields: set[str | int]) -> list[list[int] | None]:
        """Players who helped; few entries have any of these fields, in one recording mostly the same one."""
        if not fields:
            return [None] * len(self._entries)
        if len(fields) == 1:
            (field,) = fields
            return [assists(entry) if field in entry else None for entry in self._entries]
        return [assists(entry) for entry in self._entries]

    def _details(self, odd: set[str | int]) -> list[str | None]:
        """Fields that no column has."""
        if not odd:
            return [None] * len(self._entries)
        rest = [{str(key): entry[key] for key in entry if key in odd} for entry in self._entries]
        return [self._json.write(fields) if fields else None for fields in rest]

    def columns(self, tables: StringTables, player_named: Callable[[str], int | None]) -> dict[str, pa.Array]:
        """Every column of the log but the times.

        Args:
            tables: of the recording; they have the names.
            player_named: called with a hero's name, returns its player.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        if self._ticks or not self._batches:
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

        greatest = pc.max(numbers).as_py()
        if greatest is None or (self._dense and greatest < len(self._all)):
            indices = pc.if_else(pc.equal(numbers, 0), pa.scalar(None, pa.int64()), numbers).cast(pa.int32())
            return pa.DictionaryArray.from_arrays(indices, pa.array(self._all, type=pa.string()))
        known = self._names
        texts = [None if not number else known.get(number) or f"#{number}" for number in numbers.to_pylist()]
        return pa.array(texts, type=pa.string()).dictionary_encode()


def _stored_type(column_type: str, is_name: bool) -> pa.DataType:
    import pyarrow as pa

    if is_name or column_type == "int32":
        return pa.int64()
    return pa.bool_() if column_type == "bool" else pa.float32()


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
