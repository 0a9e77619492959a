"""`Dota2Match`: inputs that all groups of facts share: the recording, its clock, decoding; `Dota2Facts`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from playhead.dota2.sources.clock_sampler import MINUTE, ClockSampler
from playhead.dota2.sources.entities import NAME_TABLE, hero_column
from playhead.dota2.sources.game_clock import CLOCK_FIELDS, TICKS_PER_SECOND, GameClock
from playhead.dota2.sources.names import class_pattern
from playhead.dota2.sources.roster import Roster, roster_fields
from playhead.runtime.libraries import pa, pc
from playhead.runtime.typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar
from playhead.source2.entities.handlers import class_matches
from playhead.source2.game_match import GameFacts, GameFollower, GameMatch, MatchHost
from playhead.source2.games import GAMES
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.sampling import Sampler
from playhead.tables.schema import TableSchema
from playhead.tables.value_arrays import array_of
from playhead.text.names import any_of, listed

if TYPE_CHECKING:
    from playhead.dota2.sources.combat_log_feed import CombatLogFeed

Shared = TypeVar("Shared")

#: Word of a team by number.
SIDES = GAMES["dota2"].sides


class Joinable(Protocol):
    """A shared object that several stretches of a recording make together."""

    def part(self) -> Any:
        """Return the data of a stretch."""

    def put_before(self, earlier: Sequence[Any]) -> None:
        """Insert the parts of the stretches before, in order; raise `Unjoinable` if they do not fit together."""


class Dota2Match(GameMatch):
    """The shared inputs of all collectors of facts in one pass. The clock is updated only if a requested table
    has ``game_seconds``."""

    game = "dota2"
    usual_rate = TICKS_PER_SECOND
    place = "dota2"
    clock: GameClock

    def __init__(self, replay: MatchHost) -> None:
        super().__init__(replay, replay.brief_info.ticks_per_second)
        self.clock = GameClock(self.ticks_per_second)
        self._roster: Roster | None = None
        self._combat_log: CombatLogFeed | None = None
        self._clock_samplers: dict[float, ClockSampler] = {}
        self._shared: dict[str, Any] = {}

    def unit_patterns(self, units: str | Iterable[str], default: str | Sequence[str]) -> tuple[str, ...]:
        """Return patterns of classes for the option ``units`` of a table.

        Raises:
            KeyError: a word that is not in `default` is neither a hero nor a pattern of the recording's classes.
        """
        known = set(self.replay.recording.class_names.values())
        found = []
        for word in listed(units):
            pattern = class_pattern(word)
            if word not in listed(default) and not any(class_matches(each, pattern) for each in known):
                near = sorted(each for each in known if word.casefold() in each.casefold())[:4]
                hint = f"did you mean {any_of(near)}?" if near else "such as axe or CDOTA_Unit_Hero_*"
                raise KeyError(f"no hero, class or pattern of classes {word!r}; {hint}")
            found.append(pattern)
        return tuple(found)

    @property
    def file_info(self) -> Mapping[str | int, Any]:
        """The fields of FileInfo about the match (CGameInfo.CDotaGameInfo); empty if the file has none."""
        return self.replay.recording.match_info

    @property
    def winner(self) -> int | None:
        """Number of the winning side, from FileInfo or else from the game rules; None if there is no winner."""
        winner = self.file_info.get("game_winner") or self.clock.winner
        return winner if winner in SIDES else None

    def roster(self, playback: Playback) -> Roster:
        """Return the roster, which collectors share."""
        if self._roster is None:
            recording = self.replay.recording  # FileInfo is read only if it is needed
            self._roster = Roster(playback, lambda: recording.match_info)
        return self._roster

    def combat_log(self, playback: Playback) -> CombatLogFeed:
        """Return the feed of combat-log entries, which collectors share."""
        if self._combat_log is None:
            from playhead.dota2.sources.combat_log_feed import CombatLogFeed  # not for `info`

            self._combat_log = CombatLogFeed(playback)
        return self._combat_log

    def clock_sampler(self, playback: Playback, step: float = MINUTE) -> ClockSampler:
        """Return the sampler of every `step` seconds of the game's clock, which collectors share."""
        if step not in self._clock_samplers:
            self._clock_samplers[step] = ClockSampler(playback, self.clock, step)
        return self._clock_samplers[step]

    @property
    def joinable(self) -> Sequence[Joinable]:
        """The shared objects that several stretches of a recording make together."""
        roster = [] if self._roster is None else [self._roster]
        return [self.clock, *roster, *(each for each in self._shared.values() if hasattr(each, "put_before"))]

    def shared(self, name: str, make: Callable[[], Shared]) -> Shared:
        """Return the object of that name, which collectors share; the first call makes it."""
        if name not in self._shared:
            self._shared[name] = make()
        found: Shared = self._shared[name]
        return found

    def seconds_between(self, first: int, last: int) -> float:
        """Return the time on the game's clock between two ticks; call it after the playback."""
        ticks = self.clock.ticks_between(max(0, first), max(0, last))
        return (last - first if ticks is None else ticks) / (self.ticks_per_second or self.usual_rate)

    def arrow_paused(self, ticks: pa.Array) -> pa.Array:
        """Return column ``paused``; call it after the playback."""
        known = pc.unique(ticks)
        paused = array_of(self.clock.paused_at(known.to_pylist()), pa.bool_())
        return paused.take(pc.index_in(ticks, known))

    def completed(self, table: pa.Table, names: Iterable[str]) -> pa.Table:
        """Fill those of the columns ``game_seconds``, ``paused`` and ``hero`` (of ``player``) that depend on the
        whole recording; call it after the playback.
        """
        ticks = table["tick"].combine_chunks()
        for place, field in enumerate(table.schema):
            if field.name not in names:
                continue
            if field.name == "game_seconds":
                values = self.time_columns(ticks)[field.name]
            elif field.name == "paused":
                values = self.arrow_paused(ticks)
            else:
                assert self._roster is not None, "a collector of column hero has a roster"
                values = hero_column(table["player"].combine_chunks(), self._roster.hero_names())
            table = table.set_column(place, field, values)
        return table

    def table(self, schema: TableSchema, rows: list[dict[str, Any]]) -> pa.Table:
        """As `GameMatch.table`; fill sides from teams."""
        sides = [(name, f"{name[:-4]}team") for name in schema.column_names if name.endswith("side")]
        for row in rows if sides else ():
            row |= {side: SIDES.get(row.get(team, 0)) for side, team in sides if side not in row}
        return super().table(schema, rows)


