"""`Races`: starts and finishes, deduced from the tiles that tees touch.

A tee touches the tiles of its centre and on its way. The clock of a tee without a
team starts anew on each tick on the start line; that of a team when its first member reaches the line. A team has
finished when all its members have.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

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
