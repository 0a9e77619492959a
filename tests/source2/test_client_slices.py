"""Slices of clients' recordings: messages that build on states before the slice are replaced."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.many import many
from tests.opened import open_as
from tests.samples.source2.encoding import encode_class_names, encode_send_tables
from tests.samples.source2.match_schema import declare_field

import playhead
from playhead.source2.container.frames import CLASS_INFO, PACKET, SEND_TABLES, USER_COMMAND
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.packet import PacketReader
from playhead.source2.playback.playback import Playback
from playhead.source2.replay import Source2Replay
from playhead.source2.schema.send_tables import SendTables, Serializer
from playhead.source2.writing.demo import DemoWriter, InnerMessage, create_string_table
from playhead.source2.writing.entities import ClassWriter, EntityMessage

pytestmark = pytest.mark.slow_interpreted

ROW = Serializer("Row_t", 0, (declare_field("m_iGold int32"), declare_field("m_flPart float32")))
RULES = Serializer("CRules", 0, (declare_field("m_iMode int32"),))
UNIT = Serializer(
    "CUnit",
    0,
    (
        declare_field("m_iHealth int32"),
        declare_field("m_vecRows CUtlVector< Row_t >", serializer=("Row_t", 0)),
        declare_field("m_hItems CNetworkUtlVectorBase< CHandle< CBaseEntity > >"),
        declare_field("m_pRules CRules*", serializer=("CRules", 0)),
        declare_field("m_szName CUtlString"),
    ),
)
OTHER = Serializer("COther", 0, (declare_field("m_iHealth int32"),))
ALL = (ROW, RULES, UNIT, OTHER)
TABLES = SendTables({(s.name, s.version): s for s in ALL})
UNITS, OTHERS = ClassWriter(0, "CUnit", TABLES), ClassWriter(1, "COther", TABLES)
CLASS_BITS = 2
AHEAD = 1000  # server ticks ahead of the recording's


class Client:
    """Writes a client's recording: one packet per tick, with the given entity messages."""

    def __init__(self) -> None:
        self._out = DemoWriter({"game": "dota"})
        self.tick = -1
        info = wire.encode("CSVCMsg_ServerInfo", {"max_classes": 2, "tick_interval": 1 / 30})
        baselines = [
            (0, b"0", UNITS.encode_baseline({"m_iHealth": 1, "m_szName": "base"})),
            (1, b"1", OTHERS.encode_baseline({"m_iHealth": 2})),
        ]
        self._out.signon([(Engine.SERVER_INFO, info), create_string_table("instancebaseline", baselines)])
        self._out.frame(SEND_TABLES, -1, encode_send_tables(ALL))
        self._out.frame(CLASS_INFO, -1, encode_class_names({0: "CUnit", 1: "COther"}))
        self._out.sync_tick()

    def packet(self, *messages: EntityMessage, base: int | None = None, **options: Any) -> None:
        """Append a packet of the next tick, after an unrelated frame; `base` is the tick it builds on."""
        self.tick += 1
        self._out.frame(USER_COMMAND, self.tick, b"")
        made: list[InnerMessage] = [
            message.encode(
                server_tick=self.tick + AHEAD, delta_from=None if base is None else base + AHEAD, **options
            )
            for message in messages
        ]
        self._out.packet(self.tick, [(Engine.NET_TICK, b"\x08\x01"), *made, (200, b"")])

    def finish(self, *, strict: bool = True) -> Source2Replay:
        """Return the opened recording."""
        return open_as(Source2Replay, self._out.finish(self.tick, {"playback_ticks": self.tick}), strict=strict)


def change(*, delta: bool = True, deletion_list: bool = False) -> EntityMessage:
    return EntityMessage(CLASS_BITS, delta=delta, deletion_list=deletion_list)


def sliced(replay: Source2Replay, start: int, end: int) -> Source2Replay:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "cut.dem"
        replay.write_slice(path, start, end)
        cut = playhead.open(path.read_bytes(), strict=True)
    assert isinstance(cut, Source2Replay)
    assert cut.problems == ()
    return cut


def states(playback: Playback) -> Iterator[tuple[int, dict[int, Any]]]:
    """Yield the state after each packet of the game; numbers by repr, because 0.0 differs from -0.0."""
    for frame in playback.steps():
        if frame.command == PACKET:
            yield (
                frame.tick,
                {
                    entity.index: (
                        entity.serial,
                        entity.class_name,
                        entity.active,
                        {name: repr(value) for name, value in entity.to_dict().items()},
                    )
                    for entity in playback.entities
                },
            )


