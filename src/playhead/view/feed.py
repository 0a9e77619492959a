"""Events as the page lists and marks them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from playhead.view.jumps import Jumps, Openings

if TYPE_CHECKING:
    from playhead.events import ReplayEvent
    from playhead.presentation import EventUnit, Presentation
    from playhead.replay import Replay

#: Limit of the events of one answer.
MOST = 20_000
#: Kinds that the page shows first if the game declares none that the recording has.
_FIRST_KINDS = 20

#: Fields of payloads that have columns of their own.
_COLUMNS = frozenset("tick seconds game_seconds player kind team x y z".split())
#: Endings of names of fields that repeat other fields for programs.
_HIDDEN_ENDS = ("_tick", "_team", "_is_hero", "_is_illusion", "_recycle", "_unit", "_index", "_type")
#: Fields that begin the text.
_FIRST = (
    "text",
    "name",
    "command",
    "arguments",
    "target",
    "victim_name",
    "weapon",
    "unit_type",
    "item",
    "upgrade",
    "reason",
)
#: Those of them with whom or what an event befell.
_TARGETS = frozenset({"target", "victim_name"})
#: Those of them with names of types, which games write in one word.
_TYPES = frozenset({"unit_type", "upgrade"})
#: Fields with numbers of players, as those that end with ``_player`` and ``_players``.
_PLAYERS = frozenset({"assists", "recipient"})
_LONGEST_VALUE, _LONGEST_TEXT = 160, 300


def notable_kinds(replay: Replay) -> list[str]:
    """Return the kinds of events that the page shows first."""
    known = replay.event_kinds
    found = [kind for kind in replay.presentation.feed.notable if kind in known]
    return found or list(known)[:_FIRST_KINDS]


def event_rows(
    replay: Replay, kinds: tuple[str, ...], most: int = MOST, ticks: tuple[int, int] | None = None
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
    line = _Line(replay, rate)
    jumps, opening = Jumps(feed.jumps, rate), Openings(feed.opens_on, rate)
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
        x, y = (value if isinstance(value, int | float) else None for value in map(payload.get, ("x", "y")))
        team = payload.get("team", payload.get("target_team")) if feed.side is None else feed.side(event)
        text, kill = line.text(event, unit), line.kill(event, unit)
        thinned.add(event.kind, (event.tick, event.kind, player, team, text, x, y, kill))
    rows = thinned.rows()
    names = ("tick", "kind", "player", "team", "text", "x", "y", "kill")
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    every = {kind: each for kind, each in thinned.every.items() if each > 1}
    found = {"columns": columns, "every": every, "counts": thinned.counts, "hidden": hidden}
    first = ticks[0] if ticks else max(replay.first_tick, 0)
    return {**found, "kinds": chosen, "jumps": jumps.ticks(), "opening": opening.best(first)}


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


class _Line:
    """Writes the payload of an event as one line."""

    def __init__(self, replay: Replay, rate: float) -> None:
        shown: Presentation = replay.presentation
        self._rate = rate
        self._hidden = _COLUMNS | shown.feed.hidden_fields | {*_FIRST, "attacker", "killer_player"}
        self._durations = shown.feed.durations
        self._wording = shown.wording
        self._prefixes = re.compile(rf"\b(?:{shown.wording.prefixes})") if shown.wording.prefixes else None
        self._feed = shown.feed
        self._names = {player.player: player.name for player in reversed(replay.players)}

    def is_noise(self, event: ReplayEvent, unit: EventUnit | None) -> bool:
        """Return whether an event is bookkeeping of the game."""
        names = (unit and unit.type, event.payload.get("upgrade"), event.payload.get("unit_type"))
        return any(map(self._wording.hides, names)) or self._feed.noise(event, unit)

    def kill(self, event: ReplayEvent, unit: EventUnit | None) -> list[Any] | None:
        """Return killer, victim and weapon of a kill; None for other events."""
        found = self._feed.kill(event, unit)
        if found is None:
            return None
        killer = found.killer if found.killing_unit is None else self._short(self._spoken(found.killing_unit))
        victim = found.victim if found.killed_unit is None else self._short(self._spoken(found.killed_unit))
        how = [found.weapon and self._short(self._spoken(found.weapon)), found.note]
        weapon = ", ".join(filter(None, how)) or None
        return [killer, victim, weapon, found.victim, *found.teams]

    def text(self, event: ReplayEvent, unit: EventUnit | None) -> str:
        """Return the text and names of the payload, followed by its other fields."""
        if event.kind in self._feed.plain:
            return ""
        parts = [] if unit is None else [self._spoken(unit.type)]
        parts += self._first(event)
        parts += self._others(event)
        own = self._names.get(event.player)  # the page has it before the text
        kept = (part for part in dict.fromkeys(parts) if part != own or part == event.payload.get("text"))
        return " · ".join(kept)[:_LONGEST_TEXT]

    def _first(self, event: ReplayEvent) -> Iterator[str]:
        payload = event.payload
        duration = payload.get(self._durations.get(event.kind, ""))
        if isinstance(duration, int):
            yield f"in {_duration(duration / self._rate)}"
        for name in _FIRST:
            if payload.get(name) not in (None, "", [], ()) and name not in self._feed.hidden_fields:
                text = self._spoken(str(payload[name])) if name in _TYPES else self._short(payload[name])
                yield f"{'→ ' if name in _TARGETS else ''}{text}"
        if event.player is None and payload.get("attacker"):
            yield f"by {self._short(payload['attacker'])}"
        killer = payload.get("killer_player")
        if killer is not None:
            yield f"by {self._names.get(killer) or killer}"

    def _others(self, event: ReplayEvent) -> Iterator[str]:
        payload: Mapping[str, Any] = event.payload
        killer_is_known = payload.get("killer_player") is not None
        for name, value in payload.items():
            if name in self._hidden or name.endswith(_HIDDEN_ENDS) or value in (None, "", [], (), {}, False):
                continue
            if name == event.kind or (name == "count" and value == 1):  # its own number, or one thing
                continue
            if (name == "killer" and killer_is_known) or name == self._durations.get(event.kind):
                continue
            if name in _PLAYERS or name.endswith(("_player", "_players")):
                value = [self._names.get(each) or each for each in (value if isinstance(value, list) else [value])]
                name = name.removesuffix("_players").removesuffix("_player")
            yield f"{name.replace('_', ' ')} {self._short(value)}"

    def _spoken(self, name: str) -> str:
        """Return the name of a type as the game displays it, or else in words: ``Robotics Facility``."""
        return self._wording.title(name) or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)

    def _short(self, value: object) -> str:
        if isinstance(value, float):
            return f"{value:.6g}"
        value = self._wording.shown(value)
        text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        if self._prefixes is not None:
            text = self._prefixes.sub("", text)
        return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


def _duration(seconds: float) -> str:
    """Return a duration in minutes, seconds and hundredths."""
    minutes, rest = divmod(round(seconds * 100), 6000)
    return f"{minutes}:{rest // 100:02}.{rest % 100:02}"
