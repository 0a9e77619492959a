"""The viewer's moving entities of CS2: players, grenades with their ways, and the bomb."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from playhead.cs2.sources.clock import BOMB
from playhead.cs2.sources.maps import levels
from playhead.cs2.sources.pawn import PLACE_FIELDS, place
from playhead.cs2.sources.words import TEAMS
from playhead.presentation import map as shown
from playhead.presentation.map import Effect
from playhead.presentation.motion import THROWN
from playhead.source2.entities.entity import Entity
from playhead.source2.motion import Source2Motion

if TYPE_CHECKING:
    from playhead.presentation import PresentedReplay

_THROWER, _OWNER = "m_hThrower", "m_hOwnerEntity"
_CONTROLLER, _ACCOUNT = "m_hController", "m_steamID"
_HEIGHT = PLACE_FIELDS[4:]
_BOMBS = frozenset({"CC4", "CPlantedC4"})


class Cs2Motion(Source2Motion):
    """Players, and entities without health: grenades, and the bomb while no player carries it."""

    fields_read = Source2Motion.fields_read | {_THROWER, _OWNER, _ACCOUNT, *_HEIGHT}

    def __init__(self, replay: Any) -> None:
        super().__init__(replay)
        self._levels = levels(replay)
        slots: dict[int, dict[str | None, int]] = {}
        for player in replay.players:
            slots.setdefault(player.details.get("slot", player.player), {})[player.account] = player.player
        #: By slot that several people had one after another: their numbers by account.
        self._shared = {slot: held for slot, held in slots.items() if len(held) > 1}

    def place(self, entity: Entity) -> tuple[float, float] | None:
        """Return the coordinates at which an entity is drawn: the levels of a map are apart."""
        found = super().place(entity)
        if found is None or self._levels is None:
            return found
        return found[0], found[1] - self._levels.drop(place(entity)[2])

    def player_of(self, entity: Entity) -> int | None:
        """Return the number of the player that controls an entity: a slot may have had other people before."""
        slot = super().player_of(entity)
        handle = entity.get(_CONTROLLER)
        if slot not in self._shared or not isinstance(handle, int):
            return slot
        controller = self.entity_of(handle)
        account = None if controller is None else controller.get(_ACCOUNT)
        return self._shared[slot].get(str(account) if account else None, slot)

    def is_bare(self, entity: Entity) -> bool:
        """Return whether an entity without health is shown; see `Source2Motion.is_bare`."""
        if entity.class_name == "CC4":
            owner = entity.get(_OWNER)
            return not isinstance(owner, int) or self.entity_of(owner) is None
        return entity.class_name in _BOMBS or entity.class_name.endswith("Projectile")

    def team_of(self, entity: Entity) -> int | None:
        """Return the team of an entity; the bomb has none."""
        return None if entity.class_name in _BOMBS else super().team_of(entity)

    def _about(self, entities: Any, entity: Entity) -> Mapping[str, Any]:
        """Return the directory entry; a grenade belongs to the player that threw it."""
        about = {**super()._about(entities, entity)}
        if entity.class_name in _BOMBS:
            return {**about, "kind": "bomb", "role": "bomb"}
        if entity.class_name.endswith("Projectile"):
            thrower = entity.get(_THROWER)
            pawn = self.entity_of(thrower) if isinstance(thrower, int) else None
            about |= {"role": THROWN, "player": None if pawn is None else self.player_of(pawn)}
        return about


#: Tables that are read, in one pass.
_TABLES = ("bomb", "damage", "grenades", "infernos", "shots", "smokes")
#: Radius of a smoke and of a fire, in units: the game has no field with them.
_SMOKE, _FIRE = 144.0, 120.0
#: Length of the line of a shot without a hit, in units.
_SHOT = 500.0
#: Seconds for which shots, hits and bursts are shown, and until a bomb without a countdown explodes.
_SECONDS = {shown.SHOT: 0.15, shown.HIT: 0.5, shown.KILL: shown.KILL_SECONDS, shown.FLASH: 0.5, shown.BLAST: 0.5}
_BOMB = 40.0
#: What ends the countdown of a bomb.
_ENDS = ("defused", "exploded", "planted")
#: Weapons whose damage comes from no direction.
_NO_LINE = frozenset({"hegrenade", "inferno", "molotov", "incgrenade", "planted_c4", "world", "worldspawn"})
_BURSTS = {"flashbang": shown.FLASH, "hegrenade": shown.BLAST}


class _Effects:
    def __init__(self, replay: PresentedReplay) -> None:
        self._replay = replay
        self._rate = replay.info.ticks_per_second or 64.0
        self._last = replay.info.duration_ticks or 0
        self._levels = levels(replay)

    def _place(self, row: dict[str, Any], prefix: str = "") -> tuple[float, float] | None:
        """Return the place at which the columns of a row are drawn: the levels of a map are apart."""
        x, y, z = (row[f"{prefix}{axis}"] for axis in "xyz")
        if x is None or y is None:
            return None
        return round(x, 1), round(y - (self._levels.drop(z) if self._levels else 0.0), 1)

    def _rows(self, table: str, columns: str) -> list[dict[str, Any]]:
        return list(self._replay.table(table, columns=columns.split()).to_pylist())

    def _for(self, kind: str, tick: int) -> int:
        """Return the tick at which an effect of fixed length ends."""
        return tick + round(_SECONDS[kind] * self._rate)

    def hits(self) -> Iterator[Effect]:
        sides = "attacker_player attacker_side attacker_x attacker_y attacker_z victim_x victim_y victim_z"
        for row in self._rows("damage", f"tick weapon health_post {sides}"):
            at = self._place(row, "victim_")
            if at is None:
                continue
            kind, tick = shown.KILL if row["health_post"] == 0 else shown.HIT, row["tick"]
            line: tuple[float | None, float | None] | None
            line = None if row["weapon"] in _NO_LINE else self._place(row, "attacker_")
            side = TEAMS.get(row["attacker_side"] or "")
            line = line or (None, None)
            yield Effect(
                kind, tick, self._for(kind, tick), *at, line[0], line[1], 0.0, row["attacker_player"], side
            )

    def shots(self) -> Iterator[Effect]:
        for row in self._rows("shots", "tick player side x y z yaw"):
            at = self._place(row)
            if at is None or row["yaw"] is None:
                continue
            turn = math.radians(row["yaw"])
            end = round(at[0] + _SHOT * math.cos(turn), 1), round(at[1] + _SHOT * math.sin(turn), 1)
            tick, side = row["tick"], TEAMS.get(row["side"] or "")
            yield Effect(shown.SHOT, tick, self._for(shown.SHOT, tick), *at, *end, 0.0, row["player"], side)

    def clouds(self) -> Iterator[Effect]:
        for table, kind, radius in (("smokes", shown.SMOKE, _SMOKE), ("infernos", shown.FIRE, _FIRE)):
            for row in self._rows(table, "tick end_tick thrower_player thrower_side x y z"):
                at = self._place(row)
                if at is not None:
                    # The recording may end before a cloud does.
                    end = self._last if row["end_tick"] is None else row["end_tick"]
                    side = TEAMS.get(row["thrower_side"] or "")
                    yield Effect(
                        kind, row["tick"], end, *at, radius=radius, player=row["thrower_player"], team=side
                    )

    def bursts(self) -> Iterator[Effect]:
        for row in self._rows(
            "grenades", "kind detonation_tick detonation_x detonation_y detonation_z thrower_player thrower_side"
        ):
            kind, tick = _BURSTS.get(row["kind"] or ""), row["detonation_tick"]
            at = self._place(row, "detonation_")
            if kind is not None and tick is not None and at is not None:
                side = TEAMS.get(row["thrower_side"] or "")
                yield Effect(kind, tick, self._for(kind, tick), *at, player=row["thrower_player"], team=side)

    def bombs(self) -> Iterator[Effect]:
        """Yield the countdown of each planted bomb: it ends with the defusal or the explosion."""
        clock = self._replay.clock
        ends = {} if clock is None else {each[0]: each[2] for each in clock.countdowns if each[1].endswith(BOMB)}
        rows = self._rows("bomb", "tick event player side x y z")
        for number, row in enumerate(rows):
            at = self._place(row)
            if row["event"] != "planted" or at is None:
                continue
            later = (tick for tick in ends if 0 <= tick - row["tick"] <= self._rate)
            blows = ends.get(next(later, -1)) or row["tick"] + round(_BOMB * self._rate)
            later_rows = rows[number + 1 :]
            over = (each["tick"] for each in later_rows if each["event"] in _ENDS)
            end = round(min(next(over, blows), blows))
            yield Effect(shown.TIMER, row["tick"], end, *at, player=row["player"], due=round(blows))


def effects(replay: PresentedReplay) -> Iterator[Effect]:
    """Yield the short marks on the map."""
    replay.read_tables(_TABLES)
    made = _Effects(replay)
    for each in (made.hits, made.shots, made.clouds, made.bursts, made.bombs):
        yield from each()
