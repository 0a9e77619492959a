"""One match in several files: `playhead.open` of a list."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from tests.samples.source2.cs2_match.demo import WrittenMatch, write_cs2_match
from tests.samples.source2.cs2_match.plan import plan_match

import playhead
from playhead.cs2.parts import Cs2Parts
from playhead.source2.writing.demo import DemoWriter

DOTA = DemoWriter({"game": "dota", "map_name": "dota"}).finish(0, {})

pytestmark = pytest.mark.slow_interpreted


def rows(replay: playhead.Replay, name: str, **options: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = replay.table(name, **options).to_pylist()
    return found


def without(rows: list[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in names} for row in rows]


@pytest.fixture(scope="module")
def whole(written: WrittenMatch) -> playhead.Replay:
    return playhead.open(written.data)


@pytest.fixture(scope="module")
def cut(whole: playhead.Replay) -> tuple[int, int]:
    """Two ticks of round 4, between which nothing was recorded."""
    begin = next(row["freeze_end_tick"] for row in rows(whole, "rounds") if row["round_num"] == 4)
    return begin + 40, begin + 60


@pytest.fixture(scope="module")
def paths(whole: playhead.Replay, cut: tuple[int, int], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("parts")
    paths = [folder / "match-p1.dem", folder / "match-p2.dem"]
    end = whole.info.duration_ticks or 0
    for path, (first, last) in zip(paths, ((0, cut[0]), (cut[1], end)), strict=True):
        whole.write_slice(path, first, last)
    return paths


@pytest.fixture(scope="module")
def joined(paths: list[Path]) -> Cs2Parts:
    replay = playhead.open(list(paths))
    assert isinstance(replay, Cs2Parts)
    return replay


def test_the_rounds_are_those_of_the_whole_match(
    whole: playhead.Replay, joined: Cs2Parts, cut: tuple[int, int]
) -> None:
    mine, told = rows(joined, "rounds"), rows(whole, "rounds")
    at = next(i for i, row in enumerate(told) if row["round_num"] == 4)
    assert [row["part"] for row in mine] == [1] * (at + 1) + [2] * (len(told) - at)
    assert without(mine[:at], "part") == told[:at]
    assert without(mine[at + 2 :], "part") == told[at + 1 :]
    # The round of the cut counts once: in the recording that has its end.
    assert [(row["round_num"], row["counts"], row["end_tick"]) for row in mine[at : at + 2]] == [
        (4, False, None),
        (4, True, told[at]["end_tick"]),
    ]
    assert mine[at]["freeze_end_tick"] == told[at]["freeze_end_tick"]
    assert mine[at + 1]["start_tick"] is None


@pytest.mark.parametrize("name", ["kills", "damage", "shots", "flashes", "bomb", "item_events", "chat", "ranks"])
def test_tables_are_those_of_the_whole_match(
    name: str, whole: playhead.Replay, joined: Cs2Parts, cut: tuple[int, int]
) -> None:
    told = [row for row in rows(whole, name) if not cut[0] < row["tick"] < cut[1]]
    mine = rows(joined, name)
    assert {row["part"] for row in mine} <= {1, 2}
    assert all(row["part"] == 1 + (row["tick"] > cut[0]) for row in mine)
    began = {"event": "picked_up", "tick": cut[1]}  # the second recording begins with a carrier
    new = [row for row in mine if began.items() <= row.items()] if name == "bomb" else []
    if name == "ranks":  # it also begins with the ranks that everybody has
        new = [row for row in mine if row["tick"] == cut[1]]
    # The first recording does not have the end of the round of the cut.
    assert without([row for row in mine if row not in new], "part", "counts") == without(told, "counts")
    assert [row["counts"] for row in mine if row["part"] == 2 and row["round_num"] == 4].count(False) == 0


def test_stats_and_match_are_of_the_whole_match(
    whole: playhead.Replay, joined: Cs2Parts, cut: tuple[int, int]
) -> None:
    (mine,), (told,) = rows(joined, "match"), rows(whole, "match")
    # Round 4 was undone in the first recording.
    assert mine == told | {"rounds_undone": told["rounds_undone"] + 1}
    stats = {row["player"]: row for row in rows(joined, "player_stats")}
    for row in rows(whole, "player_stats"):
        for name in ("rounds_played", "kills", "deaths", "headshot_kills", "multikill_2k", "flashes_thrown"):
            assert stats[row["player"]][name] == row[name], (row["name"], name)
        assert stats[row["player"]]["adr"] == pytest.approx(row["adr"])
        assert stats[row["player"]]["kast"] == pytest.approx(row["kast"])


def test_people_and_the_clock_go_on(whole: playhead.Replay, joined: Cs2Parts, cut: tuple[int, int]) -> None:
    assert [(each.player, each.name, each.account) for each in joined.players] == [
        (each.player, each.name, each.account) for each in whole.players
    ]
    assert joined.info.duration_ticks == whole.info.duration_ticks
    assert joined.to_tick("R6 0:05") == whole.to_tick("R6 0:05")
    for tick in (cut[0] - 100, cut[1] + 1000):
        mine, told = joined.at(tick), whole.at(tick)
        assert (mine.tick, mine.displayed) == (told.tick, told.displayed)
        assert mine.players == told.players
    series = {(row["tick"], row["player"]): row for row in rows(whole, "player_series", every="1s")}
    some = [row for row in rows(joined, "player_series", every="1s") if (row["tick"], row["player"]) in series]
    assert len(some) > 500
    for row in without(some, "part", "is_blinded", "counts"):
        assert row == {name: series[row["tick"], row["player"]][name] for name in row}
    kinds = [(event.tick, event.kind) for event in joined.events("player_killed", "round_ended")]
    assert kinds == [(event.tick, event.kind) for event in whole.events("player_killed", "round_ended")]


def test_ticks_go_on_after_a_recording_that_began_again_at_0(paths: list[Path]) -> None:
    plan = [each for each in plan_match(3, 1, overtimes=1, backup=False) if each.number >= 4]
    later = write_cs2_match(1, plan=plan)
    joined = playhead.open([paths[0], later.data])
    assert isinstance(joined, Cs2Parts)
    alone, begin = playhead.open(later.data), (playhead.open(paths[0]).recording.frames.highest_tick() or 0) + 1  # type: ignore[attr-defined]
    kills = [row for row in rows(joined, "kills") if row["part"] == 2]
    told = rows(alone, "kills")
    assert [row["tick"] for row in kills] == [row["tick"] + begin for row in told]
    assert [row["seconds"] for row in kills] == pytest.approx([row["seconds"] + begin / 64 for row in told])
    assert [row["victim_name"] for row in kills] == [row["victim_name"] for row in told]
    assert [row["round_num"] for row in rows(joined, "rounds") if row["counts"]] == [1, 2, 3, 4, 5, 6, 7, 8]
    tick = kills[0]["tick"]
    assert joined.at(tick).tick == tick
    assert joined.to_tick("R5") == alone.to_tick("R5") + begin


def test_a_list_has_to_be_of_one_match(paths: list[Path], joined: Cs2Parts) -> None:
    with pytest.raises(ValueError, match="recordings of dota2 cannot be joined"):
        playhead.open([DOTA, DOTA])
    with pytest.raises(ValueError, match="expected recordings of one match of CS2, found cs2 de_sample, dota2"):
        playhead.open([paths[0], DOTA])
    with pytest.raises(ValueError, match="expected recordings of one match"):
        playhead.open([])
    with pytest.raises(ValueError, match=r"play one of replay\.parts"):
        joined.playback()
    assert joined.problems == ()
    assert all(not check.failed for check in joined.verify())
    again = pickle.loads(pickle.dumps(joined))
    assert again.table("rounds").equals(joined.table("rounds"))
    entities = joined.table("entities:CCSGameRulesProxy", every="10s")
    assert {1, 2} == set(entities.column("part").to_pylist())
    again.close()
    with pytest.raises(playhead.ClosedReplay):
        again.table("kills")
