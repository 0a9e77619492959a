"""The viewer's moving entities: those with a place and health; the ground where they were; changes of a field."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from playhead.errors import ReplayError
from playhead.presentation import motion
from playhead.presentation.map import bounds_of
from playhead.presentation.picture import Places, ground_picture
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.messages.definitions import enumeration
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.packet import PacketReader
from playhead.source2.schema.patches import aliases_of

if TYPE_CHECKING:
    from playhead.presentation.picture import MapPicture
    from playhead.source2.container.frames import Frame
    from playhead.source2.entities.entity import Entity
    from playhead.source2.playback.playback import Playback

_BODY = "CBodyComponent."
_CELL_X, _CELL_Y, _X, _Y, _ANGLES = (
    _BODY + name for name in ("m_cellX", "m_cellY", "m_vecX", "m_vecY", "m_angRotation")
)
_HEALTH, _MAX_HEALTH, _LIFE, _TEAM = "m_iHealth", "m_iMaxHealth", "m_lifeState", "m_iTeamNum"
_PLAYER, _OWNER, _CONTROLLER = "m_nPlayerID", "m_nPlayerOwnerID", "m_hController"
_CELL_Z, _Z = _BODY + "m_cellZ", _BODY + "m_vecZ"
_EYES, _NAME = "m_angEyeAngles", "m_pEntity.m_nameStringTableIndex"
#: End of names of classes of players' own units.
_PAWN = "PlayerPawn"
#: Whether an enemy sees the entity.
_SPOTTED = "m_bSpotted"
_FIELDS = frozenset(
    (
        *(_CELL_X, _CELL_Y, _X, _Y, _ANGLES, _HEALTH, _MAX_HEALTH, _LIFE, _TEAM),
        *(_PLAYER, _OWNER, _CONTROLLER, _EYES, _NAME, _SPOTTED),
    )
)
_NAMES = "EntityNames"

#: Distance from the map's corner to its middle, in units.
_HALF_MAP = 16384
#: An entity index is the low bits of a handle; a handle with all bits set refers to no entity.
_INDEX, _NO_HANDLE = 0x3FFF, 0xFFFFFF


#: Moments at which all entities are read, and the least time between two.
_MOMENTS, _SECONDS = 12, 2.0
#: Words in names of classes whose entities are not on the ground: light, cameras, and places outside of the map.
_NOT_ON_IT = tuple(
    "World Sky Env Camera Fog Light Volume Particle TeamIntro TeamSelect WingmanIntro Lineup Observer "
    "Announcer Controller Visibility Viewers PlayerPawn Wearable Rope Projectile Text PanoramaTexture "
    "SoundEvent Tonemap WorldLayer Spectat Minimap MiniMap Water".split()
)


@cache
def _names_of(fields: frozenset[str]) -> Callable[[str], bool]:
    """Return a test for fields, under all names that they have had."""
    return cache(lambda name: not fields.isdisjoint((name, *aliases_of(name))))


class Source2Motion(motion.Motion):
    """Entities by their fields. It has its own playback, which continues where the last stretch ended.

    A game overrides the attributes below, `is_hero`, `sight` and `fixed`.

    Attributes:
        cell: side of the cells of entity coordinates, in units.
        fields_read: the fields to decode.
        skipped: starts of names of classes that are not decoded.
        hidden: words in names of classes that the map omits.
        buildings: words in names of classes of structures.
        units: words in names of classes of other units.
    """

    step_seconds = 0.2
    stretch_seconds = 10.0
    cell = 512
    fields_read = _FIELDS
    skipped: tuple[str, ...] = ()
    hidden: tuple[str, ...] = tuple("CCSObserverPawn Spectator Wearable Announcer Thinker Dummy".split())
    buildings = tuple("Tower Barracks Fort Building Ancient Boss Shrine Filler Watch Sentry Idol".split())
    units: tuple[str, ...] = ("Creep", "Courier", "NPC")

    def __init__(self, replay: Any) -> None:
        super().__init__(replay)
        self._is_read = _names_of(self.fields_read)
        self._shown: dict[str, bool] = {}
        self._playback: Playback | None = None
        self._tick: int | None = None
        self._changed: set[int] = set()

    @staticmethod
    def is_hero(class_name: str) -> bool:
        """Return whether a class is that of players' own units."""
        return class_name.endswith(_PAWN)

    def sight(self, entity: Entity) -> int:
        """Return the bits of the teams that see an entity; 0 if unknown."""
        first, second = self.sight_teams
        spotted = entity.get(_SPOTTED)
        own = {first: motion.SEEN_BY_FIRST, second: motion.SEEN_BY_SECOND}.get(entity.get(_TEAM) or 0)
        if spotted is None or own is None:
            return 0
        return motion.SEEN_BY_FIRST | motion.SEEN_BY_SECOND if spotted else own

    def place(self, entity: Entity) -> tuple[float, float] | None:
        """Return the coordinates of an entity; None if it has none."""
        get = entity.get
        cell_x, cell_y = get(_CELL_X), get(_CELL_Y) or 0
        if cell_x is None:
            return None
        x = cell_x * self.cell - _HALF_MAP + (get(_X) or 0.0)
        return x, cell_y * self.cell - _HALF_MAP + (get(_Y) or 0.0)

    def height(self, entity: Entity) -> float | None:
        """Return the height of an entity; None if it has none."""
        cell = entity.get(_CELL_Z)
        return None if cell is None else cell * self.cell - _HALF_MAP + (entity.get(_Z) or 0.0)

    def heights(self, tick: int) -> Iterator[tuple[str, float, float, float]]:
        """Yield class, place and height (NaN if unknown) of each entity at a tick.

        Heights are decoded from the first call on; the map alone needs none.
        """
        if self._playback is None:
            self._is_read = _names_of(self.fields_read | {_CELL_Z, _Z})
        for entity in self._at(tick).entities:
            place = self.place(entity) if entity.active else None
            if place is not None:
                height = self.height(entity)
                yield entity.class_name, *place, math.nan if height is None else height

    def ground(self, *, cell: float, step: float, near: int = 2) -> MapPicture | None:
        """Return the ground where players and other entities were, inside of the map's `extent`; see
        `ground_picture`. It seeks: nothing else may use this object meanwhile.
        """
        bounds = bounds_of(self.replay.presentation.map.extent(self.replay), 0.0)
        places = Places.of(list(_players(self.replay)), list(self._places_of_entities()))
        return ground_picture(places, cell=cell, step=step, near=near, bounds=bounds)

    def _places_of_entities(self) -> Iterator[tuple[float, float, float | None]]:
        """Yield places and heights of entities at a few moments."""
        replay = self.replay
        first, last = replay.first_tick, max(replay.first_tick, replay.brief_info.duration_ticks or 0)
        least = round(_SECONDS * (replay.brief_info.ticks_per_second or 30.0))
        step = max(least, (last - first) // _MOMENTS, 1)
        for tick in range(last, first - 1, -step)[: _MOMENTS + 1][::-1]:
            for name, x, y, z in self.heights(tick):
                if not any(word in name for word in _NOT_ON_IT) and (x or y):
                    yield x, y, z

    def _wanted(self, class_name: str) -> Callable[[str], bool] | None:
        return None if class_name.startswith(self.skipped) else self._is_read

    def _is_shown(self, class_name: str) -> bool:
        shown = self._shown.get(class_name)
        if shown is None:
            shown = self._shown[class_name] = not any(word in class_name for word in self.hidden)
        return shown

    def _at(self, tick: int) -> Playback:
        """Return the playback at the end of a tick: advance to a tick shortly ahead, otherwise seek."""
        replay: Any = self.replay
        if self._playback is None:
            self._playback = replay.playback((_NAMES,), wanted=self._wanted, on_problem=lambda *_: None)
            self._playback.entities.on_entity(lambda entity, op: self._changed.add(entity.index))
        if self._tick is None or not self._tick <= tick <= self._tick + 2 * self.stretch_seconds * 30:
            self._playback.seek(tick)
        else:
            self._playback.advance(tick)
        self._tick = tick
        return self._playback

    def rows(self, start: int, end: int, step: int) -> motion.Rows:
        """Return the moving entities; see `Motion.rows`."""
        rows = motion.Rows()
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
                if rows.directory[thing]["player"] is None:  # its player may have joined since
                    rows.directory[thing].update(self._about(entities, entity))
                x, y, facing, health, state, team = shown[index] = row
                handles[index] = entity.handle
                rows.add(tick, thing, x, y, facing=facing, health=health, state=state, team=team)
        return rows

    def is_bare(self, entity: Entity) -> bool:
        """Return whether an entity without health is shown."""
        return False

    def entity_of(self, handle: int) -> Entity | None:
        """Return the entity to which a handle refers; None if it is gone."""
        known = self._playback is not None and handle & _NO_HANDLE != _NO_HANDLE
        return self._playback.entities.find(handle & _INDEX) if known and self._playback is not None else None

    def player_of(self, entity: Entity) -> int | None:
        """Return the number of the player that controls an entity; None if none does."""
        controller = entity.get(_CONTROLLER)
        if not isinstance(controller, int) or controller & _NO_HANDLE == _NO_HANDLE:
            return None
        return (controller & _INDEX) - 1

    def team_of(self, entity: Entity) -> int | None:
        """Return the team of an entity at this moment; None if it has none."""
        found = entity.get(_TEAM)
        return found if isinstance(found, int) else None

    def _row(self, entity: Entity) -> tuple[float, float, float, float, int, int | None] | None:
        """Return place, facing, health, state and team of an entity; None if the map omits it."""
        get = entity.get
        health = get(_HEALTH)
        bare = health is None and self.is_bare(entity)
        if (health is None and not bare) or not self._is_shown(entity.class_name):
            return None
        place = self.place(entity)
        if place is None or (entity.class_name.endswith(_PAWN) and self.player_of(entity) is None):
            return None  # a pawn without a player yet
        most = get(_MAX_HEALTH) or 0
        if bare:
            return *place, motion.NO_FACING, 1.0, motion.THERE | motion.ALIVE, self.team_of(entity)
        if not most and not health:
            return None
        angles = get(_EYES) or get(_ANGLES)
        facing = round(math.radians(angles[1]), 3) if isinstance(angles, tuple) else motion.NO_FACING
        alive = (get(_LIFE) or 0) == 0 and health > 0
        share = min(1.0, max(0.0, health / most)) if most else 1.0
        state = motion.THERE | (motion.ALIVE if alive else 0) | self.sight(entity)
        return *place, facing, round(share, 3), state, self.team_of(entity)

    def _about(self, entities: Any, entity: Entity) -> Mapping[str, Any]:
        """Return the directory entry of an entity."""
        name = entity.class_name
        try:
            own = entities.npc_name(entity)
        except LookupError:
            own = None
        player = next((given for given in map(entity.get, (_PLAYER, _OWNER)) if isinstance(given, int)), None)
        player = self.player_of(entity) if player is None else player
        if self.is_hero(name):
            role = motion.HERO
        elif any(word in name for word in self.buildings):
            role = motion.BUILDING
        elif any(word in name for word in self.units):
            role = motion.UNIT
        else:
            role = motion.OTHER
        return {
            "kind": self.replay.presentation.wording.shown(own or name),
            "class": name,
            "index": entity.index,
            "player": player if isinstance(player, int) and player >= 0 else None,
            "role": role,
        }

    def fields(self, tick: int, key: str) -> Mapping[str, Any]:
        """Return the fields of an entity; see `Motion.fields`."""
        for unit in self.replay.at(tick).units.values():
            if str(unit.handle) == key:
                return {"class": unit.class_name, "index": unit.index, "serial": unit.serial, **unit.to_dict()}
        return super().fields(tick, key)

    def values(self, start: int, end: int, key: str, name: str) -> Iterator[motion.Change]:
        """Yield the values of a field, with the packets that set them; see `Motion.values`."""
        return field_changes(self.replay, start, end, key, name)


def _players(replay: Any) -> Iterator[tuple[float, float, float | None]]:
    """Yield the rows of table ``positions`` that have a place."""
    if "positions" not in replay.tables:
        return
    found = replay.presentation.map.drawn(replay, replay.table("positions"))
    columns = [found[axis].to_pylist() for axis in "xyz" if axis in found.column_names]
    for x, y, *z in zip(*columns, strict=True):
        if x is not None and y is not None:
            yield x, y, z[0] if z else None


class _Packets:
    """The packet that was played last, and its effect on one entity."""

    def __init__(self, playback: Any, handle: int) -> None:
        self._index = handle & _INDEX
        self._packet: tuple[int, Frame, Any] | None = None
        self._op: EntityOp | None = None
        self._commands = {number: name for name, number in enumeration("EDemoCommands").items()}
        playback.on_packet_data(self._on_data)
        playback.entities.on_entity(self._on_entity)

    def _on_data(self, number: int, frame: Frame, data: Any) -> None:
        self._packet = (number, frame, data)

    def _on_entity(self, entity: Any, op: EntityOp) -> None:
        if entity.index == self._index:
            self._op = op

    def why(self) -> dict[str, Any] | None:
        """Return the packet and message that touched the entity since the last call; None if none did."""
        op, self._op = self._op, None
        if op is None or self._packet is None:
            return None
        number, frame, data = self._packet
        place, size, count = _entities_in(data)
        return {
            "did": EntityOp(op).name or str(op),
            "message": "CSVCMsg_PacketEntities",
            "place": place,
            "count": count,
            "size": size,
            "packet": self._commands.get(frame.command, str(frame.command)),
            "tick": frame.tick,
            "frame": number,
            "offset": frame.offset,
        }


def _entities_in(data: Any) -> tuple[int | None, int | None, int]:
    """Return the place (from 1) and bytes of the message with entities in a packet, and how many it has."""
    place, size, count = None, None, 0
    reader = PacketReader(data)
    try:
        while reader.advance():
            count += 1
            if reader.id == Engine.PACKET_ENTITIES:
                place, size = count, reader.size
    except ReplayError:
        pass  # the rest of a damaged packet; `problems` has it
    return place, size, count


def field_changes(replay: Any, start: int, end: int, key: str, name: str) -> Iterator[motion.Change]:
    """Yield the value of a field at `start` and at every tick in which a packet touched its entity."""
    handle = int(key)
    only = {name}.__contains__
    playback = replay.playback((), wanted=lambda _class: only, on_problem=lambda *_: None)
    packets = _Packets(playback, handle)
    playback.seek(start)
    why = packets.why()
    for tick in range(start, end + 1):
        if tick > start:
            playback.advance(tick)
            why = packets.why()
            if why is None:
                continue
        found = playback.entities.find_by_handle(handle)
        yield motion.Change(tick, None if found is None else found.get(name), why)
