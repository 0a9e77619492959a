"""What tables read of a map's statistics (``SStatGameEvent``), of scores, of the end of a game and of leavers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.game import GameUserJoinEvent, GameUserLeaveEvent
from playhead.blizzard.events.tracker import ScoreResultEvent, StatGameEvent
from playhead.blizzard.protocol.tables import GAME, TRACKER
from playhead.blizzard.units.history import lives_of
from playhead.blizzard.units.tracked import HISTORY_EVENTS, unit_history
from playhead.hots.members.players import SIDES
from playhead.hots.tables.registry import TableSource
from playhead.runtime.records import dataclass

#: Numbers of the players who own the minions and buildings of a side.
BLUE, RED = 11, 12
#: Teams by these.
TEAM_OF_OWNER = {BLUE: 1, RED: 2}
#: Heroes by those units whose names are not that of their hero.
_HEROES = {"DVaPilot": "DVa", "DVaMech": "DVa"}


@dataclass(frozen=True, slots=True)
class Statistic:
    """One report of the map: its loop and its values by key; a key without a value is None or empty."""

    name: str
    tick: int
    texts: dict[str, str]
    lists: dict[str, tuple[int, ...]]
    fractions: dict[str, float]

    def number(self, key: str) -> int | None:
        """Return the first whole number of a key."""
        found = self.lists.get(key)
        return found[0] if found else None


def all_statistics(source: TableSource) -> tuple[Statistic, ...]:
    """Return every report, in file order. One walk over the tracker serves all tables."""
    stream = source.stream(TRACKER)
    return () if stream is None else stream.once("statistics", lambda _: tuple(_statistics(source)))


def statistics(source: TableSource, *names: str) -> Iterator[Statistic]:
    """Yield the reports of these names, in file order."""
    return (each for each in all_statistics(source) if each.name in names)


def _statistics(source: TableSource) -> Iterator[Statistic]:
    for event in tracker_events(source, StatGameEvent):
        texts, numbers, fractions = (dict(part or {}) for part in (event.texts, event.numbers, event.fractions))
        yield Statistic(event.statistic, event.tick, texts, numbers, fractions)


def spawned_heroes(source: TableSource) -> dict[int, str]:
    """Return the game's own name of the hero by player; the last one, as computers change theirs in brawls."""
    found = dict[int, str]()
    for each in statistics(source, "PlayerSpawned"):
        unit, player = each.texts.get("Hero", "").removeprefix("Hero"), each.number("PlayerID")
        if unit and player is not None:
            found[player] = _HEROES.get(unit, unit)
    return found


def last_scores(source: TableSource) -> tuple[int, dict[str, tuple[int | None, ...]]] | None:
    """Return the loop and the values of the last scores: earlier ones are of players who left."""
    last = None
    for event in tracker_events(source, ScoreResultEvent):
        scores = {name: tuple(map(_signed, values)) for name, values in (event.scores or {}).items()}
        last = event.tick, scores
    return last


def _signed(value: int | None) -> int | None:
    """Return a score with its sign: the tracker writes those below 0 as unsigned numbers of 32 bits."""
    return value - 2**32 if value is not None and value >= 2**31 else value


def tracker_events(source: TableSource, *types: type[Any]) -> Iterator[Any]:
    """Yield the events of these classes, in file order."""
    stream = source.stream(TRACKER)
    numbers = () if stream is None else map(stream.number_of, types)
    wanted = frozenset(number for number in numbers if number is not None)
    return source.events(TRACKER, wanted) if wanted else iter(())


def team_of(number: float | None, prefix: str = "") -> dict[str, Any]:
    """Return the values of the columns team and side of a team's number: 1 blue, 2 red."""
    team = None if number is None else int(number)
    return {f"{prefix}team": team, f"{prefix}side": None if team is None else SIDES.get(team - 1)}


def people_of(source: TableSource) -> dict[int, dict[str, Any]]:
    """Return the hero, the team and the side of each player by number."""
    return {
        each.player: {"hero": each.character, "team": each.team, "side": each.side}
        for each in source.players
        if each.player is not None
    }


#: The events that `core_fell` and `leavers` read.
CORE_EVENTS = HISTORY_EVENTS
LEAVER_EVENTS = (*HISTORY_EVENTS, GameUserLeaveEvent, GameUserJoinEvent)
#: Types of cores; the last two are those of Alterac Pass.
CORES = frozenset(("KingsCore", "VanndarStormpike", "DrekThar"))


def core_fell(source: TableSource) -> int | None:
    """Return the loop in which a core fell; None if none did."""
    stream = source.stream(TRACKER)
    if stream is None or not stream.kinds:
        return None
    history = unit_history(stream)
    lives = lives_of(history)
    cores = zip(lives["unit_type"], lives["end_tick"], strict=True)
    return next((end for type_, end in cores if end != NOTHING and history.text(type_) in CORES), None)


def leavers(source: TableSource) -> frozenset[int] | None:
    """Return the numbers of the players who left before a core fell and did not come back; None if none fell."""
    stream, end = source.stream(GAME), core_fell(source)
    if stream is None or end is None:
        return None
    loops, users, *_ = stream.rows.heads
    left, back = (stream.of(type_).orders for type_ in (GameUserLeaveEvent, GameUserJoinEvent))
    away: set[int] = set()
    for order in sorted((*left, *back)):
        if loops[order] < end:
            (away.add if order in left else away.discard)(users[order])
    return frozenset(source.players_by_user[user] for user in away if user in source.players_by_user)
