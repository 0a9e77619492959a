"""`Cs2Parts`: one match in several recordings (p1, p2), read as one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from playhead.clock import ROUND_TIME
from playhead.cs2.facts.messages import CONVARS
from playhead.cs2.facts.player_stats import PLAYER_STATS, schema_with, summed
from playhead.cs2.facts.rounds import MATCH, MatchOutcome, match_rows, outcome_of, round_limits
from playhead.cs2.replay import Cs2Replay
from playhead.cs2.sources.clock import RoundClock
from playhead.cs2.sources.match import Cs2World
from playhead.cs2.sources.people import FIRST_LATER_NUMBER, Person
from playhead.cs2.sources.rounds import Round
from playhead.errors import LimitExceeded
from playhead.model import Check, Info, Player
from playhead.replay import Replay
from playhead.runtime.cached import shared_property
from playhead.runtime.libraries import pa, pc
from playhead.runtime.records import NamedTuple, replace
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import array_of, scalar_of

PART = Column("part", "int32", "Number of the recording, from 1 on.")
_MOST_TICKS = (1 << 31) - 1
#: Ticks that are not those of the recording.
_FOREIGN_TICKS = frozenset(("server_tick", "client_tick"))
#: Tables of the whole match.
_WHOLE = frozenset((MATCH.name, PLAYER_STATS.name))


class _Part(NamedTuple):
    """One recording: `offset` is the tick of the match at its tick 0, `numbers` that of each of its players in
    the match."""

    replay: Cs2Replay
    offset: int
    numbers: dict[int, int]


class Cs2Parts(Cs2Replay):
    """Several recordings of one match, in their order, as one.

    Ticks and seconds continue those of the recording before, unless they already do. A person has one
    number. A recording that starts in a round undoes that round, and later ones, in those before it. Messages,
    entities and playbacks are those of one recording: `parts`.

    Args:
        parts: the recordings.

    Raises:
        ValueError: they are not recordings of one game, map and tick rate.
        LimitExceeded: their ticks together need more than 32 bits.
    """

    def __init__(self, parts: Sequence[Replay]) -> None:
        known = [part for part in parts if isinstance(part, Cs2Replay)]
        facts = {(part.brief_info.game, part.brief_info.map, part.brief_info.ticks_per_second) for part in parts}
        if len(known) != len(parts) or len(facts) != 1:
            found = ", ".join(f"{part.brief_info.game} {part.brief_info.map}" for part in parts)
            raise ValueError(f"expected recordings of one match of CS2, found {found}")
        super().__init__(known[0].source, known[0].options)
        self.parts = tuple(known)
        first_round: int | None = None
        for part in reversed(known):  # the rounds of a later one decide which of an earlier one count
            part.undone_from = first_round
            played = part._played()
            numbers = [] if played is None else [each.values["round_num"] for each in played.rounds]
            first_round = next((number for number in numbers if number), first_round)
        self._people: dict[tuple[str | None, object], Player] = {}
        self._parts: list[_Part] = []
        end = -1
        for part in known:
            offset = max(0, end + 1 - part.first_tick)
            self._parts.append(_Part(part, offset, self._join_people(part, offset)))
            end = offset + (part._last_tick() or 0)
            if end > _MOST_TICKS:
                raise LimitExceeded(f"expected recordings of at most {_MOST_TICKS} ticks together, found {end}")
        self._end = end

    def _join_people(self, part: Cs2Replay, offset: int) -> dict[int, int]:
        """Add the people of a recording; return their numbers here by those there."""
        numbers = {}
        for player in part.players:
            assert player.player is not None
            details = dict(player.details)
            details |= {name: details[name] + offset for name in ("first_tick", "last_tick") if name in details}
            identity = (player.account, None if player.account else (player.name, details.get("slot")))
            known = self._people.get(identity)
            used = [each.player or 0 for each in self._people.values()]
            number = player.player if known is None else known.player
            if known is None and number in used:
                number = max(FIRST_LATER_NUMBER, *(each + 1 for each in used))
            if known is not None:
                details["first_tick"] = known.details.get("first_tick")
            self._people[identity] = replace(player, player=number, details=details)
            assert number is not None
            numbers[player.player] = number
        return numbers

    # -- the whole --------------------------------------------------------------------------------------

    @shared_property
    def brief_info(self) -> Info:
        """As `Replay.brief_info`, of all parts."""
        infos = [part.brief_info for part in self.parts]
        last = infos[-1]
        return replace(
            infos[0],
            source=" + ".join(info.source for info in infos),
            complete=all(info.complete for info in infos),
            duration_ticks=self._end,
            end_time=last.end_time,
        )

    def _load_players(self) -> tuple[Player, ...]:
        return self._with_results(sorted(self._people.values(), key=lambda player: player.player or 0))

    def _find_outcome(self) -> MatchOutcome:
        return outcome_of(self._rounds, self._clans)

    @property
    def clock(self) -> RoundClock | None:
        """As `Cs2Replay.clock`."""
        rate = self.brief_info.ticks_per_second
        if rate is None:
            return None
        segments = [
            segment._replace(tick=segment.tick + part.offset, ends=_later(segment.ends, part.offset))
            for part in self._parts
            if isinstance(clock := part.replay.clock, RoundClock)
            for segment in clock.segments
        ]
        return RoundClock(rate, stretches=(), label=ROUND_TIME, segments=tuple(segments))

    @property
    def first_tick(self) -> int:
        """As `Replay.first_tick`."""
        return self.parts[0].first_tick

    def _first_tick(self) -> int:
        return self.parts[0]._first_tick()

    def _last_tick(self) -> int | None:
        return self._end

    def _moment(self, tick: int) -> Cs2World:
        begins = [part.offset + part.replay.first_tick for part in self._parts]
        part = self._parts[max(0, bisect_right(begins, tick) - 1)]
        played = part.replay._played()
        assert played is not None

        def number(person: Person) -> int:
            there = played.people.number_of(person)
            return part.numbers.get(there, there)

        # Between two recordings it is the end of the first.
        local = min(tick - part.offset, part.replay._last_tick() or 0)
        return part.replay._world(local, tick, self.clock, number)

    def _unfilled_reasons(self) -> Mapping[str, str]:
        """As for `Cs2Replay`, of any of the recordings."""
        return {name: reason for part in reversed(self.parts) for name, reason in part._unfilled_reasons().items()}

    def _survey(self) -> None:
        for part in self.parts:
            self._found.update(dict.fromkeys(part.problems))

    def _checks(self) -> Iterable[Check]:
        return chain.from_iterable(part._checks() for part in self.parts)

    def close(self) -> None:
        """As `Replay.close`, of all recordings."""
        for part in () if self.closed else self.parts:
            part.close()
        super().close()

    def __reduce__(self) -> tuple[Any, ...]:
        return Cs2Parts, (self.parts,)

    def playback(self, *_: Any, **__: Any) -> Any:
        """Raise ValueError: a playback is of one of `parts`."""
        raise ValueError(f"expected one recording, found {len(self.parts)}: play one of replay.parts")

    def messages(self, *_: Any, **__: Any) -> Any:
        """Raise ValueError: messages are of one of `parts`."""
        return self.playback()

    # -- tables -----------------------------------------------------------------------------------------

    def _schema_alone(self, name: str) -> TableSchema | None:
        return None  # `_table_schemas` adds a column

    def _table_schemas(self) -> Iterable[TableSchema]:
        for schema in super()._table_schemas():
            yield schema if schema.name in _WHOLE else schema.extended(PART)

    def _build_tables(self, names: frozenset[str], playback: Any = None) -> Mapping[str, pa.Table]:
        needs = {CONVARS.name} if MATCH.name in names else set()
        read = sorted(names - {MATCH.name} | needs)
        found = [part.replay.read_tables(read) for part in self._parts]
        built = {name: self._concatenated(name, [tables[name] for tables in found]) for name in read}
        if MATCH.name in names:
            built[MATCH.name] = self._matches(built[CONVARS.name])
        return built

    def _build_with(self, name: str, options: Mapping[str, Any], columns: Sequence[str] | None) -> pa.Table:
        inner = None if columns is None else [column for column in columns if column != PART.name]
        if name == PLAYER_STATS.name:  # sums need all columns
            inner = None
        tables = [part.table(name, columns=inner, **options) for part in self.parts]
        return self._concatenated(name, tables)

    def entity_table(self, *args: Any, **options: Any) -> pa.Table:
        """As `Source2Replay.entity_table`, of all recordings, with `part`."""
        return self._concatenated("", [part.entity_table(*args, **options) for part in self.parts])

    def _concatenated(self, name: str, tables: list[pa.Table]) -> pa.Table:
        moved = [self._moved(part, table) for part, table in zip(self._parts, tables, strict=True)]
        for number, table in enumerate(moved):
            if name in ("rounds", PLAYER_STATS.name) and "match_num" in table.column_names:
                shifted = pc.add(table.column("match_num"), scalar_of(self._matches_before[number], pa.int32()))
                table = table.set_column(table.schema.get_field_index("match_num"), "match_num", shifted)
            if name != PLAYER_STATS.name:
                table = table.append_column(PART.name, pa.repeat(scalar_of(number + 1, pa.int32()), len(table)))
            moved[number] = table
        if name == PLAYER_STATS.name:
            rows = summed(row for table in moved for row in table.to_pylist())
            return schema_with(moved[0].column_names).build_rows(rows)
        whole = pa.concat_tables(moved, promote_options="default").unify_dictionaries()
        schema = self.tables[name].arrow() if name in self.tables else None
        same = schema is not None and schema.names == whole.column_names
        return whole.cast(schema) if same and schema is not None else whole

    def _moved(self, part: _Part, table: pa.Table) -> pa.Table:
        """Return a table of a recording with the match's ticks, seconds and numbers of players."""
        rate = self.brief_info.ticks_per_second or 1.0
        for i, name in enumerate(table.column_names):
            column = table.column(name)
            if (name == "tick" or name.endswith("_tick")) and name not in _FOREIGN_TICKS:
                # Ticks of the sign-on are negative.
                moved = pc.add(column, scalar_of(part.offset, column.type))
                column = pc.if_else(pc.less(column, scalar_of(0, column.type)), column, moved)
            elif name in ("seconds", "end_seconds"):
                column = pc.add(column, scalar_of(part.offset / rate, pa.float64()))
            elif name == "player" or name.endswith("_player"):
                column = _renumbered(column, part.numbers)
            elif name.endswith("_players"):
                lists = column.combine_chunks()
                column = pa.ListArray.from_arrays(lists.offsets, _renumbered(lists.values, part.numbers))
            else:
                continue
            table = table.set_column(i, table.schema.field(i), column)
        return table

    @property
    def _matches_before(self) -> list[int]:
        """How many matches ended in the recordings before each."""
        before, found = 0, []
        for part in self.parts:
            found.append(before)
            played = part._played()
            rounds = [] if played is None else list(played.rounds)
            before += max((each.values["match_num"] for each in rounds), default=1)
            # A match that did not end continues in the next recording.
            before -= not any(each.values["match_ended"] for each in rounds[-1:])
        return found

    @property
    def _rounds(self) -> list[Round]:
        """The rounds of all parts, with the match's ticks and numbers."""
        rounds: list[Round] = []
        for part, before in zip(self._parts, self._matches_before, strict=True):
            played = part.replay._played()
            for each in () if played is None else played.rounds:
                moved = {
                    name: _later(each.values[name], part.offset) for name in each.values if name.endswith("tick")
                }
                joined = Round(
                    each.begin + part.offset,
                    {**each.values, **moved, "match_num": each.values["match_num"] + before},
                )
                joined.sides = {part.numbers.get(player, player): side for player, side in each.sides.items()}
                rounds.append(joined)
        return rounds

    @property
    def _clans(self) -> dict[int, str | None]:
        people = self._people.values()
        return {player.player: player.clan for player in people if player.player is not None}

    def _matches(self, convars: pa.Table) -> pa.Table:
        # Settings of the first recording hold from before its ticks.
        limits = round_limits(
            {**row, "tick": row["tick"] if row["part"] > 1 else -1} for row in convars.to_pylist()
        )
        clock = self.clock
        rows = [
            {
                **row,
                "seconds": None if clock is None else clock.seconds(row["tick"]),
                "end_seconds": None
                if clock is None or row["end_tick"] is None
                else clock.seconds(row["end_tick"]),
                "game_seconds": None if clock is None else clock.game_seconds(row["tick"]),
                "map": self.brief_info.map,
                "server": self.parts[0].recording.file_header.get("server_name"),
            }
            for row in match_rows(self._rounds, self._clans, limits)
        ]
        return MATCH.build_rows(rows)


def _renumbered(players: Any, numbers: Mapping[int, int]) -> Any:
    place = pc.index_in(players, array_of(list(numbers), pa.int32()))
    return array_of(list(numbers.values()), pa.int32()).take(place)


def _later(tick: Any, offset: int) -> Any:
    return None if tick is None else tick + offset
