"""`DeathRequests`: which requests that a tee dies a server refuses.

The rules are those of DDNet 16.4 to 20.1, which do not differ here. A message to join the team that the client is
in does nothing, nor does one to kill or to join the spectators while paused or too soon after the last. ``/kill``
acts only where kill protection refuses the message: in a run that lasts so long. The file does not show votes,
whose callers cannot kill, nor the clock of a team: the position decides on the requests that are not refused here.
"""

from __future__ import annotations

from playhead.teehistorian.physics.arena.body import Body
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND
from playhead.teehistorian.stream.text import number

SPECTATORS, _GAME = -1, 0
#: Settings by name, with their default: seconds between kills and between changes of the team, whether the latter
#: counts, and minutes after which a run is protected.
_DEFAULTS = {"sv_kill_delay": 1, "sv_team_change_delay": 3, "sv_spamprotection": 1, "sv_kill_protection": 20}


class DeathRequests:
    """Follows the requests of all clients."""

    def __init__(self) -> None:
        self._settings = dict(_DEFAULTS)
        self._killed: dict[int, int] = {}
        self._changed: dict[int, int] = {}
        self._watches: set[int] = set()

    def set(self, name: str, value: str) -> None:
        """Set one of the settings; other names do nothing."""
        if name in self._settings:
            self._settings[name] = int(max(0.0, min(number(value), 9999.0)))

    def forget(self, cid: int) -> None:
        """Begin anew with a new client in a slot."""
        self._killed.pop(cid, None)
        self._changed.pop(cid, None)
        self._watches.discard(cid)

    def kills(self, tick: int, tee: Body) -> bool:
        """Return whether a kill message may kill a tee."""
        delay = self._settings["sv_kill_delay"] * TICKS_PER_SECOND
        if not tee.alive or tee.paused or self._too_soon(self._killed.get(tee.cid), delay, tick):
            return False
        self._killed[tee.cid] = tick
        return True

    def kills_protected(self, tick: int, tee: Body) -> bool:
        """Return whether ``/kill`` may kill a tee; a tee without a team runs since its spawn, at most."""
        protected = self._settings["sv_kill_protection"] * 60 * TICKS_PER_SECOND
        return bool(tee.alive) and 0 < protected <= tick - (0 if tee.team else tee.born)

    def joins(self, tick: int, tee: Body, team: int) -> bool:
        """Return whether a message to join a team may kill a tee: it joins the spectators."""
        delay = self._settings["sv_team_change_delay"] * TICKS_PER_SECOND
        if self._settings["sv_spamprotection"] and self._too_soon(self._changed.get(tee.cid), delay, tick):
            return False
        return not tee.paused and self.moves(tick, tee, team)

    def moves(self, tick: int, tee: Body, team: int) -> bool:
        """Let a client change its team; return whether its tee dies of it."""
        if tee.alive:
            self._watches.discard(tee.cid)
        if (team == SPECTATORS) == (tee.cid in self._watches):
            return False
        (self._watches.add if team == SPECTATORS else self._watches.discard)(tee.cid)
        self._changed[tee.cid] = tick
        return bool(tee.alive)

    @staticmethod
    def _too_soon(last: int | None, delay: int, tick: int) -> bool:
        return last is not None and last + delay > tick
