"""Table ``modifiers``: buffs and debuffs of units, with their first and last tick."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.sources.combat_log_entry import signed
from playhead.dota2.sources.entities import NAME_FIELD, NAME_TABLE, hero_column, npc_name
from playhead.dota2.sources.match import Dota2Match, PlayerFacts
from playhead.dota2.sources.roster import roster_fields
from playhead.runtime.libraries import pa, pc
from playhead.runtime.records import dataclass
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.source2.string_tables.items import StringTableChange
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import array_of, columns_of, scalar_of
from playhead.tables.vocabulary import word, words

_ENTRY = "CDOTAModifierBuffTableEntry"
_TABLE, _NAMES = "ActiveModifiers", "ModifierNames"
_REMOVED = "DOTA_MODIFIER_ENTRY_TYPE_REMOVED"

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


# The fields of entries that columns are made of at the end.
_FIELDS = (
    *("serial_num", "modifier_class", "lua_name", "parent", "caster", "ability_level", "stack_count"),
    *("duration", "aura"),
)


@dataclass(slots=True)
class _Modifier:
    tick: int
    fields: dict[str | int, Any]
    target: tuple[str | None, str | None]
    caster: tuple[str | None, str | None]
    ability: str | None
    end: int | None = None
    displaced: int | None = None
    most_stacks: int | None = None


_NOBODY: tuple[None, None] = (None, None)


@TABLES.maker_of(MODIFIERS)
class Modifiers(PlayerFacts):
    """Table ``modifiers``."""

    jobs: ClassVar = Jobs(27, extra=80)
    string_tables = (_TABLE, _NAMES, NAME_TABLE)
    fields = roster_fields({"CDOTA*": (NAME_FIELD,)})

    def __init__(self, match: Dota2Match) -> None:
        super().__init__(match)
        self._news: list[tuple[int, StringTableChange]] = []
        self._there: dict[int, _Modifier] = {}
        self._in_slot: dict[int, int] = {}
        self._all: list[_Modifier] = []
        self._known: dict[int | None, tuple[str | None, str | None]] = {}

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        playback.on_string_table(_TABLE, lambda change, tick: self._news.append((tick, change)))
        playback.after_packet(self._after_packet)

    def _after_packet(self, _tick: int) -> None:
        """Process entries after the entities of their packet; the first entries precede all entities."""
        if self._news and self._playback.entities.valid:
            self._take_news()

    def _take_news(self) -> None:
        for tick, change in self._news:
            if change.sent:
                self._on_change(tick, change.index, change.sent)
        self._news.clear()

    def _on_change(self, tick: int, slot: int, sent: bytes) -> None:
        fields = self.match.contents(tick, _ENTRY, sent, "one change of a modifier")
        if fields is None:
            return
        serial = fields.get("serial_num", 0)
        modifier = self._there.get(serial)
        if fields.get("entry_type") == _REMOVED:
            if modifier is not None:
                modifier.end = tick
                del self._there[serial]
                self._in_slot.pop(slot, None)
            return
        before = self._there.get(self._in_slot.get(slot, -1))
        if before is not None and before is not modifier:
            before.displaced = tick
        self._in_slot[slot] = serial
        if modifier is None:
            known, unit, get = self._known.get, self._unit, fields.get
            parent, by, ability = get("parent"), get("caster"), get("ability")
            target, caster = known(parent) or unit(parent), known(by) or unit(by)
            name, _ = known(ability) or unit(ability)
            modifier = self._there[serial] = _Modifier(tick, fields, target, caster, name)
            self._all.append(modifier)
        else:
            modifier.fields.update(fields)
            modifier.displaced = None
        stacks = signed(fields.get("stack_count"))
        if stacks is not None:
            modifier.most_stacks = max(stacks, modifier.most_stacks or stacks)

    def _unit(self, handle: int | None) -> tuple[str | None, str | None]:
        """Return name and class of the entity with a handle."""
        if handle is None:
            return _NOBODY
        found = self._known.get(handle)
        if found is None:
            entity = self._playback.entities.find_by_handle(handle)
            if entity is None:
                return _NOBODY
            found = self._known[handle] = npc_name(self._playback.entities, entity), entity.class_name
        return found

    def tables(self) -> Mapping[str, pa.Table]:
        self._take_news()
        tables = self._playback.string_tables
        last = {serial for serial in self._in_slot.values() if serial in self._there}
        fields: list[Any] = [modifier.fields for modifier in self._all]
        of = dict(zip(_FIELDS, columns_of(fields, _FIELDS), strict=True))
        serials = [serial or 0 for serial in of["serial_num"]]
        classes = {*of["modifier_class"]} if _NAMES in tables else ()
        names = {number: tables[_NAMES].key_of(number) for number in classes if number is not None}
        player_of = {handle: self._roster.player_of(handle) for handle in {*of["parent"], *of["caster"]}}
        players = list(map(player_of.get, of["parent"]))
        columns: dict[str, Any] = {
            "tick": [modifier.tick for modifier in self._all],
            "end_tick": [
                modifier.displaced if modifier.end is None and serial not in last else modifier.end
                for modifier, serial in zip(self._all, serials, strict=True)
            ],
            "modifier": list(map(names.get, of["modifier_class"])),
            "lua_modifier": [name or None for name in of["lua_name"]],
            "unit_type": [modifier.target[0] for modifier in self._all],
            "entity_class": [modifier.target[1] for modifier in self._all],
            "player": players,
            "caster": [modifier.caster[0] for modifier in self._all],
            "caster_player": list(map(player_of.get, of["caster"])),
            "ability": [modifier.ability for modifier in self._all],
            "ability_level": list(map(signed, of["ability_level"])),
            "stacks": list(map(signed, of["stack_count"])),
            "most_stacks": [modifier.most_stacks for modifier in self._all],
            "planned_seconds": [
                None if duration is None or not duration >= 0 else duration for duration in of["duration"]
            ],
            "aura": of["aura"],
            "handle": of["parent"],
            "serial": serials,
        }
        times = self.match.time_columns(array_of(columns.pop("tick"), pa.int32()))
        # No tick below 0 has a time.
        ended = pc.fill_null(array_of(columns["end_tick"], pa.int32()), scalar_of(-1, pa.int32()))
        ends = self.match.time_columns(ended, ("seconds", "game_seconds"))
        columns |= {f"end_{name}": values for name, values in ends.items()}
        heroes = hero_column(array_of(columns["player"], pa.int32()), self._roster.hero_names())
        return {MODIFIERS.name: MODIFIERS.build({**times, "hero": heroes, **columns})}
