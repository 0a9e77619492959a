"""`Match`: what every group of facts shares: the recording, its rate, decoding of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playhead.errors import ReplayError
from playhead.source2.messages import Message, MessageDecoder
from playhead.source2.tables import seconds

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.dota2.replay import Dota2Replay


class Match:
    """One Dota 2 recording, as collectors see it."""

    def __init__(self, replay: Dota2Replay) -> None:
        self.replay = replay
        self.ticks_per_second = replay.info.ticks_per_second
        self._decoder = MessageDecoder(replay.game)

    def seconds(self, tick: int) -> float | None:
        """A tick in seconds since the start of the recording; null for sign-on and where the rate is not known."""
        if self.ticks_per_second is None or tick < 0:
            return None
        return tick / self.ticks_per_second

    def seconds_column(self, ticks: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
        """As `seconds`, of a column."""
        return seconds(ticks, self.ticks_per_second)

    def interval(self, every: int | float | str) -> int:
        """An interval in ticks: of ticks (int), seconds (float), or text such as ``"1s"``.

        Raises:
            ValueError: it is none.
        """
        ticks = self.replay._interval(every)
        if ticks is None:
            raise ValueError("expected an interval, got None")
        return ticks

    def decode(self, tick: int, number: int, payload: bytes) -> Message | None:
        """A message by its number; None (and a problem) if it cannot be decoded."""
        try:
            return self._decoder.decode(tick, number, payload)
        except ReplayError as error:
            self.problem(error, tick, "one message")
            return None

    def problem(self, error: ReplayError, tick: int, cost: str) -> None:
        """Record what could not be read, and what is lost by it."""
        self.replay._note(error.locate(tick=tick), cost=cost, where="dota2")

    def rows(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Rows with ``tick`` get their ``seconds``."""
        for row in rows:
            row["seconds"] = self.seconds(row["tick"])
        return rows
