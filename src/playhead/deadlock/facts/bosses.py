"""Tables ``bosses``, ``boss_events``, ``rift``, ``flex_slots`` and ``sinners_sacrifice``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import hypot, isfinite
from typing import Any

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.damage import MESSAGE
from playhead.deadlock.sources.entities import POSITION_FIELDS, index_of, number, real
from playhead.deadlock.sources.game_clock import RULES_CLASS
from playhead.deadlock.sources.match import DeadlockFacts
from playhead.deadlock.sources.people import DeadlockPerson, person_columns, person_row
from playhead.deadlock.sources.words import MID_BOSS, SINNERS
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

#: entity_killed_class of BossKilled for the mid boss.
_MID_BOSS_CLASS = 8
#: event_type of RejuvStatus.
_PICKED_UP = 6
_REJUVENATOR = {_PICKED_UP: "picked_up", 7: "used", 8: "expired"}
_RULES = "m_pGameRules."
#: Fields of the Rift in the game rules.
CASH_IN, SCORING, PLACE_FIELD = (
    _RULES + name for name in ("m_timeKothCashInStarted", "m_nKothScoringTeam", "m_vKothCashInCurrentLocation")
)
_SPAWNER, _NODE, _LANE = "CCitadelItemKothSpawner", "CCitadelZipLineNode", "m_iPrimaryLane"
# A coordinate beyond the map.
_FAR = 1e6

BOSSES = TableSchema.of(
    "bosses",
    "One row for each life of the mid boss, with the rejuvenator that it left: messages MidBossSpawned, "
    "BossKilled and RejuvStatus, and its entity.",
    *words("tick! seconds game_seconds end_tick end_seconds end_game_seconds"),
    word("boss", "mid_boss."),
    *words("number x y z"),
    word("max_health", "When first seen."),
    *person_columns("attacker_"),
    word("by_team", "As the message BossKilled names it."),
    *words("by_side"),
    Column("taken_tick", "int32", "Tick at which the rejuvenator was picked up.", "ticks"),
    *person_columns("taker_"),
    Column("rejuvenator_end_tick", "int32", "Tick at which it was used up or expired.", "ticks"),
    Column("rejuvenator_outcome", "category", "used or expired."),
)
BOSS_EVENTS = TableSchema.of(
    "boss_events",
    "One row for each message about the mid boss or its rejuvenator: MidBossSpawned, BossKilled, RejuvStatus.",
    *words("tick! seconds game_seconds"),
    word("event", "spawned, killed, picked_up, used or expired."),
    word("boss", "mid_boss."),
    word("number", "Of the life in `bosses`."),
    *person_columns(),
)
RIFT = TableSchema.of(
    "rift",
    "One row for each Rift, announced or open: fields of the game rules, and its spawner.",
    *words("tick! seconds game_seconds end_tick end_seconds end_game_seconds number"),
    Column("announced_tick", "int32", "Tick at which its spawner appeared; null if not seen.", "ticks"),
    Column("opened_tick", "int32", "Tick at which it opened; null if it did not.", "ticks"),
    word("outcome", "captured or expired."),
    *words("winner_team winner_side"),
    word("lane", "Of the nearest node of a zip line; null without nodes."),
    *words("lane_id x y z"),
)
FLEX_SLOTS = TableSchema.of(
    "flex_slots",
    "One row for each message FlexSlotUnlocked.",
    *words("tick! seconds game_seconds team side"),
    Column("flex_slot", "int32", "flexslot_unlocked of the message: the game's number of the slot."),
)


@TABLES.maker_of(BOSSES, BOSS_EVENTS, FLEX_SLOTS)
class MidBoss(DeadlockFacts):
    fields: Mapping[str, Sequence[str]] = {
        MID_BOSS: ("m_iHealth", "m_iMaxHealth", "m_lifeState", *POSITION_FIELDS)
    }

    def attach(self, playback: Playback) -> None:
        self._lives = self.rows[BOSSES.name]
        for name, handler in (
            ("k_EUserMsg_MidBossSpawned", self._on_spawned),
            ("k_EUserMsg_BossKilled", self._on_killed),
            ("k_EUserMsg_RejuvStatus", self._on_rejuvenator),
            ("k_EUserMsg_FlexSlotUnlocked", self._on_slot),
        ):
            self.match.on_fields(playback, name, handler)
        self.match.watch(("m_iHealth", "m_lifeState"), self._on_boss, MID_BOSS)

    def _begin(self, tick: int) -> None:
        if not self._lives or "end_tick" in self._lives[-1]:
            self._lives.append({"tick": tick, "boss": "mid_boss", "number": len(self._lives) + 1})

    def _tell(self, tick: int, event: str, team: Any = None, person: DeadlockPerson | None = None) -> None:
        row = {"tick": tick, "event": event, "boss": "mid_boss", "number": len(self._lives)}
        self.rows[BOSS_EVENTS.name].append(row | person_row(person) | {"team": team})

    def _on_spawned(self, tick: int, _fields: Mapping[Any, Any]) -> None:
        self._begin(tick)
        self._tell(tick, "spawned")

    def _on_boss(self, boss: Entity, op: EntityOp) -> None:
        tick = self.match.tick
        dead = bool(op & EntityOp.DELETED) or bool(number(boss, "m_lifeState")) or number(boss, "m_iHealth") == 0
        if not dead:
            self._begin(tick)
            self._lives[-1].setdefault("max_health", number(boss, "m_iMaxHealth"))
            self._lives[-1].setdefault("corner", self.match.grid.corner_place(boss))
        elif self._lives:
            self._lives[-1].setdefault("end_tick", tick)

    def _on_killed(self, tick: int, fields: Mapping[Any, Any]) -> None:
        killed = self.match.people.entity(index_of(fields.get("entity_killed")))
        is_boss = killed is not None and killed.class_name == MID_BOSS
        if not is_boss and fields.get("entity_killed_class") != _MID_BOSS_CLASS:
            return
        if not self._lives:
            self._begin(tick)  # its birth is before the recording
        person = self.match.people.at(index_of(fields.get("entity_killer")))
        life = self._lives[-1]
        life.setdefault("end_tick", tick)
        life |= {"by_team": fields.get("objective_team"), **person_row(person, "attacker_")}
        self._tell(tick, "killed", life["by_team"], person)

    def _on_rejuvenator(self, tick: int, fields: Mapping[Any, Any]) -> None:
        what = fields.get("event_type")
        if what not in _REJUVENATOR:
            return
        if not self._lives:
            self._begin(tick)
        life = self._lives[-1]
        person = self.match.people.at(index_of(fields.get("player_pawn")))
        self._tell(tick, _REJUVENATOR[what], fields.get("user_team"), person)
        if what == _PICKED_UP:
            life |= {"taken_tick": tick, **person_row(person, "taker_")}
        else:
            life |= {"rejuvenator_end_tick": tick, "rejuvenator_outcome": _REJUVENATOR[what]}
        life["taker_team"] = fields.get("user_team", life.get("taker_team"))

    def _on_slot(self, tick: int, fields: Mapping[Any, Any]) -> None:
        row = {"tick": tick, "team": fields.get("team_number"), "flex_slot": fields.get("flexslot_unlocked")}
        self.rows[FLEX_SLOTS.name].append(row)


@TABLES.maker_of(RIFT)
class Rift(DeadlockFacts):
    fields: Mapping[str, Sequence[str]] = {
        RULES_CLASS: (CASH_IN, SCORING, PLACE_FIELD),
        _SPAWNER: POSITION_FIELDS,
        _NODE: (_LANE, *POSITION_FIELDS),
    }

    def attach(self, playback: Playback) -> None:
        self._open = False
        playback.entities.on_entity(self._on_spawner, _SPAWNER, EntityOp.CREATED)
        self.match.watch((CASH_IN, SCORING, PLACE_FIELD), self._on_rules, RULES_CLASS)

    def _add(self, **values: Any) -> None:
        self._rows.append({"tick": self.match.tick, "number": len(self._rows) + 1, **values})

    def _on_spawner(self, spawner: Entity, _op: EntityOp) -> None:
        if not self._open:
            self._add(announced_tick=self.match.tick, **self.match.place_row(spawner))

    def _on_rules(self, rules: Entity, _op: EntityOp) -> None:
        """A time of the cash-in above 0 means that the Rift is open."""
        tick = self.match.tick
        started, team = real(rules, CASH_IN) or 0.0, number(rules, SCORING) or 0
        is_open = started > 0.0 and isfinite(started)
        if is_open and not self._open:
            if not self._rows or "opened_tick" in self._rows[-1]:
                self._add()
            self._rows[-1]["opened_tick"] = tick
            self._contested = team <= 0
        if not (is_open or self._open):
            return
        row = self._rows[-1]
        where = rules.get(PLACE_FIELD)
        if is_open and isinstance(where, tuple) and any(where) and all(abs(part) < _FAR for part in where):
            row |= dict(zip("xyz", map(float, where), strict=False))
        if team <= 0:
            self._contested = True
        elif self._contested and "end_tick" not in row:
            row |= {"end_tick": tick, "outcome": "captured", "winner_team": team}
        if self._open and not is_open and "end_tick" not in row:
            row |= {"end_tick": tick, "outcome": "expired"}
        self._open = is_open

    def _lane(self, x: float | None, y: float | None) -> int | None:
        """Return the lane of the node nearest to a place."""
        found: list[tuple[float, int]] = []
        for node in self.match.entities.find_all_by_class_name(_NODE):
            lane, (at_x, at_y, _) = number(node, _LANE), self.match.grid.place(node)
            if lane and None not in (x, y, at_x, at_y):
                found.append((hypot(at_x - x, at_y - y), lane))  # type: ignore[operator]
        return min(found)[1] if found else None

    def tables(self) -> Mapping[str, pa.Table]:
        for row in self._rows:
            row["lane_id"] = self._lane(row.get("x"), row.get("y"))
        return super().tables()


_FIELDS = ("m_iHealth", "m_iMaxHealth", "m_iTeamNum", "m_lifeState")

SINNERS_SACRIFICE = TableSchema.of(
    "sinners_sacrifice",
    "One row for each event of a Sinner's Sacrifice (CNPC_Neutral_SinnersSacrifice, also of the hideout): it "
    "appeared; it was hit, by a message Damage or by a loss of health without one; it was restored.",
    *words("tick! seconds game_seconds"),
    word("event", "spawned, hit or reset."),
    *words("entity entity_serial"),
    *person_columns("attacker_"),
    word("damage", "Of the message, or the lost health; null for other events."),
    *words("health max_health team side x y z"),
)


@TABLES.maker_of(SINNERS_SACRIFICE)
class SinnersSacrifice(DeadlockFacts):
    fields: Mapping[str, Sequence[str]] = dict.fromkeys(SINNERS, (*_FIELDS, *POSITION_FIELDS))

    def attach(self, playback: Playback) -> None:
        self._health: dict[int, int | None] = {}
        self.match.watch(_FIELDS, self._on_machine, *SINNERS)
        self.match.on_fields(playback, MESSAGE, self._on_damage)

    def _add(self, machine: Entity, event: str, **values: Any) -> None:
        row: dict[str, Any] = {"tick": self.match.tick, "event": event, "entity": machine.index}
        row["corner"] = self.match.grid.corner_place(machine)
        row |= {"entity_serial": machine.serial, "health": number(machine, "m_iHealth")}
        row |= {"max_health": number(machine, "m_iMaxHealth"), "team": number(machine, "m_iTeamNum")}
        self._rows.append(row | values)

    def _on_machine(self, machine: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            self._health.pop(machine.handle, None)
            return
        known, now = machine.handle in self._health, number(machine, "m_iHealth")
        before = self._health.get(machine.handle)
        self._health[machine.handle] = now
        if not known:
            self._add(machine, "spawned")
        elif before is not None and now is not None and now != before:
            if now > before:
                self._add(machine, "reset")
            else:
                self._add(machine, "hit", damage=before - now)

    def _on_damage(self, tick: int, fields: Mapping[Any, Any]) -> None:
        """A message comes after the entities of its packet: it replaces the loss of health of that packet."""
        machine = self.match.people.entity(fields.get("entindex_victim"))
        if machine is None or machine.class_name not in SINNERS:
            return
        last = self._rows[-1] if self._rows else {}
        alone = last.get("tick") == tick and last.get("entity") == machine.index and last.get("event") == "hit"
        if alone and "attacker_player" not in last:
            self._rows.pop()
        person = self.match.people.at(fields.get("entindex_attacker"))
        attacker = {"attacker_player": None, **person_row(person, "attacker_")}
        self._add(machine, "hit", damage=fields.get("damage"), **attacker)
