"""`Deaths`: why tees disappear, who touched them last; `Races`: runs of teams; for tables of `event_tables`."""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import takewhile
from typing import Any

from playhead.teehistorian.physics.arena.tiles import Tiles
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND, WEAPONS

#: How long after a hook or hit a death counts as the other's kill.
KILL_TICKS = 5 * TICKS_PER_SECOND
HOOK = "hook"
_DEATH_TILE = 2
#: Corners of a tee that death tiles act on, from its middle; units between two looks along its way.
_CORNER, _LOOK = 28 / 3, 8


class Deaths:
    """Follows the tees of a world by the notes of `EventNotes`.

    Attributes:
        events: tuples of table ``deaths`` since the list was last emptied.
    """

    def __init__(self, tiles: Tiles) -> None:
        self.events: list[list[Any]] = []
        self._tiles = tiles
        self._places: dict[int, tuple[float, float, float, float]] = {}
        self._touched: dict[int, tuple[int, int, int, str]] = {}
        self._expected: dict[int, tuple[int, str]] = {}

    def stay(self, cid: int, x: float, y: float) -> None:
        """Note where a tee is at the end of a tick."""
        former = self._places.get(cid, (x, y))
        self._places[cid] = (x, y, former[0], former[1])

    def touch(self, tick: int, victim: int, cid: int, holder: int, weapon: int | None) -> None:
        """Note that a client hit a tee, or hooks it (None)."""
        if victim != cid:
            self._touched[victim] = (tick, cid, holder, HOOK if weapon is None else WEAPONS[weapon])

    def expect(self, tick: int, cid: int, reason: str) -> None:
        """Note that a client asked to die or to leave the game after a tick."""
        self._expected[cid] = (tick, reason)

    def end(self, tick: int, cid: int, holder: int, team: int) -> None:
        """Note that a tee disappears on a tick."""
        place = self._places.pop(cid, None)
        if place is None:
            return
        asked, reason = self._expected.pop(cid, (-1, ""))
        if asked < tick - 1 or not reason:
            reason = "tile" if self._is_deadly(*place) else "outside" if self._is_outside(*place[:2]) else ""
        now = takewhile(lambda each: each[1] == tick, reversed(self.events))
        same = [each for each in now if each[5] == team > 0]
        if not reason and any(each[4] not in ("", "left", "spectators") for each in same):
            reason = "team"
        for each in same:
            each[4] = each[4] or ("team" if reason not in ("", "left", "spectators") else "")
        touched = self._touched.pop(cid, None)
        if touched is None or touched[0] < tick - KILL_TICKS or reason in ("left", "spectators"):
            touched = None
        self.events.append(["deaths", tick, holder, cid, reason, team, *place[:2], touched])

    def take(self) -> list[tuple[Any, ...]]:
        """Return the deaths so far as events of ``deaths`` and ``kills``, and forget them."""
        found, self.events = self.events, []
        kills = [("kills", *event[1:]) for event in found if event[-1] is not None]
        return [tuple(event) for event in found] + kills

    def _is_deadly(self, x: float, y: float, former_x: float, former_y: float) -> bool:
        """Return whether a death tile is at a corner of a tee, on its last way."""
        steps = 1 + int(abs(x - former_x) + abs(y - former_y)) // _LOOK
        if steps > TICKS_PER_SECOND:  # a teleport
            former_x, former_y, steps = x, y, 1
        for step in range(steps + 1):
            at_x, at_y = x + (former_x - x) * step / steps, y + (former_y - y) * step / steps
            for side_x in (-_CORNER, _CORNER):
                for side_y in (-_CORNER, _CORNER):
                    if self._tile(at_x + side_x, at_y + side_y):
                        return True
        return False

    def _tile(self, x: float, y: float) -> bool:
        column = min(max(round(x) // 32, 0), self._tiles.width - 1)
        row = min(max(round(y) // 32, 0), self._tiles.height - 1)
        cell = row * self._tiles.width + column
        return _DEATH_TILE in (self._tiles.layer("game")[cell], self._tiles.layer("front")[cell])

    def _is_outside(self, x: float, y: float) -> bool:
        """Return whether a place is so far outside the map that tees die there."""
        return not (
            -200 <= round(x) // 32 <= self._tiles.width + 200
            and -200 <= round(y) // 32 <= self._tiles.height + 200
        )


_START, _FINISH = 33, 34


class Races:
    """Follows the runs of tees and teams.

    Attributes:
        loaded: teams that go on from a save: their clock did not start here.
    """

    def __init__(self, practice: Set[int]) -> None:
        """`practice`: the teams that are in practice at any time, whose finishes do not count."""
        self._practice = practice
        self.loaded: set[int] = set()
        self._starts: dict[int, int] = {}
        self._finished: dict[int, set[int]] = {}

    def forget(self, cid: int) -> None:
        """End the race of a tee that died or left."""
        self._starts.pop(cid, None)
        for members in self._finished.values():
            members.discard(cid)

    def touch(self, tick: int, cid: int, tile: int, tees: Sequence[Any]) -> tuple[Any, ...] | None:
        """Note that a tee touches a start (33) or finish (34) on a tick; return the run that ends, as a event:
        ("races", tick, team, clients, holders, start tick)."""
        team = tees[cid].team
        members = [tee.cid for tee in tees if tee.alive and tee.team == team] if team else [cid]
        if tile == _START:
            if not team or not any(member in self._starts for member in members):
                self._starts.update(dict.fromkeys(members, tick))
                self._finished.pop(team, None)
                self.loaded.discard(team)
        elif tile == _FINISH and (cid in self._starts or team in self.loaded):
            done = self._finished.setdefault(team, set()) if team else set()
            done.add(cid)
            if done >= set(members):
                start = None if team in self.loaded else self._starts[cid]
                self.loaded.discard(team)
                for member in members:
                    self._starts.pop(member, None)
                self._finished.pop(team, None)
                if team in self._practice:
                    return None
                return "races", tick, team, members, [tees[member].holder for member in members], start
        return None
