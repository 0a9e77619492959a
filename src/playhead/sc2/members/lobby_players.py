"""Participants from the lobby. One walk over its slots finds them; with ``replay.details`` they complete its
players, without it they replace them.

The lobby has observers, picked races, ratings, leagues and commanders. It has no results, and before 24764 no
accounts; only the details have names of computers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any

from playhead.blizzard.members.details import CONTROL_COMPUTER, CONTROL_HUMAN, CONTROL_KINDS
from playhead.blizzard.members.lobby import WATCHING, Attribute, Lobby, Struct
from playhead.blizzard.members.text import decode_text, split_name
from playhead.model import Player
from playhead.runtime.records import dataclass, field, replace
from playhead.sc2.members.lobby import PlayerSetup
from playhead.sc2.members.metadata import GameMetadata
from playhead.sc2.members.players import rating_of, realm_of, region_of
from playhead.sc2.members.setting import (
    CONTROLLER,
    DIFFICULTY,
    GAME_NAMESPACE,
    RACE,
    RANDOM,
    ROLE,
    commanders,
    race_of_code,
    race_of_number,
    shares_armies,
    value_name,
)

#: By ``m_highestLeague``; 0 and 8 are none.
LEAGUES = {1: "bronze", 2: "silver", 3: "gold", 4: "platinum", 5: "diamond", 6: "master", 7: "grandmaster"}

#: By ``m_difficulty``, which counts from 1 in the builds of Legacy of the Void.
_DIFFICULTIES = (
    *("Very Easy", "Easy", "Medium", "Hard", "Harder", "Very Hard", "Elite"),
    *("Cheater 1 (Vision)", "Cheater 2 (Resources)", "Insane"),
)
_FIRST_FROM_1 = 34784

#: By the attribute of a slot's controller; slots with other values are empty.
_TAKEN = {"Humn": "human", "Comp": "computer"}
#: Facts of a slot that replace an entry of the details: key in `Player.details`, and field of the slot.
_SLOT_FIELDS = {each: f"m_{each}" for each in ("handicap", "control", "observe")}
_SLOT_FIELDS["working_set_slot"] = "m_workingSetSlotId"
#: Facts from the lobby that win over those of the details.
_LOBBY_FIRST = frozenset({"user", "league", "mmr", "race_picked", "difficulty"})
#: The role of an observer.
_WATCHES = "Watc"


def pair_with_slots(players: Sequence[Player], lobby: Lobby, *, by_name: bool = False) -> dict[int, int]:
    """Return the index of the lobby's slot by index of the player: the working set's slot, or, in builds without
    it, the order of slots with players. With `by_name`, pair by the name of the slot's user."""
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


def _difficulty(slot: Struct, attribute: Attribute | None, build: int) -> str | None:
    if slot["m_control"] != CONTROL_COMPUTER:
        return None
    written = None if attribute is None else value_name(attribute)
    number = slot.get("m_difficulty")
    if written is None and build >= _FIRST_FROM_1 and number is not None and 0 < number <= len(_DIFFICULTIES):
        return _DIFFICULTIES[number - 1]
    return written


def slot_difficulties(known: Sources) -> list[str | None]:
    """Return the difficulty of the computer in each slot of the lobby."""
    assert known.lobby is not None
    written = known.of_slots(DIFFICULTY)
    return [_difficulty(slot, written.get(place), known.build) for place, slot in enumerate(known.lobby.slots)]


def computer_numbers(lobby: Lobby, players: Sequence[Player]) -> dict[int, int]:
    """Return the player number by index of the lobby's slot, of computers."""
    listed = [player for player in players if player.player is not None]
    places = pair_with_slots(listed, lobby)
    numbers = {place: listed[at].player for at, place in places.items() if listed[at].kind == "computer"}
    return {place: number for place, number in numbers.items() if number is not None}


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


@dataclass(frozen=True, slots=True)
class Sources:
    """Facts about the participants besides ``replay.details``.

    Attributes:
        lobby, attributes: of the members; None or empty if lost.
        users: user id of events by index in the lobby's list of users.
        build: of the replay.
        numbers: the game's number of players by index of the lobby's slot, if it is not their order.
    """

    lobby: Lobby | None
    attributes: Sequence[Attribute]
    users: Mapping[int, int]
    build: int
    numbers: Mapping[int, int] = field(default_factory=dict)

    def of_slots(self, attribute: int) -> dict[int, Attribute]:
        """Return one of the game's own attributes by index of its slot."""
        wanted = (GAME_NAMESPACE, attribute)
        return {row.scope - 1: row for row in self.attributes if (row.namespace, row.attribute) == wanted}


