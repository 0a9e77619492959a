"""Golden facts of the real Source 2 demos, and agreement with gem-dota on the Dota one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tests.opened import open_as
from tests.samples.source2.encoding import encode_send_tables

import playhead
from playhead.source2.container.demo_stream import DemoStream
from playhead.source2.container.frames import STRING_TABLES
from playhead.source2.messages.packet import PacketReader
from playhead.source2.messages.wire import decode, field_bytes
from playhead.source2.replay import Source2Replay
from playhead.source2.schema.send_tables import read_send_tables
from playhead.source2.string_tables.tables import StringTables, handle_create, unpack_lzss

# file -> game, patch version, build, map, ticks, rate, players
INFO = {
    "cs2_14065.dem": ("cs2", "14065", 10231, "de_nuke", 185, 64.0, 11),
    "cs2_14132.dem": ("cs2", "14132", 10679, "de_ancient", 125, 64.0, 11),
    "cs2_14155.dem": ("cs2", "14155", 10772, "de_dust2", 161, 64.0, 11),
    "deadlock_10423.dem": ("deadlock", "48", 10423, "dl_midtown", 148, 64.0, 2),
    "dota2_build9912_10bots.dem": ("dota2", "47", 9912, "start", 812, 30.0, 10),
}

# file -> frames by command, messages in all
COUNTS = {
    "cs2_14065.dem": (
        {1: 1, 8: 10, 4: 1, 5: 1, 6: 1, 3: 1, 7: 185, 13: 1, 17: 20, 16: 14, 0: 1, 15: 1, 2: 1},
        611,
    ),
    "cs2_14132.dem": ({1: 1, 8: 10, 4: 1, 5: 1, 6: 1, 3: 1, 7: 125, 13: 1, 17: 10, 0: 1, 15: 1, 2: 1}, 420),
    "cs2_14155.dem": ({1: 1, 8: 10, 4: 1, 5: 1, 6: 1, 3: 1, 7: 161, 13: 1, 0: 1, 15: 1, 2: 1}, 528),
    "deadlock_10423.dem": ({1: 1, 8: 10, 4: 1, 5: 1, 6: 1, 3: 1, 7: 50, 13: 1, 0: 1, 15: 1, 2: 1}, 339),
    "dota2_build9912_10bots.dem": ({1: 1, 8: 10, 4: 1, 5: 1, 6: 1, 3: 1, 7: 407, 13: 1, 0: 1, 15: 1, 2: 1}, 946),
}


def _open(corpus: Path, name: str, **options: bool) -> Source2Replay:
    return open_as(Source2Replay, corpus / "source2" / name, **options)


@pytest.mark.parametrize("name", INFO)
def test_info(corpus: Path, name: str) -> None:
    replay = _open(corpus, name, strict=True)
    info = replay.info
    facts = (info.game, info.version, info.build, info.map, info.duration_ticks, info.ticks_per_second)
    assert (*facts, len(replay.players)) == INFO[name]
    assert info.complete
    assert replay.problems == ()


@pytest.mark.parametrize("name", COUNTS)
def test_counts(corpus: Path, name: str) -> None:
    replay = _open(corpus, name)
    frames, messages = COUNTS[name]
    assert Counter(frame.command for frame in replay.recording.frames) == frames
    assert sum(replay.message_counts().values()) == messages
    table = replay.table("messages")
    assert table.num_rows == messages + sum(n for command, n in frames.items() if command not in (7, 8, 13))
    assert replay.table("frames").num_rows == sum(frames.values())


@pytest.mark.parametrize("name", INFO)
def test_the_engine_s_messages_are_named(corpus: Path, name: str) -> None:
    rows = _open(corpus, name).table("messages").to_pylist()
    unnamed = {row["message_id"] for row in rows if row["message_id"] is not None and row["message"] is None}
    assert all(number > 300 for number in unnamed)
    if name.startswith("dota2"):
        assert unnamed == set()


def test_dota_players(corpus: Path) -> None:
    """The recording's FileInfo lacks the match: the players come from the entities."""
    players = _open(corpus, "dota2_build9912_10bots.dem").players
    assert [player.kind for player in players] == ["human"] + ["computer"] * 9
    assert [player.team for player in players] == [2] * 5 + [3] * 5
    assert players[9].name == "Майя"
    assert players[9].character == "npc_dota_hero_kunkka"


