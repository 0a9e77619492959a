"""A real recording of a player (Dota 2, build 9358): sign-on ticks of the client's own, string tables that only a
dump has, messages that build on earlier states, user commands.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import playhead
from playhead.source2.container.frames import SIGNON_PACKET, STRING_TABLES
from playhead.source2.replay import Source2Replay

pytestmark = pytest.mark.slow_interpreted

LAST = 1923
SERVER_TICKS_AHEAD = 1341


@pytest.fixture(scope="module")
def pov(corpus: Path) -> Source2Replay:
    path = corpus / "source2" / "dota2_pov.dem"
    if not path.exists():
        pytest.skip("no dota2_pov.dem in the corpus")
    replay = playhead.open(path, strict=True)
    assert isinstance(replay, Source2Replay)
    return replay


def test_signon_is_before_the_game(pov: Source2Replay) -> None:
    ticks = [frame.tick for frame in pov.frames]
    assert ticks == sorted(ticks)
    assert ticks[-1] <= LAST
    signon = [frame.tick for frame in pov.frames if frame.command == SIGNON_PACKET]
    assert set(signon) == {-1}
    assert set(pov.table("messages").column("tick").to_pylist()) >= {-1, 0, LAST}
    assert max(pov.table("messages").column("tick").to_pylist()) == LAST


def test_calls_wait_for_the_game(pov: Source2Replay) -> None:
    playback = pov.playback(())
    calls: list[tuple[int, int]] = []
    playback.call_after(0, lambda tick: calls.append((tick, playback.position)))
    playback.run()
    assert playback.tick == LAST
    assert len(calls) == 1
    assert calls[0][0] == 6  # the first packet behind tick 0
    assert pov.frames[calls[0][1]].tick in (0, 6)


def test_string_tables_that_only_the_dump_has(pov: Source2Replay) -> None:
    playback = pov.playback(None)
    for frame in playback.steps():
        if frame.command == STRING_TABLES:
            tables = playback.string_tables
            assert len(tables["EntityNames"]) == 268
            assert sum(1 for item in tables["userinfo"] if item.value) == 11
    assert sum(map(len, playback.string_tables)) == 3506
    changes = Counter(pov.table("string_tables").column("change").to_pylist())
    assert changes["full_packet"] > 58


def test_every_base_that_is_named_is_known(pov: Source2Replay) -> None:
    playback = pov.playback(())
    playback.run()
    entities = playback.entities
    assert len(entities) == 78
    assert (entities.messages, entities.unknown_bases, entities.unknown_deletes) == (1912, 0, 0)
    assert playback.server_tick_offset is not None
    assert abs(playback.server_tick_offset - SERVER_TICKS_AHEAD) < 10
    assert all(check.failed == 0 for check in pov.verify())
    assert pov.problems == ()


@pytest.mark.parametrize("tick", [0, 5, 6, 100, 167, 168, 1204, LAST])
def test_seeking_is_playing(pov: Source2Replay, tick: int) -> None:
    played = pov.playback(())
    played.advance(tick)
    assert played.tick <= tick
    sought = pov.playback(())
    for other in (LAST, 3):
        sought.seek(other)
    sought.seek(tick)
    assert sought.tick == played.tick
    assert list(sought.entities.differences(played.entities)) == []


def test_a_row_for_every_second(pov: Source2Replay) -> None:
    rows = pov.table("entities:CDOTAGamerulesProxy", fields=["m_pGameRules.m_nGameState"], every="1s")
    assert rows.column("tick").to_pylist() == list(range(0, LAST + 1, 30))
    changes = pov.table("entities:CDOTAGamerulesProxy", fields=["m_pGameRules.m_vecNewBannedHeroes.*"])
    assert {190, 1204} <= set(changes.column("tick").to_pylist())
    series = pov.table("player_series")
    assert len(series) == 650
    gold = [row["gold_unreliable"] for row in series.to_pylist() if row["player"] == 0]
    assert gold[0] == 600


def test_draft_and_chat(pov: Source2Replay) -> None:
    draft = pov.table("draft").to_pylist()
    bans = [row for row in draft if row["action"] == "ban"]
    assert len(bans) == 17
    assert Counter(row["tick"] for row in bans) == {190: 16, 1204: 1}
    assert 135 not in {row["hero_id"] for row in bans}  # was nominated
    picks = [row for row in draft if row["action"] == "pick"]
    assert [row["tick"] for row in picks] == [1838] * 4
    chat = pov.table("chat").to_pylist()
    names = {player.player: player.name for player in pov.players}
    assert [(row["tick"], row["name"] == names[row["player"]]) for row in chat] == [(1677, True), (1692, True)]


def test_user_commands(pov: Source2Replay) -> None:
    rows = pov.table("inputs").to_pylist()
    assert len(rows) == 1807
    assert {row["kind"] for row in rows} == {"USER_COMMAND"}
    assert [row["command"] for row in rows] == list(range(357, 2164))
    assert (rows[0]["client_tick"], rows[-1]["client_tick"]) == (1341, 3265)
    assert {(row["pitch"], row["yaw"]) for row in rows} == {(60.0, 90.0)}
    assert {row["player"] for row in rows} == {1}
    assert (rows[0]["mouse_x"], rows[0]["mouse_y"]) == (180, 254)
    assert all("random_seed" in json.loads(row["details"]) for row in rows)


def test_a_slice_that_would_lack_states_is_refused(pov: Source2Replay, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="build on earlier states"):
        pov.write_slice(tmp_path / "out.dem", 961, LAST)
    assert not list(tmp_path.iterdir())
