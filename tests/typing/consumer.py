"""The public API as somebody who uses it writes it: a type checker reads this file, nothing runs it.

Every name has the type that `assert_type` says, so that an annotation that becomes vague is noticed.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, assert_type

import playhead
from playhead.blizzard.events import Event
from playhead.dota2.replay import Dota2Replay
from playhead.errors import FieldTypeError
from playhead.sc2.replay import Sc2Replay
from playhead.sc2.state.timeline import State, Unit
from playhead.source2.container.demo_stream import DemoStream
from playhead.source2.entities.classes import ClassInfo
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.manager import EntityManager
from playhead.source2.messages.packet import inner_messages
from playhead.source2.playback.world import World
from playhead.source2.replay import Source2Replay
from playhead.source2.string_tables.items import StringTableItem
from playhead.source2.string_tables.tables import (
    StringTable,
    StringTables,
    handle_create,
    handle_update,
    parse_string_table,
)
from playhead.tables.schema import Column, TableSchema
from playhead.teehistorian.replay import TeehistorianReplay
from playhead.teehistorian.state.seek import Tees


def report(done: int, total: int) -> None:
    print(done / total)


def open_them(path: Path) -> playhead.Replay:
    try:
        replay = playhead.open(path, strict=True, limits=playhead.Limits(), progress=report)
    except playhead.UnknownFormat as error:
        assert_type(error.file, str | None)
        raise
    except playhead.ReplayError as error:
        assert_type(error.offset, int | None)
        assert_type(error.tick, int | None)
        raise
    playhead.open(b"...", stream=True)
    playhead.open("match.dem", follow=playhead.Follow(idle_seconds=5.0))
    return assert_type(replay, playhead.Replay)


def what_every_replay_has(replay: playhead.Replay) -> None:
    assert_type(replay.name, str)
    assert_type(replay.format, str)
    assert_type(replay.info, playhead.Info)
    assert_type(replay.info.start_time, datetime | None)
    assert_type(replay.info.duration_seconds, float | None)
    assert_type(replay.info.winner_name, str | None)
    assert_type(replay.players, tuple[playhead.Player, ...])
    assert_type([player.name for player in replay.players], list[str | None])
    assert_type(replay.problems, tuple[playhead.Problem, ...])
    for problem in replay.problems:
        assert_type(problem.tick, int | None)
        assert_type(problem.cost, str)
    assert_type(replay.verify(), tuple[playhead.Check, ...])
    assert_type(replay.tables, Mapping[str, TableSchema])
    assert_type(replay.tables["info"].columns, tuple[Column, ...])
    assert_type(replay.export("out", format="csv", tables=["players"]), list[Path])
    if replay.info.clock is not None:
        assert_type(replay.info.clock.seconds(30), float)
        assert_type(replay.info.clock.tick_at("12:30"), int)
    print(replay.table("players", columns=["name"]), list(replay.read_tables(["info", "players"])))
    moment = assert_type(replay.at("12:30"), playhead.Moment)
    assert_type(moment.tick, int)
    assert_type(moment.game_seconds, float | None)
    assert_type(moment.displayed, str | None)
    for row in moment.players:
        print(row["name"], moment.resources.get(row["player"], {}).get("net_worth"))
    with playhead.open("match.dem") as other:
        assert_type(other, playhead.Replay)
    assert_type(other.closed, bool)
    for batch in replay.batches("players", rows=100):
        print(batch)


def source2(replay: Source2Replay) -> None:
    world = assert_type(replay.at("12:30"), World)
    assert_type(world.raw, EntityManager)
    world.advance(30)
    hero = assert_type(world.entities.find_by_class_name("CDOTA_Unit_Hero_Axe"), Entity | None)
    if hero is not None:
        assert_type(hero.class_name, str)
        print(hero["m_iHealth"], hero.get("m_flMana", 0.0))
    for entity in world.entities:
        assert_type(entity, Entity)
    for message in replay.messages("CDOTAUserMsg_ChatEvent"):
        assert_type(message.tick, int)
    assert_type(replay.to_tick("12:30"), int)
    replay.entity_table("CDOTA_Unit_Hero_*", ["m_iHealth"], every="1s")
    replay.write_slice(Path("short.dem"), "1:00", "2:00")


def typed_fields(entity: Entity) -> None:
    assert_type(entity.get_int("m_iHealth"), int | None)
    assert_type(entity.get_int("m_iHealth", 0), int)
    assert_type(entity.get_float("m_flMana", 0.0), float)
    assert_type(entity.get_bool("m_bIsIllusion"), bool | None)
    assert_type(entity.get_str("m_iszPlayerName", ""), str)
    assert_type(entity.get_vector("m_vecVelocity"), tuple[float, ...] | None)
    try:
        assert_type(entity.get_handle("m_hOwnerEntity", 0xFFFFFF), int)
    except FieldTypeError as error:
        assert_type(error.value, object)
        assert_type(error.field, str)


def by_the_public_documents(path: Path, manager: EntityManager) -> None:
    tables = StringTables()
    with DemoStream(path) as stream:
        assert_type(stream, DemoStream)
        for tick, msg_type, data in stream:
            assert_type((tick, msg_type, data), tuple[int, int, bytes])
            for number, payload in inner_messages(data, by_priority=True):
                assert_type(number, int)
                assert_type(manager.on_packet_entities(payload), list[tuple[Entity, EntityOp]])
    assert_type(handle_create({"name": "EntityNames"}, tables), StringTable)
    assert_type(handle_update({"table_id": 0}, tables, lambda change: print(change.key)), StringTable)
    assert_type(parse_string_table(b"", 0, tables["EntityNames"]), list[StringTableItem])
    assert_type(manager.classes_by_id[0], ClassInfo)
    assert_type(manager.classes_by_name["CWorld"], ClassInfo)
    assert_type(list(manager.classes_by_name), list[str])
    assert_type(manager.class_id_size, int)
    assert_type(manager.game_build, int | None)


def dota2(replay: Dota2Replay) -> None:
    replay.table("player_series", every="10s", columns=["net_worth"])


def starcraft2(replay: Sc2Replay) -> None:
    for event in replay.events("command_given", "chat_sent"):
        assert_type(event, Event)
        assert_type(event.seconds, float)
        assert_type(event.player, int | None)
    state = assert_type(replay.at(13440), State)
    assert_type(state.units_of(1), list[Unit])
    assert_type(state.resources[1].minerals, int | None)


def teehistorian(replay: TeehistorianReplay) -> None:
    tees = assert_type(replay.at("14:03"), Tees)
    for tee in tees:
        assert_type(tee.client, int)
    for tick, message in replay.messages():
        assert_type(tick, int)
        print(message)
    print(replay.window("14:03", "14:05", player="nameless tee").positions)
    assert_type(replay.use_index(), bool)
    replay.write_anonymized("redacted.teehistorian")


def narrowed(replay: playhead.Replay) -> str:
    match replay:
        case Dota2Replay():
            return f"{len(replay.recording.send_tables.serializers)} serializers"
        case Sc2Replay():
            return replay.info.game
        case TeehistorianReplay():
            return replay.info.game
        case _:
            return replay.format


def events_of_any_replay(replay: playhead.Replay) -> None:
    for event in replay.events("chat_sent"):
        assert_type(event.tick, int)
        assert_type(event.text, Any)
