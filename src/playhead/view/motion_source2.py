"""What moves in Source 2 recordings: entities that have a place and health."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from playhead.source2.schema.patches import aliases_of
from playhead.view.inspect_source2 import entity_values
from playhead.view.motion import (
    ALIVE,
    BUILDING,
    HERO,
    NO_FACING,
    OTHER,
    SEEN_BY_2,
    SEEN_BY_3,
    THERE,
    UNIT,
    Change,
    Motion,
    Rows,
)

if TYPE_CHECKING:
    from playhead.source2.entities.entity import Entity
    from playhead.source2.playback.playback import Playback

_BODY = "CBodyComponent."
_CELL_X, _CELL_Y, _X, _Y, _ANGLES = (
    _BODY + name for name in ("m_cellX", "m_cellY", "m_vecX", "m_vecY", "m_angRotation")
)
_HEALTH, _MAX_HEALTH, _LIFE, _TEAM = "m_iHealth", "m_iMaxHealth", "m_lifeState", "m_iTeamNum"
_PLAYER, _OWNER, _CONTROLLER = "m_nPlayerID", "m_nPlayerOwnerID", "m_hController"
_EYES, _NAME = "m_angEyeAngles", "m_pEntity.m_nameStringTableIndex"
#: Who sees it: bits by team number in Dota 2 (4 and 8 for teams 2 and 3), in CS2 whether an enemy does.
_VISIBLE_BY, _SPOTTED = "m_iTaggedAsVisibleByTeam", "m_bSpotted"
_FIELDS = frozenset(
    (*(_CELL_X, _CELL_Y, _X, _Y, _ANGLES, _HEALTH, _MAX_HEALTH, _LIFE, _TEAM), *(_PLAYER, _OWNER, _CONTROLLER))
) | {_EYES, _NAME, _VISIBLE_BY, _SPOTTED}
_NAMES = "EntityNames"

#: The map's corner is so many units from its middle, and cells are so wide: Dota 2 has its own
#: (docs/dota2.md), the others are as in docs/cs2-deadlock.md.
_HALF_MAP = 16384
_CELLS = {"dota": 128}
_CELL = 512
#: An entity index is the low bits of a handle; one with all bits set is none.
_INDEX, _NO_HANDLE = 0x3FFF, 0xFFFFFF

_BUILDINGS = tuple("Tower Barracks Fort Building Ancient Boss Shrine Filler Watch Sentry Idol".split())
_NOT_SHOWN = ("CCSObserverPawn", "Spectator", "Wearable", "Announcer", "Thinker", "Dummy", "CDOTAPlayer")


@cache
def _is_shown(class_name: str) -> bool:
    return not any(word in class_name for word in _NOT_SHOWN)


def _wanted(class_name: str) -> Callable[[str], bool] | None:
    return None if class_name.startswith(("CDOTAWearable", "CDOTABaseAbility")) else _is_read


@cache
def _is_read(name: str) -> bool:
    """Whether a field is read here, under any name that it has had."""
    return not _FIELDS.isdisjoint((name, *aliases_of(name)))


def _seen(entity: Entity) -> int:
    """Return the bits of the teams that see an entity; none where the recording does not say."""
    visible = entity.get(_VISIBLE_BY)
    if isinstance(visible, int):
        return (SEEN_BY_2 if visible & 4 else 0) | (SEEN_BY_3 if visible & 8 else 0)
    spotted, own = entity.get(_SPOTTED), {2: SEEN_BY_2, 3: SEEN_BY_3}.get(entity.get(_TEAM) or 0)
    if spotted is None or own is None:
        return 0
    return SEEN_BY_2 | SEEN_BY_3 if spotted else own


class Source2Motion(Motion):
    """Entities by their fields; a playhead of its own that goes on where the last stretch ended."""

    step_seconds = 0.2
    stretch_seconds = 10.0

    def __init__(self, replay: Any) -> None:
        super().__init__(replay)
        self._cell = _CELLS.get(replay.info.game, _CELL)
        self._playback: Playback | None = None
        self._tick: int | None = None
        self._changed: set[int] = set()

    def _at(self, tick: int) -> Playback:
        """Return the playhead at the end of a tick: moved on, if it is there already, otherwise by a seek."""
        replay: Any = self.replay
        if self._playback is None:
            self._playback = replay.playback((_NAMES,), wanted=_wanted, on_problem=lambda *_: None)
            self._playback.entities.on_entity(lambda entity, op: self._changed.add(entity.index))
        if self._tick is None or not self._tick <= tick <= self._tick + 2 * self.stretch_seconds * 30:
            self._playback.seek(tick)
        else:
            self._playback.advance(tick)
        self._tick = tick
        return self._playback

    def rows(self, start: int, end: int, step: int) -> Rows:
        """Return what moves; see `Motion.rows`."""
        rows = Rows()
        shown: dict[int, tuple[Any, ...]] = {}
        handles: dict[int, int] = {}
        for tick in range(start, end + 1, step):
            entities = self._at(tick).entities
            found = [entity.index for entity in entities] if tick == start else sorted(self._changed)
            self._changed.clear()
            for index in found:
                entity = entities.find(index)
                if index in handles and (entity is None or entity.handle != handles[index] or not entity.active):
                    before = handles.pop(index)
                    shown.pop(index, None)
                    rows.add(tick, rows.places[str(before)], None, None)
                if entity is None or not entity.active:
                    continue
                row = self._row(entity)
                if row is None or shown.get(index) == row:
                    continue
                key = str(entity.handle)
                known = rows.places.get(key)
                thing = rows.new(key, self._about(entities, entity)) if known is None else known
                x, y, facing, health, state = shown[index] = row
                handles[index] = entity.handle
                rows.add(tick, thing, x, y, facing=facing, health=health, state=state)
        return rows

    def _row(self, entity: Entity) -> tuple[float, float, float, float, int] | None:
        """Return place, facing, health and state of an entity; None for what is not shown."""
        get = entity.get
        health, cell_x = get(_HEALTH), get(_CELL_X)
        if health is None or cell_x is None or not _is_shown(entity.class_name):
            return None
        most = get(_MAX_HEALTH) or 0
        if not most and not health:
            return None
        cell_y = get(_CELL_Y) or 0
        x = cell_x * self._cell - _HALF_MAP + (get(_X) or 0.0)
        y = cell_y * self._cell - _HALF_MAP + (get(_Y) or 0.0)
        angles = get(_EYES) or get(_ANGLES)
        facing = round(math.radians(angles[1]), 3) if isinstance(angles, tuple) else NO_FACING
        alive = (get(_LIFE) or 0) == 0 and health > 0
        share = min(1.0, max(0.0, health / most)) if most else 1.0
        return x, y, facing, round(share, 3), THERE | (ALIVE if alive else 0) | _seen(entity)

    def _about(self, entities: Any, entity: Entity) -> Mapping[str, Any]:
        """Return what an entity is."""
        name = entity.class_name
        try:
            own = entities.npc_name(entity)
        except LookupError:
            own = None
        player = next((given for given in map(entity.get, (_PLAYER, _OWNER)) if isinstance(given, int)), None)
        controller = entity.get(_CONTROLLER)
        if player is None and isinstance(controller, int) and controller & _NO_HANDLE != _NO_HANDLE:
            player = (controller & _INDEX) - 1
        if "_Hero_" in name or name.endswith("PlayerPawn"):
            role = HERO
        elif any(word in name for word in _BUILDINGS):
            role = BUILDING
        elif "Creep" in name or "Courier" in name or "NPC" in name:
            role = UNIT
        else:
            role = OTHER
        return {
            "kind": own or name,
            "class": name,
            "index": entity.index,
            "player": player if isinstance(player, int) and player >= 0 else None,
            "team": entity.get(_TEAM),
            "role": role,
        }

    def fields(self, tick: int, key: str) -> Mapping[str, Any]:
        """Return the fields of an entity; see `Motion.fields`."""
        for unit in self.replay.at(tick).units.values():
            if str(unit.handle) == key:
                return {"class": unit.class_name, "index": unit.index, "serial": unit.serial, **unit.to_dict()}
        return super().fields(tick, key)

    def values(self, start: int, end: int, key: str, name: str) -> Iterator[Change]:
        """Yield the values of a field, with the packets that brought them; see `Motion.values`."""
        return entity_values(self.replay, start, end, key, name)

    def fixed(self) -> Iterator[tuple[str, float, float]]:
        """Yield the trees that stand in the middle of the recording."""
        last = self.replay.info.duration_ticks or 0
        for entity in self._at(last // 2).entities:
            cell_x, cell_y = entity.get(_CELL_X), entity.get(_CELL_Y)
            if "Tree" in entity.class_name and cell_x is not None and cell_y is not None:
                x = cell_x * self._cell - _HALF_MAP + (entity.get(_X) or 0.0)
                yield "tree", x, cell_y * self._cell - _HALF_MAP + (entity.get(_Y) or 0.0)
