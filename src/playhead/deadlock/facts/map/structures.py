"""Table ``objectives``: guardians, walkers, barracks, shrines and patrons at each change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playhead.deadlock.facts import TABLES, columns
from playhead.deadlock.sources.entities import POSITION_FIELDS, index_of, number
from playhead.deadlock.sources.kinds import OBJECTIVES
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema

_FIELDS = ("m_iTeamNum", "m_iLane", "m_iHealth", "m_iMaxHealth", "m_ePhase", "m_lifeState")

OBJECTIVE_ROWS = TableSchema.of(
    "objectives",
    "One row for each objective when it is first seen, and at each change of its health, phase, team or lane; "
    "a last row at its fall.",
    *columns.TIME,
    Column("kind", "category", "guardian, walker, barracks, sentry, shrine or patron: by class."),
    columns.ENTITY,
    columns.ENTITY_SERIAL,
    columns.TEAM,
    columns.LANE,
    Column("health", "int32", "m_iHealth.", "hp"),
    Column("max_health", "int32", "m_iMaxHealth.", "hp"),
    Column("phase", "int32", "m_ePhase of a patron; 0 for other kinds."),
    *columns.PLACE,
    Column("fell", "bool", "It has no health, or a life state other than alive, or its entity was deleted."),
    *columns.person_columns("attacker_", "the player that the message BossKilled names for its fall"),
)


@TABLES.maker_of(OBJECTIVE_ROWS)
class DeadlockObjectives(DeadlockFacts):
    """Table ``objectives``."""

    fields: Mapping[str, Sequence[str]] = dict.fromkeys(OBJECTIVES, (*_FIELDS, *POSITION_FIELDS))

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self._shown: dict[int, tuple[Any, ...]] = {}
        self._last: dict[int, dict[str, Any]] = {}
        self._killers: list[tuple[int, int, dict[str, Any]]] = []

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        for name in OBJECTIVES:
            playback.entities.on_entity(FieldWatch(_FIELDS, self._on_entity), name)
        self.match.on_fields(playback, "k_EUserMsg_BossKilled", self._on_killed)

    def _on_killed(self, tick: int, fields: Mapping[Any, Any]) -> None:
        entity = index_of(fields.get("entity_killed"))
        person = self.match.people.at(index_of(fields.get("entity_killer")))
        if entity is not None:
            self._killers.append((tick, entity, columns.person_row(person, "attacker_")))

    def _on_entity(self, entity: Entity, op: EntityOp) -> None:
        tick, handle = self._playback.tick, entity.handle
        if op & EntityOp.DELETED:
            last = self._last.pop(handle, None)
            self._shown.pop(handle, None)
            if last is not None and not last["fell"]:
                self._rows.append({**last, "tick": tick, "fell": True})
            return
        team, lane, health, most, phase, life = (number(entity, name) for name in _FIELDS)
        fell = health == 0 or bool(life)
        shown = (team, lane, health, most, phase, fell)
        if shown == self._shown.get(handle):
            return
        self._shown[handle] = shown
        row = {
            "tick": tick,
            "kind": OBJECTIVES[entity.class_name],
            "entity": entity.index,
            "entity_serial": entity.serial,
            "team": team,
            "lane": lane or 0,
            "health": health,
            "max_health": most,
            "phase": phase or 0,
            **dict(zip("xyz", self.match.grid.corner_place(entity), strict=True)),
            "fell": fell,
        }
        self._rows.append(row)
        self._last[handle] = row

    def tables(self) -> Mapping[str, pa.Table]:
        for tick, entity, killer in self._killers:
            falls = [row for row in self._rows if row["entity"] == entity and row["fell"]]
            if falls:
                min(falls, key=lambda row: abs(row["tick"] - tick)).update(killer)
        for row in self._rows:  # the patron that decides the grid may come after the first rows
            row.update(zip("xyz", self.match.grid.world((row["x"], row["y"], row["z"])), strict=True))
        return {OBJECTIVE_ROWS.name: self.match.table(OBJECTIVE_ROWS, self._rows)}
