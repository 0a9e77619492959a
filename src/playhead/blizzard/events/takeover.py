"""`taken_over`: when a game was resumed from a replay, and by whom."""

from __future__ import annotations

from typing import Protocol

from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.game import HijackReplayGameEvent
from playhead.blizzard.protocol.tables import GAME


class _Source(Protocol):
    def stream(self, name: str) -> EventStream | None:
        """Return a stream of events."""
        ...


def taken_over(source: _Source) -> tuple[int, dict[int, str | None]] | None:
    """Return when the game was resumed from a replay, and the names of its users since then; None if it was not.

    The numbers of users and players stay: in the corpus, a user who resumes a game commands the same player's
    units.
    """
    game = source.stream(GAME)
    if game is None:
        return None
    events = game.of(HijackReplayGameEvent)
    if not len(events):  # as in nearly all replays, for which pyarrow need not be imported
        return None
    _, loop, users, names = events.rows("m_userInfos.m_gameUserId", "m_userInfos.m_name")[0]
    return loop, {user: name or None for user, name in zip(users, names, strict=True)}
