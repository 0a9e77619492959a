"""Makes `Player` records from details and lobby."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playhead.blizzard.members.details import CONTROL_KINDS, RESULTS, Details, DetailsPlayer
from playhead.blizzard.members.lobby import WATCHING, Lobby, Struct
from playhead.blizzard.members.text import decode_text
from playhead.hots.members.battle_lobby import LobbyPerson
from playhead.model import Player

#: By ``m_teamId``.
SIDES = {0: "blue", 1: "red"}

#: Facts of a player that are texts of the lobby's slot, by Blizzard's name.
TEXTS_OF_SLOT = {
    "m_hero": "hero",
    "m_skin": "skin",
    "m_mount": "mount",
    "m_banner": "banner",
    "m_spray": "spray",
    "m_announcerPack": "announcer",
    "m_voiceLine": "voice_line",
}
#: Skin of a player whose hero the game draws.
_RANDOM = "Random"


def _account(slot: Struct) -> str | None:
    return decode_text(slot.get("m_toonHandle") or b"") or None


def _slot_of(player: DetailsPlayer, slots: list[Struct]) -> Struct:
    """Return the lobby's slot of a player of the details; empty if it is not found."""
    number, account = player.working_set_slot, player.toon.handle
    for slot in slots:
        if number is not None and slot.get("m_workingSetSlotId") == number:
            return slot
    return next((slot for slot in slots if account is not None and _account(slot) == account), {})


def _facts(player: DetailsPlayer, slot: Struct) -> dict[str, Any]:
    texts = {name: decode_text(slot.get(field) or b"") or None for field, name in TEXTS_OF_SLOT.items()}
    if texts["skin"] == _RANDOM:  # in ARAM and brawls the lobby has the hero of before the draw
        texts["hero"] = None
    return {
        "user": slot.get("m_userId"),
        **texts,
        "hero_shown": player.hero or None,
        "has_silence_penalty": slot.get("m_hasSilencePenalty"),
        "has_voice_silence_penalty": slot.get("m_hasVoiceSilencePenalty"),
        "working_set_slot": player.working_set_slot,
    }


def _parties(people: Mapping[int, LobbyPerson]) -> dict[int, int]:
    """Return the party of each user in one, from 1, in the order of the users."""
    numbers: dict[int, int] = {}
    parties = ((user, person.party) for user, person in sorted(people.items()) if person.party is not None)
    return {user: numbers.setdefault(party, len(numbers) + 1) for user, party in parties}


def players_of(
    details: Details | None, lobby: Lobby | None, people: Mapping[int, LobbyPerson]
) -> tuple[Player, ...]:
    """Return the players in the order of the details, which is that of their numbers, and then the observers of
    the lobby, who have no number."""
    parties = _parties(people)
    slots = [] if lobby is None else [slot for slot in lobby.slots if slot["m_control"] in CONTROL_KINDS]
    found = []
    for number, each in enumerate([] if details is None else details.players, 1):
        slot = _slot_of(each, slots)
        facts = _facts(each, slot)
        found.append(
            Player(
                player=number,
                name=each.name or None,
                clan=each.clan,
                kind=CONTROL_KINDS.get(each.control),
                team=each.team + 1 if each.team in SIDES else None,
                side=SIDES.get(each.team),
                character=facts["hero"],
                result=RESULTS.get(each.result),
                account=each.toon.handle,
                details=facts | {"party": parties.get(slot.get("m_userId", -1))},
            )
        )
    watching = (slot for slot in slots if slot["m_observe"])
    return (*found, *(_watcher(slot, lobby) for slot in watching if lobby is not None))


def _watcher(slot: Struct, lobby: Lobby) -> Player:
    return Player(
        player=None,
        name=lobby.user_name(slot["m_userId"]),
        kind=WATCHING.get(slot["m_observe"]),
        account=_account(slot),
        details={"user": slot["m_userId"]},
    )


def players_by_user(players: tuple[Player, ...]) -> Mapping[int, int]:
    """Return the player number by user id of events."""
    found = ((each.details.get("user"), each.player) for each in players)
    return {user: player for user, player in found if user is not None and player is not None}


def winner_of(players: Sequence[Player]) -> Player | None:
    """Return one of the winners; None without winners or if they are of several teams."""
    won = [player for player in players if player.result == "win"]
    return won[0] if len({player.team for player in won}) == 1 else None
