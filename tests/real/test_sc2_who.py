"""Players and winners of real replays: agreement with sc2reader, and inferred winners compared with recorded
ones.

Every 7th file of the corpus, and all on which the two readers differ.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
from tests.loading import load_module
from tests.opened import open_as
from tests.real.sc2_index import sc2_replays

import playhead
from playhead.sc2.replay import Sc2Replay

ROOT = Path(__file__).parents[2]
STEP = 7

_ARCADE = "A map with settings of its own; sc2reader counts the players of each team."
_COOP = "Allies of a mission, whom the lobby puts into two teams as if they played each other."
_UNNAMED = "The lobby says what was picked; attributes are of another slot, or have nothing."
_ARCHON = "sc2reader crosses names and slots of those who share an army."
_SPELLING = "A spelling of a race that sc2reader does not know."

#: Differences by file, and their reasons.
DIFFERENCES: dict[str, tuple[set[str], str]] = {
    "1.3.5.19132/1.3.5.19132__24372.SC2Replay": ({"mode"}, _ARCADE),
    "1.4.0.19679/1.4.0.19679__36540.SC2Replay": ({"race_picked"}, _UNNAMED),
    "2.0.0.24247/2.0.0.24247__Hunting_Ground__2_.SC2Replay": ({"race_picked"}, _UNNAMED),
    "2.0.0.24247/2.0.0.24247__PeepMode.SC2Replay": ({"mode"}, _ARCADE),
    "2.0.8.25604/2.0.8.25604__issue135.SC2Replay": ({"race_picked"}, _UNNAMED),
    "2.0.8.25604/gh_sameteam.SC2Replay": (
        {"players", "observers", "race", "race_picked", "team", "result", "mode"},
        "GameHeart: seven players of one team in the lobby; sc2reader needs the tracker to correct it.",
    ),
    "3.17.1.57218/CoA.SC2Replay": ({"race_picked", "team", "mode"}, _COOP),
    "4.11.0.77379/4.11.0.77379__Oblivion_Express.SC2Replay": ({"race", "team", "mode"}, _COOP),
    "4.2.1.62848/kerrigan.SC2Replay": ({"team", "mode"}, _COOP),
    "5.0.10.88500/test6.SC2Replay": ({"mode"}, _ARCADE),
    "5.0.10.88500/testError.SC2Replay": ({"mode"}, _ARCADE),
    "5.0.10.88500/testError2.SC2Replay": ({"mode"}, "Nobody is listed; sc2reader has an empty text."),
    "5.0.11.89634/test7.SC2Replay": ({"mode"}, _ARCADE),
    "5.0.11.90136/test1.SC2Replay": ({"mode"}, _ARCADE),
    "5.0.12.91115/test8.SC2Replay": ({"mode"}, _ARCADE),
    "5.0.13.92174/Direct_Strike_TE__1022_.SC2Replay": ({"race_picked", "mode"}, _ARCADE),
    "5.0.15.95248/Direct_Strike_TE__3_.SC2Replay": ({"mode"}, _ARCADE),
    "5.0.15.95299/test9.SC2Replay": ({"mode"}, _ARCADE),
    "5.0.15.95841/US_TVP.SC2Replay": ({"race"}, _SPELLING),
    "5.0.15.96883/test10.SC2Replay": ({"mode"}, _ARCADE),
    "5.0.6.83830/ac1ce885_test1.SC2Replay": ({"mode"}, _ARCADE),
    "5.0.7.84643/2v2_archon_mode.SC2Replay": ({"race", "race_picked", "result", "mode"}, _ARCHON),
    "5.0.8.86383/test2.SC2Replay": ({"mode"}, _ARCADE),
    "5.0.9.87702/test5.SC2Replay": ({"mode"}, _ARCADE),
}


def tool(name: str) -> ModuleType:
    return load_module(name, ROOT / f"tools/{name}.py")


# The peer warns of unreadable parts of replays.
@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.filterwarnings("ignore")
def test_players_agree_with_sc2reader(corpus: Path, step: int) -> None:
    pytest.importorskip("sc2reader", reason="sc2reader is not installed")
    compare = tool("compare_sc2_sc2reader")
    names = sorted({*compare.files(corpus, STEP * step), *DIFFERENCES})
    found = dict(compare.differences(corpus, names))
    assert {name: set(what) for name, what in found.items() if what} == {
        name: what for name, (what, _) in DIFFERENCES.items()
    }
    assert sum(what is not None for what in found.values()) >= 55 // step


@pytest.mark.slow_interpreted
def test_the_inferred_winner_mostly_won(corpus: Path) -> None:
    games = list(tool("measure_sc2_winner").games(corpus, STEP))
    recorded = [game for game in games if None not in (game.recorded, game.inferred)]
    assert len(recorded) >= 28
    assert sum(game.recorded == game.inferred for game in recorded) >= 0.97 * len(recorded)
    assert any(game.recorded is None and game.inferred is not None for game in games)


@pytest.mark.slow_interpreted
def test_players_are_in_words_and_allies_win_together(corpus: Path) -> None:
    kinds: Counter[str | None] = Counter()
    names: Counter[bool] = Counter()
    for file in tool("compare_sc2_sc2reader").files(corpus, STEP):
        replay = playhead.open(corpus / "sc2" / file)
        results: dict[int | None, set[str | None]] = {}
        for player in replay.players:
            kinds[player.kind] += 1
            watches = player.kind in ("observer", "referee")
            assert watches == (player.player is None)
            assert watches or player.details["race"] in ("Terran", "Protoss", "Zerg"), file
            assert watches or player.details["race_picked"] in ("Terran", "Protoss", "Zerg", "Random"), file
            if not watches and player.team is not None:
                results.setdefault(player.team, set()).add(player.result)
        # The exception is an arcade map that gave one of the winners a loss.
        assert all(len(each) == 1 for each in results.values()) or file.endswith("test10.SC2Replay"), file
        info = replay.table("info").to_pylist()[0]
        assert info["mode"] or "testError2" in file, file
        assert info["inferred_winner_team"] is None or info["winner_name"] is None, file
        for row in replay.table("attributes").to_pylist():
            if row["namespace"] == 999:
                names[row["attribute"] is not None and row["meaning"] is not None] += 1
    assert set(kinds) == {"human", "computer", "observer", "referee"}
    assert names[True] > 5000
    assert names[False] <= 0.01 * names[True]


def test_a_mission_with_commanders(corpus: Path) -> None:
    replay = playhead.open(corpus / "sc2/3.17.1.57218/CoA.SC2Replay")
    rows = replay.table("players").to_pylist()
    allies = [row for row in rows if row["kind"] == "human"]
    assert [(row["team"], row["result"], row["commander"], row["commander_level"]) for row in allies] == [
        (0, "win", "Kerrigan", 15),
        (0, "win", "Raynor", 15),
    ]
    assert [(row["mastery_level"], row["mastery_talents"]) for row in allies] == [
        (119, [0, 30, 0, 30, 30, 0]),
        (104, [0, 30, 0, 30, 30, 0]),
    ]
    assert {(row["kind"], row["team"]) for row in rows[2:]} == {("computer", None)}
    assert replay.info.details["mode"] == replay.info.details["game_type"] == "co-op"
    assert replay.info.winner_name is not None
    assert replay.info.winner_name.count(",") == 1


def test_attributes_in_words(corpus: Path) -> None:
    replay = playhead.open(corpus / "sc2/5.0.10.88500/test6.SC2Replay")
    rows = replay.table("attributes").to_pylist()
    assert {(row["attribute"], row["meaning"]) for row in rows if row["scope"] == 16} >= {("Game Speed", "Faster")}
    assert {row["attribute"] for row in rows if row["namespace"] != 999} == {None}


def test_gameheart_begins_when_its_players_do(corpus: Path) -> None:
    """The nine facts that sc2reader asserts of this replay (its GameHeartNormalizer), and its tables."""
    replay = open_as(Sc2Replay, corpus / "sc2/2.0.8.25604/gh_sameteam.SC2Replay")
    playing = [player for player in replay.players if player.player is not None]
    assert [(player.name, player.character, player.team) for player in playing] == [
        ("EGJDRC", "Zerg", 0),
        ("LiquidTaeJa", "Terran", 1),
    ]
    assert [player.kind for player in replay.players].count("observer") == 5
    assert replay.info.winner_name == "EGJDRC"
    assert replay.info.details["mode"] == "1v1"
    start, end, clock = replay.info.details["start_tick"], replay.info.duration_ticks, replay.clock
    assert clock is not None
    assert end is not None
    assert [clock.displayed_seconds(loop) for loop in (start, end)] == [0.0, 424.25]
    assert clock.displayed(0) == "-0:50"
    assert set(replay.table("player_series")["player"].to_pylist()) == {5, 7}
    first = replay.table("build_order").to_pylist()[0]
    assert (first["product"], first["tick"] > start, first["supply"]) == ("SCV", True, 6)
    assert replay.at("1:00").displayed == "1:00"
    assert set(replay.table("apm")["minute"].to_pylist()) == set(range(7))


def test_computers_have_their_number_in_slots(corpus: Path, step: int) -> None:
    found = 0
    for file, replay in sc2_replays(corpus / "sc2", step):
        computers = {player.player for player in replay.players if player.kind == "computer"}
        rows = replay.table("slots").to_pylist()
        numbers = [row["player"] for row in rows if row["kind"] == "computer"]
        assert set(numbers) <= computers, file
        assert len(numbers) == len(set(numbers)), file
        found += len(numbers)
    assert found
