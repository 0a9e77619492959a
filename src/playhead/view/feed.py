"""Events as the page lists and marks them, and the moments to which it jumps and on which it opens."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from playhead.view.lines import EventLine

if TYPE_CHECKING:
    from playhead.events import Event
    from playhead.presentation import PresentedReplay

#: Limit of the events of one answer.
MOST = 20_000
#: Kinds that the page shows first if the game declares none that the recording has.
_FIRST_KINDS = 20


def notable_kinds(replay: PresentedReplay) -> list[str]:
    """Return the kinds of events that the page shows first."""
    known = replay.event_kinds
    found = [kind for kind in replay.presentation.feed.notable if kind in known]
    return found or list(known)[:_FIRST_KINDS]


def uncounted(replay: PresentedReplay) -> Callable[[Event], bool]:
    """Return a test for events of warm-up, knife and undone rounds; in games without rounds every event counts."""
    has_rounds = "rounds" in replay.tables
    return lambda event: has_rounds and event.payload.get("counts") is False


def event_rows(
    replay: PresentedReplay, kinds: tuple[str, ...], most: int = MOST, ticks: tuple[int, int] | None = None
) -> dict[str, Any]:
    """Return events of these kinds in columns, about `most` at most, from the whole recording or from the first to
    the last of `ticks`.

    If there are more, the most frequent kinds are thinned: `every` has n for a kind of which each nth event is
    included, `counts` the number of all events by kind. `jumps` has the ticks of the game's jumps by name, as far
    as they are events of these kinds, `opening` the tick and the label of the moment to open on, None if there is
    none, and `hidden` the number of events that are bookkeeping of the game. `kill` of an event is its line in the
    kill feed: killer, victim (numbers of players, or names of units), weapon, owner of the victim, teams of both.
    `kind` has the word of what is `Told` after a slash.
    """
    feed = replay.presentation.feed
    chosen = [kind for kind in kinds if kind in replay.event_kinds]
    rate = replay.info.ticks_per_second or 1.0
    units = {kind: find(replay) for kind, find in feed.units.items() if kind in chosen}
    line = EventLine(replay, rate)
    jumps, opening = Jumps(feed.jumps, rate, [each.player for each in replay.players]), Openings(replay, line)
    thinned = _Thinned(most)
    hidden = 0
    for event in replay.events(*chosen) if chosen else ():
        if ticks is not None and not ticks[0] <= event.tick <= ticks[1]:
            continue
        unit = units[event.kind](event) if event.kind in units else None
        if line.is_noise(event, unit):
            hidden += 1
            continue
        jumps.add(event, unit)
        opening.add(event, unit)
        if not thinned.wants(event.kind):
            continue
        payload = event.payload
        told = line.told(event)
        player = event.player if unit is None else unit.player
        places = (payload.get(axis, payload.get(f"victim_{axis}")) for axis in "xy")
        x, y = (value if isinstance(value, int | float) else None for value in places)
        team = payload.get("team", payload.get("victim_team")) if feed.side is None else feed.side(event)
        text, kill, kind = line.text(event, unit), line.kill(event, unit), event.kind
        if told is not None:
            kind, player, team = f"{kind}/{told.word}", told.player, told.team
        thinned.add(event.kind, (event.tick, kind, player, team, text, x, y, kill))
    rows = thinned.rows()
    names = ("tick", "kind", "player", "team", "text", "x", "y", "kill")
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    every = {kind: each for kind, each in thinned.every.items() if each > 1}
    found = {"columns": columns, "every": every, "counts": thinned.counts, "hidden": hidden}
    first, last = ticks or (max(replay.first_tick, 0), replay.info.duration_ticks or 1 << 62)
    return {**found, "kinds": chosen, "jumps": jumps.ticks(), "opening": opening.best(first, last)}


def sentences(
    replay: PresentedReplay, events: Iterable[Event], *, everything: bool
) -> Iterator[tuple[Event, str]]:
    """Yield events as sentences; without `everything`, only those that are no bookkeeping of the game."""
    line = EventLine(replay, replay.info.ticks_per_second or 1.0)
    units = {kind: find(replay) for kind, find in replay.presentation.feed.units.items()}
    for event in events:
        unit = units[event.kind](event) if event.kind in units else None
        if everything or not line.is_noise(event, unit):
            yield event, line.sentence(event, unit)


class _Thinned:
    """Rows in order, about `most` at most: of the most frequent kinds, each second, fourth, eighth … row."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[str, list[tuple[int, tuple[Any, ...]]]] = {}
        self._held = self._number = 0
        self.every: dict[str, int] = {}
        self.counts: dict[str, int] = {}

    def wants(self, kind: str) -> bool:
        """Count an event; return whether its row is kept."""
        count = self.counts.get(kind, 0)
        self.counts[kind] = count + 1
        return count % self.every.setdefault(kind, 1) == 0

    def add(self, kind: str, row: tuple[Any, ...]) -> None:
        """Keep a row; if there are too many, drop each second row of the kind that has most."""
        self._number += 1
        self._kept.setdefault(kind, []).append((self._number, row))
        self._held += 1
        if self._held > self._most:
            most = max(self._kept, key=lambda each: len(self._kept[each]))
            dropped = self._kept[most][1::2]
            del self._kept[most][1::2]
            self._held -= len(dropped)
            self.every[most] *= 2

    def rows(self) -> list[tuple[Any, ...]]:
        """Return the rows that were kept, in the order of the events."""
        return [row for _, row in sorted(chain.from_iterable(self._kept.values()), key=lambda each: each[0])]