def test_a_truncated_recording_keeps_its_facts(corpus: Path) -> None:
    data = (corpus / "source2" / "dota2_build9912_10bots.dem").read_bytes()
    whole = playhead.open(data).table("messages")
    replay = playhead.open(data[: len(data) // 2 + 100_000])
    assert (replay.info.game, replay.info.build, replay.info.complete) == ("dota2", 9912, False)
    part = replay.table("messages")
    assert 0 < part.num_rows < whole.num_rows
    assert part.to_pylist() == whole.slice(0, part.num_rows).to_pylist()
    (problem,) = replay.problems
    assert problem.kind == "TruncatedReplay"
    assert problem.tick is not None


def test_agreement_with_gem_dota(corpus: Path) -> None:
    stream = pytest.importorskip("gem.binary.stream", reason="gem-dota is not installed: nothing to compare with")
    path = corpus / "source2" / "dota2_build9912_10bots.dem"
    ours = list(DemoStream(path))
    with stream.DemoStream(path) as gem:
        theirs = [(tick, int(kind), data) for tick, kind, data in gem]
    assert theirs == ours[: len(theirs)]
    assert len(theirs) >= len(ours) - 3


def test_agreement_with_gem_dota_on_inner_messages(corpus: Path) -> None:
    reader = pytest.importorskip("gem.binary.reader", reason="gem-dota is not installed: nothing to compare with")
    compared = 0
    for _, command, data in DemoStream(corpus / "source2" / "dota2_build9912_10bots.dem"):
        packet = field_bytes(data, 3) if command in (7, 8) else None
        if packet is None:
            continue
        theirs = reader.BitReader(packet)
        ours = PacketReader(packet)
        while ours.advance():
            assert theirs.read_ubit_var() == ours.id
            size = theirs.read_varuint32()
            assert (ours.size, ours.payload()) == (size, theirs.read_bytes(size))
            compared += 1
        assert theirs.rem_bits() < 8
    assert compared > 900


@pytest.mark.parametrize(
    ("name", "tables", "changes"),
    [
        ("cs2_14065.dem", 12, 420),
        ("cs2_14132.dem", 13, 208),
        ("cs2_14155.dem", 13, 208),
        ("deadlock_10423.dem", 13, 1163),
        ("dota2_build9912_10bots.dem", 19, 5648),
    ],
)
def test_string_tables(corpus: Path, name: str, tables: int, changes: int) -> None:
    replay = _open(corpus, name, strict=True)
    rows = replay.table("string_tables").to_pylist()
    assert len(rows) == changes
    playback = replay.playback(None, entities=False)
    for frame in playback.steps():
        if frame.command == STRING_TABLES:  # the complete tables at the end of the sign-on
            payload = bytes(replay.recording.payload(frame))
            held = playback.string_tables
            assert list(held.differences(held.read_dump(payload))) == []
            for listed in decode("CDemoStringTables", payload)["tables"]:
                entries = [(each.get("str", ""), each.get("data") or b"") for each in listed.get("items", ())]
                assert [(item.key, item.value or b"") for item in held[listed["table_name"]]] == entries
    assert len(playback.string_tables) == tables


def test_string_tables_of_2015(corpus: Path) -> None:
    folder = corpus / "source2" / "dota2_2015_fragments"
    for packed in sorted((folder / "lzss").glob("*_compressed")):
        plain = packed.with_name(packed.name.replace("_compressed", "_decompressed"))
        assert unpack_lzss(packed.read_bytes(), 1 << 20) == plain.read_bytes()
    tables = StringTables()
    messages = sorted((folder / "string_tables").glob("*.pbmsg"))
    for message in messages:
        content = decode("CSVCMsg_CreateStringTable", message.read_bytes())
        assert len(handle_create(content, tables)) == content.get("num_entries", 0)
    assert len(tables) == len(messages) == 18


@pytest.mark.parametrize(
    ("name", "serializers", "fields", "classes"),
    [
        ("cs2_14065.dem", 274, 17920, 219),
        ("cs2_14132.dem", 259, 16551, 209),
        ("cs2_14155.dem", 263, 16608, 211),
        ("deadlock_10423.dem", 685, 33422, 648),
        ("dota2_build9912_10bots.dem", 1654, 104558, 1594),
    ],
)
def test_schema(corpus: Path, name: str, serializers: int, fields: int, classes: int) -> None:
    replay = _open(corpus, name, strict=True)
    assert len(replay.recording.send_tables) == serializers
    assert len(replay.recording.class_names) == classes == replay.recording.server_info["max_classes"]
    assert all(
        replay.recording.send_tables.root(class_name) for class_name in replay.recording.class_names.values()
    )
    assert replay.table("schema").num_rows == fields
    assert list(read_send_tables(encode_send_tables(replay.recording.send_tables))) == list(
        replay.recording.send_tables
    )


def test_schema_of_2015(corpus: Path) -> None:
    folder = corpus / "source2" / "dota2_2015_fragments" / "send_tables"
    assert len(read_send_tables((folder / "01.pbmsg").read_bytes())) == 703