def slot_numbers(
    lobby: Lobby | None,
    metadata: GameMetadata | None,
    setups: Callable[[], Sequence[PlayerSetup]],
    *,
    by_place: bool,
) -> dict[int, int]:
    """Return the game's number of players by index of the lobby's slot; empty if it is their order, from 1.

    Empty slots and a mission's own players leave gaps. From 3.4 on the game's summary has the numbers, from 2.1 on
    the tracker's player setups; before, a number is the place of the slot.

    Args:
        lobby, metadata: of the replay.
        setups: returns the player setups; called only if there may be gaps.
        by_place: whether the game is of 2.0.8 to 2.0.11.
    """
    if lobby is None:
        return {}
    playing = [place for place, slot in enumerate(lobby.slots) if lobby.plays(slot)]
    if shares_armies(lobby):
        return {}
    if metadata is not None and len(metadata.players) == len(playing):
        return dict(zip(playing, sorted(entry.player for entry in metadata.players), strict=True))
    if playing == list(range(len(playing))) and not commanders(lobby):
        return {}
    if by_place:
        return {place: place + 1 for place in playing}
    return {each.slot: each.player for each in setups() if each.slot is not None and each.player is not None}


def _army_numbers(lobby: Lobby, known: Mapping[int, int]) -> dict[int, int]:
    """Return the player number by index of the slot: the known one, or else from 1 in the order of the slots. Two
    players who share an army (archon mode) have the number of its leader."""
    playing = {place: slot for place, slot in enumerate(lobby.slots) if lobby.plays(slot)}
    leaders = {place: lobby.leader(slot) for place, slot in playing.items()}
    numbers: dict[int, int] = {}
    for place in playing:
        if leaders[place] is None:
            numbers[place] = known.get(place, len(numbers) + 1)
    own = {lobby.own_key(playing[place]): number for place, number in numbers.items()}
    for place, leader in leaders.items():
        if place not in numbers:
            numbers[place] = own.get(leader) or len(numbers) + 1
    return numbers


def _seat(known: Sources, lobby: Lobby, place: int, number: int | None, difficulty: Attribute | None) -> Player:
    """Return the participant in a slot, from all facts of the lobby."""
    slot = lobby.slots[place]
    user = slot["m_userId"]
    clan, name = split_name(lobby.user_name(user) or "")
    facts = _user_facts(lobby, user, known.users)
    tag = decode_text((lobby.users[user].get("m_clanTag") or b"") if facts else b"")
    account = decode_text(slot.get("m_toonHandle") or b"") or None
    facts["region"], facts["realm"] = region_of(account), realm_of(account)
    if number is not None:
        facts |= _slot_facts(slot)
        facts["difficulty"] = _difficulty(slot, difficulty, known.build)
        facts["shared_army"] = number if shares_armies(lobby) else None
    return Player(
        player=number,
        name=name or None,
        clan=clan or tag or None,
        kind=WATCHING[slot["m_observe"]] if number is None else CONTROL_KINDS[slot["m_control"]],
        team=None if number is None else slot["m_teamId"],
        account=account,
        details={name: value for name, value in facts.items() if value is not None},
    )


def _seats(known: Sources, lobby: Lobby) -> dict[int, Player]:
    """Return the participants by index of the slot; observers have no number."""
    numbers = _army_numbers(lobby, known.numbers)
    difficulties = known.of_slots(DIFFICULTY)
    found = {}
    for place, slot in enumerate(lobby.slots):
        watches = slot["m_control"] == CONTROL_HUMAN and slot["m_observe"] in WATCHING
        if place not in numbers and not watches:
            continue
        found[place] = _seat(known, lobby, place, numbers.get(place), difficulties.get(place))
    return found


def _merged(player: Player, seat: Player, number: int | None) -> Player:
    """Return a player of the details with the facts of the lobby: its name if blank in the details, its number if
    known, and the army's number in archon mode."""
    details = dict(player.details)
    for name, value in seat.details.items():
        if name in _LOBBY_FIRST or details.get(name) is None:
            details[name] = value
    return replace(
        player,
        player=seat.details.get("shared_army", player.player if number is None else number),
        name=player.name or seat.name,
        clan=player.clan if player.name else seat.clan,
        kind=seat.kind,
        details=details,
    )


