"""Who played: the lobby's facts in words, observers, allies; and who probably won."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.opened import open_as
from tests.samples.sc2 import events
from tests.samples.sc2 import replay as sample

import playhead
from playhead.blizzard.members.lobby import Attribute, Lobby
from playhead.model import Player
from playhead.sc2.members.lobby_players import Sources, with_allies_results, with_lobby
from playhead.sc2.members.setting import (
    attribute_name,
    english_race,
    race_of_code,
    race_of_number,
    setting_facts,
    sides,
    value_name,
)
from playhead.sc2.replay import Sc2Replay
from playhead.sc2.state.players.winner import Inference, Side, infer

OPTIONS = {"m_battleNet": True, "m_amm": True, "m_competitive": True, "m_cooperative": False, "m_practice": False}
BUILD = 93333


def slot(
    control: int = 2, user: int | None = None, team: int = 0, observe: int = 0, **more: Any
) -> dict[str, Any]:
    return {"m_control": control, "m_userId": user, "m_teamId": team, "m_observe": observe, **more}


def lobby(slots: Sequence[dict[str, Any]], users: int = 0, **game: Any) -> Lobby:
    described = {"m_gameOptions": OPTIONS, "m_mapSizeX": 176, "m_mapSizeY": 0} | game
    ratings = [4321, -36400, 0, None]
    state = {
        "m_userInitialData": [
            {"m_name": b"user%d" % place, "m_scaledRating": ratings[place % 4], "m_highestLeague": 5 + place}
            for place in range(users)
        ],
        "m_gameDescription": described,
        "m_lobbyState": {"m_slots": slots},
    }
    return Lobby({"m_syncLobbyState": state})


def player(number: int, team: int | None, result: str | None = None, kind: str = "human") -> Player:
    return Player(number, f"user{number - 1}", kind=kind, team=team, result=result)


def test_races_in_english() -> None:
    assert [english_race(name) for name in ("Протоссы", "異虫", "저그", "Terran Tychus", " ", "", None)] == [
        "Protoss",
        None,
        "Zerg",
        "Terran",
        None,
        None,
        None,
    ]
    assert [race_of_code(code) for code in ("Terr", "RAND", "Rand", "TerT", None)] == [
        "Terran",
        "Random",
        "Random",
        None,
        None,
    ]
    assert [race_of_number(number) for number in (0, 1, 2, 3, -1, None)] == [
        "Terran",
        "Zerg",
        "Protoss",
        None,
        None,
        "Random",
    ]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (Attribute(999, 3004, 1, "Medi"), ("Difficulty", "Medium")),
        (Attribute(999, 3003, 1, " 100"), ("Handicap", "100%")),
        (Attribute(999, 3016, 1, "  19"), ("Commander Mastery Level", "19")),
        (Attribute(999, 3004, 1, "0"), ("Difficulty", None)),  # a value that no list has
        (Attribute(999, 3004, 1, "????"), ("Difficulty", None)),
        (Attribute(999, 9999, 1, "no"), (None, None)),
        (Attribute(246347, 3004, 1, "Medi"), (None, None)),  # a map's own attribute of the same number
    ],
)
def test_attributes_in_words(row: Attribute, words: tuple[str | None, str | None]) -> None:
    assert (attribute_name(row), value_name(row)) == words


def test_what_the_lobby_knows() -> None:
    room = lobby(
        [
            slot(0),
            slot(user=1, observe=2, m_toonHandle=b"2-S2-1-7"),
            slot(user=0, m_racePref={"m_race": None}),
            slot(user=2, observe=1),
            slot(3, team=1, m_racePref={"m_race": 2}, m_difficulty=3),
        ],
        users=3,
    )
    difficulty = [Attribute(999, 3004, 5, "VyHd")]
    listed = (player(1, 0), Player(2, "A.I.", team=1))
    found = with_lobby(listed, Sources(room, difficulty, {place: place for place in range(3)}, BUILD))
    assert [(each.player, each.name, each.kind, each.team) for each in found] == [
        (1, "user0", "human", 0),
        (2, "A.I.", "computer", 1),
        (None, "user1", "referee", None),
        (None, "user2", "observer", None),
    ]
    assert found[0].details == {"user": 0, "league": "diamond", "mmr": 4321, "race_picked": "Random"}
    assert found[1].details == {"race_picked": "Protoss", "difficulty": "Elite"}
    assert found[2].details == {"user": 1, "league": "master", "region": "Europe", "realm": 1}
    assert found[3].details == {"user": 2, "league": "grandmaster"}
    # Without attributes, the lobby's number; where slots and players do not fit, nothing is guessed.
    assert with_lobby(listed, Sources(room, [], {}, BUILD))[1].details["difficulty"] == "Medium"
    assert "difficulty" not in with_lobby(listed, Sources(room, [], {}, 20141))[1].details
    assert with_lobby(listed[:1], Sources(room, difficulty, {}, BUILD))[0] == listed[0]


def test_allies_of_a_mission_are_one_team() -> None:
    hero = {"m_commander": b"Kerrigan", "m_commanderLevel": 15, "m_commanderMasteryTalents": [0, 30]}
    room = lobby([slot(user=0, team=0, **hero), slot(user=1, team=1, **hero), slot(3, team=0)], users=2)
    found = with_lobby((player(1, 0), player(2, 1), player(3, 0, kind="computer")), Sources(room, [], {}, BUILD))
    assert [each.team for each in found] == [0, 0, None]
    assert (found[1].details["commander_level"], found[1].details["mastery_talents"]) == (15, [0, 30])
    facts = setting_facts(room, [], found, [])
    assert (facts["mode"], facts["game_type"]) == ("co-op", "co-op")
    # A beta has a commander without a level in every slot of ordinary games.
    bare = {"m_commander": b"JimRaynor", "m_commanderLevel": None}
    room = lobby([slot(user=0, team=0, **bare), slot(user=1, team=1, **bare)], users=2)
    found = with_lobby((player(1, 0), player(2, 1)), Sources(room, [], {}, BUILD))
    assert [each.team for each in found] == [0, 1]
    assert "commander" not in found[0].details


def test_who_is_undecided_shares_the_result_of_the_team() -> None:
    listed = [player(1, 0, "win"), player(2, 0), player(3, 1), player(4, 1), player(5, None), player(6, 2, "win")]
    found = with_allies_results([*listed, player(7, 2, "loss"), player(8, 2)])
    assert [each.result for each in found] == ["win", "win", None, None, None, "win", "loss", None]
    assert [each.details["recorded_result"] for each in found] == ["win", *[None] * 4, "win", "loss", None]


@pytest.mark.parametrize(
    ("teams", "mode"),
    [
        ([0, 1], "1v1"),
        ([0, 0, 1], "1v2"),
        ([0, 1, 2], "FFA"),
        ([0, 1, 2, 2], "1v1v2"),
        ([0, 0], None),
        ([0, None], None),
        ([], None),
    ],
)
def test_sides(teams: list[int | None], mode: str | None) -> None:
    watching = Player(None, "somebody", kind="observer")
    assert sides([*(player(number, team) for number, team in enumerate(teams, 1)), watching]) == mode


@pytest.mark.parametrize(
    ("options", "game_type"),
    [
        ({}, "ladder"),
        ({"m_ranked": True}, "ladder"),
        ({"m_ranked": False}, "unranked"),
        ({"m_practice": True}, "training"),
        ({"m_cooperative": True}, "versus AI"),
        ({"m_amm": False}, "custom"),
        ({"m_battleNet": False}, "offline"),
    ],
)
def test_how_a_game_came_about(options: dict[str, bool], game_type: str) -> None:
    room = lobby([slot(user=0), slot(user=1, team=1)], users=2, m_gameOptions=OPTIONS | options)
    facts = setting_facts(room, [], [player(1, 0), player(2, 1)], ["KRB", "KRB", "US"])
    assert facts == {
        "mode": "1v1",
        "matchup": None,
        "game_type": game_type,
        "map_width": 176,
        "map_height": None,
        "region": "Korea and Taiwan",
    }


def test_a_map_with_settings_of_its_own_is_arcade() -> None:
    slots = [slot(user=0), slot(user=1, team=1)]
    players = [player(1, 0), player(2, 1)]
    whole, of_player = Attribute(4711, 1, 16, "0001"), Attribute(4711, 1, 1, "0001")
    plain, extended = lobby(slots, 2, m_hasExtensionMod=False), lobby(slots, 2, m_hasExtensionMod=True)
    modes = [
        setting_facts(room, [row], players, [])["mode"] for room in (plain, extended) for row in (whole, of_player)
    ]
    assert modes == ["arcade", "arcade", "arcade", "1v1"]
    # Up to the first patches options are 16 bits of which nobody knows which is which.
    assert setting_facts(lobby(slots, 2, m_gameOptions=256), [], players, [])["game_type"] is None
    assert setting_facts(None, [], players, [])["mode"] == "1v1"


def side(team: int, left: int | None = None, structures: int | None = None) -> Side:
    return Side(team, (team + 1,), None, left, structures, None)


@pytest.mark.parametrize(
    ("found", "computers", "expected"),
    [
        ([side(0, 100), side(1)], False, Inference(1, "left")),
        ([side(0, 100), side(1, 101)], False, Inference(1, "left")),
        ([side(0, 100), side(1, 100)], False, None),
        ([side(0), side(1)], False, None),
        ([side(0, 100), side(1)], True, None),
        ([side(0, 100), side(1), side(2)], False, None),
        ([side(0, 100), side(1, 50), side(2)], False, Inference(2, "left")),
        ([side(0, 100, 3), side(1, None, 0)], False, Inference(0, "eliminated")),
        ([side(0, 100, 0), side(1, None, 2)], False, Inference(1, "eliminated, left")),
        ([side(0, 100, 0), side(1, None, 2)], True, Inference(1, "eliminated")),
        ([side(0, None, 0), side(1, None, None)], False, None),  # who never had a structure
        ([side(0, None, 0), side(1, None, 0)], False, None),
        ([side(0, 100, 5)], False, None),
        ([], False, None),
    ],
)
def test_who_probably_won(found: list[Side], computers: bool, expected: Inference | None) -> None:
    assert infer(found, computers=computers) == expected


@given(
    st.lists(
        st.builds(side, st.integers(0, 15), st.none() | st.integers(0, 9), st.none() | st.integers(0, 3)),
        max_size=4,
        unique_by=lambda each: each.team,
    ),
    st.booleans(),
)
def test_only_a_team_can_win_and_only_with_evidence(found: list[Side], computers: bool) -> None:
    inferred = infer(found, computers=computers)
    if inferred is not None:
        assert inferred.team in {each.team for each in found}
        winner = next(each for each in found if each.team == inferred.team)
        assert winner.structures or "eliminated" not in inferred.evidence
        assert not computers or "left" not in inferred.evidence


def test_the_sample_has_it_in_its_tables() -> None:
    replay = open_as(Sc2Replay, sample.sample_bytes())
    info = replay.table("info").to_pylist()[0]
    assert (info["mode"], info["region"], info["inferred_winner_name"]) == ("1v1", "Europe", None)
    assert [(row["race"], row["race_picked"], row["mmr"]) for row in replay.table("players").to_pylist()] == [
        ("Terran", "Random", 4321),
        ("Zerg", "Random", 4300),
    ]
    rows = replay.table("attributes").to_pylist()
    assert [(row["attribute"], row["meaning"]) for row in rows] == [
        ("Game Speed", "Faster"),
        ("Controller", "User"),
        ("Controller", "User"),
    ]
    assert [(row["team"], row["players"], row["result"]) for row in replay.table("outcomes").to_pylist()] == [
        (0, [1], "win"),
        (1, [2], "loss"),
    ]


def test_numbers_that_no_game_has_fit_their_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    players = tuple(replace(each, mmr=float(1 << 40)) for each in sample.METADATA.players)
    raw = {**sample.METADATA.raw, "Players": [{**each, "MMR": 1 << 40} for each in sample.METADATA.raw["Players"]]}
    monkeypatch.setattr(sample, "METADATA", replace(sample.METADATA, players=players, raw=raw))
    monkeypatch.setattr(events, "sample_lobby", lambda *_: b"no lobby")
    replay = playhead.open(sample.sample_bytes())
    assert [row["mmr"] for row in replay.table("players").to_pylist()] == [None] * 2


def test_without_a_result_the_winner_is_inferred_and_never_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    undecided = tuple(replace(each, result=0) for each in sample.DETAILS.players)
    monkeypatch.setattr(sample, "DETAILS", replace(sample.DETAILS, players=undecided))
    replay = playhead.open(sample.sample_bytes())
    row = replay.table("info").to_pylist()[0]
    assert (row["winner_name"], row["inferred_winner_name"], row["winner_evidence"]) == (
        None,
        "Needle",
        "eliminated, left",
    )
    assert [each.result for each in replay.players] == [None, None]


def test_periods_are_the_game_and_what_precedes_it() -> None:
    row = open_as(Sc2Replay, sample.sample_bytes()).table("periods").to_pylist()[0]
    assert (row["kind"], row["tick"], row["end_tick"], row["counts"], row["winner_team"]) == (
        "game",
        0,
        6720,
        True,
        0,
    )
    assert (row["game_seconds"], row["end_game_seconds"]) == (row["seconds"], row["end_seconds"])
