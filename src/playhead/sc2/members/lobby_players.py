"""What the lobby knows of the participants: who watched, what each picked, rating, league, commander."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from playhead.model import Player
from playhead.sc2.members.attribute_names import DIFFICULTY, GAME_NAMESPACE, value_name
from playhead.sc2.members.attributes import Attribute
from playhead.sc2.members.details import CONTROL_COMPUTER, CONTROL_HUMAN, CONTROL_KINDS
from playhead.sc2.members.lobby import Lobby, Struct
from playhead.sc2.members.players import rating_of
from playhead.sc2.members.races import race_of_number
from playhead.sc2.members.setting import REGIONS, commanders
from playhead.sc2.members.text import decode_text, split_name

#: By ``m_highestLeague``; 0 and 8 are none.
LEAGUES = {1: "bronze", 2: "silver", 3: "gold", 4: "platinum", 5: "diamond", 6: "master", 7: "grandmaster"}

#: By ``m_observe``.
WATCHING = {1: "observer", 2: "referee"}

#: By ``m_difficulty``, which counts from 1 in the builds of Legacy of the Void.
_DIFFICULTIES = (
    "Very Easy",
    "Easy",
    "Medium",
    "Hard",
    "Harder",
    "Very Hard",
    "Elite",
    "Cheater 1 (Vision)",
    "Cheater 2 (Resources)",
    "Insane",
)
_FIRST_FROM_1 = 34784


def pair_with_slots(players: Sequence[Player], lobby: Lobby, *, by_name: bool = False) -> dict[int, int]:
    """Place of the lobby's slot by place of the player: the working set's slot, or, where the build does not have
    that, the order, which is that of the slots that play. With `by_name`, the name of its user."""
    playing = [place for place, slot in enumerate(lobby.slots) if lobby.plays(slot)]
    if by_name:
        names = {lobby.user_name(lobby.slots[place]["m_userId"]): place for place in playing}
        return {number: names[player.name] for number, player in enumerate(players) if player.name in names}
    working = {lobby.slots[place].get("m_workingSetSlotId"): place for place in playing}
    wanted = [player.details.get("working_set_slot") for player in players]
    if None not in wanted and None not in working:
        return {number: working[slot] for number, slot in enumerate(wanted) if slot in working}
    if len(playing) != len(players):
        return {}
    return dict(enumerate(playing))


def _user_facts(lobby: Lobby, user: int | None, users_by_place: Mapping[int, int]) -> dict[str, Any]:
    if user is None or not 0 <= user < len(lobby.users):
        return {}
    data = lobby.users[user]
    return {
        "user": users_by_place.get(user),
        "league": LEAGUES.get(data.get("m_highestLeague") or 0),
        "mmr": rating_of(data.get("m_scaledRating")),
    }


def _difficulty(slot: Struct, written: str | None, build: int) -> str | None:
    if slot["m_control"] != CONTROL_COMPUTER:
        return None
    number = slot.get("m_difficulty")
    if written is None and build >= _FIRST_FROM_1 and number is not None and 0 < number <= len(_DIFFICULTIES):
        return _DIFFICULTIES[number - 1]
    return written


def _slot_facts(slot: Struct) -> dict[str, Any]:
    facts: dict[str, Any] = {"race_picked": race_of_number((slot.get("m_racePref") or {}).get("m_race"))}
    commander = decode_text(slot.get("m_commander") or b"")
    if commander and slot.get("m_commanderLevel"):
        facts |= {
            "commander": commander,
            "commander_level": slot.get("m_commanderLevel"),
            "mastery_level": slot.get("m_commanderMasteryLevel"),
            "mastery_talents": list(slot.get("m_commanderMasteryTalents") or ()),
            "prestige": slot.get("m_selectedCommanderPrestige"),
        }
    return facts


def with_lobby(
    players: Sequence[Player],
    lobby: Lobby,
    attributes: Sequence[Attribute],
    users_by_event: Mapping[int, int],
    build: int,
    *,
    by_name: bool = False,
) -> tuple[Player, ...]:
    """The players with what the lobby has of them, and behind them those who only watched: they have no number.

    Allies of a co-op mission are one team, whatever the lobby's numbers say; those of the mission's own players
    are unknown.
    """
    events = {place: event for event, place in users_by_event.items()}
    difficulties = {
        row.scope: value_name(row)
        for row in attributes
        if (row.namespace, row.attribute) == (GAME_NAMESPACE, DIFFICULTY)
    }
    places = pair_with_slots(players, lobby, by_name=by_name)
    found = []
    for number, player in enumerate(players):
        place = places.get(number)
        if place is None:
            found.append(player)
            continue
        slot = lobby.slots[place]
        facts = _user_facts(lobby, slot["m_userId"], events) | _slot_facts(slot)
        facts["difficulty"] = _difficulty(slot, difficulties.get(place + 1), build)
        details = {**player.details, **{name: value for name, value in facts.items() if value is not None}}
        found.append(replace(player, kind=CONTROL_KINDS.get(slot["m_control"], player.kind), details=details))
    if commanders(lobby):
        found = _as_allies(found)
    return (*found, *_watching(lobby, events))


def _as_allies(players: Sequence[Player]) -> list[Player]:
    team = min(
        (player.team for player in players if player.kind == "human" and player.team is not None), default=None
    )
    return [replace(player, team=team if player.kind == "human" else None) for player in players]


def _watching(lobby: Lobby, events: Mapping[int, int]) -> list[Player]:
    found = []
    for slot in lobby.slots:
        if slot["m_control"] != CONTROL_HUMAN or slot["m_observe"] not in WATCHING:
            continue
        user = slot["m_userId"]
        account = decode_text(slot.get("m_toonHandle") or b"") or None
        facts = _user_facts(lobby, user, events)
        if account is not None and account.partition("-")[0].isdecimal():
            facts["region"] = REGIONS.get(int(account.partition("-")[0]))
        clan, name = split_name(lobby.user_name(user) or "")
        tag = decode_text((lobby.users[user].get("m_clanTag") or b"") if facts else b"")
        found.append(
            Player(
                player=None,
                name=name or None,
                clan=clan or tag or None,
                kind=WATCHING[slot["m_observe"]],
                account=account,
                details={name: value for name, value in facts.items() if value is not None},
            )
        )
    return found


def with_allies_results(players: Sequence[Player]) -> tuple[Player, ...]:
    """The players, each with the result of the team where the file leaves the player's own undecided.

    A team's result is the one that all of it have for whom any is recorded; where those differ, nothing is taken.
    What the file has of each is kept as ``recorded_result``.
    """
    results = defaultdict(set)
    for player in players:
        if player.team is not None and player.result is not None:
            results[player.team].add(player.result)
    out = []
    for player in players:
        known = results.get(player.team, set()) if player.team is not None else set()
        details = {**player.details, "recorded_result": player.result}
        result = next(iter(known)) if player.result is None and len(known) == 1 else player.result
        out.append(replace(player, result=result, details=details))
    return tuple(out)
