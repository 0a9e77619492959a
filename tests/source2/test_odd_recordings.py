"""Unusual recordings: missing serializers, encoder aliases; and handlers of messages read by the fast path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from tests.opened import open_as
from tests.samples.source2.encoding import encode_class_names, encode_send_tables
from tests.samples.source2.match_demo import match_demo
from tests.samples.source2.match_schema import declare_field

from playhead.errors import CorruptReplay
from playhead.source2.container.frames import CLASS_INFO, PACKET, SEND_TABLES, SYNC_TICK
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.packet import PacketReader
from playhead.source2.replay import Source2Replay
from playhead.source2.schema.send_tables import SendTables, Serializer
from playhead.source2.writing.demo import DemoWriter, create_string_table, update_string_table
from playhead.source2.writing.entities import ClassWriter, EntityMessage

ROW = Serializer("Row_t", 1, (declare_field("m_iGold int32"),))
UNIT = Serializer(
    "CUnit",
    0,
    (declare_field("m_iHealth int32"), declare_field("m_vecRows CUtlVector< Row_t >", serializer=("Row_t", 1))),
)
OTHER = Serializer("COther", 0, (declare_field("m_flPart float32", encoder="coarse"),))
ALL = (ROW, UNIT, OTHER)
COARSE = {"name": "coarse", "bit_count": 8, "min_value": -64.0, "max_value": 64.0}


def recording(
    declared: Iterable[Serializer], values: Mapping[str, Any], *, strict: bool = False, **server_info: Any
) -> Source2Replay:
    """Return a recording with one entity of each class; COther has `m_flPart`, encoded as if by `COARSE`."""
    meant = Serializer("COther", 0, (declare_field("m_flPart float32", bit_count=8, low=-64.0, high=64.0),))
    tables = SendTables({(s.name, s.version): s for s in (ROW, UNIT, meant)})
    unit, other = ClassWriter(0, "CUnit", tables), ClassWriter(1, "COther", tables)
    out = DemoWriter({"game": "dota"})
    content = {"max_classes": 2, "tick_interval": 1 / 30, **server_info}
    baselines = [(0, b"0", unit.encode_baseline(values)), (1, b"1", other.encode_baseline({"m_flPart": 64.0}))]
    out.signon(
        [
            (Engine.SERVER_INFO, wire.encode("CSVCMsg_ServerInfo", content)),
            create_string_table("instancebaseline", baselines),
        ]
    )
    out.frame(SEND_TABLES, -1, encode_send_tables(declared))
    out.frame(CLASS_INFO, -1, encode_class_names({0: "CUnit", 1: "COther"}))
    out.sync_tick()
    begin = EntityMessage(2, delta=False)
    begin.create(5, 1, unit, {"m_iHealth": 9})
    begin.create(6, 1, other, {})
    out.packet(0, [begin.encode()])
    return open_as(Source2Replay, out.finish(30, {"playback_ticks": 30}), strict=strict)


ROWS = {"m_iHealth": 1, "m_vecRows": 1, "m_vecRows.0000.m_iGold": 4}
ALIASED = {"game_session_config": {"quantized_float_encoder_aliases": [COARSE]}}


def test_named_encoders_of_a_recording() -> None:
    replay = recording(ALL, ROWS, strict=True, **ALIASED)
    unit, other = replay.at(0).entities
    assert unit.to_dict() == {"m_iHealth": 9, "m_vecRows": 1, "m_vecRows.0000.m_iGold": 4}
    assert other["m_flPart"] == 64.0
    assert all(check.failed == 0 for check in replay.verify())
    table = replay.table("entities:COther", fields=["m_flPart"], every=1)
    assert set(table.column("m_flPart").to_pylist()) == {64.0}


def test_a_missing_version_costs_its_class() -> None:
    replay = recording([Serializer("Row_t", 0, ROW.fields), UNIT, OTHER], ROWS, **ALIASED)
    unit, other = replay.at(0).entities
    assert unit.to_dict() == {"m_iHealth": 9}  # without its baseline, which has rows
    assert other["m_flPart"] == 64.0
    problem, baseline = sorted(replay.problems, key=lambda problem: problem.where != "DEM_SendTables")
    assert problem.where == "DEM_SendTables"
    assert "baseline 0 of class CUnit" in baseline.what
    assert problem.what == (
        "expected serializer Row_t version 1 to be declared before CUnit.m_vecRows, found no such serializer"
    )
    checks = {check.name: check.failed for check in replay.verify()}
    assert (checks["baselines"], checks["entity messages"]) == (1, 0)
    with pytest.raises(CorruptReplay, match="Row_t version 1"):
        recording([UNIT, OTHER], ROWS, strict=True).at(0)


def test_a_serializer_that_is_declared_too_late_is_found() -> None:
    replay = recording([UNIT, OTHER, ROW], ROWS, **ALIASED)
    unit, _ = replay.at(0).entities
    assert unit.to_dict() == {"m_iHealth": 9, "m_vecRows": 1, "m_vecRows.0000.m_iGold": 4}
    (problem,) = replay.problems
    assert "found it after" in problem.what
    assert problem.cost == "nothing, if the later serializer is the right one"


def _with_table_updates() -> Source2Replay:
    """Return a match whose packets also change a string table."""
    plain = open_as(Source2Replay, match_demo(20 / 60)[0])
    playback = plain.playback(None)
    playback.advance(0)
    number = len(list(playback.string_tables))
    update = update_string_table(number, [(0, b"changed", None)])
    out = DemoWriter(bytes(plain.recording.payload(plain.recording.frames[0])))
    for frame in plain.recording.frames[1:-3]:
        payload = bytes(plain.recording.payload(frame))
        if frame.command == SYNC_TICK:
            out.signon([create_string_table("Names", [(0, b"first", None)])])
        if frame.command == PACKET:
            reader = PacketReader(plain.recording.packet(frame, payload))
            messages = [update] if frame.tick % 4 else []
            while reader.advance():
                messages.append((reader.id, reader.payload()))
            out.packet(frame.tick, messages)
        else:
            out.frame(frame.command, frame.tick, payload)
    return open_as(Source2Replay, out.finish(600, plain.recording.file_info))


@pytest.mark.slow_interpreted
def test_handlers_of_messages_read_by_the_fast_path() -> None:
    """Handlers of entity messages, server ticks, and updates of string tables that are not followed."""
    replay = _with_table_updates()
    numbers = (Engine.NET_TICK, Engine.UPDATE_STRING_TABLE, Engine.PACKET_ENTITIES)
    whole = replay.playback(())
    whole.on_tick(lambda _tick: None)  # prevents the fast path
    counted: Counter[int] = Counter()
    for number in numbers:
        whole.on_message(number, lambda _tick, _payload, number=number: counted.update((number,)))
    whole.run()
    assert all(counted[number] > 100 for number in numbers)
    for number in numbers:
        found: list[int] = []
        alone = replay.playback(())
        alone.on_message(number, lambda tick, _payload, found=found: found.append(tick))
        alone.run()
        assert len(found) == counted[number]
        assert found == sorted(found)
        assert list(alone.entities.differences(whole.entities)) == []
