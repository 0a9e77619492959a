"""Programs and the event decoder: streams made by hand, damage, objects against text."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.opened import open_as
from tests.samples.blizzard import BitPackedWriter, EventWriter, VersionedWriter, write_header
from tests.samples.sc2 import replay as sample

import playhead
from playhead.blizzard.encoding.event_columns import EventColumns
from playhead.blizzard.encoding.event_decoder import EventDecoder
from playhead.blizzard.encoding.versioned import Choice
from playhead.blizzard.mpq.writer import NewMember, write_archive
from playhead.errors import CorruptReplay, LimitExceeded, TruncatedReplay
from playhead.sc2.protocol.tables import event_program, known_builds, protocol_table
from playhead.sc2.replay import Sc2Replay

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


def texts(decoder: EventColumns) -> list[Any]:
    return [json.loads(text) for text in decoder.text_to_arrow().to_pylist()]


def test_objects_and_columns_of_chat() -> None:
    data = chat(5, 1, b"gl hf") + chat(1000, 2, 'he said "ü"'.encode(), 2) + chat(0, 1, b"\xff")
    assert EventDecoder(CHAT, data, id_bits=4).next_event() == (5, 1, 0, {"m_recipient": 0, "m_string": b"gl hf"})
    decoder = EventColumns(CHAT, data, id_bits=4, capture=[0])
    assert decoder.read_columns() == 3
    assert decoder.ticks.to_arrow().to_pylist() == [5, 1005, 1005]
    assert decoder.users.to_arrow().to_pylist() == [1, 2, 1]
    assert decoder.first_loops == {0: 5}
    assert [event["m_string"] for event in texts(decoder)] == ["gl hf", 'he said "ü"', {"hex": "ff"}]
    columns = {path: column.to_arrow().to_pylist() for path, (_, column) in decoder.columns_of(0).items()}
    assert columns["m_recipient"] == [0, 2, 0]
    assert decoder.texts[columns["m_string"][0]] == b"gl hf"


def test_every_cut_keeps_the_whole_events_before_it() -> None:
    one, two = chat(5, 1, b"gl hf"), chat(7, 2, b"u2")
    for cut in range(len(one) + 1, len(one + two)):
        decoder = EventColumns(CHAT, (one + two)[:cut], id_bits=4, capture=[0])
        with pytest.raises(TruncatedReplay) as caught:
            decoder.read_columns()
        assert caught.value.offset is not None
        assert decoder.rows == 1
        assert texts(decoder) == [{"m_recipient": 0, "m_string": "gl hf"}]


def test_an_unknown_event_stops_a_bit_packed_stream() -> None:
    out = BitPackedWriter()
    for value, width in ((0, 2), (3, 6), (1, 5), (9, 4)):
        out.write_int(value, width)
    decoder = EventColumns(CHAT, chat(0, 1, b"x") + out.to_bytes(), id_bits=4)
    with pytest.raises(CorruptReplay, match="the number of a known event, found 9"):
        decoder.read_columns()
    assert decoder.rows == 1


def test_an_unknown_tracker_event_and_field_are_kept_raw() -> None:
    data = tracked(0, 77, {0: 5, 1: b"x"}) + tracked(2, 7, {0: 1, 1: 2, 9: [3, None]})
    decoder = EventColumns(TRACKER, data, tagged=True)
    assert decoder.read_columns() == 2
    assert decoder.numbers.to_arrow().to_pylist() == [77, 7]
    assert decoder.first_loops == {7: 2}
    assert texts(decoder) == [
        {"0": 5, "1": "x"},
        {"m_unitTagIndex": 1, "m_unitTagRecycle": 2, "9": [3, None]},
    ]


def test_loops_wrap_in_32_bits() -> None:
    data = tracked(100, 7, {0: 1, 1: 2}) + tracked((1 << 32) - 100, 7, {0: 1, 1: 2}) + tracked(3, 7, {0: 1, 1: 2})
    decoder = EventColumns(TRACKER, data, tagged=True)
    assert decoder.read_columns() == 3
    assert decoder.ticks.to_arrow().to_pylist() == [100, 0, 3]
    with pytest.raises(CorruptReplay, match="31 bits"):
        EventColumns(TRACKER, tracked(1 << 31, 7, {}), tagged=True).read_columns()


def test_text_is_bounded() -> None:
    with pytest.raises(LimitExceeded):
        EventColumns(CHAT, chat(0, 1, b"x" * 100), id_bits=4, max_text=64).read_columns()


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


@pytest.mark.long
def test_damaged_members_give_typed_errors_only() -> None:
    whole = open_as(Sc2Replay, sample.sample_bytes())
    assert whole.recording.container.archive is not None
    names = [name for name in whole.recording.container.archive.names if name.startswith("replay.")]
    members = {name: whole.recording.container.archive.read(name) for name in names}
    rng = random.Random(2)
    for _ in range(60):
        damaged = dict(members)
        for name in rng.sample(names, 3):
            data = bytearray(damaged[name])
            for _ in range(rng.randint(1, 4)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            damaged[name] = bytes(data[: rng.randrange(len(data))] if rng.random() < 0.3 else data)
        packed = [NewMember(name, data, method=None) for name, data in damaged.items()]
        replay = playhead.open(write_archive(packed, write_header(sample.HEADER)))
        assert set(replay.read_tables()) == set(replay.tables)
        assert isinstance(replay, Sc2Replay)
        events = sum(1 for _ in replay.events())
        assert events == sum(row["count"] for row in replay.table("event_counts").to_pylist())
        replay.at(3000)
        assert all(problem.what for problem in replay.problems)


def test_a_stream_that_breaks_off_keeps_its_beginning() -> None:
    whole = open_as(Sc2Replay, sample.sample_bytes())
    assert whole.recording.container.archive is not None
    chatter = whole.recording.container.archive.read("replay.message.events")
    details = whole.recording.container.archive.read("replay.details")
    packed = [
        NewMember("replay.message.events", chatter[:-1], method=None),
        NewMember("replay.details", details, method=None),
    ]
    replay = playhead.open(write_archive(packed, write_header(sample.HEADER)))
    assert replay.table("chat")["text"].to_pylist() == ["gl hf", "u2"]
    (problem,) = replay.problems
    assert (problem.where, problem.kind, problem.tick) == ("replay.message.events", "TruncatedReplay", 6590)


def test_events_one_by_one() -> None:
    replay = open_as(Sc2Replay, sample.sample_bytes())
    order = next(event for event in replay.events("game") if event.name == "SCmdEvent")
    assert (order.tick, order.user, order.player, order.number) == (2200, 0, 1, 27)
    assert order.seconds == pytest.approx(2200 / 22.4)
    assert order.raw["m_data"] == {"TargetPoint": {"x": 120 * 4096, "y": 110 * 4096, "z": 8 * 4096}}
    assert [event.name for event in replay.events("message")].count("SChatMessage") == 3
    assert [event.player for event in replay.events("tracker") if event.name == "SUpgradeEvent"] == [1, 2]
    for stream in ("game", "message", "tracker"):
        assert len(list(replay.events(stream))) == replay.table(f"{stream}_events").num_rows
    with pytest.raises(KeyError):
        list(replay.events("nothing"))


def test_the_state_at_a_loop() -> None:
    replay = open_as(Sc2Replay, sample.sample_bytes())

    def units(loop: int) -> list[tuple[str, int, bool, float]]:
        state = replay.at(loop)
        assert state is not None
        return [(unit.unit_type, unit.player, unit.finished, unit.x) for unit in state.units.values()]

    drones = [("Drone", 2, True, 122.0), ("Drone", 2, True, 123.0)]
    start = [("CommandCenter", 1, True, 40.0), ("Hatchery", 2, True, 120.0), *drones]
    assert units(0) == start
    assert units(700) == [*start, ("Barracks", 1, False, 44.0)]
    army = [("Barracks", 1, True, 44.0), ("Marine", 1, True, 60.0), ("MULE", 1, True, 36.0)]
    assert units(5000)[1:] == [("Lair", 2, True, 120.0), *drones, *army]
    assert [kind for kind, *_ in units(6000)] == ["OrbitalCommand", "Barracks", "Marine", "MULE"]
    state = replay.at(4000)
    assert state is not None
    assert state.upgrades == {1: {"SprayTerran": 1}, 2: {"zerglingmovementspeed": 1}}
    assert state.stats[1]["supply"] == 12.0


@given(st.sets(st.integers(0, 90), max_size=30))
def test_bits_of_a_mask_in_the_order_of_the_selection(removed: set[int]) -> None:
    table = protocol_table(93333, 93333)
    out = EventWriter(table)
    out.write(
        5, 1, "SSelectionDeltaEvent", m_controlGroupId=10, m_delta={"m_removeMask": {"Mask": frozenset(removed)}}
    )
    (number,) = (n for n, (name, _) in table.game.items() if name.endswith("SSelectionDeltaEvent"))
    program = event_program(93333, 93333, "game")
    decoder = EventColumns(program, out.to_bytes(), capture=[number])
    decoder.read_columns()
    (fields,) = texts(decoder)
    count = max(removed, default=-1) + 1
    assert fields["m_delta"]["m_removeMask"]["Mask"] == "".join(
        "1" if index in removed else "0" for index in range(count)
    )
    columns = {path: column.to_arrow().to_pylist() for path, (_, column) in decoder.columns_of(number).items()}
    assert columns["m_delta.m_removeMask.Mask"] == [sorted(removed)]
    mask = EventDecoder(program, out.to_bytes()).next_event()[3]["m_delta"]["m_removeMask"]["Mask"]  # type: ignore[index]
    assert mask.indices == tuple(sorted(removed))
    assert mask[0] == count


def test_a_mask_that_starts_with_a_byte_is_little_endian() -> None:
    mask = BitPackedWriter()
    mask.write_bit_indices({0, 9, 17, 31, 35}, 36)
    assert mask.to_bytes().hex() == "0102028008"
