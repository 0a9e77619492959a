"""Playing a recording: seeking, state at a moment, tables of fields, self-checks, recovery from damage."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from tests.opened import open_as
from tests.samples.source2 import dota2
from tests.samples.source2.match import TICKS_PER_SECOND, SyntheticMatch
from tests.samples.source2.match_demo import match_demo

import playhead
from playhead import ReplayError
from playhead.clock import ticks_between
from playhead.errors import CorruptReplay, FieldTypeError
from playhead.runtime import workers as sharing
from playhead.source2 import stretches
from playhead.source2.container.frames import CLASS_INFO, FULL_PACKET, PACKET, Frame
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.packet import PacketReader
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.replay import Source2Replay
from playhead.source2.writing.demo import DemoWriter, create_string_table, encode_packet
from playhead.source2.writing.entities import ClassWriter, EntityMessage

pytestmark = pytest.mark.slow_interpreted

SECONDS = 20
FULL_EVERY = 120
LAST = SECONDS * TICKS_PER_SECOND


@cache
def made() -> tuple[bytes, SyntheticMatch]:
    return match_demo(SECONDS / 60, full_packet_every=FULL_EVERY)


def match(data: bytes | None = None, **options: Any) -> Source2Replay:
    return open_as(Source2Replay, made()[0] if data is None else data, **options)


def rewritten(change: dict[int, bytes]) -> bytes:
    """Return the match with the payloads of some frames (by number) replaced."""
    replay = match()
    out = DemoWriter(bytes(replay.recording.payload(replay.recording.frames[0])))
    for number, frame in enumerate(replay.recording.frames[1:-3], 1):
        out.frame(frame.command, frame.tick, change.get(number) or bytes(replay.recording.payload(frame)))
    return out.finish(LAST, replay.recording.file_info)


def frames_of(command: int) -> list[tuple[int, Frame]]:
    return [(number, frame) for number, frame in enumerate(match().recording.frames) if frame.command == command]


def entity_payload(replay: Source2Replay, frame: Frame) -> bytes:
    reader = PacketReader(replay.recording.packet(frame, replay.recording.payload(frame)))
    while reader.advance():
        if reader.id == Engine.PACKET_ENTITIES:
            return reader.payload()
    raise AssertionError("no entities in this frame")


def cut_short(payload: bytes) -> bytes:
    """Return an entity message whose entities are truncated."""
    content = wire.decode("CSVCMsg_PacketEntities", payload)
    content["entity_data"] = content["entity_data"][:-9]
    return wire.encode("CSVCMsg_PacketEntities", {str(key): value for key, value in content.items()})


# -- the match is what the match says ---------------------------------------------------------------------------


def test_the_truth_of_the_match() -> None:
    _, truth = made()
    playback = match().playback()
    playback.run()
    entities = playback.entities
    assert len(entities) == truth.live()
    heroes = entities.find_all_by_class_name("CDOTA_Unit_Hero_*")
    assert [hero["m_nPlayerID"] for hero in heroes] == list(range(10))
    for hero, told in zip(heroes, truth.heroes, strict=True):
        body = [hero[f"CBodyComponent.m_{part}"] for part in ("cellX", "vecX", "cellY", "vecY")]
        assert body[0] * 128 + body[1] - 16384 == pytest.approx(told.x, abs=0.05)
        assert body[2] * 128 + body[3] - 16384 == pytest.approx(told.y, abs=0.05)
        assert hero["m_iHealth"] == told.health
        ability = entities.find_by_handle(hero["m_hAbilities.0002"])
        assert ability is not None
        assert ability.class_name == f"CDOTA_Ability_{told.name}_3"
    assert entities.find_by_class_name("CDOTA_PlayerResource")["m_vecPlayerData.0003.m_iszPlayerName"] == "Dill"
    # Four before the game, the first state in a packet and again in a full packet.
    assert (playback.packets, playback.failures) == (4 + LAST // 2 + 2 + LAST // FULL_EVERY, {})


# -- seeking ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tick", [0, 2, 3, FULL_EVERY - 2, FULL_EVERY, FULL_EVERY + 2, 300, 479, LAST, LAST + 100])
def test_seeking_leads_where_playing_does(tick: int) -> None:
    replay = match()
    played = replay.playback(None)
    played.advance(tick)
    sought = replay.playback(None)
    sought.seek(tick)
    assert list(played.entities.differences(sought.entities)) == []
    assert played.position == sought.position
    assert [list(table) for table in played.string_tables] == [list(table) for table in sought.string_tables]


def test_seeking_anywhere_from_anywhere() -> None:
    replay = match()
    playback = replay.playback()
    for tick in (500, 20, 130, 128, 599, 0, 360):
        playback.seek(tick)
        fresh = replay.playback()
        fresh.seek(tick)
        assert (playback.tick, list(playback.entities.differences(fresh.entities))) == (fresh.tick, [])


def test_seeking_reads_few_frames() -> None:
    class Counting(Recording):
        unpacked = 0

        def payload(self, frame: Frame) -> bytes | memoryview:
            Counting.unpacked += 1
            return super().payload(frame)

    Playback(Counting(match().source)).seek(4 * FULL_EVERY + 10)
    assert Counting.unpacked < 40  # of 314 frames


def test_before_the_game() -> None:
    world = match().at(-1)
    assert len(world.entities) == 0


def test_state_at_a_moment() -> None:
    replay = match()
    world = replay.at("0:10")
    assert (world.displayed, world.seconds) == ("0:10", world.tick / 30)
    world = replay.at(10.0)
    assert (world.tick, world.seconds) == (300, 10.0)
    assert world.tick == replay.at("300t").tick == replay.at(300).tick
    other = replay.at(300)
    world.advance(60)
    assert (world.tick, other.tick) == (360, 300)
    assert list(world.entities.differences(replay.at(360).entities)) == []
    assert list(other.entities.differences(replay.at(300).entities)) == []
    assert "tick 360" in repr(world)
    with pytest.raises(ValueError, match="to go back"):
        world.advance(-1)
    with pytest.raises(ValueError, match="time such as"):
        replay.at("soon")


# -- handlers ---------------------------------------------------------------------------------------------------


def test_handlers_while_playing() -> None:
    playback = match().playback()
    created, ticks, nets = [], [], []
    playback.entities.on_entity(lambda entity, op: created.append(entity.index), "*_Creep_Lane", EntityOp.CREATED)
    playback.on_tick(ticks.append)
    playback.on_message(
        4, lambda tick, payload: nets.append((tick, len(created), wire.decode("CNETMsg_Tick", payload)))
    )
    playback.run()
    assert len(created) == 18  # and six of siege
    assert [tick for tick in ticks if tick > 0] == list(range(2, LAST + 1, 2))
    assert [net[:2] for net in nets[:2]] == [(0, 0), (2, 18)]  # called after the entities of its packet
    assert nets[1][2]["tick"] == 1002


def test_without_entities() -> None:
    playback = match().playback(entities=False)
    playback.run()
    assert (len(playback.entities), playback.entities.messages) == (0, 0)


# -- tables -----------------------------------------------------------------------------------------------------

FIELDS = ["m_iHealth", "CBodyComponent.m_vecX", "m_iszUnitName", "m_vecAimAngles", "CBodyComponent"]


def test_table_at_an_interval() -> None:
    replay = match()
    table = replay.table("entities:CDOTA_Unit_Hero_*", fields=FIELDS, every="1s")
    rows = table.to_pylist()
    fixed = "tick seconds entity entity_serial entity_class change active".split()
    assert table.column_names == [*fixed, *FIELDS]
    assert [row["tick"] for row in rows[::10]] == list(range(0, LAST + 1, TICKS_PER_SECOND))
    for tick in (0, 150, LAST):
        entities = replay.at(tick).entities
        for row in rows:
            if row["tick"] != tick:
                continue
            entity = entities.find(row["entity"])
            assert entity is not None
            assert row["entity_class"] == entity.class_name
            expected = {name: entity.get(name) for name in FIELDS}
            expected["m_vecAimAngles"] = list(expected["m_vecAimAngles"])
            assert {name: row[name] for name in FIELDS} == expected


def test_table_on_change() -> None:
    replay = match()
    rows = replay.table("entities:CDOTA_Unit_Hero_Axe", fields=["m_iHealth"]).to_pylist()
    seen = []
    playback = replay.playback()
    playback.entities.on_entity(
        lambda entity, op: seen.append((playback.tick, entity["m_iHealth"])), "CDOTA_Unit_Hero_Axe"
    )
    playback.run()
    changes = [entry for i, entry in enumerate(seen) if i == 0 or entry[1] != seen[i - 1][1]]
    told = [(row["tick"], row["m_iHealth"]) for row in rows]
    assert rows[0]["change"] == "created"
    assert set(changes) <= set(told)
    assert len(told) < len(seen)  # changes of other fields give no rows


def test_table_of_field_patterns() -> None:
    table = match().table("entities:CDOTA_Data*", fields=["m_vecDataTeam.*.m_i*Gold"], every="150 ticks")
    named = [name for name in table.column_names if "Gold" in name]
    assert "m_vecDataTeam.0004.m_iTotalEarnedGold" in named
    assert len(named) == 20  # four of each of five players
    assert table.num_rows == 2 * 5
    assert table.column("m_vecDataTeam.0000.m_iUnreliableGold").null_count == 0


def test_table_of_every_field() -> None:
    table = match().table("entities:CDOTAGamerulesProxy", every=f"{LAST} ticks")
    assert {"m_pGameRules", "m_pGameRules.m_nGameState", "m_flSimulationTime"} <= set(table.column_names)
    assert table.column("m_pGameRules.m_unMatchID64").to_pylist() == [7000000001] * 2


def test_fields_that_some_classes_lack() -> None:
    rows = (
        match()
        .table("entities:CDOTA*", fields=["m_nCourierState", "m_iTreeIndex"], every=f"{LAST} ticks")
        .to_pylist()
    )
    trees = [row for row in rows if row["entity_class"] == "CDOTAPropTree" and row["tick"] == 0]
    assert sorted(row["m_iTreeIndex"] for row in trees) == list(range(500))
    assert all(row["m_nCourierState"] is None for row in trees)
    couriers = [row for row in rows if row["entity_class"] == "CDOTA_Unit_Courier"]
    assert len(couriers) == 20
    assert all(row["m_iTreeIndex"] is None and row["m_nCourierState"] is not None for row in couriers)


@pytest.mark.parametrize(
    ("pattern", "fields", "match_text"),
    [("CNothing*", None, "no class"), ("CDOTA_Unit_Hero_*", ["m_iHelth"], "no class that fits")],
)
def test_wrong_names(pattern: str, fields: list[str] | None, match_text: str) -> None:
    with pytest.raises(KeyError, match=match_text):
        match().table(f"entities:{pattern}", fields=fields)


@pytest.mark.parametrize(
    ("every", "ticks"),
    [
        (None, None),
        (1, 1),
        ("7t", 7),
        (0.5, 15),
        ("1s", 30),
        ("500ms", 15),
        ("2m", 3600),
        ("30 ticks", 30),
        ("0.001s", 1),
    ],
)
def test_intervals(every: Any, ticks: int | None) -> None:
    assert ticks_between(every, 30.0) == ticks


@pytest.mark.parametrize("every", [0, -1, 7, 0.0, "often", "1 parsec"])
def test_no_intervals(every: Any) -> None:
    with pytest.raises(ValueError, match="interval"):
        ticks_between(every, 30.0)
    with pytest.raises(ValueError, match=r"rate|interval"):
        ticks_between("1s", None)


@pytest.mark.parametrize("every", ["1s", "45t", None])
@pytest.mark.parametrize("stored", [True, False], ids=["file", "bytes"])
def test_several_processes_give_the_same_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: Any, stored: bool
) -> None:
    monkeypatch.setattr(stretches, "SMALLEST", 0)
    path = tmp_path / "match.dem"
    path.write_bytes(made()[0])
    replay = playhead.open(path if stored else made()[0])
    query = {"fields": ["m_iHealth", "m_vecAimAngles", "m_hItems.*"], "every": every}
    serial = replay.table("entities:CDOTA_Unit_Hero_*", **query)
    parallel = replay.table("entities:CDOTA_Unit_Hero_*", **query, jobs=3)
    assert parallel.schema == serial.schema
    assert parallel.to_pylist() == serial.to_pylist()


def test_several_processes_leave_damage_to_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretches, "SMALLEST", 0)
    plain = match()
    number, frame = next((n, f) for n, f in frames_of(PACKET) if f.tick == 200)
    broken = with_messages(frame, plain, [(Engine.PACKET_ENTITIES, cut_short(entity_payload(plain, frame)))])
    replay = match(rewritten({number: broken}))
    query = {"fields": ["m_iHealth"], "every": "10t"}
    parallel = replay.table("entities:CDOTA_Unit_Hero_Axe", **query, jobs=3)
    assert parallel.to_pylist() == replay.table("entities:CDOTA_Unit_Hero_Axe", **query).to_pylist()
    assert "entities" in {problem.where for problem in replay.problems}


@pytest.mark.slow_interpreted
def test_processes_are_kept_until_one_dies_or_nobody_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "match.dem"
    path.write_bytes(made()[0])
    replay = playhead.open(path)
    workers = sharing.Workers()
    monkeypatch.setattr(stretches, "WORKERS", workers)
    monkeypatch.setattr(stretches, "SMALLEST", 0)

    def processes() -> list[int]:
        pool = workers.take(1)
        workers.give_back(pool)
        return [process.pid for process in (pool._processes or {}).values() if process.pid is not None]

    query = {"fields": ["m_iHealth"], "every": "10t"}
    alone = replay.table("entities:CDOTA_Unit_Hero_Axe", **query)
    began = []
    for _ in range(2):
        assert replay.table("entities:CDOTA_Unit_Hero_Axe", **query, jobs=2) == alone
        began.append(processes())
    assert len(began[0]) == 1
    assert began[0] == began[1]
    os.kill(began[0][0], signal.SIGTERM)
    deadline = time.monotonic() + 60
    while processes() in ([], began[0]):  # this process does the work of the dead one; then a new one starts
        assert replay.table("entities:CDOTA_Unit_Hero_Axe", **query, jobs=2) == alone
        assert time.monotonic() < deadline
    assert len(processes()) == 1
    monkeypatch.setattr(sharing, "IDLE_SECONDS", 0.0)
    processes()
    deadline = time.monotonic() + 60
    while workers.pool is not None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert workers.pool is None


# -- self-checks and damage -------------------------------------------------------------------------------------


def test_checks_hold() -> None:
    checks = {check.name: (check.passed, check.failed) for check in match().verify()}
    assert checks == {
        "frames": (319, 0),
        "packets": (311, 0),
        "entity messages": (301, 0),
        "baselines": (485, 0),
        "full packets": (6, 0),
        "string table dumps": (5, 0),
    }


def with_messages(frame: Frame, replay: Source2Replay, messages: Iterable[tuple[int, bytes]]) -> bytes:
    """Return the payload of a packet frame with other messages."""
    data = encode_packet(messages)
    if frame.command == PACKET:
        return wire.encode("CDemoPacket", {"data": data})
    return wire.encode("CDemoFullPacket", {"packet": {"data": data}})


def test_a_differing_full_packet() -> None:
    replay = match()
    number, frame = frames_of(FULL_PACKET)[2]
    other, _ = match_demo(SECONDS / 60, seed=8, full_packet_every=FULL_EVERY)
    theirs = match(other)
    foreign = entity_payload(theirs, theirs.recording.frames[number])
    replay = match(rewritten({number: with_messages(frame, replay, [(Engine.PACKET_ENTITIES, foreign)])}))
    assert [check.failed for check in replay.verify() if check.name == "full packets"] == [1]
    problem = replay.problems[0]
    assert problem.tick == frame.tick
    assert "expected the entities of the full packet" in problem.what
    assert "CDOTA_" in problem.what


def test_decoding_resumes_at_the_next_full_packet() -> None:
    plain = match()
    number, frame = next((n, f) for n, f in frames_of(PACKET) if f.tick == 200)
    broken = with_messages(frame, plain, [(Engine.PACKET_ENTITIES, cut_short(entity_payload(plain, frame)))])
    replay = match(rewritten({number: broken}))
    playback = replay.playback()
    states = []
    playback.on_tick(lambda tick: states.append((tick, playback.entities.valid)))
    playback.run()
    unknown = [tick for tick, valid in states if tick > 0 and not valid]
    assert unknown == list(range(200, 241, 2))  # the full packet of tick 240 follows the packet of that tick
    assert playback.entities.skipped == len(unknown) - 1
    whole = plain.playback()
    whole.run()
    assert list(whole.entities.differences(playback.entities)) == []
    problem = next(p for p in replay.problems if p.where == "entities")
    assert (problem.tick, problem.offset) == (200, replay.recording.frames[number].offset)
    assert problem.what.startswith("entity ")
    assert len([p for p in replay.problems if p.where == "entities"]) == 1
    # Sampled tables have no rows in the gap, and all rows before and after it.
    ticks = set(
        replay.table("entities:CDOTA_Unit_Hero_Axe", fields=["m_iHealth"], every="10 ticks")["tick"].to_pylist()
    )
    assert ticks == set(range(0, 200, 10)) | set(range(240, LAST + 1, 10))


def test_strict_reading_raises_at_the_damage() -> None:
    plain = match()
    number, frame = next((n, f) for n, f in frames_of(PACKET) if f.tick == 200)
    broken = with_messages(frame, plain, [(Engine.PACKET_ENTITIES, cut_short(entity_payload(plain, frame)))])
    replay = match(rewritten({number: broken}), strict=True)
    with pytest.raises(ReplayError, match="tick 200"):
        replay.playback().run()


def test_without_the_list_of_classes_there_are_problems_and_no_rows() -> None:
    (number, _frame), *_ = frames_of(CLASS_INFO)
    replay = match(rewritten({number: b"\xff\xff"}))
    assert replay.table("entities:CDOTA_Unit_Hero_*", fields=["m_iHealth"], every="10 ticks").num_rows == 0
    assert {problem.where for problem in replay.problems} >= {"DEM_ClassInfo", "entities"}


def test_calls_at_a_tick_follow_all_its_packets() -> None:
    """With the fast path and without it."""
    seen: list[list[tuple[int, int, object]]] = []
    for every_packet in (False, True):
        playback = match().playback()
        calls: list[tuple[int, int, object]] = []
        told: list[int] = []
        playback.after_packet(told.append)
        if every_packet:
            playback.on_tick(lambda _tick: None)

        def call(tick: int, due: int, playback: Playback = playback, calls: list = calls) -> None:
            hero = playback.entities.find_by_class_name("CDOTA_Unit_Hero_Axe")
            calls.append((due, tick, None if hero is None else hero.to_dict()))

        for due in (0, 1, 99, 100, 100, LAST - 1, LAST + 1000):
            playback.call_after(due, partial(call, due=due))
        playback.run()
        assert (len(told) > 100) is every_packet
        assert [due for due, *_ in calls] == [0, 1, 99, 100, 100, LAST - 1]
        assert all(tick > due for due, tick, _ in calls)
        seen.append(calls)
        linear = match().playback()
        linear.advance(100)
        hero = linear.entities.find_by_class_name("CDOTA_Unit_Hero_Axe")
        assert hero is not None
        assert calls[3][2] == hero.to_dict()
    assert seen[0] == seen[1]


def test_changes_without_a_beginning() -> None:
    """A recording without its first state: nothing is invented, and a problem reports it."""
    plain = match()
    writer = ClassWriter(0, "CWorld", made()[1].send_tables)
    change = EntityMessage(9)
    change.update(0, writer, {"m_iTeamNum": 3})
    first = [*frames_of(PACKET)[:1], *frames_of(FULL_PACKET)[:1]]
    replay = match(rewritten({n: with_messages(f, plain, [change.encode()]) for n, f in first}))
    playback = replay.playback()
    playback.advance(FULL_EVERY - 2)
    assert len(playback.entities) == 0
    playback.run()
    assert len(playback.entities) == made()[1].live()
    assert "complete state" in next(p.what for p in replay.problems if p.where == "entities")


# -- stretches --------------------------------------------------------------------------------------------------


def test_a_slice_is_a_separate_recording(tmp_path: Path) -> None:
    whole = match()
    path = tmp_path / "stretch.dem"
    whole.write_slice(path, 6.0, "430t")
    cut = open_as(Source2Replay, path)
    assert cut.problems == ()
    assert (cut.info.duration_ticks, cut.info.complete) == (430, True)
    assert cut.recording.file_header == whole.recording.file_header
    assert {frame.tick for frame in cut.recording.frames if frame.command == PACKET} == set(range(180, 431, 2))
    for tick in (180, 182, 255, 430):
        theirs, ours = whole.at(tick), cut.at(tick)
        assert list(theirs.entities.differences(ours.entities)) == []
        assert [e.active for e in theirs.entities] == [e.active for e in ours.entities]
        assert [list(table) for table in theirs.string_tables] == [list(table) for table in ours.string_tables]
    stored = {whole.recording.stored(frame) for frame in whole.recording.frames}
    assert (
        sum(cut.recording.stored(frame) not in stored for frame in cut.recording.frames) <= 3
    )  # the rest is copied


def test_a_slice_from_between_two_packets_keeps_the_server_s_tick(tmp_path: Path) -> None:
    path = tmp_path / "cut.dem"
    match().write_slice(path, 181, 200)  # packets have even ticks
    playback = open_as(Source2Replay, path).playback()
    offsets = []
    for tick in (181, 190):
        playback.seek(tick)
        offsets.append(playback.server_tick_offset)
    assert offsets[0] is not None
    assert offsets[0] == offsets[1]


def test_invisible_entities_stay_invisible(tmp_path: Path) -> None:
    data, _ = match_demo(0.5, full_packet_every=FULL_EVERY)
    whole = match(data)
    hidden = [entity.index for entity in whole.at(780).entities if not entity.active]
    assert hidden
    whole.write_slice(tmp_path / "cut.dem", 780, 800)
    entities = match((tmp_path / "cut.dem").read_bytes()).at(780).entities
    assert [entity.index for entity in entities if not entity.active] == hidden


@pytest.mark.parametrize(("start", "end"), [(20, 10), (-5, 10), (10, 10**6)])
def test_invalid_ranges(tmp_path: Path, start: int, end: int) -> None:
    with pytest.raises(ValueError, match=r"range of ticks|from tick -1 to [0-9]+"):
        match().write_slice(tmp_path / "x.dem", start, end)
    assert list(tmp_path.iterdir()) == []


# -- an independent reader --------------------------------------------------------------------------------------


def gem_entities(path: Path) -> dict[int, tuple[str, int, dict[str, Any]]]:
    parser = pytest.importorskip("gem.parser", reason="gem-dota is not installed: nothing to compare with")
    theirs = parser.ReplayParser(path)
    theirs.parse()
    manager = next(value for value in vars(theirs).values() if type(value).__name__ == "EntityManager")
    return {e.index: (e.cls.name, e.serial, e.to_map()) for e in manager.entities if e is not None}


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(theirs, list | tuple):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, float):  # gem computes quantized floats in double precision
        return bool(ours == pytest.approx(theirs, rel=1e-5, abs=1e-5))
    return bool(ours == theirs)


@pytest.mark.long
@pytest.mark.parametrize("stretch", [None, (180, 430)], ids=["whole", "stretch"])
def test_gem_dota_reads_the_same_entities(tmp_path: Path, stretch: tuple[int, int] | None) -> None:
    path = tmp_path / "match.dem"
    path.write_bytes(made()[0])
    if stretch is not None:
        match().write_slice(path, *stretch)
    theirs = gem_entities(path)
    playback = match(path.read_bytes()).playback()
    playback.run()
    assert theirs.keys() == {entity.index for entity in playback.entities}
    compared = 0
    for entity in playback.entities:
        name, serial, fields = theirs[entity.index]
        assert (entity.class_name, entity.serial) == (name, serial)
        for field, value in fields.items():
            if field == "m_flRuneTime":  # gem treats its four bits as those of a float
                continue
            assert same(entity[field], value), (entity, field)
            compared += 1
    assert compared > 20000


# -- names of entities, order of messages ---------------------------------------------------------------------

NAME_FIELD = "m_pEntity.m_nameStringTableIndex"


@cache
def named() -> bytes:
    """Return the sample, whose entities have names."""
    return dota2.sample_demo()[0]


def test_entities_are_found_by_name_in_a_default_playback() -> None:
    playback = match(named()).playback()
    assert playback.entities.find_by_npc_name("npc_dota_hero_axe") is None  # no entity exists yet
    playback.seek(900)
    axe = playback.entities.find_by_npc_name("npc_dota_hero_axe")
    assert axe is not None
    assert axe.class_name == "CDOTA_Unit_Hero_Axe"
    assert not playback.string_tables["CombatLogNames"].items  # an unneeded table stays empty


def test_a_projection_asks_for_names_itself() -> None:
    def wanted(_class_name: str) -> Any:
        return lambda name: name == NAME_FIELD

    for tables in ((), ("EntityNames",)):
        playback = match(named()).playback(tables, wanted=wanted)
        playback.run()
        if tables:
            assert playback.entities.find_by_npc_name("npc_dota_hero_axe") is not None
        else:
            with pytest.raises(LookupError, match="not followed"):
                playback.entities.find_by_npc_name("npc_dota_hero_axe")


def test_a_wrong_accessor_in_a_handler_is_no_problem_of_the_recording() -> None:
    replay = match()
    playback = replay.playback()
    playback.entities.on_entity(lambda entity, _op: print(entity.get_str("m_iHealth")), "CDOTA_Unit_Hero_*")
    with pytest.raises(FieldTypeError, match="m_iHealth of CDOTA_Unit_Hero_"):
        playback.run()
    assert replay.problems == ()


@pytest.mark.parametrize("entities", [True, False], ids=["of an entity", "of a string table"])
def test_an_error_of_a_handler_is_raised_not_recorded(entities: bool) -> None:
    mine = CorruptReplay("raised by a handler")

    def refuse(*_: object) -> None:
        raise mine

    replay = match()
    playback = replay.playback(tables=None)
    if entities:
        playback.entities.on_entity(refuse, "CDOTA_Unit_Hero_*")
    else:
        playback.on_string_table(None, refuse, full_packets=refuse)
    with pytest.raises(CorruptReplay) as raised:
        playback.run()
    assert raised.value is mine
    assert replay.problems == ()


def test_an_error_of_a_full_packet_handler_is_raised_not_recorded() -> None:
    mine = CorruptReplay("raised by a handler")

    def refuse(*_: object) -> None:
        raise mine

    writer = DemoWriter({})
    writer.signon([create_string_table("t", [])])
    writer.sync_tick()
    writer.full_packet(2, [{"table_name": "t", "items": [{"str": "news"}]}], [])
    playback = match(writer.finish(2, {})).playback(tables=None, entities=False)
    playback.on_string_table(None, refuse, full_packets=refuse)
    with pytest.raises(CorruptReplay) as raised:
        playback.run()
    assert raised.value is mine


def test_messages_by_priority() -> None:
    order = [(Engine.PACKET_ENTITIES, b""), (Engine.NET_TICK, b""), (Engine.CLEAR_ALL_STRING_TABLES, b"")]
    number, _ = frames_of(PACKET)[5]
    packet = wire.encode("CDemoPacket", {"data": encode_packet(order)})
    replay = match(rewritten({number: packet}))
    tick = replay.recording.frames[number].tick

    def numbers(**options: bool) -> list[int]:
        return [each.number for each in replay.messages(**options) if each.tick == tick]

    assert numbers() == [55, 4, 51]
    assert numbers(by_priority=True) == [51, 4, 55]


def test_state_and_tables_of_one_pass() -> None:
    data = dota2.sample_demo()[0]
    replay = match(data)
    names = ("string_tables", "combat_log", "chat", "events", "info")
    playback, tables = replay.play(*names)
    alone = match(data)
    assert tables == alone.read_tables(names)
    assert list(tables) == list(names)
    whole = alone.playback(None)
    whole.run()
    assert list(whole.entities.differences(playback.entities)) == []
    assert [list(table) for table in playback.string_tables] == [list(table) for table in whole.string_tables]
    assert replay.problems == alone.problems == ()
    playback, tables = replay.play()
    assert (tables, playback.tick) == ({}, whole.tick)
    with pytest.raises(KeyError, match="nothing"):
        replay.play("nothing")
