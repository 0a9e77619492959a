"""Every stream of every real StarCraft II replay to its last byte, and agreement with s2protocol and sc2reader."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.opened import open_as
from tests.real.sc2_index import sc2_replays

import playhead
from playhead.blizzard.encoding.event_columns import EventColumns
from playhead.blizzard.encoding.event_decoder import BitArray, EventDecoder
from playhead.blizzard.events.game import taken_over
from playhead.blizzard.members import member_names
from playhead.sc2.protocol.tables import event_program
from playhead.sc2.replay import Sc2Replay
from playhead.text.json import to_json

STREAMS = {
    "game": (member_names.GAME_EVENTS, 7),
    "message": (member_names.MESSAGE_EVENTS, 4),
    "tracker": (member_names.TRACKER_EVENTS, 0),
}

#: Read up to the first noise; see the problems pinned in test_sc2.py.
DAMAGED = {"5.0.10.88500/testError.SC2Replay"}
EMPTY = {"5.0.10.88500/testError2.SC2Replay"}


@pytest.fixture
def sc2(corpus: Path) -> Path:
    return corpus / "sc2"


R = TypeVar("R", EventDecoder, EventColumns)


def reader(type_: type[R], replay: Sc2Replay, stream: str) -> R | None:
    name, bits = STREAMS[stream]
    if (
        replay.recording.container.archive is None
        or name not in replay.recording.container.archive
        or replay.recording.container.header is None
    ):
        return None
    program = event_program(
        replay.recording.container.header.base_build, replay.recording.container.header.build, stream
    )
    return type_(program, replay.recording.container.archive.read(name), tagged=stream == "tracker", id_bits=bits)


def as_json(value: Any) -> Any:
    """Return an object as in the JSON text."""
    if isinstance(value, BitArray):
        return "".join("1" if index in value.indices else "0" for index in range(value[0]))
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return {"hex": value.hex()}
    if isinstance(value, dict):
        return {key: as_json(inner) for key, inner in value.items()}
    return [as_json(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.slow_interpreted
def test_every_stream_is_read_to_its_last_byte(sc2: Path, step: int) -> None:
    events = dict.fromkeys(STREAMS, 0)
    lobbies = 0
    for file, replay in sc2_replays(sc2, step):
        for stream in STREAMS:
            read = reader(EventColumns, replay, stream)
            if read is None:
                continue
            if file in DAMAGED and stream == "tracker":
                with pytest.raises(playhead.CorruptReplay):
                    read.read_columns()
                assert read.rows == 6952
            else:
                read.read_columns()
                assert read.remaining() == 0, file
            events[stream] += read.rows
        lobbies += replay.recording.lobby is not None
        assert replay.recording.lobby is not None or replay.recording.replay_info is not None or file in EMPTY, (
            file
        )
        if file not in EMPTY:
            assert replay.recording.players_by_user or not replay.players, file
    if step == 1:
        assert events == {"game": 3290695, "message": 8794, "tracker": 620350}
        assert lobbies == 329


@pytest.mark.slow_interpreted
def test_payloads_of_columns_equal_those_of_objects(sc2: Path, step: int) -> None:
    for file, replay in sc2_replays(sc2, 25 * step):
        found = replay.table("events").select(["tick", "kind", "player", "payload"])
        for row, event in zip(found.to_pylist(), replay.events(), strict=True):
            assert (row["tick"], row["kind"]) == (event.tick, event.kind), file
            assert row["payload"] == to_json(event.payload), file


@pytest.mark.slow_interpreted
def test_text_equals_objects(sc2: Path) -> None:
    for file, replay in sc2_replays(sc2, 60):
        for stream in STREAMS:
            read, columns = reader(EventDecoder, replay, stream), reader(EventColumns, replay, stream)
            if read is None or columns is None:
                continue
            columns.read_columns()
            texts = columns.text_to_arrow().to_pylist()
            for text in texts:
                event = read.next_event()
                assert event is not None
                assert json.loads(text) == as_json(event[3]), file
            assert read.next_event() is None


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_every_event_and_field_equals_s2protocol(sc2: Path, step: int) -> None:
    versions: Any = pytest.importorskip("s2protocol.versions", reason="s2protocol is not installed")
    compared = 0
    for file, replay in sc2_replays(sc2, 7 * step):
        assert replay.recording.container.header is not None
        try:
            protocol = versions.build(replay.recording.container.header.base_build)
        except ImportError:
            continue
        # Its tables of base build 15405 cannot read retail 1.0, and those of 24944 lack events; see the patches.
        if replay.recording.container.header.base_build in (15405, 24944):
            continue
        for stream in STREAMS:
            read = reader(EventDecoder, replay, stream)
            if read is None or (stream != "tracker" and getattr(protocol, "replay_userid_typeid", None) is None):
                continue
            if stream == "tracker" and not getattr(protocol, "tracker_event_types", None):
                continue
            data = replay.recording.container.read_member(STREAMS[stream][0])
            for theirs in getattr(protocol, f"decode_replay_{stream}_events")(data):
                user = theirs.get("_userid")
                if isinstance(user, dict):
                    user = user["m_userId"]
                fields = {key: value for key, value in theirs.items() if not key.startswith("_")}
                loop = theirs["_gameloop"] & 0xFFFFFFFF
                assert read.next_event() == (loop, user, theirs["_eventid"], fields), file
                compared += 1
            assert read.next_event() is None, file
    assert compared > 50_000 // step


#: sc2reader skips unreadable messages and those that it does not count as talk; the sample has none.
@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.filterwarnings("ignore")
def test_players_chat_and_units_equal_sc2reader(sc2: Path) -> None:
    sc2reader: Any = pytest.importorskip("sc2reader", reason="sc2reader is not installed")
    compared = 0
    for file, replay in sc2_replays(sc2, 37):
        try:
            theirs = sc2reader.load_replay(str(sc2 / file), load_level=4)
        except Exception:
            continue  # sc2reader cannot read betas and some others
        compared += 1
        assert theirs.frames == (replay.info.duration_ticks or 0), file
        said = [message.text for message in theirs.messages if type(message).__name__ == "ChatEvent"]
        assert replay.table("chat")["text"].to_pylist() == said, file
        assert replay.recording.container.header is not None
        # Up to 1.5, events number users from 1 in the order of occupied slots, as sc2reader numbers entities.
        old = replay.recording.container.header.base_build < 24247
        by_user = {
            player.pid if old else player.uid: place if old else player.pid
            for place, player in enumerate(theirs.players, 1)
            if player.is_human
        }
        assert replay.recording.players_by_user == by_user or file in DAMAGED, file
    assert compared >= 5


def test_a_resumed_game_names_who_took_over(sc2: Path) -> None:
    replay = open_as(Sc2Replay, sc2 / "2.0.11.26825/2.0.11.26825__bad_unit_ids_1.SC2Replay")
    assert replay.recording.players_by_user == {0: 1, 1: 2}
    assert replay.recording.names_by_user[0] == "SackyJones"
    assert taken_over(replay.recording) == (3153, {0: "furyofSKANKS", 1: "Ghost"})
