"""Table ``item_events``: items bought, sold, dropped, picked up, used up, combined, lost, and their charges.

The log has purchases, uses and the gold of sales; nothing else names a change. The others follow from the
entities: an item that leaves the slots of a hero lies on the ground (CDOTA_Item_Physical), or its entity ended, or
somebody else has it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.combat.shared_log import SharedLog
from playhead.dota2.facts.players.inventory import Inventory
from playhead.dota2.sources.combat_log_entry import NAMES
from playhead.dota2.sources.entities import NAME_TABLE, POSITION_FIELDS, integer, position
from playhead.dota2.sources.match import PlayerFacts
from playhead.dota2.sources.roster import with_fields
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import word, words

_CHARGES, _ITEM = "m_iCurrentCharges", "m_hItem"
# Items declare charges; a class with an odd name is among them (CODTA_Item_Gossamer_Cape).
_ITEMS, _ON_GROUND = ("CDOTA_Item*", "CODTA_Item*"), "CDOTA_Item_Physical"
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
    """Table ``item_events``."""

    jobs: ClassVar = Jobs(5, extra=50)
    string_tables = (NAMES, NAME_TABLE)
    fields = with_fields(
        Inventory.fields,
        dict.fromkeys(_ITEMS, (_CHARGES,)),
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
        for pattern in _ITEMS:
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
