"""`EventLine`: an event as one line of text, as the page lists and captions it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from playhead.clock import format_hundredths
from playhead.presentation import Kill
from playhead.text.names import spaced

if TYPE_CHECKING:
    from playhead.events import Event
    from playhead.presentation import EventUnit, Presentation, PresentedReplay, Told

#: Fields of payloads that have columns of their own.
_COLUMNS = frozenset("tick seconds game_seconds player kind team side x y z".split())
#: Endings of names of fields that repeat other fields for programs.
_HIDDEN_ENDS = (
    *("_tick", "_team", "_is_hero", "_is_illusion", "_recycle", "_unit", "_index", "_type", "_x", "_y", "_z"),
    *("attacker_hero", "attacker_side", "attacker_level", "victim_side", "victim_level"),
)
#: Fields that begin the text.
_FIRST = (
    *("text", "name", "command", "arguments", "target", "victim_name", "victim_hero", "weapon", "unit_type"),
    *("item", "upgrade", "reason"),
)
#: Those of them that have the target of an event.
_TARGETS = frozenset({"target", "victim_name", "victim_hero"})
#: Those of them with names of types, which games write in one word.
_TYPES = frozenset({"unit_type", "upgrade"})
#: Fields with numbers of players, as those that end with ``_player`` and ``_players``.
_PLAYERS = frozenset({"recipient"})
_LONGEST_VALUE, _LONGEST_TEXT = 160, 300
#: Control characters around the name of an emoticon in a chat.
_SHIFTS = dict.fromkeys((0x0E, 0x0F))
#: Past tenses of the participles in names of kinds that differ from them.
_PAST = {"taken": "took", "stolen": "stole", "given": "gave", "thrown": "threw", "begun": "began", "drawn": "drew"}
#: Particles and adverbs that follow the verb in names of kinds.
_PARTICLES = frozenset("up down in out back live".split())
#: Participles of verbs without an object.
_WITHOUT_OBJECT = frozenset("born died expired ended exploded spawned progressed".split())
#: Beginnings of texts that continue a sentence.
_PREPOSITIONS = ("in ", "as ", "by ", "to ", "with ")


class EventLine:
    """Writes the payload of an event as one line."""

    def __init__(self, replay: PresentedReplay, rate: float) -> None:
        shown: Presentation = replay.presentation
        self._rate = rate
        self._hidden = _COLUMNS | shown.feed.hidden_fields | {*_FIRST, "attacker", "attacker_player"}
        self._durations = shown.feed.durations
        self._wording = shown.wording
        self._prefixes = re.compile(rf"\b(?:{shown.wording.prefixes})") if shown.wording.prefixes else None
        self._feed, self._sides = shown.feed, shown.sides
        self._names = {player.player: player.name for player in reversed(replay.players)}
        self._name_at = replay.name_of
        self._replay = replay
        self._told: dict[str, Callable[[Event], Told]] = {}

    def is_noise(self, event: Event, unit: EventUnit | None) -> bool:
        """Return whether an event is bookkeeping of the game."""
        names = (unit and unit.type, event.payload.get("upgrade"), event.payload.get("unit_type"))
        return any(map(self._wording.hides, names)) or self._feed.noise(event, unit)

    def told(self, event: Event) -> Told | None:
        """Return what is told of an event instead of its kind and its fields; None of most kinds."""
        kind = event.kind
        if kind not in self._feed.told:
            return None
        return (self._told.get(kind) or self._told.setdefault(kind, self._feed.told[kind](self._replay)))(event)

    def name(self, player: int | None) -> str | None:
        """Return the name of a player; None if unknown."""
        return None if player is None else self._names.get(player) or None

    def kill(self, event: Event, unit: EventUnit | None) -> list[Any] | None:
        """Return killer, victim and weapon of a kill; None for other events."""
        found = self._feed.kill(event, unit)
        if found is None:
            return None
        killer = found.killer if found.killing_unit is None else self._short(self._spoken(found.killing_unit))
        victim = found.victim if found.killed_unit is None else self._short(self._spoken(found.killed_unit))
        how = [found.weapon and self._short(self._spoken(found.weapon)), found.note]
        weapon = ", ".join(filter(None, how)) or None
        return [killer, victim, weapon, found.victim, *found.teams]

    def sentence(self, event: Event, unit: EventUnit | None) -> str:
        """Return an event as a sentence: ``Ferris killed Partridge with Galil AR, headshot``."""

        def called(player: int | None) -> str | None:
            return None if player is None else self._name_at(player, event.tick) or f"player {player}"

        kill = self._feed.kill(event, unit)
        if kill is None and unit is not None and event.kind == "unit_killed":  # its player is the owner
            kill = Kill(event.payload.get("attacker_player"), unit.player, killed_unit=unit.type)
        if kill is not None:
            return self._killed(kill, called)
        text, told = self.text(event, unit), self.told(event)
        if told is not None:
            subject = called(told.player)
            return f"{f'{subject}: ' if subject else ''}{told.word} {text.replace(' · ', ' ')}"
        subject = called(event.player if unit is None else unit.player)
        if subject is not None and "text" in event.payload:
            return f"{subject}: {text}"
        does = event.kind.replace("_", " ") if subject is None else _predicate(subject, event.kind)
        if not text or does.endswith(f" {text}"):
            return does
        if text.startswith(_PREPOSITIONS):
            return f"{does} {text}"
        return f"{does} {text.removeprefix('→ ')}" if text.startswith("→") else f"{does}: {text}"

    def _killed(self, kill: Kill, called: Callable[[int | None], str | None]) -> str:
        victim, killer = called(kill.victim), called(kill.killer)
        if kill.killed_unit is not None:
            unit = self._short(self._spoken(kill.killed_unit))
            victim = unit if victim is None else f"{victim}'s {unit}"
        if kill.killing_unit is not None:
            killer = self._short(self._spoken(kill.killing_unit))
        weapon = kill.weapon and self._short(self._spoken(kill.weapon))
        if killer is None or (kill.killing_unit is None and kill.killer == kill.victim):
            return ", ".join(filter(None, (f"{victim} died", weapon, kill.note)))
        how = f"{killer} killed {victim}" + (f" with {weapon}" if weapon else "")
        return ", ".join(filter(None, (how, kill.note)))

    def text(self, event: Event, unit: EventUnit | None) -> str:
        """Return the text and names of the payload, followed by its other fields."""
        if event.kind in self._feed.plain:
            return ""
        about = self.told(event)
        if about is not None:
            side = self._sides.get(about.team or 0) if about.player is None else None
            return " · ".join(filter(None, (about.text, side and f"by {side}")))
        kill = self._feed.kill(event, unit)
        if kill is not None and kill.killed_unit is None and kill.victim not in (None, event.player):
            return " · ".join(self._of_kill(event, kill))
        if event.kind in self._feed.lines:
            told = self._feed.lines[event.kind](event.payload)
            return " · ".join(self._short(part) for part in told if part not in (None, "", [], ()))
        parts = [] if unit is None else [self._spoken(unit.type)]
        parts += self._first(event)
        parts += self._others(event)
        own = self._names.get(event.player)  # the page has it before the text
        kept = (part for part in dict.fromkeys(parts) if part != own or part == event.payload.get("text"))
        return " · ".join(kept)[:_LONGEST_TEXT]

    def _of_kill(self, event: Event, kill: Kill) -> Iterator[str]:
        """Yield the victim, how it was killed, and who helped, as the kill feed names them."""
        yield f"→ {self.name(kill.victim) or f'player {kill.victim}'}"
        yield from filter(None, (kill.weapon and self._short(self._spoken(kill.weapon)), kill.note))
        for name, value in event.payload.items():
            if value is True and name != kill.note and name not in self._hidden:
                yield self._wording.fact_names.get(name) or name.replace("_", " ")
        helped = [self.name(player) for player in event.payload.get("assister_players") or ()]
        if any(helped):
            yield f"assists {', '.join(filter(None, helped))}"

    def _first(self, event: Event) -> Iterator[str]:
        payload = event.payload
        duration = payload.get(self._durations.get(event.kind, ""))
        if isinstance(duration, int):
            yield f"in {format_hundredths(duration / self._rate)}"
        for name in _FIRST:
            if event.kind.endswith(f"_{payload.get(name)}"):  # one who leaves has left
                continue
            if payload.get(name) not in (None, "", [], ()) and name not in self._feed.hidden_fields:
                text = self._spoken(str(payload[name])) if name in _TYPES else self._short(payload[name])
                yield f"{'→ ' if name in _TARGETS else ''}{text}"
        if event.player is None and payload.get("attacker"):
            yield f"by {self._short(payload['attacker'])}"
        killer = payload.get("attacker_player")
        if killer is not None:
            yield f"by {self._names.get(killer) or killer}"

    def _others(self, event: Event) -> Iterator[str]:
        payload: Mapping[str, Any] = event.payload
        killer_is_known = payload.get("attacker_player") is not None
        for name, value in payload.items():
            if name in self._hidden or name.endswith(_HIDDEN_ENDS) or value in (None, "", [], (), {}, False):
                continue
            if name in (event.kind, "change") or (name == "count" and value == 1):  # its own number, or the kind
                continue
            if (name == "attacker" and killer_is_known) or name == self._durations.get(event.kind):
                continue
            if name == "channel":
                if str(value).lower().rpartition("_")[2] != "all":
                    yield f"to {value}"
                continue
            if value is True:
                yield name.replace("_", " ")
                continue
            if name in _PLAYERS or name.endswith(("_player", "_players")):
                value = [self._names.get(each) or each for each in (value if isinstance(value, list) else [value])]
                name = name.removesuffix("_players").removesuffix("_player")
            yield f"{name.replace('_', ' ')} {self._short(value)}"

    def _spoken(self, name: str) -> str:
        """Return the name of a type as the game displays it, or else in words: ``Robotics Facility``."""
        return self._wording.title(name) or spaced(name)

    def _short(self, value: object) -> str:
        if isinstance(value, float):
            return f"{value:.6g}"
        value = self._wording.shown(value)
        text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        if self._prefixes is not None:
            text = self._prefixes.sub("", text)
        text = text.translate(_SHIFTS)
        return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


def _predicate(subject: str, kind: str) -> str:
    """Return a kind as a sentence about its player: ``bomb_planted`` is *Ferris planted bomb*."""
    kind, at, where = kind.partition("_at_")
    words = kind.split("_")
    verb = [words.pop()]
    while words and verb[0] in _PARTICLES:
        verb.insert(0, words.pop())
    if verb[0] in _WITHOUT_OBJECT and words and words[0] != "player":
        return f"{subject}'s {' '.join([*words, *verb])}"
    if not verb[0].endswith(("ed", "t", "n")) or verb[0] == kind:
        return f"{subject}: {kind.replace('_', ' ')}"
    told = [_PAST.get(verb[0], verb[0]), *verb[1:], *(words if words[:1] != ["player"] else words[1:])]
    return " ".join([subject, *told, *(["at", where] if at else [])])
