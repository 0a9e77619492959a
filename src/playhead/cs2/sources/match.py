"""`Cs2Match`: inputs that all groups of facts share: people, rounds, clock; `Cs2Facts`."""

from __future__ import annotations

import itertools
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, Protocol

from playhead.cs2.sources.clock import RoundClock
from playhead.cs2.sources.packet_events import PacketEvents
from playhead.cs2.sources.people import PEOPLE_FIELDS, People
from playhead.cs2.sources.rounds import ROUND_FIELDS, Rounds
from playhead.runtime.libraries import pa, pc
from playhead.source2.game_match import GameFacts, GameFollower, GameMatch, MatchHost
from playhead.source2.playback.playback import Playback
from playhead.tables.arrow import int32_array, seconds_of
from playhead.tables.schema import TableSchema
from playhead.tables.value_arrays import array_of, scalar_of

_TIME = frozenset(("tick", "seconds", "round_num", "game_seconds"))


class Cs2Host(MatchHost, Protocol):
    """The part of a replay that a `Cs2Match` reads."""

    undone_from: int | None

    def _played(self) -> Cs2Match | None:
        """Return the match after the whole recording was played."""


class Cs2Match(GameMatch):
    """The shared inputs of all collectors of facts in one pass.

    Attributes:
        people: who was there; set by `attach`.
        rounds: the rounds; set by `attach`.
    """

    game = "cs2"
    usual_rate = 64.0
    place = "cs2"
    people: People
    rounds: Rounds

    replay: Cs2Host

    def __init__(self, replay: Cs2Host) -> None:
        super().__init__(replay, replay.recording.ticks_per_second)
        self._clock: RoundClock | None = None
        self._events: PacketEvents | None = None

    def attach(self, playback: Playback) -> None:
        """Follow people and rounds of a playback."""
        super().attach(playback)
        start = self.replay.recording.file_header.get("server_start_tick")
        self.people = People(playback)
        self.rounds = Rounds(
            playback, self.people, self.ticks_per_second, start if isinstance(start, int) else None
        )

    def events(self, playback: Playback) -> PacketEvents:
        """Return the feed of game events, which collectors share."""
        if self._events is None:
            self._events = PacketEvents(playback)
        return self._events

    @property
    def clock(self) -> RoundClock | None:
        """The game's clock up to the tick reached."""
        return self.rounds.clock()

    def finish(self) -> None:
        """Complete people and rounds at the end of the recording; repeated calls have no effect."""
        if self._clock is None and self._playback is not None:
            self.people.finish(self._playback.tick)
            self.rounds.finish(self.replay.undone_from)
            self._clock = self.rounds.clock()

    # -- tables -----------------------------------------------------------------------------------------

    def round_nums(self, ticks: Iterable[int]) -> list[int | None]:
        """Return the number of the round of each tick; 0 in warm-up, None before the first round."""
        begins = [each.begin for each in self.rounds]
        found = []
        for tick in ticks:
            number = bisect_right(begins, tick)
            found.append(self.rounds.rounds[number - 1].values["round_num"] if number else None)
        return found

    def game_seconds(self, ticks: Iterable[int]) -> list[float | None]:
        """Return what the game's clock shows at each tick."""
        self.finish()
        clock = self._clock
        return [None if clock is None else clock.game_seconds(tick) for tick in ticks]

    def arrow_time_columns(self, ticks: pa.Array, names: Container[str] = _TIME) -> dict[str, Any]:
        """Return those of ``tick``, ``seconds``, ``round_num`` and ``game_seconds`` in `names`; call it after
        the playback.
        """
        self.finish()
        found = {}
        if "tick" in names:
            found["tick"] = ticks
        if "seconds" in names:
            found["seconds"] = seconds_of(ticks, self.ticks_per_second)
        if "round_num" in names or "game_seconds" in names:
            known = pc.unique(ticks).sort()
            values = known.to_pylist()
            place = pc.index_in(ticks, known)
            if "round_num" in names:
                round_nums = array_of([each.values["round_num"] for each in self.rounds], pa.int32())
                begins = [each.begin for each in self.rounds]
                found["round_num"] = round_nums.take(_stretches(begins, values)).take(place)
            if "game_seconds" in names:
                found["game_seconds"] = self._arrow_game_seconds(known, values).take(place)
        return found

    def _arrow_game_seconds(self, ticks: pa.Array, values: list[int]) -> pa.Array:
        """Return `game_seconds` of ascending ticks."""
        clock = self._clock
        if clock is None:
            return pa.nulls(len(values), pa.float64())
        number = pa.float64()
        which = _stretches([each.tick for each in clock.segments], values)
        ends = array_of([each.ends for each in clock.segments], number).take(which)
        held = array_of([None if each.ends is None else each.held for each in clock.segments], number).take(which)
        left = pc.divide(pc.subtract(ends, ticks.cast(number)), scalar_of(clock.ticks_per_second, number))
        return pc.coalesce(held, pc.max_element_wise(left, scalar_of(0.0, number), skip_nulls=False))

    def table(self, schema: TableSchema, rows: list[dict[str, Any]]) -> pa.Table:
        """As `build`; fill the columns of the time from ``tick``. Call it after the playback."""
        self.finish()
        ticks = [row["tick"] for row in rows]
        names = frozenset(schema.column_names)
        for row, round_num, shown in zip(rows, self.round_nums(ticks), self.game_seconds(ticks), strict=True):
            row["seconds"] = self.seconds(row["tick"])
            row.setdefault("round_num", round_num)
            row["game_seconds"] = shown
        rows = [{name: value for name, value in row.items() if name in names} for row in rows]
        return self.build(schema, rows)


def _stretches(begins: list[int], ticks: list[int]) -> pa.Array:
    """Return the number of the last begin that is not after each of the ascending ticks; null before the first."""
    places = [bisect_left(ticks, begin) for begin in begins] + [len(ticks)]
    found = array("i")
    for number, (first, end) in enumerate(itertools.pairwise(places)):
        found.extend(array("i", [number]) * (end - first))
    return pa.concat_arrays([pa.nulls(places[0], pa.int32()), int32_array(found)])


class Cs2Facts(GameFacts[Cs2Match]):
    """Collector of one group of facts."""


class Cs2Follower(GameFollower[Cs2Match]):
    """Updates a `Cs2Match` during playback."""

    fields: Mapping[str, Sequence[str]] = {
        name: (*ROUND_FIELDS.get(name, ()), *PEOPLE_FIELDS.get(name, ()))
        for name in (*ROUND_FIELDS, *(PEOPLE_FIELDS.keys() - ROUND_FIELDS.keys()))
    }

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        if self.joins:  # while other processes play stretches
            self.match.replay._played()
