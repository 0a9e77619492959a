"""Players, match and draft: against the truth of the sample, and of rules entities made for it."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from tests.samples.source2.engine import PLAYERS, file_info
from tests.samples.source2.match_demo import match_demo

import playhead
from playhead.dota2.facts.draft import DRAFT, Draft
from playhead.dota2.facts.match import MATCH
from playhead.dota2.facts.player_stats import PLAYER_STATS
from playhead.dota2.facts.structures import standing_bit
from playhead.dota2.sources.game_clock import RULES_CLASS
from playhead.dota2.sources.match import Dota2Match
from playhead.source2.entities.handlers import EntityOp

RULES = "m_pGameRules."


def rows_of(table: Any) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if value is not None} for row in table.to_pylist()]


def test_player_stats_are_those_of_the_match(sample: Any) -> None:
    rows = rows_of(sample.replay.table("player_stats"))
    assert len(rows) == 10
    for row, hero, (_, unit, team, _id) in zip(rows, sample.match.heroes, PLAYERS, strict=True):
        assert row["player"] == hero.player
        assert (row["team"], row["hero"]) == (team, unit)
        assert (row["kills"], row["deaths"]) == (hero.kills, hero.deaths)
        assert (row["last_hits"], row["level"], row["xp"]) == (hero.last_hits, hero.level, hero.xp)
        assert row["result"] == ("win" if team == 2 else "loss")
        assert len(row["items"]) == 6


def test_rates_are_of_game_time(sample: Any) -> None:
    """Gold a minute since the horn, without the time for which the game was paused."""
    last = sample.replay.table("frames").to_pylist()[-3]["tick"]
    paused = sum(
        row["end_tick"] - row["tick"]
        for row in sample.replay.table("periods").to_pylist()
        if row["kind"] == "pause"
    )
    assert paused > 0
    start = 30.0  # the server's clock at the horn; at demo tick 0 it has 1000 ticks
    minutes = ((last + 1000 - paused) / 30 - start) / 60
    for row in rows_of(sample.replay.table("player_stats")):
        assert row["gpm"] == pytest.approx(row["gold_earned"] / minutes, rel=1e-3)
        assert row["xpm"] == pytest.approx(row["xp"] / minutes, rel=1e-3)


def test_match_is_that_of_file_info(sample: Any) -> None:
    told = file_info()["game_info"]["dota"]  # type: ignore[index]
    (row,) = rows_of(sample.replay.table("match"))
    assert row["match_id"] == told["match_id"]
    assert (row["game_mode_id"], row["game_mode"], row["winner_side"]) == (2, "CM", "radiant")
    assert (row["radiant_team_tag"], row["dire_team_tag"]) == ("GRV", "MOR")


def test_draft_in_the_order_of_file_info(sample: Any) -> None:
    told = file_info()["game_info"]["dota"]["picks_bans"]  # type: ignore[index]
    rows = rows_of(sample.replay.table("draft"))
    assert [(row["action"] == "pick", row["team"], row["hero_id"]) for row in rows] == [
        (entry["is_pick"], entry["team"], entry["hero_id"]) for entry in told
    ]
    assert [row["order"] for row in rows] == list(range(len(told)))
    assert {row["known_by"] for row in rows} == {"file_info"}


@pytest.mark.parametrize("minutes", [0.2, pytest.param(4.0, marks=pytest.mark.long)])
def test_without_file_info_players_come_from_entities(minutes: float) -> None:
    """The longer match ends with a full packet."""
    data, match = match_demo(minutes)
    replay = playhead.open(data)
    assert [player.player for player in replay.players] == list(range(10))
    assert [player.team for player in replay.players] == [hero.team for hero in match.heroes]
    assert [player.result for player in replay.players] == ["win"] * 5 + ["loss"] * 5  # of the game rules, too
    (row,) = rows_of(replay.table("match"))
    assert (row["match_id"], row["winner_side"]) == (7000000001, "radiant")
    assert (replay.info.winner_team, replay.info.winner_side) == (2, "radiant")


TIMES = ("used_seconds", "radiant_reserve_seconds", "dire_reserve_seconds")


class FakeReplay:
    """As much of a replay as a `Dota2Match` without FileInfo needs."""

    game = "dota2"

    class brief_info:
        ticks_per_second = 30.0

    class recording:
        match_info: ClassVar[dict[str, Any]] = {}


class FakePlayback:
    """Rules and no other entity."""

    def __init__(self) -> None:
        self.entities = self
        self.tick = 0
        self.rules: dict[str, Any] = {}
        self.handlers: dict[str, Any] = {}

    def on_entity(self, handler: Any, class_name: str = "*", op: int = 0) -> None:
        self.handlers.setdefault(class_name, handler)

    def get(self, name: str, default: Any = None) -> Any:
        return self.rules.get(name.removeprefix(RULES), default)

    def tell(self, tick: int, **rules: Any) -> None:
        self.tick = tick
        self.rules.update(rules)
        self.handlers[RULES_CLASS](self, EntityOp.UPDATED)


def follow_draft(playback: FakePlayback) -> Draft:
    draft = Draft(Dota2Match(FakeReplay()))  # type: ignore[arg-type]
    draft.attach(playback)  # type: ignore[arg-type]
    playback.handlers[RULES_CLASS] = draft._on_rules  # without the watch, which reads real entities
    return draft


def test_draft_as_the_rules_tell_it() -> None:
    playback = FakePlayback()
    draft = follow_draft(playback)
    heroes = {f"m_BannedHeroes.{i:04}": 0 for i in range(4)} | {f"m_SelectedHeroes.{i:04}": 0 for i in range(4)}
    playback.tell(10, **(heroes | {"m_BannedHeroes.0000": 74, "m_iActiveTeam": 3}))
    reserves = {"m_fExtraTimeRemaining.0000": 130.0, "m_fExtraTimeRemaining.0001": 122.5}
    playback.tell(40, **{"m_BannedHeroes.0001": 86, "m_iActiveTeam": 2} | reserves)
    playback.tell(90, **{"m_SelectedHeroes.0000": 2, "m_iActiveTeam": 3})
    playback.tell(110, m_iActiveTeam=0)
    rows = rows_of(draft.tables()["draft"])
    assert [(row["action"], row["hero_id"], row.get("tick"), row.get("active_team")) for row in rows] == [
        ("ban", 74, None, None),  # there before anything else was
        ("ban", 86, 40, 3),
        ("pick", 2, 90, 2),
    ]
    times = [[row.get(name) for name in TIMES] for row in rows]
    assert times == [[None, None, None], [None, 130.0, 122.5], [50 / 30, 130.0, 122.5]]
    assert not any("team" in row or "player" in row for row in rows)


def test_a_nomination_of_all_draft_is_no_ban() -> None:
    playback = FakePlayback()
    draft = follow_draft(playback)
    playback.tell(10, **{f"m_SelectedHeroes.{i:04}": 0 for i in range(4)})
    playback.tell(40, **{"m_BannedHeroes.0000": 74, "m_BannedHeroes.0001": 86})
    playback.tell(100, **{"m_vecNewBannedHeroes.0000": 86})
    rows = rows_of(draft.tables()["draft"])
    assert [(row["action"], row["hero_id"], row.get("tick")) for row in rows] == [("ban", 86, 100)]


def test_values_that_do_not_fit_are_problems(sample: Any) -> None:
    match = Dota2Match(playhead.open(sample.data))  # type: ignore[arg-type]
    table = match.table(PLAYER_STATS, [{"player": 0, "kills": 2**40, "name": 7}, {"player": "x", "kills": 3}])
    assert table.select(["player", "kills", "name"]).to_pylist() == [
        {"player": 0, "kills": None, "name": None},
        {"player": None, "kills": 3, "name": None},
    ]
    assert len(match.replay._found) == 3


@pytest.mark.parametrize("schema", [PLAYER_STATS, MATCH, DRAFT])
def test_every_column_says_what_it_means(schema: Any) -> None:
    assert all(len(column.doc) > 8 for column in schema.columns)


def test_masks_of_standing_buildings() -> None:
    towers = [f"dota_badguys_tower{tier}_{lane}" for lane in ("top", "mid", "bot") for tier in (1, 2, 3)]
    towers += ["dota_badguys_tower4_top", "dota_badguys_tower4_bot"]
    assert [standing_bit(name, "tower") for name in towers] == list(range(11))
    assert standing_bit("bad_rax_range_bot", "barracks") == 5
    assert standing_bit("npc_dota_badguys_tower4", "tower") is None