if TYPE_CHECKING:
    from playhead.events import Event
    from playhead.presentation import Cluster, EventUnit, Jump, Opening, PresentedReplay
    from playhead.view.lines import EventLine

    _Found = tuple[Event, EventUnit | None]

#: Seconds for which the page shows a kill on the map.
SHOWN = 8.0
#: A fight with more kills is told as numbers by side, of at most so many sides.
MOST_NAMED = 2


class Jumps:
    """Collects the ticks of each jump of a game; players have their own ticks of some."""

    def __init__(self, jumps: Sequence[Jump], rate: float, players: Iterable[int | None] = ()) -> None:
        self._rate = rate
        self._found: list[tuple[Jump, list[int]]] = [(jump, []) for jump in jumps]
        players = [player for player in players if player is not None]
        self._own = {(jump.name, player): set[int]() for jump in jumps if jump.own for player in players}

    def add(self, event: Event, unit: EventUnit | None) -> None:
        """Add an event to the jumps that it fits."""
        for jump, ticks in self._found:
            if jump.fits(event, unit):
                ticks.append(event.tick)
                if event.player is not None and (jump.name, event.player) in self._own:
                    self._own[jump.name, event.player].add(event.tick)

    def ticks(self) -> Mapping[str, list[int]]:
        """Return the ticks by name, in order and once each; jumps without ticks are omitted. Those of one player
        are under ``expansion/2``.
        """
        found = {}
        for jump, ticks in self._found:
            starts = ticks if jump.cluster is None else cluster_starts(ticks, jump.cluster, self._rate)
            if starts:
                found[jump.name] = sorted(set(starts))
        own = {f"{name}/{player}": sorted(ticks) for (name, player), ticks in self._own.items() if name in found}
        return found | own


