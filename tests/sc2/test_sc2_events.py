"""Programs and the event decoder: streams made by hand, damage, objects against text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from playhead.errors import CorruptReplay, LimitExceeded, TruncatedReplay
from playhead.sc2.bit_packed_writer import BitPackedWriter
from playhead.sc2.event_decoder import EventDecoder
from playhead.sc2.protocol.program import event_program
from playhead.sc2.protocol.tables import known_builds, protocol_table
from playhead.sc2.versioned import Choice
from playhead.sc2.versioned_writer import VersionedWriter

CHAT = event_program(93333, 93333, "message")
TRACKER = event_program(93333, 93333, "tracker")


def chat(delta: int, user: int, text: bytes, recipient: int = 0) -> bytes:
    out = BitPackedWriter()
    out.write_int(0 if delta < 64 else 1, 2)
    out.write_int(delta, 6 if delta < 64 else 14)
    out.write_int(user, 5)
    out.write_int(0, 4)
    out.write_int(recipient, 3)
    out.write_blob(text, 11)
    return out.to_bytes()


def tracked(delta: int, number: int, fields: Any) -> bytes:
    out = VersionedWriter()
    for value in (Choice(0, delta), number, fields):
        out.write_value(value)
    return out.to_bytes()


def texts(decoder: EventDecoder) -> list[Any]:
    return [json.loads(text) for text in decoder.text_to_arrow().to_pylist()]


def test_objects_and_columns_of_chat() -> None:
    data = chat(5, 1, b"gl hf") + chat(1000, 2, 'he said "ü"'.encode(), 2) + chat(0, 1, b"\xff")
    decoder = EventDecoder(CHAT, data, id_bits=4)
    assert decoder.next_event() == (5, 1, 0, {"m_recipient": 0, "m_string": b"gl hf"})
    decoder = EventDecoder(CHAT, data, id_bits=4, capture=[0])
    assert decoder.read_columns() == 3
    assert decoder.ticks.to_arrow().to_pylist() == [5, 1005, 1005]
    assert decoder.users.to_arrow().to_pylist() == [1, 2, 1]
    assert [event["m_string"] for event in texts(decoder)] == ["gl hf", 'he said "ü"', {"hex": "ff"}]
    columns = {path: column.to_arrow().to_pylist() for path, (_, column) in decoder.columns[0].items()}
    assert columns["m_recipient"] == [0, 2, 0]
    assert decoder.texts[columns["m_string"][0]] == b"gl hf"


def test_every_cut_keeps_the_whole_events_before_it() -> None:
    one, two = chat(5, 1, b"gl hf"), chat(7, 2, b"u2")
    for cut in range(len(one) + 1, len(one + two)):
        decoder = EventDecoder(CHAT, (one + two)[:cut], id_bits=4, capture=[0])
        with pytest.raises(TruncatedReplay) as caught:
            decoder.read_columns()
        assert caught.value.offset is not None
        assert decoder.rows == 1
        assert texts(decoder) == [{"m_recipient": 0, "m_string": "gl hf"}]


def test_an_unknown_event_stops_a_bit_packed_stream() -> None:
    out = BitPackedWriter()
    for value, width in ((0, 2), (3, 6), (1, 5), (9, 4)):
        out.write_int(value, width)
    decoder = EventDecoder(CHAT, chat(0, 1, b"x") + out.to_bytes(), id_bits=4)
    with pytest.raises(CorruptReplay, match="the number of a known event, found 9"):
        decoder.read_columns()
    assert decoder.rows == 1


def test_an_unknown_tracker_event_and_field_are_kept_raw() -> None:
    data = tracked(0, 77, {0: 5, 1: b"x"}) + tracked(2, 7, {0: 1, 1: 2, 9: [3, None]})
    decoder = EventDecoder(TRACKER, data, tagged=True)
    assert decoder.read_columns() == 2
    assert decoder.numbers.to_arrow().to_pylist() == [77, 7]
    assert texts(decoder) == [
        {"0": 5, "1": "x"},
        {"m_unitTagIndex": 1, "m_unitTagRecycle": 2, "9": [3, None]},
    ]


def test_loops_wrap_in_32_bits() -> None:
    data = tracked(100, 7, {0: 1, 1: 2}) + tracked((1 << 32) - 100, 7, {0: 1, 1: 2}) + tracked(3, 7, {0: 1, 1: 2})
    decoder = EventDecoder(TRACKER, data, tagged=True)
    assert decoder.read_columns() == 3
    assert decoder.ticks.to_arrow().to_pylist() == [100, 0, 3]
    with pytest.raises(CorruptReplay, match="31 bits"):
        EventDecoder(TRACKER, tracked(1 << 31, 7, {}), tagged=True).read_columns()


def test_text_is_bounded() -> None:
    with pytest.raises(LimitExceeded):
        EventDecoder(CHAT, chat(0, 1, b"x" * 100), id_bits=4, max_text=64).read_columns()


def test_tables_by_build() -> None:
    assert protocol_table(93333, 93333).confidence == "exact"
    assert protocol_table(94137, 94137).confidence == "nearest lower build 93333"
    assert protocol_table(13891, 13891).confidence == "lowest build 15405"
    assert "retail 1.0" in protocol_table(15405, 16117).confidence
    assert protocol_table(15405, 15250).confidence == "exact"
    assert protocol_table(999999, 999999).base_build == known_builds()[-1]
    assert 14 in protocol_table(24944, 25604).game
    assert protocol_table(25000, 25000).tracker


@pytest.mark.parametrize("build", known_builds()[::12])
def test_every_stream_of_a_build_compiles(build: int) -> None:
    for stream in ("game", "message", "tracker"):
        program = event_program(build, build, stream)
        assert set(program.roots) == set(program.names) == set(program.leaves)
        assert len(program.kinds) == len(program.keys)
