"""Tables ``items_held`` and ``ability_upgrades``: items of heroes by slot, levels of their abilities."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from playhead.dota2.facts import TABLES
from playhead.dota2.sources.entities import NAME_FIELD, integer, npc_name
from playhead.dota2.sources.match import Dota2Match, PlayerFacts
from playhead.dota2.sources.roster import NO_HANDLE, RESOURCE_CLASS, Place, roster_fields
from playhead.errors import ReplayError
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp, class_matches
from playhead.source2.entities.manager import EntityManager
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.source2.tables.entity_columns import EntityChanges
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

# Abilities, and items, which are abilities too, declare it.
_LEVEL = "m_iLevel"
# Classes of most of them; the others are found when their first entity is created.
_ABILITY_CLASSES = ("CDOTA_Item*", "CDOTA*Ability*")
_HERO_LEVEL = "m_vecPlayerTeamData.{}.m_iLevel"
_ITEMS = "m_hItems."
# A fixed array in older builds, a vector of another name in newer ones.
_ABILITIES = ("m_hAbilities.", "m_vecAbilities.")
_HANDLES = (_ITEMS, *_ABILITIES)

# First slot of each part of `m_hItems`.
_PARTS = ((0, "inventory"), (6, "backpack"), (9, "stash"), (15, "teleport"), (16, "neutral"), (17, "other"))

ITEMS_HELD = TableSchema.of(
    "items_held",
    "One row for each time that an item was in a slot of a hero: m_hItems of the hero's entity, looked at "
    "at an interval (option `every`, one second if it is not given).",
    word("tick", "First look that found it there."),
    *words("seconds game_seconds"),
    word("end_tick", "First look that did not find it."),
    *words("end_seconds end_game_seconds player hero slot"),
    Column("part", "category", "inventory, backpack, stash, teleport, neutral, or other (slots 17 and above)."),
    word("item", "From string table EntityNames."),
    word("entity_class", "Null if the recording has no such entity."),
    word("handle", "The same item in another slot has the same."),
)

ABILITY_UPGRADES = TableSchema.of(
    "ability_upgrades",
    "One row whenever the level of an ability or talent of a player's hero changes to another than 0: "
    "m_iLevel of the ability's entity. Abilities that heroes have from the start with a level are in it too.",
    *words("tick seconds game_seconds player hero"),
    word("ability", "From string table EntityNames."),
    word("ability_level"),
    word("level", "Null for `is_initial`."),
    Column("is_talent", "bool", "It is a talent: the name begins with special_bonus_."),
    Column(
        "is_initial",
        "bool",
        "It had that level when its entity was created: innate, or learnt before the recording.",
    ),
    word("entity_class"),
)


class _Made(NamedTuple):
    """An entity of an item or ability."""

    tick: int
    name: str | None
    class_name: str


@TABLES.maker_of(ITEMS_HELD, ABILITY_UPGRADES)
class Inventory(PlayerFacts):
    """Tables ``items_held`` and ``ability_upgrades``."""

    jobs: ClassVar = Jobs(3, extra=40)
    options = ("every",)
    fields = roster_fields(
        {
            "CDOTA_Unit_Hero_*": [name + "????" for name in (_ITEMS, *_ABILITIES)],
            # Handles lead to classes with any name: CDOTA_Lamp_Use, CODTA_Item_Gossamer_Cape.
            "*": (NAME_FIELD, _LEVEL),
            RESOURCE_CLASS: (_HERO_LEVEL.format("????"),),
        }
    )

    def __init__(self, match: Dota2Match, every: int | float | str = "1s") -> None:
        super().__init__(match)
        self._every = match.interval(every)
        self._hands = EntityChanges((), NO_HANDLE, lambda name: name.startswith(_HANDLES))
        self._lineup: tuple[Place, ...] | None = None
        self._made: dict[int, list[_Made]] = {}
        self._levels: list[tuple[int, int, int, Mapping[int, int | None] | None]] = []
        self._level: dict[int, int] = {}

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._manager: EntityManager = playback.entities
        self._sampler = self.match.sampler(playback, self._every)
        self._sampler.on_sample(self._on_sample)
        self._is_ability: dict[int, bool] = {}
        self._watch = FieldWatch((_LEVEL,), self._on_level)
        playback.entities.on_entity(self._on_any, "*", EntityOp.CREATED)
        for pattern in _ABILITY_CLASSES:
            playback.entities.on_entity(self._watch, pattern, EntityOp.UPDATED)

    def _on_any(self, entity: Entity, op: EntityOp) -> None:
        number = entity.class_info.class_id
        known = self._is_ability.get(number)
        if known is None:
            known = self._is_ability[number] = _has_level(entity)
            if known and not any(class_matches(entity.class_name, pattern) for pattern in _ABILITY_CLASSES):
                self._manager.on_entity(self._watch, entity.class_name, EntityOp.UPDATED)
        if known:
            self._on_made(entity)
            self._on_level(entity, op)

    def _on_made(self, entity: Entity) -> None:
        made = _Made(self._playback.tick, npc_name(self._manager, entity), entity.class_name)
        self._made.setdefault(entity.handle, []).append(made)
        self._level.pop(entity.handle, None)

    def _on_level(self, entity: Entity, op: EntityOp) -> None:
        level, handle = integer(entity, _LEVEL) or 0, entity.handle
        if level != self._level.get(handle, 0):
            self._level[handle] = level
            heroes = None if op & EntityOp.CREATED else self._hero_levels()
            self._levels.append((self._playback.tick, handle, level, heroes))

    def _hero_levels(self) -> dict[int, int | None]:
        """Return the present level of each player's hero."""
        resource, seats = self._roster.resource, self._roster.seats
        if resource is None:
            return {}
        return {seat.player: integer(resource, _HERO_LEVEL.format(f"{seat.player:04}")) for seat in seats}

    def _on_sample(self, tick: int) -> None:
        lineup = self._roster.lineup
        if lineup is not self._lineup:
            self._lineup = lineup
            self._players_now = [place.seat.player for place in lineup if place.hero is not None]
            self._heroes_now = [place.hero for place in lineup if place.hero is not None]
        self._hands.look(tick, self._players_now, self._heroes_now)

    def _what(self, handle: int, tick: int) -> _Made:
        """Return the entity of a handle at a tick."""
        known = self._made.get(handle, ())
        at = bisect_right(known, tick, key=lambda made: made.tick)
        return known[max(0, at - 1)] if known else _Made(tick, None, "")

    def held(self) -> list[dict[str, Any]]:
        """Return the items in the slots, from change to change; call it after the playback."""
        self._sampler.finish()
        held: list[dict[str, Any]] = []
        open_rows: dict[tuple[int, int], dict[str, Any]] = {}
        slots = [int(name.removeprefix(_ITEMS)) if name.startswith(_ITEMS) else -1 for name in self._hands.names]
        for tick, player, field, _before, handle in self._hands.changes:
            slot = slots[field]
            if slot < 0:
                continue
            before = open_rows.pop((player, slot), None)
            if before is not None:
                before["end_tick"] = tick
            if handle == NO_HANDLE:
                continue
            what = self._what(handle, tick)
            row = {
                "tick": tick,
                "player": player,
                "slot": slot,
                "part": _part(slot),
                "item": what.name,
                "entity_class": what.class_name or None,
                "end_tick": None,
                "handle": handle,
            }
            open_rows[player, slot] = row
            held.append(row)
        held.sort(key=lambda row: (row["tick"], row["player"], row["slot"]))
        return held

    def _owners(self) -> dict[int, int]:
        """Return the player whose hero has an ability, by handle of the ability."""
        is_ability = [name.startswith(_ABILITIES) for name in self._hands.names]
        return {handle: player for _tick, player, field, _, handle in self._hands.changes if is_ability[field]}

    def tables(self) -> Mapping[str, pa.Table]:
        self._sampler.finish()
        del self._watch  # it has a method of this collector: a cycle
        owners, add_heroes = self._owners(), self._roster.add_heroes
        levels = []
        for tick, handle, level, heroes in self._levels:
            player = owners.get(handle)
            if player is None or level == 0 or handle == NO_HANDLE:
                continue
            what = self._what(handle, tick)
            levels.append(
                {
                    "tick": tick,
                    "player": player,
                    "ability": what.name,
                    "entity_class": what.class_name,
                    "ability_level": level,
                    "level": None if heroes is None else heroes.get(player),
                    "is_talent": None if what.name is None else what.name.startswith("special_bonus_"),
                    "is_initial": heroes is None,
                }
            )
        return {
            ITEMS_HELD.name: self.match.table(ITEMS_HELD, add_heroes(self.held())),
            ABILITY_UPGRADES.name: self.match.table(ABILITY_UPGRADES, add_heroes(levels)),
        }


def _has_level(entity: Entity) -> bool:
    """Return whether the class of an entity declares a level: whether it is an ability or item."""
    try:
        return entity.class_info.ensure_slot(_LEVEL) >= 0
    except ReplayError:  # in some classes of 2015 a field of that name has parts
        return False


def _part(slot: int) -> str:
    """Return the part of `m_hItems` that contains a slot."""
    return next(name for first, name in reversed(_PARTS) if slot >= first)
