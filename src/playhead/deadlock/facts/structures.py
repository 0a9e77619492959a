"""Tables ``structures``, ``structure_series`` and ``ziplines``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playhead.deadlock.facts import TABLES
from playhead.deadlock.sources.entities import INDEX, POSITION_FIELDS, index_of, number
from playhead.deadlock.sources.match import DeadlockFacts
from playhead.deadlock.sources.people import person_columns, person_row
from playhead.deadlock.sources.words import STRUCTURES
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_FIELDS = {
    "team": "m_iTeamNum",
    "lane_id": "m_iLane",
    "health": "m_iHealth",
    "max_health": "m_iMaxHealth",
    "phase_id": "m_ePhase",
    "_life": "m_lifeState",
}
_KIND = word("kind", "guardian, walker, barracks, sentry, shrine or patron: by class.", required=True)

STRUCTURE_ROWS = TableSchema.of(
    "structures",
    "One row for each structure: it ends when it has no health, a life state other than alive, or no entity. The "
    "message BossKilled names the attacker.",
    *words("tick! seconds game_seconds end_tick end_seconds end_game_seconds"),
    _KIND,
    *words("entity entity_serial team side lane lane_id"),
    word("health", "At the end of the recording; 0 once it fell."),
    *words("max_health x y z"),
    *person_columns("attacker_"),
)
STRUCTURE_SERIES = TableSchema.of(
    "structure_series",
    "One row for each structure when it is first seen, and at each change of its health, phase, team or lane; a "
    "last row at its end.",
    *words("tick! seconds game_seconds"),
    _KIND,
    *words("entity entity_serial team side lane lane_id health max_health"),
    Column("phase_id", "int64", "m_ePhase of a patron; 0 for other kinds."),
    *words("x y z"),
    Column("destroyed", "bool", "It has ended."),
    group="series",
)


@TABLES.maker_of(STRUCTURE_ROWS, STRUCTURE_SERIES)
class DeadlockStructures(DeadlockFacts):
    fields: Mapping[str, Sequence[str]] = dict.fromkeys(STRUCTURES, (*_FIELDS.values(), *POSITION_FIELDS))

    def attach(self, playback: Playback) -> None:
        self._lives: dict[int, dict[str, Any]] = {}
        self._last: dict[int, dict[str, Any]] = {}
        self._killers: list[tuple[int, int, dict[str, Any]]] = []
        self.match.watch(tuple(_FIELDS.values()), self._on_entity, *STRUCTURES)
        self.match.on_fields(playback, "k_EUserMsg_BossKilled", self._on_killed)

    def _on_killed(self, tick: int, fields: Mapping[Any, Any]) -> None:
        entity = index_of(fields.get("entity_killed"))
        person = self.match.people.at(index_of(fields.get("entity_killer")))
        if entity is not None:
            self._killers.append((tick, entity, person_row(person, "attacker_")))

    def _on_entity(self, entity: Entity, op: EntityOp) -> None:
        tick, handle = self.match.tick, entity.handle
        last, series = self._last.get(handle), self.rows[STRUCTURE_SERIES.name]
        if op & EntityOp.DELETED:
            self._last.pop(handle, None)
            if last is not None and not last["destroyed"]:
                series.append({**last, "tick": tick, "destroyed": True})
                self._lives.pop(handle)["end_tick"] = tick
            return
        state = {name: number(entity, field) for name, field in _FIELDS.items()}
        destroyed = bool(state.pop("_life")) or state["health"] == 0
        state = {**state, "lane_id": state["lane_id"] or 0, "phase_id": state["phase_id"] or 0}
        row: dict[str, Any] = {**state, "destroyed": destroyed}
        if last is not None and row.items() <= last.items():
            return
        row |= {"tick": tick, "kind": STRUCTURES[entity.class_name], "entity": entity.index}
        row |= {"entity_serial": entity.serial, "corner": self.match.grid.corner_place(entity)}
        series.append(row)
        self._last[handle] = row
        if handle not in self._lives:
            self._lives[handle] = {name: row.get(name) for name in STRUCTURE_ROWS.column_names if name in row}
            self._lives[handle]["corner"] = row["corner"]
            self.rows[STRUCTURE_ROWS.name].append(self._lives[handle])
        life = self._lives[handle]
        life |= {"health": state["health"], "team": state["team"]}
        if destroyed and life.get("end_tick") is None:
            life["end_tick"] = tick
        elif not destroyed:
            life["end_tick"] = None  # a patron is back

    def tables(self) -> Mapping[str, pa.Table]:
        for tick, entity, killer in self._killers:
            ends = [
                row for row in self.rows[STRUCTURE_ROWS.name] if row["entity"] == entity and row.get("end_tick")
            ]
            if ends:
                min(ends, key=lambda row: abs(row["end_tick"] - tick)).update(killer)
        return super().tables()


_NODE = "CCitadelZipLineNode"
_NODE_FIELDS = {
    "team": "m_iTeamNum",
    "lane_id": "m_iPrimaryLane",
    "capture_state_id": "m_eCaptureState",
    "capturable": "m_bCapturable",
    "cumulative_distance": "m_flCumulativeDistance",
}
_CONNECTIONS, _MOST_CONNECTIONS = "m_vecConnections", 256

ZIPLINES = TableSchema.of(
    "ziplines",
    "One row for each node of a zip line when it is first seen, at each change of its team, state, lane or "
    "connections, when it leaves the recording's view, and when it is removed.",
    *words("tick! seconds game_seconds entity entity_serial"),
    word("change", "observed, owner_changed, changed, left or removed."),
    *words("team side lane lane_id"),
    Column("capture_state_id", "int64", "m_eCaptureState: the game's number."),
    Column("capturable", "bool", "m_bCapturable."),
    Column(
        "cumulative_distance",
        "float32",
        "m_flCumulativeDistance: length of the line up to the node; null where the build lacks it.",
        "map units",
    ),
    Column("connections", "list<int32>", "Indexes of the entities of the connected nodes: m_vecConnections."),
    *words("x y z"),
)


@TABLES.maker_of(ZIPLINES)
class Ziplines(DeadlockFacts):
    fields: Mapping[str, Sequence[str]] = {
        _NODE: (*_NODE_FIELDS.values(), _CONNECTIONS, f"{_CONNECTIONS}.????", *POSITION_FIELDS)
    }

    def attach(self, playback: Playback) -> None:
        self._shown: dict[int, dict[str, Any]] = {}
        self.match.watch((*_NODE_FIELDS.values(), _CONNECTIONS), self._on_node, _NODE)

    def _on_node(self, node: Entity, op: EntityOp) -> None:
        known = self._shown.get(node.handle)
        if op & (EntityOp.DELETED | EntityOp.LEFT):
            if known is not None:
                change = "removed" if op & EntityOp.DELETED else "left"
                self._rows.append({**known, "tick": self.match.tick, "change": change})
            if op & EntityOp.DELETED:
                self._shown.pop(node.handle, None)
            return
        row = {name: node.get(field) for name, field in _NODE_FIELDS.items()}
        count = min(node.get(_CONNECTIONS) or 0, _MOST_CONNECTIONS)
        ends = (node.get(f"{_CONNECTIONS}.{at:04}") for at in range(count))
        row["connections"] = [end & INDEX for end in ends if isinstance(end, int)]
        if known is not None and row.items() <= known.items():
            return
        row |= {"entity": node.index, "entity_serial": node.serial, "corner": self.match.grid.corner_place(node)}
        self._shown[node.handle] = row
        changed = "observed" if known is None else "changed" if known["team"] == row["team"] else "owner_changed"
        self._rows.append({**row, "tick": self.match.tick, "change": changed})