class Dota2Facts(GameFacts[Dota2Match]):
    """Collector of one group of facts.

    Attributes:
        needs_clock: it reads the game's clock; a table with a column ``game_seconds`` implies that.
        late: columns of its tables that depend on the whole recording (`Dota2Match.completed`), if it is `anew`.
    """

    needs_clock: ClassVar[bool] = False
    late: ClassVar[Sequence[str]] = ("game_seconds",)

    @property
    def timed(self) -> bool:
        """Whether it reads the game's clock."""
        return self.needs_clock or any("game_seconds" in schema.column_names for schema in self.schemas)

    def joined(self, earlier: Sequence[Any]) -> Mapping[str, pa.Table]:
        found = super().joined(earlier)
        return {name: self.match.completed(table, self.late) for name, table in found.items()}


class PlayerFacts(Dota2Facts):
    """Collector of facts about players: `_roster` has them during a playback."""

    entities: ClassVar[bool] = True
    string_tables: ClassVar[Sequence[str] | None] = (NAME_TABLE,)
    fields: Mapping[str, Sequence[str]] = roster_fields()

    def attach(self, playback: Playback) -> None:
        self._playback, self._roster = playback, self.match.roster(playback)

    def tables(self) -> Mapping[str, pa.Table]:
        """As `GameFacts.tables`; fill column ``hero`` from ``player``."""
        self._roster.add_heroes(self._rows)
        return super().tables()


class Dota2Follower(GameFollower[Dota2Match]):
    """Updates a `Dota2Match` during playback, and its clock if any of `facts` reads it, or there are none."""

    def __init__(self, match: Dota2Match, facts: Sequence[Dota2Facts] = ()) -> None:
        super().__init__(match)
        self.knows_clock = self.entities = not facts or any(collector.timed for collector in facts)  # type: ignore[misc]
        self.fields: Mapping[str, Sequence[str]] = CLOCK_FIELDS if self.knows_clock else {}

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        if self.knows_clock:
            self.match.clock.attach(playback)

    def prepare(self, *, joins: bool) -> None:
        if self.knows_clock:
            self.match.clock.seen = []

    def part(self) -> list[Any]:
        return [each.part() for each in self.match.joinable]

    def joined(self, earlier: Sequence[list[Any]]) -> Mapping[str, pa.Table]:
        for number, each in enumerate(self.match.joinable):
            each.put_before([parts[number] for parts in earlier])
        return {}


MATCH = Dota2Match
Dota2Match.follower = Dota2Follower


class SampledSeries:
    """The samples of a table with options ``every`` and ``clock`` (``recording`` or ``game``: the clock whose
    multiples of the interval are sampled). A wrong option is a `ValueError`."""

    def __init__(self, match: Dota2Match, every: int | float | str, clock: str) -> None:
        if clock not in ("recording", "game"):
            raise ValueError(f"expected clock='recording' or clock='game', got {clock!r}")
        self._match, self._every, self._on_game_clock = match, match.interval(every), clock == "game"
        self._numbers: list[int] = []

    def attach(self, playback: Playback, handler: Callable[[int], None]) -> None:
        """Call `handler` with the tick of each sample."""
        self._sampler: Sampler | ClockSampler
        if self._on_game_clock:
            rate = self._match.ticks_per_second or self._match.usual_rate
            self._sampler = self._match.clock_sampler(playback, self._every / rate)
            self._sampler.on_sample(self._on_number)
            self._handler = handler
        else:
            self._sampler = self._match.sampler(playback, self._every)
            self._sampler.on_sample(handler)

    def _on_number(self, number: int, tick: int) -> None:
        self._numbers.append(number)
        self._handler(tick)

    def finish(self) -> None:
        """Make the samples still due at the end of the recording."""
        self._sampler.finish()
        self.__dict__.pop("_handler", None)  # it is a method of the collector: a cycle

    def chosen(self, table: pa.Table, sizes: Sequence[int]) -> pa.Table:
        """Return the table without wrong samples; `sizes`: the number of rows of each sample."""
        if not isinstance(self._sampler, ClockSampler):
            return table
        last = {number: place for place, number in enumerate(self._numbers) if number in self._sampler.samples}
        right = [last.get(number) == place for place, number in enumerate(self._numbers)]
        chosen = [ok for ok, size in zip(right, sizes, strict=True) for _ in range(size)]
        return table.filter(array_of(chosen, pa.bool_()))
