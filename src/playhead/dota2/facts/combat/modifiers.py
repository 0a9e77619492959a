"""Table ``modifiers``: buffs and debuffs of units, with their first and last tick."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.sources.combat_log_entry import signed
from playhead.dota2.sources.entities import NAME_FIELD, NAME_TABLE, hero_column, npc_name
from playhead.dota2.sources.match import Dota2Match, PlayerFacts
from playhead.dota2.sources.roster import roster_fields
from playhead.errors import ReplayError
from playhead.runtime.libraries import pa
from playhead.runtime.records import dataclass
from playhead.source2.messages.definitions import decoder
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.source2.string_tables.items import StringTableChange
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import array_of
from playhead.tables.vocabulary import word, words

_TABLE, _NAMES = "ActiveModifiers", "ModifierNames"
_REMOVED = "DOTA_MODIFIER_ENTRY_TYPE_REMOVED"
_TIMES = ("tick", "seconds", "game_seconds")

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


# Columns that are filled at the end.
_FILLED = frozenset({"hero", *_TIMES, *(f"end_{name}" for name in _TIMES)})


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
        self._decoder = decoder("CDOTAModifierBuffTableEntry")
        self._news: list[tuple[int, StringTableChange]] = []
        self._there: dict[int, _Modifier] = {}
        self._in_slot: dict[int, int] = {}
        self._all: list[_Modifier] = []
        self._known: dict[int, tuple[str | None, str | None]] = {}

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
            self._on_change(tick, change)
        self._news.clear()

    def _on_change(self, tick: int, change: StringTableChange) -> None:
        if not change.sent:
            return
        try:
            fields = self._decoder.decode(change.sent)
        except ReplayError as error:
            self.match.problem(error, tick, "one change of a modifier")
            return
        serial = fields.get("serial_num", 0)
        modifier = self._there.get(serial)
        if fields.get("entry_type") == _REMOVED:
            if modifier is not None:
                modifier.end = tick
                del self._there[serial]
                self._in_slot.pop(change.index, None)
            return
        before = self._there.get(self._in_slot.get(change.index, -1))
        if before is not None and before is not modifier:
            before.displaced = tick
        self._in_slot[change.index] = serial
        if modifier is None:
            modifier = _Modifier(
                tick,
                fields,
                self._unit(fields.get("parent")),
                self._unit(fields.get("caster")),
                self._unit(fields.get("ability"))[0],
            )
            self._there[serial] = modifier
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
        names = {item.index: item.key for item in tables[_NAMES]} if _NAMES in tables else {}
        last = {serial for serial in self._in_slot.values() if serial in self._there}
        player_of = self._roster.player_of
        handles = {modifier.fields.get(name) for modifier in self._all for name in ("parent", "caster")}
        players = {handle: player_of(handle) for handle in handles}
        rows = []
        for modifier in self._all:
            fields = modifier.fields
            get = fields.get
            serial = get("serial_num", 0)
            end = modifier.end
            if end is None and serial not in last:
                end = modifier.displaced
            duration = get("duration")
            row = (
                modifier.tick,
                end,
                names.get(get("modifier_class", -1)),
                get("lua_name") or None,
                *modifier.target,
                players[get("parent")],
                modifier.caster[0],
                players[get("caster")],
                modifier.ability,
                signed(get("ability_level")),
                signed(get("stack_count")),
                modifier.most_stacks,
                duration if duration is not None and duration >= 0 else None,
                get("aura"),
                get("parent"),
                serial,
            )
            rows.append(row)
        names_of = ["tick", "end_tick", *(name for name in MODIFIERS.column_names if name not in _FILLED)]
        held = zip(*rows, strict=True) if rows else [()] * len(names_of)
        columns: dict[str, Any] = dict(zip(names_of, held, strict=True))
        times = self.match.time_columns(array_of(columns.pop("tick"), pa.int32()))
        ends = columns["end_tick"]
        columns["end_seconds"] = [self.match.seconds(tick) for tick in ends]
        columns["end_game_seconds"] = self.match.clock.game_seconds_at(ends)
        heroes = hero_column(array_of(columns["player"], pa.int32()), self._roster.hero_names())
        return {MODIFIERS.name: MODIFIERS.build({**times, "hero": heroes, **columns})}