def _of_attributes(known: Sources) -> Iterable[Player]:
    """Return the players by the attributes of the slots alone, without names."""
    roles, races = known.of_slots(ROLE), known.of_slots(RACE)
    taken = sorted(
        (place, _TAKEN[row.value])
        for place, row in known.of_slots(CONTROLLER).items()
        if row.value in _TAKEN and (place not in roles or roles[place].value != _WATCHES)
    )
    for number, (place, kind) in enumerate(taken, 1):
        picked = race_of_code(races[place].value) if place in races else None
        yield Player(
            player=number, name=None, kind=kind, details={} if picked is None else {"race_picked": picked}
        )


def with_lobby(players: Sequence[Player] | None, known: Sources, *, by_name: bool = False) -> tuple[Player, ...]:
    """Return the players with the facts of the lobby, followed by the observers, who have no number.

    Allies of a co-op mission are one team, against the lobby's numbers; the teams of the mission's own players are
    unknown. Two players who share an army have its number, as in the events.

    Args:
        players: of ``replay.details`` or ``replay.info``; None if lost. Then the players are those of the lobby's
            slots, or else of the attributes, in the order of the game's numbers.
        by_name: pair players with slots by their names.
    """
    lobby = known.lobby
    if lobby is None:
        return tuple(_of_attributes(known) if players is None else players)
    seats = _seats(known, lobby)
    if players is None:
        found = []
        for place, seat in sorted(seats.items(), key=lambda item: (item[1].player or 0, item[0])):
            if seat.player is not None:
                entry = {key: lobby.slots[place].get(field) for key, field in _SLOT_FIELDS.items()}
                found.append(replace(seat, details={**entry, **seat.details}))
    else:
        places = pair_with_slots(players, lobby, by_name=by_name)
        found = [
            _merged(player, seats[places[number]], known.numbers.get(places[number]))
            if number in places
            else player
            for number, player in enumerate(players)
        ]
    if commanders(lobby):
        found = _as_allies(found)
    return (*found, *(seat for seat in seats.values() if seat.player is None))


def _as_allies(players: Sequence[Player]) -> list[Player]:
    team = min(
        (player.team for player in players if player.kind == "human" and player.team is not None), default=None
    )
    return [replace(player, team=team if player.kind == "human" else None) for player in players]


def with_races(
    players: Sequence[Player], races: Mapping[int, str], *, picks: Container[str | None]
) -> tuple[Player, ...]:
    """Return the players with races. A missing race is that of the player's first town hall (by number), or else
    the picked one. Without players, return those who have a town hall.

    Args:
        picks: kinds of players who certainly played the picked race; empty in missions and on arcade maps.
    """
    if not players:
        players = [Player(number, None) for number in sorted(races)]
    out = []
    for player in players:
        race = player.details.get("race")
        if race is None and player.player is not None:
            picked = player.details.get("race_picked") if player.kind in picks else None
            race = races.get(player.player) or (None if picked == RANDOM else picked)
        known = {} if race is None else {"race": race}
        out.append(replace(player, character=player.character or race, details={**player.details, **known}))
    return tuple(out)


def with_late_start(players: Sequence[Player], races: Mapping[int, str]) -> tuple[Player, ...]:
    """Return the players of a game that begins after its recording, each with a team and the race of the first
    town hall, followed by the others as observers: in the lobby all are players."""
    playing = [player for player in players if player.player in races]
    found = []
    for team, player in enumerate(playing):
        race = races[player.player or 0]
        details = {**player.details, "race": race, "race_picked": race}
        found.append(replace(player, team=team, character=race, details=details))
    rest = [player for player in players if player.player not in races]
    return (*found, *map(_as_watcher, rest))


def _as_watcher(player: Player) -> Player:
    details = {name: value for name, value in player.details.items() if name not in ("race", "race_picked")}
    kind = "observer" if player.kind == "human" else player.kind
    return replace(player, player=None, kind=kind, team=None, character=None, details=details)


def with_allies_results(players: Sequence[Player]) -> tuple[Player, ...]:
    """Return the players; one with an undecided result gets that of the team.

    A team's result is the one recorded for all members that have a result; if they differ, none is used. The
    recorded result stays in ``recorded_result``.
    """
    results = defaultdict(set)
    for player in players:
        if player.team is not None and player.result is not None:
            results[player.team].add(player.result)
    out = []
    for player in players:
        known = set() if player.team is None else results.get(player.team, set())
        details = {**player.details, "recorded_result": player.result}
        result = next(iter(known)) if player.result is None and len(known) == 1 else player.result
        out.append(replace(player, result=result, details=details))
    return tuple(out)
