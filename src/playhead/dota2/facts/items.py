"""Tables ``items_held``, ``item_events`` and ``ability_upgrades``: items and abilities of heroes.

The log has purchases, uses and the gold of sales; nothing else names a change of an item. The others follow from
the entities: an item that leaves the slots of a hero lies on the ground (CDOTA_Item_Physical), its entity ended,
or somebody else has it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.shared_log import SharedLog
from playhead.dota2.sources.combat_log import NAMES
from playhead.dota2.sources.entities import NAME_FIELD, NAME_TABLE, POSITION_FIELDS, integer, npc_name, position
from playhead.dota2.sources.match import Dota2Match, PlayerFacts
from playhead.dota2.sources.roster import NO_HANDLE, RESOURCE_CLASS, Place, roster_fields, with_fields
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


_CHARGES, _ITEM = "m_iCurrentCharges", "m_hItem"
# Items declare charges; a class with an odd name is among them (CODTA_Item_Gossamer_Cape).
_CLASSES, _ON_GROUND = ("CDOTA_Item*", "CODTA_Item*"), "CDOTA_Item_Physical"
# EDOTA_ModifyGold_Reason: gold for a sold item.
_BY_SALE = 6
# Columns of the log that purchases, sales and uses are made of.
_OF_LOG = (
    *("target_player", "target", "target_is_illusion", "attacker_player"),
    *("item", "inflictor", "stack_count", "value", "gold_reason_id"),
)
# Slots are looked at each second, so a change is up to so many ticks earlier; a log entry may be a packet away.
_LOOK, _NEAR = 32, 5

ITEM_EVENTS = TableSchema.of(
    "item_events",
    "One row for each item that a player bought (combat log entry PURCHASE), and for each change of an item in "
    "the slots of a hero, from table `items_held` and the entities of items. No field says why an item left: the "
    "rules are in column `change`.",
    *words("tick seconds game_seconds player hero item"),
    word(
        "change",
        "purchase. sale: its entity ended when the player got gold for a sale. drop: it lay on the ground. "
        "pickup: it lay on the ground before. consumption: its entity ended, and the player had used an item of "
        "that name in the second before. combination: its entity ended when another item came into the slots. "
        "charges: their number changed. loss: its entity ended, by nothing of these.",
    ),
    word("charges", "Of a purchase, by the log's stack_count; of charges, the new number."),
    word("gold", "Of a sale, by entry GOLD."),
    word("x", "Where it lay: of drop and pickup."),
    word("y"),
    word("handle", "As in table `items_held`; null for a purchase."),
)


class _Lay(NamedTuple):
    """An item on the ground, until `end`; None if it lies there at the end."""

    tick: int
    end: int | None
    place: tuple[float | None, float | None]


@TABLES.maker_of(ITEM_EVENTS)
class ItemChanges(PlayerFacts):
    jobs: ClassVar = Jobs(5, extra=50)
    string_tables = (NAMES, NAME_TABLE)
    fields = with_fields(
        Inventory.fields,
        dict.fromkeys(_CLASSES, (_CHARGES,)),
        {_ON_GROUND: (_ITEM, *POSITION_FIELDS)},
    )

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._inventory = self.match.collector(Inventory, playback)
        self._log = SharedLog.of(self.match, playback, ("PURCHASE", "GOLD", "ITEM"), _OF_LOG)
        self._ended: dict[int, int] = {}  # tick by handle of an item
        self._charges: dict[int, list[tuple[int, int]]] = {}
        self._lying: dict[int, tuple[int, int, tuple[float | None, float | None]]] = {}
        self._lay: dict[int, list[_Lay]] = {}
        watch = FieldWatch((_CHARGES,), self._on_item)
        for pattern in _CLASSES:
            playback.entities.on_entity(watch, pattern)
        playback.entities.on_entity(self._on_ground, _ON_GROUND, EntityOp.CREATED | EntityOp.DELETED)

    def _on_item(self, entity: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            self._ended[entity.handle] = self._playback.tick
            return
        charges = integer(entity, _CHARGES)
        known = self._charges.setdefault(entity.handle, [])
        if charges is not None and (not known or known[-1][1] != charges):
            known.append((self._playback.tick, charges))

    def _on_ground(self, entity: Entity, op: EntityOp) -> None:
        tick = self._playback.tick
        if op & EntityOp.CREATED:
            item = integer(entity, _ITEM)
            if item is not None:
                self._lying[entity.index] = item, tick, position(entity)
        elif (lying := self._lying.pop(entity.index, None)) is not None:
            item, begin, place = lying
            self._lay.setdefault(item, []).append(_Lay(begin, tick, place))

    # -- the end ----------------------------------------------------------------------------------------

    def tables(self) -> Mapping[str, pa.Table]:
        for item, begin, place in self._lying.values():
            self._lay.setdefault(item, []).append(_Lay(begin, None, place))
        self._names = self._roster.hero_names()
        self._entries = self._log.rows
        rows = [*self._bought(), *self._changes()]
        rows.sort(key=lambda row: int(row["tick"]))
        return {ITEM_EVENTS.name: self.match.table(ITEM_EVENTS, rows)}

    def _bought(self) -> Iterator[dict[str, Any]]:
        for entry in self._entries.of("PURCHASE", "target_player", "target", "item", "stack_count"):
            yield {
                "tick": entry["tick"],
                "player": entry["target_player"],
                "hero": entry["target"],
                "item": entry["item"],
                "change": "purchase",
                "charges": entry["stack_count"],
            }

    def _changes(self) -> Iterator[dict[str, Any]]:
        held = self._inventory.held()
        self._came: dict[int, list[int]] = {}
        stays: dict[int, list[dict[str, Any]]] = {}
        for row in held:
            stays.setdefault(row["handle"], []).append(row)
        for rows in stays.values():
            first = rows[0]
            self._came.setdefault(first["player"], []).append(first["tick"])
        for ticks in self._came.values():
            ticks.sort()
        self._sales, self._uses = self._sold(), self._used()
        for handle, rows in stays.items():
            for number, row in enumerate(rows):
                after = [
                    each for each in rows if each["end_tick"] is None or each["end_tick"] > (row["end_tick"] or 0)
                ]
                if row["end_tick"] is not None and not any(each["tick"] <= row["end_tick"] for each in after):
                    left = self._left(handle, row)
                    if left is not None:
                        yield self._row(row, **left)
                lay = self._lay_before(handle, row["tick"])
                if lay is not None and (not number or rows[number - 1]["end_tick"] != row["tick"]):
                    yield self._row(row, change="pickup", tick=lay.end, x=lay.place[0], y=lay.place[1])
            for tick, charges in self._charges.get(handle, ())[1:]:
                holder = next((row for row in reversed(rows) if row["tick"] <= tick + _LOOK), None)
                if holder is not None:
                    yield self._row(holder, change="charges", tick=tick, charges=charges)

    def _row(self, held: Mapping[str, Any], **values: Any) -> dict[str, Any]:
        names = ("player", "item", "handle")
        return {name: held[name] for name in names} | {"hero": self._names.get(held["player"]), **values}

    def _lay_before(self, handle: int, tick: int) -> _Lay | None:
        """Return the place of an item before it came into a slot at a look."""
        lays = self._lay.get(handle, ())
        return next((lay for lay in lays if lay.end is not None and tick - _LOOK <= lay.end <= tick + _NEAR), None)

    def _left(self, handle: int, row: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the change of an item that left the slots of its hero; None if it still exists elsewhere."""
        look, player = row["end_tick"], row["player"]
        lay = next((lay for lay in self._lay.get(handle, ()) if look - _LOOK <= lay.tick <= look + _NEAR), None)
        if lay is not None:
            return {"change": "drop", "tick": lay.tick, "x": lay.place[0], "y": lay.place[1]}
        ended = self._ended.get(handle)
        if ended is None or not look - _LOOK <= ended <= look + _NEAR:
            return None
        for number, (tick, gold) in enumerate(self._sales.get(player, ())):
            if abs(tick - ended) <= _NEAR:
                del self._sales[player][number]  # each sale is of one item
                return {"change": "sale", "tick": ended, "gold": gold}
        uses = self._uses.get((player, row["item"]), [])
        if bisect_left(uses, ended - _LOOK) < bisect_right(uses, ended + _NEAR):
            return {"change": "consumption", "tick": ended}
        came = self._came.get(player, [])
        if bisect_left(came, ended - _NEAR) < bisect_right(came, ended + _LOOK):
            return {"change": "combination", "tick": ended}
        return {"change": "loss", "tick": ended}

    def _sold(self) -> dict[int, list[tuple[int, int]]]:
        """Return tick and gold of each sale, by player."""
        found: dict[int, list[tuple[int, int]]] = {}
        for entry in self._entries.of("GOLD", "target_player", "value", reason=_BY_SALE):
            found.setdefault(entry["target_player"], []).append((entry["tick"], entry["value"]))
        return found

    def _used(self) -> dict[tuple[int, str], list[int]]:
        """Return ticks of the uses of items, by player and item."""
        found: dict[tuple[int, str], list[int]] = {}
        for entry in self._entries.of("ITEM", "attacker_player", "inflictor"):
            found.setdefault((entry["attacker_player"], entry["inflictor"]), []).append(entry["tick"])
        return found
