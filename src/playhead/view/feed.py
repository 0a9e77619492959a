"""Events as the page lists and marks them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from playhead.view.jumps import Jumps

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
_FIRST = ("text", "name", "target", "unit_type", "item", "upgrade", "reason")
#: Those of them with names of types, which games write in one word.
_TYPES = frozenset({"unit_type", "upgrade"})
_LONGEST_VALUE, _LONGEST_TEXT = 160, 300


def notable_kinds(replay: Replay) -> list[str]:
    """Return the kinds of events that the page shows first."""
    known = replay.event_kinds
    found = [kind for kind in replay.presentation.feed.notable if kind in known]
    return found or list(known)[:_FIRST_KINDS]


def event_rows(replay: Replay, kinds: tuple[str, ...], most: int = MOST) -> dict[str, Any]:
    """Return at most `most` events of these kinds in columns; `more` is true if there are others.

    `jumps` has the ticks of the game's jumps by name, as far as they are events of these kinds.
    """
    feed = replay.presentation.feed
    chosen = [kind for kind in kinds if kind in replay.event_kinds]
    rate = replay.info.ticks_per_second or 1.0
    units = {kind: find(replay) for kind, find in feed.units.items() if kind in chosen}
    line = _Line(replay, rate)
    jumps = Jumps(feed.jumps, rate)
    found: dict[str, list[Any]] = {name: [] for name in ("tick", "kind", "player", "team", "text", "x", "y")}
    more = False
    for event in islice(replay.events(*chosen), most + 1) if chosen else ():
        if len(found["tick"]) == most:
            more = True
            break
        payload = event.payload
        unit = units[event.kind](event) if event.kind in units else None
        jumps.add(event, unit)
        found["tick"].append(event.tick)
        found["kind"].append(event.kind)
        found["player"].append(event.player if unit is None else unit.player)
        found["team"].append(payload.get("team", payload.get("target_team")))
        found["text"].append(line.text(event, unit))
        for axis in ("x", "y"):
            value = payload.get(axis)
            found[axis].append(value if isinstance(value, int | float) else None)
    return {"columns": found, "more": more, "kinds": chosen, "jumps": jumps.ticks()}


class _Line:
    """Writes the payload of an event as one line."""

    def __init__(self, replay: Replay, rate: float) -> None:
        shown: Presentation = replay.presentation
        self._rate = rate
        self._hidden = _COLUMNS | shown.feed.hidden_fields | {*_FIRST, "attacker", "killer_player"}
        self._durations = shown.feed.durations
        self._wording = shown.wording
        self._prefixes = re.compile(rf"\b(?:{shown.wording.prefixes})") if shown.wording.prefixes else None
        self._names = {player.player: player.name for player in reversed(replay.players)}

    def text(self, event: ReplayEvent, unit: EventUnit | None) -> str:
        """Return the text and names of the payload, followed by its other fields."""
        parts = [] if unit is None else [self._spoken(unit.type)]
        parts += self._first(event)
        parts += self._others(event)
        return " · ".join(dict.fromkeys(parts))[:_LONGEST_TEXT]

    def _first(self, event: ReplayEvent) -> Iterator[str]:
        payload = event.payload
        duration = payload.get(self._durations.get(event.kind, ""))
        if isinstance(duration, int):
            yield f"in {_duration(duration / self._rate)}"
        for name in _FIRST:
            if payload.get(name) not in (None, "", []):
                text = self._spoken(str(payload[name])) if name in _TYPES else self._short(payload[name])
                yield f"{'→ ' if name == 'target' else ''}{text}"
        if event.player is None and payload.get("attacker"):
            yield f"by {self._short(payload['attacker'])}"
        killer = payload.get("killer_player")
        if killer is not None:
            yield f"by {self._names.get(killer) or killer}"

    def _others(self, event: ReplayEvent) -> Iterator[str]:
        payload: Mapping[str, Any] = event.payload
        killer_is_known = payload.get("killer_player") is not None
        for name, value in payload.items():
            if name in self._hidden or name.endswith(_HIDDEN_ENDS) or value in (None, "", [], {}, False):
                continue
            if name == event.kind or (name == "count" and value == 1):  # its own number, or one thing
                continue
            if (name == "killer" and killer_is_known) or name == self._durations.get(event.kind):
                continue
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
