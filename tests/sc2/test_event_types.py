"""Typed events: classes against the type tables, friendly fields, and what `Sc2Replay.events` gives."""

from __future__ import annotations

import copy
import dataclasses
import gc
import itertools
import pickle
from array import array
from types import MappingProxyType
from typing import Any, cast

import pyarrow as pa
import pytest
from tests.opened import open_as
from tests.samples.blizzard import EventWriter, VersionedWriter
from tests.samples.sc2 import replay as sample

from playhead.blizzard.encoding.event_decoder import EventDecoder
from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.encoding.versioned import Choice
from playhead.blizzard.events import Event, Scope, commands, event_types, kind_of, messages, tracker
from playhead.blizzard.events.base import fields_of
from playhead.blizzard.events.columns import decode_stream
from playhead.blizzard.events.reading import STREAMS, read_events
from playhead.blizzard.events.record import AddedFields, EventKind, KindRows, PayloadRows, PayloadStream
from playhead.blizzard.protocol.tables import GAME, TRACKER, TypePool, short_name
from playhead.events import event_batches
from playhead.hots.protocol import PROTOCOLS as HOTS
from playhead.runtime import hot
from playhead.runtime.garbage import GarbagePause
from playhead.sc2.protocol.tables import PROTOCOLS as SC2
from playhead.sc2.protocol.tables import event_program, protocol_table
from playhead.sc2.replay import Sc2Replay
from playhead.sc2.tables.registry import TABLES
from playhead.text.json import to_json

BUILD = 93333
EVENT_TYPES = {name: type_ for stream in STREAMS for name, type_ in event_types(stream).items()}


def opened() -> Sc2Replay:
    return open_as(Sc2Replay, sample.sample_bytes())


