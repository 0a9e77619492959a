"""Tables ``modifiers`` and ``urn``: effects on units from start to end, of which the urn is one; `Barriers`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any, ClassVar

from playhead.deadlock.facts import TABLES
from playhead.deadlock.sources.entities import POSITION_FIELDS, index_of, number
from playhead.deadlock.sources.match import DeadlockFacts
from playhead.deadlock.sources.people import PAWN, person_columns, person_row
from playhead.deadlock.sources.words import kind_of
from playhead.errors import ReplayError
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.facts.hashed_names import name_hash
from playhead.source2.messages import wire
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.source2.string_tables.items import StringTableChange
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

TABLE = "ActiveModifiers"
_ENTRY = "CModifierTableEntry"
REMOVED = frozenset((2, "MODIFIER_ENTRY_TYPE_REMOVED"))
#: Number of the tracker's modifier; float1 is the capacity, float2 is left (as boon-deadlock found, MIT licence).
TRACKER = name_hash("modifier_barrier_tracker")


class Barriers:
    """Follows the trackers; `left` has the barrier by index of the body, for bodies with a tracker."""

    def __init__(self, game: str) -> None:
        self.left: dict[int, float] = {}
        self._number = wire.encode(_ENTRY, {"modifier_subclass": TRACKER}, game)
        self._bodies: dict[int, int] = {}
        self._places: set[int] = set()

    def attach(self, playback: Playback, on_change: Callable[[], None]) -> None:
        """Follow a playback, which has to keep `TABLE`; `on_change` is called at each change."""
        self._on_change, self._contents = on_change, playback.decoder.contents
        playback.on_string_table(TABLE, self._on_table, full_packets=self._on_table)

    def _on_table(self, change: StringTableChange, _tick: int) -> None:
        sent = change.sent
        # Other modifiers, nearly all, are not decoded.
        if not sent or (change.index not in self._places and self._number not in sent and b"\x08\x02" not in sent):
            return
        try:
            fields = self._contents(_ENTRY, sent)
        except ReplayError:
            return  # a problem of table `modifiers`
        serial = fields.get("serial_number", 0)
        if fields.get("entry_type") in REMOVED:
            body = self._bodies.pop(serial, None)
            if body is not None and body not in self._bodies.values() and self.left.pop(body, None) is not None:
                self._on_change()
            return
        number = fields.get("modifier_subclass")
        if number is not None and number != TRACKER:
            self._places.discard(change.index)
            return
        body = index_of(fields.get("parent")) if number is not None else self._bodies.get(serial)
        if body is None:
            return
        self._places.add(change.index)
        self._bodies[serial] = body
        left = fields.get("float2_")
        if left is not None or number is not None:
            self._set(body, max(left, 0.0) if left is not None and isfinite(left) else 0.0)

    def _set(self, body: int, left: float) -> None:
        if self.left.get(body) != left:
            self.left[body] = left
            self._on_change()


#: Numbers of the ability of the urn's carrier, and of the modifier of a returned urn.
_URN, _RETURNED = name_hash("ability_golden_idol"), name_hash("modifier_citadel_idol_return")
_TRIGGER, _DISABLED = "CCitadelIdolReturnTrigger", "m_bDisabled"

MODIFIERS = TableSchema.of(
    "modifiers",
    "One row for each modifier (buff, debuff) on a unit: entries of the string table ActiveModifiers. Their "
    "names are not in EntityNames: only those of June 2026 are known.",
    *words("tick! seconds game_seconds end_tick end_seconds end_game_seconds"),
    *person_columns(),
    word("entity", "The affected unit; null if unknown."),
    word("kind", "hero, trooper, neutral, structure …: by the class of that unit."),
    *words("modifier modifier_id"),
    word("ability", "From which it comes; items too."),
    *words("ability_id"),
    *person_columns("caster_"),
    word("duration_seconds", "As sent; null if it has no end of its own."),
    word("stacks", "At its end."),
    word("most_stacks"),
    word("serial"),
)
URN = TableSchema.of(
    "urn",
    "One row for each event of the urn: a hero holds it or no longer holds it (modifiers of "
    "ability_golden_idol), it was returned (modifier_citadel_idol_return), a place of delivery opens or closes.",
    *words("tick! seconds game_seconds"),
    word("event", "picked_up, dropped, returned, delivery_opened or delivery_closed."),
    *person_columns(),
    Column("delivery_team", "int32", "Team of the place of delivery."),
    Column("delivery_side", "category", "Word of `delivery_team`."),
    *words("x y z"),
)


@TABLES.maker_of(MODIFIERS, URN)
class DeadlockModifiers(DeadlockFacts):
    jobs: ClassVar = Jobs(5, extra=32)
    string_tables = (TABLE,)
    fields: Mapping[str, Sequence[str]] = {
        PAWN: POSITION_FIELDS,
        _TRIGGER: (_DISABLED, "m_iTeamNum", *POSITION_FIELDS),
    }

    def attach(self, playback: Playback) -> None:
        self._early: list[tuple[int, StringTableChange]] = []
        self._there: dict[int, dict[str, Any]] = {}
        self._in_slot: dict[int, int] = {}
        self._seen: set[int] = set()
        self._carriers: dict[int, set[int]] = {}
        self._triggers: dict[int, bool] = {}
        playback.on_string_table(TABLE, self._on_table)
        self.match.watch((_DISABLED, "m_iTeamNum"), self._on_trigger, _TRIGGER)
        playback.after_packet(self._after_packet)

    def _on_table(self, change: StringTableChange, tick: int) -> None:
        self._early.append((tick, change))

    def _after_packet(self, _tick: int) -> None:
        """Process entries after the entities of their packet; the first entries precede all entities."""
        if self._early and self.match.entities.valid:
            news, self._early = self._early, []
            for tick, change in news:
                if change.sent:
                    self._on_change(tick, change.index, change.sent)

    def _on_change(self, tick: int, place: int, sent: bytes) -> None:
        fields = self.match.contents(tick, _ENTRY, sent, "one change of a modifier")
        if fields is None:
            return
        serial = fields.get("serial_number", 0)
        row = self._there.get(serial)
        if fields.get("entry_type") in REMOVED:
            if row is not None:
                self._end(tick, serial)
            return
        before = self._in_slot.get(place)
        if before is not None and before != serial and before in self._there:
            self._end(tick, before)
        self._in_slot[place] = serial
        if row is None:
            if serial in self._seen:  # a full packet repeats entries whose modifiers have ended
                return
            row = self._begin(tick, serial, fields)
        stacks = fields.get("stack_count")
        if stacks is not None:
            row["stacks"] = stacks
            row["most_stacks"] = max(stacks, row.get("most_stacks", stacks))

    def _begin(self, tick: int, serial: int, fields: Mapping[Any, Any]) -> dict[str, Any]:
        people, get = self.match.people, fields.get
        index = index_of(get("parent"))
        entity = people.entity(index)
        duration = get("duration")
        row = {
            "tick": tick,
            "serial": serial,
            **person_row(people.at(index)),
            "entity": index,
            "kind": None if entity is None else kind_of(entity.class_name),
            "modifier_id": get("modifier_subclass") or None,
            "ability_id": get("ability_subclass") or None,
            **person_row(people.at(index_of(get("caster"))), "caster_"),
            "duration_seconds": duration if duration is not None and duration >= 0 else None,
        }
        self._seen.add(serial)
        self._there[serial] = row
        self._rows.append(row)
        if row["ability_id"] == _URN and "player" in row:
            carried = self._carriers.setdefault(row["player"], set())
            if not carried:
                self._add_urn(tick, "picked_up", row)
            carried.add(serial)
        elif row["modifier_id"] == _RETURNED and "player" in row:
            self._add_urn(tick, "returned", row)
        return row

    def _end(self, tick: int, serial: int) -> None:
        row = self._there.pop(serial)
        row["end_tick"] = tick
        carried = self._carriers.get(row.get("player", -1), set())
        if serial in carried:
            carried.remove(serial)
            if not carried:
                self._add_urn(tick, "dropped", row)

    def _add_urn(self, tick: int, event: str, row: Mapping[str, Any]) -> None:
        people = self.match.people
        place = self.match.place_row(people.body(row["player"] + 1))
        person = person_row(people.slot(row["player"]))
        self.rows[URN.name].append({"tick": tick, "event": event, **person, **place})

    def _on_trigger(self, trigger: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            return
        team = number(trigger, "m_iTeamNum") or 0
        active = not trigger.get(_DISABLED) and team != 0
        before = self._triggers.get(trigger.handle, False)
        self._triggers[trigger.handle] = active
        if active != before:
            event = "delivery_opened" if active else "delivery_closed"
            row = {"tick": self.match.tick, "event": event, "delivery_team": team}
            self.rows[URN.name].append(row | self.match.place_row(trigger))

    def tables(self) -> Mapping[str, pa.Table]:
        self._after_packet(self.match.tick)
        self.rows[URN.name].sort(key=lambda row: row["tick"])
        return super().tables()