class Openings:
    """Collects the events of the moments on which the viewer may open."""

    def __init__(self, replay: PresentedReplay, line: EventLine) -> None:
        self._replay, self._line = replay, line
        self._rate = replay.info.ticks_per_second or 1.0
        openings = replay.presentation.feed.opens_on
        self._found: list[tuple[Opening, list[_Found]]] = [(opening, []) for opening in openings]

    def add(self, event: Event, unit: EventUnit | None) -> None:
        """Add an event to the moments that it fits."""
        for opening, found in self._found:
            if opening.fits(event, unit):
                if opening.pick == "last":
                    found.clear()
                if opening.pick != "first" or not found:
                    found.append((event, unit))

    def best(self, first: int, last: int) -> dict[str, Any] | None:
        """Return tick and label of the first moment that the recording has, from tick `first` to `last`; else
        None. The label has what happened, and where."""
        for opening, found in self._found:
            counts = None
            if opening.span is not None:
                *span, counts = opening.span(self._replay) or (last + 1, last, None)
                found = [each for each in found if span[0] <= each[0].tick <= span[1]]
            if found:
                picked, end = self._fight(opening, found) if opening.pick == "most" else (found, found[0][0].tick)
                tick = min(max(first, end - round(opening.before * self._rate)), last)
                return {
                    "tick": tick,
                    "label": ": ".join(filter(None, (opening.label, self._told(picked, counts)))),
                }
        return None

    def _fight(self, opening: Opening, found: list[_Found]) -> tuple[list[_Found], int]:
        """Return the events of the largest fight, and the tick at which the viewer shows most of them."""
        found.sort(key=lambda each: each[0].tick)
        ticks = [event.tick for event, _ in found]
        within = math.inf if opening.span is not None else opening.within * self._rate
        start = ticks[0] if opening.span is not None else densest(ticks, within)
        fight = [each for each in found if start <= each[0].tick <= start + within]
        shown = SHOWN * self._rate
        from_here = densest([event.tick for event, _ in fight], shown)
        return fight, max(event.tick for event, _ in fight if event.tick <= from_here + shown)

    def _told(self, found: Sequence[_Found], counts: Mapping[int, int] | None) -> str:
        """Return what these events are about: one in words, kills as numbers by side, those of a table if it has
        `counts`, and their place."""
        kills, word = [self._line.kill(*each) for each in found], self._replay.presentation.feed.word
        told = [f"{kill[0]} kills {kill[1]}" for kill in map(self._named, kills) if kill is not None]
        if len(found) == 1 and not told:
            event, unit = found[0]
            died = kills[0] is not None and kills[0][0] is None
            text = "dies" if died else self._line.text(event, unit).replace(" · ", ", ") or word(event.kind)
            return " ".join(filter(None, (self._line.name(event.player), text)))
        if not told:
            told = [f"{word(kind)} ×{count}" for kind, count in Counter(each.kind for each, _ in found).items()]
        elif len(told) > MOST_NAMED:
            if counts is not None:
                kills = [[player, *[None] * 4] for player, count in counts.items() for _ in range(count)]
            sides = Counter(filter(None, map(self._side, kills))).most_common(MOST_NAMED)
            told = [f"{name} {count}" for name, count in sides]
            told[0] += " kills" if sides[0][1] > 1 else " kill"
        place = self._replay.presentation.feed.place(self._replay)
        where = Counter(filter(None, (place(event) for event, _ in found))).most_common(1)
        return ", ".join([*told, *(name for name, _ in where if told)])

    def _named(self, kill: Sequence[Any] | None) -> tuple[str, str] | None:
        """Return killer and victim by name; None if one is unknown."""
        if kill is None:
            return None
        killer, victim = (
            self._line.name(each) if each is None or isinstance(each, int) else str(each) for each in kill[:2]
        )
        return (killer, victim) if killer and victim and killer != victim else None

    def _side(self, kill: Sequence[Any] | None) -> str | None:
        """Return the side of a killer, or else the names of the players of its team."""
        if kill is None or not isinstance(kill[0], int):
            return None
        teams = {player.player: player.team for player in self._replay.players}
        team = teams.get(kill[0]) if kill[4] is None else kill[4]
        mates = [] if team is None else [self._line.name(player) for player in teams if teams[player] == team]
        name = self._line.name(kill[0]) if len(mates) < 2 else f"{mates[0]} and {len(mates) - 1} more"
        return name if team is None else self._replay.presentation.sides.get(team, name)


def densest(ticks: Iterable[int], within: float) -> int:
    """Return the tick, of at least one, from which on the most others follow within `within` ticks; of several,
    the last, since matches become livelier."""
    order = sorted(ticks)
    end = most = best = 0
    for place, tick in enumerate(order):
        while end < len(order) and order[end] <= tick + within:
            end += 1
        if end - place >= most:
            most, best = end - place, place
    return order[best]


def cluster_starts(ticks: Iterable[int], cluster: Cluster, rate: float) -> list[int]:
    """Return the first tick of each cluster; `ticks` are in order."""
    found: list[int] = []
    group: list[int] = []
    for tick in (*ticks, None):
        if group and (tick is None or tick - group[-1] > cluster.seconds * rate):
            if len(group) >= cluster.least:
                found.append(group[0])
            group = []
        if tick is not None:
            group.append(tick)
    return found