def paths(pool: TypePool, type_: int, above: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """All paths of a type that lead to something other than the inside of an array."""
    kind, *rest = pool.types[type_]
    found = {above}
    if kind == "optional":
        return paths(pool, rest[0], above)
    inner = rest[0] if kind == "struct" else [(name, of, 0) for _, name, of in rest[2]] if kind == "choice" else []
    for name, of, _ in inner:
        found |= paths(pool, of, (*above, name) if name != "__parent" else above)
    return found


def test_every_event_of_every_build_has_a_class_and_every_field_a_source() -> None:
    known: dict[str, set[tuple[str, ...]]] = {}
    for game in (SC2, HOTS):
        for build in game.known_builds():
            table = game.table(build, build)
            for stream in STREAMS:
                for name, type_ in table.events(stream).values():
                    known.setdefault(short_name(name), set()).update(paths(table.pool, type_))
    assert set(known) == set(EVENT_TYPES)
    for name, type_ in EVENT_TYPES.items():
        assert type_.__doc__, name
        assert not type_.__doc__.startswith(type_.__name__), f"{name} has no text of its own"
        for field, sources, _ in fields_of(type_):
            for source in sources:
                assert source in known[name], f"{name}.{field} is from {source}, which no build has"


def test_kinds_are_words_and_tell_events_apart() -> None:
    words: dict[str, list[str]] = {}
    for name in EVENT_TYPES:
        words.setdefault(kind_of(name), []).append(name)
    assert {word: names for word, names in words.items() if len(names) > 1} == {
        "player_left": ["SGameUserLeaveEvent", "SPlayerLeaveEvent"],
        # Names of the first builds of Heroes of the Storm.
        "command_repeated_at_point": ["SCmdUpdateTargetPointEvent", "SCommandManagerTargetPointEvent"],
        "command_repeated_at_unit": ["SCmdUpdateTargetUnitEvent", "SCommandManagerTargetUnitEvent"],
        "talent_selected": ["SHeroTalentTreeSelectedEvent", "SHeroTalentSelectedEvent"],
    }
    assert all(word.islower() and word.replace("_", "").isalnum() for word in words)
    assert kind_of("SAICommunicateEvent") == "ally_instructed"
    assert kind_of("STriggerKeyPressedEvent") == "key_pressed"
    assert kind_of("SUnitBornEvent") == "unit_born"
    assert kind_of("event 77") == "event 77"


def test_all_events_in_time_order() -> None:
    replay = opened()
    events = list(replay.events())
    assert [event.tick for event in events] == sorted(event.tick for event in events)
    for stream in STREAMS:
        assert list(replay.events(stream)) == [e for e in events if e.name in names(stream)]
    first = [event.kind for event in events if event.tick == 0]
    assert first.index("player_set_up") < first.index("unit_born")


def names(stream: str) -> set[str]:
    return {short_name(name) for name in event_program(BUILD, BUILD, stream).names.values()}


@pytest.mark.parametrize(
    "kinds",
    [
        ("command_given",),
        ("SCmdEvent",),
        ("CmdEvent",),
        ("NNet.Game.SCmdEvent",),
        (commands.CmdEvent,),
        ("command_given", "SCmdEvent"),
    ],
)
def test_ways_to_ask_for_orders(kinds: tuple[Any, ...]) -> None:
    order, *casts = opened().events(*kinds)
    assert len(casts) == 3
    assert isinstance(order, commands.CmdEvent)
    assert (order.kind, order.tick, order.user, order.player) == ("command_given", 2200, 0, 1)
    assert (order.ability_id, order.ability_index, order.ability_data) == (40, 0, None)
    assert (order.target_kind, order.x, order.y, order.z, order.target_unit) == ("point", 120.0, 110.0, 8.0, None)
    assert order.command_number == 1
    assert order.raw["m_abil"]["m_abilLink"] == 40


def test_several_kinds_and_none() -> None:
    replay = opened()
    assert [event.kind for event in replay.events("chat_sent", "player_left", "unit_killed")] == [
        "chat_sent",
        "chat_sent",
        "unit_killed",
        "unit_killed",
        "unit_killed",
        "chat_sent",
        "player_left",
    ]
    assert list(replay.events("chat_reported")) == []
    # An event of another build: known, and not in this replay.
    assert list(replay.events("SPlayerLeaveEvent")) == []
    with pytest.raises(KeyError, match="did you mean command"):
        replay.events("comand_given")


def test_friendly_fields_are_those_of_the_tables() -> None:
    replay = opened()
    for kind, table, columns in (
        (
            "units_selected",
            "selections",
            ("group", "subgroup", "remove", "added_type_ids", "added_counts", "added_units"),
        ),
        ("control_group_used", "control_groups", ("group", "action", "remove", "remove_indices")),
        ("camera_moved", "camera", ("x", "y", "distance", "pitch", "yaw", "reason_id")),
        ("command_repeated_at_point", "commands", ("x", "y", "z")),
        ("chat_sent", "chat", ("channel", "text", "player")),
        ("upgrade_finished", "upgrades", ("upgrade", "count", "player")),
    ):
        rows = replay.table(table).to_pylist()
        if table == "commands":
            rows = [row for row in rows if row["kind"] == kind]
        events: list[Any] = list(replay.events(kind))
        assert events
        for event, row in zip(events, rows, strict=True):
            for column in columns:
                value = getattr(event, column)
                assert (list(value) if isinstance(value, tuple) else value) == row[column], (kind, column)
            assert (event.tick, event.seconds) == (row["tick"], row["seconds"])


def test_units_of_the_tracker() -> None:
    replay = opened()
    *_, died = cast("list[Any]", list(replay.events("unit_killed")))
    assert (died.unit, died.attacker_unit, died.attacker_player) == (11 << 18 | 1, 20 << 18 | 1, 1)
    assert (died.x, died.y) == (120.0, 110.0)
    stats: Any = next(replay.events("player_stats_recorded"))
    assert (stats.stats["minerals"], stats.stats["supply_made"]) == (50, 15.0)
    (spots,) = replay.events("unit_positions_sampled")
    assert spots.spots == ((20, 60.0, 52.0),)  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        died.unit = 5


def test_an_event_without_a_class_is_generic_and_keeps_all() -> None:
    out = VersionedWriter()
    for value in (Choice(0, 9), 77, {0: 5, 1: [b"x", {2: None}]}, Choice(0, 1), 7, {0: 1, 1: 2, 9: [3]}):
        out.write_value(value)
    program = event_program(BUILD, BUILD, TRACKER)
    first, second = read_events(out.to_bytes(), program, TRACKER, 16.0, {})
    assert type(first) is Event
    assert (first.name, first.kind, first.number, first.tick) == ("event 77", "event 77", 77, 9)
    assert first.raw == {"0": 5, "1": [b"x", {"2": None}]}
    assert second.raw == {"m_unitTagIndex": 1, "m_unitTagRecycle": 2, "9": [3]}
    assert type(second) is EVENT_TYPES["SUnitDoneEvent"]
    out = VersionedWriter()
    for value in (Choice(0, 9), 77, b"no struct"):
        out.write_value(value)
    (third,) = read_events(out.to_bytes(), program, TRACKER, 16.0, {})
    assert third.raw == {"value": b"no struct"}


def test_leaving_out_is_reading_over() -> None:
    out = EventWriter(protocol_table(BUILD, BUILD))
    out.write(1, 0, "SCameraUpdateEvent", m_target={"x": 5, "y": 6})
    out.write(2, 0, "SSelectionDeltaEvent", m_delta={"m_removeMask": {"Mask": frozenset({3, 40})}})
    out.write(3, 0, "SCmdEvent")
    program = event_program(BUILD, BUILD, GAME)
    decoder = EventDecoder(program, out.to_bytes())
    assert decoder.next_event(frozenset({27}))[0] == 3  # type: ignore[index]
    assert decoder.next_event() is None


def test_a_beta_order_has_the_target_that_is_not_zero() -> None:
    out = EventWriter(protocol_table(15405, 15405))
    out.write(1, 0, "SCmdEvent", m_abilLink=0xFFFF, m_targetPoint={"x": 4096, "y": 8192, "z": 0})
    out.write(2, 0, "SCmdEvent", m_abilLink=72, m_targetUnitTag=9 << 18 | 1, m_targetUnitSnapshotUnitLink=30)
    out.write(3, 0, "SCmdEvent", m_abilLink=72)
    out.write(4, 0, "SCameraUpdateEvent", m_target={"x": 4096, "y": 8192})
    program = event_program(15405, 15405, GAME)
    named = Scope(camera_unit=4096.0, ability=lambda link, index: f"{link}/{index}")
    events: list[Any] = list(read_events(out.to_bytes(), program, GAME, 16.0, {0: 1}, named))
    assert [(e.target_kind, e.x, e.y, e.target_unit, e.ability_id, e.ability) for e in events[:3]] == [
        ("point", 1.0, 2.0, None, None, None),
        ("unit", 0.0, 0.0, 9 << 18 | 1, 72, "72/0"),
        ("none", None, None, None, 72, "72/0"),
    ]
    assert (events[3].x, events[3].y) == (1.0, 2.0)


def test_fields_that_a_later_table_lacks_are_not_there() -> None:
    for name, type_ in EVENT_TYPES.items():
        event: Any = type_(1, 0.1, None, None, name, 5, {}, **type_.friendly({}, Scope()))
        assert all(getattr(event, field) in (None, (), "", b"", "none", 0) for field, _, _ in fields_of(type_))
    change = commands.SelectionDeltaEvent.friendly(
        {"m_delta": {"m_removeMask": {"Ranges": [1, 2]}, "m_addSubgroups": [{"m_unitType": 5}]}}, Scope()
    )
    assert (change["remove"], change["remove_indices"], change["added_type_ids"]) == ("Ranges", (1, 2), (None,))


def test_counts_of_events() -> None:
    replay = opened()
    rows = {row["event"]: row for row in replay.table("event_counts").to_pylist()}
    for event in replay.events():
        rows[event.name]["count"] -= 1
        assert (rows[event.name]["kind"], rows[event.name]["event_type_id"]) == (event.kind, event.number)
        assert rows[event.name]["first_tick"] <= event.tick <= rows[event.name]["last_tick"]
    assert all(row["count"] == 0 and row["is_named"] for row in rows.values())
    assert rows["SChatMessage"]["stream"] == "message"


def test_an_event_is_a_frozen_dataclass() -> None:
    said = messages.ChatMessage(1, 0.5, 0, 1, "SChatMessage", 0, {}, text="gl")
    assert repr(said) == (
        "ChatMessage(tick=1, seconds=0.5, user=0, player=1, name='SChatMessage', number=0, channel=None, "
        "text='gl')"
    )
    other = dataclasses.replace(said, text="hf")
    assert (other.text, other == said) == ("hf", False)
    for same in (copy.copy(said), pickle.loads(pickle.dumps(said)), dataclasses.replace(said)):
        assert (same, hash(same)) == (said, hash(said))
    assert dataclasses.asdict(said)["text"] == "gl"
    with pytest.raises(dataclasses.FrozenInstanceError):
        said.text = "hf"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del said.text
    for values, named in (((1,), {}), (range(9), {"loop": 1}), (range(7), {"nothing": 1}), (range(20), {})):
        with pytest.raises(TypeError, match="ChatMessage"):
            messages.ChatMessage(*values, **named)  # type: ignore[arg-type]


def test_events_that_are_read_are_frozen_too() -> None:
    event: Any = next(opened().events("chat_sent"))
    assert type(event) is messages.ChatMessage
    with pytest.raises(dataclasses.FrozenInstanceError):
        event.text = ""
    assert pickle.loads(pickle.dumps(event)) == event


def test_events_outlive_their_replay() -> None:
    replay = opened()
    events = list(replay.events())
    replay.close()
    assert events == list(opened().events())
    assert {event.kind: event.payload for event in events}["command_given"]["ability_id"] == 141


@pytest.mark.skipif(hot.summary() != "compiled", reason="interpreted, events are ordinary objects")
def test_the_garbage_collector_does_not_look_at_events() -> None:
    events = list(opened().events())
    assert not any(map(gc.is_tracked, events))
    assert [event.raw for event in events]
    assert not any(map(gc.is_tracked, events))


def test_the_table_of_events_is_what_the_events_are() -> None:
    replay = opened()
    found = pa.concat_tables(event_batches(replay.events())).to_pylist()
    assert found
    assert replay.table("events").to_pylist() == found


def test_payloads_are_the_json_that_all_formats_write() -> None:
    values = (0, -2.25, float("nan"), True, 'a"b', "\ud800", (1, 2.5, None), b"\xff", MappingProxyType({"a": 1}))
    out = EventWriter(protocol_table(BUILD, BUILD))
    for loop in range(len(values)):
        out.write(loop, 0, "SCameraUpdateEvent", m_target={"x": 5, "y": 6})
    program = event_program(BUILD, BUILD, GAME)
    heads = decode_stream(out.to_bytes(), program, GAME).rows.heads
    left = iter(values)
    plan = AddedFields(Event, ("value",), (((),),), (lambda fields, scope: next(left),), (None,), None)
    number = heads[2][0]
    kind = EventKind(
        "x", number, plan, program, tagged=False, id_bits=7, rate=16.0, players={}, scope=Scope(), decoders=[]
    )
    stream = PayloadStream(heads, out.to_bytes(), {number: KindRows(0, None, None, kind)}, array("q"), 16)
    rows = PayloadRows([stream])
    assert rows.payloads.to_arrow(pa.string()).to_pylist() == [to_json({"value": value}) for value in values]
    assert set(rows.players.to_array()) == {NOTHING}


def test_a_tracker_that_starts_over_is_in_the_order_of_time() -> None:
    later = VersionedWriter()
    for delta in (50, 20, (1 << 32) - 70, 5):
        for value in (Choice(0, delta), 4, {0: 1, 1: 2}):
            later.write_value(value)
    program = event_program(BUILD, BUILD, TRACKER)
    assert [event.tick for event in read_events(later.to_bytes(), program, TRACKER, 16.0, {})] == [0, 5, 50, 70]
    replay = opened()
    stream = decode_stream(later.to_bytes(), program, TRACKER, capture=TABLES.captured(TRACKER))
    replay.recording.streams.decoded[TRACKER] = stream
    found = pa.concat_tables(event_batches(replay.events())).to_pylist()
    assert replay.table("events").to_pylist() == found
    assert all(after["tick"] >= before["tick"] for before, after in itertools.pairwise(found))


@pytest.mark.parametrize(
    "fields",
    [
        {0: 1, 1: {0: 50, 1: 60}},  # fewer than the table has
        {1: {1: 60, 0: 50}, 0: 1},  # in another order
        {0: 1, 1: {0: 50, 99: 4096}},  # one that the table does not have
        {0: 1, 1: {}},
    ],
    ids=["fewer", "order", "unknown", "none"],
)
def test_payloads_of_events_with_other_fields_than_the_table_has(fields: dict[int, Any]) -> None:
    out = VersionedWriter()
    for value in (Choice(0, 10), 0, fields):
        out.write_value(value)
    replay = opened()
    stream = decode_stream(
        out.to_bytes(), event_program(BUILD, BUILD, TRACKER), TRACKER, capture=TABLES.captured(TRACKER)
    )
    replay.recording.streams.decoded[TRACKER] = stream
    assert stream.rows.is_odd(tracker.PlayerStatsEvent)
    found = pa.concat_tables(event_batches(replay.events("player_stats_recorded"))).to_pylist()
    rows = replay.table("events").to_pylist()
    assert [row for row in rows if row["kind"] == "player_stats_recorded"] == found != []


def test_the_collector_waits_until_the_last_has_left() -> None:
    assert gc.isenabled()
    paused = GarbagePause()
    with paused:
        with paused:
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with paused:
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
