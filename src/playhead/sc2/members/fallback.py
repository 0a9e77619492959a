"""Players where ``replay.details`` is lost: from the lobby, its attributes and the game's own summary.

The game numbers players from 1 in the order of the slots that play. Races are in English here, results only known
from 3.4 on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from playhead.model import Player
from playhead.sc2.members.attribute_names import GAME_NAMESPACE, RACE
from playhead.sc2.members.attributes import Attribute
from playhead.sc2.members.details import CONTROL_KINDS
from playhead.sc2.members.lobby import Lobby
from playhead.sc2.members.metadata import GameMetadata, MetadataPlayer
from playhead.sc2.members.races import RANDOM, race_of_code
from playhead.sc2.members.text import decode_text, split_name

_RESULTS = {"Win": "win", "Loss": "loss", "Tie": "tie"}
_RACE = (GAME_NAMESPACE, RACE)
#: The controls of a slot; who is neither human nor computer has nobody in it.
_CONTROL = (GAME_NAMESPACE, 500)
_TAKEN = {"Humn": "human", "Comp": "computer"}


def _from_summary(entry: MetadataPlayer | None) -> dict[str, Any]:
    if entry is None:
        return {}
    return {
        "apm": entry.apm,
        "mmr": entry.mmr,
        "selected_race": entry.selected_race,
        "assigned_race": entry.assigned_race,
    }


def _played(code: str | None) -> str | None:
    """Return the race of a code; None for random, which nobody plays."""
    race = race_of_code(code)
    return None if race == RANDOM else race


def _from_lobby(lobby: Lobby, summary: Mapping[int, MetadataPlayer], races: Mapping[int, str]) -> Iterable[Player]:
    for number, slot in enumerate(lobby.playing, 1):
        user = slot["m_userId"]
        known = lobby.users[user] if user is not None and user < len(lobby.users) else {}
        entry = summary.get(number)
        race = None if entry is None else entry.assigned_race
        clan, name = split_name(lobby.user_name(user) or "")
        yield Player(
            player=number,
            name=name or None,
            clan=clan or decode_text(known.get("m_clanTag") or b"") or None,
            kind=CONTROL_KINDS[slot["m_control"]],
            team=slot["m_teamId"],
            character=_played(race or races.get(number)),
            result=None if entry is None else _RESULTS.get(entry.result or ""),
            account=decode_text(slot.get("m_toonHandle") or b"") or None,
            details={
                "handicap": slot["m_handicap"],
                "control": slot["m_control"],
                "observe": slot["m_observe"],
                "working_set_slot": slot.get("m_workingSetSlotId"),
                **_from_summary(entry),
            },
        )


def _from_attributes(
    kinds: Mapping[int, str], summary: Mapping[int, MetadataPlayer], races: Mapping[int, str]
) -> Iterable[Player]:
    for number in sorted(kinds or summary):
        entry = summary.get(number)
        race = None if entry is None else entry.assigned_race
        yield Player(
            player=number,
            name=None,
            kind=kinds.get(number),
            character=_played(race or races.get(number)),
            result=None if entry is None else _RESULTS.get(entry.result or ""),
            details=_from_summary(entry),
        )


def players_without_details(
    lobby: Lobby | None, attributes: Sequence[Attribute], metadata: GameMetadata | None
) -> tuple[Player, ...]:
    """Return what these tell of the players; without a lobby nobody has a name."""
    summary = {} if metadata is None else {entry.player: entry for entry in metadata.players}
    found = {(row.namespace, row.attribute, row.scope): row.value for row in attributes}
    races = {scope: value for (space, number, scope), value in found.items() if (space, number) == _RACE}
    kinds = {
        scope: _TAKEN[value]
        for (space, number, scope), value in found.items()
        if (space, number) == _CONTROL and value in _TAKEN
    }
    if lobby is not None:
        return tuple(_from_lobby(lobby, summary, races))
    return tuple(_from_attributes(kinds, summary, races))


def with_lobby_names(found: tuple[Player, ...], lobby: Lobby | None) -> tuple[Player, ...]:
    """Return the players of the details' backup, which has no names, with those of the lobby."""
    named = players_without_details(lobby, (), None)
    if len(named) != len(found):
        return found
    return tuple(
        each if each.name else replace(each, name=other.name, clan=other.clan)
        for each, other in zip(found, named, strict=True)
    )
