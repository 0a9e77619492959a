"""The viewer's moving units, at the places that the tracker recorded last, and screens and orders of players."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

from playhead.presentation import motion
from playhead.runtime.cached import cached_property
from playhead.runtime.records import asdict
from playhead.sc2.abilities.unit_types import display_name
from playhead.sc2.state.players.winner import STRUCTURES

_RESOURCES = ("MineralField", "Geyser", "RichMineral", "RichVespene")
#: Unit types that are bookkeeping of the game or of maps and have no place on the screen.
_NOT_SHOWN = tuple(
    "Beacon PathingBlocker Interact UnbuildablePlates UnbuildableBricks Larva InhibitorZone".split()
)
_STRUCTURES = STRUCTURES - {"LurkerDen"} | {"CreepTumor", "CreepTumorBurrowed", "CreepTumorQueen"}


class Sc2Motion(motion.Motion):
    """Units by `Replay.at`, which is cheap for ascending ticks."""

    step_seconds = 1.0
    stretch_seconds = 30.0
    jump_distance = 14.0

    def rows(self, start: int, end: int, step: int) -> motion.Rows:
        """Return the moving units; see `Motion.rows`."""
        rows = motion.Rows()
        teams = {player.player: player.team for player in self.replay.players}
        shown: dict[int, tuple[Any, ...]] = {}
        for tick in range(start, end + 1, step):
            units = self.replay.at(tick).units
            for tag in shown.keys() - units.keys():
                rows.add(tick, rows.places[str(tag)], None, None)
                del shown[tag]
            for tag, unit in units.items():
                row = (unit.x, unit.y, unit.finished, unit.unit_type, unit.player)
                team = teams.get(unit.player)
                if shown.get(tag) == row or unit.x is None or unit.unit_type.startswith(_NOT_SHOWN):
                    continue
                key = str(tag)
                known = rows.places.get(key)
                thing = rows.new(key, self._about(unit)) if known is None else known
                rows.directory[thing]["kind"] = display_name(unit.unit_type)
                shown[tag] = row
                state = motion.THERE | (motion.ALIVE if unit.finished else 0)
                rows.add(tick, thing, unit.x, unit.y, state=state, seen=unit.position_tick, team=team)
        for player, role in self._places:
            self._add_places(rows, player, role, (start, end, step), teams.get(player))
        return rows

    @cached_property
    def _places(self) -> dict[tuple[int, str], tuple[list[int], list[tuple[float, float]]]]:
        """Ticks and places of the screen and of the orders of each player, in order: all that replays without
        tracker events have."""
        found: dict[tuple[int, str], tuple[list[int], list[tuple[float, float]]]] = {}
        for table, role in (("camera", motion.CAMERA), ("commands", motion.ORDER)):
            columns = self.replay.table(table, columns=["tick", "player", "x", "y"]).drop_null()
            for tick, player, x, y in zip(*(column.to_pylist() for column in columns.columns), strict=True):
                ticks, places = found.setdefault((player, role), ([], []))
                ticks.append(tick)
                places.append((x, y))
        return found

    def _add_places(
        self, rows: motion.Rows, player: int, role: str, stretch: tuple[int, int, int], team: int | None
    ) -> None:
        """Add the screen or the orders of a player: the last place at each step."""
        start, end, step = stretch
        ticks, places = self._places[player, role]
        kind = "screen" if role == motion.CAMERA else "order"
        about = {"kind": kind, "player": player, "role": role}
        thing, shown = None, -1
        for tick in range(start, end + 1, step):
            last = bisect_right(ticks, tick) - 1
            if last in (-1, shown):
                continue
            shown = last
            thing = rows.new(f"{role} {player}", about) if thing is None else thing
            rows.add(tick, thing, *places[last], seen=ticks[last], team=team)

    def fields(self, tick: int, key: str) -> Mapping[str, Any]:
        """Return the facts of a unit; see `Motion.fields`."""
        role, _, player = key.partition(" ")
        if player.isdigit() and (int(player), role) in self._places:
            ticks, places = self._places[int(player), role]
            last = bisect_right(ticks, tick) - 1
            if last >= 0:
                return {"player": int(player), "tick": ticks[last], "x": places[last][0], "y": places[last][1]}
        unit: Any = self.replay.at(tick).units.get(int(key)) if key.isdigit() else None
        return super().fields(tick, key) if unit is None else asdict(unit)

    def _about(self, unit: Any) -> Mapping[str, Any]:
        """Return the directory entry of a unit."""
        name = unit.unit_type
        role = motion.BUILDING if name in _STRUCTURES else motion.UNIT
        if any(word in name for word in _RESOURCES):
            role = motion.RESOURCE
        return {"kind": display_name(name), "player": unit.player or None, "role": role}
