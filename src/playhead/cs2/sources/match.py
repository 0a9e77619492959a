"""`Cs2Match`: inputs that all groups of facts share: people, rounds, clock; `Cs2Facts`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Mapping, Sequence

from playhead.cs2.sources.clock import RoundClock
from playhead.cs2.sources.pawn import ARMOR, LIFE_STATE, player_state, weapon_in_hand, weapon_name, weapons_of
from playhead.cs2.sources.people import PEOPLE_FIELDS, People
from playhead.cs2.sources.rounds import ROUND_FIELDS, Round, Rounds
from playhead.runtime.libraries import pa, pc
from playhead.runtime.typing import TYPE_CHECKING, Any, ClassVar, Protocol
from playhead.source2.game_match import GameFacts, GameFollower, GameMatch, MatchHost, places_of
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.world import World
from playhead.tables.arrow import to_rows
from playhead.tables.schema import TableSchema
from playhead.tables.value_arrays import array_of, scalar_of

if TYPE_CHECKING:
    from playhead.clock import Clock
    from playhead.cs2.sources.people import Person
    from playhead.source2.messages.game_events import GameEvent
    from playhead.tables.arrow import Values

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
        self._once: list[Callable[[int, Sequence[GameEvent]], None]] = []
        self._guard = playback.guard
        playback.on_game_event(self._on_event)
        playback.after_packet(self._after)

    def on(self, name: str, handler: EventHandler) -> None:
        """Call `handler` for each event of that name, after its packet."""
        self._guard.own(handler)
        self._handlers.setdefault(name, []).append(handler)

    def keep(self, name: str, handler: Callable[[int, Sequence[GameEvent]], None]) -> None:
        """Keep the events of that name for a handler that may be called by `afterwards`."""
        self._guard.own(handler)
        self._handlers.setdefault(name, [])

    def afterwards(self, handler: Callable[[int, Sequence[GameEvent]], None]) -> None:
        """Call a handler once, after the events of this packet, with the tick and these events."""
        self._once.append(handler)

    def _on_event(self, event: GameEvent) -> None:
        if event.name in self._handlers:
            self._waiting.append(event)

    def _after(self, tick: int) -> None:
        if not self._waiting and not self._once:
            return
        waiting, self._waiting = self._waiting, []
        for event in waiting:
            handlers = self._handlers[event.name or ""]
            if handlers:  # others are decoded by those that they are kept for
                self._guard.call(handlers, event.tick, event.fields)
        once, self._once = self._once, []
        self._guard.call(once, tick, waiting)


class Cs2Host(MatchHost, Protocol):
    """The part of a replay that a `Cs2Match` reads."""

    undone_from: int | None

    def table(self, name: str, *, columns: Sequence[str], **options: Any) -> pa.Table:
        """As `Replay.table`."""

    def known_table(self, name: str) -> pa.Table | None:
        """Return a table that an earlier pass made without a problem; None without one."""

    def _played(self) -> Cs2Match | None:
        """Return the match after the whole recording was played."""


class Cs2Match(GameMatch):
    """The shared inputs of all collectors of facts in one pass; `attach` sets people and rounds."""

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

    def rows_of(self, kind: type[Cs2Facts], playback: Playback) -> Callable[[], list[dict[str, Any]]]:
        """Return a function for the rows of another group's first table, to be called after the playback. They are
        those of its collector, or, if the replay has the table already, of that: then as its columns hold them.
        """
        known = None if kind in self.collectors else self.replay.known_table(kind.schemas[0].name)
        return self.collector(kind, playback).rows if known is None else lambda: to_rows(known)

    @property
    def clock(self) -> RoundClock | None:
        """The game's clock up to the tick reached."""
        return self._clock or self.rounds.clock()

    displayed_clock = clock

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

    def round_columns(self, tick: int) -> dict[str, Any]:
        """Return the columns of the round of a tick; call it after the playback."""
        round_ = self.round_at(tick)
        before = False if self.rounds.rounds else None
        return {
            "round_num": None if round_ is None else round_.values["round_num"],
            "counts": before if round_ is None else round_.values["counts"],
        }

    def time_columns(self, ticks: Values, names: Container[str] = _TIME) -> dict[str, Any]:
        """As `GameMatch.time_columns`, with those of the round."""
        found = super().time_columns(ticks, names)
        if "round_num" in names or "counts" in names:
            known = pc.unique(ticks).sort()
            place = pc.index_in(ticks, known)
            which = places_of([each.begin for each in self.rounds], known.to_pylist())
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

    def table(self, schema: TableSchema, rows: list[dict[str, Any]]) -> pa.Table:
        """As `GameMatch.table`, with the columns of the round."""
        self.finish()
        known = {tick: self.round_columns(tick) for tick in {row["tick"] for row in rows}}
        return super().table(schema, [known[row["tick"]] | row for row in rows])


class Cs2Facts(GameFacts[Cs2Match]):
    """Collector of one group of facts."""

    entities: ClassVar[bool] = True

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

    def prepare(self, *, joins: bool) -> None:
        if joins:  # while other processes play stretches
            self.match.replay._played()


MATCH = Cs2Match
Cs2Match.follower = Cs2Follower


_MONEY, _EQUIPMENT = "m_pInGameMoneyServices.m_iAccount", "m_unCurrentEquipmentValue"
_RESOURCES = ("money", "equipment_value")


class Cs2World(World):
    """As `World`, with place, view, health, weapons and money of the players."""

    def __init__(
        self, playback: Playback, tick: int, clock: Clock | None, match: Cs2Match, number: Callable[[Person], int]
    ) -> None:
        """`match` follows the playback; `number` returns the number of a person in the whole recording."""
        super().__init__(playback, tick, clock, lambda: ())
        self._match = match
        self._number = number

    @property
    def players(self) -> Sequence[Mapping[str, Any]]:
        """The players of both sides, by number."""
        return sorted(map(self._player, self._match.people.playing), key=lambda row: row["player"])

    def _player(self, person: Person) -> dict[str, Any]:
        pawn = self._match.people.pawn(person)
        controller = person.controller
        state = None if pawn is None else pawn.get_int(LIFE_STATE)
        return {
            "player": self._number(person),
            "name": person.name,
            "team": person.team,
            "side": person.side,
            "alive": None if state is None else state == 0,
            **player_state(pawn),
            "armor": None if pawn is None else pawn.get_int(ARMOR),
            "money": None if controller is None else controller.get_int(_MONEY),
            "equipment_value": None if pawn is None else pawn.get_int(_EQUIPMENT),
            "active_weapon": weapon_in_hand(self.entities, pawn),
            "inventory": [] if pawn is None else [weapon_name(each) for each in weapons_of(self.entities, pawn)],
        }

    @property
    def resources(self) -> Mapping[int, Mapping[str, Any]]:
        """Money and value of the equipment of each player."""
        return {row["player"]: {name: row[name] for name in _RESOURCES} for row in self.players}
