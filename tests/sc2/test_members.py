"""Header, details, metadata, replay.info and names: each decoded from what its writer, or this test, wrote."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.samples.blizzard import BitPackedWriter, VersionedWriter, write_details, write_header, write_metadata
from tests.samples.sc2.replay import DETAILS, HEADER, METADATA

from playhead.blizzard.members.details import Toon, filetime, read_details
from playhead.blizzard.members.header import ReplayHeader, read_header
from playhead.blizzard.members.text import split_name
from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay, UnknownFormat
from playhead.sc2.members.clock import loops_per_second, wall_seconds
from playhead.sc2.members.metadata import MAX_SIZE, read_metadata
from playhead.sc2.members.replay_info import read_replay_info
from playhead.sc2.recording.game import STARCRAFT2

BUILDS = st.integers(0, 2**31 - 1)


@given(
    st.builds(
        replace,
        st.just(HEADER),
        major=st.integers(0, 255),
        build=BUILDS,
        base_build=BUILDS,
        loops=st.integers(0, 2**31 - 1),
        use_scaled_time=st.booleans(),
        data_build=BUILDS,
        ngdp_root_key=st.binary(min_size=16, max_size=16),
    )
)
def test_tagged_header(header: ReplayHeader) -> None:
    data = write_header(header)
    assert read_header(memoryview(data), STARCRAFT2) == header
    for end in range(len(data)):
        with pytest.raises(TruncatedReplay):
            read_header(memoryview(data[:end]), STARCRAFT2)


def bit_packed_header(loops: int) -> bytes:
    out = BitPackedWriter()
    out.write_blob(b"StarCraft II replay\x1b2", 8)
    for value, count in ((0, 8), (0, 8), (10, 8), (0, 8), (14803, 32), (14803, 32), (2, 3), (loops, 32)):
        out.write_int(value, count)
    return out.to_bytes()


def test_bit_packed_header() -> None:
    data = bit_packed_header(15_005)
    assert len(data) == 39
    header = read_header(memoryview(data), STARCRAFT2)
    assert (header.version, header.base_build, header.type, header.loops) == ("0.10.0.14803", 14803, 2, 15_005)
    assert not header.use_scaled_time
    assert header.data_build is None
    for end in range(len(data)):
        with pytest.raises(TruncatedReplay):
            read_header(memoryview(data[:end]), STARCRAFT2)


def test_what_is_no_replay_header() -> None:
    for content in (bytes(40), b"\x05\x12\x00\x02,StarCraft III replays" + bytes(40), b"StarCraft II replay" * 3):
        with pytest.raises(UnknownFormat):
            read_header(memoryview(content), STARCRAFT2)
    moved = b"\x05\x02\x00\x02\x04xx" + b"StarCraft II replay" + bytes(20)
    with pytest.raises(CorruptReplay):
        read_header(memoryview(moved), STARCRAFT2)
    with pytest.raises(CorruptReplay):
        read_header(memoryview(write_header(replace(HEADER, loops=-1))), STARCRAFT2)


def test_details() -> None:
    data = write_details(DETAILS)
    assert read_details(data) == DETAILS
    assert DETAILS.ended == datetime(2025, 1, 1, 12, 5, tzinfo=UTC)
    for end in range(len(data)):
        with pytest.raises(TruncatedReplay):
            read_details(data[:end])
    with pytest.raises(CorruptReplay, match="1 more bytes"):
        read_details(data + b"\0")


@given(st.data())
def test_damaged_details(data: st.DataObject) -> None:
    raw = bytearray(write_details(DETAILS))
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        details = read_details(bytes(raw))
    except ReplayError:
        pass
    else:
        assert all(-(2**31) <= player.team < 2**31 for player in details.players)
        details.ended  # noqa: B018  (must not raise)


@pytest.mark.parametrize(
    ("number", "value", "text"),
    [(1, 5, "m_title"), (3, b"", "m_thumbnail"), (0, [7], "struct"), (0, b"", "m_playerList"), (10, [1], "texts")],
)
def test_details_of_another_shape(number: int, value: object, text: str) -> None:
    fields = {1: b"", 3: {0: b""}, 5: 0, 12: 4} | {number: value}
    out = VersionedWriter()
    out.write_value(fields)
    with pytest.raises(CorruptReplay, match=text):
        read_details(out.to_bytes())
    del fields[number]
    if number in (1, 3):
        out = VersionedWriter()
        out.write_value(fields)
        with pytest.raises(CorruptReplay, match=rf"to have field {number} \({text}\)"):
            read_details(out.to_bytes())


def test_a_number_too_large_for_its_column() -> None:
    players = (replace(DETAILS.players[0], team=2**40),)
    with pytest.raises(CorruptReplay, match="32 bits"):
        read_details(write_details(replace(DETAILS, players=players)))


@pytest.mark.parametrize(
    ("marked", "clan", "name"),
    [
        ("Needle", None, "Needle"),
        ("&lt;HEAD&gt;<sp/>Needle", "HEAD", "Needle"),
        ("[TDV]<sp/>Checkerspell", "TDV", "Checkerspell"),
        ("<NWMI><sp/>OneScotch", "NWMI", "OneScotch"),
        ("&lt;A&amp;B&gt;<sp/>x", "A&B", "x"),
        ('<c val="ff0000">Red</c>', None, "Red"),
        ("[FC]Nordis", "FC", "Nordis"),
        ("[no] clan", None, "[no] clan"),
        ("[far too long]x", None, "[far too long]x"),
        ("", None, ""),
    ],
)
def test_names(marked: str, clan: str | None, name: str) -> None:
    assert split_name(marked) == (clan, name)


def test_account_handles() -> None:
    assert Toon(2, "S2", 1, "", 1234567).handle == "2-S2-1-1234567"
    assert Toon(1, "S2", 1337, "Zasz#cerebrate", 0).handle == "1-S2-1337-Zasz#cerebrate"
    assert Toon(0, "", 0, "", 0).handle is None


def test_filetime() -> None:
    assert filetime(133802067000000000) == datetime(2025, 1, 1, 12, 5, tzinfo=UTC)
    for odd in (0, -1, 2**63 - 1):
        assert filetime(odd) is None
    assert filetime(2_650_467_743_999_999_999) == datetime.max.replace(tzinfo=UTC)


def test_clock() -> None:
    assert loops_per_second(True) == 22.4
    assert loops_per_second(False) == 16.0
    assert wall_seconds(6720, 4) == pytest.approx(300)
    assert wall_seconds(1600, 2) == pytest.approx(100)
    assert wall_seconds(1600, 5) is None


def test_metadata() -> None:
    data = write_metadata(METADATA)
    assert data.startswith(b"\xef\xbb\xbf")
    assert read_metadata(data) == read_metadata(data[3:]) == METADATA
    assert [player.mmr for player in METADATA.players] == [4321, 4300]
    bare = read_metadata(
        b'{"IsNotAvailable": true, "Players": [{"PlayerID": 1, "APM": 1e400, "Result": "\\ud800"}]}'
    )
    assert bare.is_not_available
    assert bare.title is bare.duration is bare.players[0].apm is None
    assert bare.players[0].result == "?"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"{",
        b"[]",
        b"[" * 200_000,
        b'{"Players": {}}',
        b'{"Players": [1]}',
        b'{"Players": [{"PlayerID": true}]}',
        b'{"Players": [{"PlayerID": 1180591620717411303424}]}',
        b'{"Players": [{"PlayerID": -1}]}',
        b'{"Duration": ' + b"9" * 5000 + b"}",
    ],
    ids=lambda data: repr(data[:20]),
)
def test_metadata_of_another_shape(data: bytes) -> None:
    with pytest.raises(CorruptReplay):
        read_metadata(data)


def test_metadata_has_a_limit() -> None:
    with pytest.raises(LimitExceeded):
        read_metadata(b" " * MAX_SIZE + b"{}")


def replay_info() -> bytes:
    """A lobby of two players and one who watches."""
    out = BitPackedWriter()
    names = (b"Needle", b"Spindle", b"Watcher")
    out.write_int(len(names), 5)
    for name in names:
        out.write_blob(name, 8)
        for value, count in ((7, 32), (0, 1), (0, 1), (0, 1), (0, 2)):
            out.write_int(value, count)
    out.write_int(1, 32)
    out.write_blob(b"Dflt", 10)
    for value, count in ((0x3100, 16), (4, 3), (0, 3), (16, 5), (0, 5), (2, 4), (2, 4), (2, 5), (3, 8), (3, 8)):
        out.write_int(value, count)
    out.write_int(160, 8)
    out.write_int(168, 8)
    out.write_int(0, 32)
    out.write_blob(b"C:\\map.s2ma", 10)
    out.write_int(0, 32)
    out.write_blob(b"", 10)
    out.write_int(1, 5)
    for length_bits, count in ((6, 16), (8, 3), (6, 4), (8, 4), (2, 3)):
        out.write_int(count, length_bits)
        out.write_int(0, count)
    out.write_int(3, 6)
    out.write_int(1, 4)
    out.write_aligned_bytes(b"s2ma\0EUB" + bytes(range(32)))
    for value, count in ((0, 3), (16, 5), (0, 5), (3, 5)):
        out.write_int(value, count)
    for user, team, race, observe in ((1, 1, 1, 0), (0, 0, None, 0), (2, 0, 0, 2)):
        out.write_int(2, 8)
        out.write_int(1, 1)
        out.write_int(user, 4)
        out.write_int(team, 4)
        out.write_int(0, 1)
        out.write_int(race is not None, 1)
        if race is not None:
            out.write_int(race, 8)
        for value, count in ((0, 6), (100, 7), (observe, 2)):
            out.write_int(value, count)
    for value, count in ((0, 32), (0, 1), (0, 1), (0, 32), (3, 6)):
        out.write_int(value, count)
    out.write_blob("Zwei Flüsse".encode(), 10)
    rows = [(b"", b"", b""), (b"Needle", b"Terran", b"255,180,20,30"), (b"Spindle", b"Zerg", b"odd")]
    tail = bytes((0, len(rows)))
    for row in rows:
        tail += b"".join(bytes((len(text),)) + text for text in row)
    out.write_aligned_bytes(tail)
    return out.to_bytes()


def test_replay_info() -> None:
    data = replay_info()
    info = read_replay_info(data)
    assert info.title == "Zwei Flüsse"
    assert info.map_size == (160, 168)
    assert [user.name for user in info.users] == ["Needle", "Spindle", "Watcher"]
    assert [(slot.user, slot.team, slot.race, slot.observe) for slot in info.slots] == [
        (1, 1, 1, 0),
        (0, 0, None, 0),
        (2, 0, 0, 2),
    ]
    assert [(player.number, player.name, player.color) for player in info.players] == [
        (1, "Needle", (255, 180, 20, 30)),
        (2, "Spindle", None),
    ]
    assert info.cache_handles == (b"s2ma\0EUB" + bytes(range(32)),)
    for end in range(len(data)):
        with pytest.raises(TruncatedReplay):
            read_replay_info(data[:end])
    with pytest.raises(CorruptReplay, match="1 more bytes"):
        read_replay_info(data + b"\0")
