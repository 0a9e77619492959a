"""Teams of players: of the lobby's slots where the list of players has others'."""

from __future__ import annotations

from dataclasses import replace

from tests.samples.sc2.replay import DETAILS

from playhead.sc2.members.players import from_details, with_lobby_teams


def slot(control: int, team: int, observe: int = 0) -> dict[str, int]:
    return {"m_control": control, "m_teamId": team, "m_observe": observe}


def test_teams_of_the_lobby() -> None:
    listed = replace(DETAILS, players=tuple(replace(player, team=0) for player in DETAILS.players))
    found = from_details(listed, 20141)
    assert [player.team for player in found] == [0, 0]
    # An open slot, an observer between the players, a computer.
    slots = [slot(0, 5), slot(2, 1), slot(2, 7, observe=1), slot(3, 2)]
    assert [player.team for player in with_lobby_teams(found, slots)] == [1, 2]
    # Where the two do not fit, nothing is guessed.
    assert with_lobby_teams(found, slots[:3]) == found
