"""The viewer's moving tees, exact to the tick, with aim and keys; on their map also hooks, weapons and shots."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playhead.errors import ReplayError
from playhead.presentation.motion import (
    ALIVE,
    FIRE,
    FROZEN,
    HERO,
    HOOK,
    JUMP,
    NO_FACING,
    SHOT,
    THERE,
    Motion,
    Rows,
)
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND, WEAPONS

if TYPE_CHECKING:
    from playhead.teehistorian.physics.scenes import Scenes
    from playhead.teehistorian.physics.simulation import Simulation

#: Ticks for which a blow of a hammer is shown.
_BLOW = 6


class TeehistorianMotion(Motion):
    """Tees by `TeehistorianReplay.window`; with the map of the recording, as the simulation has them."""

    step_seconds = 0.02
    stretch_seconds = 10.0
    report_step_seconds = 0.1

    def __init__(self, replay: Any) -> None:
        super().__init__(replay)
        self._simulation: Simulation | None = None
        self._scenes: Scenes | None = None

    def use_map(self, path: str | Path) -> None:
        """Play the recording again on this map. Another map is ignored; `MapLook.files` refuses it too."""
        from playhead.teehistorian.physics.scenes import Scenes

        if Path(path).is_dir() or Path(path).suffix.lower() == ".map":
            try:
                self._simulation = self.replay.simulate(path)
            except (ReplayError, OSError, NotImplementedError):
                return
            self._scenes = Scenes(self._simulation)

    def doubts(self) -> Iterator[list[tuple[int, int]]]:
        """Yield stretches in which the simulation did not predict a position; see `Motion.doubts`."""
        while self._scenes is not None:
            more = self._scenes.advance()
            yield self._scenes.doubts()
            if not more:
                break

    def rows(self, start: int, end: int, step: int) -> Rows:
        """Return the moving tees; see `Motion.rows`. Every tick in which a tee of the file moved has a row."""
        replay: Any = self.replay
        rows = Rows()
        window = replay.window(min(start + 1, end), end)
        before = [tee for tee in replay.at(start).players if None not in (tee["client"], tee["player"])]
        if self._scenes is not None:
            self._scenes.until(end)
            if self._scenes.last_tick >= end or not self._scenes.ended:
                self._add_scenes(rows, start, end, step)
                return rows
        held: dict[int, tuple[float, int]] = {}
        for tee in before:
            if tee["x"] is not None:
                state = THERE | ALIVE | (HOOK if tee["hook"] else 0) | (FIRE if tee["fire"] else 0)
                thing = self._thing(rows, tee["player"], start)
                rows.add(
                    start, thing, tee["x"], tee["y"], facing=NO_FACING, state=state | (JUMP if tee["jump"] else 0)
                )
        inputs = window.inputs
        columns = ("tick", "player", "cursor_x", "cursor_y", "hook", "fire", "jump")
        keys = list(zip(*(inputs[name].to_pylist() for name in columns), strict=True))
        at = 0
        moves = window.positions
        shown = ("tick", "player", "x", "y", "event")
        for tick, player, x, y, event in zip(*(moves[column].to_pylist() for column in shown), strict=True):
            while at < len(keys) and keys[at][0] <= tick:
                _, one, cursor_x, cursor_y, hook, fire, jump = keys[at]
                state = (HOOK if hook else 0) | (FIRE if fire & 1 else 0) | (JUMP if jump else 0)
                held[one] = (math.atan2(cursor_y, cursor_x), state)
                at += 1
            if player is None:
                continue
            thing = self._thing(rows, player, tick)
            facing, state = held.get(player, (NO_FACING, 0))
            if event == "gone":
                rows.add(tick, thing, None, None)
            else:
                rows.add(tick, thing, x, y, facing=facing, state=THERE | ALIVE | state)
        return rows

    def _add_scenes(self, rows: Rows, start: int, end: int, step: int) -> None:
        """Add simulated tees and shots: a row where something changed."""
        assert self._scenes is not None
        rows.items = WEAPONS
        shown: dict[int, tuple[Any, ...]] = {}
        seen: dict[int, int] = {}
        for tick, player, x, y, *about in self._scenes.tees(start, end, step):
            velocity_x, velocity_y, angle, hook, hook_x, hook_y, weapon, freeze, deep, live, jumped, _ = about
            if player is None:
                continue
            hooks = hook in ("flying", "grabbed")
            state = THERE | ALIVE | (HOOK if hooks else 0) | (JUMP if jumped else 0)
            state |= FROZEN if freeze or deep or live else 0
            line = (hook_x, hook_y) if hooks else (math.nan, math.nan)
            moves = (velocity_x / TICKS_PER_SECOND, velocity_y / TICKS_PER_SECOND)
            row = (x, y, angle, state, *line, *moves, weapon)
            thing = self._thing(rows, player, tick)
            if seen.get(thing, tick) < tick - step:
                rows.add(seen[thing] + 1, thing, None, None)
            elif shown.get(thing) == row:
                seen[thing] = tick
                continue
            shown[thing], seen[thing] = row, tick
            rows.details[len(rows.ticks)] = (*line, *moves, WEAPONS.index(weapon))
            rows.add(tick, thing, x, y, facing=math.radians(angle), state=state)
        self._add_shots(rows, start, end, step, seen)
        for thing, last in seen.items():
            if last < end:
                rows.add(last + 1, thing, None, None)

    def _add_shots(self, rows: Rows, start: int, end: int, step: int, seen: dict[int, int]) -> None:
        assert self._scenes is not None
        for tick, key, kind, x, y, to_x, to_y in self._scenes.shots(max(0, start - _BLOW), end, step):
            blow = key.startswith("blow")
            known = rows.places.get(key)
            if known is None:
                known = rows.new(key, {"kind": kind, "name": None, "player": None, "role": SHOT})
            elif blow or to_x == to_x:  # a beam stays where it is
                seen[known] = tick
                continue
            rows.details[len(rows.ticks)] = (to_x, to_y, math.nan, math.nan, -1)
            rows.add(max(tick, start), known, x, y)
            seen[known] = tick + _BLOW if blow else tick

    def fields(self, tick: int, key: str) -> Mapping[str, Any]:
        """Return the facts of a tee, with the simulated ones if there is a map; see `Motion.fields`."""
        for tee in self.replay.at(tick).players:
            if str(tee["player"]) == key:
                return {**tee, **self._simulated(tick, tee["player"])}
        return super().fields(tick, key)

    def _simulated(self, tick: int, player: int) -> Mapping[str, Any]:
        from playhead.teehistorian.physics.scenes import COLUMNS

        if self._scenes is None:
            return {}
        self._scenes.until(tick)
        for row in self._scenes.tees(tick, tick):
            if row[1] == player:
                return dict(zip(COLUMNS, row, strict=True))
        return {}

    def _thing(self, rows: Rows, player: int, tick: int) -> int:
        """Return the number of a tee in the directory."""
        key = str(player)
        if key in rows.places:
            return rows.places[key]
        name = self.replay.name_of(player, tick)
        return rows.new(key, {"kind": "tee", "name": name, "player": player, "role": HERO})
