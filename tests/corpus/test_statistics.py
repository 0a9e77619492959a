"""`player_stats` of a corpus: sums over matches whose tables are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest

from playhead.corpus.reading.statistics import player_statistics

_MAY, _JUNE = datetime(2026, 5, 30, 23, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)
_BEFORE_JUNE = datetime(2026, 5, 31, 23, 59, tzinfo=UTC)
_INFO = [
    {"replay": "a", "game": "cs2", "map": "de_one", "played_at": _MAY, "duration_seconds": 600.0},
    {"replay": "b", "game": "cs2", "map": "de_two", "played_at": _JUNE, "duration_seconds": 1200.0},
    {
        "replay": "c",
        "game": "sc2",
        "map": "Eins",
        "map_english": "One",
        "matchup": "TvZ",
        "played_at": _BEFORE_JUNE,
        "duration_seconds": 60.0,
    },
]
_PLAYERS = [
    {"replay": "a", "player": 0, "name": "Old", "account": "1", "result": "win"},
    {"replay": "a", "player": 1, "name": "Other", "account": "2", "result": "loss"},
    {"replay": "b", "player": 5, "name": "New", "account": "1", "result": "loss"},
    {"replay": "b", "player": 7, "name": "Bot", "account": None, "result": None},
    {"replay": "c", "player": 1, "name": "Zoe", "account": "x", "character": "Zerg", "result": "win"},
    {"replay": "c", "player": 2, "name": "Tom", "account": "y", "character": "Terran", "result": "loss"},
    {"replay": "c", "player": None, "name": "Ann", "account": "z", "kind": "observer"},
]
_STATS = [
    {"replay": "a", "player": 0, "rounds_played": 10, "kills": 12, "adr": 90.0, "headshot_pct": 50.0},
    {"replay": "a", "player": 1, "rounds_played": 10, "kills": 2, "adr": 30.0, "headshot_pct": 0.0},
    {"replay": "b", "player": 5, "rounds_played": 30, "kills": 4, "adr": 50.0, "headshot_pct": 25.0},
    {"replay": "b", "player": 7, "rounds_played": 0, "kills": 0, "adr": None, "headshot_pct": None},
    {"replay": "c", "player": 1, "apm": 200.0},
    {"replay": "c", "player": 2, "apm": 100.0},
]
_SIDES = [{**_STATS[0], "side": side, "rounds_played": 5, "kills": kills} for side, kills in (("t", 9), ("ct", 3))]
_RUNS = [{"replay": "d", "players": [3, 4], "duration_seconds": seconds} for seconds in (20.0, 10.0)]
_KILLS = [
    {"replay": "a", "attacker_player": 0, "victim_player": 1, "weapon": "ak47", "headshot": True, "counts": True},
    {"replay": "a", "attacker_player": 0, "victim_player": 1, "weapon": "ak47", "headshot": False, "counts": True},
    {"replay": "a", "attacker_player": 0, "victim_player": 1, "weapon": "ak47", "headshot": True, "counts": False},
    {
        "replay": "a",
        "attacker_player": 0,
        "victim_player": 0,
        "weapon": "world",
        "headshot": False,
        "counts": True,
    },
]
_TABLES = {"info": _INFO, "players": _PLAYERS, "player_stats": _STATS, "kills": _KILLS}


def _table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    names = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: [row.get(name) for row in rows] for name in names})


def stats(by: str | Sequence[str], per: str = "match", *, least: int = 1, **more: Any) -> list[dict[str, Any]]:
    percentiles = more.pop("percentiles", False)

    def read(names: Sequence[str], options: Mapping[str, Any]) -> dict[str, pa.Table]:
        held = {**_TABLES, **more}
        if options and len(held["player_stats"]) > 4:
            raise ValueError("player_stats has no option 'by'")
        held |= {"player_stats": _SIDES} if options else {}
        return {name: _table(held[name]) for name in names if name in held}

    found = player_statistics(read, by, per, percentiles=percentiles, least=least)
    return found.to_pylist()


def test_a_person_is_an_account_with_the_latest_name() -> None:
    first, other, *_ = stats("player")
    assert (first["player"], first["name"], first["matches"], first["wins"], first["losses"]) == (
        "1",
        "New",
        2,
        1,
        1,
    )
    assert (first["win_share"], first["player_rounds"], first["player_minutes"], first["kills"]) == (
        0.5,
        40,
        30.0,
        8.0,
    )
    assert first["adr"] == (90 * 10 + 50 * 30) / 40  # weighted by rounds
    assert first["headshot_pct"] == (50 * 12 + 25 * 4) / 16  # weighted by kills
    assert (other["player"], other["matches"], other["kills"]) == ("2", 1, 2.0)


@pytest.mark.parametrize(("per", "kills"), [("total", 16.0), ("match", 8.0), ("round", 0.4), ("minute", 16 / 30)])
def test_counts_are_divided_and_other_numbers_are_not(per: str, kills: float) -> None:
    row = stats("player", per)[0]
    assert row["kills"] == pytest.approx(kills)
    assert row["adr"] == 60.0


def test_dimensions() -> None:
    assert [(row["map"], row["month"]) for row in stats(["map", "month"])] == [
        ("de_one", "2026-05"), ("de_two", "2026-06"), ("One", "2026-05"),  # began a minute before June
    ]  # fmt: skip
    versus = {row["matchup"]: row["win_share"] for row in stats("matchup") if row["game"] == "sc2"}
    assert versus == {"ZvT": 1.0, "TvZ": 0.0}  # own race first
    info = [{**row, "matchup": None} for row in _INFO]
    assert {row["matchup"] for row in stats("matchup", info=info) if row["game"] == "sc2"} == {
        "Zerg v Terran",
        "Terran v Zerg",
    }
    assert [row["opponent"] for row in stats(["player", "opponent"]) if row["player"] == "x"] == ["y"]
    assert len(stats("player", least=2)) == 1
    with pytest.raises(KeyError, match="no dimension 'plaer'; did you mean player"):
        stats("plaer")
    with pytest.raises(ValueError, match="no per 'rnd'"):
        stats("map", "rnd")


def test_minutes_are_those_of_the_player_not_of_the_match() -> None:
    came = {"first_tick": 6400, "last_tick": 12800}
    info = [{**row, "ticks_per_second": 64.0} for row in _INFO]
    players = [{**row, **(came if row["account"] == "2" else {})} for row in _PLAYERS]
    (late,) = (row for row in stats("player", "minute", info=info, players=players) if row["player"] == "2")
    assert (late["player_minutes"], late["kills"]) == (pytest.approx(100 / 60), pytest.approx(2 / (100 / 60)))
    info = [{"replay": "d", "game": "ddnet", "map": "Sunny", "duration_seconds": 60.0}]
    players = [{"replay": "d", "player": number, "name": f"tee {number}"} for number in (3, 4)]
    visits = [
        {"replay": "d", "player": 3, "seconds": 12.0, "end_seconds": None},
        {"replay": "d", "player": 4, "seconds": 0.0, "end_seconds": 30.0},
    ]
    rows = stats("player", info=info, players=players, runs=_RUNS, sessions=visits)
    assert {row["name"]: row["player_minutes"] for row in rows} == {"tee 3": 0.8, "tee 4": 0.5}


@pytest.mark.filterwarnings("ignore:.*do not count")
def test_sides_are_parts_without_a_time_of_their_own() -> None:
    rows = stats(["player", "side"], "round", player_stats=_STATS[:4])
    assert {(row["side"], row["kills"], row["player_rounds"], row["player_minutes"]) for row in rows} == {
        ("t", 9 / 5, 5, None), ("ct", 3 / 5, 5, None),
    }  # fmt: skip


def test_games_without_parts_are_named() -> None:
    with pytest.raises(ValueError, match=r"sc2 cannot be divided by side: choose filter\(game='cs2'\)"):
        stats(["game", "side"])


def test_players_with_a_result_but_without_statistics_are_told() -> None:
    with pytest.warns(UserWarning, match="1 replay with results but no rows of player_stats"):
        stats("player", player_stats=_STATS[:4])


def test_openings_leave_out_supply() -> None:
    names = ["Pylon", "Gateway", "Assimilator", "Probe"]
    build = [
        {"replay": "c", "player": 1, "kind": "unit" if name == "Probe" else "structure", "product": name}
        for name in names
    ]
    found = {row["opening"]: row["wins"] for row in stats("opening", build_order=build) if row["game"] == "sc2"}
    assert found == {"Gateway, Assimilator": 1, None: 0}


def test_weapons_of_kills_that_count() -> None:
    (row,) = stats("weapon", "total")
    assert (row["weapon"], row["kills"], row["headshot_kills"], row["wins"]) == ("ak47", 2.0, 1.0, 1)


def test_reasons_count_once_a_player_and_match() -> None:
    reasons = [
        {"replay": "c", "player": player, "reason": reason}
        for player, reason in [(2, "lost fight"), (2, "lost fight"), (1, "no free supply")]
    ]
    rows = stats("reason", reasons=reasons)
    assert [(row["reason"], row["matches"], row["players"], row["wins"], row["losses"]) for row in rows] == [
        ("lost fight", 1, 1, 0, 1), ("no free supply", 1, 1, 1, 0),
    ]  # fmt: skip


def test_finished_runs() -> None:
    info = [{"replay": "d", "game": "ddnet", "map": "Sunny", "duration_seconds": 60.0}]
    players = [{"replay": "d", "player": number, "name": f"tee {number}"} for number in (3, 4)]
    rows = stats(["player", "map"], "total", info=info, players=players, runs=_RUNS)
    assert [(row["player"], row["finishes"], row["best_seconds"], row["finish_seconds"]) for row in rows] == [
        ("tee 3", 2.0, 10.0, 15.0), ("tee 4", 2.0, 10.0, 15.0),
    ]  # fmt: skip


def test_percentiles_within_a_game() -> None:
    rows = stats("player", percentiles=True)
    assert {row["player"]: row["kills_percentile"] for row in rows if row["game"] == "cs2"} == {
        "1": 75.0,
        "2": 25.0,
    }
    assert {row["player"]: row["apm_percentile"] for row in rows if row["game"] == "sc2"} == {"x": 75.0, "y": 25.0}


def test_wins_of_sides_count_matches() -> None:
    people = [
        {"replay": "a", "player": each, "name": f"P{each}", "team": 1 + each // 5}
        | {"side": ("blue", "red")[each // 5], "result": ("win", "loss")[each // 5]}
        for each in range(10)
    ]
    facts = [{"replay": "a", "player": each, "side": ("blue", "red")[each // 5], "kills": 1} for each in range(10)]
    rows = stats(["map", "side"], players=people, player_stats=facts)
    assert [
        (row["side"], row["matches"], row["wins"], row["losses"]) for row in rows if row["map"] == "de_one"
    ] == [
        ("blue", 1, 1, 0),
        ("red", 1, 0, 1),
    ]
    assert sum(row["wins"] for row in stats("player", players=people, player_stats=facts)) == 5
