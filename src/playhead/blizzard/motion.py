"""`UnitMotion`: the viewer's moving units, at the places that the tracker recorded last, and screens and orders of
players."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from playhead.presentation import motion
from playhead.runtime.cached import cached_property
from playhead.runtime.libraries import pa
from playhead.runtime.records import asdict


class UnitMotion(motion.Motion):
    """Units by `Replay.at`, which is cheap for ascending ticks.

    Attributes:
        hidden: starts of types of units that are bookkeeping of the game or of maps.
    """

    step_seconds = 1.0
    stretch_seconds = 30.0
    jump_distance = 14.0
    hidden: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def role(self, unit_type: str) -> str:
        """Return the role of a type of units."""

    def title(self, unit_type: str) -> str:
        """Return the name of a type of units for people."""
        return unit_type

    @cached_property
    def teams(self) -> dict[int | None, int | None]:
        """Teams by player."""
        return {player.player: player.team for player in self.replay.players}

    def inputs(self) -> Iterator[tuple[str, pa.Table]]:
        """Yield roles, and tables with the places of the screens or orders of players."""
        return iter(())

    def rows(self, start: int, end: int, step: int) -> motion.Rows:
        """Return the moving units; see `Motion.rows`."""
        rows = motion.Rows()
        teams = self.teams
        shown: dict[int, tuple[Any, ...]] = {}
        for tick in range(start, end + 1, step):
            units = self.replay.at(tick).units
            for tag in shown.keys() - units.keys():
                rows.add(tick, rows.places[str(tag)], None, None)
                del shown[tag]
            for tag, unit in units.items():
                row = (unit.x, unit.y, unit.finished, unit.unit_type, unit.player)
                team = teams.get(unit.player)
                if shown.get(tag) == row or unit.x is None or unit.unit_type.startswith(self.hidden):
                    continue
                key = str(tag)
                known = rows.places.get(key)
                thing = rows.new(key, self._about(unit)) if known is None else known
                rows.directory[thing]["kind"] = self.title(unit.unit_type)
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
        for role, table in self.inputs():
            columns = table.select(["tick", "player", "x", "y"]).drop_null().columns
            for tick, player, x, y in zip(*(column.to_pylist() for column in columns), strict=True):
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
        return {"kind": self.title(name), "player": unit.player or None, "role": self.role(name)}
