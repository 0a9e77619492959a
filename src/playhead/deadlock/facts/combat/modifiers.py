"""Tables ``modifiers`` and ``urn``: effects on units from start to end, and the urn, one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from playhead.deadlock.facts import TABLES
from playhead.deadlock.sources.barriers import REMOVED, TABLE
from playhead.deadlock.sources.entities import POSITION_FIELDS, index_of, number
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.deadlock.sources.names import name_hash
from playhead.deadlock.sources.people import PAWN, person_columns, person_row
from playhead.deadlock.sources.words import kind_of
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.source2.string_tables.items import StringTableChange
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

#: Numbers of the ability of the urn's carrier, and of the modifier of a returned urn.
_URN, _RETURNED = name_hash("ability_golden_idol"), name_hash("modifier_citadel_idol_return")
_ENTRY = "CModifierTableEntry"
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
    """Tables ``modifiers`` and ``urn``."""

    jobs: ClassVar = Jobs(5, extra=32)
    string_tables = (TABLE,)
    fields: Mapping[str, Sequence[str]] = {
        PAWN: POSITION_FIELDS,
        _TRIGGER: (_DISABLED, "m_iTeamNum", *POSITION_FIELDS),
    }

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self._early: list[tuple[int, StringTableChange]] = []
        self._there: dict[int, dict[str, Any]] = {}
        self._in_slot: dict[int, int] = {}
        self._seen: set[int] = set()
        self._carriers: dict[int, set[int]] = {}
        self._triggers: dict[int, bool] = {}

    def attach(self, playback: Playback) -> None:
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
