"""Table ``modifiers``: buffs and debuffs of units, with their first and last tick."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.sources.entities import NAME_FIELD, NAME_TABLE, hero_column, npc_name
from playhead.dota2.sources.match import PlayerFacts
from playhead.dota2.sources.roster import NO_HANDLE, roster_fields
from playhead.errors import LimitExceeded
from playhead.runtime.libraries import pa, pc
from playhead.source2.entities.manager import EntityManager
from playhead.source2.message_rows.table import CellPlan, Content, MessageTable, RowPlan
from playhead.source2.messages import wire
from playhead.source2.messages.decoded import MessageFields
from playhead.source2.messages.definitions import decoder, enumeration
from playhead.source2.messages.wire_decoder import FieldPlan
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.source2.string_tables.items import StringTableChange
from playhead.tables.arrow import category, int32_array, lookup, to_list
from playhead.tables.packed import PackedText
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import array_of, scalar_of
from playhead.tables.vocabulary import word, words

_ENTRY = "CDOTAModifierBuffTableEntry"
_COST = "one change of a modifier"
_TABLE, _NAMES = "ActiveModifiers", "ModifierNames"
_TYPES, _REMOVED = "DOTA_MODIFIER_ENTRY_TYPE", "DOTA_MODIFIER_ENTRY_TYPE_REMOVED"

MODIFIERS = TableSchema.of(
    "modifiers",
    "One row for each modifier that a unit had: a CDOTAModifierBuffTableEntry of the string table "
    "ActiveModifiers, from its first ACTIVE entry to its REMOVED one. Entries with the same serial number are the "
    "same modifier.",
    *words("tick seconds game_seconds end_tick end_seconds end_game_seconds"),
    word("modifier", "By modifier_class in the string table ModifierNames."),
    Column("lua_modifier", "category", "lua_name of the entry: its name if a script made it; null otherwise."),
    word("unit_type", "Name of the entity that has the modifier: parent of the entry; null if unknown."),
    word("entity_class", "Of that entity."),
    word("player", "The player whose hero that is."),
    *words("hero caster caster_player ability ability_level"),
    word("stacks", "stack_count, as last sent; null if never."),
    word("most_stacks", "The highest stack_count sent; null if never."),
    Column("planned_seconds", "float64", "How long it was to last, as last sent; null without an end.", "s"),
    Column("aura", "bool", "It comes from an aura; null if unknown."),
    word("handle", "parent of the entry."),
    word("serial", "serial_num of the entry."),
)


# The fields of entries that are kept, with the types of their columns.
_FIELDS = {
    "entry_type": "int32",
    "serial_num": "int32",
    "modifier_class": "int32",
    "lua_name": "binary",
    "parent": "int64",
    "caster": "int64",
    "ability_level": "int32",
    "stack_count": "int32",
    "duration": "float64",
    "aura": "bool",
    "ability": "int64",
}
# Fields that name an entity. Each has a column more, with the place of the entity in `_Units.found`.
_HANDLES = ("parent", "caster", "ability")
_PLACES = tuple(f"{name}_unit" for name in _HANDLES)


class _Units(dict[int | None, int | None]):
    """Names and classes of the entities that entries name, by handle."""

    def __init__(self, entities: EntityManager) -> None:
        super().__init__({None: None, NO_HANDLE: None})
        self._entities = entities
        self.found: list[tuple[str | None, str | None]] = []

    def __missing__(self, handle: int) -> int | None:
        entity = self._entities.find_by_handle(handle)
        if entity is None:  # it may come later
            return None
        place = self[handle] = len(self.found)
        self.found.append((npc_name(self._entities, entity), entity.class_name))
        return place

    def column(self, places: pa.Array, part: int) -> pa.Array:
        """Return the names (part 0) or classes (1) at these places."""
        codes: dict[str, int] = {}
        texts = (unit[part] for unit in self.found)
        code_of = [None if text is None else codes.setdefault(text, len(codes)) for text in texts]
        return category(pc.take(array_of(code_of, pa.int32()), places), [*codes])


@TABLES.maker_of(MODIFIERS)
class Modifiers(PlayerFacts):
    jobs: ClassVar = Jobs(27, extra=80)
    string_tables = (_TABLE, _NAMES, NAME_TABLE)
    fields = roster_fields({"CDOTA*": (NAME_FIELD,)})

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._news: list[tuple[int, StringTableChange]] = []
        # Slots of the entries in the table.
        self._slots: list[int] = []
        self._units = _Units(playback.entities)
        self._entries = MessageTable([*_FIELDS.values(), *("int32" for _ in _HANDLES)], playback.room)
        kept = FieldPlan(decoder(_ENTRY), False)
        cells = []
        for slot, (name, kind) in enumerate(_FIELDS.items()):
            kept.store(name, slot)
            cells.append(CellPlan(Content.BYTES if kind == "binary" else Content.NUMBER, slot, 1))
        slots = [*_FIELDS]
        cells += (CellPlan(Content.CALL, slots.index(name), 1, 1, 0, self._units.__getitem__) for name in _HANDLES)
        self._plan = RowPlan(kept, cells)
        playback.on_string_table(_TABLE, lambda change, tick: self._news.append((tick, change)))
        playback.after_packet(self._after_packet)

    def _after_packet(self, _tick: int) -> None:
        """Process entries after the entities of their packet; the first entries precede all entities."""
        if self._news and self._playback.entities.valid:
            self._take_news()

    def _take_news(self) -> None:
        entries, plan, slots = self._entries, self._plan, self._slots
        for tick, change in self._news:
            sent = change.sent
            if not sent:
                continue
            if entries.append(plan, tick, sent):
                slots.append(change.index)
                if entries.unknown:
                    self._contents(tick, sent)
            elif self._append_again(tick, sent):
                slots.append(change.index)
        self._news.clear()

    def _append_again(self, tick: int, sent: bytes) -> bool:
        """Append an entry whose fields are not in order; return whether it could be decoded."""
        fields = self._contents(tick, sent)
        if fields is None:
            return False
        appended = self._entries.append(self._plan, tick, wire.encode(_ENTRY, fields))
        if not appended:
            error = LimitExceeded(f"expected an entry of at most 1 MB, found {len(sent)} bytes")
            self.match.problem(error, tick, _COST)
        return appended

    def _contents(self, tick: int, sent: bytes) -> MessageFields | None:
        return self.match.contents(tick, _ENTRY, sent, _COST)

    def tables(self) -> Mapping[str, pa.Table]:
        self._take_news()
        ticks = self._entries.ticks.to_arrow()
        sent: dict[str, pa.Array] = {
            name: column.read() if isinstance(column, PackedText) else column
            for name, column in zip((*_FIELDS, *_PLACES), self._entries.to_arrow(), strict=True)
        }
        sent["serial_num"] = pc.fill_null(sent["serial_num"], scalar_of(0, pa.int32()))
        firsts, later, ends = self._modifiers(
            to_list(ticks), to_list(sent["entry_type"]), to_list(sent["serial_num"])
        )
        first_rows = int32_array(firsts)

        def last(name: str) -> pa.Array:
            """Return a field of each modifier as last sent."""
            if not later:
                return pc.take(sent[name], first_rows)
            rows, there = firsts[:], to_list(sent[name].is_valid())
            for row, number in later:
                if there[row]:
                    rows[number] = row
            return pc.take(sent[name], int32_array(rows))

        def unit(handle: str, part: int) -> pa.Array:
            """Return the name (part 0) or class (1) of the entity that each modifier's first entry names."""
            return self._units.column(pc.take(sent[f"{handle}_unit"], first_rows), part)

        heroes = self._roster.hero_names()
        players = self._roster.players_by_hero
        parents, casters, duration = last("parent"), last("caster"), last("duration")
        player = lookup(parents, players, pa.int32())
        ended = array_of(ends, pa.int32())
        # No tick below 0 has a time.
        times = self.match.time_columns(
            pc.fill_null(ended, scalar_of(-1, pa.int32())), ("seconds", "game_seconds")
        )
        columns: dict[str, Any] = {
            **self.match.time_columns(pc.take(ticks, first_rows)),
            "end_tick": ended,
            **{f"end_{name}": values for name, values in times.items()},
            "modifier": self._names_of(last("modifier_class")),
            "lua_modifier": [
                name.decode("utf-8", "replace") if name else None for name in to_list(last("lua_name"))
            ],
            "unit_type": unit("parent", 0),
            "entity_class": unit("parent", 1),
            "player": player,
            "hero": hero_column(player, heroes),
            "caster": unit("caster", 0),
            "caster_player": lookup(casters, players, pa.int32()),
            "ability": unit("ability", 0),
            "ability_level": last("ability_level"),
            "stacks": last("stack_count"),
            "most_stacks": _most(to_list(sent["stack_count"]), firsts, later),
            "planned_seconds": pc.if_else(
                pc.greater_equal(duration, scalar_of(0.0, pa.float64())), duration, scalar_of(None, pa.float64())
            ),
            "aura": last("aura"),
            "handle": parents,
            "serial": pc.take(sent["serial_num"], first_rows),
        }
        return {MODIFIERS.name: MODIFIERS.build(columns)}

    def _names_of(self, classes: pa.Array) -> pa.Array:
        """Return the names of modifiers."""
        tables = self._playback.string_tables
        known = pc.unique(classes).drop_null().to_pylist() if _NAMES in tables else ()
        names = {number: name for number in known if (name := tables[_NAMES].key_of(number)) is not None}
        return category(pc.index_in(classes, value_set=array_of([*names], pa.int32())), [*names.values()])

    def _modifiers(
        self, ticks: list[int], types: list[int | None], serials: list[int]
    ) -> tuple[array[int], list[tuple[int, int]], list[int | None]]:
        """Return the first entry of each modifier, its later ACTIVE ones with its number, and its end."""
        firsts = array("i")
        later: list[tuple[int, int]] = []
        ends: list[int | None] = []
        displaced: list[int | None] = []
        there: dict[int, int] = {}
        in_slot: dict[int, int] = {}
        removed = enumeration(_TYPES)[_REMOVED]
        for row, (tick, kind, slot, serial) in enumerate(zip(ticks, types, self._slots, serials, strict=True)):
            number = there.get(serial)
            if kind == removed:
                if number is not None:
                    ends[number] = tick
                    del there[serial]
                    in_slot.pop(slot, None)
                continue
            before = there.get(in_slot.get(slot, -1))
            if before is not None and before != number:
                displaced[before] = tick
            in_slot[slot] = serial
            if number is None:
                there[serial] = len(firsts)
                firsts.append(row)
                ends.append(None)
                displaced.append(None)
            else:
                displaced[number] = None
                later.append((row, number))
        last = {serial for serial in in_slot.values() if serial in there}
        return (
            firsts,
            later,
            [
                gone if end is None and serials[row] not in last else end
                for row, end, gone in zip(firsts, ends, displaced, strict=True)
            ],
        )


def _most(stacks: list[int | None], firsts: array[int], later: list[tuple[int, int]]) -> list[int | None]:
    """Return the highest count of stacks of each modifier, given that of each entry."""
    most = [stacks[row] for row in firsts]
    for row, number in later:
        count = stacks[row]
        if count is not None:
            most[number] = max(count, most[number] or count)
    return most
