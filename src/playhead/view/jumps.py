"""The moments to which the viewer jumps and on which it opens, as ticks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

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
    """Collects the ticks of each jump of a game.

    Args:
        jumps: the jumps.
        rate: ticks per second.
        players: the players, who have their own ticks of some jumps.
    """

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
    """Collects the events of the moments on which the viewer may open.

    Args:
        replay: the recording.
        line: writes the line of an event, and of a kill.
    """

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
            if opening.span is not None:
                span = opening.span(self._replay) or (last + 1, last)
                found = [each for each in found if span[0] <= each[0].tick <= span[1]]
            if found:
                picked, end = self._fight(opening, found) if opening.pick == "most" else (found, found[0][0].tick)
                tick = min(max(first, end - round(opening.before * self._rate)), last)
                return {"tick": tick, "label": ": ".join(filter(None, (opening.label, self._told(picked))))}
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

    def _told(self, found: Sequence[_Found]) -> str:
        """Return what these events are about: one in words, kills as numbers by side, and their place."""
        kills = [self._line.kill(event, unit) for event, unit in found]
        told = [f"{kill[0]} kills {kill[1]}" for kill in map(self._named, kills) if kill is not None]
        if len(found) == 1 and not told:
            event, unit = found[0]
            words = self._replay.presentation.feed.words
            died = kills[0] is not None and kills[0][0] is None
            text = "dies" if died else self._line.text(event, unit).replace(" · ", ", ") or words.get(event.kind)
            return " ".join(filter(None, (self._line.name(event.player), text)))
        if len(told) > MOST_NAMED:
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