def assert_slice_is_whole(replay: Source2Replay, start: int, end: int | None = None) -> Source2Replay:
    """Compare the state after every packet, and after seeks."""
    last = (replay.info.duration_ticks or 0) if end is None else end
    cut = sliced(replay, start, last)
    whole = [state for state in states(replay.playback()) if start < state[0] <= last]
    playback = cut.playback()
    assert [state for state in states(playback) if state[0] > start] == whole
    assert playback.entities.unknown_bases == 0
    for tick in (start, (start + last) // 2, last):
        assert list(replay.at(tick).entities.differences(cut.at(tick).entities)) == []
    return cut


def begun(**values: Any) -> Client:
    """Return a recording whose first state, at tick 0, has entity 5 and stores its fields as a baseline."""
    client = Client()
    begin = change(delta=False)
    begin.create(5, 1, UNITS, values or {"m_iHealth": 10})
    client.packet(begin, update_baseline=True, baseline=0)
    return client


def update(client: Client, base: int, **values: Any) -> None:
    message = change()
    message.update(5, UNITS, {name.replace("__", "."): value for name, value in values.items()})
    client.packet(message, base=base)


def made_anew(replay: Source2Replay, cut: Source2Replay) -> int:
    """Return the number of packets after the beginning that differ from those of the recording."""
    stored = {replay.recording.stored(frame) for frame in replay.recording.frames}
    packets = [frame for frame in cut.recording.frames if frame.command == PACKET]
    return sum(cut.recording.stored(frame) not in stored for frame in packets[2:])


def test_only_messages_that_name_earlier_states_are_replaced() -> None:
    client = begun()
    for base in (0, 0, 1, 1, 2, 4, 5, 6, 8):
        update(client, base, m_iHealth=20 + client.tick)
    replay = client.finish()
    starts = {0: 0, 3: 2, 4: 1, 6: 1, 9: 0}
    assert {start: made_anew(replay, assert_slice_is_whole(replay, start)) for start in starts} == starts


def test_other_messages_of_a_packet_stay() -> None:
    client = begun()
    for base in (0, 0, 0):
        update(client, base, m_iHealth=20 + client.tick)
    replay = client.finish()
    cut = assert_slice_is_whole(replay, 1, 2)
    assert made_anew(replay, cut) == 1
    last = [frame for frame in cut.recording.frames if frame.command == PACKET][-1]
    reader = PacketReader(cut.recording.packet(last, cut.recording.payload(last)))
    numbers = []
    while reader.advance():
        numbers.append(reader.id)
    assert numbers == [Engine.NET_TICK, Engine.PACKET_ENTITIES, 200]


@pytest.mark.parametrize("deletion_list", [False, True])
def test_entities_that_come_go_and_are_replaced(deletion_list: bool) -> None:
    client = begun()
    for index in range(12):
        message = change(deletion_list=deletion_list)
        if index % 5 == 2:
            message.leave(5)
        if index % 4 == 3:
            message.delete(6)
        else:
            message.create(6, index, OTHERS if index % 3 == 0 else UNITS, {"m_iHealth": index})
        client.packet(message, base=max(0, client.tick - 2 if index % 4 else client.tick))
    replay = client.finish()
    for start in range(client.tick):
        assert_slice_is_whole(replay, start)


def test_entities_begin_with_fields_stored_before_the_slice() -> None:
    client = begun(m_iHealth=10, m_szName="kept")
    update(client, 0, m_iHealth=11)
    again = change()
    again.create(5, 2, UNITS, {"m_iHealth": 12})  # named "kept"
    client.packet(again, base=1, baseline=1)
    more = change()
    more.create(5, 3, UNITS, {})
    client.packet(more, base=2, baseline=1, update_baseline=True)
    last = change()
    last.create(5, 4, UNITS, {"m_iHealth": 13})  # named "kept" by the fields that the previous message stored
    client.packet(last, base=3, baseline=0)
    replay = client.finish()
    assert replay.at(4).entities.find(5).to_dict() == {"m_iHealth": 13, "m_szName": "kept"}  # type: ignore[union-attr]
    for start in range(4):
        assert_slice_is_whole(replay, start)
    # A slice of a slice.
    assert_slice_is_whole(sliced(replay, 1, 4), 2)


def test_fields_removed_in_between() -> None:
    """Shrinking and growing vectors, and pointers: no delta lists the removed elements."""
    full = {"m_hItems": 2, "m_hItems.0000": 7, "m_hItems.0001": 8, "m_pRules": 1, "m_pRules.m_iMode": 3}
    client = begun(**full, **{"m_vecRows": 1, "m_vecRows.0000.m_iGold": 5, "m_vecRows.0000.m_flPart": 0.0})
    steps: list[dict[str, Any]] = [
        {"m_hItems": 1},
        {"m_hItems": 2},
        {"m_pRules": 0, "m_vecRows.0000.m_flPart": -0.0},
        {"m_pRules": 1, "m_vecRows": 0},
        {"m_pRules.m_iMode": 3, "m_vecRows": 2, "m_vecRows.0001.m_iGold": 4},
    ]
    for number, values in enumerate(steps):
        message = change()
        message.update(5, UNITS, values)
        client.packet(message, base=number)
    for _ in range(3):  # and one over a long distance
        update(client, client.tick - 3, m_iHealth=client.tick)
    replay = client.finish()
    for start in range(client.tick):
        assert_slice_is_whole(replay, start)


def test_several_entity_messages_in_a_packet() -> None:
    client = begun()
    update(client, 0, m_iHealth=11)
    one, two = change(), change()
    one.update(5, UNITS, {"m_iHealth": 12})
    two.create(6, 1, OTHERS, {})
    client.packet(one, two, base=0)
    update(client, 2, m_szName="last")
    replay = client.finish()
    for start in range(3):
        assert_slice_is_whole(replay, start)


def test_damage_in_a_slice_stays_where_it_is() -> None:
    client = begun()
    update(client, 0, m_iHealth=11)
    broken = change()
    broken.update(9, UNITS, {"m_iHealth": 1})  # it does not exist
    client.packet(broken, base=1)
    update(client, 1, m_iHealth=12)
    whole = change(delta=False)
    whole.create(5, 1, UNITS, {"m_iHealth": 13})
    client.packet(whole)
    update(client, 4, m_iHealth=14)
    replay = client.finish(strict=False)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "cut.dem"
        replay.write_slice(path, 1, 5)
        cut = playhead.open(path.read_bytes())
    assert isinstance(cut, Source2Replay)
    ours, theirs = ([state for state in states(each.playback()) if state[0] > 1] for each in (cut, replay))
    assert ours == theirs
    assert theirs[-1][1][5][3]["m_iHealth"] == "14"
    seen = [[problem.what for problem in each.problems] for each in (cut, replay)]
    assert seen[0] == seen[1]
    assert "entity 9" in seen[0][0]
    with pytest.raises(ValueError, match="unknown"):
        replay.write_slice("nowhere.dem", 3, 5)


VALUES: list[dict[str, Any]] = [
    {},
    {"m_iHealth": 3},
    {"m_iHealth": -70000, "m_szName": "other"},
    {"m_szName": ""},
    {"m_hItems": 0},
    {"m_hItems": 3, "m_hItems.0002": 9},
    {"m_hItems": 1, "m_hItems.0000": 4},
    {"m_pRules": 0},
    {"m_pRules": 1},
    {"m_pRules": 1, "m_pRules.m_iMode": 8},
    {"m_vecRows": 2, "m_vecRows.0001.m_flPart": -0.0, "m_vecRows.0001.m_iGold": 6},
    {"m_vecRows": 2, "m_vecRows.0001.m_flPart": 0.0},
    {"m_vecRows": 1},
]


def any_recording(dice: Random) -> Source2Replay:
    """Return random messages, each based on one of the latest states known to the previous one."""
    client = Client()
    there: dict[int, dict[int, tuple[int, ClassWriter]]] = {}
    lists, oldest = dice.random() < 0.5, 0
    for number in range(dice.randrange(3, 16)):
        delta = number > 0 and dice.random() < 0.92
        base = dice.randrange(max(oldest, number - 4), number) if delta else None
        now = dict(there[base]) if base is not None else {}
        message = change(delta=delta, deletion_list=lists)
        for index in range(2, 8):
            what = dice.choice(("", "", "update", "update", "create", "delete", "leave")) if delta else "create"
            if what == "create" and dice.random() < 0.6:
                serial, writer = now.get(index, (number, dice.choice((UNITS, OTHERS))))
                if dice.random() < 0.3:
                    serial, writer = number, UNITS
                values = dice.choice(VALUES) if writer is UNITS else dice.choice(VALUES[:2])
                message.create(index, serial, writer, values)
                now[index] = serial, writer
            elif index in now and what == "update":
                writer = now[index][1]
                message.update(index, writer, dice.choice(VALUES) if writer is UNITS else dice.choice(VALUES[:2]))
            elif index in now and what == "leave":
                message.leave(index)
            elif index in now and what == "delete":
                message.delete(index)
                del now[index]
        there[number] = now
        oldest = oldest if base is None else base
        keep = number == 0 or dice.random() < 0.3
        client.packet(message, base=base, update_baseline=keep, baseline=dice.randrange(2))
    return client.finish()


@pytest.mark.long
@many(1.5)
@given(st.randoms(use_true_random=False))
def test_any_clients_recording(dice: Random) -> None:
    replay = any_recording(dice)
    last = replay.info.duration_ticks or 0
    assert_slice_is_whole(replay, dice.randrange(last))
