"""A real broadcast of Deadlock (27 seconds of a match), and real recordings as broadcasts."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from tests.opened import open_as

import playhead
from playhead.source2.container.broadcast import fragment_frames
from playhead.source2.container.frames import FULL_PACKET, PACKET, SPAWN_GROUPS
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.messages import wire
from playhead.source2.messages.packet import PacketReader
from playhead.source2.replay import Source2Replay
from playhead.source2.writing.broadcast import write_broadcast

pytestmark = pytest.mark.slow_interpreted

JOINED, LAST = 7244, 8861
FRAGMENTS = range(22, 31)


@pytest.fixture(scope="module")
def folder(corpus: Path) -> Path:
    path = corpus / "source2" / "deadlock_broadcast"
    if not path.is_dir():
        pytest.skip("no deadlock_broadcast in the corpus")
    return path


@pytest.fixture(scope="module")
def broadcast(folder: Path) -> Source2Replay:
    return open_as(Source2Replay, folder, strict=True)


def test_facts_of_the_whole(broadcast: Source2Replay) -> None:
    info = broadcast.info
    assert (info.game, info.map, info.ticks_per_second, info.complete) == ("deadlock", "street_test", 60.0, True)
    assert (info.details["joined_at_tick"], info.duration_ticks) == (JOINED, LAST)
    assert Counter(player.kind for player in broadcast.players)["human"] == 12
    assert broadcast.problems == ()
    assert all(check.failed == 0 for check in broadcast.verify())


def test_counts_of_an_independent_decoder(broadcast: Source2Replay) -> None:
    operations: Counter[str] = Counter()

    def count(_entity: Entity, op: EntityOp) -> None:
        operations["deletes"] += bool(op & EntityOp.DELETED)
        operations["leaves"] += bool(op & EntityOp.LEFT)

    playback = broadcast.playback(None)
    playback.entities.on_entity(count)
    playback.run()
    entities = playback.entities
    assert (playback.packets, entities.messages, entities.creates) == (551, 541, 985)
    assert (entities.updates, entities.pool.values) == (45_713, 306_683)
    assert operations == {"deletes": 6, "leaves": 56}
    assert (len(list(entities)), entities.skipped, entities.missing_baselines) == (963, 0, 0)


def test_every_message_is_there_once(broadcast: Source2Replay, folder: Path) -> None:
    raw: Counter[int] = Counter()
    for part in ("0/start", "22/full", *(f"{number}/delta" for number in FRAGMENTS)):
        for frame in fragment_frames((folder / f"{part}.bin").read_bytes(), broadcast.options.limits):
            if frame.command in (7, 8):
                reader = PacketReader(frame.payload)
                while reader.advance():
                    raw[reader.id] += 1
    table = broadcast.table("messages", columns=["message_id"])
    assert Counter(number for number in table["message_id"].to_pylist() if number is not None) == raw
    assert broadcast.table("game_events").num_rows == raw[207]


def test_the_state_of_a_moment(broadcast: Source2Replay) -> None:
    pawns = [e for e in broadcast.at(8000).entities if e.class_name == "CCitadelPlayerPawn"]
    assert len(pawns) == 12
    assert all(pawn["m_iHealth"] >= 0 for pawn in pawns)
    rows = broadcast.entity_table("CCitadelPlayerPawn", ["m_iHealth"], every="1s")
    # Every second of the broadcast, and its end.
    assert rows.num_rows == 12 * len(set(rows["tick"].to_pylist()))
    assert min(rows["tick"].to_pylist()) >= JOINED
    with pytest.raises(ValueError, match=f"from tick {JOINED} to {LAST}"):
        broadcast.at(60.0)


def test_written_as_a_demo(broadcast: Source2Replay, tmp_path: Path) -> None:
    broadcast.write_slice(tmp_path / "out.dem", JOINED, LAST)
    demo = open_as(Source2Replay, tmp_path / "out.dem", strict=True)
    assert demo.problems == ()
    ours, theirs = demo.playback(None), broadcast.playback(None)
    ours.run()
    theirs.run()
    assert not list(ours.entities.differences(theirs.entities))
    for table in theirs.string_tables:
        found = ours.string_tables[table.name].items
        assert {i: (item.key, item.value or b"") for i, item in found.items()} == {
            i: (item.key, item.value or b"") for i, item in table.items.items()
        }


def test_boon_reads_a_broadcast_written_as_a_demo(broadcast: Source2Replay, tmp_path: Path) -> None:
    boon = pytest.importorskip("boon", reason="boon-deadlock is not installed: nothing to compare with")
    broadcast.write_slice(tmp_path / "out.dem", JOINED, LAST)
    found = boon.Demo(str(tmp_path / "out.dem")).damage["damage"]
    ours = [message.value("damage") for message in broadcast.messages("CCitadelUserMessage_Damage")]
    assert (len(found), found.sum()) == (len(ours), sum(ours)) == (682, 12460)


def test_without_one_fragment(broadcast: Source2Replay, folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "broadcast")
    (tmp_path / "broadcast").chmod(0o755)
    (tmp_path / "broadcast" / "25").chmod(0o755)
    (tmp_path / "broadcast" / "25" / "delta.bin").unlink()
    replay = playhead.open(tmp_path / "broadcast")
    # It was stored with only one full fragment: later events are decoded, entities are not.
    assert [problem.where for problem in replay.problems] == ["25/delta", "entities in 26/delta"]
    rows, whole = replay.table("user_messages"), broadcast.table("user_messages")
    lost = [tick for tick in whole["tick"].to_pylist() if 7784 <= tick < 7964]
    assert rows.num_rows == whole.num_rows - len(lost)
    assert lost


@pytest.mark.one_of("name")
@pytest.mark.parametrize(
    "name", ["cs2_14065.dem", "cs2_14155.dem", "deadlock_10423.dem", "dota2_build9912_10bots.dem"]
)
def test_a_recording_as_a_broadcast(name: str, corpus: Path, tmp_path: Path) -> None:
    whole = open_as(Source2Replay, corpus / "source2" / name)
    write_broadcast(whole.recording, whole.playback(None), tmp_path / "all", seconds=1.0)
    replay = open_as(Source2Replay, tmp_path / "all", strict=True)
    assert replay.problems == ()
    checks = {check.name: check.passed for check in replay.verify()}
    fulls = replay.recording.frames.numbers_of(FULL_PACKET)
    assert checks["full packets"] == len(fulls) > 0
    theirs, ours = whole.playback(None), replay.playback(None)
    theirs.run()
    ours.run()
    assert not list(ours.entities.differences(theirs.entities))
    sought = replay.playback(None)
    sought.seek_full_packet(fulls[-1])
    sought.run()
    assert not list(sought.entities.differences(theirs.entities))
    tables = {table.name: len(table) for table in theirs.string_tables}
    assert {table.name: len(table) for table in sought.string_tables} == tables
    ticks = {frame.tick for frame in whole.recording.frames if frame.command == PACKET}
    assert {frame.tick for frame in replay.recording.frames if frame.command == PACKET} == ticks


def test_spawn_groups_of_the_full_are_kept(broadcast: Source2Replay) -> None:
    frames = [frame for frame in broadcast.recording.frames if frame.command == SPAWN_GROUPS]
    assert Counter(frame.tick for frame in frames) == {-1: 25, JOINED: 25}
    assert (
        wire.decode("CDemoFileInfo", broadcast.recording.payload(broadcast.recording.frames[-1]))["playback_ticks"]
        == LAST
    )
