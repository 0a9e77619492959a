"""A real recording of a player (Dota 2, build 9358): the client's own sign-on ticks, string tables only in a
dump, messages that build on earlier states, user commands.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from tests.opened import open_as

from playhead.source2.container.frames import PACKET, SIGNON_PACKET, STRING_TABLES
from playhead.source2.replay import Source2Replay

pytestmark = pytest.mark.slow_interpreted

LAST = 1923
SERVER_TICKS_AHEAD = 1341


@pytest.fixture(scope="module")
def pov(corpus: Path) -> Source2Replay:
    path = corpus / "source2" / "dota2_pov.dem"
    if not path.exists():
        pytest.skip("no dota2_pov.dem in the corpus")
    return open_as(Source2Replay, path, strict=True)


def test_signon_is_before_the_game(pov: Source2Replay) -> None:
    ticks = [frame.tick for frame in pov.recording.frames]
    assert ticks == sorted(ticks)
    assert ticks[-1] <= LAST
    signon = [frame.tick for frame in pov.recording.frames if frame.command == SIGNON_PACKET]
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
    assert calls[0][0] == 6  # the first packet after tick 0
    assert pov.recording.frames[calls[0][1]].tick in (0, 6)


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
    assert 135 not in {row["hero_id"] for row in bans}  # it was nominated
    picks = [row for row in draft if row["action"] == "pick"]
    assert [row["tick"] for row in picks] == [1838] * 4
    chat = pov.table("chat").to_pylist()
    names = {player.player: player.name for player in pov.players}
    assert [(row["tick"], row["name"] == names[row["player"]]) for row in chat] == [(1677, True), (1692, True)]


def test_user_commands(pov: Source2Replay) -> None:
    rows = pov.table("inputs").to_pylist()
    assert len(rows) == 1807
    assert {row["kind"] for row in rows} == {"USER_COMMAND"}
    assert [row["command_number"] for row in rows] == list(range(357, 2164))
    assert (rows[0]["client_tick"], rows[-1]["client_tick"]) == (1341, 3265)
    assert {(row["pitch"], row["yaw"]) for row in rows} == {(60.0, 90.0)}
    assert {row["player"] for row in rows} == {1}
    assert (rows[0]["mouse_x"], rows[0]["mouse_y"]) == (180, 254)
    assert all("random_seed" in json.loads(row["details"]) for row in rows)


def _cut(pov: Source2Replay, folder: Path, start: int, end: int = LAST) -> Source2Replay:
    pov.write_slice(folder / "cut.dem", start, end)
    return open_as(Source2Replay, (folder / "cut.dem").read_bytes(), strict=True)


@pytest.mark.long
@pytest.mark.stepped
@pytest.mark.parametrize("start", [5, 6, 0, 961, 1837, 1900])
def test_a_slice_has_every_state_of_the_whole(pov: Source2Replay, tmp_path: Path, start: int) -> None:
    cut = _cut(pov, tmp_path, start)
    ours, whole = cut.playback(None), pov.playback(None)
    whole.seek(start)
    ours.advance(start)
    packets, ahead = 0, ours.steps()
    while (frame := whole.next_frame()) is not None:
        whole.step()
        if frame.command != PACKET:
            continue
        assert next(frame.tick for frame in ahead if frame.command == PACKET) == whole.tick
        packets += 1
        if packets > 20 and packets % 40 and whole.tick < LAST:
            continue
        assert list(whole.entities.differences(ours.entities)) == []
        assert [e.active for e in whole.entities] == [e.active for e in ours.entities]
        assert [list(table) for table in whole.string_tables] == [list(table) for table in ours.string_tables]
    assert packets == sum(f.command == PACKET and f.tick > start for f in pov.recording.frames)
    assert ours.entities.unknown_bases == 0
    stored = {pov.recording.stored(frame) for frame in pov.recording.frames}
    assert (
        sum(cut.recording.stored(f) not in stored for f in cut.recording.frames if f.command == PACKET) <= 4
    )  # the rest is copied
    assert all(check.failed == 0 for check in cut.verify())


def test_slices_from_anywhere_end_alike(pov: Source2Replay, tmp_path: Path, step: int) -> None:
    whole = pov.at(LAST).entities
    for start in range(7, LAST, 241 if step == 1 else 800):
        cut = _cut(pov, tmp_path, start)
        playback = cut.playback(())
        playback.run()
        assert list(whole.differences(playback.entities)) == []
        assert playback.entities.unknown_bases == 0


def test_a_slice_of_a_slice(pov: Source2Replay, tmp_path: Path) -> None:
    cut = _cut(_cut(pov, tmp_path, 300, 1700), tmp_path, 600, 1500)
    for tick in (600, 601, 602, 1000, 1500):
        sought = cut.playback(None)
        sought.seek(1499)
        sought.seek(tick)
        assert list(pov.at(tick).entities.differences(sought.entities)) == []


@pytest.mark.long
def test_tables_of_a_slice_equal_those_of_the_whole(pov: Source2Replay, tmp_path: Path) -> None:
    start, end = 961, 1850
    cut = _cut(pov, tmp_path, start, end)
    # Positions in the file and numbers of bytes may differ.
    names = sorted(pov.tables.keys() - {"frames", "messages", "info"})
    theirs, ours = pov.read_tables(names), cut.read_tables(names)
    rows = 0
    for name in names:
        if "tick" not in ours[name].column_names:
            continue
        found, expected = (
            [repr(row) for row in table.to_pylist() if row["tick"] is not None and start < row["tick"] <= end]
            for table in (ours[name], theirs[name])
        )
        if name == "events":  # each is numbered among those of its kind in its file
            found, expected = ([re.sub(r"'event_id': \d+", "", row) for row in some] for some in (found, expected))
        assert found == expected, name
        rows += len(found)
    assert rows > 1000
    query = {"fields": ["m_pGameRules.*"]}
    found, expected = (
        [row for row in replay.table("entities:CDOTAGamerulesProxy", **query).to_pylist() if row["tick"] > start]
        for replay in (cut, pov)
    )
    assert len(found) > 100
    assert found == expected[: len(found)]
