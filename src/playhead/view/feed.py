"""Events as the page lists and marks them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from playhead.view.jumps import Jumps, Openings
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
        player = event.player if unit is None else unit.player
        places = (payload.get(axis, payload.get(f"victim_{axis}")) for axis in "xy")
        x, y = (value if isinstance(value, int | float) else None for value in places)
        team = payload.get("team", payload.get("victim_team")) if feed.side is None else feed.side(event)
        text, kill = line.text(event, unit), line.kill(event, unit)
        thinned.add(event.kind, (event.tick, event.kind, player, team, text, x, y, kill))
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
