"""Table ``ziplines``: the nodes of zip lines at each change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playhead.deadlock.facts import TABLES
from playhead.deadlock.sources.entities import INDEX, POSITION_FIELDS
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

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
    """Table ``ziplines``."""

    fields: Mapping[str, Sequence[str]] = {
        _NODE: (*_NODE_FIELDS.values(), _CONNECTIONS, f"{_CONNECTIONS}.????", *POSITION_FIELDS)
    }

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self._shown: dict[int, dict[str, Any]] = {}

    def attach(self, playback: Playback) -> None:
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
