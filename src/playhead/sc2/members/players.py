"""Makes `Player` records from the members of a replay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playhead.blizzard.members.details import CONTROL_KINDS, RESULTS, Details, DetailsPlayer
from playhead.blizzard.members.lobby import Lobby
from playhead.model import Player
from playhead.runtime.records import replace
from playhead.sc2.members.metadata import GameMetadata, MetadataPlayer
from playhead.sc2.members.replay_info import InfoSlot, ReplayInfo
from playhead.sc2.members.setting import REGIONS, english_race, race_of_code

#: First build with retail's player lists.
FIRST_RETAIL_BUILD = 15976

#: First build whose ``m_control``, ``m_observe`` and ``m_teamId`` are right for every player of the list.
FIRST_RELIABLE_ROLES = 24764

#: Results as the game's own summary spells them.
_RESULTS_IN_WORDS = {"Win": "win", "Loss": "loss", "Tie": "tie"}


def _kind(player: DetailsPlayer, build: int | None) -> str | None:
    if player.observe and build is not None and build >= FIRST_RELIABLE_ROLES:
        return "observer"
    kind = CONTROL_KINDS.get(player.control)
    if kind is None and player.toon.handle is not None:
        return "human"
    return kind


def rating_of(number: float | None) -> int | None:
    """Return a matchmaking rating; null, 0 and -36400 mean none."""
    return round(number) if number is not None and 0 < number < 1 << 31 else None


def region_of(account: str | None) -> str | None:
    """Return the region of a toon handle (``2-S2-1-7``); None if it is empty or not a number."""
    number = "" if account is None else account.partition("-")[0]
    return REGIONS.get(int(number)) if number.isdecimal() and number.isascii() else None


def realm_of(account: str | None) -> int | None:
    """Return the realm of a toon handle (``2-S2-1-7``); None if it is empty or not a number."""
    parts = (account or "").split("-")
    number = parts[2] if len(parts) > 3 else ""
    return int(number) or None if number.isdecimal() and number.isascii() and len(number) < 5 else None


def _extras(player: DetailsPlayer) -> dict[str, Any]:
    extras: dict[str, Any] = {
        "color": list(player.color),
        "handicap": player.handicap,
        "control": player.control,
        "observe": player.observe,
        "region": REGIONS.get(player.toon.region),
        "realm": player.toon.realm or None,
        "race": english_race(player.race),
        "race_localized": player.race or None,
        "working_set_slot": player.working_set_slot,
    }
    if player.hero:
        extras["hero"] = player.hero
    if player.marked_name != player.name:
        extras["marked_name"] = player.marked_name
    return extras


def with_summary(players: Sequence[Player], metadata: GameMetadata | None, *, results: bool) -> tuple[Player, ...]:
    """Return the players with the facts of the game's own summary, unless its numbers do not match, as on some
    arcade maps. Without players, return those of the summary.

    Args:
        results: whether to use its results, if ``replay.details`` is lost.
    """
    summary = {} if metadata is None else {entry.player: entry for entry in metadata.players}
    if not players and results:
        players = [Player(number, None) for number in sorted(summary)]
    if {player.player for player in players} - {None} != summary.keys():
        return tuple(players)
    return tuple(
        player if player.player is None else _with_entry(player, summary[player.player], results)
        for player in players
    )


def _with_entry(player: Player, entry: MetadataPlayer, results: bool) -> Player:
    found = {
        "mmr": rating_of(entry.mmr),
        "race_picked": race_of_code(entry.selected_race),
        "race": race_of_code(entry.assigned_race),
    }
    known = {name: value for name, value in player.details.items() if value is not None}
    details = {
        **player.details,
        "apm": entry.apm,
        **{name: value for name, value in found.items() if name not in known},
        "selected_race": entry.selected_race,
        "assigned_race": entry.assigned_race,
    }
    return replace(
        player,
        character=player.character or details["race"],
        result=_RESULTS_IN_WORDS.get(entry.result or "") if results else player.result,
        details=details,
    )


def from_details(details: Details, build: int | None) -> tuple[Player, ...]:
    """Return the players of ``replay.details``, numbered as the game does: from 1 in the order of the list. The
    list of betas begins with the neutral player, so there the number is the index from 0.

    A blank name, as in anonymised packs, becomes null.
    """
    first = 0 if build is not None and build < FIRST_RETAIL_BUILD else 1
    return tuple(
        Player(
            player=number,
            name=entry.name or None,
            clan=entry.clan,
            kind=_kind(entry, build),
            team=entry.team,
            character=english_race(entry.race),
            result=RESULTS.get(entry.result),
            account=entry.toon.handle,
            details=_extras(entry),
        )
        for number, entry in enumerate(details.players, first)
        if not entry.empty
    )


def with_lobby_teams(found: tuple[Player, ...], slots: Sequence[Mapping[str, Any]]) -> tuple[Player, ...]:
    """Return the players with the teams of their slots in the lobby.

    Before 24764, ``replay.details`` has the teams of wrong slots if there are observers or a slot was moved: both
    players of a duel in one team. The list of players is in the order of the slots with players.
    """
    playing = [slot for slot in slots if Lobby.plays(slot)]
    if len(playing) != len(found):
        return found
    return tuple(replace(each, team=slot["m_teamId"]) for each, slot in zip(found, playing, strict=True))


def from_replay_info(info: ReplayInfo) -> tuple[Player, ...]:
    """Return the players of ``replay.info``: no account, no result. Their team is that of the lobby slot whose
    user has the same name."""
    slots: dict[str, InfoSlot] = {}
    for slot in info.slots:
        if slot.user is not None and slot.user < len(info.users):
            slots.setdefault(info.users[slot.user].name, slot)
    players = []
    for entry in info.players:
        taken = slots.get(entry.name)
        players.append(
            Player(
                player=entry.number,
                name=entry.name,
                kind=None if taken is None else CONTROL_KINDS.get(taken.control),
                team=None if taken is None else taken.team,
                character=english_race(entry.race),
                details={
                    "color": None if entry.color is None else list(entry.color),
                    "handicap": None if taken is None else taken.handicap,
                    "race": english_race(entry.race),
                    "race_localized": entry.race or None,
                },
            )
        )
    return tuple(players)


def winners(players: Sequence[Player]) -> list[Player]:
    """Return the winners in the order of the list; without teams of different results."""
    lost = {player.team for player in players if player.team is not None and player.result not in ("win", None)}
    return [player for player in players if player.result == "win" and player.team not in lost]


def winner_team(players: Sequence[Player]) -> int | None:
    """Return the team of the winners; None without winners or if they are of several teams."""
    teams = {player.team for player in winners(players)}
    return teams.pop() if len(teams) == 1 else None


def winner(players: Sequence[Player]) -> str | None:
    """Return the names of the winners; None without winners or names."""
    return ", ".join(player.name for player in winners(players) if player.name) or None
