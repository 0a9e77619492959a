"""The viewer's moving tees, exact to the tick, with their aim and keys."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from playhead.presentation.motion import ALIVE, FIRE, HERO, HOOK, JUMP, NO_FACING, THERE, Motion, Rows


class TeehistorianMotion(Motion):
    """Tees by `TeehistorianReplay.window`."""

    step_seconds = 0.02
    stretch_seconds = 10.0
    report_step_seconds = 0.1

    def rows(self, start: int, end: int, step: int) -> Rows:
        """Return the moving tees; see `Motion.rows`. Every tick in which a tee moved has a row, for any step."""
        replay: Any = self.replay
        rows = Rows()
        who: dict[int, Mapping[str, Any]] = {}
        held: dict[int, tuple[float, int]] = {}
        for tee in replay.at(start).players:
            if tee["client"] is None or tee["player"] is None:
                continue
            who[tee["player"]] = tee
            if tee["x"] is not None:
                state = THERE | ALIVE | (HOOK if tee["hook"] else 0) | (FIRE if tee["fire"] else 0)
                key = str(tee["player"])
                known = rows.places.get(key)
                thing = rows.new(key, _about(tee)) if known is None else known
                rows.add(
                    start, thing, tee["x"], tee["y"], facing=NO_FACING, state=state | (JUMP if tee["jump"] else 0)
                )
        window = replay.window(min(start + 1, end), end)
        inputs = window.inputs
        columns = ("tick", "player", "target_x", "target_y", "hook", "fire", "jump")
        keys = list(zip(*(inputs[name].to_pylist() for name in columns), strict=True))
        at = 0
        moves = window.positions
        columns = ("tick", "player", "x", "y", "event", "name", "client")
        for tick, player, x, y, event, name, client in zip(
            *(moves[column].to_pylist() for column in columns), strict=True
        ):
            while at < len(keys) and keys[at][0] <= tick:
                _, one, target_x, target_y, hook, fire, jump = keys[at]
                state = (HOOK if hook else 0) | (FIRE if fire & 1 else 0) | (JUMP if jump else 0)
                held[one] = (math.atan2(target_y, target_x), state)
                at += 1
            if player is None:
                continue
            about = {"player": player, "name": name, "client": client}
            key = str(player)
            known = rows.places.get(key)
            thing = rows.new(key, _about(about)) if known is None else known
            facing, state = held.get(player, (NO_FACING, 0))
            if event == "gone":
                rows.add(tick, thing, None, None)
            else:
                rows.add(tick, thing, x, y, facing=facing, state=THERE | ALIVE | state)
        return rows

    def fields(self, tick: int, key: str) -> Mapping[str, Any]:
        """Return the facts of a tee; see `Motion.fields`."""
        for tee in self.replay.at(tick).players:
            if str(tee["player"]) == key:
                return dict(tee)
        return super().fields(tick, key)


def _about(tee: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the directory entry of a tee."""
    return {"kind": "tee", "name": tee["name"], "player": tee["player"], "team": None, "role": HERO}
