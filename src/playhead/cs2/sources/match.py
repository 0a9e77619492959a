"""`Cs2Match`: inputs that all groups of facts share: people, rounds, clock; `Cs2Facts`."""

from __future__ import annotations

import itertools
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from playhead.cs2.sources.clock import RoundClock
from playhead.cs2.sources.people import PEOPLE_FIELDS, People
from playhead.cs2.sources.rounds import ROUND_FIELDS, Round, Rounds
from playhead.runtime.libraries import pa, pc
from playhead.source2.game_match import GameFacts, GameFollower, GameMatch, MatchHost
from playhead.source2.playback.playback import Playback
from playhead.tables.arrow import int32_array, seconds_of
from playhead.tables.schema import TableSchema
from playhead.tables.value_arrays import array_of, scalar_of

if TYPE_CHECKING:
    from playhead.source2.messages.game_events import GameEvent

_TIME = ("tick", "seconds", "game_seconds", "round_num", "counts")


#: Called with the tick and the values of an event.
EventHandler = Callable[[int, Mapping[str, Any]], None]


class PacketEvents:
    """The game events of each packet, decoded once for all collectors and handled after the packet, when all
    entities are up to date.
    """

    def __init__(self, playback: Playback) -> None:
        self._handlers: dict[str, list[EventHandler]] = {}
        self._waiting: list[GameEvent] = []
        playback.on_game_event(self._on_event)
        playback.after_packet(self._after)

    def on(self, name: str, handler: EventHandler) -> None:
        """Call `handler` for each event of that name, after its packet."""
        self._handlers.setdefault(name, []).append(handler)

    def _on_event(self, event: GameEvent) -> None:
        if event.name in self._handlers:
            self._waiting.append(event)

    def _after(self, _tick: int) -> None:
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        for event in waiting:
            for handler in self._handlers[event.name or ""]:
                handler(event.tick, event.fields)


class Cs2Host(MatchHost, Protocol):
    """The part of a replay that a `Cs2Match` reads."""

    undone_from: int | None

    def _played(self) -> Cs2Match | None:
        """Return the match after the whole recording was played."""


class Cs2Match(GameMatch):
    """The shared inputs of all collectors of facts in one pass.

    Attributes:
        people: the people on the server; set by `attach`.
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

    def round_at(self, tick: int) -> Round | None:
        """Return the round of a tick; None before the first."""
        number = bisect_right(self.rounds.rounds, tick, key=lambda each: each.begin)
        return self.rounds.rounds[number - 1] if number else None

    def time_columns(self, tick: int) -> dict[str, Any]:
        """Return the columns of the time of a tick; call it after the playback."""
        round_, clock = self.round_at(tick), self._clock
        before = False if self.rounds.rounds else None
        return {
            "seconds": self.seconds(tick),
            "game_seconds": None if clock is None else clock.game_seconds(tick),
            "round_num": None if round_ is None else round_.values["round_num"],
            "counts": before if round_ is None else round_.values["counts"],
        }

    def arrow_time_columns(self, ticks: pa.Array, names: Container[str] = _TIME) -> dict[str, Any]:
        """Return those columns of the time that are in `names`; call it after the playback."""
        self.finish()
        found = {}
        if "tick" in names:
            found["tick"] = ticks
        if "seconds" in names:
            found["seconds"] = seconds_of(ticks, self.ticks_per_second)
        if any(name in names for name in _TIME[2:]):
            known = pc.unique(ticks).sort()
            values = known.to_pylist()
            place = pc.index_in(ticks, known)
            which = _stretches([each.begin for each in self.rounds], values)
            if "game_seconds" in names:
                found["game_seconds"] = self._arrow_game_seconds(known, values).take(place)
            if "round_num" in names:
                found["round_num"] = self._of_rounds("round_num", pa.int32()).take(which).take(place)
            if "counts" in names:
                counts = self._of_rounds("counts", pa.bool_()).take(which).take(place)
                found["counts"] = (
                    pc.fill_null(counts, scalar_of(False, pa.bool_())) if self.rounds.rounds else counts
                )
        return found

    def _of_rounds(self, name: str, type_: pa.DataType) -> pa.Array:
        return array_of([each.values[name] for each in self.rounds], type_)

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
        """As `build`; fill the columns of the time from ``tick`` and ``end_tick``. Call it after the playback."""
        self.finish()
        known = {tick: self.time_columns(tick) for tick in {row["tick"] for row in rows}}
        whole = [known[row["tick"]] | row for row in rows]
        names = frozenset(schema.column_names)
        for row in whole if "end_seconds" in names else ():
            if (end := row.get("end_tick")) is not None:
                row["end_seconds"] = self.seconds(end)
                if "end_game_seconds" in names and self._clock is not None:
                    row["end_game_seconds"] = self._clock.game_seconds(end)
        return self.build(schema, whole)


def _stretches(begins: list[int], ticks: list[int]) -> pa.Array:
    """Return, for each of the ascending ticks, the number of the last begin up to it; null before the first."""
    places = [bisect_left(ticks, begin) for begin in begins] + [len(ticks)]
    found = array("i")
    for number, (first, end) in enumerate(itertools.pairwise(places)):
        found.extend(array("i", [number]) * (end - first))
    return pa.concat_arrays([pa.nulls(places[0], pa.int32()), int32_array(found)])


class Cs2Facts(GameFacts[Cs2Match]):
    """Collector of one group of facts."""

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of its only table; call it after the playback."""
        return self._rows

    def tables(self) -> Mapping[str, Any]:
        (schema,) = self.schemas
        return {schema.name: self.match.table(schema, self.rows())}


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
